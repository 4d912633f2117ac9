"""The settings, made from their table; every change holds at once."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QLineEdit,
    QWidget,
)
from typing_extensions import override

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox, WholeField
from reviewer.gui.kit.text import one_line
from reviewer.services.computer.settings import TABLE, Setting, Settings, SettingValue

OWNED = (
    "The open project is for {} alone: answers in it are stored under that name, whatever stands "
    "here."
)
_SIZED = {QEvent.Type.Polish, QEvent.Type.Resize, QEvent.Type.LayoutRequest}
LINE = 60
"""Letters of average width that a line of the dialog has room for."""


class SettingsDialog(QDialog):
    """One line a setting with its explanation.

    Signals:
        failed: A change could not be kept, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, settings: Settings, parent: QWidget | None, owner: str | None) -> None:
        """Make the dialog for these settings; `owner` is for whom alone the open project is."""
        super().__init__(parent)
        self._settings, self._owner = settings, owner
        self._show: dict[str, Callable[[SettingValue], object]] = {}
        self.setWindowTitle("Settings")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        card = pieces.Card()
        grid = layouts.grid(across=24, down=4, stretch={1: 1})
        for row, entry in enumerate(TABLE):
            self._add(grid, row * 2, entry)
        card.body.addLayout(grid)
        layouts.column(
            card,
            layouts.row(
                pieces.text("Changes apply immediately.", "small"),
                1,
                pieces.Button("Close", self.close, kind="primary"),
            ),
            on=self,
            margins=14,
            gap=12,
        )
        leave = settings.subscribe(self._follow)
        self.destroyed.connect(lambda *_: leave())

    def _follow(self, name: str) -> None:
        """Show what was changed elsewhere."""
        self._show[name](self._settings.get(name))

    @override
    def event(self, event: QEvent) -> bool:
        """Keep the room that the explanations need, also when the text size changes."""
        done = super().event(event)
        # after the event that deletes the dialog nothing can be asked of it
        layout = self.layout() if event.type() in _SIZED else None
        if layout is not None:
            self.setMinimumWidth(max(520, LINE * self.fontMetrics().averageCharWidth()))
            self.setMinimumHeight(layout.totalHeightForWidth(self.width()))
        return done

    def _add(self, grid: QGridLayout, row: int, entry: Setting) -> None:
        title = pieces.text(entry.title, "strong")
        control = self._control(entry)
        control.setObjectName(entry.name)
        control.setAccessibleName(entry.title)
        about = entry.help
        if entry.name == "labeler" and self._owner is not None:
            about = f"{about} {OWNED.format(one_line(self._owner, 60))}"
        control.setAccessibleDescription(about)
        title.setBuddy(control)
        grid.addWidget(title, row, 0)
        grid.addWidget(control, row, 1)
        words = pieces.text(about, "small", wrap=True)
        words.setContentsMargins(0, 0, 0, 4)
        grid.addWidget(words, row + 1, 1)

    def _control(self, entry: Setting) -> QWidget:
        value = self._settings.get(entry.name)
        if entry.choices:
            return self._choice(entry, str(value))
        if isinstance(value, bool):
            box = QCheckBox("Enabled")
            box.setChecked(value)
            self._show[entry.name] = lambda on: box.setChecked(bool(on))
            box.toggled.connect(lambda on: self._set(entry, on))
            return box
        if isinstance(value, int):
            return self._number(entry, value)
        field = QLineEdit(value)
        self._show[entry.name] = lambda text: field.setText(str(text))
        field.editingFinished.connect(lambda: self._set_text(entry, field))
        return field

    def _choice(self, entry: Setting, value: str) -> QWidget:
        combo = ChoiceBox()
        for name, title in entry.choices:
            combo.addItem(title, name)
        combo.setCurrentIndex(combo.findData(value))
        self._show[entry.name] = lambda name: combo.setCurrentIndex(combo.findData(name))
        combo.currentIndexChanged.connect(lambda _: self._set(entry, combo.currentData()))
        return combo

    def _number(self, entry: Setting, value: int) -> QWidget:
        box = WholeField()
        box.setRange(entry.lowest, entry.highest)
        box.setSingleStep(10)
        box.setSuffix(entry.unit)
        box.setValue(value)
        self._show[entry.name] = lambda number: box.setValue(int(number))
        box.setKeyboardTracking(False)
        box.setAlignment(Qt.AlignmentFlag.AlignLeft)
        box.valueChanged.connect(lambda number: self._set(entry, number))
        return box

    def _set_text(self, entry: Setting, field: QLineEdit) -> None:
        words = field.text().strip()
        if words:
            self._set(entry, words)
        else:
            field.setText(str(self._settings.get(entry.name)))

    def _set(self, entry: Setting, value: SettingValue) -> None:
        try:
            self._settings.set(entry.name, value)
        except OSError as error:
            self.failed.emit(
                f"The setting holds until Reviewer ends, but could not be kept: {error}"
            )
