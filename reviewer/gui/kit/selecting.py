"""What is selected in a list, told by stretches of rows, as there may be very many."""

from PySide6.QtCore import QItemSelectionModel, QModelIndex
from PySide6.QtWidgets import QAbstractItemView


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
