"""Agreement of two raters: every coefficient with its interval or the reason why there is none."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reviewer.stats.catalogue import (
    CORRECTED,
    FIGURES,
    GAP_NAMES,
    PAIR_NAMES,
    TABLE_NAMES,
    gap_reason,
    is_plain,
    is_varied,
    pair_point,
    points,
    reason,
    table_statistic,
)
from reviewer.stats.coefficients import Moments, weighted_moments
from reviewer.stats.draws import kappa_error, mean_gaps, resampled
from reviewer.stats.figure import Figure, word_of
from reviewer.stats.intervals import (
    INTERVALS_FROM,
    Interval,
    IntervalPolicy,
    containing,
    t_interval,
)
from reviewer.stats.pairs import Evidence
from reviewer.stats.reasons import ALIKE_GAPS, NOT_DRAWN, ONE_SIDED


@dataclass(frozen=True, slots=True)
class Agreement:
    """Hold the agreement of two raters, or of a panel.

    Its figures are those of the catalogue: `found["kappa"]` is a value, `found.figure("kappa")`
    all there is to it. Every figure that is None has its reason under `undefined`. Figures of
    categories come from the table of labels and nearest levels, the others from the exact values.

    Attributes:
        n: pairs (of a panel: units with two labels or more) behind the exact figures.
        n_table: pairs behind the figures of categories.
        n_no_majority: pairs without one value that most people gave; they count nevertheless.
        n_off_level: labels between the levels, which are in no table.
        n_chosen: evaluations left out, since somebody chose them where chance drew others.
        n_unknown: of those that count, how many nobody knows how they were chosen.
        labelers: how many people, for a panel.
        values: the figures by name.
        limits: Bland and Altman's, bias ± 1.96 standard deviations of the gap.
        without_interval: why figures that are there have none, however many pairs there are.
        note: what to know of the labels before relying on the figures.
        weighted: whether evaluations count 1 over the chance with which they were drawn.
        wordless: why no coefficient is put in words, None where they are.
    """

    n: int
    n_table: int
    n_no_majority: int = 0
    n_rounded: int = 0
    n_off_level: int = 0
    n_chosen: int = 0
    n_unknown: int = 0
    labelers: int | None = None
    values: Mapping[str, float | None] = field(default_factory=dict)
    limits: tuple[float, float] | None = None
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    undefined: Mapping[str, str] = field(default_factory=dict)
    without_interval: Mapping[str, str] = field(default_factory=dict)
    note: str | None = None
    weighted: bool = False
    wordless: str | None = None

    def __getitem__(self, name: str) -> float | None:
        """Give a figure's value by its name in the catalogue; None if it is undefined."""
        return self.values.get(name)

    def pairs(self, name: str) -> int:
        """Count the pairs behind a figure."""
        return self.n_table if FIGURES[name].of_categories else self.n

    def figure(self, name: str) -> Figure:
        """Give a figure with its interval, its word, and the reason for what it lacks."""
        entry, interval = FIGURES[name], self.intervals.get(name)
        return Figure(
            name=name,
            title=entry.title,
            sign=entry.sign,
            is_share=entry.is_share,
            value=self.values.get(name),
            n=self.pairs(name),
            interval=interval,
            word=self._word(name, interval),
            reason=self.undefined.get(name),
        )

    def _word(self, name: str, interval: Interval | None) -> str:
        """Word a coefficient by the lower end of its interval; nothing below 30 pairs."""
        entry = FIGURES[name]
        if self.wordless is not None or not entry.is_corrected:
            return ""
        if entry.family == "gwet" and "kappa" in self.undefined and self["percent"] == 1:
            # everyone gave the same score: there is no chance to correct for
            return ""
        n = self.pairs(name) if self.n_table else self.n
        return word_of(entry.family, self.values.get(name), interval, n)

    def wordings(self) -> dict[str, str]:
        """Word every coefficient that is corrected for chance, by name."""
        made = {name: self.figure(name).word for name in CORRECTED}
        return {name: word for name, word in made.items() if word}


