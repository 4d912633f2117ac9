"""The agreement of two people: its cell, and the figure as somebody takes it away."""

from collections.abc import Sequence

import numpy as np

from reviewer.domain.wording import DASH, in_percent, short, upper_first
from reviewer.gui.audit import words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit.grid import Cell
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_agreement import PAIR_TITLES, pair_steps
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.statistics_blocks import LabelerPair, MetricBlock
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.figure import COEFFICIENTS_FROM

COLUMN_TIP = "Quadratic kappa; of categories kappa; without levels the mean distance."


def _title(name: str) -> str:
    return PAIR_TITLES.get(name, FIGURES[name].sign)


def usual(block: MetricBlock) -> str:
    """Name what suits the scale: a kappa, or the mean distance where there are no levels."""
    if block.gaps.ordered and not block.confusion.table:
        return "mae"
    return block.coefficient


def too_few(one: LabelerPair) -> str:
    """Say how many shared labels an agreement needs, nothing where there are enough."""
    if one.n >= COEFFICIENTS_FROM:
        return ""
    return f"{one.n} of the {COEFFICIENTS_FROM} shared labels that an agreement needs"


def cell(one: LabelerPair, name: str) -> Cell:
    """Make the cell of two people's agreement with its interval."""
    value, few = one.figures.get(name), too_few(one)
    if value is None or few:
        why = few or one.undefined.get(name, "not defined here")
        return Cell(DASH, "muted", tip=upper_first(why))
    interval = one.intervals.get(name)
    ends = words.ends(interval.low, interval.high) if interval else ""
    below = ends or ("apart" if name == "mae" else "")
    tip = _title(name) + (f", 95 % {ends}" if ends else "")
    return Cell(short(value), tip=upper_first(tip), below=below)


def sentence(one: LabelerPair, block: MetricBlock) -> str:
    """Say the agreement of two people in a sentence that stands alone."""
    about = f"{one.a} and {one.b} on {block.title}"
    few = too_few(one)
    if few:
        return f"{about}: {few} (n = {one.n:,})."
    name = usual(block)
    value, interval = one.figures.get(name), one.intervals.get(name)
    if value is None:
        said = f"no {_title(name)} ({one.undefined.get(name, 'not defined here')}; n = {one.n:,})"
    else:
        ends = "" if interval is None else words.ends(interval.low, interval.high)
        around = f"95 % {ends.replace(' – ', ' to ')}, " if ends else ""
        said = f"{_title(name)} {short(value)} ({around}n = {one.n:,})"
    percent, bias = one.figures.get("percent"), one.figures.get("bias")
    more = "" if percent is None else f", the same in {in_percent(percent)}"
    if bias is not None:
        more += f", the second {_apart(bias)}"
    return f"{about}: {said}{more}."


def figure(audit: Audit, one: LabelerPair) -> Figure:
    """Give the agreement of two people on a metric."""
    block = audit.document.metrics[one.metric]
    return Figure(
        title=f"{block.title}: {one.a} and {one.b}",
        sentence=sentence(one, block),
        steps=lambda: _steps(audit, one, block),
        keys=lambda: _shared(audit.frame.table, one)[0],
        heading=f"labelled by {one.a} and {one.b}",
    )


def _apart(bias: float) -> str:
    if not round(bias, 2):
        return "as high on average"
    return f"{short(abs(bias))} {'higher' if bias > 0 else 'lower'} on average"


def _steps(audit: Audit, one: LabelerPair, block: MetricBlock) -> Sequence[Step]:
    few = too_few(one)
    if few:
        return (Step(_title(usual(block)).capitalize(), upper_first(few)),)
    table = audit.frame.table
    _, first, second = _shared(table, one)
    names = dict.fromkeys(("percent", usual(block), "mae", "bias"))
    return pair_steps(table.metrics[one.metric].metric, (first, second), one, tuple(names))


def _shared(table: FigureTable, one: LabelerPair) -> tuple[Ints, Floats, Floats]:
    """Give the evaluations that both labelled, with the labels of the first and the second."""
    people = table.metrics[one.metric].people
    numbers = {name: key for key, name in table.labelers.items()}
    first, second = (
        np.flatnonzero(~people.averaged & (people.labelers == numbers[who]))
        for who in (one.a, one.b)
    )
    places, left, right = np.intersect1d(
        people.positions[first], people.positions[second], return_indices=True
    )
    return table.keys[places], people.values[first[left]], people.values[second[right]]
