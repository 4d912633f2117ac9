"""Measure an import against a plain script that loads the same rows into the same tables.

    python -m tests.bench.bench_import [--count 100000] [--rounds 3]

Both run in turn in processes of their own; the ratio is the plain script's time over ours, so 1 is
as fast as the script. The script parses with `json`, and writes evaluations, scores and the
full-text index with `executemany` in one transaction, into the project's own tables and indexes.
"""

import argparse
import json
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project
from reviewer.store.schema import TABLES
from tests.bench.results import METRICS, write_results

RUBRIC = Rubric(
    name="bench",
    metrics=tuple(
        Metric(name=name, levels=tuple(Level(value=value) for value in (1, 2, 3, 4, 5)))
        for name in METRICS
    ),
)
BLOCK = 5_000


def floor(source: Path, target: Path) -> None:
    """Load a file as a plain script would."""
    conn = sqlite3.connect(target, isolation_level=None)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("PRAGMA synchronous = FULL")
    conn.execute("PRAGMA cache_size = -32768")
    for statement in TABLES.split(";\n"):
        if statement.strip():
            conn.execute(statement)
    conn.execute("BEGIN")
    conn.execute("INSERT INTO rubrics(name) VALUES ('bench')")
    conn.execute("INSERT INTO runs(name, rubric, imported_at) VALUES ('bench', 1, '2026-11-20')")
    conn.execute("INSERT INTO score_sets(scorer) VALUES ('judge')")
    conn.executemany("INSERT INTO metrics(name) VALUES (?)", ((name,) for name in METRICS))
    metrics = {name: key for key, name in enumerate(METRICS, start=1)}
    evaluations: list[Any] = []
    scores: list[Any] = []
    texts: list[Any] = []
    with source.open(encoding="utf-8") as lines:
        for key, line in enumerate(lines, start=1):
            row = json.loads(line)
            evaluations.append(
                (
                    key,
                    row["id"],
                    row["category"],
                    row["input"],
                    row["response"],
                    row["evaluated_at"],
                )
            )
            scores += [
                (key, metrics[x["metric"]], x["value"], x["reasoning"]) for x in row["scores"]
            ]
            texts.append((key, row["input"], row["response"]))
            if len(evaluations) == BLOCK:
                _write(conn, evaluations, scores, texts)
                evaluations, scores, texts = [], [], []
    _write(conn, evaluations, scores, texts)
    conn.execute("COMMIT")
    conn.close()


def _write(
    conn: sqlite3.Connection, evaluations: list[Any], scores: list[Any], texts: list[Any]
) -> None:
    conn.executemany(
        "INSERT INTO evaluations(id, run, ext_id, category, input, response, evaluated_at) "
        "VALUES (?, 1, ?, ?, ?, ?, ?)",
        evaluations,
    )
    conn.executemany(
        "INSERT INTO scores(evaluation, metric, score_set, value, reasoning, latest) "
        "VALUES (?, ?, 1, ?, ?, 1)",
        scores,
    )
    conn.executemany("INSERT INTO search(rowid, input, response) VALUES (?, ?, ?)", texts)


def ours(source: Path, target: Path) -> None:
    """Load a file as the program does."""
    importing.run(target, ImportRequest((source,), rubric=RUBRIC), Silent())


def measured(kind: str, source: Path) -> tuple[float, float, float]:
    """Give wall and processor seconds and the peak memory in MB of one load in its own process."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        command = [sys.executable, "-m", "tests.bench.bench_import", "--one", kind, str(source),
                   str(Path(folder) / "target.review")]  # fmt: skip
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    seconds, processor, memory = done.stdout.split()
    return float(seconds), float(processor), float(memory)


def _one(kind: str, source: Path, target: Path) -> None:
    # the first project of a process loads libraries, which is no part of an import
    Project.create(target.with_name("first.review")).close()
    started, used = time.perf_counter(), time.process_time()
    (floor if kind == "floor" else ours)(source, target)
    took, used = time.perf_counter() - started, time.process_time() - used
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{took} {used} {memory}\n")


def main() -> None:
    """Print rows a second, the ratio and the peak memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=3)
    chosen = parser.parse_args()
    if chosen.one:
        _one(chosen.one[0], Path(chosen.one[1]), Path(chosen.one[2]))
        return
    with tempfile.TemporaryDirectory() as folder:
        source = write_results(Path(folder) / "results.jsonl", chosen.count)
        rounds = [
            (measured("floor", source), measured("ours", source)) for _ in range(chosen.rounds)
        ]
    ratios = [plain[0] / own[0] for plain, own in rounds]
    busy = [plain[1] / own[1] for plain, own in rounds]
    for (plain, _, _), (own, _, memory) in rounds:
        sys.stdout.write(
            f"script {chosen.count / plain:8,.0f}/s   reviewer {chosen.count / own:8,.0f}/s   "
            f"ratio {plain / own:.2f}   peak {memory:.0f} MB\n"
        )
    sys.stdout.write(
        f"median ratio {statistics.median(ratios):.2f} of time, "
        f"{statistics.median(busy):.2f} of processor time (goal: at least 0.6)\n"
    )


if __name__ == "__main__":
    main()
