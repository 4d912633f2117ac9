"""The judge as a classifier of pass and fail: does it fail what people fail?"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from reviewer.stats.intervals import INTERVALS_FROM, Interval, IntervalPolicy, wilson

NO_PAIR = "no evaluation has both verdicts"
NO_HUMAN_FAIL = "no human-failed item labelled yet"
NO_HUMAN_PASS = "no human-passed item labelled yet"
NO_AUTO_FAIL = "the judge failed none of the labelled items"
NO_AUTO_PASS = "the judge passed none of the labelled items"
NO_FAIL = "nobody failed any of the labelled items"


@dataclass(frozen=True, slots=True)
class PassFail:
    """Hold the figures of a two by two table of verdicts, with FAIL as the positive class.

    Attributes:
        n: items with both verdicts.
        catch_rate: share of human-failed items that the judge fails.
        specificity: share of human-passed items that the judge passes.
        precision: share of judge-failed items that people fail.
        npv: share of judge-passed items that people pass.
        intervals: Wilson intervals by name, from 10 items of the rate's own class.
        undefined: reasons by name.
    """

    n: int
    percent: float | None
    catch_rate: float | None
    specificity: float | None
    precision: float | None
    npv: float | None
    f1: float | None
    balanced_accuracy: float | None
    mcc: float | None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)


def pass_fail(table: Sequence[Sequence[float]], level: float = 0.95) -> PassFail:
    """Work out the pass and fail figures.

    Args:
        table: ((both fail, human fails and judge passes), (human passes and judge fails, both
            pass)): rows human, columns auto, FAIL first. Re-weighted counts are allowed.
        level: level of the intervals.
    """
    policy = IntervalPolicy(level=level)
    (caught, missed), (alarmed, passed) = table
    failed, good = caught + missed, alarmed + passed
    auto_failed, auto_passed = caught + alarmed, missed + passed
    n = failed + good
    rates = {
        "percent": (caught + passed, n, NO_PAIR),
        "catch_rate": (caught, failed, NO_HUMAN_FAIL),
        "specificity": (passed, good, NO_HUMAN_PASS),
        "precision": (caught, auto_failed, NO_AUTO_FAIL),
        "npv": (passed, auto_passed, NO_AUTO_PASS),
    }
    values = {name: part / whole if whole else None for name, (part, whole, _) in rates.items()}
    undefined = {
        name: why if n else NO_PAIR for name, (_, whole, why) in rates.items() if not whole
    }
    intervals = {
        name: interval
        for name, (part, whole, _) in rates.items()
        if whole >= INTERVALS_FROM and (interval := wilson(part, whole, policy.level))
    }
    margins = failed * good * auto_failed * auto_passed
    mixed: dict[str, tuple[float, Callable[[], float], str]] = {
        "f1": (failed + auto_failed, lambda: 2 * caught / (failed + auto_failed), NO_FAIL),
        "balanced_accuracy": (
            failed * good,
            lambda: (caught / failed + passed / good) / 2,
            NO_HUMAN_PASS if failed else NO_HUMAN_FAIL,
        ),
        "mcc": (
            margins,
            lambda: (caught * passed - missed * alarmed) / math.sqrt(margins),
            _empty_margin((failed, good, auto_failed)),
        ),
    }
    for name, (defined, value, why) in mixed.items():
        values[name] = value() if defined else None
        if not defined:
            undefined[name] = why if n else NO_PAIR
    return PassFail(n=round(n), **values, intervals=intervals, undefined=undefined)


def _empty_margin(margins: tuple[float, float, float]) -> str:
    reasons = zip(margins, (NO_HUMAN_FAIL, NO_HUMAN_PASS, NO_AUTO_FAIL), strict=True)
    return next((why for margin, why in reasons if not margin), NO_AUTO_PASS)
