"""Gather what live figures start from, with a connection of its own, beside the window."""

from dataclasses import dataclass
from pathlib import Path

from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope


@dataclass(slots=True)
class Tallies:
    """Everything that live figures keep, as of one moment of the project."""

    seq: int


def load_tallies(
    path: Path,
    scope: Scope,
    labeler: str,
    *,
    blind: bool = True,
    progress: Progress | None = None,
) -> Tallies:
    """Read a scope's scores and labels into running tallies; call it off the window's thread.

    Args:
        path: The project file; it is opened anew.
        scope: The evaluations, people and scorer that figures are about.
        labeler: Who looks: their answers on evaluations still hidden from them are held back.
        blind: Whether evaluations are hidden from them at all.
        progress: Told of what is read, and asked whether to stop.

    Raises:
        ReviewerError: The scope names something that the project does not have.
        CancelledError: Nobody waits for the figures any more.
    """
    raise NotImplementedError
