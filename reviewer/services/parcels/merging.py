"""Take a returned work package in: whose it is, its entries once, and what needs a look."""

import json
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.domain.change import EvaluationsChanged
from reviewer.domain.errors import CancelledError, Progress, ProjectError, ReviewerError, Silent
from reviewer.domain.evaluation import SelectionReason
from reviewer.formats.incoming import Record
from reviewer.formats.record import checked
from reviewer.services.parcels import packing, returned
from reviewer.services.parcels.note import Note
from reviewer.services.parcels.packing import UNTOLD
from reviewer.services.parcels.returned import Fields, Place, Refused, Returned
from reviewer.services.parcels.stripping import mark_of
from reviewer.services.project import writing
from reviewer.services.project.session import PACKAGE, Session
from reviewer.services.queues import working
from reviewer.services.transfer import importing
from reviewer.services.transfer.admission import Admission
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.store import connecting, journal, packages, queue_acts, reading
from reviewer.store import labels as kept_labels
from reviewer.store import queues as kept_queues
from reviewer.store.journal import Begun
from reviewer.store.project import Project
from reviewer.store.queues import QueueRow
from reviewer.store.records import RecordReader

Drawn = tuple[SelectionReason, float | None]


@dataclass(frozen=True, slots=True)
class Home:
    """A package's labeler and queue as they are here by now.

    Attributes:
        key: The labeler's key, 0 where they are not here.
        labeler: Their name here.
        queue: None where it is gone.
        draws: How the evaluations were drawn when the package was made.
    """

    key: int
    labeler: str
    queue: QueueRow | None
    draws: Mapping[Place, Drawn]

    def drawn(self, session: Session, place: Place, evaluation: int) -> Drawn:
        """Tell how an evaluation was drawn, which a package does not say."""
        known = self.draws.get(place)
        if known is not None:
            return known
        if self.queue is None or not self.key:
            return UNTOLD, None
        return kept_queues.draw(session.project.conn, self.queue, self.key, evaluation)


def home_of(session: Session, note: Note) -> Home:
    """Find a package's labeler and queue, by its number where it is known here, else by name."""
    conn = session.project.conn
    made = packages.find(conn, note.id) if note.id else None
    names = {person.key: person.name for person in session.labelers()}
    if made is None:
        key = next((x for x, name in names.items() if name == note.labeler), 0)
        return Home(key, note.labeler, _named(session, note.queue), {})
    queue = kept_queues.read(conn, made.queue)
    if queue is not None and queue.created_at != made.queue_made:
        queue = None
    draws = {(one.run, one.id): (one.reason, one.chance) for one in made.draws}
    return Home(made.labeler, names.get(made.labeler, note.labeler), queue, draws)


def _named(session: Session, name: str) -> QueueRow | None:
    try:
        return working.find(session, name)
    except ReviewerError:
        return None


BLOCK = 250


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
    return packing.is_of(session, note)


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
    home = home_of(session, parcel.note)
    for fields in parcel.records.values():
        for entry in (*fields["labels"], *fields["marks"]):
            entry["labeler"] = home.labeler
    here, keys = _here(session, parcel)
    changed = _changed(parcel, here)
    conflicts = tuple(returned.conflicts(here, parcel.records, home.labeler, parcel.note.repeats))
    lines = _lines(parcel, here)
    refused = _refuse(session, lines, keys)
    _settle(session, parcel.note, home, lines, (here, keys))
    offered = sum(len(line["labels"]) for line in lines.values())
    new_lines, marks = _new(lines, here)
    report = _imported(
        session, parcel, home, _Work(new_lines, keys, changed, progress or Silent(), dry_run)
    )
    if report:
        refused += [Refused(("", ""), row.sentence) for row in report.first_rejected]
    new = report.labels if report else 0
    return Returned(
        file=file,
        queue=home.queue.name if home.queue else parcel.note.queue,
        labeler=home.labeler,
        labels=new,
        known=max(offered - new, 0),
        marks=marks,
        conflicts=conflicts,
        changed=changed,
        missing=tuple(place for place in parcel.records if place not in here),
        refused=tuple(refused),
        notes=tuple(_notes(session, parcel, home)),
        keys=keys,
    )


def _changed(parcel: _Parcel, here: Mapping[Place, Fields]) -> tuple[Place, ...]:
    """Give the records that are no longer what was given out."""
    return tuple(
        place
        for place, fields in parcel.records.items()
        if place in here and mark_of(here[place]) != mark_of(fields)
    )


def _lines(parcel: _Parcel, here: Mapping[Place, Fields]) -> dict[Place, Fields]:
    """Put the package's entries on the records that are here."""
    return {
        place: {key: value for key, value in here[place].items() if key != "scores"}
        | {"labels": fields["labels"], "marks": fields["marks"]}
        for place, fields in parcel.records.items()
        if place in here
    }


def _new(lines: Mapping[Place, Fields], here: Mapping[Place, Fields]) -> tuple[list[Fields], int]:
    """Give the lines with an entry that is not here yet, and the number of new marks."""
    found, marks = [], 0
    for place, line in lines.items():
        new = [returned.new_entries(line, here[place], x) for x in ("labels", "marks")]
        marks += len(new[1])
        if any(new):
            found.append(line)
    return found, marks


def _refuse(
    session: Session, lines: Mapping[Place, Fields], keys: Mapping[Place, int]
) -> list[Refused]:
    """Take labels out of lines that a rubric by now has no place for."""
    admissions: dict[str, Admission] = {}
    found: list[Refused] = []
    for place, line in lines.items():
        rubric = session.rubric_of(keys[place])
        admission = admissions.setdefault(rubric.name, Admission(rubric))
        found += returned.refused(place, line, admission)
    return found


