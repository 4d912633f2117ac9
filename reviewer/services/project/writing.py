"""One durable action of a labeler: rows, states, repeats that are due, and its journal entry."""

from typing import Literal, NamedTuple, Self

from msgspec import Struct, field
from msgspec.structs import replace

from reviewer.domain.change import LabelChanged, MarkChanged
from reviewer.domain.errors import LabelError
from reviewer.domain.evaluation import Label, Mark, Value, now_text, text_problem
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.project.session import Session
from reviewer.services.project.sight import is_hidden
from reviewer.store import journal, labels, marks, queues, states
from reviewer.store.journal import Begun
from reviewer.store.labels import Entry as LabelEntry
from reviewer.store.labels import Standing
from reviewer.store.marks import Entry as MarkEntry
from reviewer.store.queues import Item

SeenBy = Literal["complete", "open", "asked", "led"]
"""Why an evaluation's auto scores are visible: all answered, labelled in sight, or asked for."""


class Subject(NamedTuple):
    """What an entry is about: a metric of an evaluation, whose row is read once.

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

    @classmethod
    def of(cls, session: Session, evaluation: int, name: str) -> Self:
        """Look up what is to be labelled or decided on.

        Raises:
            LabelError: There is no such evaluation, or its rubric has no such metric to label.
        """
        run, shown, revision = session.place(evaluation)
        rubric = session.rubric_of_run(run)
        metric = rubric.by_name.get(name)
        if metric is None or not metric.is_labelled:
            there = ", ".join(x.name for x in rubric.labelled_metrics)
            raise LabelError(
                f"The rubric {rubric.name} has no metric {name!r} to label; it has: {there}."
            )
        return cls(evaluation, run, shown, revision, rubric, metric)

    def kept(self, value: Value, comment: str | None) -> tuple[Value, str]:
        """Give a value as it is kept, and as titles show it.

        Raises:
            LabelError: It is off the scale, or the comment cannot be kept.
        """
        problem = self.metric.label_problem(value) or (text_problem(comment) if comment else None)
        if problem:
            raise LabelError(f"{self.metric.heading}: {problem}.")
        kept = int(value) if isinstance(value, bool) else value
        return kept, f"{kept:g}" if isinstance(kept, int | float) else kept


class Thing(NamedTuple):
    """One metric of an evaluation as the labeler's entries stand on it in a transaction.

    Attributes:
        metric: The metric's key.
        revision: The revision of the text that a new entry is given to.
    """

    evaluation: int
    metric: int
    revision: int
    rubric: Rubric
    state: states.State
    standing: Standing

    @property
    def of_round(self) -> Standing:
        """Give what stands of the present round, where the labeler answers once more."""
        return self.standing.of_round(self.state.repeat_from)


class Action(Struct):
    """An action while its transaction is open: made by `begin`, closed by `finish`.

    Attributes:
        labeler: The labeler's key in the file.
        changes: What to publish after the transaction.
        labels, marks, begun: What undo will need, as `journal.Body` has it.
    """

    session: Session
    labeler: int
    changes: list[LabelChanged | MarkChanged] = field(default_factory=list)
    labels: list[tuple[int | None, int]] = field(default_factory=list)
    marks: list[tuple[int | None, int]] = field(default_factory=list)
    begun: list[journal.Begun] = field(default_factory=list)

    def state(self, evaluation: int) -> states.State:
        """Give the labeler's state on an evaluation as it stands in the transaction."""
        return states.read(self.session.project.conn, self.labeler, evaluation)

    def thing(self, evaluation: int, metric: str, *, revision: int, rubric: Rubric) -> Thing:
        """Read what an entry is to be put on."""
        conn = self.session.project.conn
        key = labels.metric_key(conn, metric)
        return Thing(
            evaluation, key, revision, rubric, self.state(evaluation),
            labels.standing(conn, evaluation, metric=key, labeler=self.labeler),
        )  # fmt: skip

    def put_label(
        self, thing: Thing, label: Label, restored: LabelEntry | None = None
    ) -> LabelChanged:
        """Append a label or decision as the newest, with its state, and a reveal where due.

        With `restored`, as `labels.origin` gives it, it takes the place of that entry.
        """
        standing, there = thing.standing, thing.of_round
        decides = label.kind == "adjudication"
        replaced = standing.decision if decides else standing.label
        entry = self._append(thing, label, restored)
        self.labels.append((replaced.key if replaced else None, entry.key))
        before = there.decision if decides else there.label
        change = LabelChanged(before.label if before else None, entry.label)
        self.changes.append(change)
        conn = self.session.project.conn
        wanted = [metric.name for metric in thing.rubric.labelled_metrics]
        done = len(states.answered(conn, self.labeler, thing.evaluation, wanted))
        after = thing.state._replace(answered=done, complete=0 < len(wanted) <= done)
        states.keep(conn, self.labeler, thing.evaluation, after)
        seen = not is_hidden(self.session, thing.state, thing.rubric, thing.evaluation)
        if not thing.state.revealed and (seen or after.complete):
            why: SeenBy = "complete" if after.complete or thing.state.complete else "open"
            self.reveal(thing.evaluation, why)
        if after.complete and not thing.state.complete:
            self._begin_due(thing.evaluation)
        return change

    def put_comment(self, thing: Thing, label: Label) -> LabelChanged:
        """Append a comment, which neither answers nor ends anything."""
        before = thing.of_round.said
        entry = self._append(thing, label, None)
        self.labels.append((before.key if before else None, entry.key))
        change = LabelChanged(before.label if before else None, entry.label)
        self.changes.append(change)
        return change

    def _append(self, thing: Thing, label: Label, restored: LabelEntry | None) -> LabelEntry:
        at, seq = labels.live_time(thing.standing), self.session.project.next_seq()
        return labels.append(
            self.session.project.conn,
            replace(label, at=at, seq=seq, restores=None),
            metric=thing.metric,
            labeler=self.labeler,
            revision=restored.revision if restored else thing.revision,
            restored=restored,
        )

    def _begin_due(self, apart_from: int) -> None:
        self.begun += begin_due_repeats(self.session, self.labeler, apart_from=apart_from)

    def reveal(self, evaluation: int, why: SeenBy) -> MarkChanged:
        """Record that the labeler sees the auto scores; undo never takes that back."""
        mark = Mark(
            evaluation=evaluation, kind="reveal", labeler=self.session.labeler.name, value=why
        )
        return self.put_mark(mark)[0]

    def put_mark(
        self, mark: Mark, restored: MarkEntry | None = None
    ) -> tuple[MarkChanged, tuple[int | None, int]]:
        """Append a mark with its state; gives the change, and the rows before and after.

        With `restored` it takes the place of that mark.
        """
        conn = self.session.project.conn
        metric = labels.metric_key(conn, mark.metric) if mark.metric else None
        there = marks.history(conn, mark.evaluation)
        seq = self.session.project.next_seq()
        kept = replace(mark, at=now_text(), seq=seq, restores=None)
        entry = marks.append(conn, kept, labeler=self.labeler, metric=metric, restored=restored)
        before = marks.newest(there, entry.thing)
        name = {"skip": "skipped", "flag": "flagged", "reveal": "revealed"}.get(mark.kind)
        if name:
            state = self.state(mark.evaluation)
            found = marks.is_set(
                (*there, entry), mark.kind, labeler=self.labeler, since=state.repeat_from
            )
            state = state._replace(**{name: found})
            states.keep(conn, self.labeler, mark.evaluation, state)
        if mark.kind == "skip" and entry.stands:
            self._begin_due(mark.evaluation)
        change = MarkChanged(entry.mark)
        self.changes.append(change)
        return change, (before.key if before else None, entry.key)

    def journal(self, kind: str, title: str) -> None:
        """Journal what was done so far under a title, so that undo finds it."""
        journal.add(
            self.session.project.conn,
            labeler=self.labeler,
            seq=max(
                change.after.seq if isinstance(change, LabelChanged) else change.mark.seq
                for change in self.changes
            ),
            kind=kind,
            title=title,
            body=journal.Body(
                labels=tuple(self.labels), marks=tuple(self.marks), begun=tuple(self.begun)
            ),
        )


