"""Export evaluations, labels, disagreements or consensus as a stream, whole or not at all."""

import contextlib
import gc
import shutil
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from reviewer.domain.errors import CancelledError, FormatError, Progress, ProjectError
from reviewer.domain.run import What
from reviewer.domain.wording import counted
from reviewer.formats import registry
from reviewer.formats.writing import About, Writer
from reviewer.services.computer import secrets, whole_files
from reviewer.services.transfer import companions, destinations, dictionaries
from reviewer.services.transfer.export_source import HELD_OUT, ExportRequest, Source, check
from reviewer.store import exporting as stored
from reviewer.store import figures
from reviewer.store.project import Project

REPORT_ROWS = 512


@dataclass(frozen=True)
class Exported:
    """A written file, and how many pictures and files of conversations are beside it.

    Attributes:
        beside: Other files that were written to be read with it.
        sentences: What was left out, masked and replaced.
    """

    file: Path
    rows: int
    bytes: int
    sha256: str
    files: int = 0
    beside: tuple[Path, ...] = ()
    sentences: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Give the document that the command line prints."""
        return {
            "schema": 1,
            "file": str(self.file),
            "rows": self.rows,
            "bytes": self.bytes,
            "sha256": self.sha256,
            "beside": [str(path) for path in self.beside],
            "notes": list(self.sentences),
        }


@dataclass(frozen=True)
class ExportPreview:
    """The first rows of an export as a table."""

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...] = field(default=())


def export(project: Project, to: Path, request: ExportRequest, progress: Progress) -> Exported:
    """Write an export under a temporary name and rename it when it is whole.

    Pipes and devices are written through; a folder is made where the format is one.

    Raises:
        ProjectError: The folder does not exist or cannot be written, or the disk is full.
        FormatError: The suffix or the name stands for no format that can be written, or the
            format cannot hold what is asked for.
        CancelledError: The user stopped it; nothing is left behind.
        ReviewerError: The filters name a run, metric, labeler or scorer that is not there.
    """
    writer = _writer(to, request)
    if whole_files.followed(to).resolve() == project.path.resolve():
        raise ProjectError(f"{to} is the project itself; name another file for the export.")
    with figures.snapshot(project), _unsearched():
        check(project, request)
        work = _Work(project, to, request, writer, progress)
        return work.folder() if writer.write is None else work.file()


@contextlib.contextmanager
def _unsearched() -> Iterator[None]:
    """Keep what is loaded from being searched for garbage whenever some thousand rows are made."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class FormatChoice(NamedTuple):
    """A format that an export can be written in; without a suffix it is a folder."""

    name: str
    title: str
    suffix: str


def formats(what: What) -> tuple[FormatChoice, ...]:
    """Give the formats that can hold what is exported."""
    return tuple(
        FormatChoice(x.name, x.title, _suffix(x)) for x in registry.WRITERS if what in x.holds
    )


def _suffix(writer: Writer) -> str:
    if writer.write is None:
        return ""
    lines = ".jsonl" if "JSON Lines" in writer.title else ".json"
    return writer.suffixes[0] if writer.suffixes else lines


def preview(project: Project, request: ExportRequest, limit: int = 50) -> ExportPreview:
    """Give the first rows of an export without writing it."""
    with figures.snapshot(project):
        rows = tuple(islice(Source(project, request).rows(), limit))
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
        for rows, _ in enumerate(Source(project, request).rows(), start=1):
            if rows % REPORT_ROWS == 0 and progress.cancelled:
                raise CancelledError("The rows are not counted any more.")
        return rows


def _writer(to: Path, request: ExportRequest) -> Writer:
    """Choose the format and see that it can hold what is asked for."""
    writer = registry.writer(request.format, to.name)
    if writer is None:
        raise FormatError(_no_format(to, request.format))
    if request.what not in writer.holds:
        able = ", ".join(x.name for x in registry.WRITERS if request.what in x.holds)
        raise FormatError(
            f"{writer.title} hold no {request.what}; leave --what out, or choose one of: {able}."
        )
    if writer.write is None and not to.is_dir() and destinations.goes_through(to):
        raise FormatError(f"{writer.title} are a folder, which cannot go through {to}; name one.")
    return writer


