"""The catalogue of agreement: every coefficient with its name, its formula, and when it has none.

An entry is all there is to a coefficient: how it is computed and explained, on which scales it is
defined, how it is written. Documents, sentences, cells, limits and draws go through the entries;
none of them knows a coefficient by name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from reviewer.stats import coefficients as co
from reviewer.stats.coefficients import Floats, Worked
from reviewer.stats.intervals import Statistic
from reviewer.stats.pairs import Evidence, Pairs, grid_of, spearman
from reviewer.stats.reasons import (
    FEW,
    NO_LABEL,
    NO_LEVELS,
    NO_MAJORITY,
    NO_OVERLAP,
    ONE_LEVEL,
    ONE_PAIR,
    ONE_SCORE,
    SAME,
    UNORDERED,
)
from reviewer.stats.values import Scale

Family = Literal[
    "share", "cohen", "fleiss", "gwet", "krippendorff", "icc", "correlation", "gap", "error"
]
Places = NDArray[np.int64]
TableFormula = Callable[[Floats], Worked]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Describe one figure of agreement.

    Attributes:
        name: what documents and commands call it.
        title: how a sentence calls it.
        sign: how a cell or a list calls it.
        short: how the heading of a narrow column does.
        family: whose it is; a share is written in percent, and some families are read by
            marks of their own.
        meaning: the formula in words.
        formula: the same with the names of its terms in braces.
        ordered: whether only values with an order have it.
        table: for figures of categories, makes the formula of stacked tables for a scale.
        moments: for figures of exact pairs that follow from their moments.
        ranks: for those that follow from the places of both sides and the pairs' counts.
        draws: for those, the function of resampled counts of pairs.
        gap: for means, what is taken of each gap.
    """

    name: str
    title: str
    sign: str
    short: str = ""
    family: Family
    meaning: str = ""
    formula: str = ""
    ordered: bool = True
    table: Callable[[Scale], TableFormula] | None = None
    moments: Callable[[co.MomentStack], Worked] | None = None
    ranks: Callable[[Places, Places, Floats], Worked] | None = None
    draws: Callable[[Pairs], Statistic] | None = None
    gap: Callable[[Floats], Floats] | None = None

    @property
    def is_share(self) -> bool:
        """Tell whether it is written in percent."""
        return self.family == "share"

    @property
    def of_categories(self) -> bool:
        """Tell whether it comes from the table of labels and nearest levels."""
        return self.table is not None or self.family == "error"

    @property
    def is_corrected(self) -> bool:
        """Tell whether chance is taken off, so that the bands of Landis and Koch apply."""
        return self.family in ("cohen", "fleiss", "gwet", "krippendorff")

    @property
    def is_coefficient(self) -> bool:
        """Tell whether it says how well two agree, by itself: no size of gaps, no error."""
        return self.family not in ("gap", "error")


def _plain(formula: TableFormula) -> Callable[[Scale], TableFormula]:
    return lambda _: formula


def _kappa(power: int) -> Callable[[Scale], TableFormula]:
    def of(scale: Scale) -> TableFormula:
        distances = co.disagreement(_values(scale), power)
        return lambda stack: co.kappa(stack, distances)

    return of


def _gwet(power: int) -> Callable[[Scale], TableFormula]:
    def of(scale: Scale) -> TableFormula:
        weights = co.agreement_weights(_values(scale), power)
        return lambda stack: co.gwet(stack, weights)

    return of


def _values(scale: Scale) -> Floats:
    return np.array(scale.values, dtype=np.float64)


def _kendall_draws(pairs: Pairs) -> Statistic:
    place, shape = grid_of(pairs)

    def of(draws: Floats) -> Floats:
        flat = np.zeros((len(draws), shape[0] * shape[1]))
        flat[:, place] = draws
        return co.kendall_of_tables(flat.reshape(-1, *shape))

    return of


