"""Measure reports and checks against a plain script that reads the same columns.

    python -m tests.bench.bench_report [--count 100000] [--rounds 3]

Each runs in a process of its own, start included, and tells its largest memory. The script reads
scores, labels and how responses came about; for JSON it reads every text, too, and writes one
object a response. The ratio is its time over ours.
"""

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from pydantic_core import to_json

from tests.bench.large_project import large_project

COLUMNS = (
    "SELECT evaluation, metric, value FROM scores WHERE latest = 1 AND turn = -1",
    "SELECT evaluation, metric, labeler, value FROM current_labels",
    "SELECT id, ext_id, category, latency_ms, cost_usd FROM evaluations ORDER BY id",
)
TEXTS = (
    "SELECT id, ext_id, category, input, response, latency_ms FROM evaluations ORDER BY id",
    "SELECT evaluation, metric, value, reasoning FROM scores ORDER BY evaluation, metric",
)
COMMANDS = {
    "html": ("report", "{project}", "{folder}/r.html"),
    "pdf": ("report", "{project}", "{folder}/r.pdf"),
    "md": ("report", "{project}", "{folder}/r.md"),
    "json": ("report", "{project}", "{folder}/r.json"),
    "check": ("check", "{project}", "--min-labels", "1", "--max-latency", "p95:1000000"),
}


def floor(project: str, to: str) -> None:
    """Read the columns; with a file, the texts as well, and write them."""
    with closing(sqlite3.connect(project)) as conn:
        for query in COLUMNS:
            sum(1 for _ in conn.execute(query))
        if not to:
            return
        evaluations, scores = (conn.execute(query) for query in TEXTS)
        score = next(scores, None)
        with Path(to).open("wb") as out:
            for row in evaluations:
                mine = []
                while score is not None and score[0] == row[0]:
                    mine.append(score[1:])
                    score = next(scores, None)
                out.write(to_json([*row, mine], indent=2) + b"\n")


def measured(words: list[str]) -> tuple[float, float]:
    """Run Python in a process of its own; gives seconds and the most MB that it held."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{words} failed")
    return time.perf_counter() - started, used.ru_maxrss / 1024


def main() -> None:
    """Print seconds, memory and the ratio of every kind of report, and of a check."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--floor", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.floor:
        floor(*chosen.floor)
    elif chosen.make:
        large_project(chosen.make, chosen.count)
    else:
        compare(chosen.count, chosen.rounds)


def compare(count: int, rounds: int) -> None:
    """Measure every command beside the script."""
    ours = ["-m", "tests.bench.bench_report"]
    with tempfile.TemporaryDirectory() as name:
        # a process is told at least the memory of the one that started it, so this one stays small
        measured([*ours, "--make", name, "--count", str(count)])
        project = f"{name}/large.review"
        for kind, words in COMMANDS.items():
            command = [x.format(project=project, folder=name) for x in words]
            to = f"{name}/plain" if kind == "json" else ""
            ratios = []
            for _ in range(rounds):
                plain, _ = measured([*ours, "--floor", project, to])
                own, most = measured(["-m", "reviewer", *command])
                ratios.append(plain / own)
                sys.stdout.write(
                    f"{kind:5} script {plain:6.2f} s   reviewer {own:6.2f} s, {most:4,.0f} MB   "
                    f"ratio {plain / own:.2f}\n"
                )
            sys.stdout.write(f"{kind:5} median ratio {statistics.median(ratios):.2f}\n")


if __name__ == "__main__":
    main()
