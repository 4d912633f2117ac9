"""Time a label press down to the disk next to a bare one-row commit with fsync, in one run.

    python -m tests.bench.bench_label [presses]

Prints p50 and p99 of both in milliseconds; both files lie in the same folder. At last labels are
pressed as people press, a few a second, while another process imports into the project, for as
long as that takes; p99 should be at most twice that of a quiet press.
"""

import itertools
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from time import perf_counter

from reviewer.services.labelling import entering, undo
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from tests.bench.large_project import METRICS, large_project
from tests.bench.results import write_results

IMPORTED = 200_000
REST = 0.3
"""Seconds between two presses beside an import, about."""


def bare_file(path: Path) -> sqlite3.Connection:
    """Open a file with one narrow table, as safe as a project."""
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("CREATE TABLE labels(id INTEGER PRIMARY KEY, evaluation, metric, value)")
    return conn


def bare_commit(conn: sqlite3.Connection, number: int) -> float:
    """Time one row that is on disk when it returns."""
    start = perf_counter()
    conn.execute("BEGIN IMMEDIATE")
    conn.execute("INSERT INTO labels(evaluation, metric, value) VALUES (?, 1, 3)", (number,))
    conn.execute("COMMIT")
    return perf_counter() - start


def press(session: Session, number: int) -> float:
    """Time one label, through to the subscribers."""
    start = perf_counter()
    entering.commit(session, 50_000 + number // 3, METRICS[number % 3], number % 5 + 1)
    return perf_counter() - start


def beside_import(session: Session, source: Path, first: int) -> list[float]:
    """Time labels while another process imports a file into the project."""
    command = [sys.executable, "-m", "tests.bench.bench_import", "--one", "ours", str(source),
               str(session.project.path)]  # fmt: skip
    times: list[float] = []
    dice = random.Random(7)  # noqa: S311
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as importing:
        numbers = itertools.count(first)
        while importing.poll() is None:
            time.sleep(dice.uniform(REST / 2, REST * 1.5))
            times.append(press(session, next(numbers)))
    return times


def line(name: str, times: list[float]) -> str:
    """Give one line of the table."""
    cuts = statistics.quantiles(times, n=100)
    return f"{name:<30} p50 {1000 * cuts[49]:7.3f} ms   p99 {1000 * cuts[98]:7.3f} ms\n"


def main(presses: int) -> None:
    """Run both in turns and print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = large_project(folder)
        with (
            closing(bare_file(folder / "bare.sqlite")) as bare,
            closing(Session.open(path, "ann")) as session,
        ):
            session.subscribe(lambda _: None)
            queue = listing.build(session)
            listing.progress(session, queue)
            times: dict[str, list[float]] = {}
            for number in range(presses):
                times.setdefault("bare commit", []).append(bare_commit(bare, number))
                times.setdefault("label press", []).append(press(session, number))
                start = perf_counter()
                listing.progress(session, queue)
                times.setdefault("progress after it", []).append(perf_counter() - start)
            for _ in range(presses // 4):
                start = perf_counter()
                undo.undo(session)
                times.setdefault("undo", []).append(perf_counter() - start)
            source = write_results(folder / "results.jsonl", IMPORTED)
            times["label press beside an import"] = beside_import(session, source, presses)
    for title, some in times.items():
        sys.stdout.write(line(title, some))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
