"""Tag, exclude and include many evaluations: each call is one action that undo takes back."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import now_text, text_problem
from reviewer.domain.wording import counted
from reviewer.services.project.session import Session, require_lead
from reviewer.services.project.sight import GOLD
from reviewer.store import bulk, exclusions, tags
from reviewer.store.journal import Body, Bulk, Excluding, Tagging

ONE_STEP = bulk.STEP
"""More evaluations than this are changed in steps; do that beside the window."""


@dataclass(frozen=True, slots=True)
class Done:
    """What became of an action: how many evaluations it changed, and its title for undo.

    Attributes:
        changed: The evaluations that are different now.
        unchanged: Those that were as wished already.
    """

    changed: int
    unchanged: int
    title: str


def tag(session: Session, keys: Sequence[int], tag: str) -> Done:
    """Give evaluations a tag; those that have it already stay as they are.

    Raises:
        LabelError: The tag is empty, or it is `gold` and the labeler is no lead.
        ProjectError: The file cannot be written.
    """
    name = _checked_tag(session, tag)
    changed = tags.lacking(session.project.conn, name, keys)
    title = f"Tag {name} on {counted(len(changed), 'response')}"
    return _do(session, keys, "tag", title, [_tagging(session, name, changed, present=True)])


def untag(session: Session, keys: Sequence[int], tag: str) -> Done:
    """Take a tag off evaluations, also one that their records brought.

    Raises:
        LabelError: The tag is empty, or it is `gold` and the labeler is no lead.
        ProjectError: The file cannot be written.
    """
    name = _checked_tag(session, tag)
    changed = tags.having(session.project.conn, name, keys)
    title = f"Tag {name} off {counted(len(changed), 'response')}"
    return _do(session, keys, "tag", title, [_tagging(session, name, changed, present=False)])


def _tagging(session: Session, name: str, keys: Sequence[int], *, present: bool) -> Tagging:
    first = tags.unchanged(session.project.conn, name, keys)
    return Tagging(name, tuple(keys), present, tuple(first))


def exclude(session: Session, keys: Sequence[int], reason: str) -> Done:
    """Keep evaluations out of every figure, for a reason; those excluded already keep theirs.

    Raises:
        LabelError: The reason is empty, or the labeler is no lead.
        ProjectError: The file cannot be written.
    """
    require_lead(session, "exclude responses")
    words = " ".join(reason.split())
    problem = "it is empty; say why they shall not count" if not words else text_problem(words)
    if problem:
        raise LabelError(f"The reason cannot be kept: {problem}.")
    changed = tuple(exclusions.included(session.project.conn, keys))
    with session.project.write():
        labeler = session.my_key()
    part = Excluding(words, labeler, now_text(), changed)
    return _do(session, keys, "exclude", f"Exclude {counted(len(changed), 'response')}", [part])


def include(session: Session, keys: Sequence[int]) -> Done:
    """Let excluded evaluations count again.

    Raises:
        LabelError: The labeler is no lead.
        ProjectError: The file cannot be written.
    """
    require_lead(session, "include responses again")
    standing = exclusions.standing(session.project.conn, keys)
    parts = [replace(part, present=False) for part in standing]
    count = sum(len(part.keys) for part in parts)
    return _do(session, keys, "include", f"Include {counted(count, 'response')} again", parts)


def every_tag(session: Session) -> list[tuple[str, int]]:
    """Give the project's tags with the number of evaluations that have each, by name."""
    return tags.every(session.project.conn)


def tags_of(session: Session, keys: Sequence[int]) -> list[str]:
    """Give the tags that any of some evaluations has, by name."""
    return sorted(tags.of(session.project.conn, keys), key=str.casefold)


def _checked_tag(session: Session, tag: str) -> str:
    name = " ".join(tag.split())
    problem = "it is empty" if not name else text_problem(name)
    if problem:
        raise LabelError(f"The tag cannot be kept: {problem}.")
    if name == GOLD:
        require_lead(session, "choose gold responses")
    return name


def _do(
    session: Session, keys: Sequence[int], kind: str, title: str, parts: Sequence[Bulk]
) -> Done:
    body = Body(bulk=tuple(part for part in parts if part.keys))
    count = bulk.size(body)
    done = Done(count, len(set(keys)) - count, title)
    if not count:
        return done
    with session.project.write():
        labeler = session.my_key()
    bulk.do(session.project, labeler=labeler, kind=kind, title=title, body=body)
    session.publish(EvaluationsChanged(title))
    return done
