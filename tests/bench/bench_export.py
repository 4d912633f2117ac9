"""Measure an export against a plain script that writes the same lines from the same tables.

    python -m tests.bench.bench_export [--count 100000] [--rounds 3]

The script reads evaluations, scores and labels in three merged cursors and writes one JSON object
a line (or one CSV row) with the fastest writer at hand; it neither hashes nor syncs. The ratio is
its time over ours.
"""

import argparse
import csv
import itertools
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from pydantic_core import to_json

from reviewer.domain.errors import Silent
from reviewer.services.transfer import exporting, importing, label_rows
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.transfer.personal import Masking
from reviewer.store.project import Project
from tests.bench.bench_import import RUBRIC
from tests.bench.results import METRICS, write_results

Row = tuple[Any, ...]
BLOCK = 5_000


def _merged(conn: sqlite3.Connection) -> Iterator[tuple[Row, list[Row], list[Row]]]:
    scores = iter(
        conn.execute(
            "SELECT evaluation, metric, value, reasoning FROM scores ORDER BY evaluation, metric"
        )
    )
    labels = iter(
        conn.cursor().execute(
            "SELECT evaluation, metric, labeler, value, at FROM labels ORDER BY evaluation, id"
        )
    )
    label = next(labels, None)
    for row in conn.cursor().execute(
        "SELECT id, ext_id, category, input, response, evaluated_at FROM evaluations ORDER BY id"
    ):
        mine = []
        while label is not None and label[0] == row[0]:
            mine.append(label)
            label = next(labels, None)
        yield row, [next(scores) for _ in METRICS], mine


def _flat(conn: sqlite3.Connection) -> Iterator[Row]:
    for row, scores, labels in _merged(conn):
        yield (*row[1:], *(v for x in scores for v in x[2:]), *(x[3] for x in labels))


def floor_jsonl(path: Path, to: Path) -> None:
    """Write JSON Lines as a plain script would."""
    conn = sqlite3.connect(path)
    with to.open("wb") as out:
        for row, scores, labels in _merged(conn):
            fields = {
                "id": row[1], "run": "bench", "category": row[2], "input": row[3],
                "response": row[4], "evaluated_at": row[5],
                "scores": [
                    {"metric": METRICS[x[1] - 1], "value": x[2], "reasoning": x[3],
                     "scorer": "judge"}
                    for x in scores
                ],
                "labels": [
                    {"metric": METRICS[x[1] - 1], "labeler": f"labeler {x[2]}", "value": x[3],
                     "at": x[4], "blind": True}
                    for x in labels
                ],
            }  # fmt: skip
            out.write(to_json(fields) + b"\n")
    conn.close()


def floor_csv(path: Path, to: Path) -> None:
    """Write CSV as a plain script would."""
    conn = sqlite3.connect(path)
    with to.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        for row in _flat(conn):
            writer.writerow(row)
    conn.close()


