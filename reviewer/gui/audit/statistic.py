"""The statistics of agreement that a lead can choose from, and how one is written in a cell."""

from typing import Final

import numpy as np

from reviewer.gui.audit import words
from reviewer.gui.kit.grid import Cell
from reviewer.services.audits.auditing import PairColumns
from reviewer.services.explaining.explanations_agreement import TITLES
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_words import wording
from reviewer.stats.agreement import Agreement
from reviewer.stats.words import COEFFICIENTS_FROM, WORDS_FROM

SUITED: Final = ""
"""Stands for quadratic kappa on ordered scales and kappa on categories."""
CHOICES: Final[tuple[tuple[str, str], ...]] = (
    (SUITED, "κ that suits the scale"),
    ("percent", "percent the same"),
    ("within_one", "percent within one"),
    ("kappa", "κ"),
    ("kappa_linear", "κ linear"),
    ("kappa_quadratic", "κ quadratic"),
    ("ac1", "AC1"),
    ("ac2", "AC2"),
    ("alpha_nominal", "alpha nominal"),
    ("alpha_ordinal", "alpha ordinal"),
    ("alpha_interval", "alpha interval"),
    ("icc", "ICC"),
    ("pearson", "Pearson"),
    ("spearman", "Spearman"),
    ("kendall_b", "Kendall"),
    ("mae", "mean absolute gap"),
    ("bias", "mean gap"),
)
SHARES = ("percent", "within_one")
WORSE_HIGHER = ("mae",)
_EXACT = ("alpha_interval", "icc", "pearson", "spearman", "kendall_b", "mae", "bias")


def name_of(chosen: str, block: MetricBlock) -> str:
    """Give the figure's name in `Agreement` for a choice and a metric."""
    return chosen or words.coefficient(block)[0]


def pairs(found: Agreement, name: str) -> int:
    """Count the pairs behind a figure."""
    return found.n if name in _EXACT else found.n_table


def counted(columns: PairColumns, name: str) -> Ints:
    """Give the evaluations behind a figure, those with the largest gap first."""
    wanted = columns.counted if name in _EXACT else columns.in_table()
    return np.asarray(columns.keys[columns.by_gap(wanted)])


def written(name: str, value: float | None) -> str:
    """Write a figure: shares as percent, the others with two decimals."""
    if value is not None and name in SHARES:
        return f"{value * 100:.1f} %"
    return words.two(value)


def interval(found: Agreement, name: str) -> str:
    """Write the interval of a figure, nothing where there is none."""
    one = found.intervals.get(name)
    if one is None:
        return ""
    if name in SHARES:
        return f"{one.low * 100:.0f} – {one.high * 100:.0f} %"
    return words.ends(one.low, one.high)


def too_few(found: Agreement, name: str) -> str:
    """Say how many pairs a figure needs, nothing where there are enough."""
    n = pairs(found, name)
    if n >= COEFFICIENTS_FROM:
        return ""
    return f"{n} of the {COEFFICIENTS_FROM} pairs that a coefficient needs."


def cell(found: Agreement, name: str) -> Cell:
    """Make the cell of a figure with interval and n; too few pairs give no coefficient."""
    value, n, few = getattr(found, name), pairs(found, name), too_few(found, name)
    if value is None or few:
        return Cell(words.DASH, "muted", tip=found.undefined.get(name, few))
    ends, word = interval(found, name), lower_bound_word(found, name)
    told = [f"{TITLES[name]}, n = {n:,}", f"95 % {ends}" if ends else "", word, found.note or ""]
    return Cell(written(name, value), tip="; ".join(x for x in told if x), below=ends)


def lower_bound_word(found: Agreement, name: str) -> str:
    """Word a coefficient by its lower bound, or say how many labels that takes."""
    n = pairs(found, name)
    if n < WORDS_FROM:
        return f"not enough labels: {n} of {WORDS_FROM}"
    return wording(found, name)


def sentence(block: MetricBlock, name: str) -> str:
    """Say a figure of judge and people in a sentence that stands alone."""
    found, n = block.judge_human, pairs(block.judge_human, name)
    value = getattr(found, name)
    if value is None:
        return f"{block.title}: {TITLES[name]} is not defined: {found.undefined.get(name, '')}."
    few = too_few(found, name)
    if few:
        return f"{block.title}: too few to tell {TITLES[name]}, {few[:-1]} (n = {n:,})."
    ends = interval(found, name)
    inside = f"95 % {ends.replace(' – ', ' to ')}, n = {n:,}" if ends else f"n = {n:,}"
    word = lower_bound_word(found, name)
    said = f", {word}" if word else ""
    who = f"by {block.scorer}" if block.scorer else "the judge"
    return (
        f"{block.title}, {who} against people: {TITLES[name]} {written(name, value)} "
        f"({inside}){said}."
    )
