"""How a run came in and is kept: imports to take back, labels to carry over, backups."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLabel, QWidget

from reviewer.domain.wording import fixed
from reviewer.gui.background import beside
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import ago, name_line, one_line, stamp
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings, Surroundings
from reviewer.gui.runs.words import imported, many
from reviewer.services.project import backups
from reviewer.services.transfer.carry_offers import Offer
from reviewer.services.transfer.run_details import ImportEntry
from reviewer.services.transfer.undoing import NOT_BACK, Cost, Keep, cost_words

WARNING = (
    "Evaluations, scores and labels that came with it go. Labels given here since stay in the "
    "file and show again when the same file is imported anew."
)


class ImportLine(QWidget):
    """One import with its button, which asks once before it acts.

    Attributes:
        warning: What would go.
    """

    def __init__(
        self,
        entry: ImportEntry,
        when: str,
        undo: Callable[[int, Keep], None],
        *,
        writable: bool,
        cost: Callable[[int], Cost] = lambda _: Cost(),
    ) -> None:
        """Show an import; `undo` takes it back by its number, with or without what is labelled.

        `cost` tells what would go with it.
        """
        super().__init__()
        self._cost = partial(cost, entry.number)
        self.undo = pieces.named(
            pieces.Button("Undo this import", self.ask, dense=True),
            f"Undo the import of {entry.source}",
        )
        self.rest = pieces.Button("", lambda: undo(entry.number, "labelled"), dense=True)
        self.really = pieces.Button(
            "Take it back", lambda: undo(entry.number, "nothing"), dense=True
        )
        self.keep = pieces.Button("Keep it", self._keep, dense=True)
        self.warning = pieces.text(WARNING, "human", wrap=True)
        state = "taken back" if entry.undone else imported(entry)
        head = layouts.row(
            (pieces.ElidedText(one_line(entry.source, 120), "strong", is_name=True), 1), self.undo
        )
        words = f"{when} · {entry.format}" + (f" · {state}" if state else "")
        layouts.column(
            head,
            pieces.text(words, "small", wrap=True),
            self.warning,
            layouts.row(self.rest, self.really, self.keep, 1),
            on=self,
            margins=0,
            gap=3,
        )
        # not before it has its place: a widget without a parent would show as a window
        self.undo.setVisible(not entry.undone and writable)
        self._show_question(shown=False)

    def ask(self) -> None:
        """Say what would go, and wait for a second press."""
        cost = self._cost()
        lost = f" {cost.places} would go, too; {NOT_BACK}." if cost.places else ""
        self.warning.setText(f"{WARNING}{cost_words(cost)}{lost}")
        self.rest.setText(f"Keep the {cost.labelled:,} labelled")
        self.really.setText("Take all back" if cost.labelled else "Take it back")
        self._show_question(shown=True)
        pieces.show(self.rest, shown=cost.labelled > 0)
        self.keep.setFocus()

    def _keep(self) -> None:
        self._show_question(shown=False)
        self.undo.setFocus()

    def _show_question(self, *, shown: bool) -> None:
        pieces.show(self.warning, self.rest, self.really, self.keep, shown=shown)
        self.undo.setEnabled(not shown)


class ImportsCard(pieces.Card):
    """The imports of the chosen run, the newest first.

    Signals:
        undo_requested: An import is to be taken back, by its number, and what of it is to stay.
    """

    undo_requested = Signal(int, str)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make an empty card."""
        super().__init__("Imports")
        self._surroundings = surroundings
        self.lines: list[ImportLine] = []
        self._column = layouts.column(gap=surroundings.theme.px(8))
        self.body.addLayout(self._column)

    def show_imports(
        self, entries: Sequence[ImportEntry], *, writable: bool, cost: Callable[[int], Cost]
    ) -> None:
        """Show the imports of another run; `cost` tells what taking each back would cost."""
        pieces.clear(self._column)
        style = self._surroundings.settings.time_format
        self.lines = [
            ImportLine(
                entry,
                stamp(entry.at, style),
                self.undo_requested.emit,
                writable=writable,
                cost=cost,
            )
            for entry in entries
        ]
        for place, each in enumerate(self.lines):
            if place:
                self._column.addWidget(pieces.line())
            self._column.addWidget(each)
        if not entries:
            self._column.addWidget(pieces.text("No import is recorded for this run.", "muted"))


HELP = (
    "Response, question, context and conversation are the same byte for byte. Copies name where "
    "they came from and enter no corrected mean; Undo this import takes them back."
)


