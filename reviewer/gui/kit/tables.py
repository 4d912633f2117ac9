"""Tables of rows under titled columns; one shows plain rows: the preview and what was refused."""

import json
from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView
from typing_extensions import override

LONGEST = 300
Row = TypeVar("Row")
_Index = QModelIndex | QPersistentModelIndex


class TableModel(QAbstractTableModel, Generic[Row]):
    """Rows under titled columns; whoever derives from it says what stands in a cell."""

    def __init__(self, titles: Sequence[str] = ()) -> None:
        """Make a table without rows."""
        super().__init__()
        self._titles = tuple(titles)
        self._rows: Sequence[Row] = ()

    def _put(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    @override
    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the rows."""
        return 0 if parent.isValid() else len(self._rows)

    @override
    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        """Count the columns."""
        return 0 if parent.isValid() else len(self._titles)

    @override
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Name a column."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._titles[section]
        return None


class RowsModel(TableModel[Mapping[str, object]]):
    """Rows of named values as text; long ones are cut for the cell and whole in the tooltip."""

    def show_rows(self, columns: Sequence[str], rows: Sequence[Mapping[str, object]]) -> None:
        """Show other rows."""
        self._titles = tuple(columns)
        self._put(tuple(rows))

    @override
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a cell's text."""
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        words = as_words(self._rows[index.row()].get(self._titles[index.column()]))
        if role == Qt.ItemDataRole.ToolTipRole:
            return words[:2000] if len(words) > 40 else None
        return " ".join(words[:LONGEST].split())


def as_words(value: object) -> str:
    """Write a value as people read it; lists and objects as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def table_view(model: QAbstractTableModel, name: str) -> QTableView:
    """Make the view of such a table."""
    view = QTableView(showGrid=False, wordWrap=False)
    view.setModel(model)
    view.setAccessibleName(name)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.verticalHeader().hide()
    header = view.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    header.setDefaultSectionSize(150)
    header.setStretchLastSection(True)
    header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
    header.setHighlightSections(False)
    return view


def selected_rows(view: QAbstractItemView) -> list[tuple[int, int]]:
    """Give the first and last row of each selected stretch, from top to bottom."""
    selection = view.selectionModel().selection()
    found = [selection.at(place) for place in range(selection.count())]
    return sorted({(one.top(), one.bottom()) for one in found})


def select_only(view: QAbstractItemView, index: QModelIndex) -> None:
    """Make a row the current one and the only one selected, whatever keys are held down."""
    flags = QItemSelectionModel.SelectionFlag
    view.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows)


def count_selected(view: QAbstractItemView) -> int:
    """Count the selected rows."""
    return sum(last - first + 1 for first, last in selected_rows(view))
