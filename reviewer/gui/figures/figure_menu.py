"""What every figure of the page offers: a sentence to copy, its formula, its responses."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QAbstractScrollArea, QLabel, QMenu, QWidget

from reviewer.gui.actions import ON_FIGURE, Command
from reviewer.gui.explanation import ExplanationDialog
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import GridView
from reviewer.gui.kit.theme import Theme
from reviewer.gui.plots.plot import Plot
from reviewer.services.explaining.explanations_words import Step

Keys = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure as somebody takes it away.

    Attributes:
        title: Its name with what it is about, such as "Mean gap of Accuracy".
        sentence: The figure in a sentence that stands alone, with n and interval.
        steps: Gives the formula with the numbers filled in; None where there is none.
        keys: Gives the evaluations behind it; None where there is nothing to list.
        heading: What the list of responses is called, where not as the figure.
    """

    title: str
    sentence: str
    steps: Callable[[], Sequence[Step]] | None = None
    keys: Callable[[], Keys] | None = None
    heading: str = ""


Find = Callable[[], Figure | None]
FindCell = Callable[[Hashable, int], Figure | None]


class FigureMenu(QObject):
    """Serves the figures of widgets by context menu and by keys.

    Signals:
        responses_requested: The responses behind a figure, by keys and heading.
        noted: A passing line, such as that a sentence was copied.
    """

    responses_requested = Signal(object, str)
    noted = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        """Make it for the widgets of a parent."""
        super().__init__(parent)
        self._theme = theme
        self._parent = parent
        self._dialog: ExplanationDialog | None = None

    def serve(self, widget: QWidget, find: Find) -> None:
        """Offer the figure of a widget; it becomes reachable by Tab."""
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus:
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            pieces.set_property(widget, "figure", "true")
        if isinstance(widget, QLabel):
            # the frame that shows the focus would move the words
            widget.setIndent(0)
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(
            lambda point: self._open_menu(widget, point, find())
        )
        self._add_keys(widget, find)

    def serve_grid(self, grid: GridView, find: FindCell) -> None:
        """Offer the figures of a table: of the cell under the pointer, by keys of the row."""
        grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        grid.customContextMenuRequested.connect(
            lambda point: self._open_menu(grid, point, _under(grid, point, find))
        )
        self._add_keys(grid, lambda: _current(grid, find))

    def serve_chart(self, chart: Plot, find: Find) -> None:
        """Offer the figure of a chart's spot in front of the chart's copies."""
        chart.menu_made.connect(lambda menu: self._add_to(menu, find()))
        self._add_keys(chart, find)

    def copy(self, figure: Figure) -> None:
        """Put a figure's sentence on the clipboard."""
        QGuiApplication.clipboard().setText(figure.sentence)
        self.noted.emit(f"Copied: {figure.sentence}")

    def explain(self, figure: Figure) -> None:
        """Show a figure's formula with its numbers."""
        if figure.steps is None:
            return
        if self._dialog is None:
            self._dialog = ExplanationDialog(self._theme, self._parent)
        self._dialog.show_steps(figure.title, figure.steps())
        self._dialog.show()
        self._dialog.raise_()

    def list_responses(self, figure: Figure) -> None:
        """Ask for the responses behind a figure."""
        if figure.keys is not None:
            self.responses_requested.emit(figure.keys(), figure.heading or figure.title)

    def menu(self, figure: Figure, parent: QWidget) -> QMenu:
        """Make the menu of a figure."""
        made = QMenu(figure.title, parent)
        self._add_to(made, figure)
        return made

    def _add_to(self, menu: QMenu, figure: Figure | None) -> None:
        """Put a figure's offers in front of what a menu has."""
        if figure is None:
            return
        first = menu.actions()[0] if menu.actions() else None
        for (command, act), possible in zip(
            self._acts(), (True, figure.steps is not None, figure.keys is not None), strict=True
        ):
            action = QAction(
                command.title, menu, shortcut=QKeySequence(command.keys[0]), enabled=possible
            )
            action.triggered.connect(partial(_call, act, figure))
            menu.insertAction(first, action)  # type: ignore[arg-type]
        if first is not None:
            menu.insertSeparator(first)

    def _acts(self) -> tuple[tuple[Command, Callable[[Figure], None]], ...]:
        return tuple(zip(ON_FIGURE, (self.copy, self.explain, self.list_responses), strict=True))

    def _add_keys(self, widget: QWidget, find: Find) -> None:
        for command, act in self._acts():
            action = QAction(
                command.title,
                widget,
                shortcut=QKeySequence(command.keys[0]),
                shortcutContext=Qt.ShortcutContext.WidgetShortcut,
            )
            action.setData(command)
            action.triggered.connect(partial(_find_and_call, find, act))
            widget.addAction(action)

    def _open_menu(self, widget: QWidget, point: QPoint, figure: Figure | None) -> None:
        if figure is not None:
            made = self.menu(figure, widget)
            made.aboutToHide.connect(made.deleteLater)
            viewport = widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
            made.popup(viewport.mapToGlobal(point))


def _call(act: Callable[[Figure], None], figure: Figure, *_: object) -> None:
    act(figure)


def _find_and_call(find: Find, act: Callable[[Figure], None], *_: object) -> None:
    figure = find()
    if figure is not None:
        act(figure)


def _under(grid: GridView, point: QPoint, find: FindCell) -> Figure | None:
    index = grid.indexAt(point)
    if not index.isValid():
        return _current(grid, find)
    return find(grid.rows.keys[index.row()], index.column())


def _current(grid: GridView, find: FindCell) -> Figure | None:
    """Give the figure of the current cell, else the first of its row."""
    index = grid.currentIndex()
    if not index.isValid():
        return None
    key = grid.rows.keys[index.row()]
    columns = (index.column(), *range(grid.rows.columnCount()))
    return next((found for place in columns if (found := find(key, place)) is not None), None)
