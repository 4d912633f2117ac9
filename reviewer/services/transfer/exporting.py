"""Export evaluations, labels, disagreements or consensus as a stream, whole or not at all."""

import contextlib
import gzip
import hashlib
import io
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, Any, Literal

from typing_extensions import Buffer, override

from reviewer.domain.errors import CancelledError, FormatError, ProjectError
from reviewer.domain.progress import Progress
from reviewer.domain.scope import Scope
from reviewer.formats import native_writer, own_csv, registry
from reviewer.formats.own_columns import Columns, to_cell, to_line
from reviewer.services.computer import whole_files
from reviewer.services.transfer import consensus_rows, disagreements, export_filters
from reviewer.services.transfer.export_files import beside
from reviewer.services.transfer.export_rows import shaping
from reviewer.store import exporting as stored
from reviewer.store import figures
from reviewer.store.project import Project

What = Literal["evaluations", "labels", "disagreements", "consensus"]
LabelForm = Literal["each", "mean", "adjudicated"]
Fields = dict[str, Any]
_FOUND = {
    "disagreements": (disagreements.find, disagreements.COLUMNS),
    "consensus": (consensus_rows.find, consensus_rows.COLUMNS),
}
"""Exports that are worked out: what gives the rows, and their columns."""
BUFFER = 1 << 20
REPORT_ROWS = 512


@dataclass(frozen=True)
class ExportRequest:
    """What to export and how.

    Attributes:
        what: Evaluations with everything, the label history, where people and judge differ, or
            what people say together.
        labels: Every entry, the mean of the people, or the decided value.
        format: `native` or `csv`; None goes by the file's suffix.
        filters: Which evaluations, and of whose scores and labels; None for all.
    """

    what: What = "evaluations"
    labels: LabelForm = "each"
    format: str | None = None
    filters: Scope | None = None


@dataclass(frozen=True)
class Exported:
    """A written file, and how many pictures and files of conversations are beside it."""

    file: Path
    rows: int
    bytes: int
    sha256: str
    files: int = 0

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "schema": 1,
            "file": str(self.file),
            "rows": self.rows,
            "bytes": self.bytes,
            "sha256": self.sha256,
        }


