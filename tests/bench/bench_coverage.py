"""Simulate how often shipped intervals hold the truth: python -m tests.bench.bench_coverage [n].

Prints, for each scenario, coverage and mean width beside the settled figures; a row that differs
by more than four Monte Carlo errors, or lies below what is wanted, is marked, and the exit code is
then 1. `n` repetitions a row, 2,000 unless told.
The human score is the truth; `future` is the target everywhere.
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reviewer.stats.calibration import conformal
from reviewer.stats.clustering import clustered_mean
from reviewer.stats.coefficients import moments
from reviewer.stats.estimate import (
    VerdictCounts,
    corrected_pass_rate,
    human_pass_rate,
    pass_rate,
    ppi,
)
from reviewer.stats.passfail import GoldenSet, rogan_gladen
from reviewer.stats.strata import Drawn, drawn_mean, strata_by_level, stratified_mean
from tests.bench.conversations import conversations, equal_runs, slower
from tests.bench.coverage import Ends, Floats, Report, ends, levels, tried

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Hold a population's verdicts, and which of it people labelled."""

    human: Flags
    judge: Flags
    chosen: NDArray[np.intp]

    def counts(self, every: Floats) -> VerdictCounts:
        """Count labelled verdicts beside the judge's verdicts on everything."""
        human, judge = self.human[self.chosen], self.judge[self.chosen]
        return VerdictCounts(
            both_pass=int((human & judge).sum()),
            judge_pass_only=int((~human & judge).sum()),
            human_pass_only=int((human & ~judge).sum()),
            both_fail=int((~human & ~judge).sum()),
            judged_pass=int(every.sum()),
            judged=every.size,
        )


def by_ppi(auto: Floats, human: Floats, autos: Floats, weight: float | None) -> Ends:
    """Estimate with the published weight (1) or the fitted one (None)."""
    pairs = moments(auto, human)
    # a judge who says the same everywhere has no slope
    used = 1.0 if weight is None and not pairs.s_auto else weight
    return ends(ppi(pairs, len(autos), float(autos.mean()), weight=used))


def by_golden_set(verdicts: Verdicts, *, among: bool) -> Ends:
    """Estimate from the labelled as golden set; the traffic is all, or only the others."""
    c = verdicts.counts(np.zeros(0))
    golden = GoldenSet(
        fails=round(c.judge_pass_only + c.both_fail),
        caught=round(c.both_fail),
        passes=round(c.both_pass + c.human_pass_only),
        kept=round(c.both_pass),
    )
    rest = np.ones(verdicts.judge.size, dtype=np.bool_)
    rest[verdicts.chosen] = among
    found = rogan_gladen(
        golden, judged_pass=int(verdicts.judge[rest].sum()), judged=int(rest.sum())
    )
    return ends(found)


def rates(verdicts: Verdicts, *, separate: bool = False, among: bool = False) -> dict[str, Ends]:
    """Estimate a pass rate in every way there is."""
    human = verdicts.human[verdicts.chosen].astype(np.float64)
    judge = verdicts.judge[verdicts.chosen].astype(np.float64)
    every = verdicts.judge.astype(np.float64)
    if separate:
        every = np.delete(every, verdicts.chosen)
    return {
        "humans only": ends(human_pass_rate(float(human.sum()), human.size)),
        "PPI, weight 1": by_ppi(judge, human, every, 1.0),
        "PPI++": by_ppi(judge, human, every, None),
        # a verdict without label enters as one half, as in the settled table
        "pass_rate()": pass_rate(verdicts.counts(every)),
        "Rogan-Gladen": by_golden_set(verdicts, among=among),
    }


def drawn(
    rng: np.random.Generator, size: int, truth: float, hits: tuple[float, float]
) -> tuple[Flags, Flags]:
    """Draw people's verdicts and those of a judge with the given sensitivity and specificity."""
    human = rng.random(size) < truth
    judge = np.where(human, rng.random(size) < hits[0], rng.random(size) >= hits[1])
    return human, judge


RANDOM_LABELS: tuple[tuple[tuple[float, float, float, int, int], tuple[float, ...]], ...] = (
    ((0.85, 0.95, 0.70, 20, 1000), (0.982, 0.963, 0.910, 0.987, 0.991)),
    ((0.85, 0.95, 0.70, 30, 1000), (0.958, 0.975, 0.927, 0.972, 0.987)),
    ((0.85, 0.95, 0.70, 50, 1000), (0.960, 0.955, 0.932, 0.962, 0.983)),
    ((0.85, 0.95, 0.70, 100, 1000), (0.933, 0.951, 0.939, 0.951, 0.967)),
    ((0.95, 0.98, 0.50, 30, 1000), (0.938, 0.867, 0.760, 0.986, 0.972)),
    ((0.95, 0.98, 0.50, 100, 1000), (0.969, 0.949, 0.892, 0.961, 0.978)),
    ((0.98, 0.995, 0.90, 50, 2000), (0.925, 0.685, 0.583, 0.997, 0.993)),
    ((0.60, 0.80, 0.80, 50, 1000), (0.933, 0.951, 0.943, 0.947, 0.966)),
)
WIDTHS = (
    (0.297, 0.253, 0.226, 0.228, 0.374),
    (0.247, 0.212, 0.192, 0.187, 0.337),
    (0.194, 0.165, 0.151, 0.147, 0.279),
    (0.139, 0.119, 0.110, 0.108, 0.203),
    (0.173, 0.135, 0.106, 0.133, 0.133),
    (0.088, 0.081, 0.072, 0.072, 0.130),
    (0.098, 0.033, 0.023, 0.061, 0.061),
    (0.259, 0.252, 0.228, 0.214, 0.442),
)


