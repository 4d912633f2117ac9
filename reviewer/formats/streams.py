"""Open a file as UTF-8 bytes, whatever it is packed and encoded in.

Readers see plain UTF-8 without a byte order mark: gzip is unpacked, UTF-16 and old code pages are
recoded on the way. Progress is counted in bytes of the file on disk, packed or not.
"""

import codecs
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple

from typing_extensions import Buffer, override

from reviewer.domain.errors import CancelledError, FormatError, Progress, refusal

GZIP_MAGIC = b"\x1f\x8b"
HEAD_SIZE = 1 << 18
BUFFER_SIZE = 1 << 18
_SUFFIXES = (".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".tab", ".txt", ".xlsx", ".xlsm",
             ".ods", ".parquet", ".traj")  # fmt: skip
_CONTROLS = bytes(set(range(32)) - {9, 10, 12, 13, 27})


class Encoding(NamedTuple):
    """How the bytes of a text file stand for characters."""

    codec: str
    bom: int
    """bytes of the byte order mark to leave out"""
    sentence: str
    """what to tell the user; empty for UTF-8, which needs no word"""


UTF_8 = Encoding("utf-8", 0, "")
_CODE_PAGES = {
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1254": "Windows-1254 (Turkish)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "koi8_r": "KOI8-R (Cyrillic)",
    "iso8859_2": "ISO 8859-2 (Central European)",
    "tis_620": "TIS-620 (Thai)",
    "cp932": "Shift JIS (Japanese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "cp949": "Windows-949 (Korean)",
}
"""Encodings before Unicode, beside those of Western Europe, that files still come in."""
_TITLES = {
    "windows-1252": "Windows-1252",
    "latin-1": "Latin-1 (ISO 8859-1)",
    **_CODE_PAGES,
}
_DOUBTFUL = {"windows-1252": "accents or quotation marks", "latin-1": "accents"}
_TELLING = 1 << 16
_LEAST_SIGNS = 10
"""Signs beyond ASCII from which on they tell something."""
_AS_WELL = 0.1
_WINDOWS = "".join(
    bytes([code]).decode("cp1252", errors="ignore") or chr(code) for code in range(256)
)
"""Windows-1252 with the five codes it leaves open read as Latin-1, so that no byte is lost."""


_heeded: ContextVar[tuple[Progress, str] | None] = ContextVar("heeded", default=None)


@contextmanager
def heeding(progress: Progress, sentence: str) -> Iterator[None]:
    """Stop reading whatever is opened inside the block once nobody waits for it any more.

    Some formats go through a whole file, or others beside it, before they give a first row.

    Args:
        progress: Tells whether somebody waits.
        sentence: What the `CancelledError` says.
    """
    before = _heeded.set((progress, sentence))
    try:
        yield
    finally:
        _heeded.reset(before)


