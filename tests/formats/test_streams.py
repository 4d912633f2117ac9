# letters of other scripts look like Latin ones by their nature
# ruff: noqa: RUF001

import gzip
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.domain.errors import CancelledError, FormatError, Silent
from reviewer.formats.streams import (
    HEAD_SIZE,
    encoding_of,
    heeding,
    open_stream,
    read_head,
    stem_of,
)

TEXT = "Grüße, 東京 – “quoted”\nsecond line\n"


def written(folder: Path, content: bytes) -> Path:
    path = folder / "file.txt"
    path.write_bytes(content)
    return path


def open_files(path: Path) -> int:
    return sum(
        link.resolve() == path for link in Path("/proc/self/fd").iterdir() if link.is_symlink()
    )


@pytest.mark.parametrize(
    "content",
    [
        TEXT.encode(),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-be"),
        gzip.compress(TEXT.encode()),
        gzip.compress(TEXT.encode("utf-16")),
    ],
    ids=["utf-8", "bom", "utf-16", "utf-16 without mark", "gzip", "gzip of utf-16"],
)
def test_every_encoding_arrives_as_plain_utf8(tmp_path: Path, content: bytes) -> None:
    if content == TEXT.encode("utf-16-be"):
        content = ("plain " * 20 + "\n").encode("utf-16-be")
    with open_stream(written(tmp_path, content)) as source:
        found = source.read().decode()
    assert found in (TEXT, "plain " * 20 + "\n")


def test_windows_1252_is_read_and_said() -> None:
    encoding = encoding_of("“Café” is open\n".encode("cp1252") * 3)
    assert encoding is not None
    assert encoding.codec == "windows-1252"
    assert "UTF-8" in encoding.sentence


def test_latin_1_is_read_and_said(tmp_path: Path) -> None:
    path = written(tmp_path, "id;text\n1;Café für alle\n".encode("latin-1"))
    with open_stream(path) as source:
        assert source.encoding.codec == "latin-1"
        assert "Latin-1" in source.encoding.sentence
        assert source.read().decode() == "id;text\n1;Café für alle\n"


def test_the_codes_that_windows_1252_leaves_open_survive(tmp_path: Path) -> None:
    path = written(tmp_path, b"a,b\n\x93x\x94,\x81\xe9\n")
    with open_stream(path) as source:
        assert source.read().decode() == "a,b\n“x”,\x81é\n"


@pytest.mark.parametrize(
    ("codec", "text", "words"),
    [
        (
            "cp1251",
            "Здравствуйте, чем я могу вам помочь? Ваш заказ.",
            "Windows-1251",
        ),
        ("koi8-r", "Здравствуйте, чем я могу вам помочь? Ваш заказ.", "KOI8-R"),
        ("cp1253", "Καλημέρα, πώς μπορώ να βοηθήσω; Η παραγγελία.", "Greek"),
        ("shift_jis", "こんにちは、どのようにお手伝いできますか?", "Shift JIS"),
        ("gb18030", "您好,请问有什么可以帮您?", "GB 18030"),
        ("cp1252", "Grüße aus Köln, schöne Füße und größere Bäume für alle Schüler.", "Latin-1"),
        ("cp1252", "Él añadió más cañas – “mañana será otro día”, según él.", "Windows-1252"),
    ],
)
def test_an_old_code_page_is_told_by_what_its_signs_make(
    tmp_path: Path, codec: str, text: str, words: str
) -> None:
    plain = "".join(f"{number},It was fine.\n" for number in range(200))
    said = f"id,text\n{plain}201,{text}\n"
    with open_stream(written(tmp_path, said.encode(codec))) as source:
        assert words in source.encoding.sentence
        assert source.read().decode() == said


def test_a_few_strange_signs_are_western_european() -> None:
    encoding = encoding_of("id,text\n1,it’s a café\n".encode("cp1252"))
    assert encoding is not None
    assert encoding.codec == "windows-1252"


def test_a_head_that_ends_within_a_character_is_still_utf8() -> None:
    assert encoding_of(("é" * 40).encode()[:-1]) is encoding_of(b"plain")


def test_random_bytes_are_no_text() -> None:
    assert encoding_of(bytes(range(256)) * 8) is None


def test_a_few_null_bytes_do_not_make_a_text_binary() -> None:
    assert encoding_of(b"id,text\n1,a\0b\n" * 10) is not None


