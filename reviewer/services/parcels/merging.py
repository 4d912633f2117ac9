"""Take a returned work package in: its labeler's entries, once, with what needs a look."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import CancelledError, ProjectError, ReviewerError
from reviewer.domain.progress import Progress, Silent
from reviewer.domain.values import Value, to_micros
from reviewer.services.assigning import working
from reviewer.services.parcels.contents import mark_of
from reviewer.services.parcels.packing import PROJECT_NAME, Note
from reviewer.services.project.session import PACKAGE, Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.store import labels as kept_labels
from reviewer.store import queues as kept_queues
from reviewer.store import reading
from reviewer.store.project import Project
from reviewer.store.records import RecordReader

Fields = dict[str, Any]
Place = tuple[str, str]
BLOCK = 250


@dataclass(frozen=True, slots=True)
class Conflict:
    """A labeler's answer here and another one in the package; the later one counts."""

    run: str
    id: str
    metric: str
    here: Value | None
    there: Value | None
    later: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a package brings, before or after it was taken in.

    Attributes:
        labels: Entries that are new here.
        known: Entries that were taken in before.
        marks: Skips, flags, highlights and the like that are new here.
        changed: Run and id of evaluations whose text is another one here by now; their labels are
            marked stale.
        missing: Run and id of labelled evaluations that are not here any more.
        refused: Sentences about entries that cannot be taken, as on a metric that was deleted.
        keys: By run and id, the evaluations that are here.
    """

    file: Path
    queue: str
    labeler: str
    labels: int
    known: int
    marks: int
    conflicts: tuple[Conflict, ...] = ()
    changed: tuple[Place, ...] = ()
    missing: tuple[Place, ...] = ()
    refused: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    keys: Mapping[Place, int] = field(default_factory=dict)

    @property
    def is_new(self) -> bool:
        """Tell whether the package brings anything that is not here yet."""
        return bool(self.labels or self.marks)

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        parts = [f"{self.labels:,} new entries of {self.labeler} for {self.queue}"]
        if self.known:
            parts.append(f"{self.known:,} known already")
        for count, what in (
            (len(self.conflicts), "answered otherwise here"),
            (len(self.changed), "with a changed text"),
            (len(self.missing), "not here any more"),
            (len(self.refused), "refused"),
        ):
            if count:
                parts.append(f"{count:,} {what}")
        return f"{self.file.name}: {', '.join(parts)}."

    def to_json(self) -> Fields:
        """Give the fields that the command line prints."""
        return {
            "file": str(self.file),
            "queue": self.queue,
            "labeler": self.labeler,
            "labels": self.labels,
            "known": self.known,
            "marks": self.marks,
            "conflicts": [
                {"run": x.run, "id": x.id, "metric": x.metric, "here": x.here, "there": x.there,
                 "later": x.later}
                for x in self.conflicts
            ],
            "changed": [{"run": run, "id": name} for run, name in self.changed],
            "missing": [{"run": run, "id": name} for run, name in self.missing],
            "refused": list(self.refused),
        }  # fmt: skip


@dataclass(slots=True)
class _Parcel:
    """A package, read: its labeler's entries by run and id."""

    file: Path
    note: Note
    records: dict[Place, Fields] = field(default_factory=dict)
    rubrics: dict[str, str] = field(default_factory=dict)


def is_of(session: Session, file: Path) -> bool:
    """Tell whether a file is a work package of the open project."""
    if file == session.project.path or session.package_labeler() is not None:
        return False
    try:
        with closing(Project.open(file)) as project:
            note = Note.from_json(project.setting(PACKAGE) or "")
    except (ReviewerError, ValueError, TypeError, KeyError):
        return False
    return note.project == session.project.setting(PROJECT_NAME)


