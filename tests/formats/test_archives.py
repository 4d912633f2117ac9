import hashlib
import zipfile
from pathlib import Path

import pytest

from reviewer.domain.errors import FormatError
from reviewer.formats import archives
from reviewer.formats.sniffing import sniff
from reviewer.formats.streams import open_plain

NOISE = b"".join(hashlib.sha256(bytes([n, m])).digest() for n in range(40) for m in range(40))


def zipped(path: Path, method: int = zipfile.ZIP_DEFLATED, **files: bytes) -> Path:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def content(path: Path, name: str) -> bytes:
    with (
        open_plain(path) as source,
        archives.opened(source) as archive,
        archive.member(name) as member,
    ):
        return member.read()


def test_files_are_read_without_being_written(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", one=b"a\nb\n", two=b"c")
    assert archives.names(path) == ("one", "two")
    assert content(path, "two") == b"c"
    with open_plain(path) as source, archives.opened(source) as archive:
        with archive.member("one") as member:
            assert member.readline() == b"a\n"
            assert member.readline() == b"b\n"
        assert source.position() > 0
    assert list(tmp_path.iterdir()) == [path]


def test_a_bomb_is_not_opened(tmp_path: Path) -> None:
    path = zipped(tmp_path / "bomb.zip", log=bytes(archives.LEAST_SUSPECT + 1))
    with pytest.raises(FormatError, match=r"^bomb\.zip: log would grow [\d,]+ times to 64 MB"):
        content(path, "log")


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", log=NOISE)
    whole = path.read_bytes()
    path.write_bytes(whole[:20_000] + bytes(100) + whole[20_100:])
    with pytest.raises(FormatError, match=r"^a\.zip: log is damaged; copy"):
        content(path, "log")
    path.write_bytes(whole[:30_000])
    with pytest.raises(FormatError, match=r"^a\.zip: the archive is damaged"):
        content(path, "log")
    with pytest.raises(FormatError, match=r"^a\.zip is a ZIP archive that is damaged"):
        sniff(path)


def test_a_password_is_named(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", zipfile.ZIP_STORED, log=b"secret")
    whole = bytearray(path.read_bytes())
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        whole[whole.index(mark) + (6 if mark[2] == 3 else 8)] |= 1
    path.write_bytes(bytes(whole))
    with pytest.raises(FormatError, match="log is encrypted; pack it without a password"):
        content(path, "log")


def test_zstd_is_unpacked(tmp_path: Path) -> None:
    from backports.zstd import zipfile as newer

    with newer.ZipFile(tmp_path / "a.zip", "w", newer.ZIP_ZSTANDARD) as archive:
        archive.writestr("log", b"x" * 1000)
    assert content(tmp_path / "a.zip", "log") == b"x" * 1000