class CarryCard(pieces.Card):
    """One line a run whose labels can be carried over to the chosen one.

    Signals:
        carry_requested: The labels of this run shall be carried over.
    """

    carry_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        """Make a card that is hidden until there is something to offer."""
        super().__init__("Labels that fit")
        self.buttons: list[pieces.Button] = []
        self._column = layouts.column(gap=theme.px(6))
        layouts.fill(self.body, pieces.text(HELP, "small", wrap=True), self._column)
        self.hide()

    def show_offers(self, found: Sequence[Offer], *, writable: bool) -> None:
        """Show what another run offers."""
        pieces.clear(self._column)
        self.buttons = [self._button(offer) for offer in found if writable]
        layouts.fill(self._column, *self.buttons)
        self.setVisible(bool(self.buttons))

    def _button(self, offer: Offer) -> pieces.Button:
        words = f"Carry {many(offer.labels, 'label')} over from {name_line(offer.run, 30)}"
        return pieces.Button(words, lambda: self.carry_requested.emit(offer.run), dense=True)


TASK = "backup now"
SHOWN = 6


class BackupsCard(pieces.Card):
    """The last backup, a button for another, and the list.

    Signals:
        failed: No backup could be made, as a sentence.
        noted: A backup was made.
    """

    failed = Signal(str)
    noted = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Show the backups of the project."""
        super().__init__("Backups")
        self._surroundings = surroundings
        self._session = surroundings.session
        self.now = pieces.Button("Back up now", self.back_up, dense=True)
        self.last = pieces.text("", wrap=True)
        self.where = pieces.ElidedText("", "small")
        self.open_folder = pieces.Button("Open folder", self._open_folder, kind="link")
        self.head.addWidget(self.now)
        self.body.addWidget(self.last)
        self._grid = layouts.grid(down=surroundings.theme.px(3), stretch={0: 1})
        layouts.fill(self.body, self._grid, layouts.row((self.where, 1), self.open_folder))

    def files(self) -> list[tuple[Path, datetime, int]]:
        """Give the backups with time and size in bytes, the newest first."""
        found = []
        for file in backups.folder(self._session.project.path).glob("*.review"):
            try:
                facts = file.stat()
            except OSError:
                continue
            found.append((file, datetime.fromtimestamp(facts.st_mtime, UTC), facts.st_size))
        return sorted(found, key=lambda each: each[1], reverse=True)

    def refresh(self) -> None:
        """Look into the folder again."""
        found = self.files()
        folder = backups.folder(self._session.project.path)
        pieces.write(self.where, f"in {folder.name}", tip=str(folder))
        self.open_folder.setVisible(bool(found))
        self.last.setText(
            f"The last one was made {ago(found[0][1].isoformat())}."
            if found
            else "There is none yet. One is made when the project is opened, then hourly while it "
            "changes."
        )
        pieces.clear(self._grid)
        style = self._surroundings.settings.time_format
        for row, (file, moment, size) in enumerate(found[:SHOWN]):
            self._grid.addWidget(_line(stamp(moment.isoformat(), style), file), row, 0)
            self._grid.addWidget(_line(_size(size), file), row, 1)
        if len(found) > SHOWN:
            self._grid.addWidget(pieces.text(f"and {len(found) - SHOWN} older", "small"), SHOWN, 0)

    def back_up(self) -> None:
        """Make a backup in the background."""
        self.now.setEnabled(False)
        self._surroundings.tasks.run(
            TASK,
            beside(self._session, lambda own, _: backups.make(own.project)),
            then=self._made,
            failed=self.failed,
            loss="the backup",
        ).ended.connect(self._let_back_up)

    def _let_back_up(self) -> None:
        self.now.setEnabled(True)

    def _made(self, backup: backups.Backup) -> None:
        self.refresh()
        self.noted.emit(f"Backed up as {backup.file.name}, {_size(backup.bytes)}.")

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(
            QUrl.fromLocalFile(str(backups.folder(self._session.project.path)))
        )


def _line(words: str, file: Path) -> QLabel:
    return pieces.text(words, "small", tip=file.name)


def _size(count: int) -> str:
    if count < 1_000_000:
        return f"{max(1, round(count / 1_000)):,} KB"
    if count < 1_000_000_000:
        return f"{fixed(count / 1_000_000, 1)} MB"
    return f"{fixed(count / 1_000_000_000, 1)} GB"
