"""What failed in a job: by kind, and one by one with the sentence and the raw reply."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit

from reviewer.gui.jobs import job_words
from reviewer.gui.kit import pieces
from reviewer.gui.kit.grid import Cell, Column, GridView
from reviewer.gui.kit.text import one_line, visible
from reviewer.gui.kit.theme import Theme
from reviewer.services.evaluating.job_facts import Failing, JobFacts

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
        self.table = GridView(theme, _COLUMNS, "Failures; Return opens the evaluation")
        self.table.fit_to_rows(MOST)
        self.sentence = pieces.text("", wrap=True)
        self.show_raw = pieces.Button("Show the raw reply", self._toggle_raw, kind="link")
        self.raw = QPlainTextEdit()
        self.raw.setReadOnly(True)
        self.raw.setProperty("role", "mono")
        self.raw.setTabChangesFocus(True)
        self.raw.setAccessibleName("Raw reply")
        self.raw.setFixedHeight(theme.px(19 * LINES))
        row = QHBoxLayout()
        row.addWidget(self.show_raw)
        row.addStretch(1)
        for widget in (self.kinds, self.table, self.sentence):
            self.body.addWidget(widget)
        self.body.addLayout(row)
        self.body.addWidget(self.raw)
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
        self.table.setVisible(bool(self._found))
        self.open_all.setVisible(bool(self._found))
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
