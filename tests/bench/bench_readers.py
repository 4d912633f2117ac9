"""Measure readers of other tools' files against parsing the same file and storing its rows.

    python -m tests.bench.bench_readers [--megabytes 40] [--rounds 1] [--kind NAME]

The script beside parses the whole file with `msgspec` and writes evaluations, turns, scores and
the full-text index with `executemany` in one transaction. Each runs in a process of its own; the
ratio is the script's time over ours. An import is also cancelled in its middle: the time is from
the wish to the end.
"""

import argparse
import json
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from reviewer.domain.errors import CancelledError, Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project
from reviewer.store.schema import TABLES

METRICS: Final = ("graded", "llm-rubric", "Tone", "score", "pass")
RUBRIC = Rubric(
    name="bench",
    metrics=(
        *(Metric(name=name, scale="range", min=0.0, max=1.0) for name in METRICS[:-1]),
        Metric(name="pass", scale="binary"),
    ),
)
TEXT: Final = "The night bus leaves at ten past two from the stop beside the old harbour. " * 9
Row = dict[str, Any]


def sample(number: int) -> Row:
    """Make a sample of an Inspect log: six turns, and events that repeat them."""
    turns = [{"role": ("user", "assistant")[n % 2], "content": f"{number}.{n} {TEXT}"}
             for n in range(6)]  # fmt: skip
    event = {"event": "model", "timestamp": "2026-01-02T03:04:05Z", "input": turns, "output": TEXT}
    return {
        "id": number,
        "epoch": 1,
        "input": turns[0]["content"],
        "target": "two",
        "messages": turns,
        "output": {"model": "m", "completion": turns[-1]["content"]},
        "scores": {"graded": {"value": "CI"[number % 2], "explanation": TEXT}},
        "metadata": {"place": number},
        "model_usage": {"m/one": {"input_tokens": 9, "output_tokens": 9}},
        "events": [event] * 8,
    }


def result(number: int) -> Row:
    """Make a result of promptfoo with two assertions."""
    parts = [{"pass": True, "score": 0.5, "reason": TEXT,
              "assertion": {"type": "llm-rubric"} | told}
             for told in ({}, {"metric": "Tone"})]  # fmt: skip
    return {
        "id": f"r{number}",
        "testIdx": number,
        "promptIdx": 0,
        "promptId": "p",
        "provider": {"id": "m:one", "label": ""},
        "prompt": {"raw": f"{number} {TEXT}", "label": "{{question}}"},
        "vars": {"question": f"{number} {TEXT}"},
        "response": {"output": TEXT, "tokenUsage": {"prompt": 9, "completion": 9}},
        "gradingResult": {"pass": True, "score": 0.5, "reason": "fine", "componentResults": parts},
        "namedScores": {"Tone": 0.5},
        "score": 0.5,
        "success": True,
        "failureReason": 0,
        "latencyMs": 12,
        "testCase": {"vars": {"question": f"{number} {TEXT}"}, "assert": []},
    }


HEAD: Final = {"task": "buses", "model": "m/one", "created": "2026-01-02T03:04:05+00:00"}
Kind = tuple[str, str, Callable[[int], Row], str]
KINDS: Final[dict[str, Kind]] = {
    "inspect": (f'{{"version": 2, "status": "success", "eval": {json.dumps(HEAD)},\n"samples": [',
                "]}", sample, ","),
    "promptfoo": ('{"evalId": "eval-1", "results": {"version": 3,\n"results": [', "]}}", result,
                  ","),
    "promptfoo-lines": ("", "", result, ""),
}  # fmt: skip


def write_file(file: Path, kind: str, megabytes: int) -> int:
    """Write a file of a size, indented as the tools do, and give its rows' number."""
    before, after, make, comma = KINDS[kind]
    indent = 2 if comma else None
    with file.open("w", encoding="utf-8") as out:
        out.write(before)
        number = 0
        while out.tell() < megabytes << 20:
            text = json.dumps(make(number), indent=indent).replace("\n", "\n  ")
            out.write(f"{comma if number else ''}\n  {text}" if comma else f"{text}\n")
            number += 1
        out.write(f"\n{after}\n" if comma else "")
    return number


def _parsed(source: Path, kind: str) -> Iterator[Row]:
    if kind == "promptfoo-lines":
        with source.open("rb") as lines:
            yield from map(msgspec.json.decode, lines)
        return
    document = msgspec.json.decode(source.read_bytes())
    yield from document["samples"] if kind == "inspect" else document["results"]["results"]