def _settle(
    session: Session,
    note: Note,
    home: Home,
    lines: Mapping[Place, Fields],
    there: tuple[Mapping[Place, Fields], Mapping[Place, int]],
) -> None:
    """Write onto labels what a package does not say."""
    here, keys = there
    for place, line in lines.items():
        returned.settle_sight(
            line, here[place], home.labeler, blind=note.blind, repeat=place in note.repeats
        )
        if note.blind:
            # there is nothing to see in it, whatever was pressed
            line["marks"] = [mark for mark in line["marks"] if mark["kind"] != "reveal"]
        reason, chance = home.drawn(session, place, keys[place])
        for label in line["labels"]:
            if label.get("kind") == "comment":
                continue
            label["selection_reason"] = reason
            label.pop("selection_prob", None)
            if chance is not None:
                label["selection_prob"] = chance
        returned.end_labels_only(line, here[place])


def _read(file: Path) -> _Parcel:
    with closing(Project.open(file)) as project, connecting.damage_named(file):
        text = project.setting(PACKAGE)
        if not text:
            raise ProjectError(
                f"{file.name} is a project, but no work package; import an export of it."
            )
        try:
            parcel = _Parcel(file, Note.from_json(text))
        except (ValueError, TypeError, KeyError):
            raise ProjectError(f"{file.name} is a damaged work package.") from None
        own = {"label", "not_applicable", "withdrawn", "comment"}
        reader = RecordReader(project, uids=True)
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
                    _check_kinds(file, fields)
                    parcel.records[name, str(fields["id"])] = fields
        rubrics = reading.rubrics(project.conn)
        parcel.rubrics = {rubric.name: str(rubric.version) for rubric in rubrics.values()}
    return parcel


def _check_kinds(file: Path, fields: Fields) -> None:
    """Hold a record to what any import is held to, so that no odd value gets past the package."""
    found = checked(json.loads(json.dumps(fields)), 0)
    if not isinstance(found, Record) or found.refused:
        raise ProjectError(f"{file.name} is a damaged work package.")


def _check(session: Session, parcel: _Parcel) -> None:
    if not packing.is_of(session, parcel.note):
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
    reader = RecordReader(session.project, uids=True)
    records: dict[Place, Fields] = {}
    for run, places in found.items():
        keys = list(places)
        for start in range(0, len(keys), BLOCK):
            for stored in reader.of_keys(keys[start : start + BLOCK], run):
                records[places[stored.key]] = stored.fields
    return records, {place: key for places in found.values() for key, place in places.items()}


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be written: records with the package's entries, and whose texts changed."""

    lines: Sequence[Fields]
    keys: Mapping[Place, int]
    changed: Sequence[Place]
    progress: Progress
    dry_run: bool


def _imported(session: Session, parcel: _Parcel, home: Home, work: _Work) -> ImportReport | None:
    if not work.lines:
        return None
    begun = [] if work.dry_run else _begin_repeats(session, parcel, home, work.keys)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{parcel.file.stem}.jsonl"
        with file.open("w", encoding="utf-8") as out:
            for line in work.lines:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
        request = ImportRequest(
            files=(file,), dry_run=work.dry_run, rejected=Path(folder) / "rejected.jsonl",
            labeler=session.labeler.name, spells=False,
            allow_refused=True,
        )  # fmt: skip
        target = session.project.path if work.dry_run else session.project
        try:
            report = importing.run(target, request, work.progress)
        except ReviewerError as error:
            _wait_again(session, begun)
            if isinstance(error, CancelledError):
                raise
            raise ProjectError(f"{parcel.file.name} could not be taken in: {error}") from error
    if not work.dry_run:
        with session.project.write() as conn:
            for number in report.imports:
                journal.begin_with(conn, number, begun)
        kept_labels.outdate(session.project, report.imports, [work.keys[x] for x in work.changed])
        session.publish(EvaluationsChanged(f"{parcel.file.name} was taken in"))
    return report


def _begin_repeats(
    session: Session, parcel: _Parcel, home: Home, keys: Mapping[Place, int]
) -> list[Begun]:
    """Let answers to repeats count as a new round, where they have not begun yet."""
    answered = {keys[x] for x in parcel.note.repeats if x in parcel.records and x in keys}
    if not answered or home.queue is None:
        return []
    conn = session.project.conn
    with session.project.write():
        return [
            writing.begin_repeat(session, home.queue.key, home.key, item)
            for item in kept_queues.items(conn, home.queue.key, home.key)
            if item.kind == "repeat" and item.since == 0 and item.evaluation in answered
        ]


def _wait_again(session: Session, begun: Sequence[Begun]) -> None:
    """Let repeats wait for their turn again whose answers could not be taken in."""
    if begun:
        with session.project.write() as conn:
            for one in reversed(begun):
                queue_acts.take_round_back(conn, one)


def _notes(session: Session, parcel: _Parcel, home: Home) -> Iterator[str]:
    if home.queue is None and parcel.note.repeats:
        yield (
            f"The queue {parcel.note.queue} is gone: answers to its repeats are taken in as later "
            "answers."
        )
    yield from _rubric_notes(session, parcel)


def _rubric_notes(session: Session, parcel: _Parcel) -> Iterator[str]:
    for rubric in reading.rubrics(session.project.conn).values():
        theirs = parcel.rubrics.get(rubric.name)
        if theirs is not None and theirs != str(rubric.version):
            yield (
                f"The rubric {rubric.name} has version {rubric.version} here and had {theirs} in "
                "the package; its labels keep the version they were given under."
            )
