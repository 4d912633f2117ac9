"""Simulate intervals on people and on what to label next: python -m tests.bench.bench_people [n].

Prints coverage and mean width beside settled figures, `n` repetitions a row, 600 unless told; a
row that differs by more than four Monte Carlo errors is marked, and the exit code is then 1.
"""

import itertools
import sys
from dataclasses import dataclass

import numpy as np

from reviewer.stats.ceiling import Name, reach, units_of
from reviewer.stats.coefficients import moments
from reviewer.stats.contrast import (
    Contrast,
    Slope,
    share_contrast,
    share_variance,
    slope,
    within_contrast,
)
from reviewer.stats.estimate import corrected_mean
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.planning import next_strata, spreads
from reviewer.stats.strata import level_places, strata_by_level, stratified_mean
from reviewer.stats.values import Scale
from tests.bench.coverage import Ends, Floats, Report, ends, tried

FIVE = Scale((1.0, 2.0, 3.0, 4.0, 5.0))
SHARES = (0.05, 0.1, 0.2, 0.35, 0.3)


def panel(rng: np.random.Generator, n: int, judge: float) -> tuple[list[Floats], Floats]:
    """Draw evaluations with two or three labels each, and a judge with a spread and a lean."""
    truth = rng.choice(FIVE.values, n, p=SHARES)

    def said(spread: float, lean: float = 0.0) -> Floats:
        return np.clip(np.rint(truth + lean + rng.normal(0, spread, n)), 1, 5)

    people = np.column_stack([said(0.6), said(0.6), said(0.6)])
    sizes = rng.integers(2, 4, n)
    return [people[at, : sizes[at]] for at in range(n)], said(judge, judge - 0.6)


CEILINGS: dict[tuple[Name, float], tuple[float, ...]] = {
    ("kappa_quadratic", 0.6): (0.926, 0.918, 0.94),
    ("kappa_quadratic", 1.2): (0.91, 0.93, 0.937),
    ("percent", 0.6): (0.927, 0.94, 0.936),
    ("percent", 1.2): (0.943, 0.943, 0.945),
}


def ceilings(report: Report, repeats: int) -> None:
    """Check the share of what people reach that the judge reaches."""
    for (name, judge), settled in CEILINGS.items():
        report.head(f"Share reached, {name}, judge's spread {judge}, people's 0.6")
        rng = np.random.default_rng(1)
        truth = reach(units_of(*panel(rng, 100_000, judge), FIVE), name).share or 0.0
        for n, coverage in zip((30, 50, 100), settled, strict=True):
            found: list[Ends] = []
            for _ in range(repeats):
                one = reach(units_of(*panel(rng, n, judge), FIVE), name, IntervalPolicy())
                interval = one.intervals.get("share")
                low, high = (interval.low, interval.high) if interval else (None, None)
                found.append((one.share, low, high))
            report.row(f"{n} evaluations", tried(found, truth), coverage)


def compared(found: Contrast) -> Ends:
    """Take difference and ends of a contrast."""
    return found.difference, found.low, found.high


@dataclass(frozen=True, slots=True)
class Sight:
    """How often labels equal the judge's, unseen and in sight, and how far people differ."""

    unseen: float
    seen: float
    people: float


SIGHTS: dict[Sight, tuple[float, ...]] = {
    Sight(0.6, 0.8, 0.0): (0.952, 0.973, 0.943, 0.946),
    Sight(0.6, 0.8, 0.15): (0.937, 0.971, 0.814, 0.953),
    Sight(0.9, 0.98, 0.0): (0.997, 0.998, 0.963, 0.962),
}


