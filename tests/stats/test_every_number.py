"""Every public function of the room gives finite numbers or none, whatever numbers it is given.

A test that fails at random is a defect found: where a division, root, logarithm or quantile can
meet values that are all alike, next to nothing or next to everything, it is tried here. What one
function gives may be None or say why; it is never an infinity, and never another error than the
`ValueError` that its description names.
"""

import inspect
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.stats import (
    agreement,
    calibration,
    ceiling,
    clustering,
    coefficients,
    consensus,
    contrast,
    deviations,
    drift,
    estimate,
    intervals,
    overall_columns,
    paired,
    paired_shares,
    pairs,
    panel,
    passfail,
    planning,
    quantiles,
    regression,
    satisfaction,
    segments,
    strata,
    values,
)
from reviewer.stats.label_counts import Judged

LARGEST = 1e100
"""Beyond it nobody scores, measures or pays; squares of it are numbers still."""
numbers = st.one_of(
    st.integers(-5, 5).map(float),
    st.integers(-20, 20).map(lambda x: x / 10),
    st.floats(-LARGEST, LARGEST),
    st.sampled_from([5e-324, 1e-300, -1e-170, 1e-9, 0.1 + 0.2, 1e9, 1e16, LARGEST, -LARGEST]),
)
levels = st.integers(1, 5).map(float)
shares = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 5e-324, 1 - 2**-53, 0.5]))
confidence = st.sampled_from([0.5, 0.8, 0.95, 0.99, 0.9999])
POLICY = intervals.IntervalPolicy(resamples=20)
FIVE = values.Scale((1.0, 2.0, 3.0, 4.0, 5.0))
TWO = values.Scale((0.0, 1.0))
SORTS = values.Scale((0.0, 1.0, 2.0), ordered=False)
scales = st.sampled_from([FIVE, TWO, SORTS, None])
TABLES: list[values.LabelTable] = ["each", "majority"]
STATISTICS = [
    "percent", "within_one", "kappa", "kappa_linear", "kappa_quadratic", "ac1", "ac2",
    "alpha_nominal", "alpha_ordinal", "alpha_interval", "icc", "icc_c", "pearson", "spearman",
    "kendall_b",
]  # fmt: skip
Draw = Callable[[st.SearchStrategy[Any]], Any]


def column(draw: Draw, of: st.SearchStrategy[float] = numbers, *, n: int | None = None) -> Any:
    """Values, often many of them alike."""
    size = draw(st.integers(0, 14)) if n is None else n
    few = draw(st.lists(of, min_size=1, max_size=3))
    mostly = st.sampled_from(few) if draw(st.booleans()) else of
    return np.array(draw(st.lists(mostly, min_size=size, max_size=size)), dtype=np.float64)


def flags(draw: Draw, n: int) -> Any:
    return np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=np.bool_)


def codes(draw: Draw, n: int, most: int = 4) -> Any:
    found = draw(st.lists(st.integers(0, most), min_size=n, max_size=n))
    return np.array(found, dtype=np.int64)


def clusters(draw: Draw, n: int) -> Any:
    return codes(draw, n) if draw(st.booleans()) else None


def many(draw: Draw, of: st.SearchStrategy[float] = numbers) -> Any:
    """Enough values that intervals come into it."""
    return np.tile(column(draw, of, n=draw(st.integers(1, 12))), draw(st.integers(1, 5)))


def _agreement(draw: Draw) -> Any:
    scale = draw(scales)
    auto = column(draw, levels if draw(st.booleans()) else numbers)
    human = column(draw, levels if draw(st.booleans()) else numbers, n=auto.size)
    evidence = pairs.array_evidence(auto, human, scale)
    if auto.size and draw(st.booleans()):
        evidence = pairs.in_conversations(evidence, auto, human, codes(draw, auto.size))
    name = draw(st.sampled_from(STATISTICS))
    return (
        agreement.agreement(evidence, POLICY),
        agreement.coefficient_or_reason(evidence, name),
        agreement.coefficient_interval(evidence, name, POLICY),
    )


def _paired(draw: Draw) -> Any:
    first = column(draw, levels)
    n = first.size
    human, own = column(draw, levels, n=n), clusters(draw, n)
    one, other = (
        Judged(auto, human, pairs.Labels(np.arange(n), human), clusters=own)
        for auto in (first, column(draw, levels, n=n))
    )
    rated = paired.RatedTwice(one, other, draw(scales), draw(st.sampled_from(TABLES)))
    return paired.paired_agreement(rated, draw(st.sampled_from(STATISTICS)), POLICY)


