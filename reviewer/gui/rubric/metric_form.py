"""The fields of one metric, and those of the rubric as a whole."""

import tomllib
from collections.abc import Callable
from typing import Any

import tomli_w
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from typing_extensions import override

from reviewer.domain import toml_text
from reviewer.domain.rubric_keys import Keys
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.form import Choice, Flag, Form, Lines, Text
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.pieces import ScrolledColumn
from reviewer.gui.kit.theme import Theme
from reviewer.gui.rubric.draft import Draft
from reviewer.gui.rubric.keys_table import KeyColumn, KeysTable, Verbs, read_number, write_value
from reviewer.services.jobs import scorers

SCALES = (
    ("ordinal", "Levels, ordered"),
    ("binary", "Yes or no"),
    ("range", "Any number of a range"),
    ("categorical", "Categories without order"),
    ("measure", "A measure (described, not labelled)"),
)
LEVELS = (
    KeyColumn("value", "Value", 50, number=True),
    KeyColumn("title", "Title", 96),
    KeyColumn("description", "Description"),
    KeyColumn("example", "Example", 110),
)
_NUMBERS = frozenset({"min", "max", "weight", "pass_at"})
_OPTIONAL = frozenset({"family", "unit", "derived", "fallback", "scorer", "judge"})
_LINES = (
    ("title", "Title", "as people read it"),
    ("name", "Id", "as in files and filters"),
    ("weight", "Weight", "0: not in the overall score"),
    ("pass_at", "Pass mark", "none"),
    ("min", "Lowest", ""),
    ("max", "Highest", ""),
    ("values", "Categories", "separated by commas"),
    ("unit", "Unit", "such as ms"),
    ("family", "Family", "none"),
    ("derived", "Follows from", "such as min(a, b)"),
    ("fallback", "Without a value", "such as min(a, b)"),
    ("scorer", "Scorer", "code that scores it"),
    ("judge", "Judge", "the model that scores it"),
)
_OF_SCALE = {"min": "range", "max": "range", "values": "categorical", "unit": "measure"}


def _next_level(rows: list[Keys]) -> Keys:
    numbers = [row["value"] for row in rows if isinstance(row.get("value"), int | float)]
    return {"value": max(numbers, default=0) + 1, "title": "", "description": "", "example": ""}


