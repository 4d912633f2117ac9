"""The parameters of a scorer, a field each, with what is wrong beside the field."""

import tomllib
from collections.abc import Mapping
from typing import Any

import tomli_w
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import choosing, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.services.evaluating import scorer_parameters
from reviewer.services.evaluating.launching import ScorerChoice
from reviewer.services.evaluating.scorer_parameters import Parameter

LINES = 4
FREE = "one a line, such as strict = true"


class ParameterField(QWidget):
    """One parameter: a choice, a line or a few lines; nothing typed stands for the default.

    Signals:
        changed: Something else is typed or chosen.
    """

    changed = Signal()

    def __init__(self, scorer: str, about: Parameter, value: Any, theme: Theme) -> None:  # noqa: ANN401
        """Make the field with a value, None for the default."""
        super().__init__()
        self._scorer, self.about = scorer, about
        self.entry = _entry(about, theme)
        self.entry.setAccessibleName(f"Parameter {about.name}")
        self.entry.setAccessibleDescription(about.help)
        self.entry.setToolTip(about.help)
        self.meaning = pieces.ElidedText(about.help, "small")
        self.problem = pieces.text("", "alert", wrap=True, name=f"What is wrong with {about.name}")
        self.problem.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        for widget in (self.entry, self.problem, self.meaning):
            column.addWidget(widget)
        if value is not None:
            self.type(about.written(value))
        _changed(self.entry).connect(lambda *_: self._take())

    @property
    def typed(self) -> str:
        """Give what was typed, empty for the default."""
        if isinstance(self.entry, QComboBox):
            return str(self.entry.currentData() or "")
        if isinstance(self.entry, QLineEdit):
            return self.entry.text()
        return self.entry.toPlainText()

    def type(self, text: str) -> None:
        """Put a text into the field, or choose it."""
        if isinstance(self.entry, QComboBox):
            self.entry.setCurrentIndex(max(0, self.entry.findData(text)))
        elif isinstance(self.entry, QLineEdit):
            self.entry.setText(text)
        else:
            self.entry.setPlainText(text)

    def value(self) -> Any:  # noqa: ANN401
        """Give the value.

        Raises:
            ParameterError: It cannot be read, or the scorer cannot use it.
        """
        return scorer_parameters.read(self._scorer, self.about.name, self.typed)

    def say(self, sentence: str) -> None:
        """Show what is wrong, or that nothing is."""
        self.problem.setText(sentence)
        self.problem.setVisible(bool(sentence))

    def _take(self) -> None:
        sentence = ""
        try:
            if self.typed.strip():
                self.value()
        except ReviewerError as error:
            sentence = str(error)
        self.say(sentence)
        self.changed.emit()


class ScorerFields(QWidget):
    """The fields of one scorer; a package's takes any parameter, so it has lines to fill.

    Signals:
        changed: Something else is typed or chosen.
    """

    changed = Signal()

    def __init__(self, scorer: ScorerChoice, given: Mapping[str, Any], theme: Theme) -> None:
        """Make the fields with values by name, the others at their defaults."""
        super().__init__()
        self.fields: dict[str, ParameterField] = {}
        self.free: QPlainTextEdit | None = None
        self._free_problem = pieces.text("", "alert", wrap=True)
        self._free_problem.hide()
        grid = QGridLayout(self)
        grid.setContentsMargins(theme.px(10), 0, 0, 0)
        grid.setHorizontalSpacing(theme.px(8))
        grid.setVerticalSpacing(theme.px(6))
        grid.setColumnStretch(1, 1)
        for row, about in enumerate(scorer.parameters):
            field = ParameterField(scorer.name, about, given.get(about.name), theme)
            field.changed.connect(self.changed)
            self.fields[about.name] = field
            label = pieces.text(about.name.replace("_", " "), "muted", wrap=True)
            label.setBuddy(field.entry)
            # beside the entry, not beside all that may stand below it
            label.setMinimumHeight(field.entry.sizeHint().height())
            grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(field, row, 1)
        if scorer.package:
            self.free = _lines(theme)
            self.free.setAccessibleName(f"Parameters of {scorer.name}")
            self.free.setPlaceholderText(FREE)
            self.free.setPlainText(tomli_w.dumps(dict(given)).strip())
            self.free.textChanged.connect(self._take_free)
            grid.addWidget(self.free, 0, 0, 1, 2)
            grid.addWidget(self._free_problem, 1, 0, 1, 2)

    @property
    def is_empty(self) -> bool:
        """Tell whether there is nothing to enter."""
        return not self.fields and self.free is None

    @property
    def problem(self) -> str:
        """Say what cannot be read, with its name; nothing where all can."""
        if self.free is not None:
            return self._free_problem.text()
        wrong = ((name, x.problem.text()) for name, x in self.fields.items())
        return next((f"{name}: {text}" for name, text in wrong if text), "")

    @property
    def values(self) -> dict[str, Any]:
        """Give what was entered, by name; what cannot be read is left out."""
        found: dict[str, Any] = {}
        try:
            if self.free is not None:
                return tomllib.loads(self.free.toPlainText())
            for name, field in self.fields.items():
                if field.typed.strip():
                    found[name] = field.value()
        except (ReviewerError, tomllib.TOMLDecodeError):
            return found
        return found

    def _take_free(self) -> None:
        said = ""
        try:
            tomllib.loads(self.free.toPlainText() if self.free else "")
        except tomllib.TOMLDecodeError as error:
            said = f"This cannot be read: {error}."
        self._free_problem.setText(said)
        self._free_problem.setVisible(bool(said))
        self.changed.emit()


def _entry(about: Parameter, theme: Theme) -> QComboBox | QLineEdit | QPlainTextEdit:
    if about.choices:
        combo = choosing.choice(about.name)
        usual = f"as usual: {about.usual}"
        entries = [(words, words) for words, _ in about.choices]
        choosing.offer(combo, usual, entries)
        return combo
    field = _lines(theme) if about.is_long else QLineEdit()
    field.setPlaceholderText(about.usual or ("JSON" if about.is_long else "not set"))
    return field


def _lines(theme: Theme) -> QPlainTextEdit:
    field = QPlainTextEdit()
    field.setProperty("role", "mono")
    field.setTabChangesFocus(True)
    field.setFixedHeight(theme.px(22 * LINES))
    return field


def _changed(entry: QComboBox | QLineEdit | QPlainTextEdit) -> Any:  # noqa: ANN401  # Qt's signals
    return entry.currentIndexChanged if isinstance(entry, QComboBox) else entry.textChanged
