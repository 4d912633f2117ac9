"""Name files that hold no text, so that the user learns what to do with them."""

import re
import zipfile
from pathlib import Path

_STARTS: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\0", "an SQLite database; export its table as CSV, or open it as a project"),
    (b"%PDF", "a PDF document; no records can be read from it"),
    (b"\x89PNG", "an image; no records can be read from it"),
    (b"\xff\xd8\xff", "an image; no records can be read from it"),
    (b"GIF8", "an image; no records can be read from it"),
    (b"PAR1", "a Parquet file; save it as CSV or JSON Lines first"),
    (b"ARROW1", "an Arrow file; save it as CSV or JSON Lines first"),
    (b"Obj\x01", "an Avro file; save it as CSV or JSON Lines first"),
    (b"\x89HDF", "an HDF5 file; save it as CSV or JSON Lines first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first, or use gzip"),
    (b"BZh", "compressed with bzip2; unpack it first, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first, or use gzip"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\xd0\xcf\x11\xe0", "an old Office file; save its table as CSV first"),
    (b"\x80\x04", "a Python pickle, which is never opened since it may run programs"),
    (b"\x7fELF", "a program; no records can be read from it"),
    (b"MZ", "a program; no records can be read from it"),
)
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_MARKUP = re.compile(rb"\s*<(?:!doctype\s+html|html|\?xml|svg)", re.IGNORECASE)


def name_of(head: bytes, path: Path) -> str | None:
    """Say what a file is by its first bytes, None where they are nothing known."""
    if head.startswith((_ZIP, _EMPTY_ZIP)):
        return _inside(path)
    if head[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if _MARKUP.match(head):
        return "a web page or XML; export the results as JSON or CSV instead"
    return next((name for start, name in _STARTS if head.startswith(start)), None)


def _inside(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()[:1000]
    except (zipfile.BadZipFile, OSError):
        return "a ZIP archive that is damaged; copy or download it again"
    if any(name.startswith("xl/") for name in names):
        return "an Excel workbook; save the sheet as CSV first"
    if any(name.startswith("word/") for name in names):
        return "a Word document; no records can be read from it"
    if "mimetype" in names and "content.xml" in names:
        return "an OpenDocument file; save the sheet as CSV first"
    if "header.json" in names or any(name.startswith("_journal/") for name in names):
        return "an Inspect log"
    listed = ", ".join(names[:3]) or "nothing"
    return f"a ZIP archive that holds {listed}; unpack it first"
