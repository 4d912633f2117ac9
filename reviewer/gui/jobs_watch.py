"""What the window says by itself: jobs in the status bar and notices, monitors, a conversion."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QScrollArea, QSystemTrayIcon, QWidget

from reviewer.domain.errors import Progress
from reviewer.domain.wording import counted
from reviewer.gui.background import beside, seeing
from reviewer.gui.jobs import job_words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.arranging import fit
from reviewer.gui.kit.notices import Kind, Notice
from reviewer.gui.kit.pieces import connect
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectDialog
from reviewer.gui.window import PAINTED_MS, MainWindow
from reviewer.services.project.session import Session, conversion_untold, keep_conversion_shown

LOOK_MS = 2_000
"""When unfinished jobs are looked for after a project was opened: the first page comes first."""
LOOK, COUNT, SCORES = "unfinished jobs", "failed calls", "what a job's scores are worth"


class JobsWatch(QObject):
    """Ties the jobs at work to the window around the pages.

    Attributes:
        failed: The number of the job whose failed calls the status bar shows, 0 for none.
    """

    def __init__(self, window: MainWindow) -> None:
        """Watch over a window."""
        super().__init__(window)
        self._window = window
        self._jobs = window.surroundings.jobs
        self.notifier = Notifier(window, window.surroundings.theme)
        self.failed = 0
        self._waiting = 0
        self._look = soon(self, self.look, LOOK_MS)
        connect(
            (self._jobs.begun, self._begin),
            (self._jobs.moved, lambda _: self._show()),
            (self._jobs.ended, self._end),
            (window.session_opened, self._open),
            (window.session_closing, self._close),
        )
        status = window.status
        connect(
            (status.jobs_clicked, lambda: window.show_page("runs")),
            (status.failures_clicked, self.show_failures),
            (status.retry_clicked, self.retry),
        )

    def look(self) -> None:
        """Look beside the window for jobs that stand still in the middle."""
        session = self._window.session
        if session is not None and not session.project.read_only:
            self._window.surroundings.tasks.run(
                LOOK, beside(session, _unfinished), then=self._take_waiting
            )

    def show_failures(self) -> None:
        """Show on the Runs page what failed in the last job."""
        key = self.failed
        self._window.show_page("runs")
        if self._window.page is not None and key:
            self._window.page.show_failures(key)

    def retry(self) -> None:
        """Try the failed calls of the last job again."""
        from reviewer.gui.jobs import job_lines
        from reviewer.services.jobs import job_list

        session, key = self._window.session, self.failed
        if session is not None and key:
            self.failed = 0
            self._window.status.no_failures()
            with telling(self._window.notices.error):
                job_list.retry_failures(session, key)
                self._jobs.start(job_lines.to_work(session, key))

    def _open(self, session: Session) -> None:
        self._jobs.open(session)
        self._look.start()

    def _close(self) -> None:
        self._look.stop()
        self._jobs.open(None)
        self.failed = self._waiting = 0
        self._window.status.no_jobs()
        self._window.status.no_failures()

    def _begin(self, key: int) -> None:
        if key == self.failed:
            self.failed = 0
            self._window.status.no_failures()
        self._waiting = 0
        self._show()

    def _show(self) -> None:
        jobs, status = self._jobs.jobs, self._window.status
        if jobs:
            status.show_jobs(job_words.in_short(jobs), job_words.share(jobs))
        elif self._waiting:
            many = counted(self._waiting, "job")
            status.show_jobs(f"{many} can go on", at_work=False)
        else:
            status.no_jobs()

    def _take_waiting(self, found: tuple[str, ...]) -> None:
        if self._jobs.jobs or self._window.session is None:
            return
        self._waiting = len(found)
        self._show()
        if found:
            self._window.notices.note(
                f"{found[0]} stands still in the middle. The Runs page goes on with it; what was "
                "paid for is not paid again."
            )

    def _end(self, key: int, title: str, state: str, sentence: str) -> None:
        session, notices = self._window.session, self._window.notices
        self._show()
        if session is None:
            return
        session.poll()
        if self._window.surroundings.monitors.owns(key):
            return
        words = f"{title}: {sentence}" if sentence else f"{title}: {state}."
        if state == "done":
            notices.note(words)
            self._look_at_scores(session, key, words)
        elif state in ("failed", "interrupted"):
            notices.error(words)
        elif sentence not in ("", "Paused."):
            notices.warn(words)
        if state not in ("paused", "cancelled") or sentence.startswith("Stopped"):
            self.notifier.tell(_HEADINGS.get(state, "The re-evaluation stopped"), words)
        from reviewer.services.jobs import job_list

        self._window.surroundings.tasks.run(
            COUNT,
            beside(session, lambda own, _: job_list.failure_counts(own, key)),
            then=partial(self._take_failures, key),
        )

    def _look_at_scores(self, session: Session, key: int, words: str) -> None:
        """Say where a job that ended whole counts for less than it scored."""
        from reviewer.services.jobs import job_facts

        def offer(found: job_facts.JobScores) -> None:
            if self._window.session is not None and found.may_record:
                self._window.notices.note(f"{words} {OFFER}")

        self._window.surroundings.tasks.run(
            SCORES,
            seeing(session, lambda own, _: job_facts.read_scores(own, key)),
            then=offer,
        )

    def _take_failures(self, key: int, counts: Mapping[str, int]) -> None:
        if counts and self._jobs.job(key) is None:
            self.failed = key
            self._window.status.show_failures(job_words.failures(counts))


OFFER = "Its scores do not count before “Make it the record” under Jobs on the Runs page."
_HEADINGS = {"done": "The re-evaluation is done"}


def _unfinished(session: Session, _: Progress) -> tuple[str, ...]:
    from reviewer.services.jobs import job_list

    return tuple(job.title for job in job_list.every(session) if job_list.waits(job))


SHOWN_MS = 10_000


class Notifier(QObject):
    """Tells what happened while the window was not in front."""

    def __init__(self, window: QWidget, theme: Theme) -> None:
        """Speak for a window; nothing is shown before there is something to tell."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._tray: QSystemTrayIcon | None = None
        self.told: list[tuple[str, str]] = []

    def tell(self, title: str, sentence: str) -> bool:
        """Tell it through the system; False where the window is in front, or none can."""
        self.told.append((title, sentence))
        if self._window.isActiveWindow() or not _possible():
            return False
        if self._tray is None:
            from reviewer.gui.kit import icons

            self._tray = QSystemTrayIcon(icons.program_icon(self._theme), self, toolTip="Reviewer")
            pieces.connect(
                (self._tray.activated, self._come_forward),
                (self._tray.messageClicked, self._come_forward),
            )
        self._tray.show()
        self._tray.showMessage(title, sentence, QSystemTrayIcon.MessageIcon.Information, SHOWN_MS)
        return True

    def _come_forward(self) -> None:
        self._window.show()
        self._window.raise_()
        self._window.activateWindow()