def random_labels(report: Report, repeats: int) -> None:
    """Reproduce the table of pass rates from random labels."""
    for (scenario, coverages), widths in zip(RANDOM_LABELS, WIDTHS, strict=True):
        truth, sensitivity, specificity, n, size = scenario
        report.head(
            f"Pass rate {truth}, sensitivity {sensitivity}, specificity {specificity}, "
            f"{n} random labels of {size:,}"
        )
        rng = np.random.default_rng(n + size)
        found: dict[str, list[Ends]] = {}
        for _ in range(repeats):
            human, judge = drawn(rng, size, truth, (sensitivity, specificity))
            for name, one in rates(Verdicts(human, judge, np.arange(n))).items():
                found.setdefault(name, []).append(one)
        for (name, some), coverage, width in zip(found.items(), coverages, widths, strict=True):
            report.row(name, tried(some, truth), coverage, width=width)


def ways(rng: np.random.Generator, way: str) -> Verdicts:
    """Draw 100 labels of 1,000 evaluations with a pass rate of .85 in one of four ways."""
    human, judge = drawn(rng, 1000, 0.85, (0.95, 0.70))
    if way == "random":
        return Verdicts(human, judge, np.arange(100))
    if way == "half from judge-fails":
        fails, passes = np.flatnonzero(~judge)[:50], np.flatnonzero(judge)[:50]
        return Verdicts(human, judge, np.concatenate([fails, passes]))
    if way == "hunting for bad ones 2:1":
        weight = np.where(human, 1.0, 2.0)
        chosen = rng.choice(1000, 100, replace=False, p=weight / weight.sum())
        return Verdicts(human, judge, chosen)
    golden = np.repeat([True, False], 50)
    said = np.where(golden, rng.random(100) < 0.95, rng.random(100) >= 0.70)
    joined = np.concatenate([human, golden]), np.concatenate([judge, said])
    return Verdicts(*joined, np.arange(1000, 1100))


WAYS: dict[str, dict[str, tuple[float, float]]] = {
    "random": {
        "humans only": (0, 0.93),
        "PPI, weight 1": (0, 0.94),
        "pass_rate()": (0, 0.95),
        "Rogan-Gladen": (-0.005, 0.98),
    },
    "half from judge-fails": {
        "humans only": (-0.233, 0),
        "PPI, weight 1": (0.119, 0.13),
        "pass_rate()": (0, 0.945),
        "Rogan-Gladen": (0.149, 0),
    },
    "hunting for bad ones 2:1": {
        "humans only": (-0.102, 0.20),
        "PPI, weight 1": (-0.036, 0.84),
        "pass_rate()": (-0.054, 0.55),
        "Rogan-Gladen": (-0.001, 0.98),
    },
    "separate balanced golden set": {
        "humans only": (-0.350, 0),
        "PPI, weight 1": (-0.121, 0.13),
        "pass_rate()": (-0.190, 0),
        "Rogan-Gladen": (0.002, 0.97),
    },
}


def chosen_labels(report: Report, repeats: int) -> None:
    """Reproduce the table of ways in which labels are chosen."""
    for way, settled in WAYS.items():
        report.head(f"100 labels, pass rate .85, chosen: {way}")
        rng = np.random.default_rng(7)
        found: dict[str, list[Ends]] = {}
        separate = way.startswith("separate")
        for _ in range(repeats):
            for name, one in rates(ways(rng, way), separate=separate, among=not separate).items():
                found.setdefault(name, []).append(one)
        for name, (bias, coverage) in settled.items():
            report.row(name, tried(found[name], 0.85), coverage, bias=bias)


