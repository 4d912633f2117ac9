"""How agreement, gaps and corrected means of a metric came about, with the numbers filled in."""

from collections.abc import Callable, Sequence

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.explaining.explanations_words import ONE_LOOK, Step, numeral
from reviewer.services.figures.bands import HELD
from reviewer.services.figures.statistics_agreement import evidence_of
from reviewer.services.figures.statistics_blocks import (
    GapBlock,
    LabelerPair,
    MetricBlock,
)
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.catalogue import TABLE_NAMES
from reviewer.stats.coefficients import (
    Floats,
    agreement_weights,
    alpha_nominal,
    coincidences,
    disagreement,
)
from reviewer.stats.intervals import Interval
from reviewer.stats.pairs import Evidence, array_evidence
from reviewer.stats.ranks import rank_places

MOST_PAIRS = 2_000
"""Distinct pairs up to which those in order are counted for a formula."""
WEIGHTED = (
    "Evaluations were drawn with different chances, so each counts 1 over its own; the counts "
    "above are weighted."
)
SHARED = (
    "Every label counts, 1 over the labels of its response, so that each response counts 1 and "
    "the numbers above need not be whole."
)
TITLES = {
    "percent": "the same",
    "within_one": "within one",
    "kappa": "Cohen's kappa",
    "kappa_linear": "linear kappa",
    "kappa_quadratic": "quadratic kappa",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2",
    "alpha_nominal": "Krippendorff's alpha, categories",
    "alpha_ordinal": "Krippendorff's alpha, ordered",
    "alpha_interval": "Krippendorff's alpha, distances",
    "icc": "ICC(A,1)",
    "pearson": "Pearson's r",
    "spearman": "Spearman's rank correlation",
    "kendall_b": "Kendall's tau-b",
    "mae": "mean absolute gap",
    "bias": "mean gap, human − auto",
    "sd_gap": "standard deviation of the gap",
}


PAIR_TITLES = {"mae": "mean distance", "bias": "mean difference, second − first"}


def agreement_steps(frame: Frame, block: MetricBlock, name: str) -> tuple[Step, ...]:
    """Explain one figure of judge and people, by its name in `Agreement`."""
    found, title = block.judge_human, TITLES[name]
    value = getattr(found, name)
    if value is None:
        return (Step(title, f"There is none: {found.undefined.get(name, 'not defined here')}."),)
    table, rule = frame.table.metrics[block.name], frame.choices.options.counting
    evidence = evidence_of(frame.table, table, rule)
    formula = _FORMULAS[name](evidence, float(value))
    steps = [Step(title, _words(name), formula)]
    interval = found.intervals.get(name)
    if interval is not None:
        text = _around(interval)
        if interval.approximate:
            text += " With so few labels it is approximate."
        steps.append(Step("Interval, 95 %", f"{text} {ONE_LOOK}"))
    if evidence.answers is not None and not evidence.answers.is_single and name in TABLE_NAMES:
        steps.append(Step("Several labels", SHARED))
    if found.weighted:
        steps.append(Step("Weights", WEIGHTED))
    return tuple(steps)


def pair_steps(
    metric: Metric, labels: tuple[Floats, Floats], pair: LabelerPair, names: Sequence[str]
) -> tuple[Step, ...]:
    """Explain figures of two people; `labels` are those of the first and of the second."""
    evidence = array_evidence(*labels, scale_of(metric))
    made = []
    for name in names:
        value, title = pair.figures.get(name), PAIR_TITLES.get(name, TITLES[name])
        if value is None:
            why = pair.undefined.get(name, "not defined here")
            made.append(Step(title, f"There is none: {why}."))
            continue
        words = _words(name).replace("human − auto", "second − first")
        made.append(Step(title, words, _FORMULAS[name](evidence, value)))
        interval = pair.intervals.get(name)
        if interval is not None:
            made.append(Step(f"Interval of {title}, 95 %", _around(interval)))
    return tuple(made)


def _around(interval: Interval) -> str:
    return f"From {numeral(interval.low)} to {numeral(interval.high)}, {_MADE[interval.method]}."


