"""Fields for numbers, and choices among what a project has, with all of it as one of them.

They write a point wherever the program runs, so none of them may read by the computer's own way
of writing numbers: there a point can be the mark of thousands, and $0.50 is fifty dollars.
"""

import re
import unicodedata
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QLocale, QMargins, QObject, QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent, QValidator
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QComboBox,
    QDoubleSpinBox,
    QListView,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import name_line

_MARK = re.compile(r"[.,]")
_GROUPED = re.compile(r"\d{1,3}(?:(?:\.\d{3})+|(?:,\d{3})+)")
LISTED, GAP, ICON_GAP = 16, 3, 4
"""Entries that a list shows at once; pixels around each of them, and beside its sign."""
Judged = tuple[QValidator.State, str, int]


class WheelGuard(QObject):
    """Leaves the wheel to the page while a field has not the focus, which no wheel brings."""

    def __init__(self, field: QWidget) -> None:
        """Guard a field as long as it lives."""
        super().__init__(field)
        field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        field.installEventFilter(self)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the wheel from the field, unless it is being edited."""
        idle = isinstance(watched, QWidget) and not watched.hasFocus()
        if event.type() == QEvent.Type.Wheel and idle:
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class NumberField(QDoubleSpinBox):
    """A number with two decimals at most; what is typed counts once the field is left."""

    def __init__(self, name: str) -> None:
        """Make the field; `name` is what screen readers call it."""
        super().__init__()
        _prepare(self, name)
        WheelGuard(self)
        self.setDecimals(2)

    @override
    def textFromValue(self, value: float) -> str:
        """Write the number."""
        return _written(value, self.decimals())

    @override
    def validate(self, text: str, place: int) -> Judged:
        """Take the computer's own decimal mark for a point; another comma makes no number."""
        text = _in_figures(text).replace(QLocale().decimalPoint(), ".")
        if "," in text:
            return QValidator.State.Intermediate, text, place
        return super().validate(text, place)

    @override
    def fixup(self, text: str) -> str:
        """Leave what is no number alone, so that the value before holds."""
        return text


class MoneyField(NumberField):
    """Dollars and cents."""

    @override
    def textFromValue(self, value: float) -> str:
        """Write the sum with its cents."""
        return _written(value, self.decimals(), least=2)


