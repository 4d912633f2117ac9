"""The imports behind a run, each of which can be taken back."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.times import stamp
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.words import imported
from reviewer.services.transfer.importing import NOT_BACK
from reviewer.services.transfer.run_details import ImportEntry

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
        undo: Callable[[int], None],
        *,
        writable: bool,
        places: Callable[[int], str] = lambda _: "",
    ) -> None:
        """Show an import; `undo` takes it back by its number.

        `places` names the places in queues that would go with it.
        """
        super().__init__()
        self._places = partial(places, entry.number)
        self.undo = pieces.Button("Undo this import", self.ask, dense=True)
        self.really = pieces.Button("Take it back", lambda: undo(entry.number), dense=True)
        self.keep = pieces.Button("Keep it", self._keep, dense=True)
        self.warning = pieces.text(WARNING, "human", wrap=True)
        self.undo.setAccessibleName(f"Undo the import of {entry.source}")
        state = "taken back" if entry.undone else imported(entry)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(3)
        head = QHBoxLayout()
        title = pieces.ElidedText(one_line(entry.source, 120), "strong")
        head.addWidget(title, 1)
        head.addWidget(self.undo)
        column.addLayout(head)
        words = f"{when} · {entry.format}" + (f" · {state}" if state else "")
        column.addWidget(pieces.text(words, "small", wrap=True))
        column.addWidget(self.warning)
        foot = QHBoxLayout()
        foot.addWidget(self.really)
        foot.addWidget(self.keep)
        foot.addStretch(1)
        column.addLayout(foot)
        # not before it has its place: a widget without a parent would show as a window
        self.undo.setVisible(not entry.undone and writable)
        self._show_question(shown=False)

    def ask(self) -> None:
        """Say what would go, and wait for a second press."""
        places = self._places()
        lost = f" {places} would go, too; {NOT_BACK}." if places else ""
        self.warning.setText(f"{WARNING}{lost}")
        self._show_question(shown=True)
        self.keep.setFocus()

    def _keep(self) -> None:
        self._show_question(shown=False)
        self.undo.setFocus()

    def _show_question(self, *, shown: bool) -> None:
        for widget in (self.warning, self.really, self.keep):
            widget.setVisible(shown)
        self.undo.setEnabled(not shown)


class ImportsCard(pieces.Card):
    """The imports of the chosen run, the newest first.

    Signals:
        undo_requested: An import is to be taken back, by its number.
    """

    undo_requested = Signal(int)

    def __init__(self, surroundings: Surroundings) -> None:
        """Make an empty card."""
        super().__init__("Imports")
        self._surroundings = surroundings
        self.lines: list[ImportLine] = []
        self._column = QVBoxLayout()
        self._column.setSpacing(surroundings.theme.px(8))
        self.body.addLayout(self._column)

    def show_imports(
        self, entries: Sequence[ImportEntry], *, writable: bool, places: Callable[[int], str]
    ) -> None:
        """Show the imports of another run; `places` names what each would cost queues."""
        pieces.clear(self._column)
        style = self._surroundings.settings.time_format
        self.lines = [
            ImportLine(
                entry,
                stamp(entry.at, style),
                self.undo_requested.emit,
                writable=writable,
                places=places,
            )
            for entry in entries
        ]
        for place, each in enumerate(self.lines):
            if place:
                self._column.addWidget(pieces.line())
            self._column.addWidget(each)
        if not entries:
            self._column.addWidget(pieces.text("No import is recorded for this run.", "muted"))
