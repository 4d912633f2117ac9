"""Keep a mapping in a file, and use one that was kept."""

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from reviewer.domain.errors import FormatError, refusal
from reviewer.gui.importing.mapping_editor import MappingEditor
from reviewer.gui.kit import layouts, pieces
from reviewer.services.transfer import column_uses

KIND = "Mapping files (*.toml)"


class MappingFile(QWidget):
    """The two buttons beside the name of a file that is read through a mapping.

    Signals:
        failed: A mapping could not be saved or read, as a sentence.
    """

    failed = Signal(str)

    def __init__(self, editor: MappingEditor) -> None:
        """Make the buttons for the mapping of an editor."""
        super().__init__()
        self._editor = editor
        self._source = Path()
        layouts.row(
            pieces.Button("Use a saved mapping…", self._ask_which, dense=True),
            pieces.Button("Save mapping…", self._ask_where, dense=True),
            on=self,
            margins=0,
        )

    def offer(self, source: Path, *, shown: bool) -> None:
        """Show the buttons for a source, or hide them where it needs no mapping."""
        self._source = source
        self.setVisible(shown)

    def _ask_which(self) -> None:
        dialog = QFileDialog(self, "Use a saved mapping", str(self._source.parent), KIND)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self.use)
        dialog.open()

    def use(self, file: str) -> None:
        """Use a mapping that was saved, in place of the proposal and the answers."""
        try:
            self._editor.take_mapping(column_uses.read(Path(file)))
        except FormatError as error:
            self.failed.emit(str(error))

    def _ask_where(self) -> None:
        dialog = QFileDialog(
            self,
            "Save the mapping",
            f"{self._source}.mapping.toml",
            KIND,
            acceptMode=QFileDialog.AcceptMode.AcceptSave,
            defaultSuffix="toml",
        )
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def save(self, to: str) -> None:
        """Write the mapping to a file, for the command line and the next time."""
        if self._editor.mapping is None:
            return
        try:
            Path(to).write_text(column_uses.to_text(self._editor.mapping), encoding="utf-8")
            self._editor.is_kept = True
        except OSError as error:
            self.failed.emit(f"The mapping could not be saved as {to}: {refusal(error)}.")
