"""The figures of a metric as somebody takes them away: sentence, formula, responses."""

from collections.abc import Callable, Sequence

import numpy as np

from reviewer.domain.wording import amount, gap_words, in_percent, score_words, short
from reviewer.gui.audit import statistic, words
from reviewer.gui.figures.figure_menu import Figure
from reviewer.services.audits.auditing import Audit
from reviewer.services.explaining.explanations_agreement import (
    agreement_steps,
    corrected_steps,
    gap_steps,
)
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.human_columns import Flags, Ints
from reviewer.services.figures.statistics_blocks import MEANS, GapBlock, MetricBlock
from reviewer.services.figures.statistics_corrected import metric_rows
from reviewer.services.figures.statistics_gaps import overall_rows
from reviewer.services.figures.statistics_words import ends, too_few

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
        return agreement(audit, block, statistic.name_of(chosen, block))
    if column == CORRECTED:
        return corrected(audit, block)
    return _of_gaps(audit, block, column)


def agreement(audit: Audit, block: MetricBlock, name: str) -> Figure:
    """Give a figure of judge and people."""
    told = block.judge_human.figure(name)
    few = too_few(told)
    return Figure(
        title=f"{block.title}: {told.title}",
        sentence=statistic.sentence(block, name),
        steps=lambda: (
            (Step(told.title, few),) if few else agreement_steps(audit.frame, block, name)
        ),
        keys=lambda: statistic.counted(audit.pairs[block.name], name),
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
        keys=lambda: statistic.counted(audit.pairs[block.name], name),
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