def test_truncated_gzip_is_refused_with_a_sentence(tmp_path: Path) -> None:
    packed = gzip.compress(bytes(i * 7919 % 251 for i in range(200_000)))
    path = written(tmp_path, packed[: len(packed) // 2])
    with open_stream(path) as source, pytest.raises(FormatError, match="cut off before its end"):
        source.read()


def test_damaged_gzip_is_refused_with_a_sentence(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"hello " * 10_000))
    packed[-6] ^= 0xFF
    path = written(tmp_path, bytes(packed))
    with pytest.raises(FormatError, match="damaged"), open_stream(path) as source:
        source.read()


def test_position_counts_bytes_on_disk(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress(b"a line of text\n" * 100_000))
    with open_stream(path) as source:
        assert source.position() == 0
        source.read(10)
        assert 0 < source.position() <= source.size
        source.read()
        assert source.position() == source.size == path.stat().st_size


def test_missing_files_and_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="does not exist"):
        open_stream(tmp_path / "none.csv")
    with pytest.raises(FormatError, match="is a folder"):
        open_stream(tmp_path)


def test_the_head_of_a_cut_gzip_is_what_can_be_had(tmp_path: Path) -> None:
    packed = gzip.compress(b"id,text\n" + bytes(range(48, 120)) * 5000)
    assert read_head(written(tmp_path, packed[:-30])).startswith(b"id,text\n")


def test_files_are_named_without_suffixes() -> None:
    assert stem_of(Path("x/results.v2.jsonl.gz")) == "results.v2"
    assert stem_of(Path("table.csv")) == "table"
    assert stem_of(Path(".json")) == ".json"


@pytest.mark.parametrize("pad", range(4))
@pytest.mark.parametrize(
    ("codec", "words"),
    [
        ("gb18030", "您好请问有什么可以帮您"),
        ("cp932", "こんにちは、どのようにお手伝いできますか"),
        ("cp949", "무엇을 도와드릴까요"),
    ],
)
def test_where_a_long_file_is_cut_changes_nothing(codec: str, words: str, pad: int) -> None:
    """A head and the part of it that is looked at may end within a character."""
    content = "a" * pad + "\n".join(f"{number},{words},ok" for number in range(30_000))
    encoding = encoding_of(content.encode(codec)[:HEAD_SIZE])
    assert encoding is not None
    assert encoding.codec == codec


@pytest.mark.parametrize(
    ("codec", "content"),
    [
        ("cp1251", "id,answer\n1,Здравствуйте"),
        ("cp1251", "id;answer\n1;Здравствуйте"),
        (
            "cp932",
            "id\tanswer\n1\tこの製品は二年間の保証が付いており、故障した場合は無料で修理いたします。",
        ),
    ],
)
def test_the_last_line_tells_too_where_nothing_ends_it(codec: str, content: str) -> None:
    encoding = encoding_of(content.encode(codec))
    assert encoding is not None
    assert encoding.codec == codec


@pytest.mark.parametrize(
    "pack",
    [bytes, gzip.compress, lambda x: x.decode().encode("utf-16"), lambda x: b"\xef\xbb\xbf" + x],
)
def test_a_file_that_nobody_waits_for_any_more_is_not_read_on(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    class Stopping(Silent):
        cancelled = False

    chance = random.Random(3)  # noqa: S311
    path = written(
        tmp_path, pack(b"%r\n" * 100_000 % tuple(chance.random() for _ in range(100_000)))
    )
    progress = Stopping()
    with heeding(progress, "Nobody waits."), open_stream(path) as source:
        assert source.readline()
        progress.cancelled = True
        with pytest.raises(CancelledError, match="Nobody waits"):
            source.read()
        with pytest.raises(CancelledError), open_stream(path) as again:
            again.readline()
    with open_stream(path) as outside:
        assert len(outside.read().splitlines()) == 100_000


@pytest.mark.parametrize("look", range(1, 5))
def test_a_file_given_up_while_it_is_opened_is_closed(look: int, tmp_path: Path) -> None:
    class Leaving:
        looks = 0

        @property
        def cancelled(self) -> bool:
            self.looks += 1
            return self.looks >= look

        def advance(self, done: int, total: int | None, note: str = "") -> None: ...

    path = written(tmp_path, gzip.compress(TEXT.encode()))
    held = open_files(path)
    with heeding(Leaving(), "Nobody waits."):  # noqa: SIM117 - the file ends before the heeding
        with pytest.raises(CancelledError) as given_up:
            open_stream(path).read()
    # what the error's frames still hold is closed as well
    assert open_files(path) == held, given_up
