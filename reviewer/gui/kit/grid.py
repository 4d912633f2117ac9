"""Read-only tables of figures and facts: one model and one view, selected by stretches of rows.

A row is a tuple of cells with a key of its own; a cell has its words, the reason or the whole text
as its tooltip, and a role of the theme, such as `auto` or `muted`.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QResizeEvent,
    QShowEvent,
    QTextLayout,
)
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

from reviewer.gui.kit.tables import TableModel, select_only
from reviewer.gui.kit.theme import TextStyle, Theme

_Index = QModelIndex | QPersistentModelIndex
ROW = 25
TALL_ROW = 42
LEAST, LEAST_WRAPPED, NARROWEST = 110, 190, 80
"""Pixels at 100 % that a stretched column needs to be read at ease, and at all."""
_BELOW = Qt.ItemDataRole.UserRole + 1
_MARK = Qt.ItemDataRole.UserRole + 2
_WRAPS = Qt.ItemDataRole.UserRole + 3
_SHORT = Qt.ItemDataRole.UserRole + 4
_LEADING = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_TRAILING = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Cell:
    """What one place of a table says; `below` is a second, smaller line.

    A `mark` stands in a pill behind words with a second line, such as "best". Where the words do
    not fit, `short` stands instead, if there is any.
    """

    words: str
    role: str = ""
    tip: str = ""
    strong: bool = False
    below: str = ""
    mark: str = ""
    short: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, whether numbers stand at its end, and its width at 100 %.

    `width` 0 takes what the others leave. Where that is too little to read, columns with the
    highest `drop` are left out first; those with 0 always stay. Words of one that `wraps` take
    two lines.
    """

    title: str
    width: int = 0
    number: bool = False
    tip: str = ""
    drop: int = 0
    wraps: bool = False


class GridModel(TableModel[tuple[Cell, ...]]):
    """Rows of cells under columns."""

    def __init__(self, theme: Theme, columns: Sequence[Column]) -> None:
        """Make an empty table."""
        super().__init__([x.title for x in columns])
        self.columns = tuple(columns)
        self._theme = theme
        self._keys: tuple[Hashable, ...] = ()

    @property
    def keys(self) -> Sequence[Hashable]:
        """Give the keys of the rows in order."""
        return self._keys

    def show_rows(self, rows: Sequence[tuple[Hashable, Sequence[Cell]]]) -> None:
        """Show other rows, each with its key."""
        self._keys = tuple(key for key, _ in rows)
        self._put(tuple(tuple(cells) for _, cells in rows))

    @property
    def has_second_lines(self) -> bool:
        """Tell whether any cell has a second line."""
        wraps = any(column.wraps for column in self.columns)
        return wraps or any(cell.below for row in self._rows for cell in row)

    def place_of(self, key: Hashable) -> int | None:
        """Find the row of a key, None where there is none."""
        return self._keys.index(key) if key in self._keys else None

    def cell(self, row: int, column: int) -> Cell:
        """Give one cell."""
        return self._rows[row][column]

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return column.tip or None
            case Qt.ItemDataRole.TextAlignmentRole:
                return _TRAILING if column.number else _LEADING
        return None

    @override
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a cell's words, colour, weight, side or tooltip."""
        cell = self.cell(index.row(), index.column())
        column = self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                found: object = cell.words
            case Qt.ItemDataRole.ToolTipRole:
                found = cell.tip or None
            case Qt.ItemDataRole.TextAlignmentRole:
                found = _TRAILING if column.number else _LEADING
            case Qt.ItemDataRole.ForegroundRole:
                found = self._theme.colour(cell.role) if cell.role else None
            case Qt.ItemDataRole.FontRole:
                found = self._theme.font(TextStyle.STRONG) if cell.strong else None
            case Qt.ItemDataRole.AccessibleTextRole:
                spoken = ", ".join(x for x in (cell.words, cell.mark, cell.below) if x)
                found = f"{column.title}: {spoken or 'nothing'}"
            case _:
                more = {_WRAPS: column.wraps, _SHORT: cell.short}
                found = ({_BELOW: cell.below, _MARK: cell.mark} | more).get(role)
        return found


