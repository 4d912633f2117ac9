"""Parquet, and data sets for the Hugging Face hub: shards of it with a card and a split."""

import hashlib
import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from reviewer.formats.writing import (
    EVALUATIONS,
    TABLES,
    About,
    Chunks,
    Column,
    Fields,
    Rows,
    Writer,
    in_cells,
    typed,
)

GROUP = 2_000
"""Rows that are held at once; a group of them stands together in the file."""
SHARD = 50_000
"""Rows of a file of a data set."""
VALIDATION = 10
"""Of so many evaluations for making prompts and models, one is for validation."""
_FEATURES = {
    "text": "string", "json": "string", "number": "float64", "whole": "int64", "truth": "bool",
}  # fmt: skip
SPLITS = ("train", "validation", "test")


def _schema(columns: tuple[Column, ...]) -> Any:  # noqa: ANN401 - the library has no types
    import pyarrow as pa

    kinds = {
        "text": pa.string(), "json": pa.string(), "number": pa.float64(), "whole": pa.int64(),
        "truth": pa.bool_(),
    }  # fmt: skip
    return pa.schema([(x.name, kinds[x.kind]) for x in typed(columns)])


class _Table:
    """A file that is written in groups of rows."""

    def __init__(self, out: Any, columns: tuple[Column, ...]) -> None:  # noqa: ANN401
        from pyarrow.parquet import ParquetWriter

        self.schema = _schema(columns)
        self._columns = columns
        self._file = ParquetWriter(out, self.schema, compression="zstd")
        self._held: list[list[object]] = []
        self.rows = 0

    def add(self, row: Fields) -> None:
        self._held.append(list(in_cells(row, self._columns)))
        self.rows += 1
        if len(self._held) == GROUP:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._held:
            columns = [
                pa.array(_fitting(values, kind.type), kind.type)
                for values, kind in zip(zip(*self._held, strict=True), self.schema, strict=True)
            ]
            self._file.write_table(pa.Table.from_arrays(columns, schema=self.schema))
        self._held = []

    def close(self) -> None:
        self._flush()
        self._file.close()


def _fitting(values: Iterable[object], kind: Any) -> list[object]:  # noqa: ANN401
    """Say what a column of texts or numbers has no place for as the text it is."""
    if str(kind) == "string":
        return [
            x if isinstance(x, str | None) else json.dumps(x, ensure_ascii=False) for x in values
        ]
    return list(values)


def _write(rows: Rows, about: About, out: Chunks) -> int:
    table = _Table(_open(out), about.columns)
    for row in rows:
        table.add(row)
    table.close()
    return table.rows


def _open(out: Chunks) -> Any:  # noqa: ANN401 - the library has no types
    # loaded only where Parquet is written
    import pyarrow as pa

    return pa.PythonFile(out, mode="w")


def _split_of(row: Fields) -> str:
    """Give the split of an evaluation: what is held out is the test, and never anything else."""
    if row.get("part") == "held_out":
        return "test"
    kin = row.get("cluster") or row.get("case") or f"{row['run']}/{row['id']}"
    drawn = int.from_bytes(hashlib.sha256(str(kin).encode()).digest()[:8], "big") % VALIDATION
    return "train" if drawn else "validation"


class _Splits:
    """The shards of a data set."""

    def __init__(self, folder: Path, columns: tuple[Column, ...]) -> None:
        self._folder, self._columns = folder, columns
        self._tables: dict[str, _Table] = {}
        self._shards = dict.fromkeys(SPLITS, 0)
        self.rows = dict.fromkeys(SPLITS, 0)

    def add(self, split: str, row: Fields) -> None:
        table = self._tables.get(split)
        if table is None:
            name = f"{split}-{self._shards[split]:05}.parquet"
            table = self._tables[split] = _Table(str(self._folder / name), self._columns)
            self._shards[split] += 1
        table.add(row)
        self.rows[split] += 1
        if table.rows == SHARD:
            self._tables.pop(split).close()

    def close(self) -> None:
        for table in self._tables.values():
            table.close()


def _write_folder(rows: Rows, about: About, folder: Path) -> int:
    data = folder / "data"
    data.mkdir()
    with ExitStack() as stack:
        splits = _Splits(data, about.columns)
        stack.callback(splits.close)
        for row in rows:
            splits.add(_split_of(row), row)
    (folder / "README.md").write_text(_card(about, splits.rows, _sizes(data)), encoding="utf-8")
    if not splits.rows["test"]:
        about.notes["evaluations are in the split test: nothing is held out (--split SEED)"] = 0
    return sum(splits.rows.values())


def _sizes(data: Path) -> dict[str, int]:
    return {name: sum(x.stat().st_size for x in data.glob(f"{name}-*.parquet")) for name in SPLITS}


def _card(about: About, counts: dict[str, int], sizes: dict[str, int]) -> str:
    """Give the card: what a program reads of it between the lines of dashes, then words."""
    import yaml

    used = {name: n for name, n in counts.items() if n}
    told = {
        "configs": [
            {
                "config_name": "default",
                "data_files": [{"split": name, "path": f"data/{name}-*.parquet"} for name in used],
            }
        ],
        "dataset_info": {
            "features": [
                {"name": x.name, "dtype": _FEATURES[x.kind]} for x in typed(about.columns)
            ],
            "splits": [
                {"name": name, "num_examples": n, "num_bytes": sizes[name]}
                for name, n in used.items()
            ],
        },
    }
    rows = "\n".join(f"| `{x.name}` | {x.meaning} |" for x in typed(about.columns))
    listed = "\n".join(f"| {name} | {n:,} |" for name, n in used.items())
    return (
        f"---\n{yaml.safe_dump(told, sort_keys=False)}---\n\n# {about.title}\n\n"
        "Evaluations of a chatbot or agent with auto scores and people's labels, exported by "
        "Reviewer. Lists and objects stand as JSON in texts.\n\n"
        f"| split | evaluations |\n|---|---|\n{listed}\n\n"
        "`test` holds what is held out for judging judges, and nothing else; train nothing on "
        f"it.\n\n| column | meaning |\n|---|---|\n{rows}\n"
    )


PARQUET = Writer(
    name="parquet", title="Parquet", suffixes=(".parquet",), holds=TABLES, write=_write
)
HUGGING_FACE = Writer(
    name="huggingface",
    title="Hugging Face data sets (folders)",
    holds=EVALUATIONS,
    write_folder=_write_folder,
    by_part=True,
)
