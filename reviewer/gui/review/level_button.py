"""One level of a scale as a button: what the labeler gave, and what the judge gave."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy
from typing_extensions import override

from reviewer.gui.kit.theme import TextStyle, Theme


class LevelButton(QAbstractButton):
    """A level; filled when it is the label, underlined and named when it is the auto score.

    Signals:
        reached: The keyboard focus came here.
    """

    reached = Signal()

    def __init__(self, theme: Theme, words: str, *, key: str, title: str) -> None:
        """Make a level that nobody gave; `key` is the key that sets it."""
        super().__init__()
        self._theme = theme
        self._words = words
        self._title = title
        self._given = False
        self._auto = False
        self.setText(words)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"{words} {title}".strip() + (f"   [{key}]" if key else ""))
        self._describe()

    def set_state(self, *, given: bool, auto: bool) -> None:
        """Show whether this is the label and whether it is the auto score."""
        if (given, auto) != (self._given, self._auto):
            self._given, self._auto = given, auto
            self._describe()
            self.update()

    @override
    def sizeHint(self) -> QSize:
        """Ask for a comfortable target."""
        width = self.fontMetrics().horizontalAdvance(self._words) + self._theme.px(16)
        return QSize(max(width, self._theme.px(36)), self._theme.px(30))

    @override
    def minimumSizeHint(self) -> QSize:
        """Never cut the words; large text leaves less room around them."""
        hint = self.sizeHint()
        hint.setWidth(self.fontMetrics().horizontalAdvance(self._words) + self._theme.px(8))
        return hint

    @override
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Say that the focus came here."""
        super().focusInEvent(event)
        self.reached.emit()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the level; what looked the same before is not drawn a second time."""
        state = (self._given, self._auto, self.underMouse(), self.hasFocus())
        look = ("level", self._words, *state)
        pictures, ratio = self._theme.pictures, self.devicePixelRatioF()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, pictures.get(look, self.size(), ratio, self._draw))
        painter.end()

    def _draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour, px = self._theme.colour, self._theme.px
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        ground = "human_fill" if self._given else "hover" if self.underMouse() else "card"
        edge = "focus" if self.hasFocus() else "human_fill" if self._given else "border"
        painter.setPen(QPen(colour(edge), 2 if self.hasFocus() else 1))
        painter.setBrush(colour(ground))
        painter.drawRoundedRect(box, px(5), px(5))
        painter.setPen(colour("on_human" if self._given else "text"))
        painter.setFont(self._theme.font(TextStyle.STRONG))
        room = box.adjusted(0, 0, 0, -px(8)) if self._auto else box
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self._words)
        if self._auto:
            self._paint_auto(painter, box)

    def _paint_auto(self, painter: QPainter, box: QRectF) -> None:
        colour, px = self._theme.colour, self._theme.px
        bar = QRectF(box.left() + px(2), box.bottom() - px(3), box.width() - px(4), px(3))
        painter.fillRect(bar, colour("auto_fill"))
        painter.setPen(colour("on_human" if self._given else "auto"))
        font = self._theme.font(TextStyle.TINY)
        font.setPixelSize(max(8, round(font.pixelSize() * 0.85)))
        painter.setFont(font)
        lower = QRectF(box.left(), box.bottom() - px(15), box.width(), px(12))
        painter.drawText(lower, Qt.AlignmentFlag.AlignCenter, "auto")

    def _describe(self) -> None:
        words = [self._words, self._title]
        if self._given:
            words.append("your label")
        if self._auto:
            words.append("auto score")
        self.setAccessibleName(", ".join(word for word in words if word))
