"""The line above the conversation: which evaluation this is, and the ways to look at it."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QWidget
from typing_extensions import override

from reviewer.domain.evaluation import Evaluation
from reviewer.domain.wording import brief, fixed
from reviewer.gui.kit import layouts
from reviewer.gui.kit.layouts import FlowLayout
from reviewer.gui.kit.pieces import Button, dressed, named, pill, say, show, text, write
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme

CENT = 0.01
WIDE_FROM = 750
"""Width in pixels at 100 % from which date, latency and cost have room."""
TABS = ("Conversation", "Context", "Expected", "History", "Judge")
JUDGE = TABS.index("Judge")


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
        self._is_alone = False
        row = FlowLayout(self, spacing=theme.px(8))
        row.setContentsMargins(theme.px(20), theme.px(10), theme.px(16), theme.px(6))
        self.id = text("", "heading")
        self.category = pill("")
        self.facts = pill("")
        for label in (self.id, self.category, self.facts):
            label.setMinimumHeight(theme.px(30))
            row.addWidget(label)
        self._tabs = QButtonGroup(self)
        together = named(dressed(QWidget(), kind="tabs"), "Views of the response")
        line = FlowLayout(together, spacing=theme.px(4), together=True)
        for place, name in enumerate(TABS):
            button = Button(name, kind="tab")
            button.setCheckable(True)
            button.setProperty("dense", "true")
            self._tabs.addButton(button, place)
            line.addWidget(button)
        row.addWidget(together)
        self._tabs.button(0).setChecked(True)
        self._tabs.idClicked.connect(self.tab_chosen)
        field = named(
            QLineEdit(placeholderText="Find in the conversation…", clearButtonEnabled=True),
            "Find in the conversation",
            hidden=True,
        )
        field.setFixedWidth(self._theme.px(240))
        field.textChanged.connect(lambda words: self.find_requested.emit(words, 0))
        field.returnPressed.connect(lambda: self.find_requested.emit(field.text(), 1))
        self.search = field
        self.found = text("", "small")
        layouts.fill(row, self.search, self.found)
        self.found.hide()

    def choose_tab(self, place: int) -> None:
        """Look at the evaluation in another way."""
        self._tabs.button(place).setChecked(True)
        self.tab_chosen.emit(place)

    def show_evaluation(self, evaluation: Evaluation) -> None:
        """Name an evaluation."""
        write(
            self.id,
            one_line(evaluation.id, 28),
            tip=f"{evaluation.id} · run {evaluation.run} · {_facts(evaluation)}",
        )
        say(self.category, one_line(evaluation.category or "", 24))
        self.category.setVisible(bool(evaluation.category) and not self._is_alone)
        self.facts.setText(_facts(evaluation))
        self._settle_facts()
        self.facts.setToolTip(f"run {evaluation.run} · model {evaluation.model or 'not known'}")

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the facts to the tooltip where the pane is narrow."""
        super().resizeEvent(event)
        self._settle_facts()

    def set_alone(self, *, alone: bool) -> None:
        """Leave the name of the evaluation to the bar above, where that is shown."""
        self._is_alone = alone
        self.id.setVisible(not alone)
        self.category.setVisible(not alone and bool(self.category.text()))
        self._settle_facts()

    def _settle_facts(self) -> None:
        roomy = self.width() >= self._theme.px(WIDE_FROM) and not self._is_alone
        self.facts.setVisible(bool(self.facts.text()) and roomy)

    def open_find(self) -> None:
        """Show the search field and put the cursor into it."""
        show(self.search, self.found, shown=True)
        self.search.setFocus()
        self.search.selectAll()

    def close_find(self) -> None:
        """Hide the search field and forget what was searched."""
        self.search.clear()
        show(self.search, self.found, shown=False)
        self.found.setText("")


def _facts(evaluation: Evaluation) -> str:
    day = (evaluation.evaluated_at or evaluation.occurred_at or "")[:10]
    facts = [day] if day else []
    if evaluation.latency_ms is not None:
        facts.append(f"{fixed(evaluation.latency_ms / 1000)} s")
    if evaluation.cost_usd is not None:
        facts.append(
            f"${fixed(evaluation.cost_usd, 3)}"
            if evaluation.cost_usd >= CENT
            else f"${brief(evaluation.cost_usd, 2)}"
        )
    return " · ".join(facts)
