"""The figures of the section on people, as somebody takes them away."""

from collections.abc import Hashable

import numpy as np

from reviewer.gui.audit import cells, insights_cells
from reviewer.gui.audit.figure_menu import Figure
from reviewer.gui.audit.words import ends, two
from reviewer.services.audits import anchoring, ceiling, gold, rest
from reviewer.services.audits.gold import Hits
from reviewer.services.audits.people import PeopleFigures
from reviewer.services.explanations_words import Step
from reviewer.services.statistics_blocks import LabelerPair

REST_COLUMN, GOLD_COLUMN = 2, 6


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


def sight(found: PeopleFigures, key: Hashable) -> Figure | None:
    """Give the figure of a value that sight may move."""
    told = found.anchoring
    compared = told.gap if key == "gap" else told.agreement
    what = "mean gap" if key == "gap" else "share of labels like the judge's"
    sentence = told.sentence
    if compared.overall is not None:
        say = anchoring.gap_sentence if key == "gap" else anchoring.agreement_sentence
        sentence = say(compared.overall)
    return Figure(
        title=f"In sight of the auto score, {what}",
        sentence=sentence,
        steps=lambda: anchoring.steps(compared, what),
        keys=lambda: told.seen_keys,
        heading="labelled in sight of the auto score",
    )


def labeler(found: PeopleFigures, key: Hashable, column: int) -> Figure | None:
    """Give the figure of a person: agreement and hits on gold in their columns, else labels."""
    if key == insights_cells.TIED:
        return _tied(found)
    name = str(key)
    if name not in found.labelled:
        return None
    hits = next((one for one in found.gold.people if one.labeler == name), None)
    if column == GOLD_COLUMN and hits is not None:
        return _hits(hits)
    others = next((one for one in found.rest if one.labeler == name), None)
    if column == REST_COLUMN and others is not None:
        return Figure(
            title=f"{name} and the rest",
            sentence=rest.told(others),
            steps=lambda: rest.steps(others),
            keys=lambda: others.keys,
            heading=f"labelled by {name} and somebody else",
        )
    mine = next((one for one in found.consensus.people if one.labeler == name), None)
    keys = found.labelled[name]
    said = f"{name} labelled {keys.size:,} evaluations"
    steps = None
    if mine is not None and mine.majority is not None:
        share, n = mine.majority, mine.n
        said += f"; {cells.percents(share)} of {n:,} labels beside others equal the majority"
        steps = lambda: (  # noqa: E731 - a thunk beside its numbers
            Step(
                "Like the majority",
                f"labels that equal the majority / labels beside others = "
                f"{round(share * n):,} / {n:,} = {cells.percents(share)}.",
            ),
        )
    return Figure(
        title=f"Labels of {name}",
        sentence=f"{said}.",
        steps=steps,
        keys=lambda: np.sort(keys),
        heading=f"labelled by {name}",
    )


def _tied(found: PeopleFigures) -> Figure:
    tied = found.consensus.tied
    return Figure(
        title="Without a majority",
        sentence=f"{len(tied):,} of {found.consensus.shared:,} evaluations with labels of two "
        "people or more have no majority.",
        keys=lambda: tied,
        heading="labelled without a majority",
    )


def _hits(hits: Hits) -> Figure:
    return Figure(
        title=f"Gold responses, {hits.labeler}",
        sentence=gold.told(hits),
        steps=lambda: gold.steps(hits),
        keys=lambda: hits.misses,
        heading=f"gold responses that {hits.labeler} missed",
    )


def pair(found: PeopleFigures, one: LabelerPair) -> Figure:
    """Give the figure of two people."""
    parts = []
    for name, title in (("percent", "the same in"), ("kappa_quadratic", "quadratic κ")):
        value, interval = one.figures.get(name), one.intervals.get(name)
        if value is None:
            continue
        shown = cells.percents(value) if name == "percent" else two(value)
        around = ""
        if interval is not None and name != "percent":
            around = f" (95 % {ends(interval.low, interval.high)})"
        parts.append(f"{title} {shown}{around}")
    nobody = np.zeros(0, dtype=np.int64)
    first, second = found.labelled.get(one.a, nobody), found.labelled.get(one.b, nobody)
    return Figure(
        title=f"{one.a} and {one.b}",
        sentence=f"{one.a} and {one.b} on {one.n:,} shared evaluations: "
        f"{', '.join(parts) or 'too few to tell'}.",
        keys=lambda: np.intersect1d(first, second),
        heading=f"labelled by {one.a} and {one.b}",
    )
