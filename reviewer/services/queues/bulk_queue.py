"""The actions on many evaluations as the window asks for them: each gives a sentence."""

from collections.abc import Callable, Sequence

from reviewer.domain.errors import QueueError
from reviewer.domain.wording import counted
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.store import exclusions


def act(session: Session, what: str, keys: Sequence[int], *words: str) -> str:
    """Do what an action is named after: `tag`, `untag`, `exclude`, `include` or `assign`."""
    return _ACTS[what](session, keys, *words)


def tag(session: Session, keys: Sequence[int], words: str) -> str:
    """Tag evaluations and say so."""
    return _told(bulk_acts.tag(session, keys, words), "have the tag already")


def untag(session: Session, keys: Sequence[int], words: str) -> str:
    """Take a tag off evaluations and say so."""
    return _told(bulk_acts.untag(session, keys, words), "do not have the tag")


def exclude(session: Session, keys: Sequence[int], words: str) -> str:
    """Exclude evaluations for a reason and say so."""
    return _told(bulk_acts.exclude(session, keys, words), "are excluded already")


def include(session: Session, keys: Sequence[int]) -> str:
    """Let evaluations count again and say so."""
    return _told(bulk_acts.include(session, keys), "count already")


def assign(session: Session, keys: Sequence[int], name: str, *people: str) -> str:
    """Make a queue of evaluations, shared out among people, and say so.

    Without `people` it is for everybody who labels.

    Raises:
        ReviewerError: The name is taken, or the queue cannot be made.
    """
    chosen = people or profiles.labelling(session)
    left = _left_out(session, keys)
    plan = QueuePlan(name=name, sampling=Sampling.CHOSEN, keys=tuple(keys), labelers=chosen)
    if sum(left.values()) == len(set(keys)):
        raise QueueError(f"There is no queue to make: {_why(left) or 'nothing is selected'}.")
    made = making.create(session, plan)
    # where there are fewer responses than people, somebody gets none
    among = working.people(session, made)
    who = f"{', '.join(among[:4])}{f' and {len(among) - 4} more' if among[4:] else ''}"
    held = counted(len(set(keys)) - sum(left.values()), "response")
    rest = f"; {_why(left)}" if any(left.values()) else ""
    return f"The queue {made.name} holds {held} for {who}{rest}. Ctrl+Z takes it back."


def _left_out(session: Session, keys: Sequence[int]) -> dict[str, int]:
    """Count what a queue of some evaluations leaves out, by the reason."""
    conn = session.project.conn
    held = len(exclusions.included(conn, keys))
    excluded = len(exclusions.of(conn, keys))
    return {"excluded": excluded, "gone": len(set(keys)) - held - excluded}


def _why(left: dict[str, int]) -> str:
    counts = [f"{count:,} left out as {why}" for why, count in left.items() if count]
    return " and ".join(counts)


_ACTS: dict[str, Callable[..., str]] = {
    "tag": tag, "untag": untag, "exclude": exclude, "include": include, "assign": assign,
}  # fmt: skip


def in_one_step() -> int:
    """Give how many evaluations are changed at once; more are changed beside the window."""
    return bulk_acts.ONE_STEP


def _told(done: bulk_acts.Done, otherwise: str) -> str:
    if not done.changed:
        return f"Nothing changed: the selected responses {otherwise}."
    rest = f"; {done.unchanged:,} {otherwise}" if done.unchanged else ""
    return f"{done.title}{rest}. Ctrl+Z takes it back."