def _contrast(draw: Draw) -> Any:
    column_ = many(draw)
    n = column_.size
    second, own, level = flags(draw, n), clusters(draw, n), draw(confidence)
    return (
        contrast.mean_contrast(column_, second, own, level, draw(st.integers(2, 10))),
        contrast.share_contrast(column_ > 0, second, own, level),
        contrast.within_contrast(column_, second, codes(draw, n), own, level),
        drift.headline_change(
            column_[~second],
            column_[second],
            None if own is None else (own[~second], own[second]),
        ),
    )


def _system(draw: Draw) -> Any:
    shifts = many(draw)
    headline = drift.Measured(
        draw(numbers), abs(draw(numbers)), draw(st.sampled_from([1.0, 7.5, 1e6]))
    )
    found = drift.system_change(headline, shifts, draw(confidence), clusters(draw, shifts.size))
    return found, found.at(draw(confidence))


def _shift(draw: Draw) -> Any:
    steps = many(draw)
    found = paired.paired_shift(steps, draw(confidence), clusters(draw, steps.size))
    return (
        found,
        found.at(draw(confidence)),
        paired.signed_ranks(steps),
        drift.measured(found),
    )


def _verdicts(draw: Draw) -> Any:
    n = draw(st.integers(0, 40))
    before, after = flags(draw, n), flags(draw, n)
    found = paired_shares.changed_verdicts(before, after, clusters(draw, n), draw(confidence))
    return found, found.at(draw(confidence)), paired.shift_of_verdicts(found)


def _regression(draw: Draw) -> Any:
    before = many(draw)
    paired_ = draw(st.booleans())
    after = column(draw, n=before.size) if paired_ else many(draw)
    both = None
    if draw(st.booleans()):
        own = codes(draw, before.size, 60)
        both = (own, own if paired_ else codes(draw, after.size, 60))
    runs = regression.runs_of(before, after, paired=paired_, clusters=both)
    made = (
        regression.percentile_change(runs, POLICY),
        regression.mean_change(runs, draw(confidence)),
    )
    return made, [one.is_regression() for one in made], [one.share for one in made]


def _segments(draw: Draw) -> Any:
    column_ = many(draw)
    hits = (column_ > 0).astype(np.float64)
    n = column_.size
    rows = np.arange(n, dtype=np.int64)
    members = segments.Members(rows, codes(draw, n, 2), 3)
    own, level = clusters(draw, n), draw(confidence)
    found, rates = (segments.compare_groups(x, members, own) for x in (column_, hits))
    return [
        (found.p_value(at), found.interval(at, level), rates.share_interval(at, level))
        for at in range(3)
    ]


def _clustering(draw: Draw) -> Any:
    column_ = many(draw)
    own, level = codes(draw, column_.size), draw(confidence)
    hits = column_ > 0
    return (
        clustering.mean_interval(column_, own, level),
        clustering.mean_interval(column_, None, level),
        clustering.clustered_mean(column_, own.tolist(), level),
        clustering.cluster_se(column_, own),
        clustering.design_effect(column_, own),
        clustering.share_interval(hits, own, level),
        clustering.share_interval(hits, None, level),
    )


def _estimate(draw: Draw) -> Any:
    human = column(draw)
    auto = column(draw, n=human.size)
    both, level = coefficients.moments(auto, human), draw(confidence)
    n_all = human.size + draw(st.integers(0, 50))
    target: Any = draw(st.sampled_from(["future", "run"]))
    mean = draw(st.one_of(st.none(), numbers))
    made = [estimate.corrected_mean(both, n_all=n_all, auto_mean_all=mean, target=target)]
    if human.size and n_all:
        weight = draw(st.sampled_from([None, 1.0]))
        found = estimate.ppi(both, n_all, draw(numbers), weight=weight, target=target, level=level)
        own = codes(draw, human.size).astype(np.intp)
        made += [
            found,
            clustering.clustered_ppi(found, (auto, human), own, autos=(auto, own), level=level),
            clustering.widened(found, draw(st.sampled_from([None, 1.0, 7.5]))),
        ]
    return made, both


def _verdict_counts(draw: Draw) -> Any:
    cells = [float(draw(st.integers(0, 30))) for _ in range(4)]
    judged = int(sum(cells)) + draw(st.integers(0, 200))
    counts = estimate.VerdictCounts(
        both_pass=cells[0], judge_pass_only=cells[1], human_pass_only=cells[2],
        both_fail=cells[3], judged_pass=draw(st.integers(0, judged)), judged=judged,
    )  # fmt: skip
    target: Any = draw(st.sampled_from(["future", "run"]))
    level = draw(confidence)
    flat = [int(x) for x in cells]
    whole = [[int(cells[3]), int(cells[2])], [int(cells[1]), int(cells[0])]]
    made = (draw(st.integers(0, 80)), draw(st.integers(0, 80)))
    auto, human = np.repeat([1, 1, 0, 0], flat), np.repeat([1, 0, 1, 0], flat)
    drawn = passfail.verdict_evidence(auto, human, None, clusters(draw, int(sum(cells))))
    fails, passes = draw(st.integers(0, 30)), draw(st.integers(0, 30))
    golden = passfail.GoldenSet(
        fails=fails, caught=draw(st.integers(0, fails)),
        passes=passes, kept=draw(st.integers(0, passes)),
    )  # fmt: skip
    return (
        estimate.corrected_pass_rate(counts, target=target, level=level),
        estimate.pass_rate(counts, target=target, level=level) if judged else None,
        estimate.human_pass_rate(cells[0], sum(cells[:2]), level),
        passfail.pass_fail(whole, level),
        passfail.drawn_pass_fail(drawn, made, POLICY, of_strata=draw(st.booleans())),
        passfail.rogan_gladen(golden, judged_pass=made[0], judged=sum(made), level=level),
    )


