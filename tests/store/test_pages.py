"""Pages read by themselves: what SQLite wrote comes back, and nothing that it did not write."""

import contextlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.store.pages import Pages, values_of, varint

VALUES = [
    None,
    0,
    1,
    -1,
    127,
    300,
    -70_000,
    2**31,
    2**40,
    -(2**63),
    1.5,
    "ä" * 30,
    b"\x00\x01",
    "",
]
LONG = ["x" * length for length in (3_000, 4_050, 4_061, 4_062, 9_000, 70_000)]


def made(path: Path, rows: list[list[Any]], *pragmas: str) -> Path:
    with closing(sqlite3.connect(path)) as conn:
        for pragma in pragmas:
            conn.execute(f"PRAGMA {pragma}")
        marks = ", ".join("?" * len(rows[0]))
        conn.execute(f"CREATE TABLE t({', '.join(f'c{n}' for n in range(len(rows[0])))})")
        conn.executemany(f"INSERT INTO t VALUES ({marks})", rows)  # noqa: S608 - of this test
        conn.commit()
    return path


def first_rows(path: Path) -> list[list[Any] | None]:
    with Pages(path) as pages:
        content = pages.read(2)
        page = pages.page(2, content) if content else None
        return [cell.values if cell else None for cell in page.cells] if page else []


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
@pytest.mark.parametrize("size", [512, 4096, 65536])
def test_every_kind_of_value_comes_back(tmp_path: Path, encoding: str, size: int) -> None:
    path = made(tmp_path / "a", [VALUES], f"encoding = '{encoding}'", f"page_size = {size}")
    assert first_rows(path) == [VALUES]


@pytest.mark.parametrize("text", LONG, ids=len)
def test_what_goes_on_in_other_pages_comes_back(tmp_path: Path, text: str) -> None:
    assert first_rows(made(tmp_path / "a", [[1, text]])) == [[1, text]]


@pytest.mark.parametrize("new", [bytes(4096), b"\xff" * 4096, b"\x0d" + bytes(4095)])
@pytest.mark.parametrize("page", [3, 4])
def test_a_broken_chain_costs_its_row_only(tmp_path: Path, page: int, new: bytes) -> None:
    path = made(tmp_path / "a", [[1, "x" * 9_000], [2, "short"]])
    content = bytearray(path.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = new
    path.write_bytes(content)
    assert first_rows(path) == [None, [2, "short"]]


def test_a_chain_that_bites_its_tail_ends(tmp_path: Path) -> None:
    path = made(tmp_path / "a", [[1, "x" * 9_000]])
    content = bytearray(path.read_bytes())
    content[3 * 4096 : 3 * 4096 + 4] = (3).to_bytes(4)
    path.write_bytes(content)
    assert first_rows(path) == [None]


def test_a_row_that_ends_early_is_none() -> None:
    whole = b"\x04\x01\x02\x37" + b"\x05\x01\x00" + b"a" * 21
    assert values_of(whole, "utf-8") == [5, 256, "a" * 21]
    for length in range(len(whole)):
        found = None
        with contextlib.suppress(IndexError, ValueError):
            found = values_of(whole[:length], "utf-8")
        assert found is None


def test_numbers_of_every_length_are_read() -> None:
    for value, written in ((0x7F, b"\x7f"), (0x80, b"\x81\x00"), (2**64 - 1, b"\xff" * 9)):
        assert varint(written, 0) == (value, len(written))


def with_log(path: Path) -> Path:
    """A file with ten committed changes in its log, as a killed program leaves it."""
    conn = sqlite3.connect(path, isolation_level=None)
    conn.execute("PRAGMA journal_mode = WAL")
    conn.execute("CREATE TABLE t(a)")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in range(10):
        conn.execute("INSERT INTO t VALUES (?)", (number,))
    copied = path.with_name("killed")
    for suffix in ("", "-wal"):
        path.with_name(f"killed{suffix}").write_bytes(Path(f"{path}{suffix}").read_bytes())
    conn.close()
    return copied


def test_the_newest_state_is_in_the_log(tmp_path: Path) -> None:
    path = with_log(tmp_path / "a")
    assert first_rows(path) == [[number] for number in range(10)]
    with Pages(path) as pages:
        assert not pages.log_broken


def test_a_broken_frame_costs_that_state_only(tmp_path: Path) -> None:
    path = with_log(tmp_path / "a")
    log = path.with_name("killed-wal")
    content = bytearray(log.read_bytes())
    content[32 + 4 * 4120 + 2_000] ^= 1
    log.write_bytes(content)
    assert first_rows(path) == [[number] for number in range(10)]
    with Pages(path) as pages:
        assert pages.log_broken


def test_what_was_not_committed_is_not_taken(tmp_path: Path) -> None:
    path = with_log(tmp_path / "a")
    log = path.with_name("killed-wal")
    log.write_bytes(log.read_bytes()[:-1])
    assert first_rows(path) == [[number] for number in range(9)]
    with Pages(path) as pages:
        assert not pages.log_broken


def test_an_older_round_of_the_log_is_not_taken(tmp_path: Path) -> None:
    path = with_log(tmp_path / "a")
    log = path.with_name("killed-wal")
    content = bytearray(log.read_bytes())
    content[16:24] = b"newsalts"
    log.write_bytes(content)
    assert first_rows(path) == []