class WholeField(QSpinBox):
    """A whole number; a mark of thousands is understood, a decimal mark refused."""

    def __init__(self) -> None:
        """Make the field."""
        super().__init__()
        self.setLocale(QLocale.c())
        WheelGuard(self)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep figures off the edge as the words of other fields are; no style sheet does it."""
        super().resizeEvent(event)
        if self.alignment() & Qt.AlignmentFlag.AlignLeft:
            self.lineEdit().setTextMargins(self.fontMetrics().height() // 2, 0, 0, 0)

    @override
    def validate(self, text: str, place: int) -> Judged:
        """Refuse what is no whole number, but not before it is all there."""
        text = _in_figures(text)
        if _MARK.search(self._bare(text)) and not _GROUPED.fullmatch(self._bare(text)):
            return QValidator.State.Intermediate, text, place
        return super().validate(self._ungrouped(text), place)[0], text, place

    @override
    def valueFromText(self, text: str) -> int:
        """Read the number."""
        return super().valueFromText(self._ungrouped(text))

    @override
    def fixup(self, text: str) -> str:
        """Leave what is no number alone, so that the value before holds."""
        return text

    def _bare(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()

    def _ungrouped(self, text: str) -> str:
        bare = self._bare(text)
        if not _GROUPED.fullmatch(bare):
            return text
        return f"{self.prefix()}{_MARK.sub('', bare)}{self.suffix()}"


class CountField(WholeField):
    """A whole number; what is typed counts once the field is left."""

    def __init__(self, name: str, lowest: int, highest: int) -> None:
        """Make the field; `name` is what screen readers call it."""
        super().__init__()
        _prepare(self, name)
        self.setRange(lowest, highest)


def _prepare(field: QAbstractSpinBox, name: str) -> None:
    field.setAccessibleName(name)
    field.setLocale(QLocale.c())
    field.setKeyboardTracking(False)
    field.setAlignment(Qt.AlignmentFlag.AlignTrailing)


def _in_figures(text: str) -> str:
    """Write the figures of every script as 0 to 9."""
    return "".join(str(unicodedata.decimal(x, x)) for x in text)


def _written(value: float, decimals: int, least: int = 0) -> str:
    """Write a number with no more decimals than it has, and no fewer than `least`."""
    whole, _, part = f"{value:.{decimals}f}".partition(".")
    part = part.rstrip("0").ljust(min(least, decimals), "0")
    text = f"{whole}.{part}" if part else whole
    return text if text.strip("-0.") else text.removeprefix("-")


class ChoiceBox(QComboBox):
    """A choice whose list shows every entry whole, and that a wheel alone does not change."""

    def __init__(self) -> None:
        """Make the choice, empty."""
        super().__init__(maxVisibleItems=LISTED)
        WheelGuard(self)

    @override
    def showPopup(self) -> None:
        """Show the entries as wide as they are; one too long for the screen loses its middle."""
        view = self.view()
        if isinstance(view, QListView):
            view.setSpacing(GAP)
        bar = view.verticalScrollBar().sizeHint().width() if self.count() > LISTED else 0
        wide = view.sizeHintForColumn(0) + bar + 2 * (view.frameWidth() + GAP)
        view.setMinimumWidth(min(wide, self.screen().availableGeometry().width()))
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        super().showPopup()

    @override
    def sizeHint(self) -> QSize:
        """Ask for room in which the widest entry stands whole, as it is painted here."""
        hint = super().sizeHint()
        return hint.grownBy(QMargins(0, 0, 2 * ICON_GAP, 0))

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Take the middle out of a name that is too long: names often differ at their ends."""
        painter, option = QStylePainter(self), QStyleOptionComboBox()
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        room = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox,
            option,
            QStyle.SubControl.SC_ComboBoxEditField,
            self,
        )
        taken = 0 if option.currentIcon.isNull() else option.iconSize.width() + ICON_GAP
        option.currentText = option.fontMetrics.elidedText(
            option.currentText, Qt.TextElideMode.ElideMiddle, room.width() - taken - ICON_GAP
        )
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def choice(name: str, entries: Sequence[tuple[object, str]] = ()) -> QComboBox:
    """Make a choice of values, each with its title, that shrinks where room is short."""
    combo = ChoiceBox()
    combo.setMinimumContentsLength(7)
    combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    for value, title in entries:
        combo.addItem(title, value)
    return pieces.named(combo, name)


def titled(combo: QComboBox) -> QWidget:
    """Keep a choice and its name, as a title before it, in one line."""
    made = QWidget()
    layouts.row(pieces.text(combo.accessibleName().lower(), "muted"), combo, on=made, margins=0)
    return made


def offer(combo: QComboBox, everything: str, entries: Sequence[tuple[str, str]]) -> None:
    """Offer names with their titles, quietly; what was chosen stays where it is still there.

    `everything` is the first entry and stands for no narrowing; empty leaves it out.
    """
    kept = combo.currentData()
    with pieces.quiet(combo):
        combo.clear()
        if everything:
            combo.addItem(everything, None)
        for name, title in entries:
            combo.addItem(name_line(title, 60), name)
        combo.setCurrentIndex(max(0, combo.findData(kept)))


def offer_names(combo: QComboBox, everything: str, names: Sequence[str]) -> None:
    """Offer names that are their own titles."""
    offer(combo, everything, [(name, name) for name in names])


def chosen(combo: QComboBox) -> tuple[str, ...]:
    """Give the chosen name alone, nothing for "all"."""
    name = combo.currentData()
    return (str(name),) if name else ()
