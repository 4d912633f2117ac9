"""The causes of disagreements as buttons with their counts, which narrow the list."""

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.services.adjudicating.decisions import CAUSES, TITLES, Cause

SHORT: dict[Cause, str] = {
    "judge_wrong": "judge wrong",
    "human_slip": "human slip",
    "rubric_unclear": "rubric unclear",
    "data_broken": "broken",
    "both_defensible": "both fine",
}


class CauseSegment(QAbstractButton):
    """One cause with its count, over a bar as long as its share of the most frequent one."""

    def __init__(self, theme: Theme, cause: Cause) -> None:
        """Make the segment of a cause that nobody recorded."""
        super().__init__()
        self._theme = theme
        self._cause = cause
        self._share = 0.0
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"Cause {TITLES[cause]}")
        self.setToolTip(f"List only those with the cause: {TITLES[cause]}.")

    def show_count(self, count: int, most: int) -> None:
        """Show how often the cause occurs."""
        self._share = count / most if most else 0.0
        pieces.write(
            self, f"{SHORT[self._cause]} {count:,}", name=f"Cause {TITLES[self._cause]}, {count:,}"
        )
        self.setVisible(count > 0 or self.isChecked())
        self.updateGeometry()
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Ask for room for words and bar."""
        self.setFont(self._theme.font(TextStyle.SMALL))
        width = self.fontMetrics().horizontalAdvance(self.text()) + self._theme.px(14)
        return QSize(width, self.fontMetrics().height() + self._theme.px(10))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint words and bar."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, px = self._theme.colour, self._theme.px
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        edge = "focus" if self.hasFocus() or self.isChecked() else "border"
        painter.setPen(QPen(colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(colour("selection" if self.isChecked() or self.underMouse() else "card"))
        painter.drawRoundedRect(box, px(5), px(5))
        inner = box.adjusted(px(5), 0, -px(5), -px(2))
        track = QRectF(inner.left(), inner.bottom() - px(3), inner.width(), px(3))
        painter.fillRect(track, colour("track"))
        track.setWidth(max(inner.width() * self._share, px(2)))
        painter.fillRect(track, colour("human_fill"))
        painter.setPen(colour("text"))
        painter.setFont(self._theme.font(TextStyle.SMALL))
        room = inner.adjusted(0, 0, 0, -px(4))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class CauseBar(QWidget):
    """The causes that occur.

    Signals:
        cause_chosen: The list is to show one cause alone, or all again (None).
        todo_requested: What the rubric leaves unclear is to be shown.
    """

    cause_chosen = Signal(object)
    todo_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty row."""
        super().__init__(accessibleName="Causes of disagreements")
        row = layouts.FlowLayout(self, spacing=theme.px(5), together=True)
        self.segments: dict[Cause, CauseSegment] = {}
        for cause in CAUSES:
            segment = self.segments[cause] = CauseSegment(theme, cause)
            segment.clicked.connect(lambda _=False, x=cause: self._choose(x))
            row.addWidget(segment)
        self.todo = pieces.named(
            pieces.Button("To-do list", self.todo_requested.emit, kind="link"),
            "Rubric to-do list",
            hidden=True,
        )
        self.hide()

    @property
    def chosen(self) -> Cause | None:
        """Give the cause that the list is narrowed to."""
        return next((name for name, x in self.segments.items() if x.isChecked()), None)

    def show_counts(self, counts: Mapping[Cause, int]) -> None:
        """Show how often each cause occurs."""
        most = max(counts.values(), default=0)
        for cause, segment in self.segments.items():
            segment.show_count(counts.get(cause, 0), most)
        self.todo.setVisible(counts.get("rubric_unclear", 0) > 0)
        self.setVisible(most > 0 or self.chosen is not None)

    def reset(self) -> None:
        """Choose no cause, without telling."""
        for segment in self.segments.values():
            segment.setChecked(False)

    def _choose(self, cause: Cause) -> None:
        for other, segment in self.segments.items():
            if other != cause:
                segment.setChecked(False)
        self.cause_chosen.emit(self.chosen)
