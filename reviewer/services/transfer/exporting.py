"""Export evaluations, labels, disagreements or consensus as a stream, whole or not at all."""

import contextlib
import gzip
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import IO, Any, Literal

from typing_extensions import Buffer, override

from reviewer.domain.errors import (
    CancelledError,
    FormatError,
    Progress,
    ProjectError,
    ReviewerError,
)
from reviewer.domain.run import Scope, aspects, aspects_of
from reviewer.formats import native, own_csv, registry
from reviewer.formats.own_columns import Columns, to_cell, to_line
from reviewer.services.computer import whole_files
from reviewer.services.listing import listing
from reviewer.services.project.reading import key_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_now
from reviewer.services.transfer import disagreements
from reviewer.services.transfer.export_rows import shaping
from reviewer.store import exporting as stored
from reviewer.store import figures, reading
from reviewer.store.of_record import fitting
from reviewer.store.project import Project

What = Literal["evaluations", "labels", "disagreements", "consensus"]
LabelForm = Literal["each", "mean", "adjudicated"]
Fields = dict[str, Any]
_FOUND = {
    "disagreements": (disagreements.find, disagreements.COLUMNS),
    "consensus": (disagreements.find_consensus, disagreements.CONSENSUS_COLUMNS),
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
        check(project, request.filters)
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
    return ExportPreview(tuple(dict.fromkeys(key for row in rows for key in row)), rows)


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
        labels = record.get("labels") or ()
        unsure = {id(x) for x in _unsure(labels, record.get("marks") or ())}
        for label in labels:
            row = native.label_fields(record["run"], record["id"], label)
            yield row | {"unsure": True} if id(label) in unsure else row


def _unsure(labels: Iterable[Fields], marks: Iterable[Fields]) -> Iterable[Fields]:
    """Give the labels, of each person and metric the last, that they are unsure of."""
    places = ("labeler", "metric")
    said = {
        tuple(mark.get(x) for x in places): mark.get("value") is not False
        for mark in marks
        if mark["kind"] == "unsure"
    }
    last = {
        place: label
        for label in labels
        if said.get(place := tuple(label.get(x) for x in places)) and label.get("turn") is None
    }
    return last.values()


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
    is_meant = of_scorer(project, scope) if scope and scope.scorer else None
    shape = shaping(scope, request.labels, is_meant)
    for record in records:
        if shape is not None:
            shape(record)
        yield record


def _lines(project: Project, request: ExportRequest, name: str) -> Iterator[bytes]:
    rows = _rows(project, request)
    if name == "native":
        yield from map(native.line, rows)
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


@dataclass(frozen=True)
class _Companion:
    """A file to be written, and what is known of its content without reading it."""

    target: Path
    digest: str
    key: int


@contextmanager
def beside(project: Project, to: Path, scope: Scope | None) -> Iterator[int]:
    """Write the files that the exported conversations name; they go again if the block fails.

    An importer finds them there, so that nothing is lost on the way through a file. What lies
    there already with the same content is left alone.

    Yields:
        How many files the conversations name.

    Raises:
        ProjectError: Another file has the place, or one cannot be written.
    """
    wanted = _wanted(project, to, scope)
    made: list[Path] = []
    try:
        for one in wanted.values():
            if not one.target.exists():
                made.append(one.target)
                content = stored.file_content(project, one.key)
                try:
                    one.target.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise whole_files.not_written(one.target, error) from error
                with whole_files.part_of(one.target) as part:
                    part.write_bytes(content)
                    whole_files.put(part, one.target)
        yield len(wanted)
    except BaseException:
        for path in made:
            with contextlib.suppress(OSError):
                path.unlink(missing_ok=True)
        raise


def _wanted(project: Project, to: Path, scope: Scope | None) -> dict[Path, _Companion]:
    """Find a place for every file before the first is written."""
    folder = to.parent.resolve()
    wanted: dict[Path, _Companion] = {}
    for path, digest, key in stored.files(project, scope):
        target = (folder / PurePosixPath(path)).resolve()
        if not target.is_relative_to(folder) or PurePosixPath(path).is_absolute():
            continue
        if wanted.setdefault(target, _Companion(target, digest, key)).digest != digest:
            raise ProjectError(
                f"Two conversations name the file {path} and mean different ones; export them "
                "apart, for example one --run at a time."
            )
        if target == to.resolve() or not _free(target, digest):
            raise ProjectError(
                f"The conversations name the file {path}, and another file lies there already: "
                f"{target}. Export into another folder."
            )
    return wanted


def _free(target: Path, digest: str) -> bool:
    if not target.exists():
        return True
    with target.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == digest


def check(project: Project, scope: Scope | None) -> None:
    """Hold the names in a scope, but for runs, against those of the project.

    Raises:
        ReviewerError: There is no such metric, labeler or scorer.
    """
    if scope is None:
        return
    figures.labeler_keys(project, scope.labelers)
    known = {x.name: None for one in reading.rubrics(project.conn).values() for x in one.metrics}
    _refuse("metric", scope.metrics, [*known | figures.metric_keys(project)])
    if scope.scorer is not None:
        versions = figures.scorer_versions(project)
        if not any(x.is_called(scope.scorer) for x in versions):
            _refuse("scorer", (scope.scorer,), sorted({x.name for x in versions}))


def of_scorer(project: Project, scope: Scope) -> Callable[[dict[str, Any]], bool]:
    """Give what tells the scores that a scope's scorer gave: of the full name, else of every one.

    A name that is the full one of a version means that version alone where it scored a metric.
    """
    wanted = scope.scorer or ""
    numbers = figures.metric_keys(project)
    every = {x.key: x for x in figures.scorer_versions(project)}
    called = {frozenset(aspects(x).items()): x for x in every.values() if x.is_called(wanted)}

    @cache
    def meant(metric: str) -> frozenset[int]:
        used = figures.score_sets_present(project, numbers.get(metric, -1))
        found = fitting(wanted, used, versions=every)
        is_exact = any(every[x].name == wanted for x in found)
        return frozenset(found) if is_exact else frozenset(x.key for x in called.values())

    def is_meant(score: dict[str, Any]) -> bool:
        version = called.get(frozenset(aspects_of(score).items()))
        return version is not None and version.key in meant(score["metric"])

    return is_meant


def _refuse(kind: str, wanted: Iterable[str], there: Iterable[str]) -> None:
    known = tuple(there)
    unknown = [name for name in wanted if name not in known]
    if unknown:
        listed = ", ".join(known) or "none yet"
        raise ReviewerError(
            f"There is no {kind} {unknown[0]!r} in this project; there are: {listed}."
        )


LIMIT = 50
SEARCHED = 500
"""Disagreements looked at to find the ones that may be shown."""
HIDDEN = "hidden until you have scored it"
_CLOSED = ("scores", "labels", "marks")
_OPINION = ("value", "comment")


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows as a table.

    Attributes:
        left_out: Rows that may not be shown yet; the file will hold them.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    left_out: int = 0


def preview_unseen(session: Session, request: ExportRequest, limit: int = LIMIT) -> Preview:
    """Give the first rows of an export, with what is hidden from the labeler left out.

    The file itself will hold everything: only the screen keeps to the labeler's blindness.
    """
    searched = (
        SEARCHED if request.what == "disagreements" and not hidden_now(session).nothing else limit
    )
    rows = preview(session.project, request, searched).rows
    hidden = _hidden(session, rows)
    if request.what == "disagreements":
        shown = [row for row in rows if (row["run"], row["id"]) not in hidden]
        found = Preview((), tuple(shown[:limit]), len(rows) - len(shown))
    else:
        me = session.labeler.name
        found = Preview((), tuple(_closed(row, request.what, me, hidden) for row in rows))
    return replace(found, columns=tuple(dict.fromkeys(key for row in found.rows for key in row)))


def _hidden(session: Session, rows: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Give run and id of the evaluations that the labeler may not see through yet."""
    if hidden_now(session).nothing:
        return set()
    names: dict[int, tuple[str, str]] = {}
    for run, identity in dict.fromkeys((row["run"], row["id"]) for row in rows):
        key = key_of(session, f"{run}/{identity}")
        if key is not None:
            names[key] = (run, identity)
    return {names[row.key] for row in listing.rows(session, list(names)) if row.hidden}


def _closed(
    row: dict[str, Any], what: str, me: str, hidden: set[tuple[str, str]]
) -> dict[str, Any]:
    if (row["run"], row["id"]) not in hidden:
        return row
    if what == "labels":
        mine = row.get("labeler") == me
        return row if mine else row | {name: HIDDEN for name in _OPINION if name in row}
    return row | {name: HIDDEN for name in _CLOSED if name in row}