def floor(source: Path, target: Path, kind: str) -> None:
    """Load a file as a plain script would."""
    conn = sqlite3.connect(target, isolation_level=None)
    conn.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;" + TABLES)
    conn.execute("BEGIN")
    conn.execute("INSERT INTO rubrics(name) VALUES ('bench')")
    conn.execute("INSERT INTO runs(name, rubric, imported_at) VALUES ('bench', 1, '2026-11-20')")
    conn.execute("INSERT INTO score_sets(scorer) VALUES ('judge')")
    conn.executemany("INSERT INTO metrics(name) VALUES (?)", ((name,) for name in METRICS))
    for key, row in enumerate(_parsed(source, kind), start=1):
        if kind == "inspect":
            asked, answered, extra = row["input"], row["output"]["completion"], row["metadata"]
            scores = [(0.5, x["explanation"]) for x in row["scores"].values()]
            turns = row["messages"]
        else:
            asked, answered, extra = row["prompt"]["raw"], row["response"]["output"], row["vars"]
            scores = [(x["score"], x["reason"]) for x in row["gradingResult"]["componentResults"]]
            scores += [(row["score"], None), (1.0, row["gradingResult"]["reason"])]
            turns = []
        conn.execute(
            "INSERT INTO evaluations(id, run, ext_id, input, response, extra) "
            "VALUES (?, 1, ?, ?, ?, ?)", (key, f"{key}", asked, answered, json.dumps(extra))
        )  # fmt: skip
        conn.executemany(
            "INSERT INTO turns(evaluation, position, role, body) VALUES (?, ?, ?, ?)",
            [(key, n, turn["role"], json.dumps(turn)) for n, turn in enumerate(turns)],
        )
        conn.executemany(
            "INSERT INTO scores(evaluation, metric, score_set, value, reasoning, latest) "
            "VALUES (?, ?, 1, ?, ?, 1)",
            [(key, n, value, why) for n, (value, why) in enumerate(scores, start=1)],
        )
        conn.execute(
            "INSERT INTO search(rowid, input, response) VALUES (?, ?, ?)",
            (key, " ".join([asked, *(turn["content"] for turn in turns)]), answered),
        )
    conn.execute("COMMIT")
    conn.close()


class Stopping(Silent):
    """Wishes to stop after some reports, and notes when."""

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
    Project.create(target.with_name("first.review")).close()
    started = time.perf_counter()
    if what == "floor":
        floor(source, target, kind)
    elif what == "ours":
        importing.run(target, ImportRequest((source,), rubric=RUBRIC), Silent())
    else:
        progress = Stopping(float(what))
        try:
            importing.run(target, ImportRequest((source,), rubric=RUBRIC), progress)
        except CancelledError:
            started = progress.wished
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{time.perf_counter() - started} {memory}\n")


def measured(what: str, kind: str, source: Path) -> tuple[float, float]:
    """Give the seconds and the peak memory in MB of one load in its own process."""
    with tempfile.TemporaryDirectory(dir=source.parent) as folder:
        command = [sys.executable, "-m", "tests.bench.bench_readers", "--one", what, kind,
                   str(source), str(Path(folder) / "target.review")]  # fmt: skip
        done = subprocess.run(command, capture_output=True, check=True, text=True)
    seconds, memory = done.stdout.split()
    return float(seconds), float(memory)


def main() -> None:
    """Print rows a second, the ratio, the peak memory and the time that a cancel takes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--one", nargs=4)
    chosen = parser.parse_args()
    if chosen.one:
        what, kind, source, target = chosen.one
        _one(what, kind, Path(source), Path(target))
        return
    for kind in [chosen.kind] if chosen.kind else KINDS:
        suffix = "jsonl" if kind == "promptfoo-lines" else "json"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / f"results.{suffix}"
            count = write_file(file, kind, chosen.megabytes)
            for _ in range(chosen.rounds):
                plain, _ = measured("floor", kind, file)
                own, memory = measured("ours", kind, file)
                stopped, _ = measured(f"{own / 2}", kind, file)
                sys.stdout.write(
                    f"{kind:16} {count:7,} rows   script {count / plain:7,.0f}/s   "
                    f"reviewer {count / own:7,.0f}/s   ratio {plain / own:.2f}   "
                    f"peak {memory:.0f} MB   cancel {stopped * 1000:.0f} ms\n"
                )
    sys.stdout.write("goals: ratio at least 0.5, peak below 300 MB, cancel within 200 ms\n")


if __name__ == "__main__":
    main()
