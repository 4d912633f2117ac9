"""Lists of responses on which families of metrics contradict each other, and their thresholds."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.project.session import Session
from reviewer.stats.intervals import INTERVALS_FROM, Interval, wilson
from reviewer.store.project import Project

SETTING: Final = "family_thresholds"
SHORT: Final = 5.0
SLOW: Final = 95.0
NO_SCORE: Final = "no evaluation has a score of {}"
NO_METRIC: Final = "the rubric has no metric {}"
Side = Literal["at_least", "at_most", "below", "above"]
SIGNS: Final[dict[Side, str]] = {"at_least": "≥", "at_most": "≤", "below": "<", "above": ">"}
DECIMALS: Final = 9
UNIT: Final = (0.0, 1.0)
"""The scale of a metric without bounds."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One part of a rule: any of the metrics lies on a side of a threshold.

    The threshold is one on the scale of the first metric that the rubric has; metrics of other
    scales are held to the same place on theirs.

    Attributes:
        unit: The default threshold, as a share of the scale; a percentile for `below` and `above`.
    """

    metrics: tuple[str, ...]
    side: Side
    unit: float

    @property
    def is_percentile(self) -> bool:
        """Tell whether the threshold is a percentile of the scope's own values."""
        return self.side in ("below", "above")


@dataclass(frozen=True, slots=True)
class Rule:
    """A list of responses on which families contradict each other; all conditions hold."""

    name: str
    title: str
    meaning: str
    conditions: tuple[Condition, ...]

    def named(self, *sides: Side) -> str | None:
        """Name the metrics that lie on one of some sides, None where none does."""
        found = [" or ".join(x.metrics) for x in self.conditions if x.side in sides]
        return ", ".join(found) or None