@dataclass(frozen=True)
class ExportPreview:
    """The first rows of an export as a table."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...] = field(default=())


def export(project: Project, to: Path, request: ExportRequest, progress: Progress) -> Exported:
    """Write an export under a temporary name and rename it when it is whole.

    Raises:
        ProjectError: The folder does not exist or cannot be written, or the disk is full.
        FormatError: The suffix or the name stands for no format that can be written.
        CancelledError: The user stopped it; nothing is left behind.
        ReviewerError: The filters name a run, metric, labeler or scorer that is not there.
    """
    name = registry.writable(request.format, to.name)
    if name is None:
        raise FormatError(_no_format(to, request.format))
    if to.resolve() == project.path.resolve():
        raise ProjectError(f"{to} is the project itself; name another file for the export.")
    # pictures travel with the conversations that show them
    whole = request.what == "evaluations"
    with (
        figures.snapshot(project),
        _written(to) as sink,
        beside(project, to, request.filters) if whole else nullcontext(0) as files,
    ):
        export_filters.check(project, request.filters)
        rows = 0
        total = stored.count(project, request.filters)
        for rows, line in enumerate(_lines(project, request, name), start=1):
            sink.write(line)
            if rows % REPORT_ROWS == 0:
                if progress.cancelled:
                    raise CancelledError(f"The export was stopped; {to.name} was not written.")
                progress.advance(rows, total if request.what == "evaluations" else None)
        rows -= name == "csv"
    return Exported(to, rows, sink.bytes, sink.sha256, files)


def preview(project: Project, request: ExportRequest, limit: int = 50) -> ExportPreview:
    """Give the first rows of an export without writing it."""
    with figures.snapshot(project):
        rows = tuple(islice(_rows(project, request), limit))
    columns = dict.fromkeys(key for row in rows for key in row)
    return ExportPreview(tuple(columns), rows)


def count(project: Project, request: ExportRequest, progress: Progress) -> int:
    """Count the rows of an export; all but evaluations are gone through one by one.

    Raises:
        CancelledError: Nobody waits for the count any more.
    """
    with figures.snapshot(project):
        if request.what == "evaluations":
            return stored.count(project, request.filters)
        rows = 0
        for rows, _ in enumerate(_rows(project, request), start=1):
            if rows % REPORT_ROWS == 0 and progress.cancelled:
                raise CancelledError("The rows are not counted any more.")
        return rows


def _no_format(to: Path, name: str | None) -> str:
    known = ", ".join(x.name for x in registry.FORMATS if x.writes)
    if name is not None:
        return f"There is no format {name!r} that can be written; there are: {known}."
    return f"The suffix of {to.name} says no format; use .jsonl or .csv, or --format ({known})."


def _rows(project: Project, request: ExportRequest) -> Iterator[Fields]:
    if request.what in _FOUND:
        yield from _FOUND[request.what][0](project, request.filters or Scope())
        return
    shaped = _shaped(project, stored.records(project, request.filters), request)
    if request.what == "evaluations":
        yield from shaped
        return
    for record in shaped:
        for label in record.get("labels") or ():
            yield native_writer.label_fields(record["run"], record["id"], label)


def _telling(project: Project, request: ExportRequest) -> Iterable[Fields]:
    """Give records that need every column: a few, where labels are not chosen one by one."""
    scope = request.filters or Scope()
    if request.labels != "each" or scope.labelers or scope.blind_only:
        return _rows(project, request)
    return _shaped(project, stored.telling_records(project, request.filters), request)


def _shaped(
    project: Project, records: Iterable[Fields], request: ExportRequest
) -> Iterator[Fields]:
    scope = request.filters
    is_meant = export_filters.of_scorer(project, scope) if scope and scope.scorer else None
    shape = shaping(scope, request.labels, is_meant)
    for record in records:
        if shape is not None:
            shape(record)
        yield record


def _lines(project: Project, request: ExportRequest, name: str) -> Iterator[bytes]:
    rows = _rows(project, request)
    if name == "native":
        yield from map(native_writer.line, rows)
        return
    for text in _csv(project, request, rows):
        yield text.encode()


def _csv(project: Project, request: ExportRequest, rows: Iterable[Fields]) -> Iterator[str]:
    if request.what in _FOUND:
        columns_found = _FOUND[request.what][1]
        yield to_line(columns_found)
        for row in rows:
            yield to_line(_cell(row[column]) for column in columns_found)
    elif request.what == "labels":
        yield own_csv.labels_header_line()
        for row in rows:
            yield own_csv.label_line(row)
    else:
        columns = Columns.of(_telling(project, request), figures.scorer_versions(project))
        yield own_csv.header_line(columns)
        for row in rows:
            yield own_csv.record_line(row, columns)


def _cell(value: Any) -> str:  # noqa: ANN401 - a JSON value is anything
    return "" if value is None else to_cell(value, text=isinstance(value, str))


class _Sink(io.RawIOBase):
    """A file that knows its size and its hash."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self.bytes = 0

    @override
    def writable(self) -> bool:
        return True

    @override
    def write(self, content: Buffer, /) -> int:
        self._hash.update(content)
        size = len(memoryview(content))
        self.bytes += size
        self._file.write(content)
        return size

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@dataclass(frozen=True)
class _Writing:
    """Where an export's lines go, and what they came to once it is whole."""

    sink: _Sink
    stream: io.BufferedIOBase

    def write(self, line: bytes) -> None:
        self.stream.write(line)

    @property
    def bytes(self) -> int:
        return self.sink.bytes

    @property
    def sha256(self) -> str:
        return self.sink.sha256


@contextlib.contextmanager
def _written(to: Path) -> Iterator[_Writing]:
    with whole_files.part_of(to) as part:
        with part.open("wb", buffering=0) as file:
            sink = _Sink(file)
            stream: io.BufferedIOBase = io.BufferedWriter(sink, BUFFER)
            inner = stream
            if to.name.lower().endswith(".gz"):
                stream = gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0)
            yield _Writing(sink, stream)
            stream.close()
            if inner is not stream:
                inner.flush()
        whole_files.put(part, to)
