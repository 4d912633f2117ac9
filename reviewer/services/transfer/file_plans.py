"""Find out what files hold, and propose how their columns become fields."""

import contextlib
import itertools
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from reviewer.domain.errors import FormatError, Progress, Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.wording import upper_first
from reviewer.formats import layouts, registry, tables
from reviewer.formats.format import NUMBERED, RECORDS, Format, Sniffed
from reviewer.formats.incoming import (
    BadRow,
    Fields,
    Incoming,
    LabelRow,
    RawRow,
    Record,
    Refused,
    Source,
)
from reviewer.formats.mapping import Mapping, read_mapping
from reviewer.formats.opening import opened
from reviewer.formats.paths import Row, find, quoted
from reviewer.formats.proposals import Proposal, propose
from reviewer.formats.questions import Question
from reviewer.formats.sniffing import sniff
from reviewer.services.computer import plugins
from reviewer.services.project import rubrics
from reviewer.services.project.pictures import Attachments
from reviewer.services.transfer import package_readers, record_preview
from reviewer.services.transfer.file_reading import Asked, read
from reviewer.services.transfer.import_report import RejectedRow, place_words
from reviewer.services.transfer.package_readers import PackageReader
from reviewer.services.transfer.reading_beside import rows_of
from reviewer.services.transfer.record_preview import Preview

PREVIEW_ROWS = 50
PREVIEWED = 10
SAMPLE_ROWS = 200
LOOK_SECONDS = 2.0
"""How long further rows are looked through for the files that they name."""


@dataclass(frozen=True)
class Opened:
    """A file with everything needed to read it, as often as wanted.

    Attributes:
        reader: What a package brings to read it; None for the formats that are built in.
    """

    file: Path
    sniffed: Sniffed
    mapping: Mapping | None = None
    proposal: Proposal | None = None
    reader: PackageReader | None = None

    def record_number(self, number: int) -> int:
        """Give the number of a record, 0 where its line tells its place."""
        return number if self.sniffed.shape in NUMBERED else 0

    def rejected(self, line: int, number: int, item: BadRow | Refused) -> RejectedRow:
        """Tell of a row or value, in the record of a number from 1, that cannot be used."""
        return RejectedRow(
            self.file.name, line, item.field, item.value, item.reason, self.record_number(number)
        )

    @contextmanager
    def items(
        self, progress: Progress | None = None, *, whole: bool = False
    ) -> Iterator[tuple[Source, Iterator[Incoming]]]:
        """Open the file and give its source, for progress, and its rows.

        Args:
            progress: Tells whether somebody waits for them.
            whole: Whether they are wanted to the end, so that large files are read beside.
        """
        if self.reader is not None:
            told, rows = self.reader.records(self.file, progress or Silent())
            with contextlib.closing(rows):
                yield told, rows
            return
        asked = Asked(self.file, self.sniffed, self.mapping)
        with rows_of(asked, progress or Silent()) if whole else read(asked) as both:
            yield both

    def declared(self) -> tuple[Metric, ...]:
        """Give the metrics whose scales the file itself states."""
        known = registry.find(self.sniffed.format)
        if self.reader is not None or known is None or known.declared is None:
            return ()
        with opened(self.file, self.sniffed) as source:
            return tuple(known.declared(source, self.sniffed))

    def subject(self) -> str:
        """Name what was evaluated, empty where the file does not tell."""
        known = registry.find(self.sniffed.format)
        if self.reader is not None or known is None or known.subject is None:
            return ""
        with opened(self.file, self.sniffed) as source:
            return known.subject(source, self.sniffed)


