"""The pages of a damaged file and of the log beside it, read without trust in any number in them.

After SQLite's "Database File Format". What SQLite refuses as a whole is taken apart here: a page
that cannot be read is None, a row that cannot be true is None, and nothing else suffers from it.
"""

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

MAGIC: Final = b"SQLite format 3\0"
USUAL: Final = 4096
"""The size of the pages in every project that was not made by hand."""
SIZES: Final = frozenset(1 << n for n in range(9, 17))
ENCODINGS: Final = {1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}
_LOGS: Final = {0x377F0682: "<", 0x377F0683: ">"}
_LOG_HEADER, _FRAME_HEADER = 32, 24

TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER = 0x0D, 0x05, 0x0A, 0x02
KINDS: Final = frozenset((TABLE_LEAF, TABLE_INNER, INDEX_LEAF, INDEX_INNER))
_INNER: Final = frozenset((TABLE_INNER, INDEX_INNER))
_TELLING: Final = 12
"""How many bytes before a page tell what it goes on from."""
_LENGTHS: Final = (0, 1, 2, 3, 4, 6, 8)


class Cell(NamedTuple):
    """One cell of a page.

    Attributes:
        child: The page before it, 0 in leaves.
        key: The number of its row; None in an index.
        values: Its columns; None where they cannot be read, and in inner pages of tables.
    """

    child: int
    key: int | None
    values: list[Any] | None


class Page(NamedTuple):
    """A page that holds a piece of a tree; `last` is the page behind all cells of an inner one."""

    kind: int
    cells: list[Cell | None]
    last: int


