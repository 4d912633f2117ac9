"""The running export and the written file."""

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QProgressBar, QWidget

from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.times import Rate
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
        self.open_folder = pieces.Button("Open folder", self._open_folder, dense=True)
        grid.addLayout(layouts.row(self.open_folder, 1), 4, 0, 1, 2)
        layouts.fill(self.body, self.bar, self.line, self._table)
        self.hide()

    def begin(self, file: Path, unit: str) -> None:
        """Show that an export to a file is running; `unit` is what its rows are called."""
        self._rate = Rate()
        self._unit = unit
        self._file = file
        self.title.setText(f"Exporting {file.name}")
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
        """Show the file that was written."""
        self._file = found.file
        self.title.setText("Exported")
        self.line.setText("")
        for name, words in (
            ("File", str(found.file)),
            ("Rows", f"{found.rows:,} {self._unit}"),
            ("Size", f"{found.bytes:,} bytes"),
            ("SHA-256", found.sha256),
        ):
            self.facts[name].setText(words)
            self.facts[name].setAccessibleName(f"{name}: {words}")
        self._show(running=False)

    def stop(self, sentence: str) -> None:
        """Say that nothing was written, and why."""
        self.title.setText("Not exported")
        self.line.setText(sentence)
        self._show(running=False)
        self._table.hide()
        self.line.show()

    def _show(self, *, running: bool) -> None:
        self.show()
        pieces.show(self.bar, self.line, self.cancel, shown=running)
        self._table.setVisible(not running)

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._file.parent)))
