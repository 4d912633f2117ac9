"""What goes on by itself while a project is open: others' changes, tidying, backups, settings."""

import logging
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from reviewer.domain.change import Change, EvaluationsChanged, LabelChanged, MarkChanged
from reviewer.domain.errors import ReviewerError
from reviewer.gui import background
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.window import MainWindow, remember
from reviewer.services.project.session import Session, take_lead

POLL_MS = 1_000
BACKUP_MS = 3_600_000
FIRST_BACKUP_MS = 10_000
TIDY_MS = 1_000
TIDY = "tidy"
LOG = logging.getLogger(__name__)


class Upkeep(QObject):
    """Polls the session, tidies, makes the backups, and lets changed settings take effect."""

    def __init__(self, window: MainWindow, *, backups: bool = True) -> None:
        """Begin with the window's next project; without `backups` none are made."""
        super().__init__(window)
        self._window = window
        self._backups = backups
        self._poll_failed = False
        self._path = Path()
        self._poll = QTimer(self, interval=POLL_MS)
        self._poll.timeout.connect(self.poll)
        self._backup = QTimer(self, interval=BACKUP_MS)
        self._backup.timeout.connect(self.back_up)
        self._first_backup = soon(self, self.back_up, FIRST_BACKUP_MS)
        self._tidy = soon(self, self.tidy, TIDY_MS)
        connect(
            (window.session_opened, self._start),
            (window.session_closing, self._stop),
            (window.top.labeler_requested, self.switch_labeler),
        )
        self._leave = window.surroundings.settings.subscribe(self._take_setting)
        window.destroyed.connect(lambda *_: self._leave())
        window.top.show_labeler(window.surroundings.settings.labeler)

    def poll(self) -> None:
        """Take in what other windows and processes wrote."""
        session = self._window.session
        if session is None:
            return
        try:
            session.poll()
            self._poll_failed = False
            if session.project.path != self._path:
                self._follow(session)
        except ReviewerError as error:
            # once is enough: the next poll comes in a second
            if not self._poll_failed:
                self._window.notices.error(str(error))
            self._poll_failed = True

    def back_up(self) -> None:
        """Back the project up in the background where it changed."""
        session = self._window.session
        if session is not None and not session.project.read_only:
            path, labeler = session.project.path, session.labeler.name
            self._window.surroundings.tasks.run(
                "backup",
                lambda progress: background.back_up(path, labeler, progress),
                failed=lambda sentence: self._window.notices.warn(
                    f"No backup was made. {sentence}"
                ),
            )

    def tidy(self) -> None:
        """Remove in the background what undone imports left, of which nobody sees anything."""
        session = self._window.session
        if session is not None:
            work = partial(background.tidy, session.project.path)
            self._window.surroundings.tasks.run(TIDY, work)

    def switch_labeler(self, name: str) -> None:
        """Let another person label from now on."""
        try:
            self._window.surroundings.settings.set("labeler", name)
        except OSError as error:
            LOG.warning("settings not kept: %s", type(error).__name__)

    def _start(self, session: Session) -> None:
        session.subscribe(self._note_change)
        self._path = session.project.path
        self._poll_failed = False
        self._poll.start()
        if self._backups:
            self._backup.start()
            self._first_backup.start()

    def _follow(self, session: Session) -> None:
        """Show where the project goes on, whose file lost its name."""
        self._path, window = session.project.path, self._window
        window.notices.warn(session.project.followed)
        window.top.show_project(self._path.name)
        window.show_title()
        remember(window.surroundings.settings, self._path)

    def _stop(self) -> None:
        for timer in (self._poll, self._backup, self._first_backup, self._tidy):
            timer.stop()

    def _note_change(self, change: Change) -> None:
        session, status = self._window.session, self._window.status
        match change:
            # what others wrote tells nothing of what was typed here
            case LabelChanged(after=entry) | MarkChanged(mark=entry) if session is not None:
                if entry.seq in session.own:
                    status.show_saved(self._window.surroundings.settings.time_format)
            case EvaluationsChanged():
                self._tidy.start()

    def _take_labeler(self, session: Session | None, name: str) -> None:
        if session is None:
            return
        owner = session.package_labeler()
        if owner is not None:
            self._window.notices.note(
                f"This file is for {one_line(owner, 60)}; answers in it are stored under that "
                "name."
            )
            return
        self._settle()
        with telling(self._window.notices.error):
            session.set_labeler(name)
            take_lead(session)
            self._window.reopen_pages()

    def _settle(self) -> None:
        for shown in self._window.made_pages():
            shown.settle()

    def _take_setting(self, name: str) -> None:
        settings, theme = self._window.surroundings.settings, self._window.surroundings.theme
        session = self._window.session
        if name == "theme":
            theme.set_choice(settings.theme)
        elif name == "font_scale":
            theme.set_scale(settings.font_scale)
        elif name == "labeler":
            self._take_labeler(session, settings.labeler)
