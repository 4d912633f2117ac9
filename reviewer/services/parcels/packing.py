"""Make a work package: a project file with one labeler's part of a queue and what goes with it."""

import json
import shutil
import tempfile
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from reviewer.domain.errors import Progress, ProjectError, QueueError, Silent, refusal
from reviewer.domain.evaluation import now_text
from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import counted, listed
from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.parcels.note import Note
from reviewer.services.parcels.stripping import stripped
from reviewer.services.project import pictures
from reviewer.services.project.guidelines import GUIDELINES
from reviewer.services.project.session import PACKAGE, Session
from reviewer.services.queues import working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.queues.recipes import TRAINING
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import labelers, packages, reading
from reviewer.store import queues as kept_queues
from reviewer.store.packages import Draw, MadePackage
from reviewer.store.project import SUFFIX, Project
from reviewer.store.queues import Item, NewQueue, QueueRow
from reviewer.store.records import RecordReader
from reviewer.store.schema import PROJECT_ID

Fields = dict[str, Any]
BLOCK = 250
OLDER_ID = "project id"
"""The setting by which a project knows the packages that an older version made of it."""
NO_FEEDBACK = (
    "It tells nobody whether an answer was right: known answers stay here. For training with "
    "feedback, let people work in this project."
)
UNTOLD: Final = "browse"
"""How a package says its evaluations were drawn: chances and reasons tell of the judge's scores,
so they stay here and are written onto the labels when they come back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A package that was made."""

    file: Path
    queue: str
    labeler: str
    evaluations: int
    blind: bool

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        sight = "blind, without auto scores" if self.blind else "with auto scores"
        return (
            f"{self.file.name} holds {self.evaluations:,} evaluations of {self.queue} for "
            f"{self.labeler} ({sight})."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Foretold:
    """What a package would hold.

    Attributes:
        answered: How many of the evaluations the labeler has answered here already.
        repeats: How many are given once more, so that the first answers stay out.
    """

    queue: str
    labeler: str
    evaluations: int
    answered: int
    repeats: int
    runs: tuple[str, ...]
    blind: bool
    training: bool = False

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        parts = [
            f"{counted(self.evaluations, 'evaluation')} of {listed(self.runs)} for {self.labeler}"
        ]
        if self.answered:
            parts.append(f"{self.answered:,} answered already")
        if self.repeats:
            parts.append(f"{counted(self.repeats, 'repeat')} without the first answers")
        inside = (
            "Nobody else's labels, no auto scores, no reasoning, no feedback."
            if self.blind
            else "Auto scores and reasoning are inside; nobody else's labels are."
        )
        found = f"{', '.join(parts)}. {inside}"
        return f"{found} {NO_FEEDBACK}" if self.training else found


def foretell(session: Session, *, queue: str, labeler: str, blind: bool) -> Foretold:
    """Tell what a package would hold; nothing is written.

    Raises:
        QueueError: There is no such queue, or the labeler has no part in it.
    """
    row, person, items = _part(session, queue, labeler)
    runs = {_place(session, item)[0]: None for item in items}
    return Foretold(
        queue=row.name, labeler=person, evaluations=len(items),
        answered=sum(item.complete for item in items if item.kind != "repeat"),
        repeats=sum(item.kind == "repeat" for item in items), runs=tuple(runs), blind=blind,
        training=row.recipe == TRAINING,
    )  # fmt: skip


def _part(session: Session, queue: str, labeler: str) -> tuple[QueueRow, str, list[Item]]:
    row = working.find(session, queue)
    person = _person(session, row, labeler)
    items = _once(working.items_of(session, row, person))
    if not items:
        raise QueueError(f"{person} has nothing to do in {row.name}.")
    return row, person, items


def is_of(session: Session, note: Note) -> bool:
    """Tell whether a package was made of the open project."""
    known = {session.project.setting(name) for name in (PROJECT_ID, OLDER_ID)}
    return note.project in known - {""}


def make(
    session: Session,
    to: Path,
    progress: Progress | None = None,
    *,
    queue: str,
    labeler: str,
    blind: bool,
) -> Packed:
    """Write a labeler's part of a queue into a project file of its own, whole or not at all.

    Raises:
        QueueError: There is no such queue, or the labeler has no part in it.
        ProjectError: The file is there already or cannot be written.
    """
    row, person, items = _part(session, queue, labeler)
    if to.suffix != SUFFIX:
        to = to.with_name(to.name + SUFFIX)
    if to.exists():
        raise ProjectError(f"{to} exists already; choose another name.")
    note = Note(
        project=session.project.setting(PROJECT_ID), queue=row.name, labeler=person, blind=blind,
        made_at=now_text(), id=uuid.uuid4().hex,
        repeats=tuple(_place(session, x) for x in items if x.kind == "repeat"),
    )  # fmt: skip
    draws = _draws(session, row, person, items)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / f"package{SUFFIX}"
        for rubric, file in _files(session, items, note, Path(folder)):
            request = ImportRequest(files=(file,), rubric=rubric, spells=False, own=True)
            importing.run(made, request, progress or Silent())
        with closing(Project.open(made)) as project:
            _settle(session, project, row, items, note)
            if not blind:
                there = [run for (run,) in project.conn.execute("SELECT name FROM runs")]
                packages.write_record(project, packages.read_record(session.project, there))
        with closing(Session.open(made)) as own:
            listing.keep_queue(own, "", QueueOrder.FILE, row.name)
        key = next(x.key for x in session.labelers() if x.name == note.labeler)
        with session.project.write() as conn:
            packages.add(
                conn, MadePackage(note.id, key, row.key, row.created_at, note.made_at, draws)
            )
        try:
            shutil.move(made, to)
        except OSError as error:
            reason = refusal(error)
            raise ProjectError(f"{to} could not be written: {reason}.") from error
    return Packed(file=to, queue=row.name, labeler=person, evaluations=len(items), blind=blind)


def _person(session: Session, row: QueueRow, labeler: str) -> str:
    there = working.people(session, row)
    found = next((name for name in there if name.casefold() == labeler.casefold()), None)
    if found is None:
        raise QueueError(
            f"{labeler!r} has no part in {row.name}; it was given to {', '.join(there)}."
        )
    return found


def _draws(
    session: Session, row: QueueRow, person: str, items: Sequence[Item]
) -> tuple[Draw, ...]:
    conn = session.project.conn
    key = next(x.key for x in session.labelers() if x.name == person)
    return tuple(
        Draw(*_place(session, item), *kept_queues.draw(conn, row, key, item.evaluation))
        for item in items
    )


def _once(items: Sequence[Item]) -> list[Item]:
    """Leave an evaluation once: a repeat goes with a later package than its first answer.

    A repeat that was answered as well is left out: it would be asked a third time.
    """
    first = {item.evaluation: item for item in items if item.kind != "repeat"}
    again = {item.evaluation: item for item in items if item.kind == "repeat"}
    for key, item in again.items():
        if key not in first or first[key].complete or item.since:
            first[key] = item
    left = (item for item in items if first[item.evaluation] is item)
    return [item for item in left if not (item.since and item.complete)]


def _place(session: Session, item: Item) -> tuple[str, str]:
    run, name, _ = session.place(item.evaluation)
    return session.run_names()[session.run_keys().index(run)], name


def _files(
    session: Session, items: Sequence[Item], note: Note, folder: Path
) -> Iterator[tuple[Rubric, Path]]:
    """Write the stripped records, one file a rubric, with the pictures that they name."""
    runs = dict(zip(session.run_keys(), session.run_names(), strict=True))
    repeated = {item.evaluation for item in items if item.kind == "repeat"}
    by_rubric: dict[str, tuple[Rubric, dict[int, list[int]]]] = {}
    for item in items:
        run = session.place(item.evaluation)[0]
        rubric = session.rubric_of_run(run)
        by_rubric.setdefault(rubric.name, (rubric, {}))[1].setdefault(run, []).append(
            item.evaluation
        )
    reader = RecordReader(session.project, uids=True)
    for number, (rubric, keys_of_runs) in enumerate(by_rubric.values()):
        file = folder / f"part {number}" / "records.jsonl"
        file.parent.mkdir()
        with file.open("w", encoding="utf-8") as lines:
            for run, keys in keys_of_runs.items():
                for start in range(0, len(keys), BLOCK):
                    for stored in reader.of_keys(keys[start : start + BLOCK], runs[run]):
                        fields = stripped(
                            stored, note.labeler, blind=note.blind, repeat=stored.key in repeated
                        )
                        _write_pictures(session, stored.key, fields, file.parent)
                        lines.write(json.dumps(fields, ensure_ascii=False) + "\n")
        yield rubric, file


def _write_pictures(session: Session, key: int, fields: Fields, folder: Path) -> None:
    for path in pictures.paths(fields):
        content = reading.attachment(session.project.conn, key, path)
        target = (folder / path).resolve()
        if content is not None and target.is_relative_to(folder.resolve()):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)


def _settle(
    session: Session, project: Project, row: QueueRow, items: Sequence[Item], note: Note
) -> None:
    """Put the queue, its labeler and the note into a package that holds the evaluations."""
    people = [x for x in session.labelers() if x.role == "lead" or x.name == note.labeler]
    keys = {
        (run, name): key
        for key, name, run in project.conn.execute(
            "SELECT e.id, e.ext_id, r.name FROM evaluations e JOIN runs r ON r.id = e.run"
        )
    }
    plan = QueuePlan(name=row.name, sampling=Sampling.CHOSEN, labelers=(note.labeler,))
    with project.write() as conn:
        for person in people:
            key = labelers.ensure(conn, person.name)
            labelers.change(conn, replace(person, key=key))
        mine = labelers.ensure(conn, note.labeler)
        kept_queues.put_items(
            conn,
            kept_queues.add(
                project,
                NewQueue(row.name, "package", plan.to_json(), UNTOLD, note.blind or row.blind),
                mine,
            ),
            mine,
            [(keys[_place(session, item)], "label", None) for item in items],
        )
    for name in ("time_zone", GUIDELINES):
        value = session.project.setting(name)
        if value:
            project.set_setting(name, value)
    project.set_setting(PACKAGE, note.to_json())