class _Disk(io.FileIO):
    """The bytes of a file as they are on disk, for as long as somebody waits for them."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._heeded = _heeded.get()

    @override
    def readinto(self, buffer: Buffer, /) -> int | None:
        self._heed()
        return super().readinto(buffer)

    @override
    def read(self, size: int | None = -1, /) -> bytes:
        self._heed()
        return super().read(size) or b""

    @override
    def readall(self) -> bytes:
        self._heed()
        return super().readall()

    def _heed(self) -> None:
        if self._heeded is not None and self._heeded[0].cancelled:
            raise CancelledError(self._heeded[1])


class Stream(io.BufferedReader):
    """A file being read as UTF-8 bytes, which knows how far it has come on disk."""

    def __init__(
        self,
        raw: io.RawIOBase,
        path: Path,
        disk: BinaryIO,
        encoding: Encoding,
        again: "Callable[[Path], Stream]",
    ) -> None:
        super().__init__(raw, BUFFER_SIZE)
        self.path = path
        self.encoding = encoding
        self.size = path.stat().st_size
        self._disk = disk
        self._again = again

    def again(self) -> "Stream":
        """Open the same file in the same way, at its start.

        Raises:
            FormatError: It cannot be opened any more.
        """
        return self._again(self.path)

    def position(self) -> int:
        """Give the bytes of the file on disk read so far, of `size`."""
        return self._disk.tell() if not self._disk.closed else self.size

    @override
    def close(self) -> None:
        super().close()
        self._disk.close()


class _Unpacked(io.RawIOBase):
    """Unpack gzip, and say in a sentence when it is damaged."""

    def __init__(self, disk: BinaryIO, path: Path) -> None:
        self._path = path
        self._gzip = gzip.GzipFile(fileobj=disk, mode="rb")

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer, /) -> int:
        try:
            return self._gzip.readinto(buffer)
        except EOFError:
            raise FormatError(
                f"{self._path.name}: the gzip file is cut off before its end; "
                "copy or download it again."
            ) from None
        except (gzip.BadGzipFile, zlib.error):
            raise FormatError(
                f"{self._path.name}: the gzip file is damaged; copy or download it again."
            ) from None


class _Recoded(io.RawIOBase):
    """Turn another encoding into UTF-8, leaving out the byte order mark."""

    def __init__(self, source: io.RawIOBase, encoding: Encoding) -> None:
        self._source = source
        self._skip = encoding.bom
        self._pending = b""
        self._ended = False
        self._decode = _decoder(encoding.codec)

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer, /) -> int:
        view = memoryview(buffer).cast("B")
        while not self._pending and not self._ended:
            piece = self._source.read(max(len(view), 4096)) or b""
            self._ended = not piece
            skipped = min(self._skip, len(piece))
            self._skip -= skipped
            self._pending = self._decode(piece[skipped:], self._ended).encode("utf-8", "replace")
        size = min(len(view), len(self._pending))
        view[:size] = self._pending[:size]
        self._pending = self._pending[size:]
        return size


class _Skipped(io.RawIOBase):
    """Leave out a UTF-8 byte order mark without touching the rest."""

    def __init__(self, source: io.RawIOBase, count: int) -> None:
        self._source = source
        self._count = count

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: Buffer, /) -> int:
        while self._count:
            piece = self._source.read(self._count)
            if not piece:
                return 0
            self._count -= len(piece)
        piece = self._source.read(len(memoryview(buffer))) or b""
        memoryview(buffer).cast("B")[: len(piece)] = piece
        return len(piece)


def _decoder(codec: str) -> Callable[[bytes, bool], str]:
    if codec == "windows-1252":
        return lambda piece, _final: codecs.charmap_decode(piece, "strict", _WINDOWS)[0]
    return codecs.getincrementaldecoder(codec)(errors="replace").decode


def open_stream(path: Path) -> Stream:
    """Open a file for reading as UTF-8 without byte order mark; gzip is unpacked.

    Raises:
        FormatError: The file cannot be opened, or (while reading) its gzip is damaged.
    """
    encoding = encoding_of(read_head(path)) or UTF_8
    disk = _open(path)
    try:
        packed = disk.read(2) == GZIP_MAGIC
        disk.seek(0)
        raw: io.RawIOBase = _Unpacked(disk, path) if packed else disk
        if encoding.codec != "utf-8":
            raw = _Recoded(raw, encoding)
        elif encoding.bom:
            raw = _Skipped(raw, encoding.bom)
        return Stream(raw, path, disk, encoding, open_stream)
    except BaseException:
        # nobody may wait any more from the first byte on
        disk.close()
        raise


def open_plain(path: Path) -> Stream:
    """Open a file that is no text, for reading and seeking its bytes as they are.

    Raises:
        FormatError: The file cannot be opened.
    """
    disk = _open(path)
    return Stream(disk, path, disk, UTF_8, open_plain)


def _open(path: Path) -> io.FileIO:
    try:
        return _Disk(path)
    except IsADirectoryError:
        raise FormatError(f"{path} is a folder; name the files in it.") from None
    except FileNotFoundError:
        raise FormatError(f"{path} does not exist.") from None
    except OSError as error:
        raise FormatError(f"{path} cannot be read: {refusal(error)}.") from None


def read_head(path: Path, size: int = HEAD_SIZE) -> bytes:
    """Give the first bytes of the content, unpacked; a damaged gzip gives what can be had."""
    with _open(path) as disk:
        if disk.read(2) != GZIP_MAGIC:
            disk.seek(0)
            return disk.read(size) or b""
        disk.seek(0)
        packed = disk.read(size) or b""
    try:
        return zlib.decompressobj(wbits=31).decompress(packed, size)
    except zlib.error:
        raise FormatError(
            f"{path.name}: the gzip file is damaged; copy or download it again."
        ) from None


def encoding_of(head: bytes) -> Encoding | None:
    """Tell the encoding from the first bytes of a file; None where they are no text at all.

    By hand what a detector of code pages does not tell: UTF-16 without mark, and no text.
    """
    for mark, codec in ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"),
                        (codecs.BOM_UTF16_BE, "utf-16-be")):  # fmt: skip
        if head.startswith(mark):
            return Encoding(
                codec, len(mark), "" if codec == "utf-8" else "is in UTF-16 and was read as such."
            )
    wide = _wide_codec(head)
    if wide is not None:
        return Encoding(wide, 0, "is in UTF-16 without a byte order mark, as it seems.")
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if _is_utf8(head):
        return UTF_8 if controls <= len(head) // 10 else None
    if controls > len(head) // 50:
        return None
    codec = _code_page(head)
    return Encoding(
        codec,
        0,
        f"is not in UTF-8; it was read as {_TITLES[codec]}. "
        f"If {_DOUBTFUL.get(codec, 'letters')} look wrong, save it as UTF-8.",
    )


# a file is opened several times on its way in
@lru_cache(maxsize=1)
def _code_page(head: bytes) -> str:
    """Tell a text's old code page; where Western European fits as well as another, it is that."""
    western = "windows-1252" if any(0x80 <= byte < 0xA0 for byte in head) else "latin-1"
    whole = head if len(head) < HEAD_SIZE else _unsplit(head)
    # lines of plain ASCII fit everywhere and would drown the others
    lines = [line for line in whole.splitlines() if not line.isascii()]
    telling = b"\n".join(lines)
    if len(telling) > _TELLING:
        telling = _unsplit(telling[:_TELLING])
    if len(telling) - len(telling.decode("ascii", "ignore")) < _LEAST_SIGNS:
        return western
    # loaded only for files that are neither UTF-8 nor UTF-16
    from charset_normalizer import from_bytes

    found = from_bytes(telling, cp_isolation=["cp1252", *_CODE_PAGES])
    best = found.best()
    if best is None or any(
        "cp1252" in match.could_be_from_charset
        and match.coherence - match.chaos >= best.coherence - best.chaos - _AS_WELL
        for match in found
    ):
        return western
    return best.encoding if best.encoding in _CODE_PAGES else western


def _unsplit(part: bytes) -> bytes:
    """Leave out the end of a text that was cut: it may be half a character.

    These bytes are never part of a longer one in the code pages that are told apart.
    """
    end = max(part.rfind(sign) for sign in (b"\n", b" ", b",", b'"'))
    return part[: end + 1] or part


def _is_utf8(head: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        decoder.decode(head, final=len(head) < HEAD_SIZE)
    except UnicodeDecodeError as error:
        # a head may end within a character, a packed one at any length
        return error.end == len(head) and error.reason == "unexpected end of data"
    return True


def _wide_codec(head: bytes) -> str | None:
    sample = head[: len(head) // 2 * 2][:4096]
    if len(sample) < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > half * 0.6 and even < half * 0.1:
        return "utf-16-le"
    if even > half * 0.6 and odd < half * 0.1:
        return "utf-16-be"
    return None


def stem_of(path: Path) -> str:
    """Give a file's name without the suffixes of readable formats, as runs are named."""
    name = path.name
    while True:
        suffix = next(
            (s for s in _SUFFIXES if name.lower().endswith(s) and len(name) > len(s)), ""
        )
        if not suffix:
            return name
        name = name[: -len(suffix)]
