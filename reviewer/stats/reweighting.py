"""The judge as a classifier when labels were chosen: by verdict, by level, with any chance.

Labelling more of what the judge failed distorts the catch rate (verification bias, Begg and
Greenes 1983). Each labelled evaluation counts what it weighs before anything is computed, and
intervals come from draws of the table as it was drawn.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from reviewer.stats import coefficients as co
from reviewer.stats.catalogue import is_plain, table_draws
from reviewer.stats.coefficients import Floats, divided
from reviewer.stats.intervals import (
    APPROXIMATE_BELOW,
    Interval,
    IntervalPolicy,
    Statistic,
    Weights,
    at_least,
    containing,
    percentile_interval,
    share_of_groups,
)
from reviewer.stats.label_table import Judged, label_evidence
from reviewer.stats.pairs import Evidence, Labels
from reviewer.stats.passfail import PassFail, pass_fail
from reviewer.stats.values import Scale

NO_LABEL: Final = "needs a label among judge-{}"
VERDICTS: Final = Scale((0.0, 1.0))
_WEIGHTED: Final = ("percent", "catch_rate", "specificity", "f1", "balanced_accuracy", "mcc")
_PRIOR: Final = 0.5


def verdict_evidence(
    auto: NDArray[np.intp],
    human: NDArray[np.intp],
    weights: Weights | None = None,
    clusters: NDArray[np.int64] | None = None,
) -> Evidence:
    """Count verdicts of judge and people, 0 for a fail and 1 for a pass, columns of one length."""
    judge, people = auto.astype(np.float64), human.astype(np.float64)
    labels = Labels(np.arange(judge.size), people)
    judged = Judged(judge, people, labels, weights, clusters)
    return label_evidence(judged, VERDICTS, label_table="each")


def drawn_pass_fail(
    evidence: Evidence, judged: tuple[int, int], policy: IntervalPolicy, *, of_strata: bool
) -> PassFail:
    """Work out the judge as a classifier from verdicts that count what they weigh.

    Args:
        evidence: the verdicts.
        judged: of all judged evaluations, failed and passed.
        policy: level, seed and number of resamples.
        of_strata: whether labels were chosen by verdict or by level, so that a verdict without
            labels stands for nothing known.
    """
    counts = _counts(evidence)
    raw = pass_fail(counts.tolist(), policy.level)
    missing = _missing(counts, judged) if of_strata and counts.sum() else None
    if missing:
        gone: dict[str, Any] = dict.fromkeys(_WEIGHTED)
        return replace(
            raw,
            **gone,
            intervals={},
            undefined=dict.fromkeys(_WEIGHTED, missing)
            | {name: why for name, why in raw.undefined.items() if name not in _WEIGHTED},
        )
    if is_plain(evidence):
        return raw
    found = pass_fail(evidence.table.tolist(), policy.level)
    found = replace(found, n=raw.n, intervals=raw.intervals)
    return replace(found, intervals=_intervals(found, evidence, counts, policy))


def _counts(evidence: Evidence) -> Floats:
    """Count the verdicts without their weights."""
    answers = evidence.answers
    return evidence.table if answers is None else replace(answers, weights=None).table()


def _missing(counts: Floats, judged: tuple[int, int]) -> str | None:
    """Say which verdict has no label."""
    for column, word in enumerate(("fails", "passes")):
        if judged[column] and not counts[:, column].sum():
            return NO_LABEL.format(word)
    return None


def _intervals(
    found: PassFail, evidence: Evidence, counts: Floats, policy: IntervalPolicy
) -> Mapping[str, Interval]:
    """Draw the intervals of the rates that have enough labels for one."""
    statistics = {name: _RATES[name] for name in found.intervals}
    if evidence.conversations is None and evidence.weights is None:
        return found.intervals
    few = _groups(evidence, counts, "percent") < APPROXIMATE_BELOW
    rough = evidence.conversations is not None and few
    made: dict[str, Interval] = {}
    drawn = table_draws(evidence, statistics, policy, prior=_PRIOR)
    for name, (values, method) in drawn.items():
        value = getattr(found, name)
        one = percentile_interval(values, policy, method=method, approximate=rough)
        if one is not None and value is not None:
            groups = _groups(evidence, counts, name)
            made[name] = containing(share_of_groups(one, value, groups, policy.level), value)
    if evidence.conversations is None or not drawn:
        return made
    alone = replace(evidence, conversations=None)
    return at_least(made, _intervals(found, alone, counts, policy))


def _groups(evidence: Evidence, counts: Floats, name: str) -> int:
    """Count what is drawn for a rate: verdicts of its own class, or their conversations."""
    found = evidence.conversations
    if found is None:
        return int(counts.ravel()[list(_CLASSES[name])].sum())
    cells = found.table
    if evidence.answers is not None:
        own = 2 * evidence.answers.shares.argmax(axis=1) + evidence.answers.columns
        cells = np.where(cells >= 0, own[cells], -1)
    return len(np.unique(found.codes[np.isin(cells, _CLASSES[name])]))


_RATES: Final[dict[str, Statistic]] = {
    "percent": co.percent,
    "catch_rate": lambda stack: divided(stack[:, 0, 0], stack[:, 0].sum(axis=1)),
    "specificity": lambda stack: divided(stack[:, 1, 1], stack[:, 1].sum(axis=1)),
    "precision": lambda stack: divided(stack[:, 0, 0], stack[:, :, 0].sum(axis=1)),
    "npv": lambda stack: divided(stack[:, 1, 1], stack[:, :, 1].sum(axis=1)),
}
_CLASSES: Final = {
    "percent": (0, 1, 2, 3),
    "catch_rate": (0, 1),
    "specificity": (2, 3),
    "precision": (0, 2),
    "npv": (1, 3),
}
