"""Forms made from a table of fields: each field is data, the form makes, places and reads it.

A form is a class whose attributes are its fields, in the order in which they stand::

    class PriceForm(Form):
        model = Text("Model", "such as gpt-4o-mini")
        most = Whole("At most", name="Longest reply, tokens")

An attribute of a form that was made is the field's widget; `values` reads all of them by their
names, and `fill` writes them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Generic, Self, TypeVar, cast, overload

from PySide6.QtCore import Signal, SignalInstance
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSpinBox,
    QWidget,
)
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import CountField, NumberField, WholeField, choice
from reviewer.gui.kit.theme import Theme

Value = str | int | float | bool | None
"""What a field holds."""
Shown = TypeVar("Shown", bound=QWidget)


@dataclass(eq=False)
class Field(Generic[Shown]):
    """One field, and how its widget is made, read and written.

    Attributes:
        title: Stands beside it.
        hint: Stands in it as long as it is empty; of a flag, the words behind it.
        name: What screen readers call it; the title where it is empty.
        tip: What it is for, in a sentence.
        when: Tells of the form whether the field is needed; always where it is None.
    """

    title: str
    hint: str = ""
    name: str = ""
    tip: str = ""
    when: Callable[[Any], bool] | None = None

    def __set_name__(self, form: type, key: str) -> None:
        """Take the attribute's name as the key of the value."""
        self.key = key

    @overload
    def __get__(self, form: None, kind: type) -> Self: ...

    @overload
    def __get__(self, form: "Form", kind: type) -> Shown: ...

    def __get__(self, form: "Form | None", kind: type) -> Self | Shown:
        """Give the widget in a form, the field itself of its class."""
        return self if form is None else cast("Shown", form.widgets[self.key])

    def make(self, theme: Theme) -> Shown:
        """Make the widget; one that is handed to the form is not made here."""
        raise NotImplementedError


@dataclass(eq=False)
class Own(Field[Shown]):
    """A widget of another kind, which is handed to the form and read by itself."""


@dataclass(eq=False)
class Note(Field[QLabel]):
    """Words among the fields; an alert without words is out of sight."""

    role: str = "muted"

    @override
    def make(self, theme: Theme) -> QLabel:
        """Make the label."""
        return pieces.text(self.hint, self.role, wrap=True, hidden=self.role == "alert")


@dataclass(eq=False)
class Asked(Field[Shown]):
    """A field that holds a value."""

    def read(self, widget: Shown) -> Value:
        """Give the value in the widget.

        Raises:
            ReviewerError: It cannot be read.
        """
        raise NotImplementedError

    def write(self, widget: Shown, value: object) -> None:
        """Put a value into the widget."""
        raise NotImplementedError

    def changes(self, widget: Shown) -> SignalInstance:
        """Give the signal by which the widget tells of another value."""
        raise NotImplementedError


@dataclass(eq=False)
class Text(Asked[QLineEdit]):
    """One line of text, without what stands around it; an `optional` one is None where empty."""

    optional: bool = False

    @override
    def make(self, theme: Theme) -> QLineEdit:
        """Make the line."""
        return QLineEdit(placeholderText=self.hint)

    @override
    def read(self, widget: QLineEdit) -> Value:
        """Give the words."""
        words = widget.text().strip()
        return None if self.optional and not words else words

    @override
    def write(self, widget: QLineEdit, value: object) -> None:
        """Show the words."""
        widget.setText("" if value is None else str(value))

    @override
    def changes(self, widget: QLineEdit) -> SignalInstance:
        """Tell of every letter."""
        return widget.textChanged


@dataclass(eq=False)
class Number(Text):
    """A number; `usual` where nothing stands in the line."""

    usual: float | None = None

    @override
    def read(self, widget: QLineEdit) -> Value:
        """Give the number."""
        words = widget.text().strip().replace(",", ".").lstrip("$")
        try:
            return float(words) if words else self.usual
        except ValueError:
            raise _misread(widget, "a number") from None

    @override
    def write(self, widget: QLineEdit, value: object) -> None:
        """Show the number as it would be typed."""
        short = f"{value:g}" if isinstance(value, int | float) else ""
        # what is kept is never shown as less than it is
        widget.setText(short if not short or float(short) == value else repr(value))


@dataclass(eq=False)
class Whole(Number):
    """A whole number."""

    @override
    def read(self, widget: QLineEdit) -> Value:
        """Give the number."""
        found = super().read(widget)
        if isinstance(found, float) and not found.is_integer():
            raise _misread(widget, "a whole number")
        return int(found) if isinstance(found, int | float) else None


