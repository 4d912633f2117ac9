"""The window: it holds bars and pages and passes wishes on; use cases live in services."""

import logging
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow, QMessageBox, QStackedWidget, QWidget
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.gui.actions import bound
from reviewer.gui.bars import StatusBar, TopBar
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.notices import Kind, NoticeBar
from reviewer.gui.kit.pieces import ScrolledPage
from reviewer.gui.page import (
    Page,
    PageSpec,
    Surroundings,
    around,
    let_go_of_dialogs,
)
from reviewer.gui.palette import Palette
from reviewer.gui.places import PlaceKeeper
from reviewer.gui.start import StartPage, dropped_files
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import unsaved
from reviewer.services.project import reading
from reviewer.services.project.session import UNNAMED, Session, for_leads, require_lead, take_lead
from reviewer.services.project.sight import figures_closed

LOG = logging.getLogger(__name__)
CLOSED = (
    "Audit, Runs and Reports tell what judge and people say: leads see them, as you label blind."
)
FIRST_SIZE = (1280, 800)
SMALLEST = (760, 520)
PROJECT_SUFFIX = ".review"
PAINTED_MS = 50
"""When the first page is painted, and what nobody waits for may be done."""


class _Pages(QStackedWidget):
    """Takes what height the bars leave: wrapped words in a page never squeeze the bars."""

    @override
    def hasHeightForWidth(self) -> bool:
        """Say that the height does not follow the width."""
        return False

    def add_page(self, page: Page, *, shrinks: bool) -> None:
        """Take a page in; one that does not shrink by itself scrolls where the text is large."""
        self.addWidget(page if shrinks else ScrolledPage(page))

    def show_waiting(self) -> None:
        """Paint a word at once, as making a page takes a while."""
        words = pieces.text("Loading…", "muted")
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.addWidget(words)
        self.setCurrentWidget(words)
        self.window().repaint()
        words.deleteLater()

    def show_page(self, page: Page) -> None:
        """Bring a page into view."""
        self.setCurrentWidget(self._holder(page))

    def drop_page(self, page: Page) -> None:
        """Let go of a page for good."""
        let_go_of_dialogs(page)
        pieces.discard(self._holder(page))

    def _holder(self, page: Page) -> QWidget:
        holder: QWidget | None = page
        while holder is not None and self.indexOf(holder) < 0:
            holder = holder.parentWidget()
        return holder or page