def merge(
    session: Session, file: Path, progress: Progress | None = None, *, dry_run: bool = False
) -> Returned:
    """Take a package in, or with `dry_run` tell what it would bring.

    The same package may come twice, and an earlier one after a later one: entries are united.
    The labeler can take the whole of it back.

    Raises:
        ProjectError: It is no package, or one of another project.
    """
    parcel = _read(file)
    _check(session, parcel)
    here, keys = _here(session, parcel)
    missing = tuple(place for place in parcel.records if place not in here)
    changed = tuple(
        place
        for place, fields in parcel.records.items()
        if place in here and mark_of(here[place]) != mark_of(fields)
    )
    conflicts = tuple(_conflicts(here, parcel))
    lines = [
        {key: value for key, value in here[place].items() if key != "scores"}
        | {"labels": fields["labels"], "marks": fields["marks"]}
        for place, fields in parcel.records.items()
        if place in here
    ]
    _draw(session, parcel, lines, keys)
    offered = sum(len(line["labels"]) for line in lines)
    known = {id(line): here[line["run"], str(line["id"])] for line in lines}
    marks = sum(len(_new_marks(line, known[id(line)])) for line in lines)
    lines = [line for line in lines if _brings(line, known[id(line)])]
    work = _Work(lines, keys, changed, progress or Silent(), dry_run)
    report = _imported(session, parcel, work)
    refused = tuple(row.sentence for row in report.first_rejected) if report else ()
    new = report.labels if report else 0
    return Returned(
        file=file,
        queue=parcel.note.queue,
        labeler=parcel.note.labeler,
        labels=new,
        known=max(offered - new - len(refused), 0),
        marks=marks,
        conflicts=conflicts,
        changed=changed,
        missing=missing,
        refused=refused,
        notes=tuple(_rubric_notes(session, parcel)),
        keys=keys,
    )


def _read(file: Path) -> _Parcel:
    with closing(Project.open(file)) as project:
        text = project.setting(PACKAGE)
        if not text:
            raise ProjectError(
                f"{file.name} is a project, but no work package; import an export of it."
            )
        try:
            parcel = _Parcel(file, Note.from_json(text))
        except (ValueError, TypeError, KeyError):
            raise ProjectError(f"{file.name} is a damaged work package.") from None
        own = {"label", "not_applicable", "withdrawn"}
        reader = RecordReader(project)
        for run, name in project.conn.execute("SELECT id, name FROM runs ORDER BY id").fetchall():
            for stored in reader.of_run((run, name), {}):
                fields = dict(stored.fields)
                for kind in ("labels", "marks"):
                    fields[kind] = [
                        entry
                        for entry in fields.get(kind) or ()
                        if entry["labeler"] == parcel.note.labeler
                        and (kind == "marks" or entry.get("kind", "label") in own)
                    ]
                if fields["labels"] or fields["marks"]:
                    parcel.records[name, str(fields["id"])] = fields
        rubrics = reading.rubrics(project.conn)
        parcel.rubrics = {rubric.name: str(rubric.version) for rubric in rubrics.values()}
    return parcel


def _check(session: Session, parcel: _Parcel) -> None:
    if parcel.note.project != session.project.setting(PROJECT_NAME):
        raise ProjectError(
            f"{parcel.file.name} is a work package of another project; open that project to take "
            "it in."
        )


def _here(session: Session, parcel: _Parcel) -> tuple[dict[Place, Fields], dict[Place, int]]:
    """Give this project's records and keys of what the package holds entries for."""
    conn = session.project.conn
    found: dict[str, dict[int, Place]] = {}
    for place in parcel.records:
        key = reading.find(conn, place[1], place[0])
        if key is not None:
            found.setdefault(place[0], {})[key] = place
    reader = RecordReader(session.project)
    records: dict[Place, Fields] = {}
    for run, places in found.items():
        keys = list(places)
        for start in range(0, len(keys), BLOCK):
            for stored in reader.of_keys(keys[start : start + BLOCK], run):
                records[places[stored.key]] = stored.fields
    return records, {place: key for places in found.values() for key, place in places.items()}


def _conflicts(here: Mapping[Place, Fields], parcel: _Parcel) -> Iterator[Conflict]:
    for place, fields in parcel.records.items():
        known = here.get(place)
        if known is None:
            continue
        mine = _current(known.get("labels") or (), parcel.note.labeler)
        theirs = _current(fields["labels"], parcel.note.labeler)
        history = {_identity(x) for x in fields["labels"]}
        for metric in theirs.keys() & mine.keys():
            a, b = mine[metric], theirs[metric]
            if _identity(a) in history or a.get("value") == b.get("value"):
                continue
            later = "here" if _moment(a) > _moment(b) else "there"
            yield Conflict(*place, metric, a.get("value"), b.get("value"), later)


