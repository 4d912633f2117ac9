"""What the check of a test set found; each finding leads to its cases."""

import re
from collections.abc import Sequence

from PySide6.QtCore import Signal

from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many
from reviewer.services.testing.checking import Finding

MOST = 8
LONGEST = 400
_CUT = re.compile(r"[:;] ")
"""Where a sentence goes on to single cases."""


class FindingsCard(pieces.Card):
    """Problems and remarks in sentences.

    Signals:
        cases_requested: Cases are to be shown, by their ids and a heading.
    """

    cases_requested = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        """Make the card without findings."""
        super().__init__("Check")
        self.verdict = pieces.text("", "small", name="What the check says")
        self.head.addWidget(self.verdict)
        columns = (Column("finding"), Column("cases", 60, number=True))
        self.table = GridView(theme, columns, "Findings")
        self.table.fit_to_rows(MOST)
        self.body.addWidget(self.table)
        self._found: tuple[Finding, ...] = ()
        self.table.clicked.connect(lambda index: self._open(index.row()))
        self.table.row_opened.connect(self._open)

    def show_findings(self, found: Sequence[Finding]) -> None:
        """Show what was found."""
        self._found = tuple(found)
        problems = sum(x.problem for x in found)
        said = f"{problems:,} to look at" if problems else "nothing is missing"
        remarks = len(self._found) - problems
        self.verdict.setText(f"{said} · {many(remarks, 'remark')}" if remarks else said)
        pieces.set_property(self.verdict, "role", "alert" if problems else "small")
        self.table.show_rows([(n, _cells(x)) for n, x in enumerate(self._found)])
        self.table.setVisible(bool(self._found))

    def _open(self, place: object) -> None:
        if isinstance(place, int) and place < len(self._found):
            found = self._found[place]
            if found.cases:
                self.cases_requested.emit(found.cases, one_line(found.sentence, 120))


def _cells(found: Finding) -> tuple[Cell, ...]:
    sentence = one_line(found.sentence, LONGEST)
    parts = _CUT.split(sentence, maxsplit=1)
    sign = "▲ " if found.problem else "• "
    count = f"{len(found.cases):,} ▸" if found.cases else "—"
    role = "alert" if found.problem else ""
    below = parts[1] if len(parts) == 2 else " "
    return Cell(sign + parts[0].removesuffix("."), role, tip=sentence, below=below), Cell(
        count, "muted"
    )
