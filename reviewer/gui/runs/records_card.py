"""The card "Whose scores count": the version of record of every metric, and its history."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QMenu, QSizePolicy
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import literal, one_line, stamp
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.words import many
from reviewer.services.figures import run_records
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
        self._waits = False
        self.rows: dict[str, RecordRow] = {}
        self.spread = pieces.named(
            pieces.Button(
                "Use for every metric ▾",
                lambda: pieces.open_below(self.spread, self.fill_spread()),
                dense=True,
            ),
            "Use a version for every metric it scored",
            tip="Let one version count for every metric that it scored.",
        )
        self.versions = QMenu(self.spread)
        self.fold = pieces.Button(FOLDED, self._toggle, kind="link", name="History")
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.history = GridView(surroundings.theme, _HISTORY, "What counted when", most=MOST)
        self.history.hide()
        self._grid = layouts.grid(
            margins=(0, 0, 0, surroundings.theme.px(6)),
            across=surroundings.theme.px(10),
            down=surroundings.theme.px(4),
        )
        for column, share in ((METRIC, 5), (VERSION, 11)):
            self._grid.setColumnStretch(column, share)
        layouts.fill(self.head, self.spread, self.fold)
        layouts.fill(self.body, self.empty, self._grid, self.history)
        self.hide()

    def show_records(self, found: RunRecords) -> None:
        """Show whose scores count in a run; what is in use keeps its place and focus."""
        self._waits = False
        same = self.found is not None and self.found.run == found.run
        self.found = found
        if not same or list(self.rows) != [x.metric.name for x in found.metrics]:
            self._make_rows(found)
        style = self._surroundings.settings.time_format
        for one in found.metrics:
            self.rows[one.metric.name].show_record(one, may_change=found.may_lead, style=style)
        self.spread.setVisible(found.may_lead and bool(found.spread()))
        self.empty.setVisible(not found.metrics)
        self.fold.setVisible(bool(found.history))
        self.history.show_rows(_history(found, style))
        if not found.history:
            self._unfold(unfolded=False)
        self.show()

    def wait(self) -> None:
        """Take no other wish until the card is shown anew; the focus stays where it is."""
        self._waits = True

    def fill_spread(self) -> QMenu:
        """Fill and give the menu of versions that can count for every metric they scored."""
        self.versions.clear()
        for name, metrics in (self.found.spread() if self.found else {}).items():
            action = self.versions.addAction(
                literal(f"{one_line(name, 100)} — {many(len(metrics), 'metric')}")
            )
            action.setToolTip(", ".join(x.metric.heading for x in metrics))
            action.triggered.connect(
                partial(self._wish, name, tuple(x for x in metrics if x.counting != name))
            )
        return self.versions

    def _make_rows(self, found: RunRecords) -> None:
        for gone in self.rows.values():
            gone.remove()
        self.rows = {}
        for place, one in enumerate(found.metrics):
            row = RecordRow(self._surroundings.theme, one.metric.heading, self._grid, place)
            row.wished.connect(partial(self._wish_one, one.metric.name))
            self.rows[one.metric.name] = row

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
        if self.found is not None and not self._waits:
            entries = {x.metric.name: x.entry for x in metrics}
            self.wished.emit(
                Wish(
                    run=self.found.run, version=version, metrics=entries, with_repeats=with_repeats
                )
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


ARROW = " ▾"
NOTHING_COUNTS = "nothing counts yet"
METRIC, VERSION, REPEATS, COVERAGE = range(4)
"""Columns of the card's grid."""
LINES = 3
"""Lines of the card's grid that a metric takes: a rule, its facts, and what is said of them."""
EDGE = 9
"""Pixels at 100 % before the words of a choice, with which others stand in line."""


