"""A hundredth of the trial of damaged files; `python -m tests.strength.damaged` runs all of it."""

import sqlite3
from pathlib import Path

import pytest

from tests.strength.damaged import trials


def knows_pages() -> bool:
    """Whether this SQLite says which page holds what."""
    options = sqlite3.connect(":memory:").execute("PRAGMA compile_options").fetchall()
    return ("ENABLE_DBSTAT_VTAB",) in options


@pytest.mark.skipif(not knows_pages(), reason="this SQLite does not say which page holds what")
def test_every_row_that_can_be_read_stands_afterwards_and_no_other(tmp_path: Path) -> None:
    outcomes = [outcome for _, _, outcome in trials(tmp_path, 10)]
    assert [x for x in outcomes if not x.fine] == []
    assert all(x.expected["labels"] for x in outcomes if x.blow.kind != "cut")