def sights(report: Report, repeats: int) -> None:
    """Check differences between labels in sight and unseen, three people of different habits."""
    for sight, settled in SIGHTS.items():
        step = sight.seen - sight.unseen
        report.head(f"Agreement {sight.unseen} unseen, {sight.seen} in sight, ±{sight.people}")
        places = iter(settled)
        for n in (40, 150):
            rng = np.random.default_rng(n)
            overall: list[Ends] = []
            within: list[Ends] = []
            for _ in range(repeats):
                who = rng.integers(0, 3, n)
                # the most agreeable person sees the score most often
                seen = rng.random(n) < 0.3 + 0.2 * who
                share = np.where(seen, sight.seen, sight.unseen) + sight.people * (who - 1)
                hits = rng.random(n) < share
                overall.append(compared(share_contrast(hits, seen)))
                some = hits.astype(np.float64)
                found = within_contrast(some, seen, who, least=share_variance(hits))
                within.append(compared(found))
            report.row(f"{n} labels, all", tried(overall, step), next(places))
            report.row(f"{n} labels, the same people", tried(within, step), next(places))


MEANS = np.array([1.2, 1.8, 2.9, 3.6, 4.7])
SPREADS = np.array([0.3, 0.6, 1.2, 0.9, 0.35])
ORDERS: dict[int, tuple[float, ...]] = {50: (0.947, 0.938), 100: (0.947, 0.946)}


def population(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw a judge who errs most in the middle, and what people would say of everything."""
    auto = rng.choice(FIVE.values, 2000, p=(0.04, 0.06, 0.15, 0.35, 0.40))
    at = auto.astype(np.int64) - 1
    human = np.clip(np.rint(MEANS[at] + rng.normal(0, 1, auto.size) * SPREADS[at]), 1, 5)
    return auto, human


def in_order(rng: np.random.Generator, auto: Floats, human: Floats, m: int) -> Ends:
    """Label in the order of what to label next, planned anew after every 25 labels."""
    places, _ = level_places(auto, auto)
    waiting = [rng.permutation(np.flatnonzero(places == x)).tolist() for x in range(5)]
    labelled: list[int] = []
    while len(labelled) < m:
        rows = np.array(labelled, dtype=np.int64)
        strata = strata_by_level(auto, auto[rows], human[rows])
        levels = itertools.islice(next_strata(strata, spreads(strata)), 25)
        labelled.extend(waiting[level].pop() for level in levels)
    rows = np.array(labelled)
    return ends(stratified_mean(strata_by_level(auto, auto[rows], human[rows])))


def orders(report: Report, repeats: int) -> None:
    """Compare labels in order with labels at random; the order must be narrower and as sure."""
    rng = np.random.default_rng(3)
    truth = float(np.mean([population(rng)[1].mean() for _ in range(300)]))
    for m, (ordered, plain) in ORDERS.items():
        report.head(f"Mean of 2,000 from {m} labels, a judge who errs most in the middle")
        found: list[Ends] = []
        random: list[Ends] = []
        for _ in range(repeats):
            auto, human = population(rng)
            found.append(in_order(rng, auto, human, m))
            some = rng.permutation(auto.size)[:m]
            random.append(
                ends(
                    corrected_mean(
                        moments(auto[some], human[some]),
                        n_all=auto.size,
                        auto_mean_all=float(auto.mean()),
                    )
                )
            )
        report.row("in order", tried(found, truth), ordered)
        report.row("at random", tried(random, truth), plain)


SLOPES: dict[float, tuple[float, ...]] = {0.5: (0.936, 0.927), 0.8: (0.929, 0.922)}


def slopes(report: Report, repeats: int) -> None:
    """Check the slope of the gap over skewed lengths, twice as spread for long responses."""

    def drawn(rng: np.random.Generator, n: int, skew: float) -> Slope:
        lengths = rng.lognormal(6, skew, n)
        gaps = rng.choice([-1.0, 0.0, 0.0, 1.0], n) * np.where(lengths > 400, 2, 1)
        return slope(lengths / 100, gaps)

    for skew, settled in SLOPES.items():
        report.head(f"Gap per 100 characters, none there, skew of lengths {skew}")
        for n, coverage in zip((40, 150), settled, strict=True):
            rng = np.random.default_rng(n)
            some = [drawn(rng, n, skew) for _ in range(repeats)]
            report.row(
                f"{n} labels", tried([(x.value, x.low, x.high) for x in some], 0.0), coverage
            )


def main() -> int:
    """Print all tables."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    report = Report()
    for table in (ceilings, sights, orders, slopes):
        table(report, repeats)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