def _no_format(to: Path, name: str | None) -> str:
    known = ", ".join(x.name for x in registry.WRITERS)
    if name is not None:
        return f"There is no format {name!r} that can be written; there are: {known}."
    if to == destinations.STANDARD_OUTPUT:
        return f"Say with --format what goes to standard output ({known})."
    return f"The suffix of {to.name} says no format; use .jsonl or .csv, or --format ({known})."


@dataclass
class _Work:
    """One export on its way."""

    project: Project
    to: Path
    request: ExportRequest
    writer: Writer
    progress: Progress

    def __post_init__(self) -> None:
        self.source = Source(self.project, self.request, self.writer)
        self.about = About(
            title=self.project.path.stem,
            what=self.request.what,
            columns=self.source.columns,
            metrics=self.source.metrics,
            wide=Source(self.project, self.request, self.writer).wide,
            fields=self.request.fields,
        )

    def file(self) -> Exported:
        """Write a file, or through a pipe or device."""
        write = self.writer.write
        assert write is not None  # noqa: S101 - `folder` is for the others
        # pictures travel with the conversations that show them
        whole = self.request.what == "evaluations" and not self.writer.of_labels
        through = destinations.goes_through(self.to)
        with (
            destinations.opened(self.to) as place,
            companions.beside(self.project, self.to, self.request.filters)
            if whole and not through
            else nullcontext(0) as files,
        ):
            rows = write(self._watched(), self.about, place.stream)
        beside = {} if through else self._beside()
        return self._made(rows, place.sink.bytes, place.sink.sha256, files, beside)

    def folder(self) -> Exported:
        """Write a folder under another name and rename it when it is whole."""
        write = self.writer.write_folder
        assert write is not None  # noqa: S101 - a format is a file or a folder
        to = whole_files.followed(self.to)
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise ProjectError(f"{to} is there already and not empty; name a new folder.")
        with whole_files.part_of(to) as part:
            try:
                part.mkdir()
                rows = write(self._watched(), self.about, part)
                dictionaries.write(part / dictionaries.NAME, self.about)
                size = sum(x.stat().st_size for x in part.rglob("*") if x.is_file())
                with contextlib.suppress(OSError):
                    to.rmdir()
                part.replace(to)
            finally:
                shutil.rmtree(part, ignore_errors=True)
        return self._made(rows, size, "", 0, {})

    def _beside(self) -> dict[Path, bytes]:
        """Give the files that are read with the export."""
        found = dict(self.writer.beside(self.about)) if self.writer.beside is not None else {}
        if self.request.dictionary:
            found[f".{dictionaries.NAME}"] = dictionaries.content(self.about)
        return {self.to.with_name(self.to.name + end): content for end, content in found.items()}

    def _made(
        self, rows: int, size: int, digest: str, files: int, beside: dict[Path, bytes]
    ) -> Exported:
        for path, content in beside.items():
            with whole_files.part_of(path) as part:
                part.write_bytes(content)
                whole_files.put(part, path)
        return Exported(
            self.to, rows, size, digest, files, tuple(beside), tuple(self._sentences(files))
        )

    def _sentences(self, files: int) -> Iterator[str]:
        left = self.about.left_out
        if self.source.held_out:
            left[HELD_OUT] = self.source.held_out
        for reason, number in left.items():
            yield f"{counted(number, 'evaluation')} left out: {reason}."
        for words, number in self.about.notes.items():
            yield f"{number:,} {words}."
        yield from self.source.masking.sentences()
        if self.request.mask and files:
            yield "Pictures and files were not looked into for personal data."

    def _watched(self) -> Iterator[dict[str, Any]]:
        """Give the rows, tell how far it is, and stop where somebody wishes it."""
        found = stored.count(self.project, self.request.filters)
        total = found if self.request.what == "evaluations" else None
        for done, row in enumerate(self.source.rows(), start=1):
            yield secrets.hidden_in(row)
            if done % REPORT_ROWS == 0:
                if self.progress.cancelled:
                    raise CancelledError(
                        f"The export was stopped; {self.to.name} was not written."
                    )
                self.progress.advance(done, total)
