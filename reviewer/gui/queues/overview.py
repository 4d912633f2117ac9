"""All queues of a project with how far everybody is, and what a validation came to."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QInputDialog,
    QMessageBox,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import (
    fixed,
    gap_words,
    in_percent,
    percent,
    score_words,
    two,
)
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.services.project.session import Session
from reviewer.services.queues import pools, profiles, validation_values, working
from reviewer.services.queues.plans import Sampling
from reviewer.services.queues.validation_values import MetricVerdict, Validation, Worst
from reviewer.services.queues.working import GivenQueue, LabelerProgress
from reviewer.stats.intervals import Interval

SETTLE_MS = 300
NOTHING = "There is no queue yet. Make one, or validate the judge."
_QUEUES = (
    Column("queue"),
    Column("made by", 110, drop=2),
    Column("yours", 96, number=True, tip="What you have done of your turn."),
    Column("state", 70, drop=1),
)
_PEOPLE = (
    Column("labeler"),
    Column("done", 62, number=True, tip="Evaluations with every answer."),
    Column("left", 62, number=True, tip="Evaluations that still wait."),
    Column("skipped", 70, number=True, tip="Evaluations left for later."),
    Column("flagged", 70, number=True, tip="Flags are answers beside the scores."),
    Column("not applicable", 96, number=True, tip="Metrics answered “not applicable”.", drop=1),
    Column("pace", 92, number=True, tip="Median time an evaluation takes, breaks left out."),
    Column("time left", 84, number=True, tip="What is left at the pace so far."),
)


class QueuesDialog(ProjectDialog):
    """The list of queues with what can be done to them.

    Signals:
        work_requested: The active labeler wants to work on a queue, by its name.
        verdict_requested: The verdict over a queue is wanted, by its name.
        new_requested: A queue is to be planned.
        package_requested: A work package of a queue is to be made, by the queue's name.
        merge_requested: Returned work packages are to be merged.
    """

    work_requested = Signal(str)
    verdict_requested = Signal(str)
    new_requested = Signal()
    package_requested = Signal(str)
    merge_requested = Signal()

    def __init__(self, theme: Theme, session: Session, parent: QWidget) -> None:
        """Show a project's queues."""
        super().__init__(parent, "Queues")
        self._theme = theme
        self._session = session
        self._found: dict[str, GivenQueue] = {}
        self.queues = GridView(theme, _QUEUES, "Queues, the newest first")
        self.people = GridView(theme, _PEOPLE, "Progress of everybody")
        self.queues.row_chosen.connect(lambda _: self._show_chosen())
        self.queues.row_opened.connect(lambda _: self._work())
        self.about = pieces.text("", "muted", wrap=True)
        self.problem = pieces.text("", "alert", wrap=True, hidden=True)
        self.work = pieces.Button("Work on it", self._work, kind="primary")
        self.verdict = pieces.Button("Verdict", self._verdict)
        self.closing = pieces.Button("Close queue", self._close_or_open)
        self.renaming = pieces.Button("Rename…", self._rename)
        self.deleting = pieces.Button("Delete…", self._delete)
        self.new = pieces.Button("New queue…", self.new_requested.emit)
        self.package = pieces.Button("Work package…", self._package)
        self.merge = pieces.Button("Merge returned…", self.merge_requested.emit)
        self._soon = soon(self, self.refresh, SETTLE_MS)
        leave = session.subscribe(lambda _: self._soon.start())
        self.destroyed.connect(lambda *_: leave())
        self._arrange()
        self.refresh()

    def refresh(self) -> None:
        """Show the queues as they are now."""
        kept = self.queues.chosen()
        self._found = {one.queue.name: one for one in working.every(self._session)}
        self.queues.show_rows([(name, _queue_cells(one)) for name, one in self._found.items()])
        if (kept is None or not self.queues.choose(kept)) and self._found:
            self.queues.choose(next(iter(self._found)))
        self._show_chosen()

    @property
    def chosen(self) -> GivenQueue | None:
        """Give the queue in focus."""
        return self._found.get(str(self.queues.chosen()))

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card("Queues")
        layouts.fill(card.head, self.merge, self.new)
        layouts.fill(card.body, (self.queues, 1), self.about, self.problem)
        acts = layouts.FlowLayout(spacing=px(8))
        layouts.fill(
            acts, self.work, self.verdict, self.package, self.renaming, self.closing, self.deleting
        )
        card.body.addLayout(acts)
        below = pieces.Card("Progress")
        below.body.addWidget(self.people, 1)
        layouts.column(
            (card, 3),
            (below, 2),
            layouts.row(1, pieces.Button("Close", self.close)),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(760), px(600))

    def _show_chosen(self) -> None:
        one = self.chosen
        lead = profiles.is_lead(self._session)
        for button in (
            self.verdict, self.package, self.closing, self.renaming, self.deleting
        ):  # fmt: skip
            button.setEnabled(one is not None and lead)
        self.merge.setEnabled(lead)
        self.work.setEnabled(one is not None and one.mine is not None and one.queue.is_open)
        self.about.setText(self._words(one, lead=lead) if one is not None else NOTHING)
        found = working.progress(self._session, one.queue) if one is not None else ()
        mine = self._session.labeler.name
        shown = [x for x in found if lead or x.labeler == mine]
        self.people.show_rows([(x.labeler, _progress_cells(x)) for x in shown])
        if one is not None:
            self.closing.setText("Close queue" if one.queue.is_open else "Open again")

    def _words(self, one: GivenQueue, *, lead: bool) -> str:
        given = pools.progress(self._session, one.queue) if lead else None
        words = _about(one, lead=lead)
        return f"{words}\nGiven to whoever is free: {given.sentence}" if given else words

    def _work(self) -> None:
        one = self.chosen
        if one is not None and self.work.isEnabled():
            self.work_requested.emit(one.queue.name)
            self.close()

    def _verdict(self) -> None:
        if self.chosen is not None:
            self.verdict_requested.emit(self.chosen.queue.name)

    def _package(self) -> None:
        if self.chosen is not None:
            self.package_requested.emit(self.chosen.queue.name)

    def _close_or_open(self) -> None:
        one = self.chosen
        if one is not None:
            act = working.close if one.queue.is_open else working.reopen
            self._try(lambda: act(self._session, one.queue))

    def _rename(self) -> None:
        one = self.chosen
        if one is None:
            return
        name, agreed = QInputDialog.getText(self, "Rename", "Name:", text=one.queue.name)
        if agreed:
            self._try(lambda: working.rename(self._session, one.queue, name))

    def _delete(self) -> None:
        one = self.chosen
        if one is None:
            return
        question = f"Delete the queue “{one_line(one.queue.name, 60)}”? The labels stay."
        if QMessageBox.question(self, "Delete", question) == QMessageBox.StandardButton.Yes:
            self._try(lambda: working.delete(self._session, one.queue))

    def _try(self, act: Callable[[], object]) -> None:
        problem = ""
        try:
            act()
        except ReviewerError as error:
            problem = str(error)
        pieces.say(self.problem, problem)
        self.refresh()


