"""The card that shows how a file is written: progress, then what was written."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QProgressBar, QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.text import Rate
from reviewer.gui.kit.theme import Theme
from reviewer.services.transfer.exporting import Exported

PER_MILLE = 1000


class ExportCard(pieces.Card):
    """Progress with count, rate and cancel; then file, rows, size and checksum.

    Signals:
        cancel_requested: The running export is to be stopped.
    """

    cancel_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        """Make the card, hidden until an export begins."""
        super().__init__("Export")
        self._rate = Rate()
        self._unit = ""
        self._file = Path()
        self.bar = pieces.named(QProgressBar(textVisible=False), "Progress of the export")
        self.line = pieces.text("", "small", wrap=True)
        self.cancel = pieces.Button("Cancel", self.cancel_requested.emit, dense=True)
        self.head.addWidget(self.cancel)
        self.facts: dict[str, pieces.ElidedText] = {}
        self._table = QWidget()
        grid = layouts.grid(on=self._table, margins=0, down=theme.px(4), stretch={1: 1})
        for row, name in enumerate(("File", "Rows", "Size", "SHA-256")):
            fact = pieces.ElidedText("")
            fact.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(pieces.text(name, "muted"), row, 0)
            grid.addWidget(fact, row, 1)
            self.facts[name] = fact
        self.open_folder = pieces.Button(
            "Open folder",
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent))),
            dense=True,
        )
        self.open_file = pieces.Button(
            "Open",
            lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file))),
            dense=True,
        )
        grid.addLayout(layouts.row(self.open_file, self.open_folder, 1), 4, 0, 1, 2)
        layouts.fill(self.body, self.bar, self.line, self._table)
        self.hide()

    def begin(self, file: Path, unit: str) -> None:
        """Show that an export to a file is running; `unit` is what its rows are called."""
        self._rate = Rate()
        self._unit = unit
        self._file = file
        self.title.setText(f"Writing {file.name}")
        self.bar.setRange(0, 0)
        self.line.setText("")
        self._show(running=True)

    def advance(self, done: int, total: int | None) -> None:
        """Show how far it is."""
        self._rate.see(done)
        self.bar.setRange(0, PER_MILLE if total else 0)
        if total:
            self.bar.setValue(min(PER_MILLE, round(done / total * PER_MILLE)))
        self.line.setText(self._rate.words(done, total, self._unit))

    def finish(self, found: Exported) -> None:
        """Show the export that was written."""
        rows = f"{found.rows:,} {self._unit}"
        self.show_file(found.file, rows, found.bytes, found.sha256)
        self.title.setText("Exported")

    def show_file(self, file: Path, rows: str, size: int, digest: str) -> None:
        """Show a file that was written, and what is in it where that is counted."""
        self._file = file
        self.title.setText("Written")
        self.line.setText("")
        for name, words in (
            ("File", str(file)),
            ("Rows", rows or "—"),
            ("Size", f"{size:,} bytes"),
            ("SHA-256", digest),
        ):
            pieces.write(self.facts[name], words, name=f"{name}: {words}")
        self._show(running=False)

    def stop(self, sentence: str) -> None:
        """Say that nothing was written, and why."""
        self.title.setText("Not written")
        self.line.setText(sentence)
        self._show(running=False)
        self._table.hide()
        self.line.show()

    def _show(self, *, running: bool) -> None:
        self.show()
        pieces.show(self.bar, self.line, self.cancel, shown=running)
        self._table.setVisible(not running)
