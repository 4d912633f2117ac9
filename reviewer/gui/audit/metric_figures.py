"""The figures of a metric and of two people: which can be chosen, cells, and as one takes them."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from reviewer.domain.wording import (
    DASH,
    amount,
    gap_words,
    in_percent,
    score_words,
    short,
    upper_first,
)
from reviewer.gui.audit import words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.gui.kit.grid import Cell
from reviewer.services.audits.auditing import Audit, PairColumns
from reviewer.services.explaining.explanations_agreement import (
    PAIR_TITLES,
    agreement_steps,
    corrected_steps,
    gap_steps,
    pair_steps,
)
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.figures.statistics_blocks import MEANS, GapBlock, LabelerPair, MetricBlock
from reviewer.services.figures.statistics_corrected import metric_rows
from reviewer.services.figures.statistics_gaps import overall_rows
from reviewer.services.figures.statistics_words import ends, too_few, written
from reviewer.stats.agreement import Agreement
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.figure import COEFFICIENTS_FROM, WORDS_FROM
from reviewer.stats.figure import Figure as Statistic

OVERALL = ""
"""The key of the overall's row, which is no metric."""
N, AUTO, HUMAN, BAND, ADJUSTED, CORRECTED, AGREEMENT = range(1, 8)
"""Columns of the table by metric."""


def of_column(audit: Audit, metric: str, column: int, chosen: str) -> Figure | None:
    """Give the figure in a column of a metric's row; `chosen` is the statistic of the last."""
    if metric == OVERALL and N <= column < CORRECTED:
        gaps = audit.document.satisfaction
        if not gaps.n_auto and not gaps.n_human:
            return None
        return _gap_figure(audit, gaps, "the overall", column, lambda: overall_rows(audit.frame))
    block = audit.document.metrics.get(metric)
    if block is None or not N <= column <= AGREEMENT:
        return None
    if column == AGREEMENT:
        return agreement(audit, block, name_of(chosen, block))
    if column == CORRECTED:
        return corrected(audit, block)
    return _of_gaps(audit, block, column)


def agreement(audit: Audit, block: MetricBlock, name: str) -> Figure:
    """Give a figure of judge and people."""
    told = block.judge_human.figure(name)
    few = too_few(told)
    return Figure(
        title=f"{block.title}: {told.title}",
        sentence=agreement_sentence(block, name),
        steps=lambda: (
            (Step(told.title, few),) if few else agreement_steps(audit.frame, block, name)
        ),
        keys=lambda: behind(audit.pairs[block.name], name),
        heading="judge and people",
    )


def corrected(audit: Audit, block: MetricBlock) -> Figure:
    """Give the corrected mean."""
    found = words.correction_sentence(block.corrected) or "There is no corrected mean."
    return Figure(
        title=f"{block.title}: corrected mean",
        sentence=f"{block.title}: {found[:1].lower()}{found[1:]}",
        steps=lambda: _corrected_steps(audit, block),
        keys=(lambda: _used(audit, block.name)) if block.corrected.n else None,
        heading="labels that the corrected mean uses",
    )


def _corrected_steps(audit: Audit, block: MetricBlock) -> Sequence[Step]:
    return corrected_steps(block.corrected, audit.frame.table.metrics[block.name])


def verdict(audit: Audit, block: MetricBlock) -> Figure:
    """Give the sentence of the verdict with the mean gap behind it."""
    told = block.leaning.sentence.rstrip(".")
    found = block.judge_human
    name = "bias" if block.gaps.ordered else "percent"
    bias, counted = found.figure("bias"), found.figure(name)
    spoken = ends(bias).replace(" – ", " to ")
    inside = f"95 % {spoken}, n = {counted.n:,}" if spoken else f"n = {counted.n:,}"
    bare = bias.value is None or too_few(counted)
    detail = "" if bare else f" (mean gap {short(bias.value)}, {inside})"
    return Figure(
        title=f"{block.title}: mean gap",
        sentence=f"{told}{detail}.",
        steps=lambda: agreement_steps(audit.frame, block, "bias"),
        keys=lambda: behind(audit.pairs[block.name], name),
        heading="judge and people",
    )


