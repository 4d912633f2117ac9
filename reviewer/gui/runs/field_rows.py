"""Fields under each other with their names beside them, as the launch pane has them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QWidget

from reviewer.gui import pieces
from reviewer.gui.theme import Theme

NAMES = 78
"""Pixels at 100 % that the names take."""


class FieldRows(QGridLayout):
    """Rows that can be shown or hidden by their name."""

    def __init__(self, theme: Theme) -> None:
        """Make it without a row."""
        super().__init__()
        self.setHorizontalSpacing(theme.px(8))
        self.setVerticalSpacing(theme.px(7))
        self.setColumnStretch(1, 1)
        self.setColumnMinimumWidth(0, theme.px(NAMES))
        self._rows: dict[str, tuple[QLabel, QWidget]] = {}

    def add(self, name: str, field: QWidget | QLayout, buddy: QWidget | None = None) -> None:
        """Add a row; the key of the name's letter goes to the field, or to its `buddy`."""
        label = pieces.text(name, "muted")
        holder = field if isinstance(field, QWidget) else _held(field)
        target = buddy or holder
        label.setBuddy(target)
        if not target.accessibleName():
            target.setAccessibleName(name)
        place = self.rowCount()
        top = Qt.AlignmentFlag.AlignTop if isinstance(field, QLayout) else Qt.AlignmentFlag(0)
        self.addWidget(label, place, 0, top or Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(holder, place, 1)
        self._rows[name] = (label, holder)

    def show_row(self, name: str, *, shown: bool) -> None:
        """Show or hide a row."""
        for widget in self._rows[name]:
            widget.setVisible(shown)

    def is_shown(self, name: str) -> bool:
        """Tell whether a row is shown."""
        return not self._rows[name][1].isHidden()


def _held(layout: QLayout) -> QWidget:
    holder = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(layout)
    return holder