def _current(entries: Sequence[Fields], labeler: str) -> dict[str, Fields]:
    found: dict[str, Fields] = {}
    for entry in entries:
        if entry["labeler"] != labeler or entry.get("kind") == "adjudication":
            continue
        metric = entry["metric"]
        if metric not in found or _moment(entry) >= _moment(found[metric]):
            found[metric] = entry
    return found


def _moment(entry: Fields) -> int:
    return to_micros(entry.get("at")) or 0


def _identity(entry: Fields) -> tuple[Any, ...]:
    found = (entry.get(x) for x in ("metric", "labeler", "turn", "at"))
    return (*found, entry.get("kind") or "label", str(entry.get("value")))


def _brings(line: Fields, known: Fields) -> bool:
    """Tell whether a line holds an entry that is not here yet."""
    labels = Counter(_identity(x) for x in known.get("labels") or ())
    labels.subtract(_identity(x) for x in line["labels"])
    return min(labels.values(), default=0) < 0 or bool(_new_marks(line, known))


def _new_marks(line: Fields, known: Fields) -> list[Fields]:
    marks = known.get("marks") or ()
    return [mark for mark in line["marks"] if mark not in marks]


def _draw(
    session: Session, parcel: _Parcel, lines: Sequence[Fields], keys: Mapping[Place, int]
) -> None:
    """Write onto labels how their evaluations were drawn, which a package does not say."""
    try:
        row = working.find(session, parcel.note.queue)
        person = next(x for x in session.labelers() if x.name == parcel.note.labeler)
    except (ReviewerError, StopIteration):
        return
    for line in lines:
        key = keys[line["run"], str(line["id"])]
        reason, chance = kept_queues.draw(session.project.conn, row, person.key, key)
        for label in line["labels"]:
            label["selection_reason"] = reason
            label.pop("selection_prob", None)
            if chance is not None:
                label["selection_prob"] = chance


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be written: records with the package's entries, and whose texts changed."""

    lines: Sequence[Fields]
    keys: Mapping[Place, int]
    changed: Sequence[Place]
    progress: Progress
    dry_run: bool


def _imported(session: Session, parcel: _Parcel, work: _Work) -> ImportReport | None:
    if not work.lines:
        return None
    if not work.dry_run:
        _begin_repeats(session, parcel, work.keys)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{parcel.file.stem}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for line in work.lines:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        request = ImportRequest(
            files=(file,), dry_run=work.dry_run, rejected=Path(folder) / "rejected.jsonl",
            labeler=session.labeler.name,
        )  # fmt: skip
        target = session.project.path if work.dry_run else session.project
        try:
            report = importing.run(target, request, work.progress)
        except CancelledError:
            raise
        except ReviewerError as error:
            raise ProjectError(f"{parcel.file.name} could not be taken in: {error}") from error
    if not work.dry_run:
        changed = [work.keys[x] for x in work.changed]
        kept_labels.outdate(session.project, report.imports, changed)
        session.publish(EvaluationsChanged(f"{parcel.file.name} was taken in"))
    return report


def _begin_repeats(session: Session, parcel: _Parcel, keys: Mapping[Place, int]) -> None:
    """Let answers to repeats count as a new round, where they have not begun yet."""
    answered = {keys[x] for x in parcel.note.repeats if x in parcel.records and x in keys}
    if not answered:
        return
    row = working.find(session, parcel.note.queue)
    person = next(x for x in session.labelers() if x.name == parcel.note.labeler)
    with session.project.write():
        for item in working.items_of(session, row, person.name):
            if item.kind == "repeat" and item.since == 0 and item.evaluation in answered:
                kept_queues.begin_repeat(session.project, row.key, person.key, item)


def _rubric_notes(session: Session, parcel: _Parcel) -> Iterator[str]:
    for rubric in reading.rubrics(session.project.conn).values():
        theirs = parcel.rubrics.get(rubric.name)
        if theirs is not None and theirs != str(rubric.version):
            yield (
                f"The rubric {rubric.name} has version {rubric.version} here and had {theirs} in "
                "the package; its labels keep the version they were given under."
            )
