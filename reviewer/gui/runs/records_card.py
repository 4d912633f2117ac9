"""The card "Whose scores count": the version of record of every metric, and its history."""

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QMenu

from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.times import stamp
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.record_row import METRIC, VERSION, RecordRow
from reviewer.gui.runs.words import many
from reviewer.services.figures.run_records import MetricRecord, RunRecords, Wish
from reviewer.services.project.record import Change

TITLE = "Whose scores count"
FOLDED, UNFOLDED = "History ▸", "History ▾"
NOTHING = "Nothing has scored this run yet."
MOST = 8
_HISTORY = (
    Column("when", 128),
    Column("who", 96),
    Column("metric", 96, drop=1),
    Column("whose scores count"),
)


class RecordsCard(pieces.Card):
    """A metric a line; a lead changes there whose scores count, and undo brings it back.

    Signals:
        wished: A version is to count, a `Wish`.
    """

    wished = Signal(object)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the card without a run."""
        super().__init__(TITLE)
        self._surroundings = surroundings
        self.found: RunRecords | None = None
        self.rows: dict[str, RecordRow] = {}
        self.spread = pieces.Button("Use for every metric ▾", self._open_spread, dense=True)
        self.spread.setAccessibleName("Use a version for every metric it scored")
        self.spread.setToolTip("Let one version count for every metric that it scored.")
        self.versions = QMenu(self.spread)
        self.fold = pieces.Button(FOLDED, self._toggle, kind="link", name="History")
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.history = GridView(surroundings.theme, _HISTORY, "What counted when")
        self.history.fit_to_rows(MOST)
        self.history.hide()
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(surroundings.theme.px(10))
        self._grid.setVerticalSpacing(surroundings.theme.px(4))
        self._grid.setContentsMargins(0, 0, 0, surroundings.theme.px(6))
        for column, share in ((METRIC, 5), (VERSION, 11)):
            self._grid.setColumnStretch(column, share)
        self.head.addWidget(self.spread)
        self.head.addWidget(self.fold)
        self.body.addWidget(self.empty)
        self.body.addLayout(self._grid)
        self.body.addWidget(self.history)
        self.hide()

    def show_records(self, found: RunRecords) -> None:
        """Show whose scores count in a run; what is in use keeps its place and focus."""
        same = self.found is not None and self.found.run == found.run
        self.found = found
        if not same or list(self.rows) != [x.metric.name for x in found.metrics]:
            self._make_rows(found)
        style = self._surroundings.settings.time_format
        for one in found.metrics:
            row = self.rows[one.metric.name]
            row.show_record(one, may_change=found.may_lead, style=style)
            row.let_change(possible=True)
        self.spread.setVisible(found.may_lead and bool(found.spread()))
        self.spread.setEnabled(True)
        self.empty.setVisible(not found.metrics)
        self.fold.setVisible(bool(found.history))
        self.history.show_rows(_history(found, style))
        if not found.history:
            self._unfold(unfolded=False)
        self.show()

    def wait(self) -> None:
        """Take no other wish until the card is shown anew."""
        for row in self.rows.values():
            row.let_change(possible=False)
        self.spread.setEnabled(False)

    def forget(self) -> None:
        """Let go of the run."""
        self.found = None
        self._clear()
        self._unfold(unfolded=False)
        self.hide()

    def fill_spread(self) -> QMenu:
        """Fill and give the menu of versions that can count for every metric they scored."""
        self.versions.clear()
        for name, metrics in (self.found.spread() if self.found else {}).items():
            title = f"{one_line(name, 100)} — {many(len(metrics), 'metric')}"
            action = self.versions.addAction(literal(title))
            action.setToolTip(", ".join(x.metric.heading for x in metrics))
            others = tuple(x for x in metrics if x.counting != name)
            action.triggered.connect(partial(self._wish, name, others))
        return self.versions

    def _open_spread(self) -> None:
        self.fill_spread().popup(self.spread.mapToGlobal(self.spread.rect().bottomLeft()))

    def _make_rows(self, found: RunRecords) -> None:
        self._clear()
        for place, one in enumerate(found.metrics):
            row = RecordRow(self._surroundings.theme, one.metric.heading)
            row.place(self._grid, place)
            row.wished.connect(partial(self._wish_one, one.metric.name))
            self.rows[one.metric.name] = row

    def _clear(self) -> None:
        for row in self.rows.values():
            row.remove()
        self.rows = {}

    def _wish_one(self, metric: str, version: str, with_repeats: bool) -> None:  # noqa: FBT001 - Qt's signal
        mine = [x for x in self.found.metrics if x.metric.name == metric] if self.found else []
        self._wish(version, tuple(mine), with_repeats=with_repeats)

    def _wish(
        self,
        version: str,
        metrics: tuple[MetricRecord, ...],
        *_: object,
        with_repeats: bool = False,
    ) -> None:
        if self.found is None:
            return
        entries = {x.metric.name: x.entry for x in metrics}
        self.wished.emit(
            Wish(run=self.found.run, version=version, metrics=entries, with_repeats=with_repeats)
        )

    def _toggle(self) -> None:
        self._unfold(unfolded=self.history.isHidden())

    def _unfold(self, *, unfolded: bool) -> None:
        self.history.setVisible(unfolded)
        self.fold.setText(UNFOLDED if unfolded else FOLDED)


def _history(found: RunRecords, style: str) -> list[tuple[int, tuple[Cell, ...]]]:
    titles = {x.metric.name: x.metric.heading for x in found.metrics}
    rows: list[tuple[int, tuple[Cell, ...]]] = [
        (
            place,
            (
                Cell(stamp(x.at, style), "muted"),
                Cell(one_line(x.by, 40)) if x.by else Cell("first scores", "muted"),
                Cell(one_line(titles.get(x.metric, x.metric), 60)),
                _what(x),
            ),
        )
        for place, x in enumerate(found.history)
    ]
    return rows[::-1]


def _what(change: Change) -> Cell:
    repeats = ", with its repeats" if change.with_repeats else ""
    name = f"{one_line(change.version or 'nothing', 120)}{repeats}"
    if change.kind == "undone":
        return Cell(f"back to {name}", tip=f"What was named was taken back: {name} counts again.")
    return Cell(name, tip=name)