def _misread(field: QLineEdit, wanted: str) -> ReviewerError:
    return ReviewerError(
        f"{field.accessibleName()} is {field.text()[:40]!r}; {wanted} is expected."
    )


@dataclass(eq=False)
class Spin(Asked[QSpinBox]):
    """A whole number between two others, with a unit behind it.

    `special` stands for the lowest. One that `settles` tells of a number once it is left.
    """

    lowest: int = 0
    highest: int = 100
    usual: int = 0
    unit: str = ""
    prefix: str = ""
    special: str = ""
    settles: bool = False

    @override
    def make(self, theme: Theme) -> QSpinBox:
        """Make the field."""
        field = WholeField()
        field.setRange(self.lowest, self.highest)
        field.setSuffix(self.unit)
        field.setPrefix(self.prefix)
        field.setSpecialValueText(self.special)
        field.setValue(self.usual)
        field.setKeyboardTracking(not self.settles)
        return field

    @override
    def read(self, widget: QSpinBox) -> Value:
        """Give the number."""
        return widget.value()

    @override
    def write(self, widget: QSpinBox, value: object) -> None:
        """Show the number; nothing is changed by None."""
        if isinstance(value, int | float):
            widget.setValue(int(value))

    @override
    def changes(self, widget: QSpinBox) -> SignalInstance:
        """Tell of every number."""
        return widget.valueChanged


@dataclass(eq=False)
class Amount(Asked[NumberField]):
    """A number between two others that counts once the field is left; `special` is the lowest."""

    lowest: float = 0.0
    highest: float = 100.0
    usual: float = 0.0
    decimals: int = 2
    step: float = 1.0
    unit: str = ""
    prefix: str = ""
    special: str = ""
    kind: type[NumberField] = NumberField

    @override
    def make(self, theme: Theme) -> NumberField:
        """Make the field."""
        field = self.kind(self.name or self.title)
        field.setDecimals(self.decimals)
        field.setRange(self.lowest, self.highest)
        field.setSingleStep(self.step)
        field.setSuffix(self.unit)
        field.setPrefix(self.prefix)
        field.setSpecialValueText(self.special)
        field.setValue(self.usual)
        return field

    @override
    def read(self, widget: NumberField) -> Value:
        """Give the number."""
        return widget.value()

    @override
    def write(self, widget: NumberField, value: object) -> None:
        """Show the number; nothing is changed by None."""
        if isinstance(value, int | float):
            widget.setValue(value)

    @override
    def changes(self, widget: NumberField) -> SignalInstance:
        """Tell of every number."""
        return widget.valueChanged


@dataclass(eq=False)
class Count(Spin):
    """A whole number that counts once the field is left, at its end."""

    @override
    def make(self, theme: Theme) -> QSpinBox:
        """Make the field."""
        field = CountField(self.name or self.title, self.lowest, self.highest)
        field.setSuffix(self.unit)
        field.setPrefix(self.prefix)
        field.setSpecialValueText(self.special)
        return field


@dataclass(eq=False)
class Flag(Asked[QCheckBox]):
    """Yes or no."""

    usual: bool = False

    @override
    def make(self, theme: Theme) -> QCheckBox:
        """Make the box."""
        box = QCheckBox(self.hint)
        box.setChecked(self.usual)
        return box

    @override
    def read(self, widget: QCheckBox) -> Value:
        """Tell whether it is checked."""
        return widget.isChecked()

    @override
    def write(self, widget: QCheckBox, value: object) -> None:
        """Check it, or not."""
        widget.setChecked(bool(value))

    @override
    def changes(self, widget: QCheckBox) -> SignalInstance:
        """Tell of both."""
        return widget.toggled


@dataclass(eq=False)
class Choice(Asked[QComboBox]):
    """One of several values, each with its title."""

    entries: Sequence[tuple[object, str]] = ()

    @override
    def make(self, theme: Theme) -> QComboBox:
        """Make the choice."""
        return choice(self.name or self.title, self.entries)

    @override
    def read(self, widget: QComboBox) -> Value:
        """Give the chosen value."""
        return cast("Value", widget.currentData())

    @override
    def write(self, widget: QComboBox, value: object) -> None:
        """Choose a value; the first where it is not offered."""
        widget.setCurrentIndex(max(widget.findData(value), 0))

    @override
    def changes(self, widget: QComboBox) -> SignalInstance:
        """Tell of every choice."""
        return widget.currentIndexChanged


