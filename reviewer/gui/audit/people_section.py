"""The section on people: what they reach together, whether sight anchors them, who differs."""

from collections.abc import Callable, Hashable
from functools import partial

import numpy as np
from typing_extensions import override

from reviewer.domain.wording import numeral
from reviewer.gui.audit import metric_figures, people_rows, table_card
from reviewer.gui.audit.alike_card import AlikeCard
from reviewer.gui.audit.sections import AuditSection
from reviewer.gui.audit.table_card import TableCard
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit import pieces
from reviewer.gui.kit.pieces import show
from reviewer.gui.page import ProjectSurroundings
from reviewer.gui.sections import Reading
from reviewer.services.audits import anchoring, gold, people
from reviewer.services.audits.auditing import Audit
from reviewer.services.audits.people import Alike, PeopleFigures
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.statistics_blocks import LabelerPair
from reviewer.stats.catalogue import FIGURES

PAIRS = "No two people labelled the same evaluation yet."


class PeopleSection(AuditSection[PeopleFigures]):
    """Shows people beside each other and beside the judge."""

    title = "People"

    def __init__(self, surroundings: ProjectSurroundings) -> None:
        """Make every card empty."""
        super().__init__(surroundings)
        self.reached = TableCard(self.theme, "What people reach", people_rows.REACHED)
        self.sight = TableCard(self.theme, "In sight of the auto score", people_rows.SIGHT)
        self.again = TableCard(self.theme, "Changed after the reveal", people_rows.RECONSIDERED)
        self.labelers = TableCard(self.theme, "Labelers one by one", people_rows.LABELERS)
        self.pairs = TableCard(self.theme, "Pairs of labelers", people_rows.PAIRS)
        self.alike = AlikeCard(self.theme)
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
        self.body.insertWidget(self.body.indexOf(self.pairs), self.alike)
        pieces.connect(
            (self.alike.noted, self.noted),
            (self.alike.opened, self._open_alike),
        )

    @override
    def reading(self, audit: Audit, metric: str) -> Reading[PeopleFigures] | None:
        """Compare people beside the window."""
        return lambda own, progress: people.figures(own, audit, metric, progress)

    @override
    def show_found(self, found: PeopleFigures) -> None:
        """Show a metric's people."""
        audit = self.audit
        if audit is None:
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
        name = metric_figures.usual(audit.document.metrics[found.metric])
        self._pairs = {(pair.a, pair.b): pair for pair in mine}
        self.pairs.show_topic("" if mine else PAIRS, people_rows.pairs(mine, name), muted=not mine)
        titles = {name: block.title for name, block in audit.document.metrics.items()}
        self.alike.show_people(found.alike, titles)
        show(self.reached, self.sight, self.labelers, self.pairs, shown=True)
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

    def _open(self, find: Callable[[Hashable, int], Figure | None], key: Hashable) -> None:
        figure = find(key, 0)
        if figure is not None:
            self.figures.list_responses(figure)

    def _open_alike(self, one: Alike) -> None:
        self.metric_requested.emit(one.metric)
        self.responses_requested.emit(one.keys, f"labelled by {one.labeler} and somebody else")

    def _reached_figure(self, key: Hashable, _: int) -> Figure | None:
        return None if self._found is None else reached(self._found, key)

    def _sight_figure(self, key: Hashable, column: int) -> Figure | None:
        return None if self._found is None else sight(self._found, key, column)

    def _labeler_figure(self, key: Hashable, column: int) -> Figure | None:
        return None if self._found is None else labeler(self._found, key, column)

    def _pair_figure(self, key: Hashable, _: int) -> Figure | None:
        pair = self._pairs.get(key) if isinstance(key, tuple) else None
        if self.audit is None or pair is None:
            return None
        return metric_figures.pair_figure(self.audit, pair)


REST_COLUMN, MAJORITY_COLUMN, GOLD_COLUMN, MOVED_COLUMN = 2, 3, 6, 8


def reached(found: PeopleFigures, key: Hashable) -> Figure | None:
    """Give the figure of a statistic."""
    one = next((x for x in found.ceiling.figures if x.name == key), None)
    if one is None:
        return None
    return Figure(
        title=f"What people reach, {FIGURES[one.name].sign}",
        sentence=people.ceiling_told(one, found.level),
        steps=lambda: people.ceiling_steps(one),
        keys=lambda: found.ceiling.keys,
        heading="two people or more labelled",
    )


