"""A against B: two runs or two judges side by side, and further ones against A."""

from dataclasses import replace

from typing_extensions import override

from reviewer.domain.errors import ReviewerError
from reviewer.gui.kit import pieces
from reviewer.gui.own_session import beside
from reviewer.gui.page import Surroundings
from reviewer.gui.runs.compare_more import MoreCard
from reviewer.gui.runs.compare_sides import SidesBar
from reviewer.gui.runs.compare_table import CHANGED, KINDS, PASS, CompareTable
from reviewer.gui.runs.flips_card import MOST, FlipsCard, rows_of
from reviewer.gui.runs.operations_card import OperationsCard
from reviewer.gui.runs.section import Reading, RunsSection
from reviewer.services.evaluating import side_by_side
from reviewer.services.evaluating.comparison import Comparison
from reviewer.services.evaluating.side_by_side import SideBySide
from reviewer.services.project.session import Session

JUDGE, OPERATIONS = "comparison judge", "comparison operations"


class CompareSection(RunsSection):
    """The sides, their figures, what changed, and how the responses came about."""

    title = "A against B"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make the section empty."""
        super().__init__(surroundings)
        self._both: SideBySide | None = None
        self._row: object = PASS
        self.sides = SidesBar(self.theme)
        self.judged = pieces.text("", "small", wrap=True, name="Whose scores are compared")
        self.table = CompareTable(self.theme)
        self.more = MoreCard(self.theme, self.figures)
        self.flips = FlipsCard(self.theme)
        self.operations = OperationsCard(self.theme)
        for card in (self.sides, self.judged, self.table, self.more, self.operations, self.flips):
            self.body.addWidget(card)
        self._show_cards(there=False)
        self.sides.changed.connect(self.recompute)
        self.table.row_chosen.connect(self._choose_row)
        self.table.count_clicked.connect(self._open_count)
        self.table.grid.row_opened.connect(lambda key: self._open(key, CHANGED))
        self.flips.kind_chosen.connect(lambda _: self._list())
        self.flips.case_chosen.connect(self._show_case)
        self.flips.open_requested.connect(lambda: self._open(self._row, self.flips.kind))
        self.operations.noted.connect(self.noted)
        self.figures.serve_grid(self.table.grid, self.table.figure)
        self.figures.serve_grid(self.operations.table, self.operations.figure)
        self.theme.changed.connect(self.flips.restyle)

    @override
    def show_runs(self, session: Session, run: str, other: str = "") -> None:
        """Take the marks A and B; judges and further sides that were chosen stay."""
        moved = (run, other) != (self.run, self.other)
        if moved or not self.sides.wanted.a.run:
            self.sides.show_runs(session.run_names(), run, other)
        super().show_runs(session, run, other)

    @override
    def reading(self, run: str) -> Reading | None:
        """Give what compares the chosen sides."""
        if not run:
            return None
        wanted = self.sides.wanted
        for kind in (JUDGE, OPERATIONS):
            self.surroundings.tasks.cancel(kind)
        return lambda own, progress: side_by_side.read(own, wanted, progress)

    @override
    def show_found(self, found: object) -> None:
        """Show the figures, and go on with what takes longer."""
        if not isinstance(found, SideBySide):
            return
        self._both = found
        self._show_cards(there=True)
        self.sides.show_scorers(found.scorers)
        self.sides.show_b(found.found.before)
        self.judged.setText(_judged(found))
        self.table.show_comparison(found)
        self.more.show_comparisons((found.found, *found.also) if found.also else ())
        self._list()
        self.operations.show_waiting()
        self._go_on(JUDGE)
        self._go_on(OPERATIONS)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        for kind in (JUDGE, OPERATIONS):
            self.surroundings.tasks.cancel(kind)
        self._both = None
        self._show_cards(there=False)

    @override
    def say(self, sentence: str) -> None:
        """Show a sentence above the section; one that is no progress stands instead of figures."""
        super().say(sentence)
        if sentence and not sentence.endswith("…"):
            self._both = None
            self._show_cards(there=False)

    def _show_cards(self, *, there: bool) -> None:
        for card in (self.judged, self.table, self.operations, self.flips):
            card.setVisible(there)
        if not there:
            self.more.hide()

    def _go_on(self, kind: str) -> None:
        session, shown = self.session, self._both
        if session is None or shown is None:
            return
        add = side_by_side.with_judge if kind == JUDGE else side_by_side.with_operations
        work = beside(session, lambda own, progress: add(own, shown.found, progress))
        task = self.surroundings.tasks.run(kind, work)
        task.finished.connect(self._take_judge if kind == JUDGE else self._take_operations)
        task.failed.connect(self.failed)

    def _take_judge(self, found: object) -> None:
        if self._both is None or not isinstance(found, Comparison):
            return
        more = replace(self._both.found, metrics=found.metrics, stale=found.stale)
        self._both = replace(self._both, found=more)
        self.table.show_comparison(self._both)

    def _take_operations(self, found: object) -> None:
        if self._both is None or not isinstance(found, Comparison):
            return
        more = replace(
            self._both.found,
            before_operations=found.before_operations,
            after_operations=found.after_operations,
            latencies=found.latencies,
            latency=found.latency,
            cost=found.cost,
        )
        self._both = replace(self._both, found=more)
        self.operations.show_comparison(more)

    def _choose_row(self, key: object) -> None:
        if key != self._row:
            self._row = key
            self._list()

    def _list(self) -> None:
        """List what changed in the chosen row."""
        shown, session = self._both, self.session
        if shown is None or session is None:
            return
        kinds = dict(self.table.kinds(self._row))
        self.flips.offer_kinds([(kind, len(keys)) for kind, keys in kinds.items()])
        kind = self.flips.kind
        keys = self.table.keys(self._row, kind)
        metric = shown.found.metrics.get(str(self._row))
        names = {key: session.place(key)[1] for key in keys[:MOST]}
        what = "Pass rate" if metric is None else metric.metric.heading
        self.flips.show_list(
            f"What changed — {what}",
            rows_of(shown, keys, None if metric is None else str(self._row), names),
            len(kinds.get(kind, ())),
        )

    def _show_case(self, key: int) -> None:
        shown, session = self._both, self.session
        if shown is None or session is None:
            return
        metric = str(self._row) if self._row in shown.found.metrics else None
        try:
            self.flips.show_case(side_by_side.on_both(session, shown, key, metric))
        except ReviewerError as error:
            self.flips.show_problem(str(error))

    def _open_count(self, key: object, column: int) -> None:
        self._open(key, KINDS[column])

    def _open(self, key: object, kind: str) -> None:
        keys = self.table.keys(key, kind)
        if keys:
            self.evaluations_requested.emit(keys, self.table.heading(key, kind))
        else:
            self.noted.emit("None of them may be seen before you have answered it.")


def _judged(found: SideBySide) -> str:
    """Say whose scores stand on both sides, and on how many."""
    before, after = (words or "no scores" for words in found.judged)
    return f"A by {after}. B by {before}."
