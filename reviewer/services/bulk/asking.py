"""The actions on many evaluations as the window asks for them: each gives a sentence."""

from collections.abc import Callable, Sequence

from reviewer.services.assigning import making
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.bulk import acting
from reviewer.services.project.session import Session


def act(session: Session, what: str, keys: Sequence[int], *words: str) -> str:
    """Do what an action is named after: `tag`, `untag`, `exclude`, `include` or `assign`."""
    return _ACTS[what](session, keys, *words)


def tag(session: Session, keys: Sequence[int], words: str) -> str:
    """Tag evaluations and say so."""
    return _told(acting.tag(session, keys, words), "have the tag already")


def untag(session: Session, keys: Sequence[int], words: str) -> str:
    """Take a tag off evaluations and say so."""
    return _told(acting.untag(session, keys, words), "do not have the tag")


def exclude(session: Session, keys: Sequence[int], words: str) -> str:
    """Exclude evaluations for a reason and say so."""
    return _told(acting.exclude(session, keys, words), "are excluded already")


def include(session: Session, keys: Sequence[int]) -> str:
    """Let evaluations count again and say so."""
    return _told(acting.include(session, keys), "count already")


def assign(session: Session, keys: Sequence[int], words: str) -> str:
    """Make a queue of evaluations, shared out among everybody who labels, and say so.

    Raises:
        ReviewerError: The name is taken, or the queue cannot be made.
    """
    people = tuple(x.name for x in session.labelers() if x.role == "labeler")
    plan = QueuePlan(name=words, sampling=Sampling.CHOSEN, keys=tuple(keys), labelers=people)
    made = making.create(session, plan)
    among = f" for {', '.join(people[:4])}{'…' if len(people) > 4 else ''}" if people else ""
    return f"The queue {made.name} holds {len(keys):,} responses{among}."


_ACTS: dict[str, Callable[..., str]] = {
    "tag": tag, "untag": untag, "exclude": exclude, "include": include, "assign": assign,
}  # fmt: skip


def in_one_step() -> int:
    """Give how many evaluations are changed at once; more are changed beside the window."""
    return acting.ONE_STEP


def _told(done: acting.Done, otherwise: str) -> str:
    if not done.changed:
        return f"Nothing changed: the selected responses {otherwise}."
    rest = f"; {done.unchanged:,} {otherwise}" if done.unchanged else ""
    return f"{done.title}{rest}. Ctrl+Z takes it back."
