"""What the window's own commands do: palette, sheet, settings, pages, panes, text size."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Literal

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.gui import background
from reviewer.gui.actions import PAGES, WINDOW, Command, bind, bound
from reviewer.gui.kit.focus_order import cycle
from reviewer.gui.kit.pieces import connect
from reviewer.gui.opening import Opening
from reviewer.gui.page import Surroundings
from reviewer.gui.palette import Palette
from reviewer.gui.parcels.keeper import ParcelKeeper
from reviewer.gui.queues.keeper import QueueKeeper
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session

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
            "window.open": opening.choose_project,
            "window.import": opening.choose_files,
            "window.demo": opening.open_demo,
            "window.start": window.close_project,
            "window.review": lambda: window.show_page("review"),
            "window.audit": lambda: window.show_page("audit"),
            "window.runs": lambda: window.show_page("runs"),
            "window.reports": lambda: window.show_page("reports"),
            "window.next_pane": lambda: self.cycle(1),
            "window.previous_pane": lambda: self.cycle(-1),
            "window.labeler": window.top.open_labelers,
            "window.labelers": self.keeper.labelers,
            "window.validate": self.keeper.validate,
            "window.new_queue": self.keeper.new_queue,
            "window.queues": self.keeper.queues,
            "window.package": self.parcels.pack,
            "window.merge": self.parcels.merge,
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
        return bound([page, self._window] if page is not None else [self._window])

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

        session = self._window.session
        if session is None:
            return None
        make: dict[str, Callable[[QWidget, Session, Surroundings], QDialog]] = {
            "judges": opening.open_judges,
            "prompts": opening.open_prompts,
            "bots": opening.open_bots,
        }
        try:
            return make[about](self._window, session, self._window.surroundings)
        except ReviewerError as error:
            self._window.notices.error(str(error))
            return None

    def open_settings(self) -> QDialog:
        """Show the settings."""
        from reviewer.gui.settings_dialog import SettingsDialog

        made = SettingsDialog(self._settings, self._window)
        made.failed.connect(self._window.notices.error)
        made.show()
        return made

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
        from reviewer.services.computer import diagnosis

        text = diagnosis.diagnosis(
            f"Qt platform {QGuiApplication.platformName()}, "
            f"text {self._settings.font_scale} %, theme {self._settings.theme}"
        )
        QGuiApplication.clipboard().setText(text)
        self._window.notices.note("The diagnosis is on the clipboard; it holds no texts, no keys.")

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
        session = self._window.session
        if session is None:
            return
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
                 "labelers", "validate", "new_queue", "queues", "package", "merge", "judges",
                 "prompts", "bots")  # fmt: skip
        for name in names:
            self.actions[f"window.{name}"].setEnabled(is_open)
