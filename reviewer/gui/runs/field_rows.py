"""Fields under each other with their names beside them, as the launch pane has them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme

NAMES = 70
"""Pixels at 100 % that the names take."""


class FieldRows(QGridLayout):
    """Rows that can be shown or hidden by their name."""

    def __init__(self, theme: Theme) -> None:
        """Make it without a row."""
        super().__init__()
        self._theme = theme
        self.setHorizontalSpacing(theme.px(8))
        self.setVerticalSpacing(theme.px(7))
        self.setColumnStretch(1, 1)
        self.setColumnMinimumWidth(0, theme.px(NAMES))
        self._rows: dict[str, tuple[QLabel, QWidget]] = {}

    def add(
        self,
        name: str,
        field: QWidget | QLayout,
        buddy: QWidget | None = None,
        *,
        tall: bool = False,
    ) -> None:
        """Add a row; `buddy` is what its name stands for, and a `tall` one has it at its top."""
        label = pieces.text(name, "muted")
        holder = field if isinstance(field, QWidget) else _held(field)
        target = buddy or holder
        label.setBuddy(target)
        if not target.accessibleName():
            target.setAccessibleName(name)
        place = self.rowCount()
        side = Qt.AlignmentFlag.AlignTop if tall else Qt.AlignmentFlag.AlignVCenter
        if tall:
            # level with the words of the buttons in its first line
            label.setContentsMargins(0, self._theme.px(3), 0, 0)
        self.addWidget(label, place, 0, side)
        self.addWidget(holder, place, 1)
        self._rows[name] = (label, holder)

    def add_wide(self, name: str, field: QWidget) -> None:
        """Add a row over the whole width, with its name above it."""
        label = pieces.text(name, "muted")
        label.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(name)
        place = self.rowCount()
        self.addWidget(label, place, 0, 1, 2)
        self.addWidget(field, place + 1, 0, 1, 2)
        self._rows[name] = (label, field)

    def show_row(self, name: str, *, shown: bool) -> None:
        """Show or hide a row."""
        for widget in self._rows[name]:
            widget.setVisible(shown)


def _held(layout: QLayout) -> QWidget:
    holder = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(layout)
    return holder