class Pages:
    """A file as pages, each in its newest committed state.

    Attributes:
        path: The file.
        count: How many pages there may be.
        log_broken: Whether SQLite would end in the log before the newest committed state.
        headed: Whether the first page still says that this is an SQLite file.
        chained: Of those pages of `copies` in which values go on, what comes before them.
        copies: Pages without rows of their own that stand in the file more than once.
        distrusted: Pages that no value may go on in.
    """

    def __init__(self, path: Path) -> None:
        """Open a file and take in which pages its log has.

        Raises:
            OSError: The file cannot be read.
        """
        self.path = path
        self._file = path.open("rb")
        log = path.with_name(path.name + "-wal")
        self._log = log.open("rb") if log.is_file() else None
        self.chained: dict[int, bytes] = {}
        self.copies: set[int] = set()
        self.distrusted: frozenset[int] = frozenset()
        content = self._log.read() if self._log is not None else b""
        size, self._frames, self.log_broken = _frames(content)
        self.size = size or USUAL
        head = self.read(1) or b""
        if not head.startswith(MAGIC):
            head = self._file.read(100) if self._file.seek(0) == 0 else b""
        self.headed = head.startswith(MAGIC) and _size_in(head) in SIZES
        self.size = size or (_size_in(head) if self.headed else USUAL)
        self._usable = self.size - (head[20] if self.headed and head[20] <= 32 else 0)
        self._encoding = ENCODINGS.get(int.from_bytes(head[56:60]), "utf-8")
        self._head = head if self.headed else bytes(100)
        self.count = max(path.stat().st_size // self.size, max(self._frames, default=0))

    def close(self) -> None:
        """Close the file and its log."""
        self._file.close()
        if self._log is not None:
            self._log.close()

    def __enter__(self) -> Self:
        """Give the pages themselves."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self.close()

    def number_in_head(self, at: int) -> int:
        """Give a number of the file's header, 0 where that is damaged."""
        return int.from_bytes(self._head[at : at + 4])

    def read(self, number: int) -> bytes | None:
        """Give the bytes of a page, None where there is none or only a part of one."""
        place = self._frames.get(number)
        if place is not None and self._log is not None:
            self._log.seek(place)
            found = self._log.read(self.size)
        elif number > 0:
            self._file.seek((number - 1) * self.size)
            found = self._file.read(self.size)
        else:
            return None
        return found if len(found) == self.size else None

    def kind(self, number: int, content: bytes) -> int:
        """Give the kind of a tree's page, 0 where it says none."""
        kind = content[100 if number == 1 else 0]
        return kind if kind in KINDS else 0

    def free(self) -> set[int] | None:
        """Give the pages that are not in use; None where the list of them is damaged."""
        if not self.headed:
            return None
        found: set[int] = set()
        trunk = self.number_in_head(32)
        while trunk:
            content = self.read(trunk)
            if content is None or trunk in found or trunk > self.count:
                return None
            found.add(trunk)
            following, n = struct.unpack_from(">II", content)
            if n > self._usable // 4 - 2:
                return None
            leaves = struct.unpack_from(f">{n}I", content, 8)
            if not all(1 < leaf <= self.count and leaf not in found for leaf in leaves):
                return None
            found.update(leaves)
            trunk = following
        return found if len(found) == self.number_in_head(36) else None

    def page(self, number: int, content: bytes) -> Page | None:
        """Take a tree's page apart; None where it is none."""
        at = 100 if number == 1 else 0
        kind = content[at]
        if kind not in KINDS:
            return None
        head = 12 if kind in _INNER else 8
        n = int.from_bytes(content[at + 3 : at + 5])
        first = at + head + 2 * n
        if first > self._usable:
            return None
        last = int.from_bytes(content[at + 8 : at + 12]) if kind in _INNER else 0
        places = struct.unpack_from(f">{n}H", content, at + head)
        return Page(kind, [self._cell(kind, content, x, first) for x in places], last)

    def _cell(self, kind: int, content: bytes, at: int, first: int) -> Cell | None:
        try:
            if not first <= at < self._usable:
                return None
            child = 0
            if kind in _INNER:
                child = int.from_bytes(content[at : at + 4])
                at += 4
            if kind == TABLE_INNER:
                return Cell(child, _signed(varint(content, at)[0]), None)
            length, at = varint(content, at)
            key = None
            if kind == TABLE_LEAF:
                number, at = varint(content, at)
                key = _signed(number)
            return Cell(child, key, self._values(content, at, length, in_table=key is not None))
        except (IndexError, ValueError):
            return None

    def _values(self, content: bytes, at: int, length: int, *, in_table: bool) -> list[Any] | None:
        usable = self._usable
        most = usable - 35 if in_table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            if at + length > usable:
                return None
            return values_of(content[at : at + length], self._encoding)
        least = (usable - 12) * 32 // 255 - 23
        local = least + (length - least) % (usable - 4)
        local = local if local <= most else least
        if at + local + 4 > usable or length > self.count * self.size:
            return None
        following = int.from_bytes(content[at + local : at + local + 4])
        rest = self._chain(following, length - local, content[at : at + local])
        if rest is None:
            return None
        found = values_of(content[at : at + local] + rest, self._encoding)
        # a page of zeros would end a text just as well as its own end
        wiped = not any(rest[(len(rest) - 1) // (usable - 4) * (usable - 4) :])
        return None if wiped and found and not isinstance(found[-1], bytes) else found

    def _chain(self, number: int, left: int, before: bytes) -> bytes | None:
        """Give what goes on in other pages; None where one of them cannot be its part."""
        parts: list[bytes] = []
        seen: set[int] = set()
        room = self._usable - 4
        while left > 0:
            content = self.read(number) if 1 < number <= self.count else None
            if content is None or number in seen or number in self.distrusted:
                return None
            seen.add(number)
            if number in self.copies:
                self.chained[number] = before[-_TELLING:]
            before = content[4 : 4 + min(left, room)]
            parts.append(before)
            left -= room
            number = int.from_bytes(content[:4])
        if number or not seen:
            return None
        return b"".join(parts)


def _size_in(head: bytes) -> int:
    size = int.from_bytes(head[16:18])
    return 65536 if size == 1 else size


def varint(content: bytes, at: int) -> tuple[int, int]:
    """Read a number of one to nine bytes, and give where it ends.

    Raises:
        IndexError: The bytes end before it does.
    """
    value = 0
    for n in range(at, at + 8):
        byte = content[n]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, n + 1
    return value << 8 | content[at + 8], at + 9


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


def _header(payload: bytes) -> tuple[list[int], int]:
    """Give the kinds of a row's columns, and where the first one begins.

    Raises:
        IndexError: The bytes end within them.
        ValueError: They end elsewhere than they say.
    """
    size, at = varint(payload, 0)
    kinds: list[int] = []
    while at < size:
        kind = payload[at]
        if kind < 0x80:
            at += 1
        else:
            kind, at = varint(payload, at)
        kinds.append(kind)
    if at != size:
        raise ValueError("A kind ends behind the kinds.")
    return kinds, at


def values_of(payload: bytes, encoding: str) -> list[Any] | None:
    """Give the columns of a row; None where its bytes cannot be one.

    Raises:
        IndexError: The bytes end within the row's header.
        ValueError: The header is none, or a text is none in this encoding.
    """
    kinds, at = _header(payload)
    found: list[Any] = []
    for kind in kinds:
        if kind >= 12:
            end = at + (kind - 12 >> 1)
            value: Any = payload[at:end]
            found.append(value.decode(encoding) if kind & 1 else value)
            at = end
        elif kind <= 6:
            end = at + _LENGTHS[kind]
            found.append(int.from_bytes(payload[at:end], signed=True) if kind else None)
            at = end
        elif kind == 7:
            if at + 8 > len(payload):
                return None
            found.append(struct.unpack_from(">d", payload, at)[0])
            at += 8
        elif kind <= 9:
            found.append(kind - 8)
        else:
            return None
    return found if at == len(payload) else None


def _frames(log: bytes) -> tuple[int, dict[int, int], bool]:
    """Give the size of a log's pages, where the newest states are, and whether one is broken.

    SQLite ends at the first frame that is not whole; here each is checked against the one before
    it, so that one broken frame costs one page.
    """
    if len(log) < _LOG_HEADER or int.from_bytes(log[:4]) not in _LOGS:
        return 0, {}, False
    order = _LOGS[int.from_bytes(log[:4])]
    size = int.from_bytes(log[8:12])
    if size not in SIZES:
        return 0, {}, False
    salts, sums = log[16:24], struct.unpack_from(">II", log, 24)
    committed: dict[int, int] = {}
    waiting: dict[int, int] = {}
    broken = known_broken = False
    for place in _places(log, size, salts):
        body = place + _FRAME_HEADER
        number, commit = struct.unpack_from(">II", log, place)
        now = struct.unpack_from(">II", log, place + 16)
        whole = (log[place : place + 8], log[body : body + size])
        if number and _summed(whole, sums, order) == now:
            waiting[number] = body
            if commit:
                committed |= waiting
                waiting = {}
                known_broken = broken
        else:
            broken = True
        sums = now
    return size, committed, known_broken


def _places(log: bytes, size: int, salts: bytes) -> Iterator[int]:
    step = _FRAME_HEADER + size
    for place in range(_LOG_HEADER, len(log) - step + 1, step):
        # what is left of an earlier round of the log has other salts
        if log[place + 8 : place + 16] == salts:
            yield place


def _summed(parts: Sequence[bytes], sums: tuple[int, int], order: str) -> tuple[int, int]:
    one, two = sums
    for part in parts:
        words = struct.unpack(f"{order}{len(part) // 4}I", part)
        for first, second in zip(words[::2], words[1::2], strict=True):
            one = (one + first + two) & 0xFFFFFFFF
            two = (two + second + one) & 0xFFFFFFFF
    return one, two
