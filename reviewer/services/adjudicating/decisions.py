"""What a lead does where opinions differ: decides, names the cause, asks, mends the rubric."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal, get_args

from reviewer.domain.change import LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError, ProjectError
from reviewer.domain.evaluation import CAUSE_TITLES, JsonValue, Label, Mark, Value, text_problem
from reviewer.domain.rubric import Metric
from reviewer.domain.wording import brief
from reviewer.services.figures import listed_scores
from reviewer.services.project import writing
from reviewer.services.project.session import Session, require_lead
from reviewer.services.project.sight import is_hidden
from reviewer.services.project.writing import Subject
from reviewer.store import deciding, labelers, listing, marks, states


def subject(session: Session, evaluation: int, metric: str) -> Subject:
    """Look up what is to be decided on.

    Raises:
        LabelError: There is no such evaluation, its rubric has no such metric to label, or the
            labeler is blind and has not scored the evaluation yet.
    """
    about = Subject.of(session, evaluation, metric)
    state = states.read(session.project.conn, session.labeler.key, evaluation)
    if is_hidden(session, state, about.rubric, evaluation):
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


@dataclass(frozen=True, slots=True)
class Question:
    """A question about one metric of an evaluation.

    Attributes:
        asker: The lead who asks.
        asked: The labeler it goes to.
        answered: Whether they gave another label or comment since.
    """

    evaluation: int
    metric: str
    asker: str
    asked: str
    text: str
    at: str | None
    answered: bool


def ask(
    session: Session, evaluation: int, metric: str, labeler: str, question: str
) -> MarkChanged:
    """Send a metric of an evaluation back to a labeler; it replaces one's earlier question.

    Raises:
        LabelError: The asker is no lead, nobody is called so, or the question is empty.
    """
    require_lead(session, "send responses back")
    about = subject(session, evaluation, metric)
    words = question.strip()
    problem = "it is empty" if not words else text_problem(words)
    if problem:
        raise LabelError(f"The question cannot be sent: {problem}.")
    if labelers.find(session.project.conn, labeler) is None:
        raise LabelError(f"There is no labeler {labeler!r} in this project to ask.")
    mark = Mark(
        evaluation=evaluation, kind="question", labeler=session.labeler.name, metric=metric,
        note=words, value=labeler,
    )  # fmt: skip
    return _put(session, mark, f"Question on {about.metric.heading} of {about.name}")


def withdraw_question(session: Session, evaluation: int, metric: str) -> MarkChanged:
    """Take one's own question back.

    Raises:
        LabelError: The labeler has not asked anything here.
    """
    about = subject(session, evaluation, metric)
    mine = [
        x
        for x in of_evaluation(session, evaluation)
        if x.metric == metric and x.asker == session.labeler.name
    ]
    if not mine:
        raise LabelError(f"You have not asked anybody about {about.metric.heading} here.")
    mark = Mark(
        evaluation=evaluation, kind="question", labeler=session.labeler.name, metric=metric,
        note=mine[0].text, value=False,
    )  # fmt: skip
    return _put(session, mark, f"Question withdrawn on {about.metric.heading} of {about.name}")


def of_evaluation(session: Session, evaluation: int) -> tuple[Question, ...]:
    """Give the questions about an evaluation, the oldest first."""
    return tuple(map(_question, deciding.questions(session.project.conn, evaluation=evaluation)))


def to_me(session: Session, evaluation: int) -> tuple[Question, ...]:
    """Give what the active labeler is asked about an evaluation and has not answered."""
    return tuple(
        x
        for x in of_evaluation(session, evaluation)
        if x.asked == session.labeler.name and not x.answered
    )


def sentence(session: Session, evaluation: int) -> str:
    """Say what the active labeler is asked about an evaluation; empty where nothing is open."""
    rubric = session.rubric_of(evaluation)
    lines = []
    for one in to_me(session, evaluation):
        metric = rubric.by_name.get(one.metric)
        heading = metric.heading if metric is not None else one.metric
        lines.append(f"{one.asker} asks about {heading}: “{one.text}”")
    if not lines:
        return ""
    return "\n".join([*lines, "Another label or a comment on it answers."])


def count_to_me(session: Session) -> int:
    """Count the evaluations that wait for the active labeler's answer."""
    found = deciding.questions(session.project.conn)
    mine = session.labeler.name
    return len({x.mark.evaluation for x in found if x.asked == mine and not x.answered})


def _put(session: Session, mark: Mark, title: str) -> MarkChanged:
    with session.project.write():
        action = writing.begin(session)
        change, pair = action.put_mark(mark)
        action.marks.append(pair)
        action.journal(mark.kind, title)
    writing.finish(action)
    return change