def floor_parquet(path: Path, to: Path) -> None:
    """Write Parquet as a plain script would, with the same library."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    conn = sqlite3.connect(path)
    rows = _flat(conn)
    writer: Any = None
    while block := list(itertools.islice(rows, BLOCK)):
        columns = [list(column) for column in zip(*block, strict=True)]
        table = pa.table({f"c{n}": column for n, column in enumerate(columns)})
        writer = writer or ParquetWriter(to, table.schema)
        writer.write_table(table)
    writer.close()
    conn.close()


def floor_workbook(path: Path, to: Path) -> None:
    """Write a workbook as a plain script would, with the same library."""
    import xlsxwriter

    conn = sqlite3.connect(path)
    with xlsxwriter.Workbook(to, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for at, row in enumerate(_flat(conn)):
            sheet.write_row(at, 0, row)
    conn.close()


def floor_masked(path: Path, to: Path) -> None:
    """Write JSON Lines as a plain script would that masks by the same rules."""
    masking = Masking(is_masking=True)
    conn = sqlite3.connect(path)
    with to.open("wb") as out:
        for row, scores, labels in _merged(conn):
            fields = {"id": row[1], "input": row[3], "response": row[4],
                      "scores": [{"value": x[2], "reasoning": x[3]} for x in scores],
                      "labels": [{"value": x[3]} for x in labels]}  # fmt: skip
            out.write(to_json(masking.clean(fields)) + b"\n")
    conn.close()


def floor_labels(path: Path, to: Path) -> None:
    """Write the table of labels as a plain script would, the auto score beside, a line a label."""
    blank = dict.fromkeys(column.name for column in label_rows.columns(()))
    conn = sqlite3.connect(path)
    with to.open("wb") as out:
        for identity, metric, labeler, value, at, auto in conn.execute(
            "SELECT e.ext_id, l.metric, l.labeler, l.value, l.at, s.value FROM labels l "
            "JOIN evaluations e ON e.id = l.evaluation "
            "LEFT JOIN scores s ON s.evaluation = l.evaluation AND s.metric = l.metric "
            "ORDER BY l.evaluation, l.id"
        ):
            fields = blank | {
                "run": "bench", "id": identity, "metric": METRICS[metric - 1],
                "labeler": f"labeler {labeler}", "value": value, "at": at, "blind": True,
                "kind": "label", "unsure": False, "current": True, "counts": True, "auto": auto,
                "scorer": "judge", "scale": "ordinal: one of 1, 2, 3, 4, 5",
            }  # fmt: skip
            out.write(to_json(fields) + b"\n")
    conn.close()


BESIDE: tuple[tuple[dict[str, Any], Callable[[Path, Path], None]], ...] = (
    ({"format": "native", "what": "labels"}, floor_labels),
    ({"format": "csv", "what": "labels"}, floor_labels),
    ({"format": "native", "mask": True}, floor_masked),
    ({"format": "parquet"}, floor_parquet),
    ({"format": "workbook"}, floor_workbook),
    ({"format": "inspect"}, floor_jsonl),
    ({"format": "label-studio"}, floor_jsonl),
)
"""Exports whose rate is told beside, and the script that each is held against.

Those of other tools, which hold more, are held against JSON Lines.
"""


def ours(path: Path, to: Path, request: ExportRequest | None = None) -> None:
    """Export as the program does."""
    with Project.open(path) as project:
        exporting.export(project, to, request or ExportRequest(), Silent())


def seconds(task: Callable[[Path, Path], None], path: Path, to: Path) -> float:
    """Time one export."""
    started = time.perf_counter()
    task(path, to)
    return time.perf_counter() - started


def main() -> None:
    """Print rows a second and the ratio, for JSON Lines and CSV."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = write_results(folder / "results.jsonl", chosen.count, labelled=chosen.count)
        path = folder / "bench.review"
        importing.run(path, ImportRequest((source,), rubric=RUBRIC), Silent())
        for suffix, floor in ((".jsonl", floor_jsonl), (".csv", floor_csv)):
            ratios = []
            for _ in range(chosen.rounds):
                plain = seconds(floor, path, folder / f"plain{suffix}")
                own = seconds(ours, path, folder / f"own{suffix}")
                ratios.append(plain / own)
                sys.stdout.write(
                    f"{suffix} script {chosen.count / plain:8,.0f}/s   "
                    f"reviewer {chosen.count / own:8,.0f}/s   ratio {plain / own:.2f}\n"
                )
            sys.stdout.write(f"{suffix} median ratio {statistics.median(ratios):.2f}\n")
        for words, script in BESIDE:
            plain = seconds(script, path, folder / "plain")
            spent = seconds(partial(ours, request=ExportRequest(**words)), path, folder / "beside")
            told = " ".join(map(str, words.values()))
            sys.stdout.write(
                f"{told:28} {chosen.count / spent:8,.0f}/s   of the speed of "
                f"{script.__name__} {plain / spent:.2f}\n"
            )


if __name__ == "__main__":
    main()
