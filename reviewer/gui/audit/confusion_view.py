"""The table of human against auto values, shaded by which part of a row each takes."""

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)
from typing_extensions import override

from reviewer.domain.wording import amount, percent, score_words
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Colours, TextStyle, Theme, contrast, ink_on, mix
from reviewer.services.figures.statistics_blocks import Confusion

_Index = QModelIndex | QPersistentModelIndex
ROW, TALL_ROW, TALLEST = 31, 40, 12
NARROWEST, WIDEST_NAME, LONGEST_NAME = 16, 140, 200
"""Pixels at 100 % of the narrowest cell and of the names beside the rows, and their characters."""
NAMES_SHARE = 3
"""The names of the rows have at most this part of the table's width."""
TWO_LINES = 7
"""Rows up to which a share stands beneath every count."""
SHADE_FROM = 0.10
READABLE = 4.5
"""The least contrast of a number on its shade."""
Place = tuple[int | None, int]
"""Row and column of a cell, or a whole column."""


class ConfusionModel(QAbstractTableModel):
    """Counts, rows human, columns auto."""

    def __init__(self) -> None:
        """Make an empty table."""
        super().__init__()
        self.confusion = Confusion()

    def show_table(self, confusion: Confusion) -> None:
        """Show another table; the same one with other counts keeps what is chosen."""
        if confusion.table and confusion.values == self.confusion.values:
            self.confusion = confusion
            last = len(confusion.table) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(last, last))
            return
        self.beginResetModel()
        self.confusion = confusion
        self.endResetModel()

    def count(self, row: int, column: int) -> float:
        """Give one count, which labels that share an evaluation need not leave whole."""
        return self.confusion.table[row][column]

    @override
    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the human values."""
        return 0 if parent.isValid() else len(self.confusion.table)

    @override
    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the auto values."""
        return self.rowCount(parent)

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name a value."""
        value = one_line(score_words(self.confusion.values[section]), LONGEST_NAME)
        if role == Qt.ItemDataRole.DisplayRole:
            return value
        if role == Qt.ItemDataRole.ToolTipRole:
            side = "auto" if orientation == Qt.Orientation.Horizontal else "human"
            return f"{side} {value}"
        return None

    @override
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a count, nothing for 0."""
        n = self.count(index.row(), index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return amount(n) if n else ""
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            values = self.confusion.values
            human, auto = (
                one_line(score_words(values[at]), LONGEST_NAME)
                for at in (index.row(), index.column())
            )
            share = self.confusion.share(index.row(), index.column())
            of = "" if share is None else f", {percent(share)} of what people gave {human}"
            return f"human {human}, auto {auto}: {amount(n)}{of}"
        return None


class _Shades(QStyledItemDelegate):
    """Paints cells in the colour of agreement or disagreement, by their part of the row."""

    def __init__(self, theme: Theme, model: ConfusionModel, parent: QTableView) -> None:
        super().__init__(parent)
        self._theme = theme
        self._model = model

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one cell."""
        n = self._model.count(index.row(), index.column())
        box = option.rect.adjusted(1, 1, -2, -2)
        painter.save()
        if n:
            share = self._model.confusion.share(index.row(), index.column()) or 0.0
            shade = self._shade(share, same=index.row() == index.column())
            painter.fillRect(box, shade)
            painter.setPen(ink_on(self._theme.colours, shade))
            self._write(painter, box, amount(n), percent(share))
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(self._theme.colour("human_fill"), self._theme.px(2)))
            painter.drawRect(box)
        elif option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(self._theme.colour("focus"), self._theme.px(1)))
            painter.drawRect(box)
        painter.restore()

    def _write(self, painter: QPainter, box: QRect, count: str, share: str) -> None:
        """Write a count, and its share beneath where there is room."""
        small = self._theme.font(TextStyle.TINY)
        above, below = painter.fontMetrics(), QFontMetrics(small)
        high = above.height() + below.height()
        if box.height() < high or box.width() < below.horizontalAdvance(share):
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, count)
            return
        top = box.top() + (box.height() - high) // 2
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
        painter.drawText(QRect(box.left(), top, box.width(), above.height()), middle, count)
        painter.setFont(small)
        lower = QRect(box.left(), top + above.height(), box.width(), below.height())
        painter.drawText(lower, middle, share)

    def _shade(self, part: float, *, same: bool) -> QColor:
        colours = self._theme.colours
        heat = colours.heat_agree if same else colours.heat_disagree
        share, ground = SHADE_FROM + (1 - SHADE_FROM) * part, colours.card
        shade = mix(ground, heat, share)
        while share > SHADE_FROM and _stands_out(colours, shade) < READABLE:
            share -= 0.02
            shade = mix(ground, heat, share)
        return shade


def _stands_out(colours: Colours, shade: QColor) -> float:
    return contrast(ink_on(colours, shade).name(), shade.name())


class ConfusionView(QTableView):
    """The table; a chosen cell lists its evaluations, Escape shows all again.

    Signals:
        cell_chosen: A cell with evaluations was chosen, by row (human) and column (auto).
        cleared: No cell is chosen any more.
    """

    cell_chosen = Signal(int, int)
    cleared = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty table."""
        super().__init__()
        self.counts = ConfusionModel()
        self._theme = theme
        self.setModel(self.counts)
        self.setItemDelegate(_Shades(theme, self.counts, self))
        self.setAccessibleName("Human against auto: choose a cell to list its evaluations")
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabKeyNavigation(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setTextElideMode(Qt.TextElideMode.ElideRight)
            header.setSectionsClickable(False)
            header.setHighlightSections(False)
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setStyleSheet("QHeaderView::section { border: none; }")
        connect(
            (self.clicked, self._choose),
            (self.activated, self._choose),
            (theme.changed, self._measure),
        )

    def show_table(self, confusion: Confusion) -> None:
        """Show another table; with other values nothing is chosen."""
        self.counts.show_table(confusion)
        self.setVisible(bool(confusion.table))
        self._measure()

    def clear_choice(self) -> None:
        """Choose no cell."""
        self.clearSelection()
        self.cleared.emit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Show all again with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.clear_choice()
            return
        super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width between the names of the rows and the cells."""
        super().resizeEvent(event)
        self._measure()

    def _choose(self, index: QModelIndex) -> None:
        if self.counts.count(index.row(), index.column()):
            self.cell_chosen.emit(index.row(), index.column())
        else:
            self.clear_choice()

    def _measure(self) -> None:
        """Bound the names of the rows, and scroll sideways where the cells have no room."""
        px = self._theme.px
        across, down = self.horizontalHeader(), self.verticalHeader()
        down.setMinimumSectionSize(
            max(QFontMetrics(self._theme.font()).height() + px(6), px(NARROWEST))
        )
        down.setMaximumWidth(min(px(WIDEST_NAME), max(self.width() // NAMES_SHARE, px(NARROWEST))))
        confusion, metrics = self.counts.confusion, QFontMetrics(self._theme.font())
        words = [amount(n) for row in confusion.table for n in row] or [amount(0)]
        words += [score_words(x) for x in confusion.values if not isinstance(x, str)]
        widest = max(metrics.horizontalAdvance(x) for x in words)
        least = NARROWEST * 3 if any(isinstance(x, str) for x in confusion.values) else NARROWEST
        cell = max(widest + self._theme.px(8), self._theme.px(least))
        across.setMinimumSectionSize(cell)
        needed = (
            min(down.sizeHint().width(), down.maximumWidth()) + cell * self.counts.columnCount()
        )
        bar = self.horizontalScrollBar().sizeHint().height() if needed > self.width() else 0
        rows = min(max(self.counts.rowCount(), 1), TALLEST)
        # large letters take what they need for two lines
        tall = max(px(TALL_ROW), self._two_lines())
        high = tall if self.counts.rowCount() <= TWO_LINES else px(ROW)
        self.setFixedHeight(across.sizeHint().height() + rows * high + bar)

    def _two_lines(self) -> int:
        fonts = (self._theme.font(), self._theme.font(TextStyle.TINY))
        return sum(QFontMetrics(font).height() for font in fonts) + 4


def describe(confusion: Confusion, cell: Place) -> str:
    """Say which cell is listed: "human 2 · auto 5", or the column "auto 5"."""
    values: Sequence[object] = confusion.values
    row, column = cell
    auto = f"auto {values[column]}"
    return auto if row is None else f"human {values[row]} · {auto}"