RULES: Final = (
    Rule(
        "paraphrase",
        "Paraphrase",
        "Said in other words: no exact match, yet the judge finds it relevant.",
        (
            Condition(("exact_match",), "at_most", 0.0),
            Condition(("relevance",), "at_least", 0.75),
        ),
    ),
    Rule(
        "words_without_sense",
        "Words without sense",
        "The expected words are there, but the judge finds it beside the point or untrue.",
        (
            Condition(("keyword_recall",), "at_least", 0.8),
            Condition(("relevance", "faithfulness"), "at_most", 0.25),
        ),
    ),
    Rule(
        "curt",
        "Curt or cut off",
        "Shorter than nearly all others.",
        (Condition(("answer_length",), "below", SHORT),),
    ),
    Rule(
        "polite_but_wrong",
        "Polite but wrong",
        "Friendly words, and the judge finds it beside the point.",
        (
            Condition(("politeness",), "at_least", 0.5),
            Condition(("relevance",), "at_most", 0.25),
        ),
    ),
    Rule(
        "good_but_slow",
        "Good but slow",
        "Relevant, and slower than nearly all others.",
        (Condition(("latency",), "above", SLOW), Condition(("relevance",), "at_least", 0.75)),
    ),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """One threshold as it stands in a project.

    Attributes:
        key: What it is kept under.
        words: What it is compared with, such as "Relevance ≥".
        cut: The value that a percentile stands for in this scope.
    """

    key: str
    words: str
    value: float
    default: float
    low: float
    high: float
    unit: str = ""
    cut: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What a rule finds in a scope.

    Attributes:
        n: Evaluations that have every value the rule needs.
        keys: Those it holds for.
        reason: Why it cannot be applied.
    """

    rule: Rule
    thresholds: tuple[Threshold, ...]
    n: int
    keys: Ints
    interval: Interval | None = None
    reason: str | None = None

    @property
    def share(self) -> float | None:
        """Give the share of evaluations that it holds for."""
        return self.keys.size / self.n if self.n else None


def find(
    table: FigureTable, changed: Mapping[str, float], level: float = 0.95
) -> tuple[Found, ...]:
    """Apply every rule with the default thresholds and those that were changed."""
    return tuple(_apply(table, rule, changed, level) for rule in RULES)


def _apply(table: FigureTable, rule: Rule, changed: Mapping[str, float], level: float) -> Found:
    nobody = np.zeros(0, dtype=np.int64)
    why = _missing(table, rule)
    thresholds = tuple(_threshold(table, rule, at, changed) for at in range(len(rule.conditions)))
    if why is not None:
        return Found(rule, thresholds, 0, nobody, reason=why)
    known = np.ones(table.keys.size, dtype=np.bool_)
    holds = known.copy()
    for condition, threshold in zip(rule.conditions, thresholds, strict=True):
        there, hit = _compared(table, condition, threshold)
        known &= there
        holds &= hit
    holds &= known
    n = int(known.sum())
    if not n:
        return Found(rule, thresholds, 0, nobody, reason="no evaluation has all of its scores")
    share = wilson(int(holds.sum()), n, level) if n >= INTERVALS_FROM else None
    return Found(rule, thresholds, n, table.keys[holds], share)


def _missing(table: FigureTable, rule: Rule) -> str | None:
    """Say what a rule lacks; of alternatives one is enough."""
    for condition in rule.conditions:
        there = [table.metrics[name] for name in condition.metrics if name in table.metrics]
        if not there:
            return NO_METRIC.format(" or ".join(condition.metrics))
        if not any(one.has_auto.any() for one in there):
            return NO_SCORE.format(" or ".join(one.metric.heading for one in there))
    return None


def _threshold(
    table: FigureTable, rule: Rule, place: int, changed: Mapping[str, float]
) -> Threshold:
    condition = rule.conditions[place]
    there = [table.metrics[name] for name in condition.metrics if name in table.metrics]
    key = f"{rule.name}.{condition.metrics[0]}"
    titles = [one.metric.heading for one in there] or [
        name.replace("_", " ").capitalize() for name in condition.metrics
    ]
    between = " or " if len({_bounds(one) for one in there}) < 2 else " or, on its own scale, "
    words = f"{between.join(titles)} {SIGNS[condition.side]}"
    if condition.is_percentile:
        value = changed.get(key, condition.unit)
        known = there[0].auto[there[0].has_auto] if there else np.zeros(0)
        cut = float(np.percentile(known, value)) if known.size else None
        unit = there[0].metric.unit or "" if there else ""
        return Threshold(key, words, value, condition.unit, 0.0, 100.0, unit, cut)
    low, high = _bounds(there[0]) if there else UNIT
    default = round(low + condition.unit * (high - low), DECIMALS)
    return Threshold(key, words, changed.get(key, default), default, low, high)


def _compared(
    table: FigureTable, condition: Condition, threshold: Threshold
) -> tuple[Flags, Flags]:
    """Tell where a condition is known, and where it holds; alternatives need one value."""
    there = np.zeros(table.keys.size, dtype=np.bool_)
    hit = there.copy()
    mark = threshold.value if threshold.cut is None else threshold.cut
    for name in condition.metrics:
        if name not in table.metrics:
            continue
        values = np.round(table.metrics[name].auto, DECIMALS)
        known = np.isfinite(values)
        there |= known
        own = mark
        if not condition.is_percentile:
            own = _carried(mark, (threshold.low, threshold.high), _bounds(table.metrics[name]))
        hit |= known & _holds(values, condition.side, round(own, DECIMALS))
    return there, hit


def _bounds(table: MetricTable) -> tuple[float, float]:
    return table.metric.bounds or UNIT


def _carried(mark: float, scale: tuple[float, float], to: tuple[float, float]) -> float:
    """Give the place on another scale that a mark has on its own."""
    if scale == to or scale[0] == scale[1]:
        return mark
    share = (mark - scale[0]) / (scale[1] - scale[0])
    return to[0] + share * (to[1] - to[0])


def _holds(values: Floats, side: Side, mark: float) -> Flags:
    match side:
        case "at_least":
            return np.asarray(values >= mark)
        case "at_most":
            return np.asarray(values <= mark)
        case "below":
            return np.asarray(values < mark)
        case "above":
            return np.asarray(values > mark)


def kept(project: Project) -> dict[str, float]:
    """Give the thresholds that were changed in a project; what cannot be read is left out."""
    try:
        found = json.loads(project.setting(SETTING, "{}"))
    except ValueError:
        return {}
    if not isinstance(found, dict):
        return {}
    known = {f"{rule.name}.{x.metrics[0]}" for rule in RULES for x in rule.conditions}
    return {
        key: float(value)
        for key, value in found.items()
        if key in known and isinstance(value, int | float) and math.isfinite(value)
    }


def keep(session: Session, threshold: Threshold, value: float) -> None:
    """Keep another value of a threshold in the project; its default is forgotten instead.

    Raises:
        ReviewerError: The value lies outside of the scale.
        ProjectError: The file cannot be written.
    """
    if not threshold.low <= value <= threshold.high:
        raise ReviewerError(
            f"{threshold.words} {value:g}: it must lie between {threshold.low:g} and "
            f"{threshold.high:g}."
        )
    now = kept(session.project)
    now.pop(threshold.key, None)
    if round(value, DECIMALS) != threshold.default:
        now[threshold.key] = value
    session.project.set_setting(SETTING, json.dumps(now, sort_keys=True))


def reset(session: Session) -> None:
    """Go back to the default thresholds.

    Raises:
        ProjectError: The file cannot be written.
    """
    session.project.set_setting(SETTING, "{}")