def agreement(evidence: Evidence, policy: IntervalPolicy | None = None) -> Agreement:
    """Work out every figure of two raters; intervals only with a policy."""
    values: dict[str, float | None] = {}
    undefined: dict[str, str] = {}
    pairs = evidence.exact().weighed
    moments = weighted_moments(pairs.auto, pairs.human, pairs.counts)
    n, n_table = moments.n, evidence.n_table
    for name, value in points(evidence, pairs).items():
        why = reason(name, value, evidence, (n_table, n))
        values[name] = None if why else value
        if why:
            undefined[name] = why
    if not is_plain(evidence) and values["kappa"] is not None:
        values["kappa_se"] = None if policy is None else kappa_error(evidence, policy)
        undefined.pop("kappa_se", None)
        if values["kappa_se"] is None:
            undefined["kappa_se"] = NOT_DRAWN
    gaps = _gap_figures(moments, evidence, undefined)
    found = Agreement(
        n=n,
        n_table=n_table,
        n_no_majority=evidence.n_no_majority,
        n_rounded=evidence.n_rounded,
        n_off_level=evidence.n_off_level,
        values=values | gaps,
        limits=_limits(gaps),
        undefined=undefined,
        weighted=evidence.weights is not None,
    )
    if policy is None:
        return found
    made = _intervals(found, evidence, moments, policy)
    held = {name: containing(one, found.values[name] or 0.0) for name, one in made.items()}
    gone = _without_interval(found, evidence) if policy.resamples else {}
    why_not = {name: why for name, why in gone.items() if name not in held}
    return replace(found, intervals=held, without_interval=why_not)


def _without_interval(found: Agreement, evidence: Evidence) -> dict[str, str]:
    """Say why a figure that is there may have no interval, from as many pairs as others need."""
    why: dict[str, str] = {}
    if found.n_table >= INTERVALS_FROM and not is_varied(evidence):
        why = dict.fromkeys((*TABLE_NAMES, *PAIR_NAMES), ONE_SIDED)
    if found.n >= INTERVALS_FROM:
        why |= dict.fromkeys(("bias", "mae"), ALIKE_GAPS)
    return {name: text for name, text in why.items() if found[name] is not None}


def coefficient(evidence: Evidence, name: str) -> float | None:
    """Work out one coefficient only, by its name in `Agreement`; None if undefined."""
    return coefficient_or_reason(evidence, name)[0]


def coefficient_or_reason(evidence: Evidence, name: str) -> tuple[float | None, str | None]:
    """Work out one coefficient only: its value, or None and the reason."""
    n_table = evidence.n_table
    if name in TABLE_NAMES:
        value = float("nan")
        if evidence.scale is not None:
            value = float(table_statistic(name, evidence.scale)(evidence.table[None])[0])
        n = n_table + evidence.n_no_majority + evidence.n_off_level
    else:
        pairs = evidence.exact()
        value, n = pair_point(name, pairs.weighed), pairs.n
    why = reason(name, value, evidence, (n_table, n))
    return (None, why) if why else (value, None)


def coefficient_interval(evidence: Evidence, name: str, policy: IntervalPolicy) -> Interval | None:
    """Work out the interval of one coefficient only; None below 10 pairs or if undefined."""
    value = coefficient(evidence, name)
    if value is None:
        return None
    interval = resampled(evidence, (name,), policy).get(name)
    return None if interval is None else containing(interval, value)


def _gap_figures(
    moments: Moments, evidence: Evidence, undefined: dict[str, str]
) -> dict[str, float | None]:
    why = gap_reason(evidence, moments.n)
    if why:
        undefined.update(dict.fromkeys(GAP_NAMES, why))
        return {}
    sd = math.sqrt(moments.s_gap / (moments.n - 1))
    return {"mae": moments.mae, "bias": moments.bias, "sd_gap": sd}


def _limits(gaps: Mapping[str, float | None]) -> tuple[float, float] | None:
    bias, sd = gaps.get("bias"), gaps.get("sd_gap")
    if bias is None or sd is None:
        return None
    return bias - 1.96 * sd, bias + 1.96 * sd


def _intervals(
    found: Agreement, evidence: Evidence, moments: Moments, policy: IntervalPolicy
) -> dict[str, Interval]:
    names = [name for name in (*TABLE_NAMES, *PAIR_NAMES) if name not in found.undefined]
    intervals = resampled(evidence, tuple(names), policy)
    n, bias, sd = moments.n, found["bias"], found["sd_gap"]
    if n < INTERVALS_FROM or not sd or bias is None:
        return intervals
    if evidence.weights is not None or evidence.conversations is not None:
        drawn = mean_gaps(evidence, policy)
        return intervals | {name: one for name, one in drawn.items() if one.low < one.high}
    squares = moments.s_gap + n * bias**2 - n * moments.mae**2
    spread = {"bias": (bias, sd), "mae": (moments.mae, math.sqrt(max(squares, 0) / (n - 1)))}
    for name, (mean, deviation) in spread.items():
        interval = t_interval(mean, deviation, n, policy.level)
        if interval and interval.low < interval.high:
            intervals[name] = interval
    return intervals