def gap_steps(gaps: GapBlock) -> tuple[Step, ...]:
    """Explain means, band and adjusted mean of a metric."""
    found, band = gaps.deviations, gaps.shown_band
    n = found.n_labelled
    steps = []
    if gaps.auto_mean is not None:
        total = numeral(gaps.auto_mean * gaps.n_auto)
        formula = f"{total} / {gaps.n_auto:,} = {numeral(gaps.auto_mean)}"
        steps.append(Step("Auto mean", "Sum of all auto scores in scope / their number.", formula))
    if gaps.human_mean is not None and n:
        formula = f"{numeral(gaps.human_mean * n)} / {n:,} = {numeral(gaps.human_mean)}"
        words = "Sum of the human scores inside the window / their number."
        steps.append(Step("Human mean", words, formula))
    words = (
        f"People were higher {found.n_higher:,} times, lower {found.n_lower:,} times, equal "
        f"{found.n_equal:,} times; upper deviation {numeral(found.upper)}, lower deviation "
        f"{numeral(found.lower)}."
    )
    words = f"{words} {band.note}".strip()
    steps.append(Step("Error band", words, f"band = {band.words(numeral)}"))
    if gaps.auto_mean is not None:
        steps += _adjusted(gaps, gaps.auto_mean)
    return tuple(steps)


def _adjusted(gaps: GapBlock, auto_mean: float) -> list[Step]:
    shown = gaps.shown_adjusted
    adjusted = shown.value
    if adjusted is None:
        return [Step("Adjusted mean", shown.note, shown.words(numeral))]
    plain = f"{numeral(auto_mean)} + {numeral(gaps.band)} = {numeral(auto_mean + gaps.band)}"
    words = "Auto mean + band. It has no interval; the corrected mean has."
    if shown.mark != HELD:
        return [Step("Adjusted mean", f"{words} {shown.note}".strip(), plain)]
    total = f"{numeral(adjusted * gaps.n_auto)} / {gaps.n_auto:,} = {numeral(adjusted)}"
    return [
        Step("Before clipping", "Auto mean + band, were the scale to have no ends.", plain),
        Step(
            "Adjusted mean",
            "With clip=hard each auto score + band stops at the end of the scale, and only then "
            "the mean is taken: sum of what remains / number. It has no interval; the corrected "
            "mean has.",
            total,
        ),
    ]


def _words(name: str) -> str:
    if name.startswith("kappa"):
        return "1 − observed / expected disagreement; weights: " + _WEIGHTS[name] + "."
    return _WORDS[name]


_WEIGHTS = {
    "kappa": "every disagreement counts 1",
    "kappa_linear": "the distance of the values",
    "kappa_quadratic": "the squared distance of the values",
}
_WORDS = {
    "percent": "Pairs with the same value / all pairs.",
    "within_one": "Pairs at most one level apart / all pairs.",
    "ac1": "(observed − chance agreement) / (1 − chance agreement).",
    "ac2": "(observed − chance agreement) / (1 − chance agreement), quadratic weights.",
    "alpha_nominal": "1 − observed / expected disagreement, the values of both sides pooled.",
    "alpha_ordinal": "1 − observed / expected disagreement, squared distances of pooled ranks.",
    "alpha_interval": "1 − observed / expected disagreement, squared distances of values.",
    "icc": "(mean square of responses − of the rest) / (of responses + of the rest + 2 × (of "
    "sides − of the rest) / n).",
    "pearson": "Covariance / (standard deviation of auto × standard deviation of human).",
    "spearman": "Pearson's r of the ranks.",
    "kendall_b": "(pairs of responses in order − in reverse order) / √(pairs untied by the judge "
    "× pairs untied by people).",
    "mae": "Sum of |human − auto| / n.",
    "bias": "Sum of human − auto / n.",
    "sd_gap": "√(sum of (gap − mean gap)² / (n − 1)).",
}
_MADE = {
    "wilson": "Wilson's interval of a share",
    "wilson by conversation": "Wilson's interval of a share, by conversation",
    "t": "by Student's t",
    "dirichlet": "from 1,000 draws of the table after Dirichlet",
    "bootstrap": "from 1,000 resampled tables",
    "beta": "from the Beta distribution",
}