def _about(one: GivenQueue, *, lead: bool) -> str:
    """Say how a queue was drawn; to labelers not, as that may tell of the judge's scores."""
    plan = one.plan
    if not lead:
        return "blind" if one.queue.blind else "auto scores in sight"
    if plan.sampling is Sampling.ALL and not plan.filter_text:
        parts = ["all evaluations"]
    else:
        parts = [f"{plan.sampling.value} of {plan.filter_text or 'all evaluations'}"]
    if plan.n is not None:
        parts[0] = f"{plan.n:,} {parts[0]}"
    if plan.overlap > 1:
        parts.append(f"{plan.overlap} people on {in_percent(plan.overlap_share, 0)}")
    parts.append("blind" if one.queue.blind else "auto scores in sight")
    parts.append(f"seed {plan.seed}")
    return one_line(" · ".join(parts), 300)


def _queue_cells(one: GivenQueue) -> tuple[Cell, ...]:
    mine = f"{one.mine.done:,} of {one.mine.total:,}" if one.mine is not None else "—"
    name = one_line(one.queue.name, 120)
    return (
        Cell(name, strong=True, tip=name),
        Cell(one_line(one.queue.labeler or "—", 40), "muted"),
        Cell(mine, "" if one.mine is not None else "muted"),
        Cell("open" if one.queue.is_open else "closed", "muted"),
    )


def _progress_cells(one: LabelerProgress) -> tuple[Cell, ...]:
    return (
        Cell(one_line(one.labeler, 60), strong=True),
        Cell(f"{one.done:,}"),
        Cell(f"{one.left:,}"),
        Cell(f"{one.skipped:,}"),
        Cell(f"{one.flagged:,}"),
        Cell(f"{one.not_applicable:,}"),
        Cell("—" if one.seconds_each is None else f"{fixed(one.seconds_each, 0)} s each"),
        Cell(_span(one.seconds_left)),
    )


def _span(seconds: float | None) -> str:
    if seconds is None:
        return "—"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{fixed(minutes / 60, 1)} h"


HEADS = {
    "reaches": "The judge reaches 80 % agreement",
    "misses": "The judge falls short of 80 % agreement",
    "too close to call": "Too close to call against 80 % agreement",
    "cannot be told": "Too few answers for a verdict",
}
MOST_METRICS = 8
ROLES = {"reaches": "adjusted", "misses": "alert", "too close to call": "human"}
_METRICS = (
    Column("metric"),
    Column("verdict", 116),
    Column("n", 40, number=True, tip="Evaluations with an auto score and a label."),
    Column("equal", 140, number=True, tip="Share of equal answers with its interval."),
    Column("kappa", 140, number=True, tip="Quadratic weights where the scale is ordered."),
    Column("catch rate", 170, number=True, tip="Share of people's fails that the judge fails."),
)
_WORST = (
    Column("response"),
    Column("metric", 110),
    Column("human", 56, number=True, tip="What people say."),
    Column("auto", 56, number=True, tip="The judge's score."),
    Column("gap", 56, number=True, tip="Human minus auto."),
)


