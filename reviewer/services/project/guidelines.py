"""What a lead asks labelers to keep to: a text in Markdown, read before the first task.

Who has read which text stands in the project, so that nobody is shown it twice on two computers.
"""

from hashlib import sha256

from reviewer.domain.change import PeopleChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import text_problem
from reviewer.services.project import key_notice
from reviewer.services.project.session import Session, require_lead

GUIDELINES, READ = "guidelines", "guidelines_read"
MOST = 200_000
"""Letters; more is a book, and belongs beside the project."""


def guidelines(session: Session) -> str:
    """Give the text, empty where no lead has written one."""
    return session.project.setting(GUIDELINES)


def write(session: Session, words: str) -> None:
    """Keep another text; everybody is shown it before their next task.

    Raises:
        LabelError: The person leads nothing, or the text is too long or no text.
    """
    require_lead(session, "write the guidelines")
    problem = text_problem(words)
    if problem is None and len(words) > MOST:
        problem = f"they have {len(words):,} letters, and at most {MOST:,} are kept"
    if problem is not None:
        raise LabelError(f"The guidelines cannot be kept: {problem}.")
    key_notice.point_out(session, words, "The text of the guidelines")
    session.project.set_setting(GUIDELINES, words.strip())
    note_read(session)
    session.publish(PeopleChanged("the guidelines were written"))


def is_to_be_read(session: Session) -> bool:
    """Tell whether the labeler has not seen the text as it is now."""
    words = guidelines(session)
    return bool(words) and session.project.setting(_key(session)) != _mark(words)


def note_read(session: Session) -> None:
    """Note that the labeler has seen the text as it is now."""
    words = guidelines(session)
    if words and not session.project.read_only and is_to_be_read(session):
        session.project.set_setting(_key(session), _mark(words))


def _key(session: Session) -> str:
    return f"{READ}:{session.labeler.name}"


def _mark(words: str) -> str:
    return sha256(words.encode()).hexdigest()[:16]
