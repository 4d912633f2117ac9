"""Which labelled evaluations count in agreement, what each weighs, and what is said of it."""

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.selection import Selection
from reviewer.services.figures.statistics_words import joined
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.stats.intervals import BY_LEVEL, Weights, weights_of
from reviewer.stats.pairs import places
from reviewer.stats.values import SelectionRule

BY_LEVELS = (
    "Labels were chosen by the judge's scores: each score counts by its share among all that the "
    "judge gave."
)
BY_VERDICT = (
    "Labels were chosen by the judge's scores: each verdict counts by its share among all judged."
)
BY_CHANCE = (
    "Evaluations were drawn with different chances: each counts 1 over the chance it was drawn "
    "with."
)
NO_LEVELS = (
    "Labels were chosen by the judge's scores, which have no levels here: the figures are not "
    "weighted and may differ from those of all evaluations."
)
WORDLESS = "evaluations that somebody chose count beside those that chance drew"
MIXED = (
    "Evaluations that somebody chose count beside those that chance drew, and not all have a "
    "probability: all count 1, and nothing is put in words."
)


def counted_rows(whole: FigureTable, table: MetricTable, selection: SelectionRule) -> Ints:
    """Give the evaluations with auto score and labels that count, whatever their date."""
    return np.flatnonzero(table.both & ~whole.selection.left_out(selection))


def weights_at(
    whole: FigureTable, table: MetricTable, rows: Ints, selection: SelectionRule
) -> Weights | None:
    """Give what each of some evaluations counts on a metric; None where all count 1."""
    chances = whole.selection.at(rows).chances(selection)
    if chances is None:
        return None
    scale = scale_of(table.metric)
    if scale is None:
        return weights_of(chances, None, None)
    judged = None
    if (chances.worth == BY_LEVEL).any():
        judged = judged_levels(table.metric, table.auto)
    return weights_of(chances, places(table.auto[rows], scale)[0], judged)


def judged_levels(metric: Metric, auto: Floats) -> Floats | None:
    """Count all auto scores by their nearest level; None for a scale without levels."""
    scale = scale_of(metric)
    if scale is None:
        return None
    place, _ = places(auto[np.isfinite(auto)], scale)
    return np.bincount(place, minlength=len(scale.values)).astype(np.float64)


def chosen_notes(
    whole: FigureTable, table: MetricTable, selection: SelectionRule
) -> list[str | None]:
    """Say how the labelled evaluations of a metric were chosen, and what that makes of them."""
    rows = counted_rows(whole, table, selection)
    n_left = int(np.count_nonzero(table.both)) - rows.size
    return [
        selection_note(whole.selection.at(rows), n_left, selection),
        weights_note(whole, table, rows, selection),
    ]


def selection_note(found: Selection, n_left: int, selection: SelectionRule) -> str | None:
    """Say how labelled evaluations were chosen, where that is not by chance.

    Args:
        found: Those that count.
        n_left: How many are left out.
        selection: Which are asked for.
    """
    if n_left:
        return left_out_note(n_left)
    if found.is_mixed(selection):
        return MIXED
    chosen = int(found.chosen.sum())
    return none_drawn_note(chosen) if chosen and not found.has_drawn else None


def left_out_note(n: int) -> str:
    """Say how many evaluations do not count, since somebody chose them."""
    how = "by browsing, by searching or where opinions differ"
    return f"Left out, as somebody chose them {how}: {n:,}."


def none_drawn_note(n: int) -> str:
    """Say that evaluations count which somebody chose, as chance drew none."""
    said = counted(n, "labelled evaluation was", "labelled evaluations were")
    return (
        f"No evaluation was drawn by chance: {said} chosen by browsing, by searching or where "
        "opinions differ, so that the figures may not hold for the others."
    )


def weights_note(
    whole: FigureTable, table: MetricTable, rows: Ints, selection: SelectionRule
) -> str | None:
    """Say how the labels of a metric were weighted, None where they count alike."""
    chances = whole.selection.at(rows).chances(selection)
    if chances is None:
        return None
    metric, by_level = table.metric, chances.worth == BY_LEVEL
    scale, judged = scale_of(metric), judged_levels(metric, table.auto)
    if by_level.any() and scale is None:
        return NO_LEVELS
    said: str | None = BY_LEVELS if by_level.all() else BY_CHANCE
    if weights_at(whole, table, rows, selection) is None:
        said = None
    if scale is None or judged is None or not chances.of_strata:
        return said
    labelled = np.bincount(places(table.auto[rows], scale)[0], minlength=judged.size)
    bare = np.flatnonzero((labelled == 0) & (judged > 0)).tolist()
    named = ", ".join(str(scale_values(metric)[at]) for at in bare)
    nowhere = f"Nothing is known yet where the judge gave {named}." if named else None
    return joined(said, nowhere)
