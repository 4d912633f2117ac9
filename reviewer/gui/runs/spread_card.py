"""How the cases of a test set are spread, as bars that lead to them, and the index of tags."""

from collections.abc import Mapping

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import TextStyle, Theme
from reviewer.services.testing.sets import NO_CATEGORY, Spread

BARS, TAGS = 10, 21


class SpreadCard(pieces.Card):
    """Bars by complexity and category, and every tag with its count.

    Signals:
        filter_requested: The cases are to be narrowed, by a filter as one would type it.
    """

    filter_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make the card without cases."""
        super().__init__("Spread")
        self._spread = Spread(cases=0, complexity={}, category={}, tags={})
        self._whole = False
        self.hint = pieces.text("click to see the cases", "small")
        self.head.addWidget(self.hint)
        self.complexity = CountBars(theme, "Complexity")
        self.category = CountBars(theme, "Category")
        row = layouts.row(gap=theme.px(18))
        for title, bars in (("complexity", self.complexity), ("category", self.category)):
            row.addLayout(layouts.column(pieces.text(title, "small"), bars, 1, gap=2), 1)
        self.body.addLayout(row)
        self.tags_title = pieces.text("tags", "small")
        self.tags = pieces.named(QWidget(), "Tags")
        self._flow = layouts.FlowLayout(self.tags, spacing=6)
        layouts.fill(self.body, self.tags_title, self.tags)
        pieces.connect(
            (self.complexity.chosen, lambda name: self._ask("complexity", name)),
            (
                self.category.chosen,
                lambda name: self._ask("category", "" if name == NO_CATEGORY else name),
            ),
        )

    def show_spread(self, spread: Spread) -> None:
        """Show how some cases are spread."""
        self.complexity.show_counts(spread.complexity, BARS)
        self.category.show_counts(spread.category, BARS)
        self._spread = spread
        self._show_tags()

    def _show_tags(self) -> None:
        pieces.clear(self._flow)
        spread = self._spread
        most = len(spread.tags) if self._whole else TAGS
        for tag, count in list(spread.tags.items())[:most]:
            button = pieces.Button(
                f"{one_line(tag, 40)} {count:,}", dense=True, name=f"Tag {one_line(tag, 40)}"
            )
            button.clicked.connect(lambda _=False, tag=tag: self.filter_requested.emit(
                f"tag:{quoted(tag)}"))  # fmt: skip
            self._flow.addWidget(button)
        left = len(spread.tags) - most
        if left > 0:
            self._flow.addWidget(pieces.Button(f"{left:,} more", self._show_all, kind="link"))
        pieces.show(self.tags, self.tags_title, shown=bool(spread.tags))

    def _show_all(self) -> None:
        self._whole = True
        self._show_tags()

    def _ask(self, field: str, name: str) -> None:
        self.filter_requested.emit(f"{field}={quoted(name)}")


def quoted(text: str) -> str:
    """Hold words together in a filter."""
    return f'"{text}"' if " " in text or not text else text


ROW, BAR, NAME, NUMBER, GAP = 24, 8, 0.5, 30, 8
"""Pixels at 100 %; the name takes its share of the width."""


class CountBars(QWidget):
    """A bar a name, the most frequent first.

    Signals:
        chosen: A bar was pressed, by its name.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, name: str) -> None:
        """Make it without a bar; `name` is what is counted."""
        super().__init__()
        self._theme = theme
        self._name = name
        self.rows: dict[str, CountRow] = {}
        self._column = layouts.column(on=self, margins=0, gap=0)
        self.setAccessibleName(name)

    def show_counts(self, counts: Mapping[str, int], most: int) -> None:
        """Show counts, at most so many; the longest bar fills the width."""
        pieces.clear(self._column)
        self.rows = {}
        longest = max(counts.values(), default=1)
        for name, count in list(counts.items())[:most]:
            row = pieces.named(
                CountRow(self._theme, name, count, count / longest),
                f"{self._name} {one_line(name, 60)}: {count:,}",
            )
            row.clicked.connect(lambda _=False, name=name: self.chosen.emit(name))
            self._column.addWidget(row)
            self.rows[name] = row
        left = len(counts) - len(self.rows)
        if left > 0:
            self._column.addWidget(pieces.text(f"and {left:,} more", "tiny"))


class CountRow(QAbstractButton):
    """One name, its bar and its count."""

    def __init__(self, theme: Theme, name: str, count: int, share: float) -> None:
        """Make the row; `share` is the bar's part of the longest."""
        super().__init__()
        self._theme = theme
        self._name, self._count, self._share = one_line(name, 200), count, share
        self.setToolTip(f"{self._name}: {count:,}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @override
    def sizeHint(self) -> QSize:
        """Ask for one line of text."""
        return QSize(self._theme.px(160), self._theme.px(ROW))

    @override
    def minimumSizeHint(self) -> QSize:
        """Make do with a short name and a short bar."""
        return QSize(self._theme.px(110), self._theme.px(ROW))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw name, bar and count; underlined where the pointer is, framed in focus."""
        theme, px = self._theme, self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(self.layoutDirection())
        box = self.rect().adjusted(px(4), 0, -px(4), 0)
        font = QFont(theme.font(TextStyle.SMALL))
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        named, number = round(box.width() * NAME), px(NUMBER)
        shown = QFontMetrics(font).elidedText(self._name, Qt.TextElideMode.ElideRight, named)
        painter.setPen(theme.colour("text"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignLeft, shown)
        font.setUnderline(False)
        painter.setFont(font)
        painter.setPen(theme.colour("muted"))
        painter.drawText(box, middle | Qt.AlignmentFlag.AlignRight, f"{self._count:,}")
        room = box.width() - named - number - 2 * px(GAP)
        bar = QRectF(
            box.left() + named + px(GAP), box.center().y() - px(BAR) / 2 + 0.5,
            max(room * self._share, px(2)), px(BAR),
        )  # fmt: skip
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("auto_fill"))
        painter.drawRoundedRect(bar, px(2), px(2))
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.colour("focus"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), px(4), px(4))
