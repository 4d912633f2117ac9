"""Labelling: every call is on disk before it returns, journalled for undo, and published once.

An evaluation is hidden from the labeler while the session is blind, not every labelled metric has
a label or "not applicable" from them, and they never revealed it. The label that completes it, and
any label given in sight, also records a reveal; a reveal is a fact and never taken back.
"""

from typing import NamedTuple

from msgspec.structs import replace

from reviewer.domain.change import LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import (
    Label,
    LabelKind,
    Mark,
    MarkKind,
    SelectionReason,
    Value,
    text_problem,
)
from reviewer.services.project import key_notice, sight, writing
from reviewer.services.project.session import Session
from reviewer.services.project.writing import Subject
from reviewer.store import marks
from reviewer.store.queues import DRAWN


def commit(
    session: Session,
    evaluation: int,
    metric: str,
    value: Value,
    *,
    comment: str | None = None,
    seconds: float | None = None,
) -> LabelChanged:
    """Give a metric of an evaluation a label; without `comment` the present comment stays.

    Pressing the value that stands already changes nothing.

    Raises:
        LabelError: The rubric has no such metric, or the value is off its scale.
        ProjectError: The file cannot be written; nothing was saved.
    """
    about = Subject.of(session, evaluation, metric)
    kept, shown = about.kept(value, comment)
    said = _said(session, about, value=kept, comment=comment or None, seconds=seconds)
    return _write(session, about, said, shown, keeps_comment=comment is None)


def not_applicable(session: Session, evaluation: int, metric: str) -> LabelChanged:
    """Say that the metric does not apply; it counts as answered, but has no value."""
    about = Subject.of(session, evaluation, metric)
    return _write(session, about, _said(session, about, "not_applicable"), "not applicable")


def withdraw(session: Session, evaluation: int, metric: str) -> LabelChanged:
    """Take the label back; the history keeps it, and a decision of the labeler's stays.

    Raises:
        LabelError: There is no label to take back.
    """
    about = Subject.of(session, evaluation, metric)
    said = replace(_said(session, about, "withdrawn"), of="label")
    return _write(session, about, said, "withdrawn")


def comment(session: Session, evaluation: int, metric: str, text: str) -> LabelChanged:
    """Put a comment beside the label; empty text removes it, and nothing else changes."""
    about = Subject.of(session, evaluation, metric)
    problem = text_problem(text)
    if problem:
        raise LabelError(f"The comment cannot be kept: {problem}.")
    key_notice.point_out(session, text, "The comment")
    said = _said(session, about, "comment", comment=text or None)
    with session.project.write():
        action = writing.begin(session)
        thing = action.thing(evaluation, metric, revision=about.revision, rubric=about.rubric)
        before = thing.of_round
        if (before.comment or None) == said.comment:
            return LabelChanged(before.said.label if before.said else None, said)
        change = action.put_comment(thing, replace(said, labeler=session.labeler.name))
        action.journal("label", f"Comment on {about.metric.heading} on {about.name}")
    writing.finish(action)
    return change


def toggle_skip(session: Session, evaluation: int) -> MarkChanged:
    """Skip the evaluation, or take that back."""
    return _toggle(session, evaluation, "skip")


def toggle_flag(session: Session, evaluation: int) -> MarkChanged:
    """Flag the evaluation for a second look, or take that back."""
    return _toggle(session, evaluation, "flag")


def give_reason(session: Session, evaluation: int, kind: MarkKind, reason: str) -> MarkChanged:
    """Skip or flag the evaluation with a reason, or give the mark that stands another one.

    Raises:
        LabelError: The reason cannot be stored.
    """
    mark = Mark(
        evaluation=evaluation, kind=kind, labeler=session.labeler.name, value=True,
        note=_note(session, reason),
    )  # fmt: skip
    return _mark(session, mark, kind.capitalize())


def turn_unsure(session: Session, evaluation: int, metric: str) -> MarkChanged:
    """Say of one's answer that one is unsure of it, or take that back.

    Raises:
        LabelError: The rubric does not ask for it, or there is no answer.
    """
    about = Subject.of(session, evaluation, metric)
    if not about.rubric.ask_unsure:
        raise LabelError(f"The rubric {about.rubric.name} does not ask how sure answers are.")
    with session.project.write():
        action = writing.begin(session)
        thing = action.thing(evaluation, metric, revision=about.revision, rubric=about.rubric)
        given = thing.of_round.label
        mine = [
            x
            for x in marks.current(session.project.conn, evaluation)
            if x.labeler == action.labeler
            and x.first > thing.state.repeat_from
            and (x.mark.kind, x.mark.metric) == ("unsure", metric)
        ]
        if not mine and (given is None or not given.label.counts):
            raise LabelError(f"Answer {about.metric.heading} first; then you can be unsure of it.")
        mark = Mark(
            evaluation=evaluation, kind="unsure", labeler=session.labeler.name, metric=metric,
            value=not mine,
        )  # fmt: skip
        change, pair = action.put_mark(mark)
        action.marks.append(pair)
        sure = "sure again" if mine else "unsure"
        action.journal("unsure", f"{about.metric.heading} {sure} on {about.name}")
    writing.finish(action)
    return change


