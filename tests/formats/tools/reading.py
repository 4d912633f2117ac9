"""Read a file as an import does, and refer to real files of real tools."""

import json
from collections import Counter
from pathlib import Path

import pytest

from reviewer.formats.incoming import BadRow, Fields, Incoming, LabelRow, Record
from reviewer.services.transfer.file_plans import open_file

DATA = Path(__file__).parents[3].parent / "shared" / "data"


def real(name: str) -> Path:
    """Give a real file; the test is skipped where the folder is absent."""
    file = DATA / name
    if not file.exists():
        pytest.skip(f"the real file {name} is not at hand")
    return file


def read(file: Path, format_name: str) -> tuple[list[Fields], list[BadRow]]:
    """Read a file that must be recognised as a format: its records, and what cannot be used."""
    found = _items(file, format_name)
    records = [item.fields for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, BadRow)]


def read_labels(file: Path, format_name: str) -> list[Fields]:
    """Read a file of labels alone, all of them good."""
    found = _items(file, format_name)
    assert all(isinstance(item, LabelRow) for item in found), found
    return [item.fields for item in found if isinstance(item, LabelRow)]


def _items(file: Path, format_name: str) -> list[Incoming]:
    opened = open_file(file)
    assert opened.sniffed.format == format_name, opened.sniffed
    with opened.items() as (_, items):
        return list(items)


def expected(name: str) -> Fields:
    """Give what a plain parser found in a real file."""
    real(name)
    document: dict[str, Fields] = json.loads((DATA / "expectations.json").read_text("utf-8"))
    return document[name]


def means(records: list[Fields]) -> dict[str, tuple[int, float]]:
    """Give how many scores each metric has, and their mean."""
    values: dict[str, list[float]] = {}
    for record in records:
        for score in record.get("scores") or ():
            if score["value"] is not None and not isinstance(score["value"], str):
                values.setdefault(score["metric"], []).append(float(score["value"]))
    return {name: (len(x), sum(x) / len(x)) for name, x in values.items()}


def roles(records: list[Fields]) -> dict[str, int]:
    """Count the turns of each role."""
    return dict(Counter(turn["role"] for x in records for turn in x.get("messages") or ()))


def calls(records: list[Fields]) -> int:
    """Count the tool calls."""
    turns = (turn for record in records for turn in record.get("messages") or ())
    return sum(len(turn.get("tool_calls") or ()) for turn in turns)
