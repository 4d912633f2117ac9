"""Whether labels were chosen by the judge's scores, and what then stands beside each figure."""

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.rubric import Metric
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.human_scores import Choice
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.stats.levels import is_by_level
from reviewer.stats.pairs import Evidence, places

BY_LEVEL = (
    "Labels were chosen by the judge's scores: each score counts by its share among all that the "
    "judge gave."
)
BY_VERDICT = (
    "Labels were chosen by the judge's scores: each verdict counts by its share among all judged."
)
NO_LEVELS = (
    "Labels were chosen by the judge's scores, which have no levels here: the figures are not "
    "weighted and may differ from those of all evaluations."
)


def signs(chosen: NDArray[np.int8]) -> NDArray[np.int8]:
    """Give 1 where the judge's score led to the label, 0 for chance, -1 where nothing is known."""
    by_level = (chosen == Choice.STRATUM) | (chosen == Choice.ACTIVE)
    return np.where(by_level, 1, np.where(chosen == Choice.RANDOM, 0, -1)).astype(np.int8)


def sign_of(chosen: Choice) -> int:
    """Give the sign of one way of choosing."""
    return int(signs(np.array([chosen], dtype=np.int8))[0])


def chosen_by_level(chosen: NDArray[np.int8]) -> bool:
    """Tell whether labels must be weighted by the judge's scores."""
    found = signs(chosen)
    return is_by_level(int((found == 1).sum()), int((found == -1).sum()))


def judged_levels(metric: Metric, auto: Floats) -> Floats | None:
    """Count all auto scores by their nearest level; None for a scale without levels."""
    scale = scale_of(metric)
    if scale is None:
        return None
    place, _ = places(auto[np.isfinite(auto)], scale)
    return np.bincount(place, minlength=len(scale.values)).astype(np.float64)


def level_note(table: MetricTable, evidence: Evidence) -> str | None:
    """Say how the labels of a metric were weighted, None where they count alike."""
    if evidence.judged is None:
        paired = table.paired[np.isfinite(table.human.score[table.paired])]
        return NO_LEVELS if chosen_by_level(table.human.chosen[paired]) else None
    bare = (evidence.table.sum(axis=0) == 0) & (evidence.judged > 0)
    named = [str(scale_values(table.metric)[at]) for at in np.flatnonzero(bare).tolist()]
    if not named:
        return BY_LEVEL
    return f"{BY_LEVEL} Nothing is known yet where the judge gave {', '.join(named)}."
