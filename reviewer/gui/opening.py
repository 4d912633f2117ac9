"""Getting work into the window: projects, the demo, files to import."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtWidgets import QFileDialog

from reviewer.domain.progress import Progress
from reviewer.gui.kit.pieces import connect
from reviewer.gui.window import PROJECT_SUFFIX, MainWindow

DEMO = "demo"
RESULT_FILES = (
    "Results (*.jsonl *.json *.csv *.tsv *.txt *.gz *.jsonl.gz *.json.gz *.csv.gz);;All files (*)"
)
PROJECT_FILES = f"Projects (*{PROJECT_SUFFIX});;All files (*)"


class _ImportDialog(Protocol):
    """What is asked of the import dialog, whose module is loaded when it is wanted."""

    work_changed: SignalInstance
    work_ended: SignalInstance
    imported: SignalInstance
    review_requested: SignalInstance
    destroyed: SignalInstance

    @property
    def is_running(self) -> bool: ...
    def show(self) -> None: ...
    def raise_(self) -> None: ...
    def activateWindow(self) -> None: ...  # noqa: N802 - Qt's name


class Opening(QObject):
    """Answers the wishes of start page, drops and commands for something to work on."""

    def __init__(self, window: MainWindow) -> None:
        """Connect to the window's wishes."""
        super().__init__(window)
        self._window = window
        self._surroundings = window.surroundings
        self._import: _ImportDialog | None = None
        start = window.start
        connect(
            (start.choose_requested, self.choose_files),
            (start.open_requested, self.choose_project),
            (start.demo_requested, self.open_demo),
            (start.project_requested, window.open_project),
            (start.forget_requested, self._forget),
            (window.files_dropped, self.start_import),
            (window.page_shown, lambda page: None if page else start.refresh()),
            (window.status.work_clicked, self._show_import),
        )

    def choose_project(self) -> None:
        """Ask for a project file and open it."""
        dialog = QFileDialog(
            self._window,
            "Open project",
            self._folder(),
            PROJECT_FILES,
            fileMode=QFileDialog.FileMode.ExistingFile,
        )
        dialog.fileSelected.connect(lambda name: self._window.open_project(Path(name)))
        dialog.open()

    def choose_files(self) -> None:
        """Ask for result files and look at them."""
        dialog = QFileDialog(
            self._window,
            "Import results",
            self._folder(),
            RESULT_FILES,
            fileMode=QFileDialog.FileMode.ExistingFiles,
        )
        dialog.filesSelected.connect(
            lambda names: self.start_import(tuple(Path(name) for name in names))
        )
        dialog.open()

    def start_import(self, files: Sequence[Path]) -> None:
        """Open the import dialog on files; while an import runs, that one is shown instead."""
        if self._import is not None and self._import.is_running:
            self._window.notices.note("An import is running; start the next when it has ended.")
            self._show_import()
            return
        from reviewer.gui.importing.dialog import ImportDialog

        session = self._window.session
        project = session.project.path if session is not None else None

        dialog: _ImportDialog = ImportDialog(
            self._surroundings,
            files,
            project,
            self._window,
            labeler=session.labeler.name if session is not None else "",
        )
        connect(
            (dialog.work_changed, self._window.status.show_work),
            (dialog.work_ended, self._window.status.idle),
            (dialog.imported, self._take_imported),
            (dialog.review_requested, self._review),
            (dialog.destroyed, partial(self._drop_import, dialog)),
        )
        self._import = dialog
        dialog.show()

    def open_demo(self, system: str = "") -> None:
        """Make the demo, or the example of a system, in the background and open it."""

        def make(progress: Progress) -> Path:
            from reviewer.services.upkeep import projects

            return projects.make_demo(None, system or None, progress)

        task = self._surroundings.tasks.run(
            DEMO, make, then=self._take_demo, failed=self._window.notices.error
        )
        self._window.status.show_work("Making the demo")
        task.ended.connect(self._window.status.idle)

    def _take_demo(self, path: Path) -> None:
        self._window.open_project(path)

    def _take_imported(self, path: Path) -> None:
        session = self._window.session
        if session is not None and session.project.path == path:
            session.poll()
        else:
            self._window.notices.note(f"Imported into {path.name}.")

    def _review(self, path: Path) -> None:
        session = self._window.session
        if session is not None and session.project.path == path:
            self._window.show_page("review")
        else:
            self._window.open_project(path)

    def _show_import(self) -> None:
        if self._import is not None:
            self._import.show()
            self._import.raise_()
            self._import.activateWindow()

    def _drop_import(self, dialog: _ImportDialog, *_: object) -> None:
        if self._import is dialog:
            self._import = None

    def _forget(self, path: Path) -> None:
        try:
            self._surroundings.settings.forget(path)
        except OSError as error:
            self._window.notices.error(f"The list could not be kept: {error.strerror or error}")
        self._window.start.refresh()

    def _folder(self) -> str:
        recents = self._surroundings.settings.recent_projects
        return str(recents[0].path.parent if recents else Path.home())
