"""Measure readers of other tools' files against parsing the same file and storing its rows.

    python -m tests.bench.bench_readers [--rows 40000] [--megabytes N] [--rounds 1] [--kind NAME]…
                                        [--cancel] [--memory]

The script beside parses the whole file with the fastest plain library, and writes the very rows
that we stored of it: evaluations, turns, scores, labels, what counts of them, the full-text
index, with `executemany` in one transaction, from memory: what lies between parsing and storing
costs it nothing. Each is measured in a process of its own; the ratio is the script's time over
ours, by the clock and by what processors worked, which other programs change less. With
`--cancel` an import is also cancelled at five places, into a new project and into one that has
been there: the longest time from the wish to the end is told of each. With `--memory` or
`--megabytes`, where files have that size instead, nothing but our speed and peak memory, of both
processes together, is measured.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

import psutil

from reviewer.domain.errors import CancelledError, Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.packing import SEARCHED, search_texts
from reviewer.store.project import Project
from reviewer.store.records import RecordReader
from reviewer.store.rows import SEARCH
from reviewer.store.schema import TABLES
from tests.bench.reader_files import KINDS

METRICS: Final = ("graded", "llm-rubric", "Tone", "score", "exact_match", "tone", "pass", "reward",
                  "rating", "match")  # fmt: skip
LARGEST: Final = {"rating": 10.0, "score": 5.0}
YES_OR_NO: Final = ("pass", "reward", "match")
RUBRIC = Rubric(
    name="bench",
    metrics=tuple(
        Metric(name=name, scale="binary")
        if name in YES_OR_NO
        else Metric(name=name, scale="range", min=0.0, max=LARGEST.get(name, 1.0))
        for name in METRICS
    )
    + tuple(
        Metric(name=name, scale="categorical", values=values)
        for name, values in (("preference", ("1", "2", "tie")), ("label", ("good", "bad")))
    ),
)
CANCELS: Final = 5


def write_file(file: Path, kind: str, rows: int, megabytes: int = 0) -> int:
    """Write a file of so many rows, or of a size, and give its rows' number."""
    written = 0

    def made() -> Iterator[Any]:
        nonlocal written
        for number in count() if megabytes else range(rows):
            written += 1
            yield KINDS[kind].make(number)
            if megabytes and not number % 500 and file.stat().st_size >= megabytes << 20:
                return

    KINDS[kind].write(file, made())
    return written


FILLED: Final = (
    "rubrics", "metrics", "labelers", "runs", "score_sets", "evaluations", "turns", "tags",
    "scores", "labels", "marks", "current_labels", "states", "exclusions", "attachments",
    "attachment_uses",
)  # fmt: skip
"""Tables that an import fills, in an order in which each finds what it refers to."""


class Stored:
    """The rows that a project holds, in memory."""

    def __init__(self, project: Path) -> None:
        """Read them all."""
        with Project.open(project) as ours:
            self._tables = {
                name: ours.conn.execute(f"SELECT * FROM {name}").fetchall()  # noqa: S608
                for name in FILLED
            }
            responses = dict(ours.conn.execute("SELECT id, response FROM evaluations"))
            reader = RecordReader(ours, keys=SEARCHED)
            self._texts = [
                (x.key, *search_texts(x.fields, responses[x.key]))
                for x in reader.of_keys(responses, "")
            ]

    def write(self, target: Path) -> None:
        """Write them as a plain script would."""
        conn = sqlite3.connect(target, isolation_level=None)
        conn.executescript(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;"
            + TABLES
        )
        conn.execute("BEGIN")
        for name, rows in self._tables.items():
            if rows:
                places = ", ".join("?" * len(rows[0]))
                conn.executemany(f"INSERT INTO {name} VALUES ({places})", rows)  # noqa: S608
        conn.executemany(SEARCH, self._texts)
        conn.execute("COMMIT")
        conn.close()


class Stopping(Silent):
    """Wishes to stop after some time, and notes when."""

    def __init__(self, after: float) -> None:
        self._until = time.perf_counter() + after
        self.wished = 0.0

    @property
    def cancelled(self) -> bool:  # type: ignore[override]
        """Tell whether the time has come."""
        if not self.wished and time.perf_counter() >= self._until:
            self.wished = self._until
        return bool(self.wished)


