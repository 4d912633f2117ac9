"""Point out a key that somebody pastes into a text of the project, before it is kept."""

from typing import Final

from reviewer.domain.errors import LabelError
from reviewer.scoring.masking import secret_in
from reviewer.services.computer import secrets
from reviewer.services.project.session import Session

_KEPT: Final = "keys pointed out"
SHOWN: Final = 6
"""Characters of a key by which its owner knows it again."""


def point_out(session: Session, words: str, what: str) -> None:
    """Refuse a text that holds what looks like a key; the same text is let through next time.

    Args:
        session: The project that is passed on with the text.
        words: The text.
        what: What it is, to begin a sentence with.

    Raises:
        LabelError: There is what looks like a key in it, and nobody was told yet.
    """
    found = secret_in(words) or secrets.held_in(words)
    told = session.kept.setdefault(_KEPT, set())
    if not found or not isinstance(told, set) or words in told:
        return
    told.add(words)
    raise LabelError(
        f"{what} seems to hold a key ({found[:SHOWN]}…), which everybody would get with the "
        "project. Take it out, or keep it once more if it is none."
    )