def _strata(draw: Draw) -> Any:
    autos = column(draw, levels)
    size = draw(st.integers(0, autos.size))
    human = column(draw, n=size)
    found = strata.strata_by_level(autos, autos[:size], human)
    target: Any = draw(st.sampled_from(["future", "run"]))
    made: list[Any] = [strata.stratified_mean(found, target=target, level=draw(confidence))]
    if found:
        made += [
            planning.spreads(found).tolist(),
            planning.labels_to_width(found, half_width=draw(st.floats(1e-3, 10))),
        ]
    return made


def _selection(draw: Draw) -> Any:
    human = column(draw)
    if not human.size:
        return None
    n = human.size
    probability = np.array(
        draw(st.lists(st.floats(1e-6, 1.0), min_size=n, max_size=n)), dtype=np.float64
    )
    auto = column(draw, n=n)
    verdicts, others = (human > 0).astype(np.float64), (auto > 0).astype(np.float64)
    judged = n + draw(st.integers(0, 40))
    level = draw(confidence)
    return (
        strata.drawn_mean(
            strata.Drawn(human, probability, auto), auto, n_all=judged, level=level
        ),
        strata.drawn_mean(
            strata.Drawn(human, probability, None), None, n_all=judged, level=level
        ),
        strata.drawn_pass_rate(
            strata.Drawn(verdicts, probability, others),
            judged_pass=draw(st.integers(0, judged)), judged=judged, level=level,
        ),
    )  # fmt: skip


def _calibration(draw: Draw) -> Any:
    places = sorted(draw(st.sets(levels, min_size=1)))
    sums = {x: (float(draw(st.integers(0, 40))), draw(numbers)) for x in places}
    distances = {abs(draw(numbers)): draw(st.integers(0, 40)) for _ in places}
    found = calibration.calibration_of_sums(sums, smallest=draw(st.integers(0, 50)))
    around = calibration.conformal(distances, draw(st.sampled_from([0.5, 0.9, 0.95])))
    return found, around, around.around(draw(numbers))


def _consistency(draw: Draw) -> Any:
    repeats = [column(draw).tolist() for _ in range(draw(st.integers(0, 5)))]
    share = st.one_of(st.none(), shares)
    return (
        calibration.flip_rate(repeats),
        calibration.repeatability(repeats),
        calibration.ceiling(draw(share), draw(share)),
    )


def _people(draw: Draw) -> Any:
    scale = draw(st.sampled_from([FIVE, TWO, SORTS]))
    inside = st.sampled_from(scale.values)
    units = [column(draw, inside).tolist() for _ in range(draw(st.integers(0, 8)))]
    found = panel.panel_of(units, scale, 14)
    groups = [np.array(unit) for unit in units]
    judge = column(draw, inside, n=len(groups))
    things = ceiling.units_of(groups, judge, scale)
    name: Any = draw(st.sampled_from(["percent", "kappa", "kappa_quadratic"]))
    return panel.panel_agreement(found, POLICY), ceiling.reach(things, name, POLICY)


def _pairwise(draw: Draw) -> Any:
    column_ = column(draw, levels if draw(st.booleans()) else numbers)
    n = column_.size
    return list(panel.pair_figures(codes(draw, n, 2), codes(draw, n), column_, draw(scales)))


def _drift_of_people(draw: Draw) -> Any:
    column_ = many(draw)
    n = column_.size
    found = drift.residuals(codes(draw, n), codes(draw, n, 2), column_)
    return (
        found.sd,
        found.standardised().tolist() if found.sd else None,
        drift.cusum(np.clip(column_, -50, 50).tolist()),
    )


