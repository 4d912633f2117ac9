"""What came of a try on five evaluations, one line each."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from reviewer.gui.jobs import job_words
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.evaluating.five import Try

LONGEST = 160


class TriesView(QWidget):
    """A line an evaluation: value, reasoning, what people gave; its id opens it.

    Signals:
        evaluation_requested: An evaluation is to be opened on Review, by its key.
    """

    evaluation_requested = Signal(int)

    def __init__(self, theme: Theme) -> None:
        """Make it empty."""
        super().__init__()
        self.setAccessibleName("What came of the try")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(theme.px(6))
        self.hide()

    def show_tries(self, tries: Sequence[Try]) -> None:
        """Show what came of a try; nothing hides the view."""
        pieces.clear(self._column)
        for each in tries:
            self._column.addWidget(self._line(each))
        if tries:
            self._column.addWidget(pieces.text(_sum(tries), "small", wrap=True))
        self.setVisible(bool(tries))

    def _line(self, each: Try) -> QWidget:
        line = QWidget()
        flow = pieces.FlowLayout(line, spacing=6)
        name = one_line(each.id, 30)
        wish = pieces.Button(name, lambda: self.evaluation_requested.emit(each.key), kind="link")
        wish.setAccessibleName(f"Open {name} on Review")
        flow.addWidget(wish)
        if each.value is not None:
            value = pieces.text(_value(each.value), "auto")
            value.setProperty("weight", "strong")
            flow.addWidget(value)
        if each.people:
            given = ", ".join(_value(x) for x in each.people)
            flow.addWidget(pieces.text(f"people: {given}", "human"))
        words = one_line(each.said, LONGEST) or "no reasoning"
        said = pieces.text(words, "muted" if each.worked else "alert", wrap=True)
        said.setToolTip(each.said[:2_000])
        column = QWidget()
        rows = QVBoxLayout(column)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(1)
        if each.metric:
            flow.addWidget(pieces.text(each.metric, "small"))
        rows.addWidget(line)
        rows.addWidget(said)
        return column


def _value(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else one_line(str(value), 40)


def _sum(tries: Sequence[Try]) -> str:
    worked = sum(1 for x in tries if x.worked)
    words = f"{worked} of {len(tries)} worked; nothing of it is stored"
    known = [x.cost_usd for x in tries if x.cost_usd is not None]
    return f"{words} · {job_words.money(sum(known))}." if known else f"{words}."
