"""Time queues, filters, list rows and one evaluation on a project of 100,000 evaluations.

python tests/bench/bench_queue.py [repeats]
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from time import perf_counter

from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.bench.large_project import RARE, large_project

FILTERS = (
    "", "category:qa auto:accuracy<3", RARE, "category:qa", "-category:qa", "auto:accuracy<3",
    "gap:accuracy>=1", "gap>0.5", "state:open", "labeler:2", "latency>2000", "date>=2026-09",
    "has:error", "id:item-0000*", "human:accuracy=5", "a*", "to",
)  # fmt: skip


def measure(title: str, repeats: int, work: Callable[[], object]) -> None:
    """Print the median and the slowest of some runs."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(1000 * (perf_counter() - start))
    times.sort()
    sys.stdout.write(f"{title:<44} p50 {times[len(times) // 2]:7.1f}  max {times[-1]:7.1f} ms\n")


def main(repeats: int) -> None:
    """Print one line for each piece of work."""
    with tempfile.TemporaryDirectory() as name:
        path = large_project(Path(name))
        start = perf_counter()
        with closing(Session.open(path, "ann")) as session:
            sys.stdout.write(f"{'open':<44} {1000 * (perf_counter() - start):11.1f} ms\n")
            session.blind = False
            queue = listing.build(session)
            keys = queue.ids[:256]
            measure("view", repeats * 10, lambda: reading.view(session, 3_000))
            measure("view, other", repeats * 10, lambda: reading.view(session, 90_000))
            measure("rows of 256", repeats, lambda: listing.rows(session, keys))
            measure(
                "rows of 256, unlabelled",
                repeats,
                lambda: listing.rows(session, queue.ids[50_000:50_256]),
            )
            for order in QueueOrder:
                measure(f"order {order}", repeats, partial(listing.build, session, order=order))
            for text in FILTERS:
                found = listing.build(session, filter_text=text).total
                measure(
                    f"filter {text!r} ({found})", repeats,
                    partial(listing.build, session, filter_text=text),
                )  # fmt: skip
            measure("runs", repeats, session.runs)
            measure(
                "first progress",
                repeats,
                lambda: listing.progress(session, listing.build(session)),
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
