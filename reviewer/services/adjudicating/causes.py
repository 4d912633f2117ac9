"""Why people and judge differ: the cause that a lead records, and how often each occurs."""

from collections.abc import Mapping
from typing import Literal, get_args

from reviewer.domain.change import MarkChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.label import CAUSE_TITLES, Mark
from reviewer.domain.values import text_problem
from reviewer.services.adjudicating.decisions import subject
from reviewer.services.project import writing
from reviewer.services.project.permission import require_lead
from reviewer.services.project.session import Session
from reviewer.store import marks

Cause = Literal["judge_wrong", "human_slip", "rubric_unclear", "data_broken", "both_defensible"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
TITLES: Mapping[str, str] = CAUSE_TITLES
CLARIFIED = "rubric_clarified"
"""What an unclear rubric's cause becomes once the rubric was dealt with; it counts as before."""


def cause_of(value: object) -> Cause | None:
    """Give the cause behind a mark's value; None for one that this program does not know."""
    if value == CLARIFIED:
        return "rubric_unclear"
    return next((cause for cause in CAUSES if cause == value), None)


def record_cause(
    session: Session, evaluation: int, metric: str, cause: Cause, note: str = ""
) -> MarkChanged:
    """Record why people and judge differ on a metric of an evaluation.

    Raises:
        LabelError: The labeler is no lead, there is no such cause, or the note cannot be stored.
    """
    require_lead(session, "record causes")
    about = subject(session, evaluation, metric)
    if cause not in CAUSES:
        raise LabelError(f"There is no cause {cause!r}; there are: {', '.join(CAUSES)}.")
    problem = text_problem(note)
    if problem:
        raise LabelError(f"The note cannot be kept: {problem}.")
    return put(session, evaluation, metric, value=cause, note=note.strip() or None,
               title=f"Cause {TITLES[cause]} on {about.name}")  # fmt: skip


def withdraw_cause(session: Session, evaluation: int, metric: str) -> MarkChanged:
    """Take one's own cause back.

    Raises:
        LabelError: The labeler has recorded no cause here.
    """
    about = subject(session, evaluation, metric)
    mine = [
        entry
        for entry in marks.current(session.project.conn, evaluation)
        if entry.mark.kind == "cause"
        and entry.mark.metric == metric
        and entry.labeler == session.labeler.key
    ]
    if not mine:
        raise LabelError(f"You have recorded no cause for {about.metric.heading} here.")
    return put(session, evaluation, metric, value=False, note=mine[0].mark.note,
               title=f"Cause withdrawn on {about.name}")  # fmt: skip


def put(
    session: Session,
    evaluation: int,
    metric: str,
    *,
    value: str | bool,
    note: str | None,
    title: str,
) -> MarkChanged:
    """Write a cause as the labeler's newest on a metric of an evaluation, journalled."""
    mark = Mark(
        evaluation=evaluation, kind="cause", labeler=session.labeler.name, metric=metric,
        note=note, value=value,
    )  # fmt: skip
    with session.project.write():
        action = writing.begin(session)
        change, pair = action.put_mark(mark)
        action.marks.append(pair)
        action.journal("cause", title)
    writing.finish(action)
    return change
