"""What of a file of cases could not be used."""

from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many
from reviewer.services.testing.sets import Added
from reviewer.services.transfer.import_report import RejectedRow

ROWS = 6
_COLUMNS = (
    Column("line", 44, number=True), Column("field", 90), Column("found", 130), Column("why"),
)  # fmt: skip


class RejectedCard(pieces.Card):
    """Line, field, value and reason of each; hidden where everything was taken."""

    def __init__(self, theme: Theme) -> None:
        """Make the card; it is hidden until something was not taken."""
        super().__init__("Not taken")
        self.sentence = pieces.text("", "muted", wrap=True)
        self.head.addWidget(pieces.Button("Close", self.hide, dense=True))
        self.table = GridView(theme, _COLUMNS, "Rows and values that were not taken")
        self.table.fit_to_rows(ROWS)
        self.body.addWidget(self.sentence)
        self.body.addWidget(self.table)

    def show_rejected(self, told: Added) -> None:
        """Show what of a file was not taken."""
        rows = told.rejected
        values = len(rows) - told.rejected_rows
        parts = [many(told.rejected_rows, "row")] if told.rejected_rows else []
        parts += [f"{many(values, 'single value')} of cases that were kept"] if values else []
        self.sentence.setText(f"{' and '.join(parts)}; everything else is in {told.name}.")
        self.table.show_rows([(n, _cells(x)) for n, x in enumerate(rows)])
        self.setVisible(bool(rows))


def _cells(row: RejectedRow) -> tuple[Cell, ...]:
    found = "nothing" if row.value is None else one_line(str(row.value), 80)
    return (
        Cell(f"{row.line:,}"), Cell(one_line(row.field, 60) or "—"), Cell(found, tip=found),
        Cell(one_line(row.reason, 300), tip=row.reason),
    )  # fmt: skip