@dataclass(eq=False)
class Lines(Asked[QPlainTextEdit]):
    """A few lines of text, which Tab leaves.

    Attributes:
        most: How many are in sight.
        height: Pixels at 100 %, where lines are not counted.
        mono: Whether its letters are equally wide.
    """

    most: int = 4
    height: int = 0
    mono: bool = True

    @override
    def make(self, theme: Theme) -> QPlainTextEdit:
        """Make the lines."""
        area = QPlainTextEdit(placeholderText=self.hint, tabChangesFocus=True)
        if self.mono:
            area.setProperty("role", "mono")
        lines = area.fontMetrics().lineSpacing() * self.most + theme.px(12)
        area.setFixedHeight(theme.px(self.height) if self.height else lines)
        return area

    @override
    def read(self, widget: QPlainTextEdit) -> Value:
        """Give the text as it stands."""
        return widget.toPlainText()

    @override
    def write(self, widget: QPlainTextEdit, value: object) -> None:
        """Show a text."""
        widget.setPlainText("" if value is None else str(value))

    @override
    def changes(self, widget: QPlainTextEdit) -> SignalInstance:
        """Tell of every letter."""
        return widget.textChanged


class Form(QWidget):
    """The widgets of a table of fields, in rows behind their titles.

    Signals:
        changed: A field holds another value, by its key; nothing is told while the form is filled.

    Attributes:
        widgets: The widget of each field by its key.
        held: What stands in the row of each field.
        titles: Pixels at 100 % that titles take at least, so that the fields of all stand in line.
        apart: Pixels at 100 % between titles and fields; the style's where it is negative.
    """

    changed = Signal(str)
    titles: ClassVar[int] = 94
    apart: ClassVar[int] = 12

    def __init__(self, theme: Theme, **own: QWidget) -> None:
        """Make the widgets and place them; `own` are those of `Own` fields, by their keys."""
        super().__init__()
        self.theme = theme
        self.widgets: dict[str, QWidget] = {}
        self.held: dict[str, QWidget] = {}
        for key, field in self.fields().items():
            made = self.widgets[key] = own[key] if key in own else field.make(theme)
            spoken = field.title if isinstance(field, Asked) else ""
            pieces.named(made, field.name or spoken, tip=field.tip)
            if isinstance(field, Asked):
                field.changes(made).connect(partial(self.follow, key))
        self.place()
        self.adapt()

    @classmethod
    def fields(cls) -> Mapping[str, Field[Any]]:
        """Give the fields by their keys, in the order in which they stand."""
        return {key: each for key, each in vars(cls).items() if isinstance(each, Field)}

    def values(self) -> dict[str, Value]:
        """Give what stands in the fields, by their keys.

        Raises:
            ReviewerError: Something in a field cannot be read.
        """
        return {
            key: field.read(self.widgets[key])
            for key, field in self.fields().items()
            if isinstance(field, Asked)
        }

    def fill(self, values: Mapping[str, object]) -> None:
        """Show the values of fields, quietly; what is no field's is left out."""
        with pieces.quiet(self):
            for key, field in self.fields().items():
                if key in values and isinstance(field, Asked):
                    field.write(self.widgets[key], values[key])
        self.adapt()

    def place(self) -> None:
        """Lay the fields out; a form that stands otherwise does it here."""
        layouts.column(self.rows(), on=self, margins=0)

    def rows(self) -> QFormLayout:
        """Lay each field behind its title."""
        rows = self._lines = QFormLayout(
            verticalSpacing=self.theme.px(8),
            horizontalSpacing=self.theme.px(self.apart) if self.apart >= 0 else -1,
            fieldGrowthPolicy=QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow,
            rowWrapPolicy=QFormLayout.RowWrapPolicy.WrapLongRows,
        )
        rows.setContentsMargins(0, 0, 0, 0)
        for key, field in self.fields().items():
            label = pieces.text(field.title)
            label.setMinimumWidth(self.theme.px(self.titles))
            label.setBuddy(self.widgets[key])
            self.held[key] = self.hold(key)
            rows.addRow(label, self.held[key])
        return rows

    def hold(self, key: str) -> QWidget:
        """Make what stands in a field's row: its widget alone, or beside it what goes with it."""
        return self.widgets[key]

    def is_needed(self, key: str) -> bool:
        """Tell whether a field is needed for what stands in the others."""
        when = self.fields()[key].when
        return when is None or when(self)

    def adapt(self) -> None:
        """Show the fields that are needed."""
        for key, field in self.fields().items():
            if field.when is not None:
                self.show_row(key, shown=field.when(self))

    def show_row(self, key: str, *, shown: bool) -> None:
        """Show or hide a field with its title."""
        self._lines.setRowVisible(self.held[key], shown)

    def follow(self, key: str, *_: object) -> None:
        """Take that a field holds another value."""
        self.adapt()
        self.changed.emit(key)
