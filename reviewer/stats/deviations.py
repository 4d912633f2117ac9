"""Gap, deviations, error band and adjusted score of one metric or of the overall score.

Formulas are those of the virtual-agent system's published rule, with every ambiguity an option;
a gap is always human minus auto. The window is the span of evaluation dates that make deviations
and band.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import date, timedelta
from typing import Any, Final, Literal, get_args

from reviewer.stats.ledger import GapLedger, mean_of_fixed, to_fixed
from reviewer.stats.limits import Limits
from reviewer.stats.values import Counting, DerivedLabels, HumanRule, LabelTable, SelectionRule

Rule = Literal["ge", "gt"]
BandGate = Literal["any", "both", "sum", "labelled"]
OneSided = Literal["mean_gap", "own_side", "none"]
TopWhich = Literal["largest", "smallest", "recent"]
TopRounding = Literal["ceil", "floor", "half_up"]
BandPopulation = Literal["labelled", "discordant"]
Denominator = Literal["kept", "side", "labelled"]
Clip = Literal["none", "display", "hard"]
Status = Literal["both", "upper_only", "lower_only", "none"]
BandSource = Literal["too_few_labelled", "count", "both_sides", "one_side", "own_side", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationOptions:
    """Choose how gaps become deviations, band and adjusted score; the defaults are `published`."""

    deviation_rule: Rule = "gt"
    band_rule: Rule = "ge"
    band_gate: BandGate = "both"
    one_sided: OneSided = "own_side"
    min_records: int = 30
    min_labelled: int = 0
    top_which: TopWhich = "largest"
    top_num: int = 9
    top_den: int = 10
    top_rounding: TopRounding = "ceil"
    tie_eps: float = 1e-9
    band_population: BandPopulation = "labelled"
    deviation_denominator: Denominator = "kept"
    clip: Clip = "none"
    require_weighted_label: bool = False
    exclude_mixed: bool = False
    band_selection: SelectionRule = "all"
    label_combine: HumanRule = "mean"
    derived_labels: DerivedLabels = "none"
    label_table: LabelTable = "each"
    selection: SelectionRule = "drawn"
    rescale: Literal["affine", "ratio"] = "affine"
    composite_band: Literal["gap", "metrics"] = "gap"
    window_months: int | None = 6
    window_days: int | None = None
    window_date: Literal["evaluation", "label"] = "evaluation"
    band_asof: Literal["now", "point"] = "now"
    repeat_policy: Literal["newest", "mean", "all"] = "newest"
    alt_score: Literal["scale", "accuracy", "neg_rmse"] = "scale"
    alt_epsilon: float = 0.15
    trust_caught: float = Limits().caught
    trust_reach: float = Limits().reach
    trust_gap: float = Limits().gap
    of_metrics: tuple[tuple[str, str, float], ...] = ()

    def __post_init__(self) -> None:
        """Check every choice.

        Raises:
            ValueError: with a sentence that names the option, its value and what is allowed.
        """
        for name, allowed in CHOICES.items():
            found = getattr(self, name)
            if found not in allowed:
                listed = ", ".join(allowed)
                raise ValueError(f"Option {name} is {found!r}; it can be one of: {listed}.")
        if self.min_records < 1 or self.min_labelled < 0 or not self.tie_eps >= 0:
            raise ValueError(
                "Option min_records must be 1 or more; min_labelled and tie_eps 0 or more."
            )
        if not 0 < self.top_num <= self.top_den:
            raise ValueError(
                f"Options top_num and top_den are {self.top_num} and {self.top_den}; "
                "they must give a share above 0 and up to 1."
            )
        if min(self.window_months or 0, self.window_days or 0) < 0:
            raise ValueError("Options window_months and window_days must be 0 or more, or none.")
        if not 0 <= self.alt_epsilon <= 1:
            found = f"{self.alt_epsilon:g}"
            raise ValueError(f"Option alt_epsilon is {found}; it must be from 0 to 1.")
        for metric in {None, *(metric for metric, _, _ in self.of_metrics)}:
            self.limits(metric)

    def limits(self, metric: str | None) -> Limits:
        """Give what a judge has to reach on a metric; None for one without limits of its own."""
        own = {name: value for of, name, value in self.of_metrics if of == metric}
        return Limits(
            **{name: own.get(f"trust_{name}", getattr(self, f"trust_{name}")) for name in OF_TRUST}
        )

    @property
    def counting(self) -> Counting:
        """Give what says which labels agreement is computed from."""
        return Counting(
            label_combine=self.label_combine,
            label_table=self.label_table,
            selection=self.selection,
        )


CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "deviation_rule": get_args(Rule),
    "band_rule": get_args(Rule),
    "band_gate": get_args(BandGate),
    "one_sided": get_args(OneSided),
    "top_which": get_args(TopWhich),
    "top_rounding": get_args(TopRounding),
    "band_population": get_args(BandPopulation),
    "deviation_denominator": get_args(Denominator),
    "clip": get_args(Clip),
    "band_selection": get_args(SelectionRule),
    "label_combine": get_args(HumanRule),
    "derived_labels": get_args(DerivedLabels),
    "label_table": get_args(LabelTable),
    "selection": get_args(SelectionRule),
    "rescale": ("affine", "ratio"),
    "composite_band": ("gap", "metrics"),
    "window_date": ("evaluation", "label"),
    "band_asof": ("now", "point"),
    "repeat_policy": ("newest", "mean", "all"),
    "alt_score": ("scale", "accuracy", "neg_rmse"),
}
"""The options that are a choice of words, with the words allowed."""

OF_TRUST: Final = tuple(field.name for field in fields(Limits))
PUBLISHED: Final = DeviationOptions()
RECOMMENDED: Final = DeviationOptions(
    deviation_rule="ge",
    band_gate="any",
    one_sided="mean_gap",
    clip="display",
    require_weighted_label=True,
    exclude_mixed=True,
    band_selection="drawn",
)
PRESETS: Final = {"published": PUBLISHED, "recommended": RECOMMENDED}

_FLAGS: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def with_option(options: DeviationOptions, name: str, text: str) -> DeviationOptions:
    """Set one option from the words of a command line or a settings file.

    A limit of trust may be that of one metric: METRIC:trust_caught.

    Raises:
        ValueError: with a sentence, for an unknown name or a value that does not fit.
    """
    known = {field.name for field in fields(options)} - {"of_metrics"}
    metric, sign, limit = name.rpartition(":")
    if sign and limit in (f"trust_{x}" for x in OF_TRUST):
        kept = [x for x in options.of_metrics if x[:2] != (metric, limit)]
        value = float(str(_parsed(limit, 0.0, text.strip())))
        return replace(options, of_metrics=(*kept, (metric, limit, value)))
    if name not in known:
        raise ValueError(f"There is no option {name!r}; there are: {', '.join(sorted(known))}.")
    change: dict[str, Any] = {name: _parsed(name, getattr(options, name), text.strip())}
    return replace(options, **change)


def _parsed(name: str, now: object, text: str) -> object:
    word = text.lower()
    if name in CHOICES:
        return word
    if name.startswith("window_") and word == "none":
        return None
    if isinstance(now, bool):
        if word in _FLAGS:
            return _FLAGS[word]
        raise ValueError(f"Option {name} is {text!r}; it can be true or false.")
    try:
        return float(text) if isinstance(now, float) else int(text)
    except ValueError:
        raise ValueError(f"Option {name} is {text!r}; it must be a number.") from None


@dataclass(frozen=True, slots=True)
class Gate:
    """How far labels are from a band: n of the limit.

    Attributes:
        n: the labelled evaluations that count towards it; of two sides that lack some, the larger.
        limit: how many of them the band needs.
        over: which of them count: those on one side, on both, those that differ, or all.
    """

    n: int
    limit: int
    over: Literal["one_side", "both_sides", "apart", "labelled"]


@dataclass(frozen=True, slots=True)
class Deviations:
    """Say how far and in which direction people differ from the automatic score.

    Attributes:
        n_labelled: gaps counted; n_higher, n_lower and n_equal add up to it.
        upper: mean of the kept positive gaps; None while there are too few.
        lower: mean of the kept negative gaps, with its sign; None while there are too few.
        band: what is added to an automatic score; 0.0 where no rule gives one.
        status: which deviations exist; it says nothing about the band.
        gap_mean: mean of all gaps; None without any.
        kept_upper: how many positive gaps the share keeps (also where `upper` is None).
        kept_lower: how many negative gaps the share keeps.
        band_source: the rule that decided the band.
        gate: what the band still needs, by the rule that is nearest; None where one gives it.
    """

    n_labelled: int
    n_higher: int
    n_lower: int
    n_equal: int
    upper: float | None
    lower: float | None
    band: float
    status: Status
    gap_mean: float | None
    kept_upper: int
    kept_lower: int
    band_source: BandSource
    gate: Gate | None = None


def no_gaps(n_labelled: int, n_equal: int = 0) -> Deviations:
    """Count labelled evaluations where no value is higher than another."""
    return Deviations(
        n_labelled, 0, 0, n_equal, None, None, 0.0, "none", None, 0, 0, band_source="none"
    )


def deviations(gaps: Sequence[float], options: DeviationOptions = PUBLISHED) -> Deviations:
    """Work out deviations and band from gaps, listed oldest first.

    The order matters for `top_which = "recent"` only.
    """
    return deviations_of(
        GapLedger(gaps), options, recent=gaps if options.top_which == "recent" else None
    )


def deviations_of(
    ledger: GapLedger,
    options: DeviationOptions = PUBLISHED,
    *,
    recent: Sequence[float] | None = None,
) -> Deviations:
    """Work out deviations and band from a kept ledger.

    `recent`, the gaps oldest first, is read for `top_which = "recent"` only.
    """
    low, high = ledger.below(-options.tie_eps), ledger.above(options.tie_eps)
    kept_high, kept_low = _kept(high, options), _kept(low, options)
    upper = lower = None
    if _exists(high, kept_high, ledger.n, options):
        total = _upper_sum(ledger, high, kept_high, options, recent)
        upper = _shared(total, (kept_high, high, ledger.n), options)
    if _exists(low, kept_low, ledger.n, options):
        total = _lower_sum(ledger, low, kept_low, options, recent)
        lower = _shared(total, (kept_low, low, ledger.n), options)
    band, source = _band(ledger, (low, high), (lower, upper), options)
    return Deviations(
        n_labelled=ledger.n,
        n_higher=high,
        n_lower=low,
        n_equal=ledger.n - high - low,
        upper=upper,
        lower=lower,
        band=band,
        status=_status(upper, lower),
        gap_mean=mean_of_fixed(ledger.total, ledger.n) if ledger.n else None,
        kept_upper=kept_high,
        kept_lower=kept_low,
        band_source=source,
        gate=_gate(ledger.n, (low, high), options) if source in _NO_BAND else None,
    )


def _kept(n: int, options: DeviationOptions) -> int:
    # whole numbers: 0.55 * 100 in doubles is a hair above 55 and its ceiling 56
    share = options.top_num * n
    if options.top_rounding == "ceil":
        return -(-share // options.top_den)
    if options.top_rounding == "floor":
        return share // options.top_den
    return (2 * share + options.top_den) // (2 * options.top_den)


def _exists(side: int, kept: int, labelled: int, options: DeviationOptions) -> bool:
    if labelled < options.min_labelled or not kept:
        return False
    return side >= _limit(options.deviation_rule, options)


def _upper_sum(
    ledger: GapLedger, n: int, k: int, options: DeviationOptions, recent: Sequence[float] | None
) -> int:
    if options.top_which == "largest":
        return ledger.highest(k)
    if options.top_which == "smallest":
        return ledger.highest(n) - ledger.highest(n - k)
    return sum(map(to_fixed, [gap for gap in recent or () if gap > options.tie_eps][-k:]))


def _lower_sum(
    ledger: GapLedger, n: int, k: int, options: DeviationOptions, recent: Sequence[float] | None
) -> int:
    if options.top_which == "largest":
        return ledger.lowest(k)
    if options.top_which == "smallest":
        return ledger.lowest(n) - ledger.lowest(n - k)
    return sum(map(to_fixed, [gap for gap in recent or () if gap < -options.tie_eps][-k:]))


def _shared(total: int, counts: tuple[int, int, int], options: DeviationOptions) -> float:
    kept, side, labelled = counts
    divisor = {"kept": kept, "side": side, "labelled": labelled}[options.deviation_denominator]
    return mean_of_fixed(total, divisor)


def _status(upper: float | None, lower: float | None) -> Status:
    if upper is None:
        return "none" if lower is None else "lower_only"
    return "upper_only" if lower is None else "both"


def _band(
    ledger: GapLedger,
    sides: tuple[int, int],
    found: tuple[float | None, float | None],
    options: DeviationOptions,
) -> tuple[float, BandSource]:
    source = _band_source(ledger.n, sides, found, options)
    if source in _NO_BAND:
        return 0.0, source
    if source == "own_side":
        return next(value for value in found if value is not None), source
    total, n = ledger.total, ledger.n
    if options.band_population == "discordant":
        total, n = ledger.lowest(sides[0]) + ledger.highest(sides[1]), sum(sides)
    return (mean_of_fixed(total, n) if n else 0.0), source


def _band_source(
    labelled: int,
    sides: tuple[int, int],
    found: tuple[float | None, float | None],
    options: DeviationOptions,
) -> BandSource:
    if labelled < options.min_labelled:
        return "too_few_labelled"
    limit = _limit(options.band_rule, options)
    if options.band_gate in {"labelled", "sum"}:
        count = labelled if options.band_gate == "labelled" else sum(sides)
        return "count" if count >= limit else "none"
    if min(sides) >= limit:
        return "both_sides"
    return _one_sided_source(sides, found, options)


_NO_BAND: Final = frozenset({"too_few_labelled", "none"})


def _gate(labelled: int, sides: tuple[int, int], options: DeviationOptions) -> Gate | None:
    """Give what the nearest rule still needs; of equally near ones that with the most labels."""
    if labelled < options.min_labelled:
        return Gate(labelled, options.min_labelled, "labelled")
    limit = _limit(options.band_rule, options)
    if options.band_gate == "labelled":
        return Gate(labelled, limit, "labelled")
    if options.band_gate == "sum":
        return Gate(sum(sides), limit, "apart")
    larger, lacking = max(sides), [side for side in sides if side < limit]
    found = []
    if options.one_sided == "mean_gap" and options.band_gate == "any":
        found.append((limit - larger, Gate(larger, limit, "one_side")))
    if options.one_sided == "own_side":
        alone = _limit(options.deviation_rule, options)
        found.append((alone - larger, Gate(larger, alone, "one_side")))
    if lacking:
        missing = sum(limit - side for side in lacking)
        found.append((missing, Gate(max(lacking), limit, "both_sides")))
    open_ones = [one for one in found if one[0] > 0]
    return min(open_ones, key=lambda one: (one[0], -one[1].n))[1] if open_ones else None


def _limit(rule: Rule, options: DeviationOptions) -> int:
    return options.min_records + (rule == "gt")


def _one_sided_source(
    sides: tuple[int, int], found: tuple[float | None, float | None], options: DeviationOptions
) -> BandSource:
    if options.one_sided == "mean_gap" and options.band_gate == "any":
        return "one_side" if max(sides) >= _limit(options.band_rule, options) else "none"
    if options.one_sided == "own_side" and sum(value is not None for value in found) == 1:
        return "own_side"
    return "none"


def composite_band(weights: Sequence[float], bands: Sequence[float]) -> float | None:
    """Combine the metrics' bands by weight; None where the weights add up to nothing.

    Raises:
        ValueError: for a negative weight or lists of different length.
    """
    if any(weight < 0 for weight in weights):
        raise ValueError("A weight is negative; weights must be 0 or more.")
    total = sum(weights)
    if not total:
        return None
    return sum(w * band for w, band in zip(weights, bands, strict=True)) / total


@dataclass(frozen=True, slots=True)
class Window:
    """Hold the first and the last day of a span, both included; no start means no lower bound."""

    start: date | None
    end: date

    def contains(self, day: date | None) -> bool:
        """Tell whether a day lies inside; an evaluation without a date lies in every window."""
        if day is None:
            return True
        return day <= self.end and (self.start is None or day >= self.start)


def months_before(day: date, months: int) -> date:
    """Go back by calendar months, to the month's last day where the day does not exist."""
    from calendar import monthrange

    index = day.year * 12 + day.month - 1 - months
    year, month = divmod(index, 12)
    if year < 1:
        return date.min
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def window(as_of: date, *, months: int | None = 6, days: int | None = None) -> Window:
    """Give the window that ends on a day: so many days if given, else months, else without start.

    Raises:
        ValueError: for a negative length.
    """
    if (days or 0) < 0 or (months or 0) < 0:
        raise ValueError("A window cannot have a negative length.")
    if days is not None:
        return Window(as_of - min(timedelta(days=days), as_of - date.min), as_of)
    if months is not None:
        return Window(months_before(as_of, months), as_of)
    return Window(None, as_of)
