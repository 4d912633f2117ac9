"""One durable action of a labeler: its rows, states and journal entry in one transaction."""

from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer.domain.change import LabelChanged, MarkChanged
from reviewer.domain.label import Label, Mark
from reviewer.domain.rubric import Rubric
from reviewer.domain.values import now_text
from reviewer.services.project import repeating
from reviewer.services.project.session import Session
from reviewer.store import journal, labels, marks, states

SeenBy = Literal["complete", "open", "asked"]
"""Why an evaluation's auto scores are visible: all answered, labelled in sight, or asked for."""


class Action(Struct):
    """An action while its transaction is open: made by `begin`, closed by `finish`.

    Attributes:
        labeler: The labeler's key in the file.
        changes: What to publish after the transaction.
        body: What undo will need.
    """

    session: Session
    labeler: int
    changes: list[LabelChanged | MarkChanged] = field(default_factory=list)
    labels: list[tuple[int | None, int]] = field(default_factory=list)
    marks: list[tuple[int | None, int]] = field(default_factory=list)

    def state(self, evaluation: int) -> states.State:
        """Give the labeler's state on an evaluation as it stands in the transaction."""
        return states.read(self.session.project.conn, self.labeler, evaluation)

    def put_label(self, label: Label, *, revision: int, rubric: Rubric) -> LabelChanged:
        """Append a label as the labeler's newest, with its state, and a reveal where due."""
        conn = self.session.project.conn
        metric = labels.metric_key(conn, label.metric)
        state = self.state(label.evaluation)
        standing = labels.current_of(conn, label.evaluation, metric=metric, labeler=self.labeler)
        at, at_us = labels.live_time(standing)
        seq = self.session.project.next_seq()
        entry = labels.append(
            conn,
            replace(label, at=at, seq=seq),
            metric=metric,
            labeler=self.labeler,
            at_us=at_us,
            revision=revision,
        )
        decided = label.kind == "adjudication"
        before = next((x for x in standing if (x.label.kind == "adjudication") == decided), None)
        if before is not None and not decided and before.label.seq <= state.repeat_from:
            # an answer of an earlier round: undo must not bring it into this one
            before = None
        self.labels.append((before.key if before else None, entry.key))
        change = LabelChanged(before.label if before else None, entry.label)
        self.changes.append(change)
        self._settle(label.evaluation, rubric, state)
        return change

    def take_back(
        self, nothing: Label, *, decided: bool, revision: int, rubric: Rubric
    ) -> LabelChanged:
        """Append a withdrawal of the labeler's decision or label; the other of the two stays.

        In the history a withdrawal takes both, so what is to stay is given once more.
        """
        conn = self.session.project.conn
        metric = labels.metric_key(conn, nothing.metric)
        standing = labels.current_of(conn, nothing.evaluation, metric=metric, labeler=self.labeler)
        taken = next((x for x in standing if (x.label.kind == "adjudication") == decided), None)
        stays = [x.label for x in standing if x is not taken and x.label.kind != "withdrawn"]
        first, told = len(self.labels), len(self.changes)
        after = self.put_label(nothing, revision=revision, rubric=rubric).after
        key = self.labels[first][1]
        change = LabelChanged(taken.label if taken else None, after)
        self.changes[told] = change
        for label in stays:
            self.put_label(label, revision=revision, rubric=rubric)
        self.labels[first:] = [(taken.key if taken else None, key)]
        return change

    def _settle(self, evaluation: int, rubric: Rubric, before: states.State) -> None:
        conn = self.session.project.conn
        wanted = [metric.name for metric in rubric.labelled_metrics]
        done = len(states.answered(conn, self.labeler, evaluation, wanted))
        after = before._replace(answered=done, complete=0 < len(wanted) <= done)
        states.keep(conn, self.labeler, evaluation, after)
        seen = not is_hidden(self.session, before, rubric, evaluation)
        if not before.revealed and (seen or after.complete):
            why: SeenBy = "complete" if after.complete or before.complete else "open"
            self.reveal(evaluation, why)
        if after.complete and not before.complete:
            repeating.begin_due(self.session, self.labeler, apart_from=evaluation)

    def reveal(self, evaluation: int, why: SeenBy) -> MarkChanged:
        """Record that the labeler sees the auto scores; undo never takes that back."""
        mark = Mark(
            evaluation=evaluation, kind="reveal", labeler=self.session.labeler.name, value=why
        )
        return self.put_mark(mark)[0]

    def put_mark(self, mark: Mark) -> tuple[MarkChanged, tuple[int | None, int]]:
        """Append a mark with its state; gives the change, and the rows before and after."""
        conn = self.session.project.conn
        metric = labels.metric_key(conn, mark.metric) if mark.metric else None
        before = marks.newest(conn, mark, labeler=self.labeler, metric=metric)
        kept = replace(mark, at=now_text(), seq=self.session.project.next_seq())
        entry = marks.append(conn, kept, labeler=self.labeler, metric=metric)
        name = {"skip": "skipped", "flag": "flagged", "reveal": "revealed"}.get(mark.kind)
        if name:
            state = self.state(mark.evaluation)._replace(**{name: entry.stands})
            states.keep(conn, self.labeler, mark.evaluation, state)
        if mark.kind == "skip" and entry.stands:
            repeating.begin_due(self.session, self.labeler, apart_from=mark.evaluation)
        change = MarkChanged(kept)
        self.changes.append(change)
        return change, (before.key if before else None, entry.key)

    def journal(self, kind: str, title: str) -> None:
        """Journal what was done so far under a title, so that undo finds it."""
        seq = max(
            change.after.seq if isinstance(change, LabelChanged) else change.mark.seq
            for change in self.changes
        )
        journal.add(
            self.session.project.conn,
            labeler=self.labeler,
            seq=seq,
            kind=kind,
            title=title,
            body=journal.Body(labels=tuple(self.labels), marks=tuple(self.marks)),
        )


def begin(session: Session) -> Action:
    """Start an action inside `Project.write`, making the labeler's row where absent."""
    key = session.my_key()
    return Action(session=session, labeler=key)


def finish(action: Action) -> None:
    """Publish what an action changed, after its transaction is on disk."""
    for change in action.changes:
        action.session.publish(change)


def is_hidden(
    session: Session, state: states.State, rubric: Rubric, evaluation: int | None = None
) -> bool:
    """Tell whether auto scores and other people's labels are hidden from the labeler.

    What an open blind queue still asks of them is hidden wherever they meet it.
    """
    if state.complete or state.revealed or not rubric.labelled_metrics:
        return False
    return session.blind or evaluation in session.sealed