def _question(entry: deciding.Question) -> Question:
    mark = entry.mark
    return Question(
        evaluation=mark.evaluation,
        metric=mark.metric or "",
        asker=mark.labeler,
        asked=entry.asked,
        text=mark.note or "",
        at=mark.at,
        answered=entry.answered,
    )


GONE = "no longer in the rubric"


@dataclass(frozen=True, slots=True)
class TodoItem:
    """A case that the rubric does not settle.

    Attributes:
        heading: The metric as it is called; one that is gone says so.
        level: The human score, with the level's name where it lies on one; None without one.
        by: Who collected it.
        done: Whether it was dealt with.
    """

    evaluation: int
    id: str
    title: str
    metric: str
    heading: str
    level: str | None
    note: str
    by: str
    at: str | None
    done: bool


def rubric_todo(session: Session) -> tuple[TodoItem, ...]:
    """Give every case with an unclear rubric, by metric and level; what is done comes last."""
    entries = [
        entry
        for entry in deciding.causes(session.project.conn)
        if cause_of(entry.mark.value) == "rubric_unclear" and entry.mark.metric
    ]
    rows = listing.listed(
        session.project, [x.mark.evaluation for x in entries], session.labeler.key
    )
    humans = listed_scores.humans_of(session, {key: row.run for key, row in rows.items()})
    items = []
    for entry in entries:
        mark, name = entry.mark, entry.mark.metric or ""
        row = rows.get(mark.evaluation)
        if row is not None:
            metric = session.rubric_of_run(row.run).by_name.get(name)
            value = humans.get(mark.evaluation, {}).get(name)
            items.append(
                TodoItem(
                    evaluation=mark.evaluation,
                    id=row.id,
                    title=row.title,
                    metric=name,
                    heading=metric.heading if metric else f"{name} ({GONE})",
                    level=None if value is None else level_words(metric, value),
                    note=mark.note or "",
                    by=mark.labeler,
                    at=mark.at,
                    done=mark.value == CLARIFIED,
                )
            )
    return tuple(sorted(items, key=lambda x: (x.done, x.heading, x.level or "", x.at or "")))


def set_done(session: Session, item: TodoItem, *, done: bool) -> MarkChanged:
    """Tick a case as dealt with, or take the tick off; undo knows it.

    Raises:
        LabelError: The labeler is no lead.
    """
    require_lead(session, "tick off the rubric's to-do list")
    name = session.place(item.evaluation)[1]
    if item.metric in session.rubric_of(item.evaluation).by_name:
        subject(session, item.evaluation, item.metric)
    verb = "dealt with" if done else "open again"
    return put(
        session,
        item.evaluation,
        item.metric,
        value=CLARIFIED if done else "rubric_unclear",
        note=item.note or None,
        title=f"Rubric {verb} for {name}",
    )


def to_markdown(items: Iterable[TodoItem]) -> str:
    """Write the list as Markdown: a heading a metric, a tick box a case."""
    lines = ["# Rubric to-do", ""]
    ordered = sorted(items, key=lambda x: (x.heading, x.level or ""))
    for heading, of_metric in groupby(ordered, key=lambda x: x.heading):
        lines += [f"## {_escaped(heading)}", ""]
        for level, cases in groupby(of_metric, key=lambda x: x.level):
            lines += [f"### {_escaped(level or 'without a level')}", ""]
            lines += [_line(case) for case in cases]
            lines.append("")
    return "\n".join(lines)


def export(items: Iterable[TodoItem], path: str) -> str:
    """Write the list into a Markdown file and say so.

    Raises:
        ProjectError: The file cannot be written.
    """
    to = Path(path)
    try:
        to.write_text(to_markdown(items), encoding="utf-8")
    except OSError as error:
        raise ProjectError(f"{to} cannot be written: {error.strerror or error}.") from error
    return f"The rubric to-do list is in {to.name}."


def _line(item: TodoItem) -> str:
    box = "x" if item.done else " "
    note = f" — {_escaped(item.note)}" if item.note else ""
    return f"- [{box}] `{item.id.replace('`', chr(39))}` {_escaped(item.title)}{note}"


def _escaped(text: str) -> str:
    return "".join(f"\\{x}" if x in r"\`*_[]<>#|" else x for x in " ".join(text.split()))


def level_words(metric: Metric | None, value: Value) -> str:
    """Name the level that a human score lies on, such as "2 Poor"; between levels the number."""
    levels = metric.levels if metric else ()
    title = next((x.title or "" for x in levels if x.value == value), "")
    shown = value if isinstance(value, str) else brief(value, 3)
    return f"{shown} {title}".strip()