def begin(session: Session) -> Action:
    """Start an action inside `Project.write`, making the labeler's row where absent."""
    return Action(session=session, labeler=session.my_key())


def finish(action: Action) -> None:
    """Publish what an action changed, after its transaction is on disk."""
    for change in action.changes:
        action.session.publish(change)


def begin_due_repeats(session: Session, labeler: int, *, apart_from: int = 0) -> list[Begun]:
    """Begin the repeats of the present queue whose turn has come, and give them.

    A repeat is due when its first answer is complete and as many evaluations of the queue are
    settled as stand before it. `apart_from` is in view just now. Call inside `Project.write`.
    """
    conn, queue = session.project.conn, session.queue
    if queue is None or not queues.has_waiting(conn, queue.key, labeler):
        return []
    return [
        begin_repeat(session, queue.key, labeler, item)
        for item in due_repeats(queues.items(conn, queue.key, labeler), apart_from)
    ]


def begin_repeat(session: Session, queue: int, labeler: int, item: Item) -> Begun:
    """Begin one repeat and give what undo will need; call inside `Project.write`."""
    before = states.read(session.project.conn, labeler, item.evaluation).repeat_from
    return Begun(queues.begin_repeat(session.project, queue, labeler, item), before)


def due_repeats(items: list[Item], apart_from: int = 0) -> list[Item]:
    """Give the repeats whose turn has come."""
    begun = {item.evaluation for item in items if item.since}
    firsts = [item for item in items if item.kind != "repeat"]
    settled = sum(x.complete or x.skipped or x.evaluation in begun for x in firsts)
    found, before = [], 0
    for item in items:
        if item.kind != "repeat":
            before += 1
        elif not item.since and item.complete and settled >= before:
            found.append(item)
    return [item for item in found if item.evaluation != apart_from]
