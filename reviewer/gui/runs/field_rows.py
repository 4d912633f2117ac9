"""Fields under each other with their names in a narrow column before them."""

from collections.abc import Mapping
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QLayout, QWidget
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Form
from reviewer.gui.kit.theme import Theme

NAMES = 70
"""Pixels at 100 % that the names take."""


class FieldRows(QGridLayout):
    """Rows that can be shown or hidden."""

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
        key: str = "",
    ) -> None:
        """Add a row.

        Args:
            name: Stands before it.
            field: What it holds.
            buddy: What the name stands for, where that is not the whole field.
            tall: Whether the name stands at its top.
            key: By which it is shown and hidden; the name where it is empty.
        """
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
        self._rows[key or name] = (label, holder)

    def add_wide(self, name: str, field: QWidget, *, key: str = "") -> None:
        """Add a row over the whole width, with its name above it."""
        label = pieces.text(name, "muted")
        label.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(name)
        place = self.rowCount()
        self.addWidget(label, place, 0, 1, 2)
        self.addWidget(field, place + 1, 0, 1, 2)
        self._rows[key or name] = (label, field)

    def show_row(self, key: str, *, shown: bool) -> None:
        """Show or hide a row."""
        pieces.show(*self._rows[key], shown=shown)


class RowForm(Form):
    """A form whose names stand in a narrow column.

    Attributes:
        tall: The fields whose names stand at their top.
        wide: Those that have the whole width, below their names.
        pairs: Those that stand behind another one, by its key.
    """

    tall: ClassVar[frozenset[str]] = frozenset()
    wide: ClassVar[frozenset[str]] = frozenset()
    pairs: ClassVar[Mapping[str, str]] = {}

    @override
    def place(self) -> None:
        """Lay the fields under each other."""
        self._field_rows = rows = FieldRows(self.theme)
        for key, field in self.fields().items():
            if key in self.wide:
                rows.add_wide(field.title, self.widgets[key], key=key)
            elif key not in self.pairs.values():
                buddy, tall = self.widgets[key], key in self.tall
                rows.add(field.title, self.hold(key), buddy, tall=tall, key=key)
        layouts.column(rows, on=self, margins=0)

    @override
    def show_row(self, key: str, *, shown: bool) -> None:
        """Show or hide a field with its name."""
        self._field_rows.show_row(key, shown=shown)


def beside(field: QWidget, *others: QWidget | int, gap: int = 6) -> QWidget:
    """Lay others behind a field that takes the room they leave."""
    made = QWidget()
    layouts.row((field, 1), *others, on=made, margins=0, gap=gap)
    return made


def _held(layout: QLayout) -> QWidget:
    holder = QWidget()
    layout.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(layout)
    return holder
