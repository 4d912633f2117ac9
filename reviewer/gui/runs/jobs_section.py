"""The section "Jobs": what was launched, how it went, whether it counts, and what failed."""

from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit, QProgressBar
from typing_extensions import override

from reviewer.gui.background import beside, seeing
from reviewer.gui.jobs import job_words
from reviewer.gui.jobs.job_lines import ROLES, STATES, cost, count, to_work
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.tasks import Work, telling
from reviewer.gui.kit.text import one_line, stamp, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.page import ProjectSurroundings, Surroundings
from reviewer.gui.runs.section import RunsSection
from reviewer.gui.runs.words import many
from reviewer.gui.sections import Reading
from reviewer.services.jobs import job_facts, job_list
from reviewer.services.jobs.job_facts import Failing, JobFacts, JobScores
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.project.session import Session

FACTS, SCORES = "job facts", "scores of a job"
NOTHING = "Nothing was launched here yet. Choose on the right what is to be evaluated again."
_COLUMNS = (
    Column("job"),
    Column("state", 122),
    Column("done", 92, number=True, tip="Scores or answers that came, failures included."),
    Column(
        "failed", 50, number=True, drop=2, tip="Calls that ended without a score or an answer."
    ),
    Column("cost", 70, number=True, drop=1, tip="Dollars so far, where prices are known."),
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

    def __init__(self, surroundings: ProjectSurroundings) -> None:
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
        jobs = pieces.Card("Jobs")
        layouts.fill(jobs.head, self.resume, self.retry, self.cancel)
        layouts.fill(jobs.body, self.empty, self.list)
        self.facts.body.addWidget(self.told)
        layouts.fill(self.body, jobs, self.scores, self.failures, self.facts)
        self._show_facts(None)
        pieces.connect(
            (self.list.row_chosen, lambda _: self._read_facts()),
            (self.failures.open_requested, self.responses_requested),
            (self.scores.record_requested, self.make_record),
            (self.scores.discard_requested, self.discard),
            (surroundings.jobs.begun, self._follow),
            (surroundings.jobs.ended, self._follow),
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
        apart = job_facts.apart(found)
        self.list.show_rows(
            [
                (
                    key,
                    _cells(row, style, apart[key], here=_is_at_work(self.surroundings, row)),
                )
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
        if row is not None:
            with telling(self.failed.emit):
                if self.surroundings.jobs.job(row.job.key) is not None:
                    self.surroundings.jobs.cancel(row.job.key)
                else:
                    job_list.stop(self.session, row.job.key, "cancel")
            self.runs_changed.emit()

    def make_record(self, key: int) -> None:
        """Let the scores of a job count."""
        # what a job selected may depend on what is hidden from whoever labels
        self._change(seeing(self.session, lambda own, _: job_list.name_record(own, key)))

    def discard(self, key: int) -> None:
        """Take the scores of a job back."""
        self._change(
            beside(self.session, lambda own, told: job_list.discard(own, key, progress=told))
        )

    def _change(self, work: Work) -> None:
        """Do something with a job's scores beside the window, and read them anew."""
        # the button that was pressed goes
        self.list.setFocus()
        self.scores.let_act(possible=False)
        task = self.surroundings.tasks.run(
            SCORES, work, then=self._take_changed, failed=self.failed
        )
        pieces.connect(
            (task.progressed, self.scores.show_progress),
            (task.failed, self._read_facts),
        )

    def _take_changed(self, sentence: object) -> None:
        self.session.poll()
        self.saved.emit()
        self.noted.emit(str(sentence))
        self.runs_changed.emit()
        self.recompute()

    def _chosen(self) -> JobRow | None:
        key = self.list.chosen()
        return self._rows.get(key) if isinstance(key, int) else None

    def _begin(self, *, failures: bool) -> None:
        row = self._chosen()
        if row is not None:
            key = row.job.key
            with telling(self.failed.emit):
                if failures:
                    job_list.retry_failures(self.session, key)
                self.surroundings.jobs.start(to_work(self.session, key))

    def _follow(self) -> None:
        if self.isVisible():
            self.recompute()

    def _read_facts(self) -> None:
        row = self._chosen()
        busy = row is None or row.standing == "running" or _is_at_work(self.surroundings, row)
        state = row.standing if row is not None else "done"
        self.resume.setVisible(not busy and state != "done")
        self.retry.setVisible(not busy and row is not None and row.job.failed > 0)
        self.cancel.setVisible(row is not None and state not in ("done", "cancelled"))
        if row is None:
            self._show_facts(None)
            return
        self.surroundings.tasks.run(
            FACTS,
            seeing(
                self.session,
                lambda own, _: Found(
                    job_facts.read(own, row.job.key), job_facts.read_scores(own, row.job.key)
                ),
            ),
            then=self._show_facts,
            failed=self.failed,
        )

    def _show_facts(self, found: Found | None) -> None:
        pieces.show(self.facts, self.failures, shown=found is not None)
        if found is None:
            self.scores.show_scores(None)
            return
        facts, scores = found
        self.scores.show_scores(None if facts.row.job.kind == "bot" else scores)
        self.facts.title.setText(f"Configuration of job {facts.row.job.key}")
        self.told.setText(
            "\n".join(f"{name}: {one_line(said, 200)}" for name, said in facts.lines)
        )
        self.failures.show_facts(facts)


def _cells(row: JobRow, style: str, apart: str, *, here: bool) -> tuple[Cell, ...]:
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
    # what tells it from others of its title goes first, where it can be read
    below = " · ".join(x for x in (apart, job_facts.selection(row.plan.selection)) if x)
    calls = f"{job.calls:,} calls, {job.cached:,} replies from the cache"
    price = "" if row.priced else ". What its model costs is not known, so no limit can act"
    return (
        Cell(one_line(job.title, 80), tip=tip, below=below),
        Cell(state, role, tip=(not here and job.sentence) or words, below=stamp(when, style)),
        Cell(count(job)),
        failed,
        Cell(cost(row), tip=f"{calls}{price}"),
    )


def _is_at_work(surroundings: Surroundings, row: JobRow) -> bool:
    return surroundings.jobs.job(row.job.key) is not None


_FAILURES = (
    Column("evaluation", 84),
    Column("metric", 76, drop=1),
    Column("kind", 124),
    Column("what was wrong"),
)
MOST_FAILURES, LINES, LONGEST = 10, 8, 100_000
CLEAN = "Nothing failed in this job."


class FailuresCard(pieces.Card):
    """The failures of the chosen job.

    Signals:
        open_requested: Evaluations are to be listed on Review: keys and a heading.
    """

    open_requested = Signal(object, str)

    def __init__(self, theme: Theme) -> None:
        """Make the card without a failure."""
        super().__init__("Failures")
        self._found: tuple[Failing, ...] = ()
        self.open_all = pieces.Button("Open the evaluations", self._open_all, dense=True)
        self.head.addWidget(self.open_all)
        self.kinds = pieces.text("", "muted", wrap=True)
        self.table = GridView(
            theme, _FAILURES, "Failures; Return opens the evaluation", most=MOST_FAILURES
        )
        self.sentence = pieces.text("", wrap=True)
        self.show_raw = pieces.Button("Show the raw reply", self._toggle_raw, kind="link")
        self.raw = pieces.dressed(
            pieces.named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), "Raw reply"),
            role="mono",
        )
        self.raw.setFixedHeight(theme.px(19 * LINES))
        layouts.fill(
            self.body,
            self.kinds,
            self.table,
            self.sentence,
            layouts.row(self.show_raw, 1),
            self.raw,
        )
        pieces.connect(
            (self.table.row_chosen, lambda _: self._show_one()),
            (self.table.row_opened, lambda _: self._open_one()),
        )

    def show_facts(self, facts: JobFacts) -> None:
        """Show what failed in a job."""
        self._found = facts.failures
        asks = facts.row.plan.kind != "scorer"
        parts = [job_words.failures(facts.counts, asks=asks)] if facts.counts else []
        excluded = sum(1 for x in facts.failures if x.attempt.state == "excluded")
        if excluded:
            parts.append(f"{excluded:,} left out by the rubric's pre-checks")
        self.kinds.setText("; ".join(parts) + "." if parts else CLEAN)
        self.table.show_rows([(n, _failure_cells(x)) for n, x in enumerate(self._found)])
        pieces.show(self.table, self.open_all, shown=bool(self._found))
        if self._found and self.table.chosen() is None:
            self.table.choose(0)
        self._show_one()

    def _chosen(self) -> Failing | None:
        place = self.table.chosen()
        there = isinstance(place, int) and place < len(self._found)
        return self._found[place] if isinstance(place, int) and there else None

    def _show_one(self) -> None:
        found = self._chosen()
        self.sentence.setVisible(found is not None)
        self.raw.hide()
        self.show_raw.setText("Show the raw reply")
        self.show_raw.setVisible(found is not None and bool(found.attempt.raw))
        if found is not None:
            self.sentence.setText(visible(found.attempt.sentence or "").text)

    def _toggle_raw(self) -> None:
        found = self._chosen()
        shown = self.raw.isHidden()
        if found is not None and shown:
            self.raw.setPlainText(visible((found.attempt.raw or "")[:LONGEST]).text)
        self.raw.setVisible(shown)
        self.show_raw.setText("Hide the raw reply" if shown else "Show the raw reply")

    def _open_one(self) -> None:
        found = self._chosen()
        if found is not None:
            self.open_requested.emit([found.attempt.evaluation], "")

    def _open_all(self) -> None:
        keys = list(dict.fromkeys(x.attempt.evaluation for x in self._found))
        self.open_requested.emit(keys, "Evaluations with failures")


def _failure_cells(found: Failing) -> tuple[Cell, ...]:
    attempt = found.attempt
    role = "muted" if attempt.state == "excluded" else "alert"
    again = f", repeat {attempt.repeat + 1}" if attempt.repeat else ""
    return (
        Cell(one_line(found.id, 40), tip=found.id),
        Cell(f"{attempt.metric or ''}{again}"),
        Cell(job_words.failure(attempt.kind), role),
        Cell(one_line(attempt.sentence or "", 160), "muted", tip=attempt.sentence or ""),
    )


QUESTION = (
    "Take the scores that this job gave to {many} away from every figure? They stay in the file, "
    "and Ctrl+Z brings them back."
)


class JobScoresCard(pieces.Card):
    """What became of a job's scores; discarding asks once, as it is much at a time.

    Signals:
        record_requested: They are to be made the record, by the job's number.
        discard_requested: They are to be taken back, by the job's number.
    """

    record_requested = Signal(int)
    discard_requested = Signal(int)

    def __init__(self) -> None:
        """Make the card without a job."""
        super().__init__("Scores")
        self._found: JobScores | None = None
        self.told = pieces.text("", wrap=True, name="Whether these scores count")
        self.problem = pieces.text("", "small", wrap=True)
        self.make = pieces.named(
            pieces.Button("Make it the record", self._make, dense=True),
            tip="Let these scores count where another version's do now.",
        )
        self.discard = pieces.Button("Discard its scores…", self.ask, dense=True)
        self.question = pieces.text("", "human", wrap=True)
        self.really = pieces.Button("Discard them", self._discard, dense=True)
        self.keep = pieces.Button("Keep them", self._keep, dense=True)
        self.bar = pieces.named(QProgressBar(textVisible=False), "Progress of discarding")
        layouts.fill(self.head, self.make, self.discard)
        layouts.fill(
            self.body,
            self.told,
            self.problem,
            self.question,
            self.bar,
            layouts.row(self.really, self.keep, 1),
        )
        self._show_question(shown=False)
        pieces.show(self.bar, self, shown=False)

    def show_scores(self, found: JobScores | None) -> None:
        """Show what became of a job's scores; None where it gives none."""
        if self._found is None or found is None or self._found.job != found.job:
            self._show_question(shown=False)
        self._found = found
        self.setVisible(found is not None)
        self.bar.hide()
        if found is None:
            return
        self.title.setText(f"Scores of job {found.job}")
        pieces.say(self.told, visible(found.sentence).text)
        pieces.say(self.problem, "" if found.discarded else visible(found.problem).text)
        self.make.setVisible(found.may_record)
        self.discard.setVisible(found.may_discard)
        if not found.may_discard:
            self._show_question(shown=False)
        self.let_act(possible=True)

    def ask(self) -> None:
        """Say what would go, and wait for a second press."""
        if self._found is not None:
            self.question.setText(
                QUESTION.format(many=many(self._found.evaluations, "evaluation"))
            )
            self._show_question(shown=True)
            self.keep.setFocus()

    def let_act(self, *, possible: bool) -> None:
        """Let the buttons be pressed, or wait until what was asked for is done."""
        pieces.enable(self.make, self.discard, able=possible)

    def show_progress(self, done: int, total: int | None) -> None:
        """Show how far discarding is."""
        self.bar.setRange(0, total or 0)
        self.bar.setValue(done)
        self.bar.show()

    def _make(self) -> None:
        if self._found is not None:
            self.record_requested.emit(self._found.job)

    def _discard(self) -> None:
        if self._found is not None:
            self._show_question(shown=False)
            self.discard_requested.emit(self._found.job)

    def _keep(self) -> None:
        self._show_question(shown=False)
        self.discard.setFocus()

    def _show_question(self, *, shown: bool) -> None:
        pieces.show(self.question, self.really, self.keep, shown=shown)
        self.discard.setEnabled(not shown)
