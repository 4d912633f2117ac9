"""A segmented row of titles, by which a page's sections are chosen."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces


class SectionRow(QWidget):
    """A segmented row of titles; arrows move between them, the chosen one is shown.

    Signals:
        chosen: A section is to be shown, by its place.
        clicked: A title was clicked, also that of the section in view.
    """

    chosen = Signal(int)
    clicked = Signal(int)

    def __init__(self, titles: Sequence[str]) -> None:
        """Make the row; the first is chosen."""
        super().__init__()
        self.setProperty("kind", "tabs")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Sections")
        flow = layouts.FlowLayout(self, spacing=2)
        self._group = QButtonGroup(self)
        self.buttons = [pieces.Button(title, kind="tab", dense=True) for title in titles]
        for place, button in enumerate(self.buttons):
            button.setCheckable(True)
            self._group.addButton(button, place)
            button.installEventFilter(self)
            flow.addWidget(button)
        self.buttons[0].setChecked(True)
        self._group.idToggled.connect(self._tell)
        self._group.idClicked.connect(self.clicked)

    @property
    def place(self) -> int:
        """Give the place of the chosen section."""
        return self._group.checkedId()

    def choose(self, place: int) -> None:
        """Choose a section by its place."""
        self.buttons[place].setChecked(True)

    def offer(self, fitting: Sequence[bool]) -> None:
        """Show only the sections that fit; where the chosen one does not, the first is chosen."""
        for button, fits in zip(self.buttons, fitting, strict=True):
            button.setVisible(fits)
        if not fitting[self.place]:
            self.choose(0)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move with the arrows; the row ends at both ends."""
        if not isinstance(event, QKeyEvent) or event.type() != QEvent.Type.KeyPress:
            return False
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()), 0)
        if not step:
            return False
        there = [place for place, button in enumerate(self.buttons) if not button.isHidden()]
        at = there.index(self.place) + (-step if self.isRightToLeft() else step)
        if 0 <= at < len(there):
            self.choose(there[at])
            self.buttons[there[at]].setFocus(Qt.FocusReason.TabFocusReason)
        return True

    def _tell(self, place: int, checked: bool) -> None:  # noqa: FBT001 - Qt's signal
        if checked:
            self.chosen.emit(place)