@dataclass(frozen=True)
class FilePlan:
    """What one file seems to hold, before anything is imported.

    Attributes:
        file: The file.
        format: The format's name, such as `native` or `csv`.
        title: The format's title for people.
        reason: How it was recognised.
        mapping: How columns become fields; None for formats that need none.
        unambiguous: False where the mapping leaves questions open.
        questions: What a person should decide.
        columns: The columns of `rows`, for a table of the first rows.
        rows: The first rows as they would be imported, at most 50.
        rejected: What is wrong in the first rows.
        previews: The first records as they will look on the Review page.
        attachments: Which pictures and documents the rows would bring along, in words.
    """

    file: Path
    format: str
    title: str
    reason: str
    mapping: BaseModel | None = None
    unambiguous: bool = True
    questions: tuple[Question, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    rejected: tuple[RejectedRow, ...] = ()
    previews: tuple[Preview, ...] = ()
    attachments: str = ""


def open_file(
    file: Path,
    mapping: Path | BaseModel | None = None,
    format_name: str | None = None,
    rubric: Rubric | None = None,
    answers: Sequence[str] = (),
    progress: Progress | None = None,
) -> Opened:
    """Find out what a file holds; a foreign one without a mapping gets a proposal.

    A system's own results are recognised, and columns that are metrics of the rubric that is
    known, else of one that ships, are its auto scores. `answers` say of columns what their names
    do not tell.

    Raises:
        FormatError: It is empty, binary or damaged, or there is no format or mapping of that name.
        CancelledError: Nobody waits for it any more.
    """
    progress = progress or Silent()
    if format_name is not None and registry.find(format_name) is None:
        return _brought(file, format_name, progress)
    given = read_mapping(mapping) if isinstance(mapping, Path) else mapping
    is_open = format_name is None and given is None
    try:
        sniffed = _renamed(sniff(file), format_name, mapped=given is not None)
    except FormatError as error:
        if not is_open or not file.is_file():
            raise
        found, problems = _recognised(file, progress)
        if found is None:
            raise FormatError("\n".join((str(error), *problems))) from None
        return found
    if is_open and _format(sniffed).rows is not None:
        found, problems = _recognised(file, progress)
        if found is not None:
            return found
        sniffed = sniffed._replace(sentences=(*sniffed.sentences, *problems))
    if isinstance(given, Mapping):
        return Opened(file, sniffed, given)
    if _format(sniffed).rows is None:
        return Opened(file, sniffed)
    proposal = _propose(file, sniffed, rubric, answers)
    return Opened(file, sniffed, proposal.mapping, proposal)


def _brought(file: Path, name: str, progress: Progress) -> Opened:
    """Let a package's reader read a file."""
    found = package_readers.named(name, progress)
    if found is None:
        known = ", ".join((*registry.names(), *plugins.names("reader")))
        raise FormatError(f"There is no format {name!r}; there are: {known}.")
    return _by(found, file)


def _recognised(file: Path, progress: Progress) -> tuple[Opened | None, tuple[str, ...]]:
    """Ask the packages' readers whether they know a file that no format of ours knows as its."""
    found, problems = package_readers.recognising(file, progress)
    return (None if found is None else _by(found, file)), problems


def _by(reader: PackageReader, file: Path) -> Opened:
    return Opened(file, Sniffed(reader.name, "binary", reader.reason), reader=reader)


def _renamed(sniffed: Sniffed, name: str | None, *, mapped: bool) -> Sniffed:
    table = sniffed.table
    if table is not None and (mapped or table.format == name):
        return table
    fitting = [known for known in registry.FORMATS if sniffed.shape in known.shapes]
    if name is None:
        if mapped and _format(sniffed).rows is None:
            return sniffed._replace(format=next(x.name for x in fitting if x.rows))
        return sniffed
    if name not in (known.name for known in fitting):
        raise FormatError(f"The file cannot be read as {name}: it is {sniffed.reason}.")
    return sniffed._replace(format=name)


def _format(sniffed: Sniffed) -> Format:
    return next(known for known in registry.FORMATS if known.name == sniffed.format)


def _rows(
    source: Source, sniffed: Sniffed, mapping: Mapping | None = None
) -> Iterator[RawRow | BadRow]:
    return (_format(sniffed).rows or tables.raw_rows)(source, sniffed, mapping)


def _propose(
    file: Path, sniffed: Sniffed, rubric: Rubric | None, answers: Sequence[str]
) -> Proposal:
    with opened(file, sniffed) as source:
        first = list(islice(_rows(source, sniffed), SAMPLE_ROWS))
    rows = [row.values for row in first if isinstance(row, RawRow)]
    if not rows:
        raise FormatError(_no_rows(file.name, sniffed, first))
    problem = layouts.without_responses(rows)
    if problem is not None:
        raise FormatError(f"{file.name} {problem}.")
    layout = None if answers else layouts.of_rows(rows)
    if layout is not None:
        mapping = layout.mapping.model_copy(update={"records": sniffed.records})
        name = layout.rubric or _by_names(rows, mapping)
        return Proposal(mapping, rubric=name)
    known = rubric or rubrics.of_columns(rows)
    found = propose(
        rows,
        texts=_format(sniffed).texts,
        records=sniffed.records,
        metrics=tuple(known.by_name) if known else (),
        answers=answers,
    )
    return replace(found, rubric=known.name) if known and rubric is None else found


def _by_names(rows: Sequence[Row], mapping: Mapping) -> str:
    """Give the shipped rubric that has exactly the metrics under which reports keep scores."""
    place = mapping.scores[0].metrics_in or ""
    held = [find(row, place) for row in rows]
    names = {name for one in held if isinstance(one, dict) for name in one}
    shipped = rubrics.shipped().values()
    return next((x.name for x in shipped if names and _covers(x, names)), "")


def _covers(rubric: Rubric, names: set[str]) -> bool:
    return {x.name for x in rubric.overall_metrics} <= names <= rubric.by_name.keys()


def _no_rows(name: str, sniffed: Sniffed, first: Sequence[object]) -> str:
    """Say why there is nothing in a file that a mapping could be proposed from."""
    for number, bad in enumerate(first, start=1):
        if isinstance(bad, BadRow):
            place = place_words(bad.line, number if sniffed.shape in NUMBERED else 0)
            return f"Nothing in {name} can be read. {upper_first(f'{place}: {bad.reason}')}"
    if sniffed.shape not in RECORDS:
        return f"{name} holds a header and no row below it; there is nothing to import."
    return f"{name} holds an empty list; there is nothing to import."


def plan(opened: Opened, progress: Progress | None = None) -> FilePlan:
    """Show the first rows of a file as they would be imported."""
    rows: list[dict[str, Any]] = []
    rejected: list[RejectedRow] = []
    previews: list[Preview] = []
    attachments = Attachments(opened.file.parent)
    with opened.items(progress) as (_, items):
        for number, item in enumerate(islice(items, PREVIEW_ROWS), start=1):
            if isinstance(item, BadRow):
                rejected.append(opened.rejected(item.line, number, item))
            else:
                rows.append(_shown(item))
                if isinstance(item, Record) and len(previews) < PREVIEWED:
                    previews.append(record_preview.of_record(item.fields))
                rejected += [opened.rejected(item.line, number, x) for x in item.refused]
                attachments.look(item.fields)
        end = time.monotonic() + LOOK_SECONDS
        # what is wrong with later rows is said when they are imported
        with contextlib.suppress(FormatError):
            for item in itertools.takewhile(lambda _: time.monotonic() < end, items):
                if isinstance(item, Record):
                    attachments.look(item.fields)
    name = opened.sniffed.format
    known = registry.find(name)
    return FilePlan(
        file=opened.file,
        format=name,
        title=known.title if known else opened.reader.title if opened.reader else name,
        reason=opened.sniffed.reason,
        mapping=opened.mapping,
        unambiguous=opened.proposal is None or opened.proposal.unambiguous,
        questions=opened.proposal.questions if opened.proposal else (),
        columns=tuple(dict.fromkeys(column for row in rows for column in row)),
        rows=tuple(rows),
        rejected=tuple(rejected),
        previews=tuple(previews),
        attachments=attachments.sentence,
    )


def _shown(item: Record | LabelRow) -> Fields:
    """Lay a record out in columns: texts as they are, a column a score and a label."""
    fields = item.fields
    row = {key: value for key, value in fields.items() if key not in ("scores", "labels", "marks")}
    if isinstance(item, LabelRow):
        return row
    for score in fields.get("scores") or ():
        scorer = f"@{score['scorer']}" if score.get("scorer") else ""
        row[f"score:{score['metric']}{scorer}"] = score.get("value")
    for label in fields.get("labels") or ():
        row[f"label:{label['metric']}:{label['labeler']}"] = label.get("value")
    return row


SHOWN_ROWS = 50
INNER_KEYS = 30


@dataclass(frozen=True, slots=True)
class Sample:
    """The first rows of a file before any mapping, under its own columns."""

    columns: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()


def sample(file: Path, mapping: Mapping | None = None) -> Sample:
    """Read the first rows of a table or list of records; a key inside an object is `key.inner`.

    Raises:
        FormatError: The file cannot be read.
    """
    columns: dict[str, None] = {}
    rows = []
    found = sniff(file)
    sniffed = found.table or found
    with opened(file, sniffed) as source:
        for raw in islice(_rows(source, sniffed, mapping), SHOWN_ROWS):
            if isinstance(raw, RawRow):
                flat = _flat(raw.values)
                columns |= dict.fromkeys(flat)
                rows.append(flat)
    return Sample(tuple(columns), tuple(rows))


def _flat(row: Fields) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value and len(value) <= INNER_KEYS:
            flat |= {f"{quoted(key)}.{quoted(inner)}": x for inner, x in value.items()}
        else:
            flat[quoted(key)] = value
    return flat
