"""Pictures of every page and dialog, light and dark, for looking at without a screen."""

import os
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QEventLoop
from PySide6.QtWidgets import QApplication, QWidget

from reviewer.domain.errors import ReviewerError
from reviewer.gui.app import compose, make_application, messages_logged
from reviewer.gui.commands import WindowCommands
from reviewer.gui.importing.dialog import ImportDialog
from reviewer.gui.kit.section_row import SectionRow
from reviewer.gui.pages import PAGES
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings

SETTLE_S = 0.35
LONGEST_WAIT_S = 30.0
CALM_TURNS = 10
QUIET_TASKS = frozenset({"backup"})


@dataclass(frozen=True, slots=True)
class Look:
    """One way the window can look; its name ends the pictures' names."""

    name: str
    theme: str
    size: tuple[int, int]
    scale: int = 100
    sections: bool = False


LOOKS: tuple[Look, ...] = (
    Look("light-1280", "light", (1280, 800), sections=True),
    Look("light-1440", "light", (1440, 900)),
    Look("dark-1280", "dark", (1280, 800), sections=True),
    Look("dark-1440", "dark", (1440, 900)),
    Look("light-large-text", "light", (1280, 800), 150, sections=True),
)
KEPT_DIALOGS = (
    ("team", "window.labelers"),
    ("queues", "window.queues"),
    ("new-queue", "window.new_queue"),
    ("work-package", "window.package"),
    ("share", "window.share"),
    ("join", "window.join"),
)
"""Dialogs about people, queues and sharing, by the command that opens them."""


def render(project: Path, folder: Path) -> list[Path]:
    """Render start page, pages and dialogs of a project to PNG files and give the files.

    Nobody's settings are read or changed; no screen is needed.

    Raises:
        ReviewerError: The project cannot be opened, or the folder not written.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with messages_logged():
            return _render(project, folder)
    except OSError as error:
        words = error.strerror or str(error)
        raise ReviewerError(f"The pictures cannot be written to {folder}: {words}") from error


def _render(project: Path, folder: Path) -> list[Path]:
    make_application()
    settings = _PassingSettings()
    # nobody is asked who they are in a picture
    settings.set("labeler", settings.labeler)
    window = compose(settings, backups=False)
    try:
        return _Tour(window, project, folder).take()
    finally:
        window.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


class _PassingSettings(Settings):
    """Settings with every default that are written nowhere."""

    def _read(self) -> None:
        return

    def _write(self) -> None:
        return


class _Tour:
    """Takes the pictures of one window."""

    def __init__(self, window: MainWindow, project: Path, folder: Path) -> None:
        self._window = window
        self._project = project
        self._folder = folder
        self._files: list[Path] = []
        commands = window.findChild(WindowCommands)
        if not isinstance(commands, WindowCommands):
            raise TypeError("the window was not composed")
        self._commands = commands

    def take(self) -> list[Path]:
        """Go through every look and every page."""
        if not self._window.open_project(self._project):
            raise ReviewerError(self._window.notices.notices[-1].text)
        self._window.show()
        for look in LOOKS:
            self._dress(look)
            self._pages(look)
            self._window.show_page(PAGES[0].id)
            self._commands.open_palette()
            self._shoot(self._window, "palette", look)
            self._window.palette_box.close_palette()
            for name, opened in (
                ("rubric-and-keys", self._commands.open_keys),
                ("settings", self._commands.open_settings),
                ("import", self._import_dialog),
            ):
                with _passing(opened) as dialog:
                    self._shoot(dialog, name, look)
            keepers = (self._commands.sharing, self._commands.parcels, self._commands.keeper)
            for name, command in KEPT_DIALOGS:
                for keeper in keepers:
                    keeper.dialog = None
                self._window.run_command(command)
                found = [x.dialog for x in keepers if x.dialog is not None]
                for made in found[:1]:
                    self._shoot(made, name, look)
                    made.close()
            self._start(look)
        return self._files

    def _dress(self, look: Look) -> None:
        settings = self._window.surroundings.settings
        settings.set("theme", look.theme)
        settings.set("font_scale", look.scale)
        self._window.resize(*look.size)

    def _pages(self, look: Look) -> None:
        if self._window.session is None:
            self._window.open_project(self._project)
        for spec in PAGES:
            self._window.show_page(spec.id)
            self._shoot(self._window, spec.id, look)
            if look.sections:
                page = self._window.page
                rows = page.findChildren(SectionRow) if page is not None else []
                for row in [x for x in rows if x.isVisible()]:
                    for place, button in enumerate(row.buttons[1:], start=1):
                        if button.isVisible():
                            row.choose(place)
                            title = re.sub(r"\W+", "-", button.text().lower())
                            self._shoot(self._window, f"{spec.id}-{title}", look)
                    row.choose(0)

    def _import_dialog(self) -> QWidget:
        source = self._folder / "tour-example.csv"
        source.write_text(_EXAMPLE, encoding="utf-8")
        dialog = ImportDialog(self._window.surroundings, (source,), None, self._window)
        dialog.show()
        _settle(self._window)
        source.unlink()
        return dialog

    def _start(self, look: Look) -> None:
        self._window.close_project()
        self._shoot(self._window, "start", look)
        if look is LOOKS[0]:
            self._window.notices.error("This is how an error looks; it stays until dismissed.")
            self._shoot(self._window, "notice", look)
            self._window.notices.clear()

    def _shoot(self, widget: QWidget, name: str, look: Look) -> None:
        _settle(self._window)
        file = self._folder / f"{name}-{look.name}.png"
        if not widget.grab().save(str(file)):
            raise ReviewerError(f"The picture {file} cannot be written.")
        self._files.append(file)


_EXAMPLE = """id,question,answer,accuracy,judge reasoning,ann: accuracy
q-1,When is check-in?,From 3 p.m.,5,Agrees with the property record.,5
q-2,Is there parking?,Yes and it is free.,4,The price is not in the context.,2
q-3,May we bring a dog?,"One small dog, on request.",5,Supported.,5
"""


@contextmanager
def _passing(opened: Callable[[], QWidget]) -> Iterator[QWidget]:
    dialog = opened()
    try:
        yield dialog
    finally:
        dialog.close()


def _settle(window: MainWindow) -> None:
    """Let layouts, timers and the background work of pages come to rest."""
    started = quiet_since = time.monotonic()
    turns = 0
    while time.monotonic() - started < LONGEST_WAIT_S:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
        # outside the event loop nobody else carries out what was to be deleted later
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        now = time.monotonic()
        turns += 1
        if set(window.surroundings.tasks.running()) - QUIET_TASKS:
            quiet_since, turns = now, 0
        # one slow turn may take all the time, and its layouts still wait for the next
        elif now - quiet_since > SETTLE_S and turns > CALM_TURNS:
            return
        time.sleep(0.005)