class MainWindow(QMainWindow):
    """Bars, start page and pages of one window, with at most one open project.

    Attributes:
        waits: Says that an import waits for an answer, which goes with the window.
        asks: Whether closing may wait for an answer.

    Signals:
        session_opened: A project was opened, with its session.
        open_failed: A file could not be opened, with the sentence why.
        session_closing: The project is about to be closed.
        page_shown: A page came into view, by its id; empty for the start page.
        evaluations_requested: A page wants evaluations listed on Review: keys and a heading.
        files_dropped: Files that are no project were dropped, as a tuple of paths.
        packages_dropped: Work packages of the open project were dropped, as a tuple of paths.
    """

    session_opened = Signal(object)
    open_failed = Signal(object, str)
    session_closing = Signal()
    page_shown = Signal(str)
    evaluations_requested = Signal(object, str)
    files_dropped = Signal(object)
    packages_dropped = Signal(object)

    def __init__(self, surroundings: Surroundings, pages: Sequence[PageSpec]) -> None:
        """Make the window with the start page; `open_project` gives it work."""
        super().__init__()
        self.surroundings = surroundings
        self.session: Session | None = None
        self.waits: Callable[[], str] = str
        self.asks = True
        self._specs = {spec.id: spec for spec in pages}
        self._pages: dict[str, Page] = {}
        self._opened: set[str] = set()
        self._lines: dict[str, str] = {}
        self._current = ""
        self.top = TopBar([(spec.id, spec.title) for spec in pages])
        self.notices = NoticeBar()
        self.start = StartPage(surroundings)
        self.stack = _Pages()
        self.stack.addWidget(self.start)
        self.status = StatusBar(self.notices)
        self._middle = middle = QWidget()
        column = layouts.column(on=middle, margins=0, gap=0)
        for widget in (self.top, self.stack, self.status):
            column.addWidget(widget, 1 if widget is self.stack else 0)
        self.setCentralWidget(middle)
        self.notices.over = lambda: self.stack if self.page is None else self.page.read
        self.setAcceptDrops(True)
        self.setMinimumSize(*SMALLEST)
        self.resize(*FIRST_SIZE)
        self._places = PlaceKeeper(surroundings.settings)
        self._places.restore_frame(self)
        # finding the version takes a while, and with a project to open nobody sees it
        QTimer.singleShot(PAINTED_MS, self.status, self.status.show_version)
        self.start.setFocus()
        self.show_title()

    @cached_property
    def palette_box(self) -> Palette:
        """Give the palette, which is made when it is wanted for the first time."""
        return Palette(self.surroundings.theme, self._middle)

    @property
    def page(self) -> Page | None:
        """Give the page in view, None for the start page."""
        return self._pages.get(self._current)

    def made_pages(self) -> tuple[Page, ...]:
        """Give the pages that were shown at least once."""
        return tuple(self._pages.values())

    def open_project(self, path: Path, open_id: str | None = None) -> bool:
        """Close the open project, open another and show its first page; tells whether it worked.

        A file that cannot be opened is said in the notice bar, and what was open stays open.
        """
        settings = self.surroundings.settings
        try:
            session = Session.open(path, settings.labeler)
        except ReviewerError as error:
            self.notices.error(str(error))
            self.open_failed.emit(path, str(error))
            return False
        if not _may_leave(self):
            session.close()
            return False
        if settings.name_given and session.package_labeler() is None:
            take_lead(session)
        self.close_project()
        self.session = session
        session.project.follows = True
        for said in (session.project.warning, session.project.followed):
            if said:
                self.notices.warn(said)
        self.top.show_project(path.name)
        self.top.show_labeler(session.labeler.name)
        self.status.show_opened(read_only=session.project.read_only)
        self.show_title()
        self.session_opened.emit(session)
        spec = self._specs.get(self._places.page_of(session))
        there = spec is not None and open_id is None and not _is_closed(session, spec)
        self.show_page(spec.id if spec is not None and there else next(iter(self._specs), ""))
        if open_id is not None:
            key = reading.key_of(session, open_id)
            if key is None:
                self.notices.warn(
                    f"There is no evaluation {open_id} in {session.project.path.name}."
                )
            else:
                self.open_evaluation(key)
        # on disk a moment later: the list of projects must not hold up the project itself
        QTimer.singleShot(PAINTED_MS, self, lambda: remember(settings, path))
        return True

    def close_project(self) -> None:
        """Close the open project and show the start page; everything is on disk already."""
        if self.session is None:
            return
        self.session_closing.emit()
        let_go_of_dialogs(self)
        gone = self._leave_pages(self.session)
        self._places.write()
        self._lines.clear()
        self.session.close()
        self.session = None
        self._current = ""
        self.notices.let_pass(Kind.OFFER)
        self.top.show_project("")
        self.status.clear_saved()
        self.status.show_version()
        self.stack.setCurrentWidget(self.start)
        for page in gone:
            self.stack.drop_page(page)
        self.start.setFocus()
        self.show_title()
        self._show_bars()
        self.page_shown.emit("")

    def reopen_pages(self) -> None:
        """Give every page the session anew, after labeler or blindness changed."""
        if self.session is None:
            return
        opened = tuple(self._opened)
        gone = self._leave_pages(self.session)
        for name in opened:
            if name in self._pages:
                self._open(self.session, name, self._pages[name])
        if self._current and self._current not in self._opened:
            is_closed = _is_closed(self.session, self._specs[self._current])
            self.show_page(next(iter(self._specs)) if is_closed else self._current)
        for page in gone:
            self.stack.drop_page(page)

    def show_page(self, name: str) -> None:
        """Show a page by its id, making it if this is the first time."""
        if self.session is None or name not in self._specs:
            return
        if _is_closed(self.session, self._specs[name]):
            self.top.show_page(self._current)
            self.notices.answer(CLOSED if self.session.is_named else UNNAMED)
            return
        if self._pages and name not in self._pages:
            self.top.show_page(name)
            self.stack.show_waiting()
        page = self._pages.get(name) or self._make(self.session, name)
        if name != self._current:
            self.notices.answer("")
        self._current = name
        self.stack.show_page(page)
        self.top.show_page(name)
        self.status.show_page(self._lines.get(name, ""))
        if name not in self._opened:
            self._open(self.session, name, page)
        self._show_bars()
        page.setFocus()
        self.page_shown.emit(name)

    def open_evaluation(self, key: int) -> None:
        """Show an evaluation on the Review page."""
        self.show_page("review")
        if self.page is not None:
            self.page.open_evaluation(key)

    def run_command(self, name: str) -> None:
        """Run one of the window's own commands by its id."""
        for command, action in bound([self]):
            if command.id == name:
                action.trigger()

    def _open(self, session: Session, name: str, page: Page) -> None:
        self._opened.add(name)
        self._places.open(page, _seen(session, self._specs[name]))

    def _leave_pages(self, session: Session) -> list[Page]:
        """Keep where one is, let pages go of the project, and give those that go with it."""
        pages = {name: self._pages[name] for name in self._opened}
        self._places.keep(session, pages.values(), self._current)
        for page in pages.values():
            page.close_session()
        self._opened.clear()
        return [self._pages.pop(name) for name, page in pages.items() if not page.lasts]

    def _make(self, session: Session, name: str) -> Page:
        spec = self._specs[name]
        page = spec.factory(around(self.surroundings, _seen(session, spec)))
        pieces.connect(
            (page.open_evaluation_requested, self.open_evaluation),
            (page.evaluations_requested, self.evaluations_requested),
            (page.page_requested, self.show_page),
            (page.command_requested, self.run_command),
            (page.failed, self.notices.error),
            (page.noted, self.notices.answer),
            (page.offered, self.notices.offer),
            (
                page.saved,
                lambda: self.status.show_saved(self.surroundings.settings.time_format),
            ),
            (page.waiting_changed, self.status.show_waiting),
            (page.alone_changed, self._show_bars),
            (page.status_changed, lambda words: self._show_status(name, words)),
        )
        self._pages[name] = page
        self.stack.add_page(page, shrinks=name == "review")
        return page

    def _show_bars(self) -> None:
        """Show the bars above, unless a page has the window to itself."""
        alone = self.page is not None and self.page.alone
        pieces.show(self.top, self.menuBar(), shown=not alone)

    def _show_status(self, name: str, words: str) -> None:
        self._lines[name] = words
        if name == self._current:
            self.status.show_page(words)

    def show_title(self) -> None:
        """Show which project is open."""
        name = self.session.project.path.stem if self.session is not None else ""
        self.setWindowTitle(f"{name} — Reviewer" if name else "Reviewer")

    @override
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files of any kind."""
        if dropped_files(event.mimeData()):
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.start.drop_zone.set_active(True)

    @override
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Show that nothing hovers any more."""
        self.start.drop_zone.set_active(False)

    @override
    def dropEvent(self, event: QDropEvent) -> None:
        """Open a project file, merge a returned package, offer anything else for import."""
        self.start.drop_zone.set_active(False)
        files = dropped_files(event.mimeData())
        event.accept()
        if files and all(_is_package(self.session, file) for file in files):
            self.packages_dropped.emit(files)
        elif len(files) == 1 and files[0].suffix == PROJECT_SUFFIX:
            self.open_project(files[0])
        elif files:
            self.files_dropped.emit(files)

    @override
    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what runs and close the project; asks only where something would be lost.

        Jobs are paused; calls under way come to their end first, as they are paid for already.
        """
        if not (_may_lose(self) and _may_close(self)):
            event.ignore()
            return
        self._places.keep_frame(self)
        self.surroundings.tasks.close()
        if self.session is None:
            self._places.write()
        self.close_project()
        self.surroundings.hub.finish()
        self.hide()
        self.surroundings.jobs.finish()
        event.accept()


def _may_close(window: MainWindow) -> bool:
    """Save what was answered and could not be saved before; where it still cannot, ask."""
    if window.session is None:
        return True
    for page in window.made_pages():
        page.settle()
    waiting = unsaved.of(window.session)
    if waiting.write(unsaved.LAST_PATIENCE_S):
        return True
    question = f"{waiting.words}\n\nClose the project without them? They would be lost."
    return _agrees(window, "Not yet saved", question)


def _may_lose(window: MainWindow, kinds: Collection[str] | None = None) -> bool:
    """Ask before work is stopped, or an import that waits for an answer is forgotten.

    With `kinds` only that work stops.
    """
    losses = [window.surroundings.tasks.losses(kinds), window.waits() if kinds is None else ""]
    said = " ".join(x for x in losses if x)
    return not said or _agrees(window, "Still at work", f"{said}\n\nClose all the same?")


def _may_leave(window: MainWindow) -> bool:
    """Ask before what ends with the open project is lost."""
    return _may_lose(window, [x for page in window.made_pages() for x in page.ends]) and (
        _may_close(window)
    )


def leave_project(window: MainWindow) -> bool:
    """Close the open project unless somebody wants to keep what would be lost; tells whether."""
    leaves = _may_leave(window)
    if leaves:
        window.close_project()
    return leaves


def _agrees(window: MainWindow, title: str, question: str) -> bool:
    """Ask about what would be lost; whoever presses Return or Escape loses nothing."""
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
    agreed = window.asks and QMessageBox.question(window, title, question, yes | no, no) == yes
    # the system may have ended the program while the question stood there
    return agreed or not window.asks


def session_of(window: MainWindow) -> Session:
    """Give the open project's session, for what is offered while one is open.

    Raises:
        ReviewerError: No project is open.
    """
    if window.session is None:
        raise ReviewerError("Open a project first.")
    return window.session


def led(window: MainWindow, what: str) -> Session | None:
    """Give the open project where the active labeler leads, else say that leads do this.

    Args:
        window: The window.
        what: What is to be done, as in "Only a lead can …".
    """
    session = session_of(window)
    try:
        require_lead(session, what)
    except ReviewerError as error:
        window.notices.error(str(error))
        return None
    return session


def remember(settings: Settings, path: Path) -> None:
    """Put a project first in the list of recent ones, where that can be kept."""
    try:
        settings.remember(path)
    except OSError as error:
        LOG.warning("recent projects not kept: %s", type(error).__name__)


def _is_closed(session: Session, spec: PageSpec) -> bool:
    """Tell whether a page tells what labelers may not know."""
    return spec.leads and figures_closed(session)


def _seen(session: Session, spec: PageSpec) -> Session:
    """Give the session as a page may see it."""
    return for_leads(session) if spec.leads else session


def _is_package(session: Session | None, file: Path) -> bool:
    """Tell whether a file is a work package of the open project."""
    if session is None or file.suffix != PROJECT_SUFFIX:
        return False
    from reviewer.services.parcels import merging

    return bool(merging.is_of(session, file))
