"""The three columns of the Runs page; where the window is narrow some share one place."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QWidget
from typing_extensions import override

from reviewer.gui.kit import pieces
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.kit.theme import Theme

LEFT, MIDDLE, RIGHT = range(3)
THREE, TWO = 1190, 840
"""Pixels at 100 % from which three columns, and two, stand beside each other."""
_SHARES: Final = {3: (32, 62, 38), 2: (38, 62, 0), 1: (1, 0, 0)}
_PLACES: Final = {3: (0, 1, 2), 2: (0, 1, 0), 1: (0, 0, 0)}


class PageColumns(QWidget):
    """Shows three widgets side by side, or lets a row of titles choose among those that share.

    With two columns the first and the last share the left one; with one all share it.
    """

    def __init__(self, theme: Theme, widgets: Sequence[QWidget], titles: Sequence[str]) -> None:
        """Take the widgets from left to right, and what they are called where they share."""
        super().__init__()
        self._theme = theme
        self._widgets = tuple(widgets)
        self._count = 0
        self.tabs = SectionRow(titles)
        self.tabs.setAccessibleName("Parts of the page")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(*[pieces.GAP] * 4)
        self._grid.setSpacing(pieces.GAP)
        self._grid.setRowStretch(1, 1)
        self.tabs.chosen.connect(lambda _: self._show())
        theme.changed.connect(self._arrange)
        self._place(3)

    @property
    def count(self) -> int:
        """Tell how many columns there are now."""
        return self._count

    def bring(self, widget: QWidget) -> None:
        """Bring one of the widgets into view where it shares its place."""
        place = self._widgets.index(widget)
        if not self.tabs.buttons[place].isHidden():
            self.tabs.choose(place)

    @override
    def minimumSizeHint(self) -> QSize:
        """Ask for no more width than the widest widget alone needs."""
        least = max(x.minimumSizeHint().width() for x in self._shared() or self._widgets)
        return QSize(least + 2 * pieces.GAP, super().minimumSizeHint().height())

    @override
    def hasHeightForWidth(self) -> bool:
        """Take any height: what is too long scrolls inside its column, not the whole page."""
        return False

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange anew for another width."""
        super().resizeEvent(event)
        self._arrange()

    @override
    def event(self, event: QEvent) -> bool:
        """Arrange anew where a widget needs another width."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _shared(self) -> tuple[QWidget, ...]:
        """Give the widget in view where all share one place."""
        return tuple(x for x in self._widgets if not x.isHidden()) if self._count == 1 else ()

    def _arrange(self) -> None:
        count = next((n for n in (3, 2) if self._has_room(n)), 1)
        if count != self._count:
            self._place(count)

    def _has_room(self, count: int) -> bool:
        if self.width() < self._theme.px({3: THREE, 2: TWO}[count]):
            return False
        least = [0] * count
        for widget, place in zip(self._widgets, _PLACES[count], strict=True):
            least[place] = max(least[place], widget.minimumSizeHint().width())
        return sum(least) + (count + 1) * pieces.GAP <= self.width()

    def _place(self, count: int) -> None:
        self._count = count
        focused = QApplication.focusWidget()
        for column, share in enumerate(_SHARES[count]):
            self._grid.setColumnStretch(column, share)
        shares = _PLACES[count]
        self._grid.addWidget(self.tabs, 0, 0)
        for widget, column in zip(self._widgets, shares, strict=True):
            alone = shares.count(column) == 1
            self._grid.addWidget(widget, 0 if alone else 1, column, 2 if alone else 1, 1)
        self.tabs.setVisible(count < len(self._widgets))
        self.tabs.offer([shares.count(column) > 1 for column in shares])
        for widget in self._widgets:
            # somebody works in it
            if focused is not None and widget.isAncestorOf(focused):
                self.bring(widget)
        self._show()
        self.updateGeometry()

    def _show(self) -> None:
        shares = _PLACES[self._count]
        chosen = self.tabs.place
        for place, widget in enumerate(self._widgets):
            widget.setVisible(shares.count(shares[place]) == 1 or place == chosen)
