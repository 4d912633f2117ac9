"""Simulate looks, drift checks and consensus: python -m tests.bench.bench_watching [n].

Prints error rates and accuracies beside the settled figures; a row that differs by more than four
Monte Carlo errors is marked, and the exit code is then 1. `n` repetitions, 2,000 unless told.
"""

import math
import sys

import numpy as np

from reviewer.stats.coefficients import moments
from reviewer.stats.consensus import Votes, dawid_skene, majority_consensus
from reviewer.stats.drift import Measured, cusum, system_change
from reviewer.stats.paired_shares import mcnemar
from reviewer.stats.planning import PlannedLooks, is_narrow_enough
from reviewer.stats.quantiles import t_quantile
from tests.bench.coverage import Floats, Report

LOOKS = (30, 60, 120, 240)


def stopping(report: Report, repeats: int) -> None:
    """Check stopping by a threshold that is exactly the truth, and stopping by width."""
    sys.stdout.write("\nWrong verdicts with the truth on the threshold (settled: two scenarios)\n")
    every = tuple(range(30, 241, 2))
    for name, looks, level, settled in (
        ("a look after every 2nd label", every, 0.95, 0.265),
        ("looks at 30/60/120/240, each at 95 %", LOOKS, 0.95, 0.138),
        ("planned looks, each at 98.75 %", LOOKS, PlannedLooks(LOOKS).level_each, 0.037),
    ):
        rng = np.random.default_rng(1)
        wrong = sum(_stops(rng.normal(0, 1, 240), looks, level) for _ in range(repeats))
        report.share(name, wrong / repeats, settled, repeats=repeats)
    rng = np.random.default_rng(2)
    hits = sum(_covers_at_width(rng.normal(0, 1, 400)) for _ in range(repeats))
    report.share("coverage when stopped by width", hits / repeats, 0.952, repeats=repeats)


def _stops(values: Floats, looks: tuple[int, ...], level: float) -> bool:
    for n in looks:
        mean, half = _mean(values[:n], level)
        if abs(mean) > half:
            return True
    return False


def _covers_at_width(values: Floats) -> bool:
    for n in range(30, len(values), 2):
        mean, half = _mean(values[:n], 0.95)
        if is_narrow_enough(n, half, wanted=0.2):
            return abs(mean) <= half
    return False


def _mean(values: Floats, level: float) -> tuple[float, float]:
    found = moments(values, values)
    spread = math.sqrt(found.s_human / (found.n - 1) / found.n)
    return found.human_mean, t_quantile(0.5 + level / 2, found.n - 1) * spread


def paired_verdicts(report: Report, repeats: int) -> None:
    """Check McNemar's tests and the interval that inverts mid-p on 200 items."""
    sys.stdout.write("\nMcNemar on 200 items, 8 % change either way\n")
    rng = np.random.default_rng(3)
    mid = exact = covered = 0
    for _ in range(repeats):
        lost, gained, _rest = rng.multinomial(200, [0.04, 0.04, 0.92])
        found = mcnemar(200, lost=int(lost), gained=int(gained))
        mid += (found.mid or 0.0) < 0.05
        exact += (found.exact or 0.0) < 0.05
        covered += (found.low or 0.0) <= 0 <= (found.high or 0.0)
    report.share("size of mid-p", mid / repeats, 0.042, repeats=repeats)
    report.share("size of the exact test", exact / repeats, 0.025, repeats=repeats)
    report.share("coverage of mid-p inverted", covered / repeats, 0.958, repeats=repeats)


def anchors(report: Report, repeats: int) -> None:
    """Check the judge's drift taken off a headline by 40 unchanged answers."""
    sys.stdout.write("\nSystem change .10 beside a judge drift of .30, 40 anchors\n")
    rng = np.random.default_rng(4)
    naive = covered = 0
    for _ in range(repeats):
        old, new = rng.normal(3, 1, 200), rng.normal(3.4, 1, 200)
        headline = Measured(float(new.mean() - old.mean()), math.sqrt(2 / 200), 398)
        half = 1.96 * headline.se
        naive += abs(headline.value - 0.1) <= half
        found = system_change(headline, rng.normal(0.3, 0.6, 40))
        covered += (found.low or 0.0) <= 0.1 <= (found.high or 0.0)
    report.share("headline as it stands", naive / repeats, 0.147, repeats=repeats)
    report.share("with the judge taken off", covered / repeats, 0.947, repeats=repeats)


def labelers(report: Report, repeats: int) -> None:
    """Check false alarms over 400 labels, and how soon a shift is found."""
    sys.stdout.write("\nCumulative sums of one labeler: false alarms in 400 labels by threshold\n")
    for threshold, settled in ((5.0, 0.57), (6.0, 0.27), (8.0, 0.041), (10.0, 0.005)):
        rng = np.random.default_rng(5)
        found = sum(
            bool(cusum(rng.normal(0, 1, 400).tolist(), threshold)) for _ in range(repeats // 2)
        )
        report.share(f"h = {threshold:g}", found / (repeats // 2), settled, repeats=repeats // 2)
    for shift, settled in ((1.0, 14), (0.6, 38)):
        rng = np.random.default_rng(6)
        delays = [
            next((x.at + 1 for x in cusum(rng.normal(shift, 1, 400).tolist())), 400)
            for _ in range(repeats // 2)
        ]
        name = f"labels until a shift of {shift} sd is found (median)"
        sys.stdout.write(f"{name:<56}{np.median(delays):>9.0f}{settled:>9}\n")


CREWS: tuple[tuple[str, tuple[float, ...], int, float, tuple[float, float]], ...] = (
    ("three (.9, .8, .6)", (0.9, 0.8, 0.6), 100, 0.5, (0.873, 0.863)),
    ("three (.9, .8, .6)", (0.9, 0.8, 0.6), 500, 0.5, (0.878, 0.881)),
    ("five (.9, .85, .8, .6, .6)", (0.9, 0.85, 0.8, 0.6, 0.6), 100, 0.5, (0.900, 0.925)),
)


def crews(report: Report, repeats: int) -> None:
    """Compare majority with Dawid and Skene's weighing."""
    sys.stdout.write("\nAccuracy of the consensus: majority, then Dawid and Skene\n")
    rounds = max(repeats // 20, 20)
    for name, accuracies, items, share, settled in CREWS:
        rng = np.random.default_rng(7)
        right = [0.0, 0.0]
        for _ in range(rounds):
            truth = (rng.random(items) < share).astype(np.intp)
            said = [np.where(rng.random(items) < x, truth, 1 - truth) for x in accuracies]
            people = len(accuracies)
            votes = Votes(
                np.tile(np.arange(items), people),
                np.repeat(np.arange(people), items),
                np.concatenate(said),
                items,
                people,
                2,
            )
            for at, found in enumerate((majority_consensus(votes), dawid_skene(votes).consensus)):
                values = np.array([-1 if x is None else x for x in found.values])
                right[at] += float(np.mean(values == truth)) / rounds
        for at, way in enumerate(("majority", "weighed")):
            report.share(
                f"{name}, {items} items: {way}", right[at], settled[at], repeats=rounds * items
            )


def main() -> int:
    """Print all tables."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    report = Report()
    for table in (stopping, paired_verdicts, anchors, labelers, crews):
        table(report, repeats)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
