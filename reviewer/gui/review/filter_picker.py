"""Fields and their values with how many each finds, to be ticked: the filter for a mouse."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLineEdit,
    QListWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.filters import Filter, Term, among, beside, joined, named
from reviewer.gui.kit import layouts
from reviewer.gui.kit.pieces import Button, connect, dressed, quiet, say, text
from reviewer.gui.kit.pieces import named as called
from reviewer.gui.kit.theme import Theme
from reviewer.gui.review.filter_bar import FacetReader
from reviewer.services.listing.facets import Choice, Facet

WIDE, HIGH = 470, 380
"""Pixels at 100 %."""
COUNTING = "Counting…"
NONE_HERE = "Nothing here has a value in this field."


class FilterPicker(QFrame):
    """A popup: the fields at the left, the values of the chosen one at the right.

    Signals:
        turned: A value was ticked, or no more, as the term that asks for it.
        cleared: Everything is wished for again.
        keep_requested: The filter as it is shall be kept under a name.
    """

    turned = Signal(object)
    cleared = Signal()
    keep_requested = Signal()

    def __init__(self, theme: Theme, reader: FacetReader, parent: QWidget) -> None:
        """Make the popup out of sight."""
        super().__init__(parent, Qt.WindowType.Popup)
        dressed(self, kind="floating")
        self._reader = reader
        self._chips: tuple[Filter, ...] = ()
        self._facets: list[Facet] = []
        self._found: list[Choice] = []
        self.fields = called(QListWidget(), "Fields to filter by")
        self.narrow = called(
            QLineEdit(placeholderText="Find a value", clearButtonEnabled=True), "Find a value"
        )
        self.values = _Values()
        self.said = text(COUNTING, "muted", wrap=True)
        self._clear = Button("Clear the filter", self._wish_all, dense=True)
        self._keep = Button("Save as a view…", self._wish_keep, dense=True)
        px = theme.px
        foot = layouts.row(self._clear, self._keep, 1, gap=px(6))
        right = layouts.column(self.narrow, self.said, (self.values, 1), gap=px(6))
        layouts.column(
            (layouts.row((self.fields, 2), (right, 3), gap=px(8)), 1),
            foot,
            on=self, margins=px(10), gap=px(8),
        )  # fmt: skip
        self.resize(px(WIDE), px(HIGH))
        connect(
            (self.fields.currentRowChanged, lambda _: self._read()),
            (self.narrow.textChanged, lambda _: self._fill()),
            (self.narrow.returnPressed, self._take_typed),
            (self.values.picked, lambda at: self._turn(self._shown()[at].term)),
            (reader.failed, lambda x: say(self.said, x)),
        )

    def open(self, chips: tuple[Filter, ...], below: QWidget) -> None:
        """Show the popup below a button, with what holds ticked."""
        self._facets = self._reader.facets()
        at = self.fields.currentRow()
        with quiet(self.fields):
            self.fields.clear()
            for facet in self._facets:
                self.fields.addItem(facet.title)
                self.fields.item(self.fields.count() - 1).setToolTip(facet.help)
            self.fields.setCurrentRow(at if 0 <= at < len(self._facets) else 0)
        self.narrow.clear()
        self.show_filter(chips)
        self._read()
        self.move(below.mapToGlobal(QPoint(0, below.height() + 4)))
        self.show()
        self.fields.setFocus()

    def show_filter(self, chips: tuple[Filter, ...]) -> None:
        """Show what holds."""
        self._chips = chips
        for button in (self._clear, self._keep):
            button.setEnabled(bool(chips))
        self._fill()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close by Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def _facet(self) -> Facet | None:
        at = self.fields.currentRow()
        return self._facets[at] if 0 <= at < len(self._facets) else None

    def _read(self) -> None:
        facet = self._facet()
        self._found = []
        self.values.clear()
        say(self.said, COUNTING)
        if facet is not None:
            rest = joined(beside(self._chips, facet.field, facet.metric))
            self._reader.read("pick", facet, rest, self._show)

    def _show(self, found: list[Choice]) -> None:
        self._found = found
        say(self.said, "" if found else NONE_HERE)
        self._fill()

    def _shown(self) -> list[Choice]:
        words = self.narrow.text().strip().lower()
        return [x for x in self._found if words in x.title.lower()]

    def _fill(self) -> None:
        self.values.show_choices(
            [
                (x, any(x.term in among(part, x.term) for part in self._chips))
                for x in self._shown()
            ]
        )

    def _turn(self, term: Term) -> None:
        self.turned.emit(term)

    def _take_typed(self) -> None:
        """Take the only value left, else what was typed, of which * stands for any text."""
        facet, shown, typed = self._facet(), self._shown(), self.narrow.text().strip()
        if len(shown) == 1:
            self._turn(shown[0].term)
        elif facet is not None and typed and "*" in typed and facet.metric is None:
            self._turn(Term(facet.field, ":", typed))
        elif facet is not None and typed and not shown:
            self._turn(named(facet.field, typed))

    def _wish_all(self) -> None:
        self.hide()
        self.cleared.emit()

    def _wish_keep(self) -> None:
        self.hide()
        self.keep_requested.emit()


class _Values(QTreeWidget):
    """Values with how many each finds.

    Signals:
        picked: The value at this place was clicked, or chosen by Space or Return.
    """

    picked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setColumnCount(2)
        self.setRootIsDecorated(False)
        self.setHeaderHidden(True)
        self.setAccessibleName("Values")
        self.setUniformRowHeights(True)
        head = self.header()
        head.setStretchLastSection(False)
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        head.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.clicked.connect(lambda index: self.picked.emit(index.row()))

    def show_choices(self, choices: list[tuple[Choice, bool]]) -> None:
        """Show values, those that hold ticked."""
        at = self.currentIndex().row()
        self.clear()
        for choice, holds in choices:
            count = "" if choice.count is None else f"{choice.count:,}"
            item = QTreeWidgetItem([choice.title, count])
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(0, Qt.CheckState.Checked if holds else Qt.CheckState.Unchecked)
            item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            item.setToolTip(0, choice.title)
            self.addTopLevelItem(item)
        self.setCurrentIndex(self.model().index(at, 0))

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tick by Space and Return."""
        at = self.currentIndex().row()
        if at >= 0 and event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.picked.emit(at)
        else:
            super().keyPressEvent(event)
