"""Turns of conversations: how often means, rates, differences and corrected figures are covered.

A turn takes its conversation's value or one of its own, so that two turns of a conversation have
exactly the correlation of a row. Judge and people, the earlier and the later run are drawn
together.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from reviewer.domain.rubric import Metric
from reviewer.services.figures.paired_scores import at_one_level, score_shift, word
from reviewer.stats.clustering import (
    clustered_ppi,
    design_effect,
    level_of_conversations,
    mean_interval,
    share_interval,
    verdicts_effect,
)
from reviewer.stats.coefficients import moments
from reviewer.stats.contrast import Contrast, mean_contrast, share_contrast
from reviewer.stats.estimate import VerdictCounts, corrected_pass_rate, ppi
from reviewer.stats.intervals import Interval, IntervalPolicy
from reviewer.stats.paired import paired_shift
from reviewer.stats.paired_shares import changed_verdicts
from reviewer.stats.regression import percentile_change, runs_of
from tests.bench.coverage import Ends, Floats, Report, ends, tried

Ints = NDArray[np.int64]
TURNS = 5
LEAST = 0.93
CONVERSATIONS = (30, 100, 300)
CORRELATIONS = (0.0, 0.3, 0.6)
RATES = (0.2, 0.5, 0.8, 0.95)
FIVE = Metric(name="a", scale="range", min=1, max=5)


def turns(
    rng: np.random.Generator, groups: int, rho: float, draw: Callable[[int], Floats]
) -> Floats:
    """Draw rows of values for every turn, of which `draw` gives so many."""
    own, shared = draw(groups * TURNS), draw(groups).repeat(TURNS, axis=0)
    takes = rng.random(groups * TURNS) < math.sqrt(rho)
    return np.where(takes[:, None], shared, own)


def ordinal(rng: np.random.Generator, size: int) -> Floats:
    """Draw scores of people, of a judge beside them, and of another run, on five levels."""
    quality = rng.normal(3.5, 1.0, size)
    columns = [quality, quality + rng.normal(0, 0.5, size), quality + rng.normal(0.2, 0.8, size)]
    return np.clip(np.rint(np.stack(columns, axis=1)), 1, 5)


def passing(rng: np.random.Generator, size: int, rate: float) -> Floats:
    """Draw verdicts of people, of a judge, and of a later run that passes a little more."""
    human = rng.random(size) < rate
    judge = np.where(human, rng.random(size) < 0.9, rng.random(size) < 0.25)
    later = np.where(human, rng.random(size) < 0.92, rng.random(size) < 0.3)
    return np.stack([human, judge, later], axis=1).astype(np.float64)


def of_contrast(found: Contrast) -> Ends:
    """Take value and ends of a difference of two groups."""
    return found.difference, found.low, found.high


def of_interval(value: float, found: Interval | None) -> Ends:
    """Take value and ends of a share."""
    return (value, None, None) if found is None else (value, found.low, found.high)


def means(report: Report, repeats: int, groups: int, rho: float) -> None:
    """Check means and differences of ordinal scores."""
    rng = np.random.default_rng(groups)
    truth = ordinal(rng, 1_000_000).mean(axis=0)
    codes = np.arange(groups).repeat(TURNS)
    second = np.arange(groups).repeat(TURNS) % 2 == 1
    found: dict[str, list[Ends]] = {}
    for _ in range(repeats):
        human, judge, later = turns(rng, groups, rho, partial(ordinal, rng)).T
        mean = mean_interval(human, codes)
        step = paired_shift(later - human, clusters=codes)
        apart = mean_contrast(human, second, codes)
        labelled = codes < max(groups // 3, 20)
        plain = ppi(moments(judge[labelled], human[labelled]), human.size, float(judge.mean()),
                    weight=None if groups >= 100 else 1.0)  # fmt: skip
        corrected = clustered_ppi(
            plain, (judge[labelled], human[labelled]), codes[labelled], autos=(judge, codes)
        )
        for name, one in (
            ("mean", (mean.mean, mean.low, mean.high)),
            ("paired difference", (step.difference, step.low, step.high)),
            ("difference of two groups", of_contrast(apart)),
            ("corrected mean, a third labelled", ends(corrected)),
        ):
            found.setdefault(name, []).append(one)
    wanted = (truth[0], truth[2] - truth[0], 0.0, truth[0])
    for (name, some), true in zip(found.items(), wanted, strict=True):
        report.row(name, tried(some, float(true)), least=LEAST)


def rates(report: Report, repeats: int, groups: int, rho: float, rate: float) -> None:
    """Check rates, their differences and corrected ones."""
    rng = np.random.default_rng(groups)
    truth = (rate, rate * 0.92 + (1 - rate) * 0.3)
    codes = np.arange(groups).repeat(TURNS)
    second = codes % 2 == 1
    found: dict[str, list[Ends]] = {}
    for _ in range(repeats):
        verdicts = turns(rng, groups, rho, partial(passing, rng, rate=rate))
        human, judge, later = (column > 0 for column in verdicts.T)
        share = share_interval(human, codes)
        step = changed_verdicts(human, later, codes)
        apart = share_contrast(human, second, codes)
        for name, one in (
            ("rate", of_interval(float(human.mean()), share)),
            ("paired difference of rates", (step.difference, step.low, step.high)),
            ("difference of two groups", of_contrast(apart)),
            ("corrected rate, a third labelled", corrected_rate(human, judge, codes, groups)),
        ):
            found.setdefault(f"{name}, {rate:g}", []).append(one)
    wanted = (truth[0], truth[1] - truth[0], 0.0, truth[0])
    for (name, some), true in zip(found.items(), wanted, strict=True):
        # beyond .2 to .8 the rule asks for as many cases as the conversations are worth
        report.row(name, tried(some, true), least=LEAST)


def corrected_rate(
    human: NDArray[np.bool_], judge: NDArray[np.bool_], codes: Ints, groups: int
) -> Ends:
    """Correct a rate as the document does, by counts that conversations make smaller."""
    labelled = codes < max(groups // 3, 20)
    people, said = human[labelled].astype(np.float64), judge[labelled]
    level = np.where(said, people[said].mean() if said.any() else 0.0,
                     people[~said].mean() if (~said).any() else 0.0)  # fmt: skip
    effect = verdicts_effect(people > 0, people - level, codes[labelled]) or 1.0
    counts = VerdictCounts(
        both_pass=float(people[said].sum()) / effect,
        judge_pass_only=float((1 - people[said]).sum()) / effect,
        human_pass_only=float(people[~said].sum()) / effect,
        both_fail=float((1 - people[~said]).sum()) / effect,
        judged_pass=int(judge.sum()),
        judged=judge.size,
    )
    found = corrected_pass_rate(
        counts,
        n=people.size,
        judged_effect=design_effect(judge.astype(np.float64), codes) or 1.0,
        level=level_of_conversations(codes[labelled], 0.95),
    )
    return ends(found)


def conversations(report: Report, repeats: int) -> None:
    """Check everything that conversations touch."""
    some = max(repeats // 4, 100)
    for groups in CONVERSATIONS:
        for rho in CORRELATIONS:
            report.head(f"{groups} conversations of {TURNS}, correlation {rho:g}")
            means(report, some, groups, rho)
            for rate in RATES:
                rates(report, some, groups, rho, rate)


def equal_runs(report: Report, repeats: int) -> None:
    """Count how often one of six metrics of two equal runs is called better or worse."""
    some = max(repeats // 2, 100)
    for groups, rho in ((100, 0.0), (30, 0.0), (30, 0.6)):
        rng = np.random.default_rng(groups)
        codes = np.arange(groups).repeat(TURNS)
        alarms = 0
        draw = partial(ordinal, rng)
        for _ in range(some):
            shifts = {}
            for at in range(6):
                before, after = (turns(rng, groups, rho, draw)[:, 0] for _ in range(2))
                shifts[str(at)] = score_shift(FIVE, before, after, codes)
            told, _ = at_one_level(shifts)
            alarms += any(word(x.sign, x.n) for x in told.values())
        report.most(f"any of six, {groups} conversations, correlation {rho:g}",
                    alarms / some, 0.05, repeats=some)  # fmt: skip


def slower(report: Report, repeats: int) -> None:
    """Check the change of p95, of single cases and of conversations."""
    report.head("Change of p95, lognormal latencies")
    some, policy = max(repeats // 8, 100), IntervalPolicy(resamples=500)
    for factor in (1.0, 1.5):
        rng = np.random.default_rng(5)
        spread = np.exp(rng.normal(0, 1, 1_000_000))
        truth = float(np.quantile(spread, 0.95)) * (factor - 1)
        for groups, size in ((40, 1), (100, 1), (40, TURNS), (100, TURNS)):
            codes = np.arange(groups).repeat(size)
            found: list[Ends] = []
            for _ in range(some):
                shared = rng.normal(0, 0.7, (2, groups)).repeat(size, axis=1)
                own = rng.normal(0, math.sqrt(1 - 0.7**2), (2, codes.size))
                before, after = np.exp(shared + own)
                runs = runs_of(before, factor * after, paired=True, clusters=(codes, codes))
                one = percentile_change(runs, policy)
                found.append((one.difference, one.low, one.high))
            name = f"{groups} conversations of {size}, slower {factor:g} times"
            report.row(name, tried(found, truth), least=LEAST)
