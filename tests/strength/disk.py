"""What a disk may hold after a loss of power: what was synced, and of the rest whatever it likes.

`disk.c` records in order what a process does to the files of a folder. From any beginning of such
a record follows what is certain to be there. What was written after a file's last sync may be
there or not, each sector for itself; names that were made, moved or removed since the folder's
last sync, too. Of what is mapped into memory nothing is believed at all.
"""

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import NamedTuple

SOURCE = Path(__file__).with_name("disk.c")
_HEAD = struct.Struct("<IIIIQQQ")
SECTORS = (512, 4096, 1 << 30)
"""Bytes that arrive together or not at all; the last: each write as a whole."""
SHARES = (0.0, 0.1, 0.5, 0.9, 1.0)
"""How much arrives of what is not certain."""


class Record(NamedTuple):
    """One thing that was done, with the letter that the recorder gives it."""

    kind: str
    file: int
    offset: int
    first: str
    second: str
    content: bytes


def compiler() -> str | None:
    """Give the machine's C compiler, None where there is none."""
    return shutil.which("cc")


def compiled(folder: Path) -> Path:
    """Compile the recorder into a folder."""
    to = folder / "disk.so"
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(to), str(SOURCE)]
    subprocess.run(command, check=True)
    return to


class Recorder:
    """The recorder with which this process was started, by LD_PRELOAD."""

    def __init__(self) -> None:
        """Find it.

        Raises:
            AttributeError: The process was started without it.
        """
        self._here = ctypes.CDLL(None)
        _ = self._here.record_disk

    def begin(self, folder: Path, log: Path) -> None:
        """Record from now on what this process does in a folder.

        Raises:
            OSError: The log cannot be written.
        """
        if self._here.record_disk(bytes(folder), bytes(log)):
            raise OSError(f"{log} cannot be written")

    def note(self, words: str) -> None:
        """Put words of one's own into the record."""
        self._here.note_disk(words.encode())


def records(log: Path) -> Iterator[Record]:
    """Read what was recorded."""
    raw, at = log.read_bytes(), 0
    while at < len(raw):
        kind, first, second, _, file, offset, length = _HEAD.unpack_from(raw, at)
        paths = at + _HEAD.size
        content = paths + first + second
        whole = chr(kind) in "nw"
        at = content + (length if whole else 0)
        yield Record(
            chr(kind),
            file,
            offset,
            raw[paths : paths + first].decode(),
            raw[paths + first : content].decode(),
            raw[content:at],
        )


Pending = tuple[int, bytes | None]
"""Bytes at a place, or None where the file is cut off there."""


@dataclass
class _File:
    """What is certain of a file, and what came after that."""

    certain: bytearray = field(default_factory=bytearray)
    pending: list[Pending] = field(default_factory=list)
    mapped: bool = False

    def sync(self) -> None:
        for offset, content in self.pending:
            _apply(self.certain, offset, content)
        self.pending.clear()


def _apply(data: bytearray, offset: int, content: bytes | None, filler: int = 0) -> None:
    if content is None:
        del data[offset:]
    if len(data) < offset:
        data += bytes([filler]) * (offset - len(data))
    if content is not None:
        data[offset : offset + len(content)] = content


class Disk:
    """The files of one folder, from the state in which it is now on."""

    def __init__(self, folder: Path) -> None:
        """Take what is there as certain."""
        self._folder = folder.resolve()
        self._files: dict[int, _File] = {}
        self._names: dict[str, _File] = {}
        self._moves: list[tuple[str, str, _File | None]] = []
        for path in self._folder.rglob("*"):
            if path.is_file():
                file = _File(bytearray(path.read_bytes()))
                self._files[path.stat().st_ino] = self._names[str(path)] = file

    def do(self, record: Record) -> None:
        """Take one record."""
        match record.kind:
            case "m":
                self._files[record.file] = made = _File()
                self._moves.append(("", record.first, made))
            case "w":
                self._files[record.file].pending.append((record.offset, record.content))
            case "c":
                self._files[record.file].pending.append((record.offset, None))
            case "s":
                self._files[record.file].sync()
            case "x":
                self._files[record.file].mapped = True
            case "f":
                self._sync_names(record.first)
            case "r":
                now = self._present()
                self._moves.append((record.first, record.second, now.get(record.first)))
            case "d":
                self._moves.append((record.first, "", None))

    def _sync_names(self, folder: str) -> None:
        left = []
        for move in self._moves:
            if folder in {str(Path(name).parent) for name in move[:2] if name}:
                _move(self._names, move)
            else:
                left.append(move)
        self._moves = left

    def _present(self) -> dict[str, _File]:
        names = dict(self._names)
        for move in self._moves:
            _move(names, move)
        return names

    def lose_power(self, dice: Random) -> None:
        """Put into the folder what a disk may hold where the power is lost now."""
        names, share = dict(self._names), dice.choice(SHARES)
        # a journal keeps the order of names; not every file system has one
        first = dice.randint(0, len(self._moves)) if dice.random() < 0.5 else None
        for number, move in enumerate(self._moves):
            if (dice.random() < share) if first is None else (number < first):
                _move(names, move)
        shutil.rmtree(self._folder)
        self._folder.mkdir()
        for name, file in names.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_bytes(_survived(file, dice, share))


def _move(names: dict[str, _File], move: tuple[str, str, _File | None]) -> None:
    before, now, file = move
    if before:
        names.pop(before, None)
    if now and file is not None:
        names[now] = file


def _survived(file: _File, dice: Random, share: float) -> bytes:
    data, sector = bytearray(file.certain), dice.choice(SECTORS)
    # a sector that never came holds zeros, or what was there in another file
    filler = dice.choice((0, 0, 0xA5))
    for offset, content in file.pending:
        if content is None:
            if dice.random() < share:
                _apply(data, offset, None, filler)
            continue
        start = offset
        while start < offset + len(content):
            end = min((start // sector + 1) * sector, offset + len(content))
            if dice.random() < share:
                _apply(data, start, content[start - offset : end - offset], filler)
            start = end
    return dice.randbytes(len(data)) if file.mapped else bytes(data)