_BEYOND = "1 − {observed} / {expected}"
_BEYOND_CHANCE = "({observed} − {chance}) / (1 − {chance})"
_CORRELATION = "{covariance} / ({auto_sd} × {human_sd})"
_ENTRIES: Final = (
    Entry(
        name="percent",
        title="the same",
        sign="same answer",
        short="same",
        family="share",
        meaning="Pairs with the same value / all pairs.",
        formula="{alike} / {n}",
        ordered=False,
        table=_plain(co.percent),
    ),
    Entry(
        name="within_one",
        title="within one",
        sign="within one",
        short="±1",
        family="share",
        meaning="Pairs at most one level apart / all pairs.",
        formula="{alike} / {n}",
        table=_plain(co.within_one),
    ),
    Entry(
        name="kappa",
        title="Cohen's kappa",
        sign="κ",
        family="cohen",
        meaning="1 − observed / expected disagreement; weights: every disagreement counts 1.",
        formula=_BEYOND,
        ordered=False,
        table=_kappa(0),
    ),
    Entry(
        name="kappa_se",
        title="standard error of kappa",
        sign="κ se",
        family="error",
        ordered=False,
    ),
    Entry(
        name="fleiss",
        title="Fleiss' kappa",
        sign="Fleiss' κ",
        family="fleiss",
        meaning="1 − observed / expected disagreement, the shares of both sides pooled.",
        formula=_BEYOND,
        ordered=False,
        table=_plain(co.scott),
    ),
    Entry(
        name="kappa_linear",
        title="linear kappa",
        sign="linear κ",
        family="cohen",
        meaning="1 − observed / expected disagreement; weights: the distance of the values.",
        formula=_BEYOND,
        table=_kappa(1),
    ),
    Entry(
        name="kappa_quadratic",
        title="quadratic kappa",
        sign="quadratic κ",
        family="cohen",
        meaning="1 − observed / expected disagreement; weights: the squared distance of the "
        "values.",
        formula=_BEYOND,
        table=_kappa(2),
    ),
    Entry(
        name="alpha_nominal",
        title="Krippendorff's alpha, categories",
        sign="alpha nominal",
        family="krippendorff",
        meaning="1 − observed / expected disagreement, the values of both sides pooled.",
        formula=_BEYOND,
        ordered=False,
        table=_plain(lambda stack: co.alpha_nominal(co.coincidences(stack))),
    ),
    Entry(
        name="alpha_ordinal",
        title="Krippendorff's alpha, ordered",
        sign="alpha ordinal",
        family="krippendorff",
        meaning="1 − observed / expected disagreement, squared distances of pooled ranks.",
        formula=_BEYOND,
        table=_plain(lambda stack: co.alpha_ordinal(co.coincidences(stack))),
    ),
    Entry(
        name="alpha_interval",
        title="Krippendorff's alpha, distances",
        sign="alpha interval",
        family="krippendorff",
        meaning="1 − observed / expected disagreement, squared distances of values.",
        formula=_BEYOND,
        moments=co.alpha_interval,
    ),
    Entry(
        name="ac1",
        title="Gwet's AC1",
        sign="AC1",
        family="gwet",
        meaning="(observed − chance agreement) / (1 − chance agreement).",
        formula=_BEYOND_CHANCE,
        ordered=False,
        table=_gwet(0),
    ),
    Entry(
        name="ac2",
        title="Gwet's AC2",
        sign="AC2",
        family="gwet",
        meaning="(observed − chance agreement) / (1 − chance agreement), quadratic weights.",
        formula=_BEYOND_CHANCE,
        table=_gwet(2),
    ),
    Entry(
        name="icc",
        title="ICC(A,1)",
        sign="ICC",
        family="icc",
        meaning="(mean square of responses − of the rest) / (of responses + of the rest + 2 × "
        "(of sides − of the rest) / n).",
        formula="({responses} − {rest}) / ({responses} + {rest} + 2 × ({sides} − {rest}) / {n})",
        moments=co.icc_agreement,
    ),
    Entry(
        name="icc_c",
        title="ICC(C,1)",
        sign="ICC, consistency",
        family="icc",
        meaning="(mean square of responses − of the rest) / (of responses + of the rest).",
        formula="({responses} − {rest}) / ({responses} + {rest})",
        moments=co.icc_consistency,
    ),
    Entry(
        name="pearson",
        title="Pearson's r",
        sign="Pearson",
        family="correlation",
        meaning="Covariance / (standard deviation of auto × standard deviation of human).",
        formula=_CORRELATION,
        moments=co.pearson,
    ),
    Entry(
        name="spearman",
        title="Spearman's rank correlation",
        sign="Spearman",
        family="correlation",
        meaning="Pearson's r of the ranks.",
        formula=_CORRELATION,
        ranks=co.spearman,
        draws=lambda pairs: lambda draws: spearman(pairs, draws),
    ),
    Entry(
        name="kendall_b",
        title="Kendall's tau-b",
        sign="Kendall",
        family="correlation",
        meaning="(pairs of responses in order − in reverse order) / √(pairs untied by the judge × "
        "pairs untied by people).",
        formula="({in_order} − {in_reverse}) / √({auto_untied} × {human_untied})",
        ranks=co.kendall_b,
        draws=_kendall_draws,
    ),
    Entry(
        name="mae",
        title="mean absolute gap",
        sign="mean absolute gap",
        family="gap",
        meaning="Sum of |human − auto| / n.",
        formula="{total} / {n}",
        gap=np.abs,
    ),
    Entry(
        name="bias",
        title="mean gap, human − auto",
        sign="mean gap",
        family="gap",
        meaning="Sum of human − auto / n.",
        formula="{total} / {n}",
        gap=np.positive,
    ),
    Entry(
        name="sd_gap",
        title="standard deviation of the gap",
        sign="sd of the gap",
        family="gap",
        meaning="√(sum of (gap − mean gap)² / (n − 1)).",
        formula="√({squares} / {freedom})",
    ),
)
"""In the order in which a document lists them."""
FIGURES: Final[Mapping[str, Entry]] = {entry.name: entry for entry in _ENTRIES}
_FAMILIES: Final[tuple[Family, ...]] = (
    "share", "cohen", "fleiss", "gwet", "krippendorff", "icc", "correlation",
)  # fmt: skip
# worked out family by family
_WORKED = sorted(
    (x for x in _ENTRIES if x.is_coefficient), key=lambda x: _FAMILIES.index(x.family)
)
TABLE_NAMES: Final = tuple(x.name for x in _WORKED if x.of_categories)
PAIR_NAMES: Final = tuple(x.name for x in _WORKED if not x.of_categories)
GAP_NAMES: Final = (*(x.name for x in _ENTRIES if x.family == "gap"), "limits")
MEAN_GAPS: Final = tuple(x.name for x in reversed(_ENTRIES) if x.gap is not None)
SHARES: Final = frozenset(x.name for x in _ENTRIES if x.is_share)
CORRECTED: Final = tuple(x.name for x in _WORKED if x.is_corrected)


