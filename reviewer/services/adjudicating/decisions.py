"""Decisions on one metric of one evaluation in sight, where labelers or judge differ."""

from reviewer.domain.change import LabelChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.label import Label
from reviewer.domain.values import JsonValue, Value
from reviewer.services.project import writing
from reviewer.services.project.permission import require_lead
from reviewer.services.project.session import Session
from reviewer.services.project.writing import Subject
from reviewer.store import states


def subject(session: Session, evaluation: int, metric: str) -> Subject:
    """Look up what is to be decided on.

    Raises:
        LabelError: There is no such evaluation, its rubric has no such metric to label, or the
            labeler is blind and has not scored the evaluation yet.
    """
    about = Subject.of(session, evaluation, metric)
    state = states.read(session.project.conn, session.labeler.key, evaluation)
    if writing.is_hidden(session, state, about.rubric, evaluation):
        raise LabelError(
            f"You have not scored {about.name} yet, so it is still blind for you; "
            "score it on Review first, or show its auto scores there."
        )
    return about


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
    kept, shown = about.kept(value, comment)
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
