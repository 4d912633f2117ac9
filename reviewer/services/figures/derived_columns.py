"""Values that follow from other metrics: a metric's own where it has none, and the overall."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from reviewer.services.figures.human_columns import NOBODY, Flags, Floats, HumanColumns, Ints
from reviewer.services.figures.human_scores import Choice
from reviewer.services.project.figure_rules import Derivation
from reviewer.stats.overall_columns import OverallColumns, weighted_means
from reviewer.stats.satisfaction import OverallRule, Part


def combined(derivation: Derivation, columns: Sequence[Floats], rule: OverallRule) -> Floats:
    """Work out a derived value from those of its parts, NaN where it cannot be known."""
    match derivation.way:
        case "min":
            return np.asarray(np.minimum.reduce(columns))
        case "max":
            return np.asarray(np.maximum.reduce(columns))
        case "mean":
            return np.asarray(np.add.reduce(columns) / len(columns))
        case "weighted_mean":
            named = dict(zip(derivation.parts, columns, strict=True))
            weighted = tuple(part for part in rule.parts if part.name in named)
            return weighted_means(named, replace(rule, parts=weighted), columns[0].size)


def from_parts(
    own: HumanColumns, parts: Sequence[HumanColumns], derivation: Derivation, rule: OverallRule
) -> tuple[HumanColumns, Flags]:
    """Put what follows from labels of other metrics where nobody labelled the metric itself.

    Returns:
        The human side with it, and where it stands: only where every part is labelled.
    """
    every = replace(rule, missing="null")
    score = combined(derivation, [x.score for x in parts], every)
    most = combined(derivation, [x.majority for x in parts], every)
    made = np.asarray((own.count == 0) & np.isfinite(score))
    blind = np.logical_and.reduce([x.all_blind for x in parts])
    drawn = np.fmin.reduce([x.probability for x in parts])
    return HumanColumns(
        score=np.where(made, score, own.score),
        majority=np.where(made, most, own.majority),
        all_blind=np.where(made, blind, own.all_blind),
        count=np.where(made, np.minimum.reduce([x.count for x in parts]), own.count),
        chosen=np.where(made, np.minimum.reduce([x.chosen for x in parts]), own.chosen),
        probability=np.where(made, drawn, own.probability),
        times=np.where(made, np.maximum.reduce([x.times for x in parts]), own.times),
        undecided=np.where(made, np.nan, own.undecided),
        given=own.given.with_made(made, score),
    ), made


def overall_side(
    found: OverallColumns, counts: Flags, humans: Mapping[str, HumanColumns], rule: OverallRule
) -> HumanColumns:
    """Give the human side of the overall on the evaluations whose gap counts."""
    labelled = [humans[part.name] for part in rule.parts]
    # a part that nobody labelled says nothing of how the others were chosen
    chosen = reduce(np.minimum, (np.where(x.count > 0, x.chosen, _NOT_ASKED) for x in labelled))
    drawn = np.fmin.reduce([np.where(x.count > 0, x.probability, np.nan) for x in labelled])
    score = np.where(counts, found.human, np.nan)
    return HumanColumns(
        score=score,
        majority=score,
        all_blind=counts & all_blind(humans, rule.parts),
        count=counts.astype(np.int32),
        chosen=np.where(counts, chosen, np.int8(Choice.CONVENIENCE)).astype(np.int8),
        probability=np.where(counts, drawn, np.nan),
        times=label_times(humans, rule.parts),
        undecided=np.full_like(score, np.nan),
        given=NOBODY.given.with_made(counts, score),
    )


_NOT_ASKED = np.int8(max(Choice))


def label_times(humans: Mapping[str, HumanColumns], parts: Sequence[Part]) -> Ints:
    """Give when each evaluation's newest label on some metrics was given."""
    return reduce(np.maximum, (humans[part.name].times for part in parts))


def all_blind(humans: Mapping[str, HumanColumns], parts: Sequence[Part]) -> Flags:
    """Tell where no counted label on some metrics is known to have been given with sight."""
    blind = np.ones(humans[parts[0].name].count.size, dtype=np.bool_)
    for part in parts:
        one = humans[part.name]
        blind &= (one.count == 0) | one.all_blind
    return blind