def _one(what: str, kind: str, source: Path, target: Path) -> None:
    # the first project of a process loads libraries, which is no part of an import
    Project.create(target.with_name(f"{what}.review")).close()
    if what.startswith("existing"):
        Project.create(target).close()
    request = ImportRequest((source,), rubric=RUBRIC, answers=KINDS[kind].answers)
    stored = Stored(target) if what == "floor" else None
    started, worked = time.perf_counter(), _worked()
    if stored is not None:
        for _ in KINDS[kind].parse(source):
            pass
        stored.write(target.with_name("script.review"))
    elif what == "ours":
        report = importing.run(target, request, Silent())
        if report.rejected or report.rejected_values:
            raise SystemExit(f"{kind}: {report.first_rejected[0].sentence}")
    else:
        progress = Stopping(float(what.partition(" ")[2]))
        try:
            importing.run(target, request, progress)
        except CancelledError:
            started = progress.wished
        else:
            started = time.perf_counter()
    took = time.perf_counter() - started
    sys.stdout.write(f"{took} {_worked() - worked}\n")


def _worked() -> float:
    """Give what processors worked for this process and for those that it started, in seconds."""
    return sum(os.times()[:4])


class Load(NamedTuple):
    """The seconds of one load, those that processors worked, and the peak memory in MB."""

    seconds: float
    worked: float
    memory: float


def measured(what: str, kind: str, source: Path, target: Path, *, memory: bool = False) -> Load:
    """Measure one load in its own process; that of the script needs ours at `target`."""
    command = [sys.executable, "-m", "tests.bench.bench_readers", "--one", what, kind,
               str(source), str(target)]  # fmt: skip
    peak = 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        while memory and running.poll() is None:
            peak = max(peak, _resident(running.pid))
            time.sleep(0.25)
        told = running.communicate()[0]
    if running.returncode:
        raise SystemExit(running.returncode)
    seconds, worked = map(float, told.split())
    return Load(seconds, worked, peak)


def _resident(pid: int) -> float:
    """Give the megabytes that a process and what it started hold, what they share once."""
    try:
        one = psutil.Process(pid)
        both = (one, *one.children(recursive=True))
        return sum(float(x.memory_full_info().pss) for x in both) / (1 << 20)
    except psutil.Error:
        return 0.0


def beside(what: str, kind: str, source: Path) -> Load:
    """Measure a load into a folder that goes with it."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        return measured(what, kind, source, Path(folder) / "target.review")


def _cancelled(where: str, kind: str, file: Path, took: float) -> str:
    """Tell the longest of some cancels at places spread over an import."""
    places = [took * (n + 0.5) / CANCELS for n in range(CANCELS)]
    return f"{max(beside(f'{where} {at}', kind, file).seconds for at in places) * 1000:.0f}"


def _measure(kind: str, chosen: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"results.{KINDS[kind].suffix}"
        rows = write_file(file, kind, chosen.rows, chosen.megabytes)
        size = file.stat().st_size / (1 << 20)
        told = f"{kind:18} {rows:7,} rows {size:6,.0f} MB"
        for number in range(chosen.rounds):
            target = Path(folder) / f"{number}" / "target.review"
            target.parent.mkdir()
            own = measured("ours", kind, file, target, memory=chosen.memory)
            line = f"{told}   reviewer {rows / own.seconds:7,.0f}/s"
            if chosen.memory:
                line += f"   peak {own.memory:3.0f} MB"
            else:
                plain = measured("floor", kind, file, target)
                line += f"   script {rows / plain.seconds:7,.0f}/s"
                line += f"   ratio {plain.seconds / own.seconds:.2f}"
                line += f" (of work {plain.worked / own.worked:.2f})"
            if chosen.cancel:
                both = (_cancelled(x, kind, file, own.seconds) for x in ("new", "existing"))
                line += f"   cancel {' and '.join(both)} ms"
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()


def main() -> None:
    """Print rows a second, the ratio, the peak memory and the time that a cancel takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40_000)
    parser.add_argument("--megabytes", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--cancel", action="store_true")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--one", nargs=4)
    chosen = parser.parse_args()
    chosen.memory = chosen.memory or bool(chosen.megabytes)
    if chosen.one:
        what, kind, source, target = chosen.one
        _one(what, kind, Path(source), Path(target))
        return
    for kind in chosen.kind or KINDS:
        _measure(kind, chosen)
    sys.stdout.write("goals: ratio at least 0.5, peak below 300 MB, cancel within 200 ms\n")


if __name__ == "__main__":
    main()
