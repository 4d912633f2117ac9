"""The figures of the section on people, as somebody takes them away."""

from collections.abc import Hashable

import numpy as np

from reviewer.gui.audit import cells, insights_cells, people_rows
from reviewer.gui.figures.figure_menu import Figure
from reviewer.services.audits import anchoring, ceiling, gold, reconsidered, rest
from reviewer.services.audits.people import PeopleFigures
from reviewer.services.explaining.explanations_words import Step, numeral

REST_COLUMN, MAJORITY_COLUMN, GOLD_COLUMN, MOVED_COLUMN = 2, 3, 6, 8


def reached(found: PeopleFigures, key: Hashable) -> Figure | None:
    """Give the figure of a statistic."""
    one = next((x for x in found.ceiling.figures if x.name == key), None)
    if one is None:
        return None
    return Figure(
        title=f"What people reach, {ceiling.TITLES[one.name]}",
        sentence=ceiling.told(one, found.level),
        steps=lambda: ceiling.steps(one),
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
            steps=lambda: reconsidered.steps(again),
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
    if key == insights_cells.TIED:
        return _tied(found)
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
        sentence=rest.told(one),
        steps=lambda: rest.steps(one),
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
        sentence=f"{cells.percents(share)} of {n:,} labels by {name} beside others equal the "
        "majority.",
        steps=lambda: (
            Step(
                "Like the majority",
                f"Of {n:,} labels where others labelled too and the majority is settled, "
                f"{equal:,} equal it.",
                f"{equal:,} / {n:,} = {cells.percents(share)}",
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
        sentence=f"{name} has scored {insights_cells.signed(shift)} from the others "
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


def _tied(found: PeopleFigures) -> Figure:
    tied = found.consensus.tied
    return Figure(
        title="Without a majority",
        sentence=f"{len(tied):,} of {found.consensus.shared:,} evaluations with labels of two "
        "people or more have no majority and wait for a decision.",
        keys=lambda: tied,
        heading="labelled without a majority",
    )