class MetricForm(ScrolledColumn):
    """Fields over one metric's keys; every change goes straight into them.

    Signals:
        edited: A value was changed.
    """

    edited = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make an empty form."""
        body = QWidget()
        super().__init__(body, "Metric")
        self._theme = theme
        self._keys: Keys = {}
        self.parameters_problem = ""
        self.fields: dict[str, QLineEdit] = {}
        self._titles: dict[str, QWidget] = {}
        self.scale = ChoiceBox()
        for name, title in SCALES:
            self.scale.addItem(title, name)
        self.scale.setAccessibleName("Scale")
        self.scale.setMinimumContentsLength(8)
        self.scale.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.scale.currentIndexChanged.connect(lambda _: self._take_scale())
        self.higher = self._box("Higher is better", "higher_is_better")
        self.labelled = self._box("People label it", "labelled")
        self.description = self._text(
            "Description", 3, lambda: self._set("description", self.description.toPlainText())
        )
        self.parameters = pieces.dressed(
            self._text("Parameters", 3, self._take_parameters), role="mono"
        )
        self.parameters.setPlaceholderText('one a line, such as threshold = 0.8 or unit = "ms"')
        self.options = pieces.text("", "muted", wrap=True, name="What the scorer can be told")
        self.levels = KeysTable(theme, LEVELS, Verbs("level", _next_level))
        self.levels.setMinimumHeight(theme.px(190))
        self.levels.edited.connect(lambda: self._set("levels", self.levels.model.rows))
        self._grid = self._make_grid()
        self._levels_title = pieces.text("Levels", "strong")
        layouts.column(
            self._grid,
            self._levels_title,
            self.levels,
            pieces.text("Parameters", "strong"),
            self.parameters,
            self.options,
            1,
            on=body,
            margins=(0, 0, theme.px(10), 0),
        )

    def show_metric(self, keys: Keys) -> None:
        """Edit another metric."""
        self._keys = keys
        with pieces.quiet(self.scale, self.higher, self.labelled):
            for name, field in self.fields.items():
                field.setText(_shown(keys.get(name)))
                field.setCursorPosition(0)
            self.scale.setCurrentIndex(max(0, self.scale.findData(keys.get("scale", "ordinal"))))
            self.higher.setChecked(bool(keys.get("higher_is_better", True)))
            self.labelled.setChecked(bool(keys.get("labelled", True)))
        self._fill(self.description, str(keys.get("description") or ""))
        self._fill(self.parameters, tomli_w.dumps(keys.get("parameters") or {}).strip())
        self._tell_options()
        self.parameters_problem = ""
        keys["levels"] = list(keys.get("levels") or ())
        self.levels.show_rows(keys["levels"])
        self._adapt()

    def _make_grid(self) -> QGridLayout:
        grid = layouts.grid(
            across=self._theme.px(12), down=self._theme.px(6), stretch={1: 1, 3: 1}
        )
        for name, title, hint in _LINES:
            field = pieces.named(QLineEdit(placeholderText=hint), title)
            field.setMinimumWidth(self._theme.px(60))
            field.textEdited.connect(lambda words, name=name: self._take(name, words))
            self.fields[name] = field
            self._titles[name] = pieces.text(title, "muted")
        grid.addWidget(pieces.text("Description", "muted"), 0, 0, Qt.AlignmentFlag.AlignTop)
        grid.addWidget(self.description, 0, 1, 1, 3)
        grid.addWidget(pieces.text("Scale", "muted"), 1, 0)
        grid.addWidget(self.scale, 1, 1)
        boxes = layouts.FlowLayout(spacing=self._theme.px(8))
        layouts.fill(boxes, self.higher, self.labelled)
        grid.addLayout(boxes, 1, 2, 1, 2)
        return grid

    def _box(self, title: str, key: str) -> QCheckBox:
        box = QCheckBox(title)
        box.toggled.connect(lambda on: self._set(key, on))
        return box

    def _text(self, name: str, lines: int, changed: Callable[[], None]) -> QPlainTextEdit:
        area = pieces.named(QPlainTextEdit(tabChangesFocus=True), name)
        area.setFixedHeight(self._theme.px(22 * lines + 10))
        area.textChanged.connect(changed)
        return area

    def _fill(self, area: QPlainTextEdit, words: str) -> None:
        with pieces.quiet(area):
            area.setPlainText(words)

    def _set(self, key: str, value: Any) -> None:  # noqa: ANN401 - a JSON value is anything
        self._keys[key] = value
        self.edited.emit()

    def _take(self, name: str, words: str) -> None:
        if name in _NUMBERS:
            self._set(name, read_number(words))
        elif name == "values":
            self._set(name, [part.strip() for part in words.split(",") if part.strip()])
        elif name in _OPTIONAL:
            self._set(name, words.strip() or None)
        else:
            self._set(name, words.strip() if name == "name" else words)
        if name in ("scorer", "judge", "name"):
            self._tell_options()

    def _tell_options(self) -> None:
        judged = self._keys.get("judge")
        name = self._keys.get("scorer") or ("" if judged else self._keys.get("name"))
        self.options.setText("\n".join(scorers.examples(str(name or ""))))

    def _take_parameters(self) -> None:
        try:
            found = toml_text.document(self.parameters.toPlainText())
            self.parameters_problem = ""
            self._keys["parameters"] = found
        except tomllib.TOMLDecodeError as error:
            name = self._keys.get("title") or self._keys.get("name")
            self.parameters_problem = f"The parameters of {name} are no TOML: {error}."
        self.edited.emit()

    def _take_scale(self) -> None:
        scale = self.scale.currentData()
        self._keys["scale"] = scale
        if scale == "ordinal" and not self._keys["levels"]:
            self._keys["levels"].extend({"value": value, "title": ""} for value in range(1, 6))
            self.levels.show_rows(self._keys["levels"])
        if scale == "range" and self._keys.get("min") is None and self._keys.get("max") is None:
            self._keys |= {"min": 0, "max": 1}
            for name in ("min", "max"):
                self.fields[name].setText(write_value(self._keys[name]))
        if scale == "measure":
            self._keys["weight"] = 0
            self.fields["weight"].setText("0")
        self._adapt()
        self.edited.emit()

    def _adapt(self) -> None:
        scale = self.scale.currentData()
        place = 0
        for name, _, _ in _LINES:
            shown = _OF_SCALE.get(name) in (None, scale) or bool(self._keys.get(name))
            row, side = 2 + place // 2, 2 * (place % 2)
            for column, widget in enumerate((self._titles[name], self.fields[name]), start=side):
                self._grid.removeWidget(widget)
                self._grid.addWidget(widget, row, column)
                widget.setVisible(shown)
            place += shown
        described = self.scale.currentData() != "measure"
        pieces.show(self._levels_title, self.levels, shown=described)


def _shown(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(str(part) for part in value)
    return write_value(value)


PASS_RULES = (
    ("every", "every metric reaches its own pass mark"),
    ("overall", "the overall score reaches the rubric's pass mark"),
    ("none", "there is no pass or fail"),
)
MISSING = (
    ("renormalise", "it is taken from the metrics that are there"),
    ("null", "there is none"),
)
PRESETS = (
    ("recommended", "recommended: the mean gap, from 30 labels on one side, kept on the scale"),
    ("published", "published: as the virtual-agent system publishes them"),
)
GRADES = (
    KeyColumn("from", "From", 70, number=True),
    KeyColumn("grade", "Grade", 120),
    KeyColumn("meaning", "Meaning"),
)
TOOLS = (
    KeyColumn("name", "Tool", 170),
    KeyColumn("for", "What it is for"),
    KeyColumn("when", "When it is expected"),
    KeyColumn("example", "Example", 200),
)


def new_grade(rows: list[Keys]) -> Keys:
    """Make a grade that starts where no other does."""
    starts = [row["from"] for row in rows if isinstance(row.get("from"), int | float)]
    return {"from": max(starts, default=-1) + 1, "grade": "", "meaning": ""}


def new_tool(rows: list[Keys]) -> Keys:
    """Make a tool with a name that no other has."""
    return {"name": f"tool_{len(rows) + 1}", "for": "", "when": "", "example": ""}


class OverallForm(Form):
    """Fields over the rubric's own keys.

    Signals:
        edited: A value was changed.
    """

    edited = Signal()
    description = Lines("Description", name="Description of the rubric", height=76, mono=False)
    pass_rule = Choice("An evaluation passes when", entries=PASS_RULES)
    pass_at = Text("Pass mark of the overall score", "none")
    missing = Choice("If a metric has no score, the overall score", entries=MISSING)
    preset = Choice("Deviations, bands and adjusted scores", entries=PRESETS)
    ask_unsure = Flag("Labelers", hint="may say that they are unsure of an answer")

    def __init__(self, theme: Theme) -> None:
        """Make the form, empty."""
        self._draft: Draft | None = None
        self.grades = KeysTable(theme, GRADES, Verbs("grade", new_grade))
        super().__init__(theme)
        self.grades.edited.connect(self.edited)

    @override
    def place(self) -> None:
        """Lay the fields above the grades."""
        px = self.theme.px
        grid = layouts.grid(across=px(14), down=px(8), stretch={1: 1})
        for row, (key, field) in enumerate(self.fields().items()):
            grid.addWidget(pieces.text(field.title, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(self.widgets[key], row, 1)
        column = layouts.column(grid, on=self, margins=(0, px(10), 0, 0))
        column.addSpacing(px(8))
        layouts.fill(
            column, pieces.text("Grades of the overall score", "strong"), (self.grades, 1)
        )

    def show_draft(self, draft: Draft) -> None:
        """Edit a draft."""
        self._draft = None
        self.fill(draft.keys | {"pass_at": write_value(draft.keys.get("pass_at"))})
        self._draft = draft
        self.grades.show_rows(draft.rows("grades"))

    @override
    def follow(self, key: str, *_: object) -> None:
        """Put what was changed into the draft."""
        if self._draft is not None:
            said = self.values()[key]
            self._draft.keys[key] = read_number(str(said)) if key == "pass_at" else said
            self.edited.emit()
