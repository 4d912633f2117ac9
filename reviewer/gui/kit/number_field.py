"""Fields for numbers, written without needless decimals."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox
from typing_extensions import override


class NumberField(QDoubleSpinBox):
    """A number with two decimals at most; what is typed counts once the field is left."""

    def __init__(self, name: str) -> None:
        """Make the field; `name` is what screen readers call it."""
        super().__init__()
        self.setAccessibleName(name)
        self.setDecimals(2)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        # the wheel alone must not bring the focus here
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless the field is being edited."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    @override
    def textFromValue(self, value: float) -> str:
        """Write the number."""
        return f"{value:g}"


class MoneyField(NumberField):
    """Dollars and cents."""

    @override
    def textFromValue(self, value: float) -> str:
        """Write the sum with its cents."""
        return f"{value:,.2f}"


class CountField(QSpinBox):
    """A whole number; what is typed counts once the field is left."""

    def __init__(self, name: str, lowest: int, highest: int) -> None:
        """Make the field; `name` is what screen readers call it."""
        super().__init__()
        self.setAccessibleName(name)
        self.setRange(lowest, highest)
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignTrailing)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @override
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page, unless the field is being edited."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