def ordinal(report: Report, repeats: int) -> None:
    """Check means of ordinal scores, with labels chosen at random and by level."""
    for lenient, settled in (
        (False, {10: 0.948, 20: 0.952, 30: 0.942, 50: 0.957, 100: 0.947}),
        (True, {20: 0.939, 30: 0.944, 100: 0.942}),
    ):
        rng = np.random.default_rng(8)
        every = levels(rng, 400_000, lenient=lenient)
        truth, rho = float(every[1].mean()), float(np.corrcoef(*every)[0, 1])
        report.head(f"Ordinal mean, correlation {rho:.2f}, random labels of 1,000")
        for n, coverage in settled.items():
            some: list[list[Ends]] = [[], []]
            for _ in range(repeats):
                auto, human = levels(rng, 1000, lenient=lenient)
                for at, weight in enumerate((1.0, None)):
                    some[at].append(by_ppi(auto[:n], human[:n], auto, weight))
            report.row(f"weight 1, n = {n}", tried(some[0], truth))
            report.row(f"PPI++, n = {n}", tried(some[1], truth), coverage)
        report.head("The same, 100 labels spread evenly over the judge's levels")
        found = [list(by_level(*levels(rng, 1000, lenient=lenient))) for _ in range(repeats)]
        for at, name in enumerate(("PPI++", "by stratum", "1 / probability")):
            report.row(name, tried([one[at] for one in found], truth))


def by_level(auto: Floats, human: Floats) -> Iterator[Ends]:
    """Label up to 100 evaluations, as many of each level as there are, and estimate."""
    there = np.unique(auto)
    chosen = np.concatenate([np.flatnonzero(auto == x)[: 100 // len(there)] for x in there])
    yield by_ppi(auto[chosen], human[chosen], auto, None)
    yield ends(stratified_mean(strata_by_level(auto, auto[chosen], human[chosen])))
    share = {x: (auto[chosen] == x).sum() / (auto == x).sum() for x in there.tolist()}
    probability = np.array([share[x] for x in auto[chosen].tolist()])
    yield ends(drawn_mean(Drawn(human[chosen], probability, auto[chosen]), auto, n_all=auto.size))


def active(report: Report, repeats: int) -> None:
    """Check active sampling at three shares of plain chance."""
    report.head("Active sampling, about 100 labels of 2,000, by share of plain chance")
    rng = np.random.default_rng(9)
    truth = float(levels(rng, 400_000, lenient=False)[1].mean())
    for share in (1.0, 0.5, 0.2):
        found: list[Ends] = []
        for _ in range(repeats):
            auto, human = levels(rng, 2000, lenient=False)
            doubt = 1.0 + np.minimum(auto - 1, 5 - auto)
            probability = share * 100 / 2000 + (1 - share) * 100 * doubt / doubt.sum()
            picked = rng.random(2000) < probability
            labels = Drawn(human[picked], probability[picked], auto[picked])
            found.append(ends(drawn_mean(labels, auto, n_all=2000)))
        report.row(f"share {share}", tried(found, truth), 0.945)


def clusters(report: Report, repeats: int) -> None:
    """Check conversations of five evaluations each."""
    report.head("20 conversations of 5 evaluations, ICC .30")
    rng = np.random.default_rng(10)
    found: list[list[Ends]] = [[], []]
    names: list[Callable[[int], list[int]]] = [lambda n: list(range(n)), lambda n: groups[:n]]
    groups = np.repeat(np.arange(20), 5).tolist()
    for _ in range(repeats):
        shared = rng.normal(0, math.sqrt(0.3), 20)[:, None]
        values = (shared + rng.normal(0, math.sqrt(0.7), (20, 5))).ravel()
        for at, name in enumerate(names):
            one = clustered_mean(values, name(100))
            found[at].append((one.mean, one.low, one.high))
    report.row("as if independent", tried(found[0], 0.0), 0.805)
    report.row("by conversation", tried(found[1], 0.0), 0.945)


def ranges(report: Report, repeats: int) -> None:
    """Check the conformal range of a judge's score on discrete levels."""
    report.head("Conformal range for 90 %, coverage of one new evaluation")
    rng = np.random.default_rng(11)
    for n in (9, 30, 100):
        hits: list[Ends] = []
        misses: list[float] = []
        for _ in range(repeats):
            auto, human = levels(rng, n + 1, lenient=False)
            gaps, counts = np.unique(np.abs(human[:n] - auto[:n]), return_counts=True)
            q = conformal(dict(zip(gaps.tolist(), counts.tolist(), strict=True))).half_width or 0.0
            hits.append((auto[n], auto[n] - q, auto[n] + q))
            misses.append(float(human[n]))
        report.row(f"{n} labels", tried(hits, misses))


def missing_arms(report: Report, repeats: int) -> None:
    """Count how often the shipped pass rate says that a verdict needs a label."""
    report.head("Shipped pass rate, 30 random labels, pass rate .95: null while an arm is empty")
    rng = np.random.default_rng(12)
    found: list[Ends] = []
    for _ in range(repeats):
        human, judge = drawn(rng, 1000, 0.95, (0.98, 0.50))
        found.append(
            ends(
                corrected_pass_rate(
                    Verdicts(human, judge, np.arange(30)).counts(judge.astype(np.float64))
                )
            )
        )
    report.row("corrected_pass_rate()", tried(found, 0.95))


def main() -> int:
    """Print all tables."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    report = Report()
    for table in (
        random_labels, chosen_labels, ordinal, active, clusters, ranges, missing_arms,
        conversations, equal_runs, slower,
    ):  # fmt: skip
        table(report, repeats)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
