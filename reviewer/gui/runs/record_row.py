"""One metric of a run: whose scores count for it, which a lead can change there."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QMenu, QSizePolicy
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import literal, one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.times import stamp
from reviewer.services.figures import record_words
from reviewer.services.figures.run_records import MetricRecord

ARROW = " ▾"
NOTHING = "nothing counts yet"
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
        self.fill().popup(self.mapToGlobal(self.rect().bottomLeft()))

    def _pick(self, name: str, *_: object) -> None:
        if name != self._chosen:
            self.picked.emit(name)


class RecordRow(QObject):
    """The widgets of a metric in the card's grid.

    Signals:
        wished: Another version is to count, or its repeats: its full name, and whether they do.
    """

    wished = Signal(str, bool)

    def __init__(self, theme: Theme, heading: str) -> None:
        """Make the widgets of a metric."""
        super().__init__()
        self._theme = theme
        self._found: MetricRecord | None = None
        self.metric = pieces.ElidedText(one_line(heading, 80))
        self.choice = VersionChoice(f"Whose scores of {heading} count")
        self.version = pieces.ElidedText()
        self.coverage = pieces.text("")
        self.since = pieces.text("", "small", wrap=True)
        self.repeats = QCheckBox("with its repeats")
        self.repeats.setAccessibleName(f"Count the repeats of {heading}, too")
        self.repeats.setToolTip(
            "This version scored some evaluations more than once. Without a tick the first score "
            "counts; with it all count together, as the rubric says."
        )
        self.rule = pieces.line()
        for label in (self.version, self.since):
            label.setContentsMargins(theme.px(EDGE), 0, 0, 0)
        self.choice.picked.connect(self._take_version)
        self.repeats.toggled.connect(self._take_repeats)

    def place(self, grid: QGridLayout, row: int) -> None:
        """Put the widgets into the lines of the grid that are the metric's."""
        top = row * LINES
        grid.addWidget(self.rule, top, METRIC, 1, COVERAGE + 1)
        self.rule.setVisible(row > 0)
        grid.addWidget(self.metric, top + 1, METRIC)
        for widget in (self.choice, self.version):
            grid.addWidget(widget, top + 1, VERSION)
        grid.addWidget(self.repeats, top + 1, REPEATS)
        grid.addWidget(self.coverage, top + 1, COVERAGE, Qt.AlignmentFlag.AlignTrailing)
        grid.addWidget(self.since, top + 2, VERSION, 1, COVERAGE - VERSION + 1)

    def remove(self) -> None:
        """Take the widgets away."""
        for widget in (
            self.metric, self.choice, self.version, self.coverage, self.since, self.repeats,
            self.rule,
        ):  # fmt: skip
            widget.hide()
            widget.deleteLater()
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
            name or NOTHING,
            [(x.name, f"{x.name} — {n:,} of {found.of:,}") for x, n in one.versions],
        )
        self.version.setText(one_line(name, 120) or NOTHING)
        self.coverage.setText(f"{found.n:,} of {found.of:,}" if name else "—")
        pieces.set_property(self.coverage, "role", "" if found.n == found.of else "notice")
        self.coverage.setAccessibleName(
            f"{one.metric.heading}: {found.n:,} of {found.of:,} evaluations scored"
        )
        repeats = name in one.repeated or found.with_repeats
        self.since.setText(_since(one, style, tell_repeats=found.with_repeats and not may_change))
        blocker = QSignalBlocker(self.repeats)
        self.repeats.setChecked(found.with_repeats)
        blocker.unblock()
        self.repeats.setVisible(may_change and repeats)

    def let_change(self, *, possible: bool) -> None:
        """Let the controls be used, or wait until what was asked for is done."""
        self.choice.setEnabled(possible)
        self.repeats.setEnabled(possible)

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
    rest = record_words.not_counted(found)
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
