"""The bar at the top: name, project, page tabs, search, labeler."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QWidget,
    QWidgetAction,
)

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import literal, one_line


class TopBar(pieces.Panel):
    """Name, project, tabs, search field and labeler menu.

    Signals:
        page_requested: A tab was chosen, by the page's id.
        palette_requested: The search field was pressed.
        labeler_requested: Another or a new labeler was chosen, by name.
        labelers_wanted: The labeler menu is about to open and needs its names.
        settings_requested: The settings were chosen from the labeler menu.
        profiles_requested: The profiles of labelers were chosen from it.
    """

    page_requested = Signal(str)
    palette_requested = Signal()
    labeler_requested = Signal(str)
    labelers_wanted = Signal()
    settings_requested = Signal()
    profiles_requested = Signal()

    def __init__(self, pages: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        """Make the bar; `pages` are ids and titles, shown once a project is open."""
        super().__init__("bottom", parent)
        self.setAccessibleName("Top bar")
        self.setMinimumHeight(44)
        # a page that wants more height than there is must not squeeze the tabs
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._project = pieces.ElidedText("", "muted")
        self._project.setAccessibleName("Project")
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 5, 14, 5)
        row.setSpacing(6)
        row.addWidget(pieces.text("Reviewer", "heading"))
        row.addSpacing(4)
        row.addWidget(self._project)
        row.addSpacing(18)
        self._group = QButtonGroup(self)
        self._tabs: dict[str, pieces.Button] = {}
        for page, title in pages:
            self._add_tab(row, page, title)
        row.addStretch(1)
        self._search = pieces.Button(
            "Search or run a command", self.palette_requested.emit, key="Ctrl+K", dense=True
        )
        self._search.let_shrink()
        row.addWidget(self._search)
        self._labeler = pieces.Button("", kind="pillbutton", dense=True, name="Labeler")
        self._labeler.let_shrink()
        self._menu = QMenu(self._labeler)
        self._menu.aboutToShow.connect(self.labelers_wanted)
        self._labeler.setMenu(self._menu)
        row.addWidget(self._labeler)
        self.show_project("")

    def _add_tab(self, row: QHBoxLayout, page: str, title: str) -> None:
        tab = pieces.Button(title, lambda: self.page_requested.emit(page), kind="tab")
        tab.setCheckable(True)
        self._group.addButton(tab)
        self._tabs[page] = tab
        row.addWidget(tab)

    def show_project(self, name: str) -> None:
        """Show the open project's name and the tabs, or neither for an empty name."""
        self._project.setText(name)
        self._project.setVisible(bool(name))
        for tab in self._tabs.values():
            tab.setVisible(bool(name))

    def show_page(self, page: str) -> None:
        """Mark the tab of the page in view."""
        if page in self._tabs:
            self._tabs[page].setChecked(True)

    def show_labeler(self, name: str, role: str = "", icon: QIcon | None = None) -> None:
        """Show who labels, in their colour and with their role."""
        shown = one_line(name, 30)
        self._labeler.setText(f"{shown} · {role} ▾" if role else f"{shown} ▾")
        self._labeler.setIcon(icon or QIcon())
        self._labeler.setAccessibleName(f"Labeler: {shown}{', ' + role if role else ''}")

    def fill_labelers(self, people: Sequence[tuple[str, str, QIcon]], current: str) -> None:
        """Fill the menu with labelers (name, role and dot) and a field for a new one."""
        self._menu.clear()
        for name, role, icon in people:
            words = one_line(name, 60)
            said = literal(f"{words} · {role}" if role else words)
            action = self._menu.addAction(icon, said)
            action.setCheckable(True)
            action.setChecked(name == current)
            action.triggered.connect(lambda *_, name=name: self.labeler_requested.emit(name))
        self._menu.addSeparator()
        field = QLineEdit()
        field.setPlaceholderText("New labeler: name, then Return")
        field.setAccessibleName("Name of a new labeler")
        field.setMinimumWidth(240)
        field.returnPressed.connect(lambda: self._take_new(field.text()))
        entry = QWidgetAction(self._menu)
        entry.setDefaultWidget(field)
        self._menu.addAction(entry)
        self._menu.addSeparator()
        self._menu.addAction("Labelers…").triggered.connect(
            lambda *_: self.profiles_requested.emit()
        )
        self._menu.addAction("Settings…").triggered.connect(
            lambda *_: self.settings_requested.emit()
        )

    def open_labelers(self) -> None:
        """Open the labeler menu, as a press on it does."""
        self._labeler.setFocus()
        self._menu.popup(self._labeler.mapToGlobal(self._labeler.rect().bottomLeft()))

    def _take_new(self, name: str) -> None:
        self._menu.close()
        if name.strip():
            self.labeler_requested.emit(name.strip())
