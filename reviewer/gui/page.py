"""What pages, and dialogs about the open project, are to the window, and what it hands to them."""

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import asdict
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QWidget
from typing_extensions import override

from reviewer.domain.change import Change
from reviewer.gui.exposing import Exposing
from reviewer.gui.jobs.jobs_at_work import JobsAtWork
from reviewer.gui.jobs.monitors_at_work import MonitorsAtWork
from reviewer.gui.kit.choices import Choices
from reviewer.gui.kit.focus_order import follow_layout
from reviewer.gui.kit.tasks import Tasks
from reviewer.gui.kit.theme import Theme
from reviewer.gui.syncing.hub_at_work import HubAtWork
from reviewer.services.computer.places import Place
from reviewer.services.computer.settings import Settings
from reviewer.services.project.reading import EvaluationView
from reviewer.services.project.session import Session


class Surroundings(Struct, frozen=True):
    """What a page needs beside the project: colours and fonts, settings, what works beside it.

    Attributes:
        hub: What keeps a shared project in step.
        choices: What was chosen on pages that are made anew.
    """

    theme: Theme
    settings: Settings
    tasks: Tasks
    jobs: JobsAtWork
    monitors: MonitorsAtWork
    hub: HubAtWork
    choices: Choices


class ProjectSurroundings(Surroundings, frozen=True):
    """The same with the open project, for what is made for it and goes with it."""

    session: Session


def around(surroundings: Surroundings, session: Session) -> ProjectSurroundings:
    """Give the window's surroundings with a project."""
    return ProjectSurroundings(**asdict(surroundings), session=session)


class Page(QWidget):
    """One of the window's pages; it knows no other page and speaks to the window by signals.

    Signals:
        open_evaluation_requested: The evaluation with this key is to be shown on Review.
        evaluations_requested: These evaluations are to be listed on Review: keys and a heading.
        page_requested: The page with this id, such as `review` or `audit`, is to be shown.
        command_requested: A command of the window is to be run, by its id.
        failed: An expected error, as a sentence for the notice bar.
        noted: Something worth a passing line in the notice bar.
        offered: What waits for somebody there: a line, the words of its button, what that does.
        saved: Something was stored just now; the status bar shows the time.
        waiting_changed: So many answers are not yet saved; the status bar shows it.
        alone_changed: `alone` changed.
        status_changed: The page's line for the status bar, such as "17 / 50 · about 21 min left".

    Attributes:
        alone: Whether the page has the window to itself.
        lasts: Whether the page is given one project after the other, by `open`.
        place: Where the labeler was in the project that is opened next.
        read: The part that one reads: what floats stands over it, and over no button beside.
        ends: The kinds of tasks that end with the project.
    """

    open_evaluation_requested = Signal(int)
    evaluations_requested = Signal(object, str)
    page_requested = Signal(str)
    command_requested = Signal(str)
    failed = Signal(str)
    noted = Signal(str)
    offered = Signal(str, str, object)
    saved = Signal()
    waiting_changed = Signal(int)
    status_changed = Signal(str)
    alone_changed = Signal()
    alone, lasts = False, True
    ends: ClassVar[tuple[str, ...]] = ()

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the page empty; `open` gives it a project."""
        super().__init__()
        self.surroundings = surroundings
        self.theme = surroundings.theme
        self.place = Place()
        self.read: QWidget = self
        self.setProperty("kind", "page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)

    def open(self, session: Session) -> None:
        """Show a project that was just opened."""
        raise NotImplementedError

    def settle(self) -> None:
        """Keep what is typed, and what was seen, before another labeler takes over."""
        for seen in self.findChildren(Exposing):
            seen.record()

    def place_now(self) -> Place | None:
        """Tell where one is on this page, None where it keeps no place."""
        return None

    def close_session(self) -> None:
        """Let go of the project; the page may be given another one."""
        raise NotImplementedError

    def open_evaluation(self, key: int) -> None:
        """Show one evaluation; only the Review page does more than nothing."""

    def open_list(self, *, queue: str = "", words: str = "", by_gap: bool = False) -> None:
        """Show a queue for people by name, or what a filter finds; for the Review page alone.

        `by_gap` puts the largest gap first; a labeler who labels blind gets the files' order.
        """

    def show_failures(self, job: int) -> None:
        """Show what failed in a job, by its number; for the Runs page alone."""

    @property
    def view(self) -> EvaluationView | None:
        """Give the evaluation in view; None where the page is about no single one."""
        return None

    def panes(self) -> list[QWidget]:
        """Give the widgets that F6 goes through, in order."""
        return []


class ProjectPage(Page):
    """A page that is made for the open project and goes with it."""

    lasts = False

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the page; `begin` lets it read."""
        super().__init__(surroundings)
        self.surroundings: ProjectSurroundings = surroundings
        self.session = surroundings.session
        self._leave = self.session.subscribe(self.follow)

    @override
    def open(self, session: Session) -> None:
        """Read the project."""
        self.begin()

    def begin(self) -> None:
        """Read for the first time: the page is in view."""
        raise NotImplementedError

    def follow(self, change: Change) -> None:
        """Follow what was stored, here or elsewhere."""
        raise NotImplementedError

    @override
    def settle(self) -> None:
        """Keep what is typed, as a field does when it is left."""
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            focused.clearFocus()
        super().settle()

    @override
    def close_session(self) -> None:
        """Let nothing come back to the page: it is about to go."""
        self.settle()
        self._leave()
        for kind in self.ends:
            self.surroundings.tasks.drop(kind)
        for timer in self.findChildren(QTimer):
            timer.stop()


class PageSpec(Struct, frozen=True):
    """A page of the window; it is made when a project shows it for the first time.

    Attributes:
        leads: Whether it hides nothing from leads.
    """

    id: str
    title: str
    factory: Callable[[ProjectSurroundings], Page]
    leads: bool = False


class ProjectDialog(QDialog):
    """A dialog that holds a project's session, or shows what was found in the project.

    Attributes:
        is_left: Whether its project is closed; what is still told to it counts no more.
    """

    is_left = False

    def __init__(self, parent: QWidget | None, title: str, *, once: bool = True) -> None:
        """Make the dialog; one that is shown `once` is gone when it is closed."""
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, once)

    @override
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go through the dialog as it is read."""
        follow_layout(self)
        return super().focusNextPrevChild(forward)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Begin where the dialog is read first."""
        follow_layout(self)
        super().showEvent(event)

    def let_go(self) -> None:
        """Close without a question; every question that stands over it is answered with no."""
        self.is_left = True
        for timer in self.findChildren(QTimer):
            timer.stop()
        questions = [x for x in self.findChildren(QDialog) if _is_open_question(x)]
        for question in questions:
            question.reject()
        if questions:
            # whoever asked goes on with the answer, and needs the dialog for that
            self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        self.done(QDialog.DialogCode.Rejected)


def let_go_of_dialogs(window: QWidget) -> None:
    """Close every dialog of a window that is about its project."""
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, ProjectDialog) and _is_of(widget, window):
            widget.let_go()


def _is_open_question(dialog: QDialog) -> bool:
    return dialog.isVisible() and not isinstance(dialog, ProjectDialog)


def _is_of(dialog: QWidget, window: QWidget) -> bool:
    above: QWidget | None = dialog
    while above is not None and above is not window:
        above = above.parentWidget()
    return above is window