class _Lines(QStyledItemDelegate):
    """Draws a cell's one or two lines, in its own colours also where the row is chosen."""

    def __init__(self, theme: Theme, parent: QTableView) -> None:
        super().__init__(parent)
        self._theme = theme

    @override
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Draw ground, words and second line."""
        self.initStyleOption(option, index)
        words, option.text = option.text, ""
        option.widget.style().drawControl(
            QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget
        )
        side = self._theme.px(6)
        room = option.rect.adjusted(side, 0, -side, 0)
        tone = index.data(Qt.ItemDataRole.ForegroundRole) or self._theme.colour("text")
        below = str(index.data(_BELOW) or "")
        painter.save()
        if index.data(_WRAPS):
            _draw_wrapped(painter, room, words, font=option.font, tone=tone)
        elif not below:
            _draw(painter, room, words, font=option.font, tone=tone, side=option.displayAlignment)
        else:
            edge = self._theme.px(4)
            half = (room.height() - 2 * edge) // 2
            upper = room.adjusted(0, edge, 0, -half - edge)
            lower = room.adjusted(0, half + edge, 0, -edge)
            strong, tiny = self._theme.font(TextStyle.STRONG), self._theme.font(TextStyle.TINY)
            muted = self._theme.colour("muted")
            mark = str(index.data(_MARK) or "")
            if mark:
                upper, lower = self._draw_mark(painter, (upper, lower), words, mark)
            short = str(index.data(_SHORT) or "")
            cut = QFontMetrics(strong).elidedText(
                words, Qt.TextElideMode.ElideMiddle, upper.width()
            )
            if short and cut != words:
                words = short
            _draw(painter, upper, words, font=strong, tone=tone, side=option.displayAlignment)
            _draw(painter, lower, below, font=tiny, tone=muted, side=option.displayAlignment)
        painter.restore()

    def _draw_mark(
        self, painter: QPainter, lines: tuple[QRect, QRect], words: str, mark: str
    ) -> tuple[QRect, QRect]:
        """Draw a pill behind the words, or where there is no room before the second line.

        Gives what room is left for both.
        """
        upper, lower = lines
        font, edge = self._theme.font(TextStyle.TINY), self._theme.px(6)
        width = QFontMetrics(font).horizontalAdvance(mark) + 2 * edge
        said = QFontMetrics(self._theme.font(TextStyle.STRONG)).horizontalAdvance(words) + edge
        fits = said + width <= upper.width()
        line, left = (upper, said) if fits else (lower, 0)
        pill = QRect(line.left() + left, line.top(), width, line.height())
        pill.setHeight(min(pill.height(), QFontMetrics(font).height() + self._theme.px(2)))
        pill.moveTop(line.center().y() - pill.height() // 2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self._theme.colour("border"))
        painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
        tone = self._theme.colour("adjusted")
        _draw(painter, pill, mark, font=font, tone=tone, side=Qt.AlignmentFlag.AlignCenter)
        return (upper, lower) if fits else (upper, lower.adjusted(width + edge, 0, 0, 0))


def _draw(
    painter: QPainter, box: QRect, words: str, *, font: QFont, tone: QColor, side: Qt.AlignmentFlag
) -> None:
    # what is strong is a name, and names differ at their ends
    is_name = font.weight() > QFont.Weight.Normal
    cut = Qt.TextElideMode.ElideMiddle if is_name else Qt.TextElideMode.ElideRight
    shown = QFontMetrics(font).elidedText(words, cut, box.width())
    painter.setFont(font)
    painter.setPen(tone)
    painter.drawText(box, side, shown)


def _draw_wrapped(painter: QPainter, box: QRect, words: str, *, font: QFont, tone: QColor) -> None:
    """Draw words over two lines, the second one cut where they are longer."""
    metrics = QFontMetrics(font)
    layout = QTextLayout(words, font)
    layout.beginLayout()
    line = layout.createLine()
    if line.isValid():
        line.setLineWidth(box.width())
    layout.endLayout()
    first = line.textLength() if line.isValid() else len(words)
    parts = [words[:first].rstrip()]
    if first < len(words):
        rest = words[first:].lstrip()
        parts.append(metrics.elidedText(rest, Qt.TextElideMode.ElideRight, box.width()))
    painter.setFont(font)
    painter.setPen(tone)
    painter.drawText(box, _LEADING, "\n".join(parts))


class GridView(QTableView):
    """The view of such a table; arrows move, Return or a double click opens a row.

    Signals:
        row_chosen: Another row became the current one, by its key.
        row_opened: A row was asked for with Return or a double click, by its key.
    """

    row_chosen = Signal(object)
    row_opened = Signal(object)

    def __init__(
        self,
        theme: Theme,
        columns: Sequence[Column],
        name: str,
        rows: GridModel | None = None,
        *,
        most: int = 0,
    ) -> None:
        """Make an empty table.

        Args:
            theme: The window's.
            columns: What it shows of each row.
            name: What screen readers call it.
            rows: Its model, where it has one of its own.
            most: How many rows it is tall at most, 0 where it takes the room that there is.
        """
        super().__init__()
        self.rows = GridModel(theme, columns) if rows is None else rows
        self._theme = theme
        self._most = most
        self._kept: int | None = None
        self.setModel(self.rows)
        self.setItemDelegate(_Lines(theme, self))
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setMinimumSectionSize(8)
        self.selectionModel().currentRowChanged.connect(self._choose)
        self.activated.connect(lambda index: self.row_opened.emit(self.rows.keys[index.row()]))
        if most:
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._measure)
        self._measure()

    def show_rows(self, rows: Sequence[tuple[Hashable, Sequence[Cell]]]) -> None:
        """Show other rows; the row with the same key stays chosen."""
        chosen = self.chosen()
        self.rows.show_rows(rows)
        if chosen is not None:
            self.choose(chosen)
        self.verticalHeader().setDefaultSectionSize(self._row_height())
        self._fit()

    def keep_column(self, place: int | None) -> None:
        """Leave others out before a column, such as the one that is sorted by."""
        if place != self._kept:
            self._kept = place
            self._drop_columns()

    def chosen(self) -> Hashable | None:
        """Give the key of the current row."""
        index = self.currentIndex()
        return self.rows.keys[index.row()] if index.isValid() else None

    def choose(self, key: Hashable) -> bool:
        """Make the row with a key the current one; tells whether there is one."""
        place = self.rows.place_of(key)
        if place is None:
            return False
        select_only(self, self.rows.index(place, 0))
        return True

    @override
    def minimumSizeHint(self) -> QSize:
        """Ask for the width of the columns that always stay."""
        width = sum(
            (self.columnWidth(place) if column.width else self._theme.px(NARROWEST))
            for place, column in enumerate(self.rows.columns)
            if not column.drop
        )
        return QSize(width, super().minimumSizeHint().height())

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Measure once the style is known."""
        super().showEvent(event)
        self._measure()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out or bring back columns."""
        super().resizeEvent(event)
        self._drop_columns()

    def _choose(self, index: QModelIndex) -> None:
        if index.isValid():
            self.row_chosen.emit(self.rows.keys[index.row()])

    def _measure(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._row_height())
        header = self.horizontalHeader()
        metrics = QFontMetrics(self._theme.font())
        for place, column in enumerate(self.rows.columns):
            if not column.width:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(place, QHeaderView.ResizeMode.Interactive)
            title = metrics.horizontalAdvance(column.title) + self._theme.px(14)
            self.setColumnWidth(place, max(self._theme.px(column.width), title))
        self._drop_columns()
        self._fit()

    def _drop_columns(self) -> None:
        """Leave columns out until the stretched ones have room."""
        columns = self.rows.columns
        for place in range(len(columns)):
            self.showColumn(place)
        easy = sum(LEAST_WRAPPED if x.wraps else LEAST for x in columns if not x.width)
        stretched = sum(1 for column in columns if not column.width)
        droppable = sorted(
            (n for n, column in enumerate(columns) if column.drop and n != self._kept),
            key=lambda place: -columns[place].drop,
        )
        self._hide_until(droppable, self._theme.px(easy))
        if self._kept is not None and columns[self._kept].drop:
            # what stays else goes before the words themselves cannot be read any more
            others = [n for n, x in enumerate(columns) if x.width and not x.drop]
            self._hide_until(others[::-1], self._theme.px(NARROWEST) * stretched)

    def _hide_until(self, places: Sequence[int], needed: int) -> None:
        for place in places:
            taken = sum(
                self.columnWidth(n)
                for n, column in enumerate(self.rows.columns)
                if column.width and not self.isColumnHidden(n)
            )
            if self.viewport().width() - taken >= needed:
                return
            self.hideColumn(place)

    def _fit(self) -> None:
        if self._most:
            count = min(max(self.rows.rowCount(), 1), self._most)
            head = self.horizontalHeader().sizeHint().height()
            self.setFixedHeight(head + count * self._row_height() + self._theme.px(4))

    def _row_height(self) -> int:
        return self._theme.px(TALL_ROW if self.rows.has_second_lines else ROW)
