"""Compare the statistics room with the usual libraries: python tests/bench/bench_stats.py [n].

Prints one line a task: our time, the libraries' time, the ratio. Times are medians in ms.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import krippendorff
import numpy as np
import pandas as pd
import pingouin
from scipy import stats as sp
from sklearn import metrics as sk
from statsmodels.stats import inter_rater as sm

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.stats.agreement import agreement, coefficient_interval
from reviewer.stats.deviations import PUBLISHED, window
from reviewer.stats.figures import Pair
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.pairs import array_evidence
from reviewer.stats.tally import DrawnTally, PairTally
from reviewer.stats.values import Scale

SCALE = Scale((1, 2, 3, 4, 5))
AS_OF = date(2026, 8, 31)
Task = Callable[[], object]


def milliseconds(task: Task, repeats: int) -> float:
    """Time a task several times; the median."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        task()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def line(name: str, ours: float, theirs: float | None = None) -> None:
    """Write one row of the table."""
    rest = f"{theirs:12.3f} {theirs / ours:9.1f} x" if theirs is not None else ""
    sys.stdout.write(f"{name:<58}{ours:10.3f} {rest}\n")


def from_arrays(auto: "np.ndarray[tuple[int], np.dtype[np.float64]]", human: object) -> None:
    """Compare all coefficients of two columns of whole levels."""
    y = np.asarray(human, dtype=np.float64)
    both = np.vstack([auto, y])

    def libraries() -> None:
        for weights in (None, "linear", "quadratic"):
            sk.cohen_kappa_score(auto, y, weights=weights)
        for level in ("nominal", "ordinal", "interval"):
            krippendorff.alpha(both, level_of_measurement=level)
        sp.pearsonr(auto, y)
        sp.spearmanr(auto, y)
        sp.kendalltau(auto, y)
        sm.cohens_kappa(sk.confusion_matrix(auto, y))

    line(
        "every coefficient, from two columns",
        milliseconds(lambda: agreement(array_evidence(auto, y, SCALE)), 9),
        milliseconds(libraries, 3),
    )
    kept = array_evidence(auto, y, SCALE)
    line("every coefficient, from a kept table", milliseconds(lambda: agreement(kept), 25))
    quadratic = milliseconds(
        lambda: coefficient_interval(kept, "kappa_quadratic", IntervalPolicy()), 15
    )
    once = milliseconds(lambda: sk.cohen_kappa_score(auto, y, weights="quadratic"), 3)
    line("quadratic kappa, 1,000 resamples", quadratic, 1000 * once)
    line(
        "every coefficient with interval, from a kept table",
        milliseconds(lambda: agreement(kept, IntervalPolicy()), 9),
    )


def off_grid(n: int) -> None:
    """Compare rank coefficients of two columns of any values."""
    rng = np.random.default_rng(8)
    x = rng.normal(3, 1, n)
    y = x + rng.normal(0, 0.7, n)
    table = pd.DataFrame(
        {
            "thing": np.tile(np.arange(n), 2),
            "rater": np.repeat(["judge", "people"], n),
            "score": np.concatenate([x, y]),
        }
    )

    def libraries() -> None:
        sp.pearsonr(x, y)
        sp.spearmanr(x, y)
        sp.kendalltau(x, y)
        pingouin.intraclass_corr(table, targets="thing", raters="rater", ratings="score")

    # krippendorff's interval alpha is left out: it makes a table of all distinct values
    line(
        "every coefficient of values on no grid",
        milliseconds(lambda: agreement(array_evidence(x, y, None)), 9),
        milliseconds(libraries, 3),
    )


def live(n: int) -> None:
    """Time one label and one read in a tally of n labelled evaluations."""
    rng = np.random.default_rng(9)
    for name, autos in (
        ("whole levels", rng.integers(1, 6, n).astype(np.float64)),
        ("any values", rng.uniform(1, 5, n)),
    ):
        humans = np.clip(np.rint(autos) + rng.integers(-1, 2, n), 1.0, 5.0)
        tally = PairTally(SCALE, window(AS_OF), PUBLISHED.counting, DrawnTally())
        columns = zip(autos.tolist(), humans.tolist(), rng.integers(0, 250, n), strict=True)
        tally.load(
            (key, Pair(auto, human, (human,), AS_OF - timedelta(days=int(days))))
            for key, (auto, human, days) in enumerate(columns)
        )
        pair, other = Pair(3.0, 4.0, (4.0,), AS_OF), Pair(3.0, 2.0, (2.0,), AS_OF)

        def press(kept: PairTally = tally, one: Pair = pair, two: Pair = other) -> None:
            for _ in range(500):
                kept.put(1, one)
                kept.put(1, two)

        line(f"one changed label, tally of {n:,} ({name})", milliseconds(press, 5) / 1000)
        line(f"read of the figures, tally of {n:,} ({name})", milliseconds(tally.figures, 50))


def main() -> None:
    """Print the table."""
    # pingouin 0.7 calls pandas in a way that pandas 3 gives up
    warnings.simplefilter("ignore", DeprecationWarning)
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = np.random.default_rng(7)
    quality = rng.normal(3.2, 1.1, n)
    auto = np.clip(np.rint(quality + rng.normal(0, 0.6, n)), 1, 5)
    human = np.clip(np.rint(quality + rng.normal(0.1, 0.7, n)), 1, 5)
    sys.stdout.write(f"{n:,} pairs, ms{'ours':>57}{'libraries':>13}{'ratio':>11}\n")
    from_arrays(auto, human)
    off_grid(n)
    live(n)


if __name__ == "__main__":
    main()
