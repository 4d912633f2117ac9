"""The window's own commands: opening and importing, palette, sheet, settings, pages, panes."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, Protocol

from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QWidget

from reviewer.domain.errors import Progress, ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.gui import background
from reviewer.gui.actions import PAGES, WINDOW, Command, bind, bound
from reviewer.gui.guidelines import GuidelinesKeeper
from reviewer.gui.kit.focus_order import cycle
from reviewer.gui.kit.pieces import connect
from reviewer.gui.labelers.forgetting import Forgetter
from reviewer.gui.menu_bar import MenuBar
from reviewer.gui.page import ProjectSurroundings, around
from reviewer.gui.palette import Palette
from reviewer.gui.parcels.keeper import ParcelKeeper
from reviewer.gui.places import folder_of_files
from reviewer.gui.queues.keeper import QueueKeeper
from reviewer.gui.sharing.keeper import SharingKeeper
from reviewer.gui.window import PROJECT_SUFFIX, MainWindow, leave_project, session_of
from reviewer.services.project.session import may_lead

DEMO = "demo"
RESULT_FILES = (
    "Results (*.jsonl *.ndjson *.json *.yaml *.csv *.tsv *.txt *.xlsx *.xlsm *.ods *.parquet "
    "*.eval *.traj *.gz);;All files (*)"
)
RUNNING = "An import is running; start the next when it has ended."
UNSEEN = "Look at how this import ended; then start the next."
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
    @property
    def ending(self) -> str: ...
    @property
    def waits(self) -> str: ...
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
            (start.help_requested, lambda: window.run_command("window.systems")),
            (start.project_requested, window.open_project),
            (start.forget_requested, self._forget),
            (window.files_dropped, self.start_import),
            (window.page_shown, lambda page: None if page else start.refresh()),
            (window.status.work_clicked, self._show_import),
        )
        window.waits = lambda: self._import.waits if self._import is not None else ""

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

    def choose_files(self, *, into_new: bool = False) -> None:
        """Ask for result files and look at them; `into_new` leaves the open project alone."""
        dialog = QFileDialog(
            self._window,
            "New project from results" if into_new else "Import results",
            self._folder(),
            RESULT_FILES,
            fileMode=QFileDialog.FileMode.ExistingFiles,
        )
        dialog.filesSelected.connect(
            lambda names: self.start_import(tuple(map(Path, names)), into_new=into_new)
        )
        dialog.open()

    def start_import(self, files: Sequence[Path], *, into_new: bool = False) -> None:
        """Open the import dialog on files; one that runs or was not looked at comes first."""
        if self._import is not None and (self._import.is_running or self._import.ending):
            self._window.notices.note(RUNNING if self._import.is_running else UNSEEN)
            self._show_import()
            return
        from reviewer.gui.importing.dialog import ImportDialog

        session = self._window.session
        project = session.project.path if session is not None and not into_new else None

        dialog: _ImportDialog = ImportDialog(
            self._surroundings,
            files,
            project,
            self._window,
            labeler=session.labeler.name if session is not None else "",
        )
        connect(
            (dialog.work_changed, self._window.status.show_work),
            (dialog.work_ended, self._show_ending),
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
            DEMO,
            make,
            then=self._take_demo,
            failed=self._window.notices.error,
            loss="the example that is made" if system else "the demo that is made",
        )
        self._window.status.show_work("Making the demo")
        task.ended.connect(self._show_ending)

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
            unseen = bool(self._import.ending)
            self._import.show()
            self._import.raise_()
            self._import.activateWindow()
            if unseen:
                self._window.status.idle()

    def _show_ending(self) -> None:
        """Leave how an import ended in the line at the bottom until somebody looks."""
        if self._import is not None and self._import.ending:
            self._window.status.show_work(self._import.ending, at_work=False)
        else:
            self._window.status.idle()

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
        """Give where somebody keeps their files."""
        recents = self._surroundings.settings.recent_projects
        return str(folder_of_files(*(x.path.parent for x in recents)))


SEARCH = "palette-search"
STEP = 10


class WindowCommands(QObject):
    """Binds every command of the window's table to what it does."""

    def __init__(self, window: MainWindow, opening: Opening) -> None:
        """Bind the commands; a command without a handler is a mistake here."""
        super().__init__(window)
        self._window = window
        self._settings = window.surroundings.settings
        self.parcels = ParcelKeeper(window)
        self.keeper = QueueKeeper(window, self.parcels)
        self.sharing = SharingKeeper(window, self.keeper.labelers)
        self.forgetter = Forgetter(window)
        self.menus = MenuBar(
            lambda: [*self.available(), *self.elsewhere()], partial(may_do, window), window
        )
        window.setMenuBar(self.menus)
        self.guidelines = GuidelinesKeeper(window)
        handlers = self._handlers(opening)
        self.actions = {x.id: bind(window, x, handlers[x.id]) for x in WINDOW}
        self._from_elsewhere = [(x, self._from_afar(x)) for x in PAGES]
        connect(
            (window.top.palette_requested, self.open_palette),
            (window.top.settings_requested, self.open_settings),
            (window.top.profiles_requested, self.keeper.labelers),
            (window.top.page_requested, window.show_page),
            (window.notices.diagnosis_requested, self.copy_diagnosis),
            (window.page_shown, lambda _: self._enable()),
        )
        self._enable()

    def _handlers(self, opening: Opening) -> dict[str, Callable[[], object]]:
        window = self._window
        return {
            "window.palette": self.open_palette,
            "window.keys": self.open_keys,
            "window.systems": lambda: open_systems(window, opening),
            "window.glossary": lambda: open_glossary(window),
            "window.new": lambda: opening.choose_files(into_new=True),
            "window.guidelines": self.guidelines.open,
            "window.open": opening.choose_project,
            "window.import": opening.choose_files,
            "window.join": self.sharing.join,
            "window.demo": opening.open_demo,
            "window.start": lambda: leave_project(window),
            "window.review": lambda: window.show_page("review"),
            "window.audit": lambda: window.show_page("audit"),
            "window.runs": lambda: window.show_page("runs"),
            "window.reports": lambda: window.show_page("reports"),
            "window.next_pane": lambda: self.cycle(1),
            "window.previous_pane": lambda: self.cycle(-1),
            "window.menus": self.menus.open_first,
            "window.labeler": window.top.open_labelers,
            "window.labelers": self.keeper.labelers,
            "window.validate": self.keeper.validate,
            "window.label_recent": self.keeper.label_recent,
            "window.new_queue": self.keeper.new_queue,
            "window.queues": self.keeper.queues,
            "window.package": self.parcels.pack,
            "window.merge": self.parcels.merge,
            "window.sheet": self.parcels.write_sheet,
            "window.take_sheet": self.parcels.ask_sheet,
            "window.share": self.sharing.share,
            "window.invite": self.sharing.invite,
            "window.restored": self.sharing.restore,
            "window.leave": self.sharing.leave,
            "window.forget": self.forgetter.ask,
            "window.judges": lambda: self.open_dialog("judges"),
            "window.prompts": lambda: self.open_dialog("prompts"),
            "window.bots": lambda: self.open_dialog("bots"),
            "window.settings": self.open_settings,
            "window.theme": self.switch_theme,
            "window.larger": lambda: self.scale(self._settings.font_scale + STEP),
            "window.smaller": lambda: self.scale(self._settings.font_scale - STEP),
            "window.normal": lambda: self.scale(100),
            "window.diagnosis": self.copy_diagnosis,
            "window.quit": window.close,
        }

    def available(self) -> Sequence[tuple[Command, QAction]]:
        """List the page's commands and the window's, those of the page first."""
        page = self._window.page
        found = bound([page, self._window] if page is not None else [self._window])
        return [(x, action) for x, action in found if may_do(self._window, x)]

    def elsewhere(self) -> Sequence[tuple[Command, QAction]]:
        """List what the other pages do; running it goes there first."""
        if self._window.page is None:
            return []
        here = {command.id for command, _ in self.available()}
        return [x for x in self._from_elsewhere if x[0].id not in here]

    def _from_afar(self, command: Command) -> QAction:
        action = QAction(command.title, self)
        action.triggered.connect(lambda *_: self._run_there(command))
        return action

    def _run_there(self, command: Command) -> None:
        self._window.show_page(command.scope.value.lower())
        for found, action in self.available():
            if found.id == command.id:
                action.trigger()

    def open_palette(self) -> None:
        """Open the palette over the window."""
        self._palette.start(
            [*self.available(), *self.elsewhere()],
            QApplication.focusWidget(),
            can_search=self._window.session is not None,
        )

    def open_keys(self) -> QDialog:
        """Show the rubric of the open project beside the keys."""
        from reviewer.gui.keys_sheet import KeysSheet

        commands = [command for command, _ in self.available()]
        theme = self._window.surroundings.theme
        sheet = KeysSheet(theme, self._rubric(), commands, self._window)
        sheet.show()
        return sheet

    def open_dialog(self, about: Literal["judges", "prompts", "bots"]) -> QDialog | None:
        """Open a dialog about the open project."""
        from reviewer.gui.judges import opening

        make: dict[str, Callable[[QWidget, ProjectSurroundings], QDialog]] = {
            "judges": opening.open_judges,
            "prompts": opening.open_prompts,
            "bots": opening.open_bots,
        }
        try:
            open_project = around(self._window.surroundings, session_of(self._window))
            return make[about](self._window, open_project)
        except ReviewerError as error:
            self._window.notices.error(str(error))
            return None

    def open_settings(self) -> QDialog:
        """Show the settings, in one window however often they are asked for."""
        from reviewer.gui.settings_dialog import SettingsDialog

        there = [x for x in self._window.findChildren(SettingsDialog) if x.isVisible()]
        session = self._window.session
        owner = session.package_labeler() if session is not None else None
        shown = there[0] if there else SettingsDialog(self._settings, self._window, owner)
        if not there:
            shown.failed.connect(self._window.notices.error)
        shown.show()
        shown.raise_()
        shown.activateWindow()
        return shown

    def switch_theme(self) -> None:
        """Change from light to dark or back, whatever the system says."""
        dark = self._window.surroundings.theme.colours.dark
        self._set("theme", "light" if dark else "dark")

    def scale(self, percent: int) -> None:
        """Change the text size."""
        self._set("font_scale", min(max(percent, 80), 200))

    def cycle(self, step: int) -> None:
        """Move the focus to the next or previous pane."""
        page = self._window.page
        panes = page.panes() if page is not None else []
        cycle([*panes, self._window.top], step)

    def copy_diagnosis(self) -> None:
        """Put versions, system and log on the clipboard."""
        from reviewer.services.computer import logs

        text = logs.diagnosis(
            f"Qt platform {QGuiApplication.platformName()}, "
            f"text {self._settings.font_scale} %, theme {self._settings.theme}"
        )
        QGuiApplication.clipboard().setText(text)
        self._window.notices.answer(
            "The diagnosis is on the clipboard; it holds no texts, no keys."
        )

    @cached_property
    def _palette(self) -> Palette:
        box = self._window.palette_box
        box.search_requested.connect(self._search)
        box.evaluation_chosen.connect(self._window.open_evaluation)
        return box

    def _set(self, name: str, value: str | int) -> None:
        try:
            self._settings.set(name, value)
        except OSError as error:
            words = error.strerror or str(error)
            self._window.notices.error(f"The setting could not be kept: {words}")

    def _rubric(self) -> Rubric | None:
        session, page = self._window.session, self._window.page
        if session is None:
            return None
        try:
            view = page.view if page is not None else None
            return view.rubric if view is not None else session.current_rubric()
        except ReviewerError:
            return None

    def _search(self, words: str) -> None:
        session = session_of(self._window)
        path, labeler = session.project.path, session.labeler.name
        self._window.surroundings.tasks.run(
            SEARCH,
            lambda progress: background.find_beside(path, labeler, words, progress),
            then=lambda hits: self._show_hits(words, hits),
            failed=lambda _: self._show_hits(words, ()),
        )

    def _show_hits(self, words: str, hits: Sequence[background.Hit]) -> None:
        self._palette.show_hits(words, hits)

    def _enable(self) -> None:
        is_open = self._window.session is not None
        names = ("start", "review", "audit", "runs", "reports", "next_pane", "previous_pane",
                 "guidelines", "labelers", "validate", "label_recent", "new_queue", "queues",
                 "package", "merge", "sheet", "take_sheet", "forget",
                 "share", "invite", "restored", "leave",
                 "judges", "prompts", "bots")  # fmt: skip
        for name in names:
            self.actions[f"window.{name}"].setEnabled(is_open)


def may_do(window: MainWindow, command: Command) -> bool:
    """Tell whether whoever labels here may ever run a command in the open project."""
    return not command.leads or window.session is None or may_lead(window.session)


def open_systems(window: MainWindow, opening: Opening) -> QDialog:
    """Show what the five systems measure, first that of the open project."""
    from reviewer.gui.systems import SystemsDialog

    session = window.session
    names = session.run_keys() if session is not None else ()
    system = session.rubric_of_run(names[-1]).name if session is not None and names else ""
    dialog = SystemsDialog(window.surroundings.theme, system, window)
    dialog.example_requested.connect(opening.open_demo)
    dialog.show()
    return dialog


def open_glossary(window: MainWindow) -> QDialog:
    """Show what the words of figures mean."""
    from reviewer.gui.glossary import GlossaryDialog

    dialog = GlossaryDialog(window.surroundings.theme, window)
    dialog.show()
    return dialog