def cell(audit: Audit, block: MetricBlock, place: tuple[int, int]) -> Figure | None:
    """Give a cell of the table of human against auto; None where it is empty."""
    table, (row, column) = block.confusion, place
    n = table.table[row][column]
    if not n:
        return None
    whole, of_judge = sum(map(sum, table.table)), sum(line[column] for line in table.table)
    human, auto = score_words(table.values[row]), score_words(table.values[column])
    pairs = audit.pairs[block.name]
    share, of_judges = in_percent(n / whole), in_percent(n / of_judge)
    said = f"{amount(n)} of {amount(whole)}"
    formula = f"{amount(n)} / {amount(whole)} = {share}; of the judge's {auto}: {of_judges}"
    return Figure(
        title=f"{block.title}: human {human}, auto {auto}",
        sentence=(
            f"On {block.title} people gave {human} where the judge gave {auto} in {said} "
            f"labelled responses ({share})."
        ),
        steps=lambda: (Step("Share", _SHARE, formula),),
        keys=lambda: pairs.keys[pairs.in_cell(row, column)],
        heading=f"human {human} · auto {auto}",
    )


_SHARE = (
    "Responses in the cell / all in the table; where several people labelled a response, each "
    "label has its part of it."
)


def _of_gaps(audit: Audit, block: MetricBlock, column: int) -> Figure:
    table = audit.frame.table.metrics[block.name]

    def rows() -> tuple[Flags, Flags]:
        known = table.both & np.isfinite(table.human.score)
        makes_gaps = audit.frame.inside(table) & ~audit.frame.left_out
        return table.has_auto, known & makes_gaps

    return _gap_figure(audit, block.gaps, block.title, column, rows)


def _gap_figure(
    audit: Audit, gaps: GapBlock, title: str, column: int, rows: Callable[[], tuple[Flags, Flags]]
) -> Figure:
    adjusted = column == ADJUSTED and gaps.shown_adjusted.value is not None
    every = column == AUTO or adjusted
    return Figure(
        title=f"{title[:1].upper()}{title[1:]}: {_TITLES[column]}",
        sentence=_gap_sentence(title, gaps, column),
        steps=lambda: gap_steps(gaps),
        keys=lambda: np.asarray(audit.frame.table.keys[rows()[0 if every else 1]]),
        heading="judged" if every else "labelled inside the window",
    )


_TITLES = {
    N: "labelled",
    AUTO: MEANS["auto_mean"],
    HUMAN: MEANS["human_mean"],
    BAND: MEANS["band"],
    ADJUSTED: MEANS["adjusted_mean"],
}


def _gap_sentence(title: str, gaps: GapBlock, column: int) -> str:
    n, band, adjusted = gaps.deviations.n_labelled, gaps.shown_band, gaps.shown_adjusted
    ends = f", {adjusted.mark}" if adjusted.mark else ""
    said = {
        N: f"{n:,} responses have an auto score and a label on {title} inside the window, "
        f"{gaps.n_blind:,} of them blind.",
        AUTO: f"The judge's mean {title} is {short(gaps.auto_mean)} (n = {gaps.n_auto:,}).",
        HUMAN: f"People's mean {title} is {short(gaps.human_mean)} inside the window (n = {n:,}).",
        BAND: f"The error band of {title} is {band.words(gap_words)} (n = {n:,}).",
        ADJUSTED: f"The adjusted mean {title} is {adjusted.words(short)}: the "
        f"judge's mean {short(gaps.auto_mean)} plus the band {band.words(gap_words)}{ends} "
        f"(n = {gaps.n_auto:,} judged, {n:,} labelled).",
    }
    lacking = {BAND: band, ADJUSTED: adjusted}.get(column)
    if lacking is not None and lacking.value is None:
        needed = lacking.words(short)
        return f"The {_TITLES[column]} of {title} is {needed}: {lacking.reason} (n = {n:,})."
    return said[column]


def _used(audit: Audit, metric: str) -> Ints:
    table = audit.frame.table
    return np.asarray(table.keys[metric_rows(table.metrics[metric])])


COLUMN_TIP = "Quadratic kappa; of categories kappa; without levels the mean distance."


def _title(name: str) -> str:
    return PAIR_TITLES.get(name, FIGURES[name].sign)


def usual(block: MetricBlock) -> str:
    """Name what suits the scale: a kappa, or the mean distance where there are no levels."""
    if block.gaps.ordered and not block.confusion.table:
        return "mae"
    return block.coefficient


def few_shared(one: LabelerPair) -> str:
    """Say how many shared labels an agreement needs, nothing where there are enough."""
    if one.n >= COEFFICIENTS_FROM:
        return ""
    return f"{one.n} of the {COEFFICIENTS_FROM} shared labels that an agreement needs"