@lru_cache(maxsize=64)
def _on_table(name: str, scale: Scale) -> TableFormula:
    made = FIGURES[name].table
    if made is None:
        raise KeyError(name)
    return made(scale)


def table_statistic(name: str, scale: Scale) -> Statistic:
    """Give the function of stacked tables, shape (tables, k, k), that computes a coefficient."""
    formula = _on_table(name, scale)
    return lambda stack: formula(stack).value


def pair_statistic(name: str, pairs: Pairs) -> Statistic:
    """Give the function of resampled counts of pairs, shape (sets, pairs), for a coefficient."""
    entry = FIGURES[name]
    if entry.draws is not None:
        return entry.draws(pairs)
    formula = entry.moments
    if formula is not None:
        return lambda draws: formula(pairs.moments(draws)).value
    if entry.gap is None:
        raise KeyError(name)
    gaps = entry.gap(pairs.human - pairs.auto)
    return lambda draws: co.divided((draws * gaps).sum(axis=1), draws.sum(axis=1))


def pair_point(name: str, pairs: Pairs) -> float:
    """Compute one coefficient of exact pairs; NaN if undefined."""
    return float(_of_pairs((name,), pairs)[name].value[0])


_NOTHING: Final = Worked(np.full(1, np.nan), {})


def _of_pairs(names: Sequence[str], pairs: Pairs) -> dict[str, Worked]:
    there = pairs.counts > 0
    if not there.any():
        return dict.fromkeys(names, _NOTHING)
    some = pairs
    if not there.all():
        some = Pairs(pairs.auto[there], pairs.human[there], pairs.counts[there])
    stack = co.weighted_moments(some.auto, some.human, some.counts).arrays()
    entries = [FIGURES[name] for name in names]
    found = {x.name: x.moments(stack) for x in entries if x.moments is not None}
    if len(found) < len(names):
        left, right = co.rank_places(some.auto), co.rank_places(some.human)
        found |= {
            x.name: x.ranks(left, right, some.counts) for x in entries if x.ranks is not None
        }
    return found


