"""The section on people: what they reach together, whether sight anchors them, who differs."""

from collections.abc import Callable, Hashable
from functools import partial

from typing_extensions import override

from reviewer.gui.audit import pair_figures, people_figures, people_rows
from reviewer.gui.audit.section import Reading, Section
from reviewer.gui.audit.table_card import TableCard
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.page import Surroundings
from reviewer.services.audits import people
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.people import PeopleFigures
from reviewer.services.figures.statistics_blocks import LabelerPair

PAIRS = "No two people labelled the same evaluation yet."


class PeopleSection(Section):
    """Shows people beside each other and beside the judge."""

    title = "People"

    def __init__(self, surroundings: Surroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.reached = TableCard(self.theme, "What people reach", people_rows.REACHED)
        self.sight = TableCard(self.theme, "In sight of the auto score", people_rows.SIGHT)
        self.again = TableCard(self.theme, "Changed after the reveal", people_rows.RECONSIDERED)
        self.labelers = TableCard(self.theme, "Labelers one by one", people_rows.LABELERS)
        self.pairs = TableCard(self.theme, "Pairs of labelers", people_rows.PAIRS)
        self._found: PeopleFigures | None = None
        self._pairs: dict[tuple[str, str], LabelerPair] = {}
        for card, find in (
            (self.reached, self._reached_figure),
            (self.sight, self._sight_figure),
            (self.again, self._sight_figure),
            (self.labelers, self._labeler_figure),
            (self.pairs, self._pair_figure),
        ):
            self.body.addWidget(card)
            self.figures.serve_grid(card.table, find)
            card.table.row_opened.connect(partial(self._open, find))
            card.hide()

    @override
    def reading(self, audit: Audit, metric: str) -> Reading | None:
        """Compare people beside the window."""
        return lambda own, progress: people.figures(own, audit, metric, progress)

    @override
    def show_found(self, found: object) -> None:
        """Show a metric's people."""
        audit = self.audit
        if not isinstance(found, PeopleFigures) or audit is None:
            return
        self._found = found
        reach, sight = found.ceiling, found.anchoring
        rows = people_rows.reached(reach)
        self.reached.show_topic(
            reach.sentence,
            rows,
            note="Every evaluation counts alike, however many people labelled it." if rows else "",
            muted=reach.reason is not None,
        )
        again = found.reconsidered
        self.sight.show_topic(
            sight.sentence,
            people_rows.sight(sight),
            muted=sight.reason is not None,
        )
        if again is not None:
            rows = people_rows.changed(again)
            self.again.show_topic(again.sentence, rows, muted=not rows)
        self.labelers.show_topic("", people_rows.labelers(found), note=people_rows.told(found))
        mine = [pair for pair in audit.document.labelers if pair.metric == found.metric]
        name = pair_figures.usual(audit.document.metrics[found.metric])
        self._pairs = {(pair.a, pair.b): pair for pair in mine}
        self.pairs.show_topic("" if mine else PAIRS, people_rows.pairs(mine, name), muted=not mine)
        for card in (self.reached, self.sight, self.labelers, self.pairs):
            card.show()
        self.again.setVisible(again is not None and again.n > 0)

    @override
    def refine(self, audit: Audit) -> None:
        """Show the intervals of pairs that came later."""
        super().refine(audit)
        if self.is_reading:
            # what is there is of another scope, or of a state before
            return
        if not self.isVisible():
            self._due = True
        elif self._found is not None and self._found.metric in audit.document.metrics:
            self.show_found(self._found)

    @override
    def forget(self) -> None:
        """Let go of the project."""
        super().forget()
        self._found = None
        self._pairs = {}

    def _open(self, find: Callable[[Hashable, int], Figure | None], key: Hashable) -> None:
        figure = find(key, 0)
        if figure is not None:
            self.figures.list_responses(figure)

    def _reached_figure(self, key: Hashable, _: int) -> Figure | None:
        return None if self._found is None else people_figures.reached(self._found, key)

    def _sight_figure(self, key: Hashable, column: int) -> Figure | None:
        return None if self._found is None else people_figures.sight(self._found, key, column)

    def _labeler_figure(self, key: Hashable, column: int) -> Figure | None:
        return None if self._found is None else people_figures.labeler(self._found, key, column)

    def _pair_figure(self, key: Hashable, _: int) -> Figure | None:
        pair = self._pairs.get(key) if isinstance(key, tuple) else None
        if self.audit is None or pair is None:
            return None
        return pair_figures.figure(self.audit, pair)
