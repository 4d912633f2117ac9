"""The section "Jobs": what was launched, how it went, what failed, and trying that again."""

from PySide6.QtCore import Qt
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.times import stamp
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.failures_card import FailuresCard
from reviewer.gui.runs.job_lines import ROLES, STATES, cost, count, to_work
from reviewer.gui.runs.section import Reading, RunsSection
from reviewer.services.evaluating import job_facts, job_list
from reviewer.services.evaluating.job_facts import JobFacts
from reviewer.services.evaluating.job_list import JobRow
from reviewer.services.project.session import Session

FACTS = "job facts"
NOTHING = "Nothing was launched here yet. Choose on the right what is to be evaluated again."
_COLUMNS = (
    Column("job"),
    Column("state", 122),
    Column("done", 92, number=True, tip="Scores or answers that came, failures included."),
    Column("failed", 50, number=True, drop=2),
    Column("cost", 62, number=True, drop=1),
)
MOST = 9


class JobsSection(RunsSection):
    """All jobs of the project; the chosen one with its configuration and its failures."""

    title = "Jobs"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._rows: dict[int, JobRow] = {}
        self._wanted = 0
        self.list = GridView(self.theme, _COLUMNS, "Jobs")
        self.list.fit_to_rows(MOST)
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.resume = pieces.Button("Resume", self.go_on, dense=True)
        self.retry = pieces.Button("Retry failed", self.try_again, dense=True)
        self.cancel = pieces.Button("Cancel", self.give_up, dense=True, name="Cancel the job")
        self.facts = pieces.Card("Configuration")
        self.told = pieces.text("", wrap=True)
        self.told.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.failures = FailuresCard(self.theme)
        self._lay_out()
        self.list.row_chosen.connect(lambda _: self._read_facts())
        self.failures.open_requested.connect(self.evaluations_requested)
        surroundings.jobs.begun.connect(lambda _: self._follow())
        surroundings.jobs.ended.connect(lambda *_: self._follow())

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Say something about every project."""
        return session is not None and run is not None

    @override
    def reading(self, run: str) -> Reading | None:
        """Read the list of jobs."""
        return lambda own, _: job_list.rows(own)

    @override
    def show_found(self, found: object) -> None:
        """Show the list; the newest job is chosen where none is."""
        if not isinstance(found, tuple):
            return
        self._rows = {row.job.key: row for row in found}
        style = self.surroundings.settings.time_format
        self.list.show_rows(
            [
                (key, _cells(row, style, here=self._is_at_work(row)))
                for key, row in self._rows.items()
            ]
        )
        self.list.setVisible(bool(found))
        self.empty.setVisible(not found)
        wanted, self._wanted = self._wanted, 0
        if wanted in self._rows:
            self.list.choose(wanted)
        elif self.list.chosen() is None and found:
            self.list.choose(found[0].job.key)
        self._read_facts()

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._rows, self._wanted = {}, 0
        self.list.show_rows([])
        self._show_facts(None)

    def show_job(self, key: int) -> None:
        """Choose a job by its number."""
        if not self.list.choose(key):
            self._wanted = key
            self.recompute()

    def go_on(self) -> None:
        """Go on with the chosen job."""
        self._begin(failures=False)

    def try_again(self) -> None:
        """Try again what failed in the chosen job."""
        self._begin(failures=True)

    def give_up(self) -> None:
        """Cancel the chosen job."""
        row = self._chosen()
        if row is None or self.session is None:
            return
        try:
            if self.surroundings.jobs.job(row.job.key) is not None:
                self.surroundings.jobs.cancel(row.job.key)
            else:
                job_list.stop(self.session, row.job.key, "cancel")
        except ReviewerError as error:
            self.failed.emit(str(error))
        self.runs_changed.emit()

    def _lay_out(self) -> None:
        jobs = pieces.Card("Jobs")
        for button in (self.resume, self.retry, self.cancel):
            jobs.head.addWidget(button)
        jobs.body.addWidget(self.empty)
        jobs.body.addWidget(self.list)
        self.facts.body.addWidget(self.told)
        self.body.addWidget(jobs)
        self.body.addWidget(self.failures)
        self.body.addWidget(self.facts)
        self._show_facts(None)

    def _chosen(self) -> JobRow | None:
        key = self.list.chosen()
        return self._rows.get(key) if isinstance(key, int) else None

    def _begin(self, *, failures: bool) -> None:
        session, row = self.session, self._chosen()
        if session is None or row is None:
            return
        key = row.job.key
        try:
            if failures:
                job_list.retry_failures(session, key)
            self.surroundings.jobs.start(to_work(session, key))
        except ReviewerError as error:
            self.failed.emit(str(error))

    def _follow(self) -> None:
        if self.session is not None and self.isVisible():
            self.recompute()

    def _read_facts(self) -> None:
        row, session = self._chosen(), self.session
        self._show_buttons(row)
        if row is None or session is None:
            self._show_facts(None)
            return
        key = row.job.key
        task = self.surroundings.tasks.run(
            FACTS, beside(session, lambda own, _: job_facts.read(own, key))
        )
        task.finished.connect(self._show_facts)
        task.failed.connect(self.failed)

    def _show_buttons(self, row: JobRow | None) -> None:
        busy = row is None or row.standing == "running" or self._is_at_work(row)
        state = row.standing if row is not None else "done"
        self.resume.setVisible(not busy and state != "done")
        self.retry.setVisible(not busy and row is not None and row.job.failed > 0)
        self.cancel.setVisible(row is not None and state not in ("done", "cancelled"))

    def _is_at_work(self, row: JobRow) -> bool:
        return self.surroundings.jobs.job(row.job.key) is not None

    def _show_facts(self, found: object) -> None:
        shown = isinstance(found, JobFacts) and self.session is not None
        self.facts.setVisible(shown)
        self.failures.setVisible(shown)
        if not isinstance(found, JobFacts) or not shown:
            return
        self.facts.title.setText(f"Configuration of job {found.row.job.key}")
        self.told.setText(
            "\n".join(f"{name}: {one_line(said, 200)}" for name, said in found.lines)
        )
        self.failures.show_facts(found)


def _cells(row: JobRow, style: str, *, here: bool) -> tuple[Cell, ...]:
    job = row.job
    tip = f"{job.title}\n{job.sentence}" if job.sentence else job.title
    # a worker that was begun here needs a moment before it writes that it runs
    words = "running" if here else STATES[row.standing]
    state = "elsewhere" if row.standing == "running" and not here else words
    role = ROLES.get("running" if here else row.standing, "muted")
    when = job.finished_at or job.started_at or job.created_at
    failed = Cell(f"{job.failed:,}", "alert") if job.failed else Cell("—", "muted")
    return (
        Cell(one_line(job.title, 80), tip=tip, below=job_facts.selection(row.plan.selection)),
        Cell(state, role, tip=(not here and job.sentence) or words, below=stamp(when, style)),
        Cell(count(job)),
        failed,
        Cell(cost(job), tip=f"{job.calls:,} calls, {job.cached:,} replies from the cache"),
    )
