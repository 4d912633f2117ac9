"""An editable table over the rows of a rubric's file: levels, grades, tools, metrics."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget
from typing_extensions import override

from reviewer.domain.rubric_keys import Keys
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.tables import TableModel, table_view
from reviewer.gui.kit.theme import Theme

_Index = QModelIndex | QPersistentModelIndex


def read_number(words: str) -> float | str | None:
    """Read a number as it was typed; nothing is None, and what is no number stays text."""
    typed = words.strip().replace("−", "-")
    if not typed:
        return None
    try:
        return int(typed)
    except ValueError:
        pass
    try:
        return float(typed)
    except ValueError:
        return typed


def write_value(value: object) -> str:
    """Write a value as it would be typed."""
    if value is None:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class KeyColumn:
    """One key of every row.

    Attributes:
        width: In pixels at 100 %; 0 takes what the others leave.
        number: Whether it is read as a number.
        optional: Whether nothing means that the key is absent, not an empty text.
        fixed: Whether it can only be read here.
    """

    key: str
    title: str
    width: int = 0
    number: bool = False
    optional: bool = False
    fixed: bool = False


class KeysModel(TableModel[Keys]):
    """Rows of keys; what is typed goes straight into them.

    Signals:
        edited: A value was changed.
    """

    edited = Signal()

    def __init__(self, columns: Sequence[KeyColumn]) -> None:
        """Make a table without rows."""
        super().__init__([x.title for x in columns])
        self._columns = tuple(columns)
        self.rows: list[Keys] = []

    def show_rows(self, rows: list[Keys]) -> None:
        """Edit other rows: what is typed goes into these."""
        self.rows = rows
        self._put(rows)

    def refresh(self) -> None:
        """Show the rows as they are now."""
        if self.rows:
            last = self.index(len(self.rows) - 1, len(self._columns) - 1)
            self.dataChanged.emit(self.index(0, 0), last)

    @override
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Give a value as text."""
        words = write_value(self.rows[index.row()].get(self._columns[index.column()].key))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole):
            return words
        if role == Qt.ItemDataRole.ToolTipRole:
            return words if len(words) > 30 else None
        return None

    @override
    def setData(self, index: _Index, value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Take what was typed."""
        column = self._columns[index.column()]
        words = str(value)
        typed = read_number(words) if column.number else words
        if column.optional and not words.strip():
            typed = None
        if role != Qt.ItemDataRole.EditRole:
            return False
        self.rows[index.row()][column.key] = typed
        self.dataChanged.emit(index, index)
        self.edited.emit()
        return True

    @override
    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Let everything be edited that is not fixed."""
        found = super().flags(index)
        return found if self._columns[index.column()].fixed else found | Qt.ItemFlag.ItemIsEditable


@dataclass(frozen=True, slots=True)
class Verbs:
    """How a table adds a row and what its rows are called."""

    thing: str
    new: Callable[[list[Keys]], Keys]


class KeysTable(QWidget):
    """The table with its buttons; F2 or typing edits, Delete removes, Alt+Up and Alt+Down move.

    Signals:
        edited: Rows or values were changed.
        row_chosen: Another row is the current one, by its place; -1 for none.
    """

    edited = Signal()
    row_chosen = Signal(int)

    def __init__(self, theme: Theme, columns: Sequence[KeyColumn], verbs: Verbs) -> None:
        """Make an empty table."""
        super().__init__()
        self._theme = theme
        self._columns = tuple(columns)
        self._verbs = verbs
        self.model = KeysModel(columns)
        self.model.edited.connect(self.edited)
        self.view = table_view(self.model, f"{verbs.thing.capitalize()}s")
        self.view.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.view.selectionModel().currentRowChanged.connect(
            lambda index, _: self.row_chosen.emit(index.row())
        )
        self.view.installEventFilter(self)
        thing = verbs.thing
        self.add_button = pieces.Button(f"Add {thing}", self.add, dense=True)
        self.remove_button = pieces.Button(
            "Remove", self.remove, dense=True, name=f"Remove {thing}"
        )
        self.up_button = pieces.named(
            pieces.Button("Up", lambda: self.move_row(-1), dense=True), f"Move {thing} up"
        )
        self.down_button = pieces.named(
            pieces.Button("Down", lambda: self.move_row(1), dense=True), f"Move {thing} down"
        )
        layouts.column(
            (self.view, 1),
            layouts.row(self.add_button, self.remove_button, self.up_button, self.down_button, 1),
            on=self,
            margins=0,
        )
        theme.changed.connect(self._measure)
        self._measure()

    @property
    def place(self) -> int:
        """Give the place of the current row, -1 for none."""
        return self.view.currentIndex().row()

    def show_rows(self, rows: list[Keys], place: int = 0) -> None:
        """Edit other rows, with one of them current."""
        self.model.show_rows(rows)
        self.choose(place)

    def choose(self, place: int) -> None:
        """Make a row the current one."""
        place = min(place, len(self.model.rows) - 1)
        flag = QItemSelectionModel.SelectionFlag
        self.view.selectionModel().setCurrentIndex(
            self.model.index(place, 0), flag.ClearAndSelect | flag.Rows
        )
        if place < 0:
            self.row_chosen.emit(-1)

    def add(self) -> None:
        """Put a new row at the end and make it current."""
        rows = self.model.rows
        rows.append(self._verbs.new(rows))
        self.show_rows(rows, len(rows) - 1)
        self.edited.emit()

    def remove(self) -> None:
        """Take the current row out."""
        place, rows = self.place, self.model.rows
        if place >= 0:
            del rows[place]
            self.show_rows(rows, place)
            self.edited.emit()

    def move_row(self, step: int) -> None:
        """Move the current row up (-1) or down (1)."""
        place, rows = self.place, self.model.rows
        target = place + step
        if place >= 0 and 0 <= target < len(rows):
            rows.insert(target, rows.pop(place))
            self.show_rows(rows, target)
            self.edited.emit()

    @override
    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Let Delete remove a row, and Alt with an arrow move it."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            alt = event.modifiers() == Qt.KeyboardModifier.AltModifier
            steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
            if alt and event.key() in steps:
                self.move_row(steps[Qt.Key(event.key())])
                return True
            if event.key() == Qt.Key.Key_Delete:
                self.remove()
                return True
        return False

    def _measure(self) -> None:
        header = self.view.horizontalHeader()
        header.setStretchLastSection(False)
        self.view.verticalHeader().setDefaultSectionSize(self._theme.px(27))
        for place, column in enumerate(self._columns):
            if column.width:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Interactive)
                self.view.setColumnWidth(place, self._theme.px(column.width))
            else:
                header.setSectionResizeMode(place, QHeaderView.ResizeMode.Stretch)
