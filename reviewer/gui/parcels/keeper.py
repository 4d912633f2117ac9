"""Work packages in the window: their commands, and packages that are dropped on it."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog, QFileDialog

from reviewer.gui.background import beside
from reviewer.gui.kit.tasks import soon
from reviewer.gui.kit.text import one_line
from reviewer.gui.places import folder_of_files
from reviewer.gui.window import PROJECT_SUFFIX, MainWindow, led, session_of
from reviewer.services.project.session import Session

INSIDE = "This is a work package itself; send it back, and it is merged where it was made."
THEIRS = "This file is somebody's part of a shared project; a lead does that in the lead's file."

GREETING = (
    "A work package for {name}. Everything is saved as you answer. When it is done, close "
    "Reviewer and send this file back."
)
SHARED = (
    "{name}'s part of a shared project. Everything is saved as you answer, and sent by itself."
)


GATHER = "package-gather"
QUIET_MS = 2_000
"""How long nobody must answer before the file of an open package is made whole."""


class ParcelKeeper(QObject):
    """Answers the window's wishes about work packages.

    Attributes:
        dialog: The dialog that was opened last, None before the first.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow what is dropped on the window."""
        super().__init__(window)
        self._window = window
        self.dialog: QDialog | None = None
        self._quiet = soon(self, self._gather, QUIET_MS)
        window.packages_dropped.connect(self.take)
        window.session_opened.connect(self._greet)

    def pack(self, queue: str = "") -> None:
        """Make a package of a labeler's part of a queue."""
        session = self._lead("make work packages")
        if session is not None:
            from reviewer.gui.parcels.dialogs import PackDialog

            self._show(PackDialog(self._window.surroundings, session, self._window, queue))

    def merge(self) -> None:
        """Ask for returned packages, and look at them."""
        session = self._lead("merge work packages")
        if session is not None:
            dialog = QFileDialog(
                self._window,
                "Returned packages",
                str(folder_of_files(session.project.path.parent)),
                f"Packages (*{PROJECT_SUFFIX})",
                fileMode=QFileDialog.FileMode.ExistingFiles,
            )
            dialog.filesSelected.connect(lambda names: self.take([Path(x) for x in names]))
            dialog.open()

    def take(self, files: Sequence[Path]) -> None:
        """Show what packages would bring."""
        session = self._lead("merge work packages")
        if session is None:
            return
        from reviewer.gui.parcels.dialogs import MergeDialog

        made = MergeDialog(self._window.surroundings, session, self._window, files)
        made.evaluation_requested.connect(self._window.open_evaluation)
        made.merged.connect(self._window.notices.note)
        self._show(made)

    def write_sheet(self) -> None:
        """Write responses into a spreadsheet for somebody who labels there."""
        session = self._lead("write labelers' sheets")
        if session is not None:
            from reviewer.gui.parcels.sheets import SheetDialog

            self._show(SheetDialog(self._window.surroundings, session, self._window))

    def ask_sheet(self) -> None:
        """Ask for a sheet that came back, and look at it."""
        session = self._lead("take labelers' sheets back")
        if session is not None:
            from reviewer.gui.parcels.sheets import SHEETS

            dialog = QFileDialog(
                self._window,
                "A labeler's sheet",
                str(folder_of_files(session.project.path.parent)),
                SHEETS,
                fileMode=QFileDialog.FileMode.ExistingFile,
            )
            dialog.fileSelected.connect(lambda name: self.take_sheet(Path(name)))
            dialog.open()

    def take_sheet(self, file: Path) -> None:
        """Show what a sheet would bring."""
        session = self._lead("take labelers' sheets back")
        if session is None:
            return
        from reviewer.gui.parcels.sheets import ReturnedDialog

        made = ReturnedDialog(self._window.surroundings, session, self._window, file)
        made.taken.connect(self._window.notices.note)
        self._show(made)

    def _greet(self, session: Session) -> None:
        """Say what an opened package is and what becomes of it."""
        name = session.package_labeler()
        if name is None:
            return
        called = one_line(name, 60)
        if _is_shared(session):
            self._window.notices.note(SHARED.format(name=called))
            return
        self._window.notices.warn(GREETING.format(name=called))
        session.subscribe(lambda _: self._quiet.start())

    def _gather(self) -> None:
        """Put the answers of a package into the one file that is sent, also while it is open."""
        session = self._window.session
        if session is not None:
            self._window.surroundings.tasks.run(
                GATHER, beside(session, lambda own, _: own.project.gather())
            )

    def _lead(self, what: str) -> Session | None:
        """Give the open project where the active labeler may do this."""
        session = session_of(self._window)
        if session.package_labeler() is not None:
            self._window.notices.error(THEIRS if _is_shared(session) else INSIDE)
            return None
        return led(self._window, what)

    def _show(self, dialog: QDialog) -> None:
        self.dialog = dialog
        dialog.show()


def _is_shared(session: Session) -> bool:
    from reviewer.services.sharing import link

    return link.is_shared(session.project)
