"""What became of the chosen job: what failed, one by one, and whether its scores count."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPlainTextEdit, QProgressBar

from reviewer.gui.jobs import job_words
from reviewer.gui.kit import layouts, pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.gui.runs.words import many
from reviewer.services.jobs.job_facts import Failing, JobFacts
from reviewer.services.jobs.job_scores import JobScores

_COLUMNS = (
    Column("evaluation", 84),
    Column("metric", 76, drop=1),
    Column("kind", 124),
    Column("what was wrong"),
)
MOST, LINES, LONGEST = 10, 8, 100_000
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
        self.table = GridView(theme, _COLUMNS, "Failures; Return opens the evaluation", most=MOST)
        self.sentence = pieces.text("", wrap=True)
        self.show_raw = pieces.Button("Show the raw reply", self._toggle_raw, kind="link")
        self.raw = pieces.named(QPlainTextEdit(readOnly=True, tabChangesFocus=True), "Raw reply")
        self.raw.setProperty("role", "mono")
        self.raw.setFixedHeight(theme.px(19 * LINES))
        layouts.fill(
            self.body,
            self.kinds,
            self.table,
            self.sentence,
            layouts.row(self.show_raw, 1),
            self.raw,
        )
        self.table.row_chosen.connect(lambda _: self._show_one())
        self.table.row_opened.connect(lambda _: self._open_one())

    def show_facts(self, facts: JobFacts) -> None:
        """Show what failed in a job."""
        self._found = facts.failures
        asks = facts.row.plan.kind != "scorer"
        parts = [job_words.failures(facts.counts, asks=asks)] if facts.counts else []
        excluded = sum(1 for x in facts.failures if x.attempt.state == "excluded")
        if excluded:
            parts.append(f"{excluded:,} left out by the rubric's pre-checks")
        self.kinds.setText("; ".join(parts) + "." if parts else CLEAN)
        self.table.show_rows([(n, _cells(x)) for n, x in enumerate(self._found)])
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


def _cells(found: Failing) -> tuple[Cell, ...]:
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
        if self._found is None:
            return
        self.question.setText(QUESTION.format(many=many(self._found.evaluations, "evaluation")))
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
