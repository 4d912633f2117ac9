"""The harness's grades: a row a category, a column a grade; a count opens its questions."""

from PySide6.QtCore import QModelIndex, Signal

from reviewer.gui.figures.figure_menu import Figure, FigureMenu
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import name_line
from reviewer.gui.kit.theme import Theme
from reviewer.services.reporting.grades import ALL, GradeRow, Grades

MOST = 14
_BEFORE, _AFTER = 3, 1
"""Columns before the grades, and behind them."""


class GradesCard(pieces.Card):
    """Grades by category; hidden where the run's rubric has none.

    Signals:
        open_requested: Questions are asked for: their evaluations, and what they are.
    """

    open_requested = Signal(object, str)

    def __init__(self, theme: Theme, figures: FigureMenu) -> None:
        """Make the card empty."""
        super().__init__("Grades by category")
        self._theme, self._figures = theme, figures
        self._found: Grades | None = None
        self.table: GridView | None = None
        self.note = pieces.text("", "notice", wrap=True, name="What to know of the grades")
        self.body.addWidget(self.note)
        self.hide()

    def show_grades(self, found: Grades | None) -> None:
        """Show a run's grades."""
        bands = None if self._found is None else self._found.bands
        self._found = found
        if found is None:
            self.hide()
            return
        if self.table is None or bands != found.bands:
            self._make_table(found)
        if self.table is not None:
            self.table.show_rows([(row.category, _cells(row, found)) for row in found.rows])
        pieces.say(self.note, found.note)
        self.show()

    def _make_table(self, found: Grades) -> None:
        if self.table is not None:
            pieces.discard(self.table)
        columns = (
            Column("category"),
            Column("score", 56, number=True, tip="Mean of the questions' final scores, 0 to 1."),
            Column("grade", 50, tip="The grade of that mean."),
            *(
                Column(x.letter, 38, number=True, tip=f"{x.words}. A click opens the questions.")
                for x in found.bands
            ),
            Column("n", 44, number=True, tip="Questions, also those without any score.", drop=1),
        )
        self.table = GridView(self._theme, columns, "Grades by category", most=MOST)
        self.body.insertWidget(1, self.table)
        self._figures.serve_grid(self.table, self._figure)
        pieces.connect(
            (self.table.clicked, self._open_cell),
            (self.table.row_opened, self._open_row),
        )

    def _row(self, key: object) -> GradeRow | None:
        rows = () if self._found is None else self._found.rows
        return next((row for row in rows if row.category == key), None)

    def _open_cell(self, index: QModelIndex) -> None:
        if self.table is not None:
            self._open(self.table.rows.keys[index.row()], index.column() - _BEFORE)

    def _open_row(self, key: object) -> None:
        self._open(key)

    def _open(self, key: object, grade: int = -1) -> None:
        row = self._row(key)
        if row is None or self._found is None:
            return
        of = "" if key == ALL else f" of {row.category}"
        if 0 <= grade < len(row.graded):
            if row.graded[grade]:
                letter = self._found.bands[grade].letter
                self.open_requested.emit(row.graded[grade], f"questions{of} graded {letter}")
        elif row.keys:
            self.open_requested.emit(row.keys, f"questions{of}")

    def _figure(self, key: object, column: int) -> Figure | None:
        row = self._row(key)
        if row is None or not column:
            return None
        return Figure(title=f"Grades: {row.category}", sentence=row.sentence)


def _cells(row: GradeRow, found: Grades) -> tuple[Cell, ...]:
    is_all = row.category == ALL
    band = next((x for x in found.bands if x.letter == row.grade), None)
    tip = "No question has a score." if band is None else f"{band.words}."
    return (
        Cell(name_line(row.category, 60), tip=row.sentence, strong=is_all),
        Cell(row.score, "auto" if band else "muted", tip=row.sentence, strong=is_all),
        Cell(row.grade, "" if band else "muted", tip=tip, strong=is_all),
        *(
            Cell(f"{len(keys):,}", "auto" if keys else "muted", tip=f"{of.words}.")
            for keys, of in zip(row.graded, found.bands, strict=True)
        ),
        Cell(f"{row.n:,}", "muted"),
    )
