"""What the numbers say: one line a topic, each with a small table to unfold."""

from collections.abc import Hashable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.gui.audit.insights_cells import Detail
from reviewer.gui.audit.insights_rows import TITLES, detail, topic
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.findings.insights_values import MetricInsights, Topic

LOADING = "Working out what the numbers say…"
EVERY_PAIR = "Every evaluation in scope counts here, also outside the window."
LONGEST = 600
MOST_ROWS = 12


class TopicView(QWidget):
    """One topic: title, few figures, sentence, and the table behind them.

    Signals:
        row_opened: A row's responses were asked for, by its key.
    """

    row_opened = Signal(object)

    def __init__(self, theme: Theme, title: str) -> None:
        """Make a folded topic without figures."""
        super().__init__()
        self._theme = theme
        self._title = title
        self._detail: Detail | None = None
        self.table: GridView | None = None
        self.head = pieces.Button(title, self.toggle, kind="row")
        self.head.setProperty("weight", "strong")
        self.figures = pieces.text("", "small")
        self.sentence = pieces.text("", wrap=True)
        self.note = pieces.text("", "tiny", wrap=True)
        row = QHBoxLayout()
        row.addWidget(self.head)
        row.addStretch(1)
        row.addWidget(self.figures)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.px(3))
        self._column.addLayout(row)
        self._column.addWidget(self.sentence)
        self._column.addWidget(self.note)
        self.note.hide()

    @property
    def is_open(self) -> bool:
        """Tell whether the table is unfolded."""
        return self.table is not None and not self.table.isHidden()

    def show_topic(self, found: Topic, behind: Detail) -> None:
        """Show a topic; what was unfolded stays so while there is something to see."""
        opened = self.is_open
        self._detail = behind
        self.sentence.setText(_held_together(one_line(found.sentence, LONGEST)))
        pieces.set_property(self.sentence, "role", "muted" if found.reason else "")
        self.figures.setText(behind.figures)
        self._unfold(wanted=opened and bool(behind.rows))

    def toggle(self) -> None:
        """Unfold or fold the table."""
        self._unfold(wanted=not self.is_open)

    def _unfold(self, *, wanted: bool) -> None:
        found = self._detail
        has_rows = found is not None and bool(found.rows)
        if found is not None and wanted:
            self._fill(found)
        if self.table is not None:
            self.table.setVisible(wanted)
        self.note.setVisible(wanted and bool(self.note.text()))
        arrow = "▾" if wanted else "▸"
        self.head.setText(f"{arrow} {self._title}" if has_rows else self._title)
        self.head.setEnabled(has_rows)
        state = "unfolded" if wanted else "folded" if has_rows else "without a table"
        self.head.setAccessibleName(f"{self._title}, {state}")
        self.head.setAccessibleDescription(self.sentence.text())

    def _fill(self, found: Detail) -> None:
        if self.table is None:
            self.table = GridView(self._theme, found.columns, f"Table of {self._title}")
            self.table.fit_to_rows(MOST_ROWS)
            if found.opens:
                self.table.setCursor(Qt.CursorShape.PointingHandCursor)
                self.table.row_opened.connect(self.row_opened)
                self.table.clicked.connect(self._open)
            self._column.insertWidget(self._column.indexOf(self.note), self.table)
        self.table.show_rows(found.rows)
        self.note.setText(one_line(found.note, LONGEST))

    def _open(self) -> None:
        if self.table is not None and self.table.chosen() is not None:
            self.row_opened.emit(self.table.chosen())


class InsightsCard(pieces.Card):
    """Every topic of the metric in view.

    Signals:
        category_chosen: A category's responses are wanted alone, by its name.
        responses_requested: Responses are to be listed, by their evaluations and a heading.
    """

    category_chosen = Signal(str)
    responses_requested = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        """Make a card that shows nothing yet."""
        super().__init__("What the numbers say")
        self.title.setToolTip(EVERY_PAIR)
        self.body.setSpacing(theme.px(10))
        self.state = pieces.ElidedText("", "small")
        self.state.setAccessibleName("State of what the numbers say")
        self.head.addWidget(self.state)
        self.topics = {name: TopicView(theme, title) for name, title in TITLES.items()}
        for view in self.topics.values():
            self.body.addWidget(view)
            view.hide()
        self.topics["slices"].row_opened.connect(self._choose_category)
        for name in ("consistency", "change"):
            self.topics[name].row_opened.connect(partial(self._list_responses, name))
        self.shown: MetricInsights | None = None

    def show_insights(self, found: MetricInsights) -> None:
        """Show a metric's topics."""
        self.shown = found
        self.state.setText("")
        for name, view in self.topics.items():
            view.show_topic(topic(found, name), detail(found, name))
            view.show()

    def show_loading(self, metric: str) -> None:
        """Say that figures are on their way; those of the same metric stay meanwhile."""
        if self.shown is not None and self.shown.metric == metric:
            self.state.setText("updating…")
        else:
            self.show_sentence(LOADING)

    def show_sentence(self, sentence: str) -> None:
        """Show a sentence in place of the topics."""
        self.shown = None
        self.state.setText(one_line(sentence, LONGEST))
        for view in self.topics.values():
            view.hide()

    def _list_responses(self, name: str, row: object) -> None:
        if self.shown is None or not isinstance(row, Hashable):
            return
        keys, heading = detail(self.shown, name).responses.get(row, ((), ""))
        if keys:
            self.responses_requested.emit(keys, heading)

    def _choose_category(self, category: object) -> None:
        if isinstance(category, str):
            self.category_chosen.emit(category)


def _held_together(words: str) -> str:
    """Keep figures and their signs on one line."""
    return (
        words.replace(" = ", "\u00a0=\u00a0")
        .replace(" ± ", "\u00a0±\u00a0")
        .replace(" %", "\u00a0%")
    )
