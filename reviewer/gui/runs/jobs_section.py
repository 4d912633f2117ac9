"""The section "Jobs": what was launched, how it went, whether it counts, and what failed."""

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.domain.progress import Progress
from reviewer.gui.background import beside, seeing
from reviewer.gui.jobs.job_lines import ROLES, STATES, cost, count, to_work
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import Work
from reviewer.gui.kit.text import one_line
from reviewer.gui.kit.times import stamp
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.outcome_cards import FailuresCard, JobScoresCard
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.sections import Reading
from reviewer.services.jobs import job_facts, job_list, job_scores
from reviewer.services.jobs.job_facts import JobFacts
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.jobs.job_scores import JobScores
from reviewer.services.project.session import Session

FACTS, SCORES = "job facts", "scores of a job"
NOTHING = "Nothing was launched here yet. Choose on the right what is to be evaluated again."
_COLUMNS = (
    Column("job"),
    Column("state", 122),
    Column("done", 92, number=True, tip="Scores or answers that came, failures included."),
    Column("failed", 50, number=True, drop=2),
    Column("cost", 70, number=True, drop=1),
)
MOST = 9


class Found(NamedTuple):
    """What is read of the chosen job."""

    facts: JobFacts
    scores: JobScores


class JobsSection(RunsSection[tuple[JobRow, ...]]):
    """All jobs of the project; the chosen one with its scores, configuration and failures.

    Signals:
        saved: Something was stored just now.
    """

    title = "Jobs"
    saved = Signal()

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._rows: dict[int, JobRow] = {}
        self._wanted = 0
        self.list = GridView(self.theme, _COLUMNS, "Jobs", most=MOST)
        self.empty = pieces.text(NOTHING, "muted", wrap=True)
        self.resume = pieces.Button("Resume", self.go_on, dense=True)
        self.retry = pieces.Button("Retry failed", self.try_again, dense=True)
        self.cancel = pieces.Button("Cancel", self.give_up, dense=True, name="Cancel the job")
        self.scores = JobScoresCard()
        self.facts = pieces.Card("Configuration")
        self.told = pieces.text("", wrap=True)
        self.told.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.failures = FailuresCard(self.theme)
        self._lay_out()
        pieces.connect(
            (self.list.row_chosen, lambda _: self._read_facts()),
            (self.failures.open_requested, self.responses_requested),
            (self.scores.record_requested, self.make_record),
            (self.scores.discard_requested, self.discard),
            (surroundings.jobs.begun, lambda _: self._follow()),
            (surroundings.jobs.ended, lambda *_: self._follow()),
        )

    @override
    @classmethod
    def fits(cls, session: Session, run: str) -> bool:
        """Say something about every project."""
        return session is not None and run is not None

    @override
    def reading(self, run: str) -> Reading[tuple[JobRow, ...]]:
        """Read the list of jobs."""
        return lambda own, _: job_list.rows(own)

    @override
    def show_found(self, found: tuple[JobRow, ...]) -> None:
        """Show the list; the newest job is chosen where none is."""
        self._rows = {row.job.key: row for row in found}
        style = self.surroundings.settings.time_format
        self.list.show_rows(
            [
                (key, _cells(row, style, here=_is_at_work(self.surroundings, row)))
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

    def make_record(self, key: int) -> None:
        """Let the scores of a job count."""
        if self.session is not None:
            # what a job selected may depend on what is hidden from whoever labels
            self._change(seeing(self.session, lambda own, _: job_list.name_record(own, key)))

    def discard(self, key: int) -> None:
        """Take the scores of a job back."""
        if self.session is not None:
            work = partial(job_list.discard, key=key)
            self._change(beside(self.session, lambda own, told: work(own, progress=told)))

    def _change(self, work: Work) -> None:
        """Do something with a job's scores beside the window, and read them anew."""
        # the button that was pressed goes
        self.list.setFocus()
        self.scores.let_act(possible=False)
        task = self.surroundings.tasks.run(
            SCORES, work, then=self._take_changed, failed=self.failed
        )
        task.progressed.connect(lambda done, total, _: self.scores.show_progress(done, total))
        task.failed.connect(lambda _: self._read_facts())

    def _take_changed(self, sentence: object) -> None:
        if self.session is None:
            return
        self.session.poll()
        self.saved.emit()
        self.noted.emit(str(sentence))
        self.runs_changed.emit()
        self.recompute()

    def _lay_out(self) -> None:
        jobs = pieces.Card("Jobs")
        layouts.fill(jobs.head, self.resume, self.retry, self.cancel)
        layouts.fill(jobs.body, self.empty, self.list)
        self.facts.body.addWidget(self.told)
        layouts.fill(self.body, jobs, self.scores, self.failures, self.facts)
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
        self.surroundings.tasks.run(
            FACTS,
            seeing(session, partial(_read, key=row.job.key)),
            then=self._show_facts,
            failed=self.failed,
        )

    def _show_buttons(self, row: JobRow | None) -> None:
        busy = row is None or row.standing == "running" or _is_at_work(self.surroundings, row)
        state = row.standing if row is not None else "done"
        self.resume.setVisible(not busy and state != "done")
        self.retry.setVisible(not busy and row is not None and row.job.failed > 0)
        self.cancel.setVisible(row is not None and state not in ("done", "cancelled"))

    def _show_facts(self, found: Found | None) -> None:
        shown = found is not None and self.session is not None
        pieces.show(self.facts, self.failures, shown=shown)
        if found is None or not shown:
            self.scores.show_scores(None)
            return
        facts, scores = found
        self.scores.show_scores(None if facts.row.job.kind == "bot" else scores)
        self.facts.title.setText(f"Configuration of job {facts.row.job.key}")
        self.told.setText(
            "\n".join(f"{name}: {one_line(said, 200)}" for name, said in facts.lines)
        )
        self.failures.show_facts(facts)


def _read(session: Session, _: Progress, *, key: int) -> Found:
    return Found(job_facts.read(session, key), job_scores.read(session, key))


def _cells(row: JobRow, style: str, *, here: bool) -> tuple[Cell, ...]:
    job = row.job
    tip = f"{job.title}\n{job.sentence}" if job.sentence else job.title
    # a worker that was begun here needs a moment before it writes that it runs
    words = "running" if here else STATES[row.standing]
    state = "elsewhere" if row.standing == "running" and not here else words
    if row.discarded and not here:
        state = f"{state}, discarded"
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


def _is_at_work(surroundings: Surroundings, row: JobRow) -> bool:
    return surroundings.jobs.job(row.job.key) is not None
