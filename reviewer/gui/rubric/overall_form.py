"""The rubric as a whole: description, pass rule, what is missing, grades and tools."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from reviewer.domain.rubric_keys import Keys
from reviewer.gui.kit import pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.rubric.draft import Draft
from reviewer.gui.rubric.keys_table import KeyColumn, KeysTable, Verbs, read_number, write_value

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


class OverallForm(QWidget):
    """Fields over the rubric's own keys.

    Signals:
        edited: A value was changed.
    """

    edited = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the form, empty."""
        super().__init__()
        self._draft: Draft | None = None
        self.description = QPlainTextEdit()
        self.description.setAccessibleName("Description of the rubric")
        self.description.setTabChangesFocus(True)
        self.description.setFixedHeight(theme.px(76))
        self.description.textChanged.connect(
            lambda: self._set("description", self.description.toPlainText())
        )
        self.pass_rule = _choice(PASS_RULES, "An evaluation passes when")
        self.missing = _choice(MISSING, "If a metric has no score, the overall score")
        self.preset = _choice(PRESETS, "Deviations, bands and adjusted scores")
        self.pass_at = QLineEdit()
        self.pass_at.setPlaceholderText("none")
        self.pass_at.setAccessibleName("Pass mark of the overall score")
        self.pass_at.textEdited.connect(lambda words: self._set("pass_at", read_number(words)))
        for combo, key in (
            (self.pass_rule, "pass_rule"),
            (self.missing, "missing"),
            (self.preset, "preset"),
        ):
            combo.currentIndexChanged.connect(
                lambda _, combo=combo, key=key: self._set(key, combo.currentData())
            )
        self.grades = KeysTable(theme, GRADES, Verbs("grade", new_grade))
        self.grades.edited.connect(self.edited)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.px(10), 0, 0)
        column.addLayout(self._grid(theme))
        column.addSpacing(theme.px(8))
        column.addWidget(pieces.text("Grades of the overall score", "strong"))
        column.addWidget(self.grades, 1)

    def show_draft(self, draft: Draft) -> None:
        """Edit a draft."""
        self._draft = draft
        widgets = (self.description, self.pass_rule, self.missing, self.preset)
        blockers = [QSignalBlocker(widget) for widget in widgets]
        self.description.setPlainText(str(draft.keys.get("description") or ""))
        self.pass_rule.setCurrentIndex(self.pass_rule.findData(draft.keys["pass_rule"]))
        self.missing.setCurrentIndex(self.missing.findData(draft.keys["missing"]))
        self.preset.setCurrentIndex(self.preset.findData(draft.keys["preset"]))
        self.pass_at.setText(write_value(draft.keys.get("pass_at")))
        for blocker in blockers:
            blocker.unblock()
        self.grades.show_rows(draft.rows("grades"))

    def _grid(self, theme: Theme) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(14))
        grid.setVerticalSpacing(theme.px(8))
        grid.setColumnStretch(1, 1)
        for row, (title, widget) in enumerate(
            (
                ("Description", self.description),
                ("An evaluation passes when", self.pass_rule),
                ("Pass mark of the overall score", self.pass_at),
                ("If a metric has no score, the overall score", self.missing),
                ("Deviations, bands and adjusted scores", self.preset),
            )
        ):
            grid.addWidget(pieces.text(title, "muted"), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(widget, row, 1)
        return grid

    def _set(self, key: str, value: object) -> None:
        if self._draft is not None:
            self._draft.keys[key] = value
            self.edited.emit()


def _choice(entries: tuple[tuple[str, str], ...], name: str) -> QComboBox:
    combo = QComboBox()
    for key, title in entries:
        combo.addItem(title, key)
    combo.setAccessibleName(name)
    return combo