class VerdictDialog(ProjectDialog):
    """The end of a validation; it stands beside the window and keeps nobody from working.

    Signals:
        evaluation_requested: One of the worst disagreements is to be shown on Review, by its key.
        worst_requested: All of them are to be listed, as evaluation keys.
    """

    evaluation_requested = Signal(int)
    worst_requested = Signal(object)

    def __init__(self, theme: Theme, found: Validation, parent: QWidget) -> None:
        """Show a verdict."""
        super().__init__(parent, f"Verdict: {one_line(found.queue, 60)}")
        self._theme = theme
        self._found = found
        self.head = pieces.text(HEADS[found.verdict], "title")
        self.sentence = pieces.text(found.sentence, wrap=True, name="The verdict in words")
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.looks = pieces.text(
            validation_values.sentence(found.looks), "small", wrap=True, name="Looks"
        )
        self.metrics = GridView(theme, _METRICS, "Verdict by metric", most=MOST_METRICS)
        self.worst = GridView(theme, _WORST, "Worst disagreements, the largest first")
        self.copy_button = pieces.Button("Copy as sentence", self.copy)
        self.open_button = pieces.Button("Open worst disagreements", self._open, kind="primary")
        self._fill()
        self._arrange()

    def copy(self) -> None:
        """Put the verdict on the clipboard."""
        QGuiApplication.clipboard().setText(self._found.sentence)

    def _open(self) -> None:
        self.worst_requested.emit(tuple(dict.fromkeys(one.key for one in self._found.worst)))
        self.close()

    def _fill(self) -> None:
        found = self._found
        self.metrics.show_rows([(one.metric, _metric_cells(one)) for one in found.metrics])
        self.worst.show_rows([((one.key, one.metric), _worst_cells(one)) for one in found.worst])
        self.worst.row_opened.connect(self._open_one)
        self.open_button.setEnabled(bool(found.worst))

    def _open_one(self, key: object) -> None:
        if isinstance(key, tuple):
            self.evaluation_requested.emit(int(key[0]))

    def _arrange(self) -> None:
        px = self._theme.px
        card = pieces.Card()
        layouts.fill(card.body, self.head, self.sentence, self.looks, self.metrics)
        below = pieces.Card("Worst disagreements")
        none = "Nobody differed from the judge by more than nothing."
        if self._found.worst:
            below.body.addWidget(self.worst, 3)
        else:
            below.body.addWidget(pieces.text(none, "muted", wrap=True))
        layouts.column(
            card,
            (below, 1),
            layouts.row(self.copy_button, 1, pieces.Button("Close", self.close), self.open_button),
            on=self,
            margins=px(14),
            gap=px(12),
        )
        fit(self, px(840), px(620))


def _metric_cells(one: MetricVerdict) -> tuple[Cell, ...]:
    return (
        Cell(one.title, strong=True, tip=one.sentence),
        Cell(one.verdict, ROLES.get(one.verdict, "muted"), tip=one.sentence),
        Cell(f"{one.n:,}"),
        _share(one.percent, one.percent_interval, one.undefined, "percent"),
        _coefficient(one),
        _share(one.catch_rate, one.catch_interval, one.undefined, "catch_rate", one.n_failed),
    )


def _share(
    value: float | None,
    interval: Interval | None,
    why: Mapping[str, str],
    name: str,
    n: int | None = None,
) -> Cell:
    if value is None:
        return Cell("—", "muted", tip=why.get(name, ""))
    of = "" if n is None else f" of {n}"
    if interval is None:
        return Cell(f"{percent(value)}{of}", tip=why.get(f"{name}_interval", ""))
    return Cell(f"{percent(value)}{of}   {percent(interval.low)} – {percent(interval.high)}")


def _coefficient(one: MetricVerdict) -> Cell:
    if one.kappa is None:
        return Cell("—", "muted", tip=one.undefined.get("kappa", ""))
    interval = one.kappa_interval
    if interval is None:
        return Cell(two(one.kappa), tip=one.undefined.get("kappa_interval", ""))
    word = f"{one.kappa_word} in the words of Landis and Koch (1977)" if one.kappa_word else ""
    return Cell(f"{two(one.kappa)}   {two(interval.low)} – {two(interval.high)}", tip=word)


def _worst_cells(one: Worst) -> tuple[Cell, ...]:
    title = one_line(one.title, 200)
    return (
        Cell(title, tip=f"{one.id}\n{title}"),
        Cell(one.heading, tip=one.heading),
        Cell(score_words(one.human), "human"),
        Cell(score_words(one.auto), "auto"),
        Cell(gap_words(one.gap), strong=True),
    )
