"""Weights of labels that were chosen by the judge's score: each level counts by its share.

Labelling more of one level than of another distorts every coefficient (verification bias, Begg
and Greenes 1983). A level nobody labelled stands for nothing; the others share its place.
"""

from dataclasses import replace

import numpy as np

from reviewer.stats.coefficients import Floats
from reviewer.stats.intervals import Levels
from reviewer.stats.pairs import Evidence, Pairs, places


def is_by_level(by_level: int, unknown: int) -> bool:
    """Tell whether labels need weights: some were chosen by level, and no more in unknown ways.

    Args:
        by_level: evaluations labelled because of the judge's score.
        unknown: evaluations met by browsing, or nobody knows how.
    """
    return by_level > 0 and by_level >= unknown


def level_weights(labelled: Floats, judged: Floats) -> Floats:
    """Give what a label of each level counts; together the labels count as many as they are.

    Args:
        labelled: shape (k,), labels of each level.
        judged: shape (k,), of all judged evaluations, how many have each level.
    """
    there = np.where(labelled > 0, judged, 0.0)
    if not there.sum():
        return np.ones(len(judged))
    shares = np.divide(there, labelled, out=np.zeros(len(judged)), where=labelled > 0)
    weights: Floats = shares * labelled.sum() / there.sum()
    return weights


def table_levels(evidence: Evidence) -> Levels | None:
    """Give the levels of a table's cells, None where labels count alike."""
    if evidence.judged is None:
        return None
    k = len(evidence.judged)
    return Levels(
        np.tile(np.arange(k, dtype=np.intp), k),
        level_weights(evidence.table.sum(axis=0), evidence.judged),
    )


def pair_levels(evidence: Evidence) -> Levels | None:
    """Give the levels of exact pairs, None where labels count alike."""
    if evidence.judged is None or evidence.scale is None:
        return None
    pairs = evidence.exact()
    place, _ = places(pairs.auto, evidence.scale)
    labelled = np.bincount(place, pairs.counts, len(evidence.judged)).astype(np.float64)
    return Levels(place, level_weights(labelled, evidence.judged))


def weighted(evidence: Evidence) -> Evidence:
    """Give the evidence as it would be on all judged evaluations; the totals stay."""
    levels, single = table_levels(evidence), pair_levels(evidence)
    if levels is None or single is None:
        return evidence
    table = levels.of(evidence.table.ravel()).reshape(evidence.table.shape)
    pairs = evidence.pairs
    if pairs is not None:
        pairs = Pairs(pairs.auto, pairs.human, single.of(pairs.counts))
    return replace(evidence, table=table, pairs=pairs, judged=None)