def _satisfaction(draw: Draw) -> Any:
    parts = tuple(
        satisfaction.Part(
            name=name, low=1.0, high=5.0, weight=draw(st.sampled_from([0.0, 1.0, 5e-324, 1e9])),
            pass_at=draw(st.sampled_from([None, 3.0])),
        )
        for name in "ab"
    )  # fmt: skip
    rule = satisfaction.OverallRule(parts=parts)
    one = st.one_of(st.none(), st.floats(1, 5))
    auto, human = ({name: draw(one) for name in "ab"} for _ in range(2))
    found = {name: np.array([np.nan if value is None else value]) for name, value in auto.items()}
    columns = overall_columns.overall_columns(found, found, rule)
    assert not np.isinf(columns.auto).any()
    assert not np.isinf(columns.gap).any()
    return satisfaction.overall(auto, human, rule), satisfaction.verdict(auto, rule)


def _quantiles(draw: Draw) -> Any:
    p = draw(st.floats(1e-12, 1 - 1e-12))
    df = draw(st.one_of(st.floats(0.5, 1e6), st.sampled_from([1.0, 2.0, 1e9])))
    a, b = draw(st.floats(0.05, 1e5)), draw(st.floats(0.05, 1e5))
    return (
        quantiles.normal_quantile(p),
        quantiles.t_quantile(p, df),
        quantiles.t_two_sided(draw(numbers), df),
        quantiles.normal_two_sided(draw(numbers)),
        quantiles.beta_quantile(p, a, b),
        quantiles.beta_cdf(draw(shares), a, b),
    )


def _small(draw: Draw) -> Any:
    hits, misses, others, more = (draw(st.integers(0, 200)) for _ in range(4))
    n = draw(st.integers(0, 500))
    k = draw(st.integers(0, n))
    p_values = draw(st.lists(st.one_of(st.none(), shares), max_size=6))
    level = draw(confidence)
    return (
        paired_shares.fisher_exact(hits, misses, others_hits=others, others_misses=more),
        intervals.wilson(k, n, level),
        intervals.t_interval(draw(numbers), abs(draw(numbers)), n, level),
        segments.benjamini_hochberg(p_values),
        segments.level_left(p_values, level),
        segments.judge_slices([draw(st.integers(0, 30)) for _ in p_values], p_values),
        paired_shares.mid_p(hits, misses),
        segments.simultaneous_level(level, n),
    )


def _planning(draw: Draw) -> Any:
    human = column(draw)
    both = coefficients.moments(column(draw, n=human.size), human)
    target: Any = draw(st.sampled_from(["future", "run"]))
    width = draw(st.floats(1e-6, 1e6))
    return (
        planning.plan_labels(
            both, n_all=human.size + draw(st.integers(1, 50)), half_width=width, target=target
        ),
        planning.labels_needed(
            sd=abs(draw(st.floats(0, 1e6))), correlation=draw(st.floats(-1, 1)),
            half_width=width, n_all=draw(st.integers(1, 10**6)), target=target,
        ),
        planning.kappa_labels(draw(st.integers(1, 1000)), draw(st.floats(0.01, 1)),
                              draw(st.floats(0.01, 1))),
    )  # fmt: skip


def _deviations(draw: Draw) -> Any:
    gaps = many(draw).tolist()
    found = deviations.deviations(gaps)
    return found, draw(numbers) + found.band


def _ranks(draw: Draw) -> Any:
    column_ = many(draw)
    found = coefficients.average_ranks(column_)
    assert np.isfinite(found).all()
    return None


def _consensus(draw: Draw) -> Any:
    n = draw(st.integers(0, 30))
    votes = consensus.Votes(codes(draw, n), codes(draw, n, 2), codes(draw, n, 2), 5, 3, 3)
    found = consensus.majority_consensus(votes)
    made: list[Any] = [consensus.why_not_weighed(votes), consensus.agreement_with(votes, found)]
    if n:
        weighed = consensus.dawid_skene(votes)
        made.append(consensus.agreement_with(votes, weighed.consensus))
    return made


def _slope(draw: Draw) -> Any:
    x = column(draw)
    return contrast.slope(x, column(draw, n=x.size), clusters(draw, x.size), draw(confidence))


FUNCTIONS: Mapping[str, Callable[[Draw], Any]] = {
    name.removeprefix("_"): function
    for name, function in list(globals().items())
    if name.startswith("_")
    and inspect.isfunction(function)
    and list(inspect.signature(function).parameters) == ["draw"]
}


def numbers_in(found: Any) -> Iterator[float]:
    """Every number of a result, however deep."""
    if isinstance(found, int | float | np.floating | np.integer):
        yield float(found)
        return
    inside: Iterable[Any] = ()
    if is_dataclass(found) and not isinstance(found, type):
        inside = [getattr(found, field.name) for field in fields(found)]
    elif isinstance(found, Mapping):
        inside = found.values()
    elif isinstance(found, list | tuple | set | frozenset):
        inside = found
    for one in inside:
        yield from numbers_in(one)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
@settings(max_examples=60)
def test_every_number_is_finite_or_none(name: str, data: st.DataObject) -> None:
    found = FUNCTIONS[name](data.draw)
    assert all(math.isfinite(number) for number in numbers_in(found)), found
