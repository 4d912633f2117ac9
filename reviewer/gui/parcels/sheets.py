"""The dialogs of labelers' sheets: writing one for a spreadsheet, and taking one back."""

from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QFormLayout, QWidget

from reviewer.domain.wording import counted
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.number_field import choice, offer_names
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectDialog, Surroundings
from reviewer.gui.places import folder_of_files
from reviewer.services.parcels import sheets
from reviewer.services.parcels.sheets import SheetReturned, Told
from reviewer.services.project.session import Session

SHEETS = "Sheets (*.xlsx *.csv)"
HELP = (
    "A sheet has the responses and an empty column a metric, for somebody who labels in a "
    "spreadsheet. Nothing that the judge or others said is in it. Send it, and take it back here."
)
_WRITE, _LOOK, _TAKE = "sheet-write", "sheet-look", "sheet-take"
_ROWS = (
    Column("evaluation", 150),
    Column("what becomes of it"),
    Column("here", 80, tip="What the labeler says in this project."),
    Column("sheet", 80, tip="What the sheet says."),
)
FIRST = 1_000
"""Cells that are shown of a sheet; all of them are counted."""


class SheetDialog(ProjectDialog):
    """Chooses for whom a sheet is, and where it goes."""

    def __init__(self, surroundings: Surroundings, session: Session, parent: QWidget) -> None:
        """Offer the project's people."""
        super().__init__(parent, "Write a labeler's sheet")
        self._surroundings, self._session = surroundings, session
        px = surroundings.theme.px
        self.labeler = choice("Labeler")
        offer_names(self.labeler, "", [one.name for one in session.labelers()])
        self.done_words = pieces.text("", wrap=True, hidden=True, name="What was written")
        self.problem = pieces.text("", "alert", wrap=True, hidden=True, name="What is in the way")
        self.make = pieces.Button("Choose a file and write…", self._choose_file, kind="primary")
        card = pieces.Card("Labeler's sheet")
        card.body.addWidget(pieces.text(HELP, "muted", wrap=True))
        form = QFormLayout(verticalSpacing=px(8))
        form.addRow("For", self.labeler)
        layouts.fill(card.body, form, self.done_words, self.problem, 1)
        below = layouts.row(1, pieces.Button("Close", self.close), self.make)
        layouts.column((card, 1), below, on=self, margins=px(14), gap=px(12))
        self.resize(px(520), px(280))

    def write(self, to: Path) -> None:
        """Write the sheet beside the window."""
        labeler = str(self.labeler.currentData() or "")
        self.make.setEnabled(False)
        self._surroundings.tasks.run(
            _WRITE,
            beside(self._session, lambda own, _: sheets.write(own, to, labeler)),
            then=lambda rows: self._show(f"Written: {counted(rows, 'response')} in {to.name}."),
            failed=lambda problem: self._show("", problem),
            loss=f"the sheet {to.name}",
        )

    def _show(self, words: str, problem: str = "") -> None:
        self.make.setEnabled(True)
        pieces.say(self.done_words, words)
        pieces.say(self.problem, problem)

    def _choose_file(self) -> None:
        dialog = QFileDialog(
            self,
            "Write the sheet",
            str(folder_of_files(self._session.project.path.parent)),
            SHEETS,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix="xlsx",
        )
        dialog.fileSelected.connect(lambda chosen: self.write(Path(chosen)))
        dialog.open()


class ReturnedDialog(ProjectDialog):
    """What a sheet would bring, a line a cell, before it is taken.

    Signals:
        taken: A sheet was taken in, as a sentence.
    """

    taken = Signal(str)

    def __init__(
        self, surroundings: Surroundings, session: Session, parent: QWidget, file: Path
    ) -> None:
        """Look at a sheet; nothing is taken in before the button is pressed."""
        super().__init__(parent, "Take a labeler's sheet back")
        self._surroundings, self._session, self._file = surroundings, session, file
        px = surroundings.theme.px
        self.rows = GridView(surroundings.theme, _ROWS, "What the sheet brings")
        self.sentence = pieces.text("Looking at the sheet…", wrap=True, name="What it brings")
        self.problem = pieces.text("", "alert", wrap=True, hidden=True, name="What is in the way")
        self.take = pieces.Button("Take in", lambda: self._run(dry_run=False), kind="primary")
        self.leave = pieces.Button("Cancel", self.close)
        self.take.setEnabled(False)
        card = pieces.Card("Sheet")
        layouts.fill(card.body, (self.rows, 1), self.sentence, self.problem)
        below = layouts.row(1, self.leave, self.take)
        layouts.column((card, 1), below, on=self, margins=px(14), gap=px(12))
        fit(self, px(760), px(480))
        self._run(dry_run=True)

    def _run(self, *, dry_run: bool) -> None:
        file = self._file
        self.take.setEnabled(False)
        self._surroundings.tasks.run(
            _LOOK if dry_run else _TAKE,
            beside(self._session, lambda own, _: sheets.take(own, file, dry_run=dry_run)),
            then=self._show_preview if dry_run else self._show_taken,
            failed=self._fail,
            loss="" if dry_run else f"the taking back of {file.name}",
        )

    def _show_preview(self, found: SheetReturned) -> None:
        self._show(found)
        self.take.setEnabled(bool(found.new or found.changed))

    def _show_taken(self, found: SheetReturned) -> None:
        if self.is_left:
            return
        self._session.poll()
        self._show(found)
        self.leave.setText("Close")
        self.taken.emit(f"Taken in. {found.sentence}")

    def _show(self, found: SheetReturned) -> None:
        self.sentence.setText(one_line(found.sentence, 300))
        lines = [row for _, row in zip(range(FIRST), _lines(found), strict=False)]
        self.rows.show_rows(list(enumerate(lines)))

    def _fail(self, problem: str) -> None:
        self.sentence.setText("")
        pieces.say(self.problem, problem)


def _lines(found: SheetReturned) -> Iterator[tuple[Cell, ...]]:
    """Give a line a cell, first what a person should look at."""
    for sentence in found.refused:
        said = one_line(sentence, 300)
        yield (Cell(""), Cell(f"refused: {said}", "alert", tip=said), Cell(""), Cell(""))
    for one in found.conflicts:
        yield _cells(one, "was answered here since; this one stays", "alert")
    for one in found.changed:
        yield _cells(one, "the sheet's counts from then on")
    for one in found.new:
        yield _cells(one, "new")


def _cells(one: Told, what: str, role: str = "") -> tuple[Cell, ...]:
    name, who = one_line(one.id, 60), one_line(f"{one.metric}, {one.labeler}", 80)
    here = "" if one.here is None else str(one.here)
    return (
        Cell(name, strong=True, tip=f"{one_line(one.run, 60)}/{name}"),
        Cell(f"{who}: {what}", role),
        Cell(one_line(here, 30)),
        Cell(one_line(str(one.there), 30)),
    )
