"""Backups of the project: the last ones, one more now, and the folder they lie in."""

from datetime import UTC, datetime
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel

from reviewer.gui.kit import pieces
from reviewer.gui.kit.times import ago, stamp
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.services.project import backups
from reviewer.services.project.session import Session

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

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the card without a project."""
        super().__init__("Backups")
        self._surroundings = surroundings
        self._session: Session | None = None
        self.now = pieces.Button("Back up now", self.back_up, dense=True)
        self.last = pieces.text("", wrap=True)
        self.where = pieces.ElidedText("", "small")
        self.open_folder = pieces.Button("Open folder", self._open_folder, kind="link")
        self.head.addWidget(self.now)
        self.body.addWidget(self.last)
        self._grid = QGridLayout()
        self._grid.setVerticalSpacing(surroundings.theme.px(3))
        self._grid.setColumnStretch(0, 1)
        self.body.addLayout(self._grid)
        foot = QHBoxLayout()
        foot.addWidget(self.where, 1)
        foot.addWidget(self.open_folder)
        self.body.addLayout(foot)

    def open(self, session: Session | None) -> None:
        """Show the backups of a project."""
        self._session = session
        self.refresh()

    def files(self) -> list[tuple[Path, datetime, int]]:
        """Give the backups with time and size in bytes, the newest first."""
        if self._session is None:
            return []
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
        if self._session is None:
            return
        found = self.files()
        folder = backups.folder(self._session.project.path)
        self.where.setText(f"in {folder.name}")
        self.where.setToolTip(str(folder))
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
        if self._session is None:
            return
        self.now.setEnabled(False)
        work = beside(self._session, lambda own, _: backups.make(own.project))
        task = self._surroundings.tasks.run(TASK, work)
        task.finished.connect(self._made)
        task.failed.connect(self.failed)
        task.ended.connect(lambda: self.now.setEnabled(True))

    def _made(self, backup: object) -> None:
        self.refresh()
        if isinstance(backup, backups.Backup):
            self.noted.emit(f"Backed up as {backup.file.name}, {_size(backup.bytes)}.")

    def _open_folder(self) -> None:
        if self._session is not None:
            folder = backups.folder(self._session.project.path)
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


def _line(words: str, file: Path) -> QLabel:
    label = pieces.text(words, "small")
    label.setToolTip(file.name)
    return label


def _size(count: int) -> str:
    if count < 1_000_000:
        return f"{max(1, round(count / 1_000)):,} KB"
    if count < 1_000_000_000:
        return f"{count / 1_000_000:.1f} MB"
    return f"{count / 1_000_000_000:.1f} GB"
