"""The human score of one metric of one evaluation, from the entries that count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.services.project.figure_rules import Derivation, derive
from reviewer.stats.satisfaction import OverallRule
from reviewer.stats.values import Combine, HumanRule, combine_labels, majority
from reviewer.store.figures import UNDATED


class Choice(IntEnum):
    """How an evaluation came to be labelled, the best way last.

    Only what is above `UNKNOWN` can stand for others; what was met in several ways counts as the
    plainest draw.
    """

    CONVENIENCE = -1
    UNKNOWN = 0
    ACTIVE = 1
    STRATUM = 2
    RANDOM = 3


_KNOWN = {
    "random": Choice.RANDOM,
    "stratum": Choice.STRATUM,
    "browse": Choice.CONVENIENCE,
    "search": Choice.CONVENIENCE,
    "disputed": Choice.CONVENIENCE,
}


def choice_of(reason: str | None, probability: float | None) -> Choice:
    """Read a label's `selection_reason` and `selection_prob`."""
    if reason == "active":
        return Choice.ACTIVE if probability else Choice.UNKNOWN
    return _KNOWN.get(reason or "", Choice.UNKNOWN)


def way_of(reason: str | None, probability: float | None) -> Choice:
    """Read the same for agreement, where uncertainty without a probability is a choice too."""
    found = choice_of(reason, probability)
    return Choice.CONVENIENCE if reason == "active" and found == Choice.UNKNOWN else found


class Entry(NamedTuple):
    """One person's current label or decision, as a number (categories: the place on the scale)."""

    value: float
    decided: bool
    time: int
    order: int
    chosen: Choice = Choice.UNKNOWN


def counted_labels(entries: Sequence[Entry], how: HumanRule) -> tuple[float, ...]:
    """Give the values that count in the table of judge and people; a decision stands alone."""
    ordered = sorted(entries, key=lambda x: (x.decided, x.time, x.order))
    if not ordered:
        return ()
    if ordered[-1].decided or how == "latest":
        return (ordered[-1].value,)
    return tuple(x.value for x in ordered)


@dataclass(frozen=True, slots=True)
class HumanScore:
    """What people say of one metric of one evaluation.

    Attributes:
        score: The latest decision, else the mean of the labels; categories: as `majority`.
        majority: The decision, else the label most people gave; None where several tie.
        derived: Whether it was worked out from other metrics.
        chosen: The best-known way in which the evaluation was chosen.
        time: When the newest entry behind it was given, or `figures.UNDATED`.
        parts: The single values behind it; a decision stands alone.
        decided: Whether it is a decision.
    """

    score: float
    majority: float | None
    derived: bool = False
    chosen: Choice = Choice.UNKNOWN
    time: int = UNDATED
    parts: tuple[float, ...] = ()
    decided: bool = False


def number_of(metric: Metric, value: Value) -> float | None:
    """Give a value as a number, a category by its place on the scale, None off it."""
    return metric.kind.number_of(value)


Moment = tuple[int, int, float]
"""When an entry was given, when it arrived, and what it says."""


def standing(
    decisions: Sequence[Moment], labels: Sequence[Moment], how: Combine, *, named: bool
) -> float | None:
    """Give the latest decision, else what the labels say together; `named` where they are names.

    None where nobody counts, and where several names were given equally often.
    """
    if decisions:
        return max(decisions)[2]
    values = [value for _, _, value in (sorted(labels) if how == "latest" else labels)]
    return majority(values) if named else combine_labels(values, how)


def human_score(
    metric: Metric, entries: Sequence[Entry], how: Combine, settled: float | None = None
) -> HumanScore | None:
    """Combine the entries of one metric, oldest arrival first; None where nobody counts.

    Of categories without a majority there is no score either. `settled` is what a consensus of all
    evaluations says of this one: it stands above the labels, and below a decision.
    """
    if not entries:
        return None
    chosen = max(x.chosen for x in entries)
    decisions = [(x.time, x.order, x.value) for x in entries if x.decided]
    labels = [(x.time, x.order, x.value) for x in entries if not x.decided]
    score = standing(decisions, labels, how, named=not metric.is_numeric)
    if decisions and score is not None:
        return HumanScore(
            score, score, chosen=chosen, time=max(decisions)[0], parts=(score,), decided=True
        )
    ordered = sorted(labels) if how == "latest" else labels
    values = tuple(value for _, _, value in ordered)
    most = majority(values)
    if settled is not None:
        score = most = settled
    if score is None:
        return None
    return HumanScore(score, most, chosen=chosen, time=max(labels)[0], parts=values)


def with_derived(
    found: Mapping[str, HumanScore], derivations: Mapping[str, Derivation], rule: OverallRule
) -> dict[str, HumanScore]:
    """Add the scores that follow from others, where all parts are labelled and no own one is."""
    made = dict(found)
    for name, derivation in derivations.items():
        if name in made or not all(part in made for part in derivation.parts):
            continue
        parts = [made[part] for part in derivation.parts]
        score = derive(derivation, {p: made[p].score for p in derivation.parts}, rule)
        if score is not None:
            most = {p: x.majority for p, x in zip(derivation.parts, parts, strict=True)}
            known = {p: x for p, x in most.items() if x is not None}
            middle = derive(derivation, known, rule) if len(known) == len(parts) else None
            chosen = min(x.chosen for x in parts)
            made[name] = HumanScore(
                score, middle, derived=True, chosen=chosen, time=max(x.time for x in parts)
            )
    return made
