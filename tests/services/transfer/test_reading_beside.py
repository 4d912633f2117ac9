"""A large file read by a second process gives the rows that it gives without one."""

import gzip
import os
import time
from itertools import islice
from pathlib import Path

import psutil
import pytest

from reviewer.domain.errors import CancelledError, FormatError, Silent
from reviewer.formats.incoming import Incoming, Record
from reviewer.services.transfer import file_plans, reading_beside
from reviewer.services.transfer.file_reading import Asked, read
from tests.bench.reader_files import KINDS

ROWS = 1_500
FIRST = 32
"""How many are read here until the second process is waited for."""


class Stoppable(Silent):
    cancelled = False


@pytest.fixture(autouse=True)
def _everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_beside, "LARGE", 0)
    monkeypatch.setattr(reading_beside, "LARGE_PACKED", 0)
    monkeypatch.setattr(reading_beside, "_processors", lambda: 2)


def asked_of(file: Path, kind: str) -> Asked:
    opened = file_plans.open_file(file, answers=KINDS[kind].answers)
    return Asked(opened.file, opened.sniffed, opened.mapping)


def made(folder: Path, kind: str, rows: int = ROWS) -> Asked:
    file = folder / f"results.{KINDS[kind].suffix}"
    KINDS[kind].write(file, (KINDS[kind].make(number) for number in range(rows)))
    return asked_of(file, kind)


def alone(asked: Asked) -> list[Incoming]:
    with read(asked) as (_, rows):
        return list(rows)


def processes() -> list[psutil.Process]:
    return [
        one
        for one in psutil.Process().children()
        if one.status() != psutil.STATUS_ZOMBIE and "reviewer.worker.beside" in one.cmdline()
    ]


@pytest.fixture
def came(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Hold the first process back at the first look until the second has come to its row."""
    found: list[int] = []
    look = reading_beside._Answer.has_come_to

    def waiting(answer: reading_beside._Answer, row: int) -> bool:
        if row >= FIRST and not found:
            until = time.monotonic() + 60
            while not look(answer, row):
                assert time.monotonic() < until
                time.sleep(0.005)
            found.append(row)
            return True
        return look(answer, row)

    monkeypatch.setattr(reading_beside._Answer, "has_come_to", waiting)
    return found


@pytest.mark.parametrize("kind", [x for x in KINDS if x != "native"])
def test_the_same_rows_come(kind: str, tmp_path: Path, came: list[int]) -> None:
    asked = made(tmp_path, kind)
    with reading_beside.rows_of(asked, Silent()) as (source, rows):
        both = list(rows)
        assert 0 < source.position() <= source.size == asked.file.stat().st_size
    assert came == [FIRST]
    assert both == alone(asked)
    assert len({row.fields["id"] for row in both if isinstance(row, Record)}) == ROWS
    assert not processes()


def test_a_part_is_taken_whole_however_little_may_wait(
    tmp_path: Path, came: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_beside, "_AHEAD", 1_000)
    monkeypatch.setattr(reading_beside, "_PIPE", 4_096)
    asked = made(tmp_path, "phoenix", rows=600)
    with reading_beside.rows_of(asked, Silent()) as (_, rows):
        assert list(rows) == alone(asked)
    assert came


def test_a_file_that_is_gone_is_told(tmp_path: Path) -> None:
    asked = made(tmp_path, "phoenix")
    asked.file.unlink()
    with (
        pytest.raises(FormatError, match=r"results\.jsonl does not exist"),
        reading_beside.rows_of(asked, Silent()),
    ):
        pass


def test_a_second_process_that_is_killed_changes_nothing(tmp_path: Path, came: list[int]) -> None:
    asked = made(tmp_path, "phoenix")
    with reading_beside.rows_of(asked, Silent()) as (_, rows):
        first = list(islice(rows, FIRST + 1))
        assert came
        (one,) = processes()
        one.kill()
        assert [*first, *rows] == alone(asked)


@pytest.mark.parametrize("words", ["/nowhere/python", "/bin/false", "/bin/true"])
def test_a_second_process_that_does_not_start_changes_nothing(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = made(tmp_path, "table-csv")
    monkeypatch.setattr("sys.executable", words)
    with reading_beside.rows_of(asked, Silent()) as (_, rows):
        assert list(rows) == alone(asked)


def test_a_file_damaged_at_its_end_is_told_as_without(tmp_path: Path, came: list[int]) -> None:
    whole = made(tmp_path, "lm-eval", rows=3_000)
    file = whole.file.with_name("cut.jsonl.gz")
    # random ids would still leave too little to be cut off
    file.write_bytes(gzip.compress(whole.file.read_bytes(), 1)[:-20_000])
    asked = asked_of(file, "lm-eval")
    outcomes = []
    for reading in (read(asked), reading_beside.rows_of(asked, Silent())):
        got: list[Incoming] = []
        with pytest.raises(FormatError) as told, reading as (_, rows):
            got.extend(rows)
        outcomes.append((str(told.value), got))
    assert came
    assert outcomes[0] == outcomes[1]
    assert "cut off before its end" in outcomes[0][0]
    assert len(outcomes[0][1]) > FIRST


@pytest.mark.parametrize("rows_taken", [1, FIRST + 1])
def test_whoever_leaves_early_leaves_no_process(
    rows_taken: int, tmp_path: Path, came: list[int]
) -> None:
    with reading_beside.rows_of(made(tmp_path, "phoenix"), Silent()) as (_, rows):
        assert len(list(islice(rows, rows_taken))) == rows_taken
        assert bool(came) is (rows_taken > FIRST)
        assert processes()
    assert not processes()


def test_the_wish_to_stop_is_heard_while_the_other_process_reads(
    tmp_path: Path, came: list[int]
) -> None:
    progress = Stoppable()
    with reading_beside.rows_of(made(tmp_path, "phoenix"), progress) as (_, rows):
        assert len(list(islice(rows, FIRST + 1))) == FIRST + 1
        (one,) = processes()
        one.suspend()
        progress.cancelled = True
        started = time.monotonic()
        with pytest.raises(CancelledError):
            list(rows)
        assert came
    # what had arrived is gone through first
    assert time.monotonic() - started < 1
    assert not processes()


def test_the_second_process_knows_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-readers-0123456789")
    monkeypatch.setenv("OF_INTEREST", "seen")
    with reading_beside.rows_of(made(tmp_path, "phoenix"), Silent()) as (_, rows):
        next(rows)
        (one,) = processes()
        surroundings = one.environ()
    assert surroundings["OF_INTEREST"] == "seen"
    assert "OPENAI_API_KEY" not in surroundings


def test_small_files_and_light_ones_are_read_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(_: Asked) -> None:
        raise AssertionError

    monkeypatch.setattr(reading_beside._Answer, "begin", no)
    with reading_beside.rows_of(made(tmp_path, "native"), Silent()) as (_, rows):
        assert len(list(rows)) == ROWS
    monkeypatch.setattr(reading_beside, "LARGE", 1 << 30)
    asked = made(tmp_path, "phoenix")
    with reading_beside.rows_of(asked, Silent()) as (_, rows):
        assert list(rows) == alone(asked)
    monkeypatch.setattr(reading_beside, "LARGE", 0)
    monkeypatch.setattr(reading_beside, "_processors", lambda: 1)
    with reading_beside.rows_of(asked, Silent()) as (_, rows):
        assert list(rows) == alone(asked)


def test_processors_are_those_that_this_process_may_use() -> None:
    assert 1 <= reading_beside._processors() <= (os.cpu_count() or 1)
