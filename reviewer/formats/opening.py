"""Open a file as its format reads it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reviewer.domain.errors import FormatError
from reviewer.formats.format import PACKED, Sniffed
from reviewer.formats.incoming import Source
from reviewer.formats.streams import open_plain, open_stream
from reviewer.formats.table_items import TableItems


@contextmanager
def opened(path: Path, sniffed: Sniffed) -> Iterator[Source]:
    """Open a file: as UTF-8, its bytes as they are, or a table's rows.

    Raises:
        FormatError: The file cannot be opened, or is no ZIP archive any more.
    """
    about = sniffed.table or sniffed
    with (open_plain if about.shape in PACKED else open_stream)(path) as source:
        yield source if sniffed.table is None else _items_of(source, sniffed.table, sniffed.blanks)


def _items_of(source: Source, table: Sniffed, blanks: bool) -> TableItems:  # noqa: FBT001
    # a process that reads one file starts sooner without all formats
    from reviewer.formats import registry

    known = registry.find(table.format)
    if known is None or known.rows is None:
        raise FormatError(f"{source.path.name} is no table.")
    return TableItems(source, known.rows, table, texts=known.texts, blanks=blanks)
