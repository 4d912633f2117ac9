"""Each format's file, spoiled in each way, gives its good rows or a sentence, and nothing else."""

import json
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats import registry
from reviewer.formats.incoming import BadRow, Incoming
from reviewer.services.transfer.file_plans import open_file, plan
from tests.formats.samples import PLAIN, samples

NOTHING = "nothing is wrong"
LONGEST = 20
"""Seconds of this process, since a machine may have other work; all of these files are small."""
TABLES = ("table", "csv", "promptfoo-csv", "promptfoo-redteam", "potato-table", "trivia-judges",
          "agent-reward-bench")  # fmt: skip
LINES = [name for name, (file, _) in PLAIN.items() if file.endswith(".jsonl")]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return samples(tmp_path_factory.mktemp("samples"))


def read(file: Path) -> list[Incoming]:
    """Read a file as an import does; one that is refused has a sentence that names something."""
    started = time.process_time()
    found: list[Incoming] = []
    refused = NOTHING
    try:
        opened = open_file(file)
        plan(opened)
        opened.declared()
        with opened.items() as (_, items):
            found.extend(items)
    except FormatError as error:
        refused = str(error)
    assert len(refused) > len("Line 1")
    for item in found:
        assert not isinstance(item, BadRow) or item.reason
    assert time.process_time() - started < LONGEST
    return found


def kept(file: Path) -> int:
    return sum(not isinstance(item, BadRow) for item in read(file))


def test_there_is_a_sample_of_every_format(files: dict[str, Path]) -> None:
    assert {name.partition(" ")[0] for name in files} == set(registry.names())
    for name, file in files.items():
        assert open_file(file).sniffed.format == name.partition(" ")[0]
        assert kept(file) == len(read(file)) > 0


FORMATS = [*registry.names(), "inspect archive"]


@pytest.mark.parametrize("name", FORMATS)
def test_a_file_that_is_cut_off_keeps_its_good_rows(
    files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    whole = files[name]
    data, most = whole.read_bytes(), kept(whole)
    for tenth in range(1, 10):
        cut = tmp_path / whole.name
        cut.write_bytes(data[: len(data) * tenth // 10])
        assert kept(cut) <= most
        if name in LINES and tenth == 9:
            assert kept(cut) > 0


def _of_nulls(data: bytes) -> Iterator[bytes]:
    yield b"null"
    yield b"[null]\n"
    yield data.replace(b'": 1', b'": null').replace(b'": "', b'": null, "x": "')


def _of_numbers(data: bytes) -> Iterator[bytes]:
    for digits in (20, 400, 5000):
        yield data.replace(b"1", b"9" * digits)
    yield data.replace(b'": 1', b'": NaN').replace(b'": 2', b'": -1e999')


def _deep(data: bytes) -> Iterator[bytes]:
    deep = b"[" * 10_000 + b"1" + b"]" * 10_000
    yield data.replace(b'": "', b'": ' + deep + b', "y": "', 1)
    yield b'{"a":' * 10_000 + b"1" + b"}" * 10_000
    yield data + deep + b"\n"


def _doubled(data: bytes) -> Iterator[bytes]:
    yield data.replace(b'{"', b'{"id": "a", "id": [], "').replace(b"{\n", b'{"id": 1, "id": 2,')


def _coded(data: bytes) -> Iterator[bytes]:
    text = data.decode("utf-8", "replace")
    for codec in ("utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1"):
        yield text.encode(codec, "replace")


def _ended(data: bytes) -> Iterator[bytes]:
    yield data.replace(b"\n", b"\r")
    yield data.replace(b"\n", b"\r\n", 2)
    yield data.replace(b"\n", b"\r", 1)


def _of_another_kind(data: bytes) -> Iterator[bytes]:
    yield b"PK\x03\x04" + data
    yield b"\x89PNG\r\n\x1a\n" + bytes(99)
    yield b"<html><body>Not found</body></html>"
    yield b"PAR1" + data + b"PAR1"
    yield b'{"results": {}}'


@pytest.mark.parametrize("spoil", [_of_nulls, _of_numbers, _deep, _doubled, _coded, _ended,
                                   _of_another_kind])  # fmt: skip
@pytest.mark.parametrize("name", FORMATS)
def test_a_spoiled_file_is_read_or_refused(
    files: dict[str, Path], tmp_path: Path, name: str, spoil: Callable[[bytes], Iterator[bytes]]
) -> None:
    spoiled = tmp_path / files[name].name
    for data in spoil(files[name].read_bytes()):
        spoiled.write_bytes(data)
        read(spoiled)


@pytest.mark.parametrize("name", LINES)
def test_a_broken_line_costs_itself_alone(
    files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    file = tmp_path / files[name].name
    lines = files[name].read_bytes().splitlines(keepends=True)
    before = kept(files[name])
    file.write_bytes(
        b"".join([*lines, b'{"a": ' + b"[" * 10_000 + b"\n", b'{"b": \xff}\n', b"{\n"])
    )
    found = read(file)
    assert sum(isinstance(item, BadRow) for item in found) >= 3
    assert len(found) - sum(isinstance(item, BadRow) for item in found) == before


@pytest.mark.parametrize("name", [x for x in PLAIN if x not in TABLES])
def test_utf_16_reads_as_the_same(files: dict[str, Path], tmp_path: Path, name: str) -> None:
    file = tmp_path / files[name].name
    file.write_bytes(files[name].read_text("utf-8").encode("utf-16"))
    assert kept(file) == kept(files[name])


def test_a_table_of_100_000_columns_is_answered_in_time(tmp_path: Path) -> None:
    names = [f"column {n}" for n in range(100_000)]
    file = tmp_path / "wide.csv"
    file.write_text("\n".join(",".join(row) for row in (names, ["1"] * 100_000, ["2"] * 100_000)))
    read(file)
    file = tmp_path / "wide.jsonl"
    file.write_text("".join(json.dumps(dict.fromkeys(names, n)) + "\n" for n in (1, 2)))
    read(file)


@pytest.mark.parametrize("name", ["inspect archive", "workbook", "workbook-records"])
def test_an_archive_that_unpacks_without_end_or_has_odd_names_is_refused(
    files: dict[str, Path], tmp_path: Path, name: str
) -> None:
    file = tmp_path / files[name].name
    with (
        zipfile.ZipFile(files[name]) as whole,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made,
    ):
        for entry in whole.namelist():
            made.writestr(entry, bytes(200 << 20) if "1" in entry else whole.read(entry))
        for odd in ("../../escaped", "/escaped", "a/../../escaped", "C:\\escaped", "x" * 3000):
            made.writestr(odd, b"{}")
    read(file)
    assert not list(tmp_path.rglob("escaped")) + list(tmp_path.parent.glob("escaped"))


@pytest.mark.parametrize("formula", ['=HYPERLINK("http://x","y")', "+1+1", "@SUM(A1)", "-2+3"])
def test_formulas_are_texts(tmp_path: Path, formula: str) -> None:
    file = tmp_path / "formulas.csv"
    quoted = formula.replace('"', '""')
    file.write_text(f'question,answer,judge_tone\nWhere?,"{quoted}",3\nAnd?,There.,4\n')
    first = read(file)[0]
    assert not isinstance(first, BadRow)
    assert first.fields["response"] == formula
