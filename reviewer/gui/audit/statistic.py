"""The statistics of agreement that a lead can choose from, and how one is written in a cell."""

from typing import Final

import numpy as np

from reviewer.domain.wording import DASH
from reviewer.gui.kit.grid import Cell
from reviewer.services.audits.auditing import PairColumns
from reviewer.services.figures.human_columns import Ints
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_words import ends, too_few, written
from reviewer.stats.agreement import Agreement
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.figure import WORDS_FROM, Figure

SUITED: Final = ""
"""Stands for quadratic kappa on ordered scales and kappa on categories."""
CHOICES: Final[tuple[tuple[str, str], ...]] = (
    (SUITED, "κ that suits the scale"),
    *(
        (x.name, f"percent {x.title}" if x.is_share else x.sign)
        for x in FIGURES.values()
        if x.meaning
    ),
)


def name_of(chosen: str, block: MetricBlock) -> str:
    """Give the figure's name in the catalogue for a choice and a metric."""
    return chosen or block.coefficient


def counted(columns: PairColumns, name: str) -> Ints:
    """Give the evaluations behind a figure, those with the largest gap first."""
    wanted = columns.in_table() if FIGURES[name].of_categories else columns.counted
    return np.asarray(columns.keys[columns.by_gap(wanted)])


def cell(found: Agreement, name: str) -> Cell:
    """Make the cell of a figure with interval and n; too few pairs give no coefficient."""
    figure = found.figure(name)
    few = too_few(figure)
    if figure.value is None or few:
        return Cell(DASH, "muted", tip=figure.reason or few)
    below = ends(figure)
    around, word = f"95 % {below}" if below else "", lower_bound_word(figure)
    told = [f"{figure.title}, n = {figure.n:,}", around, word, found.note or ""]
    return Cell(written(figure), tip="; ".join(x for x in told if x), below=below)


def lower_bound_word(figure: Figure) -> str:
    """Word a coefficient by its lower bound, or say how many labels that takes."""
    if figure.n < WORDS_FROM:
        return f"not enough labels: {figure.n} of {WORDS_FROM}"
    return figure.word


def sentence(block: MetricBlock, name: str) -> str:
    """Say a figure of judge and people in a sentence that stands alone."""
    figure = block.judge_human.figure(name)
    if figure.value is None:
        return f"{block.title}: {figure.title} is not defined: {figure.reason or ''}."
    few = too_few(figure)
    if few:
        return f"{block.title}: too few to tell {figure.title}, {few[:-1]} (n = {figure.n:,})."
    spoken, word = ends(figure).replace(" – ", " to "), lower_bound_word(figure)
    inside = f"95 % {spoken}, n = {figure.n:,}" if spoken else f"n = {figure.n:,}"
    said = f", {word}" if word else ""
    who = f"by {block.scorer}" if block.scorer else "the judge"
    return (
        f"{block.title}, {who} against people: {figure.title} {written(figure)} ({inside}){said}."
    )
