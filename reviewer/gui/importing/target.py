"""Where an import goes: the open project, or a new file."""

import os
from pathlib import Path

from PySide6.QtCore import QStandardPaths
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QWidget,
)

from reviewer.domain.errors import ProjectError
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import literal

SUFFIX = ".review"


class TargetChoice(QWidget):
    """Two radio buttons and the new project's file name."""

    def __init__(self, open_project: Path | None) -> None:
        """Make the choice; without an open project only a new one is offered."""
        super().__init__()
        self._open = open_project
        self.existing = QRadioButton(literal(open_project.name) if open_project else "")
        self.existing.setVisible(open_project is not None)
        self.fresh = QRadioButton("a new project")
        self.field = QLineEdit()
        self.field.setAccessibleName("File of the new project")
        self._browse = pieces.Button("Choose…", self._ask_where, dense=True)
        group = QButtonGroup(self)
        for button in (self.existing, self.fresh):
            group.addButton(button)
        (self.existing if open_project else self.fresh).setChecked(True)
        self.fresh.setVisible(open_project is not None)
        self.fresh.toggled.connect(lambda _: self._adapt())
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for widget in (self.existing, self.fresh):
            row.addWidget(widget)
        row.addWidget(self.field, 1)
        row.addWidget(self._browse)
        self._adapt()

    def propose(self, source: Path) -> None:
        """Propose a new project's file beside the source, else in the documents folder."""
        folder = source.absolute().parent
        if not os.access(folder, os.W_OK):
            where = QStandardPaths.StandardLocation.DocumentsLocation
            folder = Path(QStandardPaths.writableLocation(where) or Path.home())
        stem = source.name.split(".")[0] or "project"
        self.field.setText(str(_free(folder, stem)))

    def path(self) -> Path:
        """Give the project file to import into.

        Raises:
            ProjectError: No file is named, or a new project's file exists already.
        """
        if self._open is not None and self.existing.isChecked():
            return self._open
        words = self.field.text().strip()
        if not words:
            raise ProjectError("Name the file of the new project.")
        path = Path(words).expanduser()
        path = path if path.suffix == SUFFIX else path.with_name(path.name + SUFFIX)
        if path.exists():
            raise ProjectError(f"{path} exists already; open it first, or name another file.")
        return path

    def _adapt(self) -> None:
        for widget in (self.field, self._browse):
            widget.setVisible(self.fresh.isChecked())

    def _ask_where(self) -> None:
        dialog = QFileDialog(self, "New project", self.field.text(), f"Projects (*{SUFFIX})")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX.lstrip("."))
        dialog.fileSelected.connect(self.field.setText)
        dialog.open()


def _free(folder: Path, stem: str) -> Path:
    number, path = 1, folder / f"{stem}{SUFFIX}"
    while path.exists():
        number += 1
        path = folder / f"{stem} {number}{SUFFIX}"
    return path