def reveal(session: Session, evaluation: int) -> MarkChanged:
    """Show the auto scores now; every later label on the evaluation records that.

    It is journalled, so that undo says that it stays instead of taking back what came before.
    """
    _, name, _ = session.place(evaluation)
    with session.project.write():
        action = writing.begin(session)
        change = action.reveal(evaluation, "asked")
        action.journal("reveal", f"Reveal of {name}")
    writing.finish(action)
    return change


class Stretch(NamedTuple):
    """Characters from `start` up to `end` of a turn, of the response where `turn` is None."""

    turn: int | None
    start: int
    end: int


def highlight(
    session: Session,
    evaluation: int,
    at: Stretch,
    *,
    note: str = "",
    metric: str | None = None,
) -> MarkChanged:
    """Highlight a stretch, with a note.

    With `metric` it is said what the stretch tells of; the same stretch can tell of several.

    Raises:
        LabelError: The span is empty, or the note cannot be stored.
    """
    if not 0 <= at.start < at.end:
        raise LabelError("Select some text first; then it can be highlighted.")
    mark = Mark(
        evaluation=evaluation, kind="highlight", labeler=session.labeler.name, turn=at.turn,
        start=at.start, end=at.end, note=_note(session, note), metric=metric,
    )  # fmt: skip
    return _mark(session, mark, "Highlight in")


def remove_highlight(session: Session, mark: Mark) -> MarkChanged:
    """Take one of the labeler's own highlights back.

    Raises:
        LabelError: The highlight is somebody else's.
    """
    if mark.labeler != session.labeler.name:
        raise LabelError(f"This highlight is {mark.labeler}'s; only they can take it back.")
    return _mark(session, replace(mark, value=False), "Highlight removed in")


def _said(
    session: Session,
    about: Subject,
    kind: LabelKind = "label",
    *,
    value: Value | None = None,
    comment: str | None = None,
    seconds: float | None = None,
) -> Label:
    return Label(
        evaluation=about.evaluation, metric=about.metric.name, labeler=session.labeler.name,
        value=value, kind=kind, comment=comment, seconds=seconds,
    )  # fmt: skip


def _write(
    session: Session, about: Subject, said: Label, shown: str, *, keeps_comment: bool = True
) -> LabelChanged:
    judge = session.chosen(about.run, about.metric.name)
    with session.project.write():
        action = writing.begin(session)
        thing = action.thing(
            about.evaluation, about.metric.name, revision=about.revision, rubric=about.rubric
        )
        earlier, there = thing.standing.label, thing.of_round
        reason, chance = _draw(session, about.evaluation, earlier.label if earlier else None)
        before = there.label.label if there.label else None
        after = replace(
            said,
            # whoever was renamed elsewhere is known again once the action has begun
            labeler=session.labeler.name,
            comment=there.comment if keeps_comment else said.comment,
            blind=sight.is_hidden(session, thing.state, about.rubric, about.evaluation),
            judge_version=judge.name if judge else None,
            rubric_version=str(about.rubric.version),
            selection_reason=reason,
            selection_prob=chance,
        )
        if before is None and after.kind == "withdrawn":
            raise LabelError("There is no label to take back.")
        if before is not None and _says(before, there.comment) == _says(after, after.comment):
            return LabelChanged(before, before)
        change = action.put_label(thing, after)
        action.journal("label", f"{about.metric.heading} {shown} on {about.name}")
    writing.finish(action)
    return change


def _draw(
    session: Session, evaluation: int, earlier: Label | None
) -> tuple[SelectionReason | None, float | None]:
    """Say how the evaluation was drawn; what chance drew once stays so when met by browsing."""
    reason, chance = session.draw_of(evaluation)
    if earlier and earlier.selection_reason in DRAWN and reason not in DRAWN:
        return earlier.selection_reason, earlier.selection_prob
    return reason, chance


def _says(label: Label, comment: str | None) -> tuple[object, ...]:
    return label.kind, label.value, comment


def _toggle(session: Session, evaluation: int, kind: MarkKind) -> MarkChanged:
    _, name, _ = session.place(evaluation)
    with session.project.write():
        action = writing.begin(session)
        state = action.state(evaluation)
        value = not (state.skipped if kind == "skip" else state.flagged)
        mark = Mark(evaluation=evaluation, kind=kind, labeler=session.labeler.name, value=value)
        # what came on single metrics is taken back with it, each for itself
        standing = () if value else marks.current(session.project.conn, evaluation)
        metrics = {x.mark.metric for x in standing
                   if x.labeler == action.labeler and x.mark.kind == kind}  # fmt: skip
        for metric in sorted(metrics, key=str) or [None]:
            change, pair = action.put_mark(replace(mark, metric=metric))
            action.marks.append(pair)
        action.journal(kind, f"{kind.capitalize()} {name}" if value else f"{kind} off {name}")
    writing.finish(action)
    return change


def _mark(session: Session, mark: Mark, title: str) -> MarkChanged:
    _, name, _ = session.place(mark.evaluation)
    with session.project.write():
        action = writing.begin(session)
        change, pair = action.put_mark(mark)
        action.marks.append(pair)
        action.journal(mark.kind, f"{title} {name}")
    writing.finish(action)
    return change


def _note(session: Session, words: str) -> str | None:
    problem = text_problem(words)
    if problem:
        raise LabelError(f"The note cannot be kept: {problem}.")
    key_notice.point_out(session, words, "The note")
    return words.strip() or None