def pair_cell(one: LabelerPair, name: str) -> Cell:
    """Make the cell of two people's agreement with its interval."""
    value, few = one.figures.get(name), few_shared(one)
    if value is None or few:
        why = few or one.undefined.get(name, "not defined here")
        return Cell(DASH, "muted", tip=upper_first(why))
    interval = one.intervals.get(name)
    ends = words.ends(interval.low, interval.high) if interval else ""
    below = ends or ("apart" if name == "mae" else "")
    tip = _title(name) + (f", 95 % {ends}" if ends else "")
    return Cell(short(value), tip=upper_first(tip), below=below)


def pair_sentence(one: LabelerPair, block: MetricBlock) -> str:
    """Say the agreement of two people in a sentence that stands alone."""
    about = f"{one.a} and {one.b} on {block.title}"
    few = few_shared(one)
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


def pair_figure(audit: Audit, one: LabelerPair) -> Figure:
    """Give the agreement of two people on a metric."""
    block = audit.document.metrics[one.metric]
    return Figure(
        title=f"{block.title}: {one.a} and {one.b}",
        sentence=pair_sentence(one, block),
        steps=lambda: _steps(audit, one, block),
        keys=lambda: _shared(audit.frame.table, one)[0],
        heading=f"labelled by {one.a} and {one.b}",
    )


def _apart(bias: float) -> str:
    if not round(bias, 2):
        return "as high on average"
    return f"{short(abs(bias))} {'higher' if bias > 0 else 'lower'} on average"


def _steps(audit: Audit, one: LabelerPair, block: MetricBlock) -> Sequence[Step]:
    few = few_shared(one)
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


SUITED: Final = ""
"""Stands for quadratic kappa on ordered scales and kappa on categories."""
CHOICES: Final[tuple[tuple[str, str], ...]] = (
    (SUITED, "kappa that suits the scale"),
    *(
        (x.name, f"percent {x.title}" if x.is_share else x.sign)
        for x in FIGURES.values()
        if x.meaning
    ),
)


def name_of(chosen: str, block: MetricBlock) -> str:
    """Give the figure's name in the catalogue for a choice and a metric."""
    return chosen or block.coefficient


def behind(columns: PairColumns, name: str) -> Ints:
    """Give the evaluations behind a figure, those with the largest gap first."""
    wanted = columns.in_table() if FIGURES[name].of_categories else columns.counted
    return np.asarray(columns.keys[columns.by_gap(wanted)])


def agreement_cell(found: Agreement, name: str) -> Cell:
    """Make the cell of a figure with interval and n; too few pairs give no coefficient."""
    figure = found.figure(name)
    few = too_few(figure)
    if figure.value is None or few:
        return Cell(DASH, "muted", tip=figure.reason or few)
    below = ends(figure)
    around, word = f"95 % {below}" if below else "", _convention(figure)
    told = [f"{figure.title}, n = {figure.n:,}", around, word, found.note or ""]
    return Cell(written(figure), tip="; ".join(x for x in told if x), below=below)


def _convention(figure: Statistic) -> str:
    """Give the usual word for a coefficient with its source, or say how many labels it takes."""
    word = f"{figure.word} in the words of Landis and Koch (1977)" if figure.word else ""
    return _missing(figure) or word


def _missing(figure: Statistic) -> str:
    return f"not enough labels: {figure.n} of {WORDS_FROM}" if figure.n < WORDS_FROM else ""


def agreement_sentence(block: MetricBlock, name: str) -> str:
    """Say a figure of judge and people in a sentence that stands alone."""
    figure = block.judge_human.figure(name)
    if figure.value is None:
        return f"{block.title}: {figure.title} is not defined: {figure.reason or ''}."
    few = too_few(figure)
    if few:
        return f"{block.title}: too few to tell {figure.title}, {few[:-1]} (n = {figure.n:,})."
    spoken, word = ends(figure).replace(" – ", " to "), _missing(figure)
    inside = f"95 % {spoken}, n = {figure.n:,}" if spoken else f"n = {figure.n:,}"
    said = f", {word}" if word else ""
    who = f"by {block.scorer}" if block.scorer else "the judge"
    return (
        f"{block.title}, {who} against people: {figure.title} {written(figure)} ({inside}){said}."
    )