def sight(found: PeopleFigures, key: Hashable, column: int = 0) -> Figure | None:
    """Give the figure of a value that sight may move; a side's column opens that side."""
    told = found.anchoring
    again = found.reconsidered
    if key == people_rows.CHANGED and again is not None:
        return Figure(
            title="Answers changed after the reveal",
            sentence=again.sentence,
            steps=lambda: anchoring.reconsidered_steps(again),
            keys=lambda: again.keys,
            heading="changed after the reveal",
        )
    compared = told.gap if key == "gap" else told.agreement
    what = "mean gap" if key == "gap" else "share of labels like the judge's"
    sentence = told.sentence
    if compared.overall is not None:
        say = anchoring.gap_sentence if key == "gap" else anchoring.agreement_sentence
        sentence = say(compared.overall)
    keys, heading = _SIDES.get(column, ("keys", "labelled unseen or in sight of the auto score"))
    return Figure(
        title=f"In sight of the auto score, {what}",
        sentence=sentence,
        steps=lambda: anchoring.steps(compared, what),
        keys=lambda: getattr(told, keys),
        heading=heading,
    )


_SIDES = {
    1: ("blind_keys", "labelled unseen"),
    2: ("seen_keys", "labelled in sight of the auto score"),
}


def labeler(found: PeopleFigures, key: Hashable, column: int) -> Figure | None:
    """Give the figure of a person's column, else that of their labels."""
    if key == table_card.TIED:
        tied = found.consensus.tied
        return Figure(
            title="Without a majority",
            sentence=f"{len(tied):,} of {found.consensus.shared:,} evaluations with labels of two "
            "people or more have no majority and wait for a decision.",
            keys=lambda: tied,
            heading="labelled without a majority",
        )
    name = str(key)
    if name not in found.labelled:
        return None
    special = _COLUMNS.get(column)
    return (special(found, name) if special else None) or _labels(found, name)


def _labels(found: PeopleFigures, name: str) -> Figure:
    keys = found.labelled[name]
    return Figure(
        title=f"Labels of {name}",
        sentence=f"{name} labelled {keys.size:,} evaluations.",
        keys=lambda: np.sort(keys),
        heading=f"labelled by {name}",
    )


def _rest(found: PeopleFigures, name: str) -> Figure | None:
    one = next((x for x in found.rest if x.labeler == name), None)
    if one is None:
        return None
    return Figure(
        title=f"{name} and the rest",
        sentence=people.told(one),
        steps=lambda: people.steps(one),
        keys=lambda: one.keys,
        heading=f"labelled by {name} and somebody else",
    )


def _majority(found: PeopleFigures, name: str) -> Figure | None:
    one = next((x for x in found.consensus.people if x.labeler == name), None)
    if one is None or one.majority is None:
        return None
    share, keys = one.majority, one.compared
    equal, n = round(share * one.n), one.n
    return Figure(
        title=f"{name} and the majority",
        sentence=f"{table_card.percents(share)} of {n:,} labels by {name} beside others equal the "
        "majority.",
        steps=lambda: (
            Step(
                "Like the majority",
                f"Of {n:,} labels where others labelled too and the majority is settled, "
                f"{equal:,} equal it.",
                f"{equal:,} / {n:,} = {table_card.percents(share)}",
            ),
        ),
        keys=(lambda: keys) if keys else None,
        heading=f"{name} beside the majority",
    )


def _hits(found: PeopleFigures, name: str) -> Figure | None:
    hits = next((x for x in found.gold.people if x.labeler == name), None)
    if hits is None:
        return None
    return Figure(
        title=f"Gold responses, {name}",
        sentence=gold.told(hits),
        steps=lambda: gold.steps(hits),
        keys=lambda: hits.keys,
        heading=f"gold responses that {name} labelled, misses first",
    )


def _moved(found: PeopleFigures, name: str) -> Figure | None:
    one = next((x for x in found.drift.people if x.labeler == name), None)
    if one is None or not one.keys:
        return None
    keys, shift, n = one.keys, one.shift or 0.0, len(one.keys)
    since = f"{one.since:%Y-%m-%d}" if one.since else f"label {one.since_label}"
    return Figure(
        title=f"Drift of {name}",
        sentence=f"{name} has scored {table_card.signed(shift)} from the others "
        f"since {since} (n = {n:,} of {one.n:,}; a hint from cumulative sums at h = 8).",
        steps=lambda: (
            Step(
                "Distance from the others",
                "Sum of label − the mean of the others' labels, since then / their number.",
                f"{numeral(shift * n)} / {n:,} = {numeral(shift)}",
            ),
            Step(
                "Since when",
                "Cumulative sums of those distances in standard deviations, 0.5 taken off each, "
                f"raised a hint at 8, {one.alarms:,} in all.",
            ),
        ),
        keys=lambda: keys,
        heading=f"{name} since {since}",
    )


_COLUMNS = {
    REST_COLUMN: _rest,
    MAJORITY_COLUMN: _majority,
    GOLD_COLUMN: _hits,
    MOVED_COLUMN: _moved,
}