def _possible() -> bool:
    return QSystemTrayIcon.isSystemTrayAvailable() and QSystemTrayIcon.supportsMessages()


TITLE = "What changed in this project"
WIDTH, HEIGHT = 640, 420


class ConversionNotice(QObject):
    """Shows the first sentence in the bar, and the others in a list that is a press away.

    Attributes:
        dialog: The list, None before it was asked for.
    """

    def __init__(self, window: MainWindow) -> None:
        """Follow the window's projects."""
        super().__init__(window)
        self._window = window
        self.dialog: ConversionDialog | None = None
        window.session_opened.connect(self._open)

    def _open(self, session: Session) -> None:
        # the page comes first
        QTimer.singleShot(PAINTED_MS, self, lambda: self._tell(session))

    def _tell(self, session: Session) -> None:
        if self._window.session is not session:
            return
        told = tuple(conversion_untold(session))
        if told:
            more = TITLE if len(told) > 1 else ""
            self._window.notices.show_notice(
                Notice(Kind.WARNING, told[0], more, partial(self._show_list, told))
            )
            keep_conversion_shown(session)

    def _show_list(self, told: Sequence[str]) -> None:
        self.dialog = ConversionDialog(self._window.surroundings.theme, told, self._window)
        self.dialog.show()


class ConversionDialog(ProjectDialog):
    """Every sentence, to be read and copied at leisure."""

    def __init__(self, theme: Theme, told: Sequence[str], parent: QWidget) -> None:
        """Show the sentences."""
        super().__init__(parent, TITLE)
        self.setModal(False)
        fit(self, theme.px(WIDTH), theme.px(HEIGHT))
        self.lines = [pieces.text(visible(one).text, wrap=True) for one in told]
        body = pieces.dressed(QWidget(), kind="scrolled")
        inside = layouts.column(on=body, margins=(0, 0, theme.px(8), 0), gap=theme.px(10))
        for line in self.lines:
            line.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            inside.addWidget(line)
        inside.addStretch(1)
        area = pieces.named(QScrollArea(widgetResizable=True), TITLE)
        area.setWidget(body)
        layouts.column(
            pieces.text(TITLE, "heading"),
            (area, 1),
            (pieces.Button("Close", self.close), 0, Qt.AlignmentFlag.AlignTrailing),
            on=self,
            margins=(theme.px(20), theme.px(16), theme.px(20), theme.px(16)),
            gap=theme.px(10),
        )


class MonitorNotices(QObject):
    """Ties the monitors at work to the window around the pages."""

    def __init__(self, window: MainWindow, watch: JobsWatch) -> None:
        """Watch over a window; `watch` has the system's notifications."""
        super().__init__(window)
        self._window, self._notifier = window, watch.notifier
        monitors = window.surroundings.monitors
        pieces.connect(
            (window.session_opened, monitors.open),
            (window.session_closing, lambda: monitors.open(None)),
            (monitors.looked, self._tell),
            (monitors.failed, lambda _, sentence: window.notices.error(sentence)),
        )

    def _tell(self, looked: Any) -> None:  # noqa: ANN401  # of a room that is loaded late
        session = self._window.session
        if session is None:
            return
        for sentence in looked.fed.sentences:
            self._window.notices.note(sentence)
        if looked.change:
            self._window.notices.note(looked.change)
            self._notifier.tell("The monitor's status changed", looked.change)
        session.poll()
