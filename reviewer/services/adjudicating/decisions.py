"""Decisions on one metric of one evaluation in sight, where labelers or judge differ."""

from dataclasses import dataclass

from reviewer.domain.change import LabelChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.label import Label
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.values import JsonValue, Value, text_problem
from reviewer.services.project import writing
from reviewer.services.project.permission import require_lead
from reviewer.services.project.session import Session
from reviewer.store import states


@dataclass(frozen=True, slots=True)
class Subject:
    """A metric of an evaluation.

    Attributes:
        run: The key of its run.
        name: The evaluation's id within the run.
        revision: The revision of its text.
    """

    evaluation: int
    run: int
    name: str
    revision: int
    rubric: Rubric
    metric: Metric


def subject(session: Session, evaluation: int, metric: str) -> Subject:
    """Look up what is to be decided on.

    Raises:
        LabelError: There is no such evaluation, its rubric has no such metric to label, or the
            labeler is blind and has not scored the evaluation yet.
    """
    run, name, revision = session.place(evaluation)
    rubric = session.rubric_of_run(run)
    found = rubric.by_name.get(metric)
    if found is None or not found.is_labelled:
        there = ", ".join(x.name for x in rubric.labelled_metrics)
        raise LabelError(
            f"The rubric {rubric.name} has no metric {metric!r} to label; it has: {there}."
        )
    state = states.read(session.project.conn, session.labeler.key, evaluation)
    if writing.is_hidden(session, state, rubric, evaluation):
        raise LabelError(
            f"You have not scored {name} yet, so it is still blind for you; "
            "score it on Review first, or show its auto scores there."
        )
    return Subject(evaluation, run, name, revision, rubric, found)


def decide(
    session: Session,
    evaluation: int,
    metric: str,
    value: Value,
    comment: str | None = None,
    *,
    claims: JsonValue = None,
) -> LabelChanged:
    """Give a metric of an evaluation its decided value, a label of the kind `adjudication`.

    Everybody's labels stay; figures take the decided value in their place. Without `comment` the
    one of an earlier decision by the same person stays. `claims` are those that the value follows
    from, where it does. The same decision again changes nothing.

    Raises:
        LabelError: The labeler is no lead, has not scored the evaluation while blind, or the
            value is off the scale.
        ProjectError: The file cannot be written; nothing was saved.
    """
    require_lead(session, "decide")
    about = subject(session, evaluation, metric)
    problem = about.metric.label_problem(value) or (text_problem(comment) if comment else None)
    if problem:
        raise LabelError(f"{about.metric.heading}: {problem}.")
    kept = int(value) if isinstance(value, bool) else value
    judge = session.chosen(about.run, metric)
    with session.project.write():
        action = writing.begin(session)
        thing = _thing(action, about)
        before = thing.standing.decision.label if thing.standing.decision else None
        kept_comment = before.comment if before is not None and comment is None else comment
        after = Label(
            evaluation=evaluation, metric=metric, labeler=session.labeler.name, value=kept,
            kind="adjudication", comment=kept_comment or None, blind=False, claims=claims,
            judge_version=judge.name if judge else None, rubric_version=str(about.rubric.version),
        )  # fmt: skip
        if before is not None and _said(before) == _said(after):
            return LabelChanged(before, before)
        change = action.put_label(thing, after)
        shown = f"{kept:g}" if isinstance(kept, int | float) else kept
        action.journal("decide", f"Decision {about.metric.heading} {shown} on {about.name}")
    writing.finish(action)
    return change


def withdraw_decision(session: Session, evaluation: int, metric: str) -> LabelChanged:
    """Take the lead's own decision back; their label, if they gave one, stays.

    Raises:
        LabelError: The labeler is no lead, or has not decided here.
    """
    require_lead(session, "take a decision back")
    about = subject(session, evaluation, metric)
    with session.project.write():
        action = writing.begin(session)
        thing = _thing(action, about)
        if thing.standing.decision is None:
            raise LabelError(
                f"You have not decided {about.metric.heading} on {about.name}; "
                "only whoever decided can take that back."
            )
        before = thing.standing.decision.label
        nothing = Label(
            evaluation=evaluation, metric=metric, labeler=session.labeler.name, value=None,
            kind="adjudication", blind=False, rubric_version=before.rubric_version,
            judge_version=before.judge_version,
        )  # fmt: skip
        change = action.put_label(thing, nothing)
        action.journal("decide", f"Decision {about.metric.heading} withdrawn on {about.name}")
    writing.finish(action)
    return change


def _said(label: Label) -> tuple[Value | None, str | None, JsonValue]:
    return label.value, label.comment, label.claims


def _thing(action: writing.Action, about: Subject) -> writing.Thing:
    return action.thing(
        about.evaluation, about.metric.name, revision=about.revision, rubric=about.rubric
    )