class VersionChoice(pieces.Button):
    """Says which version counts, with a menu of those that scored; no wheel changes it.

    Signals:
        picked: Another version was chosen by hand, by its full name.
    """

    picked = Signal(str)

    def __init__(self, name: str) -> None:
        """Make an empty choice; `name` is what screen readers call it."""
        super().__init__("", kind="flat", name=name)
        self._name = name
        self._chosen = self._words = ""
        self._entries: tuple[tuple[str, str], ...] = ()
        self.setProperty("side", "leading")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.versions = QMenu(self)
        self.clicked.connect(self._open)

    def show_versions(self, words: str, entries: Sequence[tuple[str, str]]) -> None:
        """Show which one counts, and offer full names with their titles."""
        self._chosen, self._entries = words, tuple(entries)
        self._words = one_line(words, 200)
        self.setToolTip(self._words)
        self.setAccessibleName(f"{self._name}: {self._words}")
        self._elide()

    def fill(self) -> QMenu:
        """Fill and give the menu of versions."""
        self.versions.clear()
        for name, title in self._entries:
            action = self.versions.addAction(literal(one_line(title, 120)))
            action.setCheckable(True)
            action.setChecked(name == self._chosen)
            action.triggered.connect(partial(self._pick, name))
        return self.versions

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorten the name in its middle: versions differ at their ends."""
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        metrics = self.fontMetrics()
        edges = self.sizeHint().width() - metrics.horizontalAdvance(self.text())
        room = self.width() - edges - metrics.horizontalAdvance(ARROW) - 1
        shown = metrics.elidedText(self._words, Qt.TextElideMode.ElideMiddle, max(room, 40))
        self.setText(f"{shown}{ARROW}")

    def _open(self) -> None:
        pieces.open_below(self, self.fill())

    def _pick(self, name: str, *_: object) -> None:
        if name != self._chosen:
            self.picked.emit(name)


class RecordRow(QObject):
    """The widgets of a metric in the card's grid.

    Signals:
        wished: Another version is to count, or its repeats: its full name, and whether they do.
    """

    wished = Signal(str, bool)

    def __init__(self, theme: Theme, heading: str, grid: QGridLayout, place: int) -> None:
        """Make the widgets of a metric, the `place`-th of the grid, and put them there."""
        super().__init__()
        self._grid, self._top = grid, place * LINES
        self._found: MetricRecord | None = None
        self.metric = pieces.ElidedText(one_line(heading, 80))
        self.choice = VersionChoice(f"Whose scores of {heading} count")
        self.version = pieces.ElidedText()
        self.coverage = pieces.text("")
        self.since = pieces.text("", "small", wrap=True)
        self.repeats = pieces.named(
            QCheckBox("with its repeats"),
            f"Count the repeats of {heading}, too",
            tip="This version scored some evaluations more than once. Without a tick the first "
            "score counts; with it all count together, as the rubric says.",
        )
        self.rule = pieces.line()
        for label in (self.version, self.since):
            label.setContentsMargins(theme.px(EDGE), 0, 0, 0)
        self._lay_out()
        pieces.connect(
            (self.choice.picked, self._take_version),
            (self.repeats.toggled, self._take_repeats),
        )

    def _lay_out(self) -> None:
        grid, top = self._grid, self._top
        grid.addWidget(self.rule, top, METRIC, 1, COVERAGE + 1)
        self.rule.setVisible(top > 0)
        grid.addWidget(self.metric, top + 1, METRIC)
        self._place_version(alone=True)
        grid.addWidget(self.repeats, top + 1, REPEATS)
        grid.addWidget(self.coverage, top + 1, COVERAGE, Qt.AlignmentFlag.AlignTrailing)
        grid.addWidget(self.since, top + 2, VERSION, 1, COVERAGE - VERSION + 1)

    def _place_version(self, *, alone: bool) -> None:
        """Give the version the room of the tick where there is none."""
        for widget in (self.choice, self.version):
            self._grid.removeWidget(widget)
            self._grid.addWidget(widget, self._top + 1, VERSION, 1, 2 if alone else 1)

    def remove(self) -> None:
        """Take the widgets away."""
        for widget in (
            self.metric, self.choice, self.version, self.coverage, self.since, self.repeats,
            self.rule,
        ):  # fmt: skip
            pieces.discard(widget)
        self.deleteLater()

    def show_record(self, one: MetricRecord, *, may_change: bool, style: str) -> None:
        """Show whose scores count, with controls for somebody who may change it."""
        self._found = one
        found = one.found
        name = found.version.name if found.version is not None else ""
        chooses = may_change and (len(one.versions) > 1 or not name)
        self.metric.setText(one_line(one.metric.heading, 80))
        self.choice.setVisible(chooses)
        self.version.setVisible(not chooses)
        self.choice.show_versions(
            name or NOTHING_COUNTS,
            [(x.name, f"{x.name} — {n:,} of {found.of:,}") for x, n in one.versions],
        )
        self.version.setText(one_line(name, 120) or NOTHING_COUNTS)
        self.coverage.setText(f"{found.n:,} of {found.of:,}" if name else "—")
        pieces.set_property(self.coverage, "role", "" if found.n == found.of else "notice")
        self.coverage.setAccessibleName(
            f"{one.metric.heading}: {found.n:,} of {found.of:,} evaluations scored"
        )
        repeats = name in one.repeated or found.with_repeats
        self.since.setText(_since(one, style, tell_repeats=found.with_repeats and not may_change))
        with pieces.quiet(self.repeats):
            self.repeats.setChecked(found.with_repeats)
        self.repeats.setVisible(may_change and repeats)
        self._place_version(alone=not (may_change and repeats))

    def _take_version(self, name: str) -> None:
        self.wished.emit(name, False)  # noqa: FBT003 - Qt's signals take places

    def _take_repeats(self, on: bool) -> None:  # noqa: FBT001 - Qt's signal
        if self._found is not None and self._found.found.version is not None:
            self.wished.emit(self._found.found.version.name, on)


def _since(one: MetricRecord, style: str, *, tell_repeats: bool) -> str:
    found = one.found
    parts = ["with its repeats"] if tell_repeats else []
    if found.reason is not None:
        parts.append(found.reason)
    if found.version is not None:
        parts.append(f"{_how(one)}, {stamp(found.at, style)}")
    rest = run_records.not_counted(found)
    if rest:
        parts.append(f"not counted: {rest}")
    return " · ".join(parts)


def _how(one: MetricRecord) -> str:
    by = one_line(one.found.by or "", 40)
    match one.kind:
        case "named":
            return f"named by {by}"
        case "undone":
            return f"put back by {by}"
    return "first scores"