def _shown(above: str, below: str, value: float) -> str:
    return f"{above} / {below} = {numeral(value)}"


def _share(near: int) -> Callable[[Evidence, float], str]:
    def formula(evidence: Evidence, value: float) -> str:
        table = evidence.table
        ranks = np.arange(table.shape[0])
        same = float(table[np.abs(ranks[:, None] - ranks[None, :]) <= near].sum())
        return _shown(numeral(same), numeral(float(table.sum())), value)

    return formula


def _kappa(power: int) -> Callable[[Evidence, float], str]:
    def formula(evidence: Evidence, value: float) -> str:
        table, n = evidence.table, float(evidence.table.sum())
        distances = disagreement(_values(evidence), power)
        observed = float((table * distances).sum() / n)
        rows, columns = table.sum(axis=1), table.sum(axis=0)
        expected = float(rows @ distances @ columns / n**2)
        return f"1 − {numeral(observed)} / {numeral(expected)} = {numeral(value)}"

    return formula


def _gwet(power: int) -> Callable[[Evidence, float], str]:
    def formula(evidence: Evidence, value: float) -> str:
        table, n, k = evidence.table, float(evidence.table.sum()), evidence.table.shape[0]
        weights = agreement_weights(_values(evidence), power)
        observed = float((table * weights).sum() / n)
        shares = (table.sum(axis=0) + table.sum(axis=1)) / (2 * n)
        chance = float(weights.sum() / (k * (k - 1)) * (shares * (1 - shares)).sum())
        return (
            f"({numeral(observed)} − {numeral(chance)}) / (1 − {numeral(chance)}) = "
            f"{numeral(value)}"
        )

    return formula


def _alpha_nominal(evidence: Evidence, value: float) -> str:
    pairs = coincidences(evidence.table[None])[0]
    counts, n = pairs.sum(axis=1), float(pairs.sum())
    observed = float((n - np.trace(pairs)) / n)
    expected = float((n**2 - (counts**2).sum()) / (n * (n - 1)))
    value = float(alpha_nominal(pairs[None])[0])
    return f"1 − {numeral(observed)} / {numeral(expected)} = {numeral(value)}"


def _alpha_ordinal(evidence: Evidence, value: float) -> str:
    pairs = coincidences(evidence.table[None])[0]
    counts = pairs.sum(axis=1)
    return _alpha(pairs, np.cumsum(counts) - counts / 2, value)


def _alpha_interval(evidence: Evidence, value: float) -> str:
    exact = evidence.exact().weighed
    n = float(exact.counts.sum())
    observed = float(exact.counts @ (exact.human - exact.auto) ** 2 / n)
    both = np.concatenate([exact.auto, exact.human])
    counts = np.concatenate([exact.counts, exact.counts])
    mean = float(counts @ both / counts.sum())
    expected = 2 * float(counts @ (both - mean) ** 2 / (counts.sum() - 1))
    return f"1 − {numeral(observed)} / {numeral(expected)} = {numeral(value)}"


def _alpha(pairs: Floats, places: Floats, value: float) -> str:
    squares = (places[:, None] - places[None, :]) ** 2
    counts, n = pairs.sum(axis=1), float(pairs.sum())
    observed = float((pairs * squares).sum() / n)
    expected = float((np.outer(counts, counts) * squares).sum() / (n * (n - 1)))
    return f"1 − {numeral(observed)} / {numeral(expected)} = {numeral(value)}"


def _pearson(evidence: Evidence, value: float) -> str:
    exact = evidence.exact().weighed
    return _correlation(exact.auto, exact.human, exact.counts, value)


def _spearman(evidence: Evidence, value: float) -> str:
    exact = evidence.exact().weighed
    ranks = [_mid_ranks(side, exact.counts) for side in (exact.auto, exact.human)]
    return _correlation(ranks[0], ranks[1], exact.counts, value)


