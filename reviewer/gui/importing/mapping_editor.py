"""What each column of a table becomes: a list of choices, or the mapping file's text."""

from collections.abc import Mapping as Values
from collections.abc import Sequence

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import (
    QGridLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from reviewer.domain.errors import FormatError
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import ChoiceBox
from reviewer.gui.kit.tables import as_words
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.services.transfer import column_uses
from reviewer.services.transfer.column_uses import AnyMapping, ColumnUse, Habit, Use
from reviewer.services.transfer.import_report import RejectedRow

SETTLE_MS = 350
_TITLES: tuple[tuple[Use, str], ...] = (
    (Use.KEEP, "Keep as extra field"),
    (Use.SCORE, "Auto score"),
    (Use.REASONING, "Reasoning of a score"),
    (Use.SCORER, "Scorer's name"),
    (Use.LABEL, "Label by a person"),
    (Use.COMMENT, "Comment of a label"),
    (Use.LABELER, "Labeler's name"),
    (Use.METRIC, "Metric's name"),
)


class ColumnRow:
    """The controls of one column."""

    def __init__(self, use: ColumnUse, example: str) -> None:
        """Make the controls as the mapping has the column."""
        self.column = use.column
        self.title = pieces.ElidedText(use.column, "strong", is_name=True)
        self.example = pieces.ElidedText(example, "small")
        self.choice = pieces.named(ChoiceBox(), f"What {use.column} is")
        for kind, title in _TITLES:
            self.choice.addItem(title, (kind, ""))
        self.choice.insertSeparator(self.choice.count())
        for name in column_uses.FIELDS:
            self.choice.addItem(name.replace("_", " "), (Use.FIELD, name))
        self.metric = _field("metric", f"Metric of {use.column}")
        self.labeler = _field("labeler", f"Labeler of {use.column}")
        self.problem = pieces.text("", "alert", wrap=True, hidden=True)
        self.show_use(use)

    def show_use(self, use: ColumnUse) -> None:
        """Set the controls to a use."""
        wanted = (use.use, use.name if use.use is Use.FIELD else "")
        places = range(self.choice.count())
        place = next((n for n in places if self.choice.itemData(n) == wanted), 0)
        self.choice.setCurrentIndex(place)
        if use.use is not Use.FIELD:
            self.metric.setText(use.name)
        self.labeler.setText(use.labeler)
        self.adapt()

    def adapt(self) -> None:
        """Show the fields that the chosen use needs."""
        kind = self.kind()
        named = (Use.SCORE, Use.REASONING, Use.SCORER, Use.LABEL, Use.COMMENT)
        self.metric.setVisible(kind in named)
        self.labeler.setVisible(kind is Use.LABEL)

    def suggest(self) -> None:
        """Name metric and labeler where the new use needs them and the person has not."""
        if not self.metric.text():
            self.metric.setText(column_uses.suggested(self.column, self.kind()).name)

    def kind(self) -> Use:
        """Give the chosen use."""
        chosen = self.choice.currentData()
        return Use(chosen[0]) if chosen else Use.KEEP

    def use(self) -> ColumnUse:
        """Give what the controls say."""
        kind, field = self.choice.currentData() or (Use.KEEP, "")
        name = field if kind == Use.FIELD else self.metric.text().strip()
        name = "" if kind in (Use.KEEP, Use.METRIC, Use.LABELER) else name
        labeler = self.labeler.text().strip() if kind == Use.LABEL else ""
        return ColumnUse(self.column, Use(kind), name, labeler)


def _field(placeholder: str, name: str) -> QLineEdit:
    field = pieces.named(QLineEdit(placeholderText=placeholder), name)
    field.setMaximumWidth(170)
    return field


class MappingEditor(QObject):
    """Two views of one mapping: `area` with the columns, and `text` with the file's text.

    Attributes:
        is_changed: Whether somebody changed it by hand.
        is_kept: Whether it was saved to a file since.

    Signals:
        mapping_changed: The mapping was changed and is sound, with the new one.
        problem_found: What was entered makes no sound mapping, as a sentence; empty when it does.
    """

    mapping_changed = Signal(object)
    problem_found = Signal(str)

    def __init__(self, owner: QObject) -> None:
        """Make both views, empty; what was entered last is taken only while the owner lives."""
        super().__init__(owner)
        self._by_text = False
        self.is_changed = False
        self.is_kept = False
        self._mapping: AnyMapping | None = None
        self._rows: list[ColumnRow] = []
        self._habits: dict[str, ChoiceBox] = {}
        self._filling = False
        self.area = pieces.named(QScrollArea(widgetResizable=True), "Columns")
        self.text = pieces.dressed(
            pieces.named(QPlainTextEdit(tabChangesFocus=True), "Mapping file"), role="mono"
        )
        self.text.textChanged.connect(lambda: self._wait(by_text=True))
        self._settle = soon(self, self._take, SETTLE_MS)

    @property
    def mapping(self) -> AnyMapping | None:
        """Give the last sound mapping."""
        return self._mapping

    def show_mapping(
        self,
        mapping: AnyMapping,
        columns: Sequence[str],
        rows: Sequence[Values[str, object]],
    ) -> None:
        """Show a mapping of these columns, with the first rows as examples."""
        self._mapping = mapping
        self._filling = True
        self.text.setPlainText(column_uses.to_text(mapping))
        page = pieces.dressed(QWidget(), kind="scrolled")
        outer = QVBoxLayout(page)
        grid = layouts.grid(across=10, down=5)
        grid.setColumnMinimumWidth(0, 130)
        grid.setColumnStretch(1, 1)
        for place, title in enumerate(("Column", "First value", "Becomes")):
            grid.addWidget(pieces.text(title, "small"), 0, place)
        self._rows = [
            ColumnRow(use, _example(use.column, rows))
            for use in column_uses.uses(mapping, columns)
        ]
        for place, row in enumerate(self._rows):
            self._add(grid, 2 * place + 1, row)
        self._habits = {}
        for place, habit in enumerate(column_uses.HABITS, 2 * len(self._rows) + 1):
            self._add_habit(grid, place, habit)
        self._show_habits(mapping)
        layouts.fill(outer, grid, 1)
        self.area.setWidget(page)
        self._filling = False

    def show_problems(self, rejected: Sequence[RejectedRow]) -> None:
        """Show beside each column what of the first rows is not taken, and why."""
        for row in self._rows:
            mine = [x for x in rejected if _is_about(x.field, row.column)]
            words = ""
            if mine:
                value = one_line(as_words(mine[0].value), 40)
                more = f" (and {len(mine) - 1:,} more)" if len(mine) > 1 else ""
                words = f"{value!r}: {mine[0].reason}{more}"
            pieces.say(row.problem, words)

    def take_mapping(self, mapping: AnyMapping) -> None:
        """Use a mapping that somebody kept, as if it had been entered."""
        self.text.setPlainText(column_uses.to_text(mapping))

    def _add(self, grid: QGridLayout, place: int, row: ColumnRow) -> None:
        grid.addWidget(row.title, place, 0)
        grid.addWidget(row.example, place, 1)
        grid.addWidget(row.choice, place, 2)
        fields = layouts.row(row.metric, row.labeler, gap=6)
        grid.addLayout(fields, place, 3, Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(row.problem, place + 1, 1, 1, 3)
        row.choice.activated.connect(lambda _: self._choose(row))
        for field in (row.metric, row.labeler):
            field.textEdited.connect(lambda _: self._wait())

    def _add_habit(self, grid: QGridLayout, place: int, habit: Habit) -> None:
        """Let a person say how the numbers or dates of all columns are written."""
        box = pieces.named(ChoiceBox(), f"How {habit.title.lower()} are written")
        for told, words in habit.choices:
            box.addItem(words, told)
        box.activated.connect(lambda _: self._wait())
        grid.addWidget(pieces.text(habit.title, "strong"), place, 0)
        grid.addWidget(box, place, 1, 1, 3, Qt.AlignmentFlag.AlignLeft)
        self._habits[habit.key] = box

    def _show_habits(self, mapping: AnyMapping) -> None:
        for key, told in column_uses.habits(mapping).items():
            self._habits[key].setCurrentIndex(self._habits[key].findData(told))

    def _choose(self, row: ColumnRow) -> None:
        row.suggest()
        row.adapt()
        self._wait()

    def _wait(self, *, by_text: bool = False) -> None:
        if not self._filling:
            self.is_changed = True
            self.is_kept = False
            self._by_text = by_text
            self._settle.start()

    def _take(self) -> None:
        try:
            mapping = self._entered()
        except FormatError as error:
            self.problem_found.emit(str(error))
            return
        self.problem_found.emit("")
        if mapping != self._mapping:
            self._mapping = mapping
            self._show_other_view(mapping)
            self.mapping_changed.emit(mapping)

    def _entered(self) -> AnyMapping | None:
        if self._by_text:
            return column_uses.from_text(self.text.toPlainText())
        if self._mapping is None:
            return None
        written = {key: box.currentData() for key, box in self._habits.items()}
        return column_uses.with_uses(self._mapping, [row.use() for row in self._rows], written)

    def _show_other_view(self, mapping: AnyMapping | None) -> None:
        if mapping is None:
            return
        self._filling = True
        if self._by_text:
            columns = [row.column for row in self._rows]
            for row, use in zip(self._rows, column_uses.uses(mapping, columns), strict=True):
                row.show_use(use)
            self._show_habits(mapping)
        else:
            self.text.setPlainText(column_uses.to_text(mapping))
        self._filling = False


def _is_about(field: str, column: str) -> bool:
    named = field.split(", ")
    return any(part == column or part.startswith(f"{column}[") for part in named)


def _example(column: str, rows: Sequence[Values[str, object]]) -> str:
    values = (as_words(row.get(column)) for row in rows)
    return " ".join(next((value for value in values if value), "")[:120].split())
