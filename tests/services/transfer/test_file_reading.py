"""What a second process hands over is what reading here gives, whoever makes the rows."""

import io
import pickle
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from typing_extensions import override

from reviewer.formats import registry
from reviewer.formats.format import Format, Sniffed
from reviewer.formats.incoming import BadRow, Incoming, Unmade
from reviewer.services.transfer import file_plans, file_reading
from reviewer.services.transfer.file_reading import HEADER, Asked, question, read, serve
from tests.bench.reader_files import KINDS

ROWS = 400
LEFT = ("phoenix", "otel", "langfuse")
"""Kinds whose rows may be handed over unmade."""


class Slow(io.BytesIO):
    """Takes each part long after it came."""

    @override
    def flush(self) -> None:
        time.sleep(2 * file_reading._AWAITED_S)


def asked_of(folder: Path, kind: str) -> Asked:
    file = folder / f"results.{KINDS[kind].suffix}"
    KINDS[kind].write(file, (KINDS[kind].make(number) for number in range(ROWS)))
    opened = file_plans.open_file(file, answers=KINDS[kind].answers)
    return Asked(opened.file, opened.sniffed, opened.mapping)


def answered(asked: Asked, out: io.BytesIO) -> Iterator[Incoming | Unmade]:
    serve(io.BytesIO(question(asked)), out)
    out.seek(0)
    while head := out.read(HEADER.size):
        size, count = HEADER.unpack(head)
        _, rows, why_early = pickle.loads(out.read(size))  # noqa: S301
        assert len(rows) == count
        assert why_early is None
        yield from rows


def made(rows: Iterator[Incoming | Unmade]) -> list[Incoming]:
    return [row.make() if isinstance(row, Unmade) else row for row in rows]


@pytest.mark.parametrize("known", registry.FORMATS, ids=lambda known: known.name)
def test_another_process_can_be_asked_for_every_format(known: Format, tmp_path: Path) -> None:
    sniffed = Sniffed(known.name, sorted(known.shapes)[0], "")
    _, begin = pickle.loads(question(Asked(tmp_path, sniffed, None)))  # noqa: S301
    assert callable(begin)


@pytest.mark.parametrize("kind", LEFT)
def test_whoever_makes_the_rows_they_are_the_same(kind: str, tmp_path: Path) -> None:
    asked = asked_of(tmp_path, kind)
    with read(asked) as (_, rows):
        here = list(rows)
    assert len(here) == ROWS
    quick, slow = list(answered(asked, io.BytesIO())), list(answered(asked, Slow()))
    left = [sum(isinstance(row, Unmade) for row in rows) for rows in (quick, slow)]
    assert left[0] > left[1] > 0
    assert made(iter(quick)) == made(iter(slow)) == here


def _refused(_value: object) -> Incoming:
    return BadRow(1, "", None, "its values are nested too deeply to be read")


def test_what_is_nested_too_deeply_is_made_before_it_is_handed_over() -> None:
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    out = io.BytesIO()
    file_reading._hand_over(out, 1, (9, [Unmade(partial(_refused, deep))], None))
    out.seek(HEADER.size)
    assert pickle.loads(out.read()) == (9, [_refused(None)], None)  # noqa: S301
