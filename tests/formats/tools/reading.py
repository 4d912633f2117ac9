"""Read a file as an import does, and refer to real files of real tools."""

from pathlib import Path

import pytest

from reviewer.formats.incoming import BadRow, Fields, Record
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
    opened = open_file(file)
    assert opened.sniffed.format == format_name, opened.sniffed
    with opened.items() as (_, items):
        found = list(items)
    records = [item.fields for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, BadRow)]
