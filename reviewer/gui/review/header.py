"""The line above the conversation: which evaluation this is, and the four ways to look at it."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLineEdit, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import Evaluation
from reviewer.gui.pieces import Button, pill, text
from reviewer.gui.review.text import one_line
from reviewer.gui.theme import Theme

WIDE_FROM = 720
"""Width in pixels at 100 % from which date, latency and cost have room."""
TABS = ("Conversation", "Context", "Expected", "History")


class Header(QWidget):
    """Id, category, date, latency and cost; tabs; the search inside the conversation.

    Signals:
        tab_chosen: The place of the tab.
        find_requested: Words to find, and 1 or -1 for the direction.
    """

    tab_chosen = Signal(int)
    find_requested = Signal(str, int)

    def __init__(self, theme: Theme) -> None:
        """Make an empty header."""
        super().__init__()
        self._theme = theme
        row = QHBoxLayout(self)
        row.setContentsMargins(theme.px(20), theme.px(12), theme.px(16), theme.px(4))
        row.setSpacing(theme.px(8))
        self.id = text("", "heading")
        self.category = pill("")
        self.facts = pill("")
        for label in (self.id, self.category, self.facts):
            row.addWidget(label)
        row.addStretch(1)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Find in the conversation…")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName("Find in the conversation")
        self.search.setMaximumWidth(theme.px(240))
        self.search.textChanged.connect(lambda words: self.find_requested.emit(words, 0))
        self.search.returnPressed.connect(lambda: self.find_requested.emit(self.search.text(), 1))
        self.search.hide()
        self.found = text("", "small")
        row.addWidget(self.search)
        row.addWidget(self.found)
        self._tabs = QButtonGroup(self)
        for place, name in enumerate(TABS):
            button = Button(name, kind="tab")
            button.setCheckable(True)
            self._tabs.addButton(button, place)
            row.addWidget(button)
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self.tab_chosen)

    def show_evaluation(self, evaluation: Evaluation) -> None:
        """Name an evaluation."""
        self.id.setText(one_line(evaluation.id, 28))
        self.id.setToolTip(f"{evaluation.id} · run {evaluation.run} · {_facts(evaluation)}")
        self.category.setText(one_line(evaluation.category or "", 24))
        self.category.setVisible(bool(evaluation.category))
        words = _facts(evaluation)
        self.facts.setText(words)
        self._settle_facts()
        self.facts.setToolTip(f"run {evaluation.run} · model {evaluation.model or 'not known'}")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the facts to the tooltip where the pane is narrow."""
        super().resizeEvent(event)
        self._settle_facts()

    def _settle_facts(self) -> None:
        roomy = self.width() >= self._theme.px(WIDE_FROM)
        self.facts.setVisible(bool(self.facts.text()) and roomy)

    def open_find(self) -> None:
        """Show the search field and put the cursor into it."""
        self.search.show()
        self.search.setFocus()
        self.search.selectAll()

    def close_find(self) -> None:
        """Hide the search field and forget what was searched."""
        self.search.clear()
        self.search.hide()
        self.found.setText("")


def _facts(evaluation: Evaluation) -> str:
    day = (evaluation.evaluated_at or evaluation.occurred_at or "")[:10]
    facts = [day] if day else []
    if evaluation.latency_ms is not None:
        facts.append(f"{evaluation.latency_ms / 1000:.2f} s")
    if evaluation.cost_usd is not None:
        facts.append(f"${evaluation.cost_usd:.3f}")
    return " · ".join(facts)
