"""Deviations, band and adjusted score by the published rule and its options (scoring.md 1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import fsum
from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "published": {
        "deviation_rule": "gt", "band_rule": "ge", "band_gate": "both",
        "one_sided": "own_side", "clip": "none", "require_weighted_label": False,
        "exclude_mixed": False,
    },
    "recommended": {
        "deviation_rule": "ge", "band_rule": "ge", "band_gate": "any",
        "one_sided": "mean_gap", "clip": "display", "require_weighted_label": True,
        "exclude_mixed": True,
    },
}  # fmt: skip
EQUAL = 1e-9


@dataclass(frozen=True)
class Options:
    """Everything that a person can choose about gaps and labels."""

    preset: str = "published"
    deviation_rule: str = "gt"
    band_rule: str = "ge"
    band_gate: str = "both"
    one_sided: str = "own_side"
    clip: str = "none"
    require_weighted_label: bool = False
    exclude_mixed: bool = False
    min_records: int = 30
    min_labelled: int = 0
    top_which: str = "largest"
    top_num: int = 9
    top_den: int = 10
    top_rounding: str = "ceil"
    tie_eps: float = EQUAL
    band_population: str = "labelled"
    deviation_denominator: str = "kept"
    window_months: int | None = 6
    window_days: int | None = None
    window_date: str = "evaluation"
    label_combine: str = "mean"
    label_table: str = "each"
    selection: str = "chance"
    derived_labels: str = "parts"


def options_of(preset: str, changes: dict[str, str]) -> Options:
    """Give a preset's options with changes as they are typed."""
    made = replace(Options(preset=preset), **PRESETS[preset])
    for name, text in changes.items():
        made = replace(made, **{name: _read(getattr(made, name), name, text)})
    return made


def _read(now: Any, name: str, text: str) -> Any:
    if text == "none" and name.startswith("window_"):
        return None
    if isinstance(now, bool):
        return text == "true"
    if isinstance(now, float):
        return float(text)
    return int(text) if isinstance(now, int) or name == "window_days" else text


@dataclass(frozen=True)
class Band:
    """What follows from gaps.

    Attributes:
        missing: What stands instead of a band whose gate is not reached: how many of how many.
    """

    n_labelled: int
    n_higher: int
    n_lower: int
    n_equal: int
    upper: float | None
    lower: float | None
    band: float
    missing: tuple[int, int] | None = field(default=None, compare=False)

    @property
    def status(self) -> str:
        """Name the deviations that exist."""
        if self.upper is not None and self.lower is not None:
            return "both"
        if self.upper is None and self.lower is None:
            return "none"
        return "upper_only" if self.lower is None else "lower_only"


def band_of(gaps: Sequence[float], o: Options) -> Band:
    """Work out deviations and band; gaps stand oldest first."""
    up = [x for x in gaps if x > o.tie_eps]
    low = [x for x in gaps if x < -o.tie_eps]
    upper, lower = (_deviation(side, len(gaps), o) for side in (up, low))
    population = up + low if o.band_population == "discordant" else list(gaps)
    mean = fsum(population) / len(population) if population else 0.0
    value: float = 0.0
    reached = False
    if len(gaps) >= o.min_labelled:
        reached, value = _gate(gaps, (up, low), (upper, lower), o, mean)
    return Band(
        n_labelled=len(gaps),
        n_higher=len(up),
        n_lower=len(low),
        n_equal=len(gaps) - len(up) - len(low),
        upper=upper,
        lower=lower,
        band=value if reached else 0.0,
        missing=None if reached else _missing(len(gaps), len(up), len(low), o),
    )


def _gate(
    gaps: Sequence[float],
    sides: tuple[list[float], list[float]],
    deviations: tuple[float | None, float | None],
    o: Options,
    mean: float,
) -> tuple[bool, float]:
    up, low = map(len, sides)
    if o.band_gate in ("labelled", "sum"):
        count = len(gaps) if o.band_gate == "labelled" else up + low
        return _enough(count, o.band_rule, o), mean
    if _enough(up, o.band_rule, o) and _enough(low, o.band_rule, o):
        return True, mean
    if o.band_gate == "any" and o.one_sided == "mean_gap":
        return _enough(max(up, low), o.band_rule, o), mean
    there = [x for x in deviations if x is not None]
    if o.one_sided == "own_side" and len(there) == 1:
        return True, there[0]
    return False, 0.0


def _enough(n: int, rule: str, o: Options) -> bool:
    return n > o.min_records or (rule == "ge" and n == o.min_records)


def _deviation(side: list[float], labelled: int, o: Options) -> float | None:
    if labelled < o.min_labelled or not _enough(len(side), o.deviation_rule, o):
        return None
    share = o.top_num * len(side)
    kept = {
        "ceil": -(-share // o.top_den),
        "floor": share // o.top_den,
        "half_up": (2 * share + o.top_den) // (2 * o.top_den),
    }[o.top_rounding]
    if not kept:
        return None
    if o.top_which == "recent":
        some = side[-kept:]
    else:
        some = sorted(side, key=abs, reverse=o.top_which == "largest")[:kept]
    divisor = {"kept": kept, "side": len(side), "labelled": labelled}[o.deviation_denominator]
    return fsum(some) / divisor


def _missing(labelled: int, up: int, low: int, o: Options) -> tuple[int, int]:
    """Say how many there are of how many, at the nearest gate (R34)."""
    if labelled < o.min_labelled:
        return labelled, o.min_labelled
    needed = o.min_records + (o.band_rule == "gt")
    if o.band_gate in ("labelled", "sum"):
        return (labelled if o.band_gate == "labelled" else up + low), needed
    if o.one_sided == "own_side":
        needed = o.min_records + (o.deviation_rule == "gt")
    larger, smaller = max(up, low), min(up, low)
    return (smaller if larger >= needed else larger), needed


def adjusted_mean(
    autos: Sequence[float], band: float, bounds: tuple[float, float] | None, o: Options
) -> float | None:
    """Give the mean of auto scores plus the band; with `hard` no score leaves the scale."""
    if not autos:
        return None
    if o.clip == "hard" and bounds is not None:
        low, high = bounds
        return fsum(min(max(x + band, low), high) for x in autos) / len(autos)
    return fsum(autos) / len(autos) + band


def on_screen(value: float, bounds: tuple[float, float] | None, o: Options) -> tuple[float, bool]:
    """Give what a screen shows of an adjusted score, and whether the end of the scale cuts it."""
    if o.clip == "none" or bounds is None:
        return value, False
    inside = min(max(value, bounds[0]), bounds[1])
    return inside, abs(inside - value) > EQUAL


def months_before(day: date, months: int) -> date:
    """Give the same day so many months earlier, or the last of that month."""
    count = day.year * 12 + day.month - 1 - months
    year, month = divmod(count, 12)
    for number in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, number)
        except ValueError:
            continue
    raise AssertionError
