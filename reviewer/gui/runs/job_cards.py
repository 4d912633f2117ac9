"""Cards of jobs at work, and of those that stand still in the middle."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from reviewer.gui.background import beside
from reviewer.gui.jobs import job_words
from reviewer.gui.jobs.job_lines import stopped, to_work
from reviewer.gui.jobs.jobs_at_work import JobAtWork, JobsAtWork
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.number_field import MoneyField
from reviewer.gui.kit.tasks import soon, telling
from reviewer.gui.kit.text import one_line
from reviewer.gui.page import ProjectSurroundings
from reviewer.services.jobs import job_list
from reviewer.services.jobs.job_list import JobRow

READ = "job cards"
LOOK_MS = 3_000
MOST = 4
"""More that stand still are told by the section Jobs."""


class JobCard(pieces.Card):
    """One job: its bar and line while it is at work, else why it stands still.

    Signals:
        wished: Something is to be done with the job: pause, resume, cancel or failures, by name,
            with its number.
    """

    wished = Signal(str, int)

    def __init__(self, key: int) -> None:
        """Make the card of a job."""
        super().__init__()
        self.key = key
        self.name = pieces.ElidedText("", "heading")
        self.bar = QProgressBar(textVisible=False)
        self.line = pieces.text("", "muted", wrap=True)
        self.failures = pieces.Button("failures ▸", self._wish("failures"), kind="link")
        self.limit = MoneyField("At most, in dollars, for this job in all")
        self.limit.setPrefix("at most $")
        self.limit.setDecimals(4)
        self.limit.setRange(0.0001, 100_000)
        self._shown: tuple[float, float] | None = None
        self.pause = pieces.Button("Pause", self._wish("pause"), dense=True)
        self.resume = pieces.Button("Resume", self._wish("resume"), dense=True)
        self.cancel = pieces.Button("Cancel", self._wish("cancel"), dense=True)
        layouts.fill(
            self.body,
            layouts.row((self.name, 1), self.pause, self.resume, self.cancel),
            self.bar,
            layouts.row((self.line, 1), self.limit, self.failures),
        )

    def show_at_work(self, job: JobAtWork) -> None:
        """Show how far a job is."""
        self._show_title(job.title)
        share = job.share
        self.bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self.bar.setValue(round(share * 1000))
        self.line.setText(job_words.progress(job))
        self.failures.setVisible(bool(job.told.failed))
        self._show_buttons(at_work=True)
        self.pause.setEnabled(job.doing in ("starting", "running"))
        self.cancel.setEnabled(job.doing != "cancelling")

    def show_row(self, row: JobRow) -> None:
        """Show a job that stands still."""
        job = row.job
        self._show_title(job.title)
        self.bar.setRange(0, max(job.total, 1))
        self.bar.setValue(job.done + job.failed)
        self.line.setText(stopped(row))
        self.failures.setVisible(bool(job.failed))
        elsewhere = row.standing == "running"
        self._show_buttons(at_work=elsewhere)
        self.limit.setVisible(not elsewhere and row.plan.max_cost is not None)
        if row.plan.max_cost is not None:
            dollars = row.plan.max_cost
            if self._shown is None or (self._shown[0] != dollars and not self.limit.hasFocus()):
                self.limit.setValue(dollars)
                self._shown = dollars, self.limit.value()

    def wished_limit(self) -> float | None:
        """Give the limit that was typed, None where that of the job stands."""
        self.limit.interpretText()
        if self._shown is None or self.limit.value() == self._shown[1]:
            return None
        return self.limit.value()

    def _show_title(self, title: str) -> None:
        shown = one_line(title, 120)
        if self.name.text() != shown:
            self.name.setText(shown)
            self.setAccessibleName(shown)
            self.bar.setAccessibleName(f"Progress of {shown}")

    def _show_buttons(self, *, at_work: bool) -> None:
        self.pause.setVisible(at_work)
        self.resume.setVisible(not at_work)
        self.limit.setVisible(False)
        pieces.enable(self.pause, self.resume, self.cancel, able=True)

    def _wish(self, what: str) -> Callable[[], None]:
        return lambda: self.wished.emit(what, self.key)


class JobCards(QWidget):
    """The cards above the sections; nothing is shown where nothing is at work or waits.

    Signals:
        failures_requested: The failures of a job are to be shown, by its number.
        failed: An expected error, as a sentence.
    """

    failures_requested = Signal(int)
    failed = Signal(str)

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make the column without a card."""
        super().__init__()
        self._surroundings = surroundings
        self._session = surroundings.session
        self._rows: tuple[JobRow, ...] = ()
        self.cards: dict[int, JobCard] = {}
        self._column = layouts.column(on=self, margins=0, gap=pieces.GAP)
        self._jobs: JobsAtWork = surroundings.jobs
        pieces.connect(
            (self._jobs.begun, self._arrange),
            (self._jobs.moved, self._move),
            (self._jobs.ended, self.refresh),
        )
        self._look_again = soon(self, self._follow_others, LOOK_MS)
        self.hide()

    def refresh(self) -> None:
        """Read beside the window which jobs stand still."""
        self._arrange()
        self._surroundings.tasks.run(
            READ,
            beside(self._session, lambda own, _: job_list.rows(own)),
            then=self._take,
            failed=self.failed,
        )

    def _take(self, rows: tuple[JobRow, ...]) -> None:
        waiting = [x for x in rows if x.standing in ("running", "interrupted", "paused")]
        self._rows = tuple(waiting[:MOST])
        self._arrange()
        self._look_again.start()

    def _follow_others(self) -> None:
        """Read again how far a job of another window or program is, while it is in view."""
        own = {job.key for job in self._jobs.jobs}
        others = any(x.standing == "running" and x.job.key not in own for x in self._rows)
        if others and self.isVisible():
            self.refresh()

    def _arrange(self) -> None:
        at_work = {job.key: job for job in self._jobs.jobs}
        still = {row.job.key: row for row in self._rows if row.job.key not in at_work}
        wanted = [*at_work, *still]
        if wanted != list(self.cards):
            self._deal(wanted)
        for key, job in at_work.items():
            self.cards[key].show_at_work(job)
        for key, row in still.items():
            self.cards[key].show_row(row)
        self.setVisible(bool(wanted))

    def _deal(self, wanted: Sequence[int]) -> None:
        for key in [key for key in self.cards if key not in wanted]:
            card = self.cards.pop(key)
            pieces.discard(card)
        for key in wanted:
            if key not in self.cards:
                self.cards[key] = JobCard(key)
                self.cards[key].wished.connect(self._act)
        self.cards = {key: self.cards[key] for key in wanted}
        for place, card in enumerate(self.cards.values()):
            self._column.insertWidget(place, card)

    def _move(self, key: int) -> None:
        job, card = self._jobs.job(key), self.cards.get(key)
        if job is None or card is None:
            self._arrange()
        else:
            card.show_at_work(job)

    def _act(self, what: str, key: int) -> None:
        if what == "failures":
            self.failures_requested.emit(key)
            return
        with telling(self.failed.emit):
            self._do(what, key)
        self.refresh()

    def _do(self, what: str, key: int) -> None:
        if what == "resume":
            row = next(row for row in self._rows if row.job.key == key)
            limit = self.cards[key].wished_limit()
            if row.plan.max_cost is not None and limit is not None:
                job_list.set_limit(self._session, key, limit)
            self._jobs.start(to_work(self._session, key))
        elif self._jobs.job(key) is None:
            job_list.stop(self._session, key, "pause" if what == "pause" else "cancel")
        elif what == "pause":
            self._jobs.pause(key)
        else:
            self._jobs.cancel(key)