def worked(name: str, evidence: Evidence) -> Worked:
    """Compute one figure of two raters with the terms of its formula; NaN if undefined."""
    entry = FIGURES[name]
    if entry.family == "error":
        return _NOTHING
    if entry.of_categories:
        if evidence.scale is None or not evidence.table.any():
            return _NOTHING
        return _on_table(name, evidence.scale)(evidence.table[None])
    exact = evidence.exact().weighed
    if entry.is_coefficient:
        return _of_pairs((name,), exact)[name]
    moments = co.weighted_moments(exact.auto, exact.human, exact.counts)
    if entry.gap is None:
        freedom = float(exact.counts.sum()) - 1
        squares, rest = np.array([moments.s_gap]), np.array([freedom])
        return Worked(np.sqrt(co.divided(squares, rest)), {"squares": squares, "freedom": rest})
    n = exact.counts.sum(keepdims=True)
    total = np.array([exact.counts @ entry.gap(exact.human - exact.auto)])
    return Worked(co.divided(total, n), {"total": total, "n": n})


def is_plain(evidence: Evidence) -> bool:
    """Tell whether every evaluation has one label, counts 1, and is of no conversation."""
    return evidence.answers is None and evidence.conversations is None


def is_varied(evidence: Evidence) -> bool:
    """Tell whether both sides of the table say more than one thing."""
    return all(np.count_nonzero(evidence.table.sum(axis=side)) > 1 for side in (0, 1))


def points(evidence: Evidence, pairs: Pairs) -> dict[str, float]:
    """Compute every coefficient of the table and of the exact pairs; NaN if undefined."""
    found = dict.fromkeys((*TABLE_NAMES, "kappa_se"), float("nan"))
    if evidence.scale is not None and evidence.table.any():
        stack = evidence.table[None]
        for name in TABLE_NAMES:
            found[name] = float(_on_table(name, evidence.scale)(stack).value[0])
        if is_plain(evidence):
            unequal = co.disagreement(_values(evidence.scale), 0)
            found["kappa_se"] = co.kappa_se(evidence.table, unequal)
    return found | {x: float(y.value[0]) for x, y in _of_pairs(PAIR_NAMES, pairs).items()}


def reason(name: str, value: float, evidence: Evidence, counts: tuple[int, int]) -> str | None:
    """Say why a figure of two raters is undefined; None if it is defined.

    Args:
        name: the figure's name.
        value: what its formula gave, NaN if it gave nothing.
        evidence: what it was computed from.
        counts: pairs in the table, and exact pairs.
    """
    (n_table, n_pairs), entry = counts, FIGURES[name]
    exact = name in PAIR_NAMES
    if evidence.scale is None and not exact:
        return NO_LEVELS
    if not n_pairs and not n_table:
        return NO_OVERLAP
    if evidence.scale is not None and not evidence.scale.ordered and entry.ordered:
        return UNORDERED
    if exact:
        return _pair_reason(entry, value, n_pairs)
    return _table_reason(entry, value, evidence, n_table)


def _table_reason(entry: Entry, value: float, evidence: Evidence, n: int) -> str | None:
    if not n:
        tied = evidence.n_no_majority and not evidence.n_off_level
        return NO_MAJORITY if tied else NO_LABEL
    if not entry.is_share and n < 2:
        return ONE_PAIR
    if np.isnan(value):
        single = evidence.scale is not None and len(evidence.scale.values) < 2
        return ONE_LEVEL if single else SAME
    return None


def _pair_reason(entry: Entry, value: float, n: int) -> str | None:
    if n < 2:
        return ONE_PAIR
    correlation = entry.family == "correlation"
    if correlation and n < 3:
        return FEW
    if np.isnan(value):
        return ONE_SCORE if correlation else SAME
    return None


def gap_reason(evidence: Evidence, n: int) -> str | None:
    """Say why mean and spread of the gap are undefined; None if they are defined."""
    if evidence.scale is not None and not evidence.scale.ordered:
        return UNORDERED
    if n < 2:
        return ONE_PAIR if n else NO_OVERLAP
    return None
