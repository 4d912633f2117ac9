"""Time live figures and the document of figures on 100,000 evaluations and 20,000 labels.

    python tests/bench/bench_figures.py [presses | million]

Prints loading (beside plain SQL that reads the same columns), a label's update on a small and on
the large project, reading the figures without interval, one evaluation, an interval, and the
whole document. With `million` it prints the document's time and memory on 1,000,000 evaluations
with 100,000 labels on 4 metrics, beside the same plain SQL, which may take a third of that time.
"""

import resource
import sqlite3
import statistics
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter

from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden
from reviewer.services.tallying.live import LiveFigures
from reviewer.services.tallying.live_loading import load_tallies
from reviewer.store.project import Project
from tests.bench.large_project import METRICS, large_project
from tests.bench.million_project import million_project
from tests.building import build_project

SCOPE = Scope(window_months=None)
PLAIN = (
    "SELECT id, dated FROM evaluations WHERE hidden = 0",
    "SELECT evaluation, metric, value FROM scores WHERE latest = 1 AND turn = -1",
    "SELECT evaluation, metric, labeler, value FROM current_labels",
)


def timed(work: Callable[[], object]) -> float:
    """Give the seconds of one call."""
    start = perf_counter()
    work()
    return perf_counter() - start


def read_plainly(path: Path) -> None:
    """Read the columns that figures need, once."""
    with closing(sqlite3.connect(path)) as conn:
        for query in PLAIN:
            rows = conn.execute(query)
            while rows.fetchmany(20_000):
                pass


def line(name: str, times: list[float]) -> None:
    """Print the median and the slowest of a hundred."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    sys.stdout.write(f"{name:<38} p50 {1e3 * cuts[49]:8.3f} ms   p99 {1e3 * cuts[98]:8.3f} ms\n")


def presses(path: Path, first: int, count: int) -> dict[str, list[float]]:
    """Label through the session and time each part of what follows."""
    found: dict[str, list[float]] = {name: [] for name in ("update", *_READS)}
    with closing(Session.open(path, "bench")) as session:
        session.blind = False
        live = LiveFigures(session, load_tallies(path, SCOPE, Hidden("bench")))
        started: list[float] = []
        # one listener before the figures and one after them
        session.subscribe(lambda _: started.append(perf_counter()), first=True)
        session.subscribe(lambda _: found["update"].append(perf_counter() - started[-1]))
        for number in range(count):
            key, name = first + number // 3, METRICS[number % 3]
            entering.commit(session, key, name, number % 5 + 1)
            for step, read in _READS.items():
                found[step].append(timed(partial(read, live, name, key)))
    return found


def _figures(live: LiveFigures, name: str, _: int) -> object:
    return live.metric(name, interval=False), live.overall()


_READS: dict[str, Callable[[LiveFigures, str, int], object]] = {
    "figures without interval": _figures,
    "one evaluation": lambda live, _, key: live.evaluation(key),
    "interval": lambda live, name, _: live.metric(name),
}


def main(count: int) -> None:
    """Measure everything and print it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = large_project(folder)
        small = build_project(folder / "small.review", evaluations=300)
        load = partial(load_tallies, path, SCOPE, Hidden("bench", blind=True))
        line("plain SQL of the same columns", [timed(partial(read_plainly, path)) for _ in "123"])
        line("load 100,000 evaluations", [timed(load) for _ in "123"])
        with Project.open(path) as project:
            request = StatsRequest(scope=SCOPE)
            line("the whole document", [timed(partial(compute, project, request)) for _ in "12"])
        for title, file, first in (("300", small, 1), ("100,000", path, 40_000)):
            for step, times in presses(file, first, count).items():
                line(f"{step}, {title} evaluations", times)


def million() -> None:
    """Measure the document of a million evaluations and print it."""
    path = million_project()
    with Project.open(path) as project:
        work = partial(compute, project, StatsRequest(scope=SCOPE))
        whole = [timed(work) for _ in "123"]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    plain = [timed(partial(read_plainly, path)) for _ in "123"]
    line("plain SQL of the same columns", plain)
    line("the whole document", whole)
    ratio = statistics.median(whole) / statistics.median(plain)
    sys.stdout.write(f"{ratio:.2f} times the plain SQL, at most {peak:.0f} MB\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["million"]:
        million()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
