"""Asking for rubric files, and the question before changes are lost."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from reviewer.gui.kit import pieces

TOML = "Rubrics (*.toml);;All files (*)"


def ask_import(parent: QWidget, then: Callable[[str], object]) -> None:
    """Ask for a rubric file to read."""
    dialog = QFileDialog(parent, "Import a rubric", "", TOML)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(then)
    dialog.open()


def ask_export(parent: QWidget, name: str, then: Callable[[str], object]) -> None:
    """Ask for a rubric file to write; `name` is proposed."""
    dialog = QFileDialog(parent, "Export the rubric", f"{name}.toml", TOML)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("toml")
    dialog.fileSelected.connect(then)
    dialog.open()


class LeaveBar(pieces.Card):
    """Says that changes are not kept, where someone is about to lose them.

    Signals:
        discard_requested: The changes may go.
    """

    discard_requested = Signal()

    def __init__(self) -> None:
        """Make the bar, hidden."""
        super().__init__(margin=8)
        self.setAccessibleName("Changes that are not kept")
        self.discard = pieces.Button("Discard them", self.discard_requested.emit, dense=True)
        row = QHBoxLayout()
        row.addWidget(pieces.text("Your changes are not kept yet.", "human"))
        row.addStretch(1)
        row.addWidget(self.discard)
        row.addWidget(pieces.Button("Go on editing", self.hide, dense=True))
        self.body.addLayout(row)
        self.hide()