def _mid_ranks(values: Floats, counts: Floats) -> Floats:
    places = rank_places(values)
    sums = np.bincount(places, weights=counts)
    return np.asarray((np.cumsum(sums) - sums / 2)[places])


def _correlation(one: Floats, other: Floats, counts: Floats, value: float) -> str:
    n = float(counts.sum())
    a, b = one - counts @ one / n, other - counts @ other / n
    covariance = float(counts @ (a * b) / n)
    sides = [float(np.sqrt(counts @ side**2 / n)) for side in (a, b)]
    return (
        f"{numeral(covariance)} / ({numeral(sides[0])} × {numeral(sides[1])}) = {numeral(value)}"
    )


def _mean_gap(size: Callable[[Floats], Floats]) -> Callable[[Evidence, float], str]:
    def formula(evidence: Evidence, value: float) -> str:
        exact = evidence.exact().weighed
        total = float(exact.counts @ size(exact.human - exact.auto))
        return _shown(numeral(total), numeral(float(exact.counts.sum())), value)

    return formula


def _icc(evidence: Evidence, value: float) -> str:
    """Fill in the mean squares of responses, of sides, and of what is left."""
    exact = evidence.exact().weighed
    counts, n = exact.counts, float(exact.counts.sum())
    means = [float(counts @ side / n) for side in (exact.auto, exact.human)]
    middle = sum(means) / 2
    rows = 2 * float(counts @ ((exact.auto + exact.human) / 2 - middle) ** 2) / (n - 1)
    sides = n * sum((mean - middle) ** 2 for mean in means)
    gaps = exact.human - exact.auto - (means[1] - means[0])
    rest = float(counts @ gaps**2) / 2 / (n - 1)
    return (
        f"({numeral(rows)} − {numeral(rest)}) / ({numeral(rows)} + {numeral(rest)} + "
        f"2 × ({numeral(sides)} − {numeral(rest)}) / {numeral(n)}) = {numeral(value)}"
    )


def _kendall(evidence: Evidence, value: float) -> str:
    exact = evidence.exact().weighed
    there = exact.counts > 0
    auto, human, counts = exact.auto[there], exact.human[there], exact.counts[there]
    if counts.size > MOST_PAIRS:
        return _plain(evidence, value)
    both = np.outer(counts, counts) / 2
    x, y = (np.sign(side[:, None] - side[None, :]) for side in (auto, human))
    order = [float(both[x * y == way].sum()) for way in (1, -1)]
    rooms = [float(both[side != 0].sum()) for side in (x, y)]
    return (
        f"({numeral(order[0])} − {numeral(order[1])}) / √({numeral(rooms[0])} × "
        f"{numeral(rooms[1])}) = {numeral(value)}"
    )


def _sd_gap(evidence: Evidence, value: float) -> str:
    exact = evidence.exact().weighed
    gaps, n = exact.human - exact.auto, float(exact.counts.sum())
    squares = float(exact.counts @ (gaps - exact.counts @ gaps / n) ** 2)
    return f"√({numeral(squares)} / {numeral(n - 1)}) = {numeral(value)}"


def _plain(evidence: Evidence, value: float) -> str:
    return f"{numeral(value)}, from {numeral(float(evidence.exact().weighed.counts.sum()))} pairs"


def _values(evidence: Evidence) -> Floats:
    return np.array(evidence.scale.values if evidence.scale else (), dtype=np.float64)


_FORMULAS: dict[str, Callable[[Evidence, float], str]] = {
    "percent": _share(0),
    "within_one": _share(1),
    "kappa": _kappa(0),
    "kappa_linear": _kappa(1),
    "kappa_quadratic": _kappa(2),
    "ac1": _gwet(0),
    "ac2": _gwet(2),
    "alpha_nominal": _alpha_nominal,
    "alpha_ordinal": _alpha_ordinal,
    "alpha_interval": _alpha_interval,
    "icc": _icc,
    "pearson": _pearson,
    "spearman": _spearman,
    "kendall_b": _kendall,
    "mae": _mean_gap(np.abs),
    "bias": _mean_gap(np.positive),
    "sd_gap": _sd_gap,
}
