"""Labelers' sheets: what goes out to a spreadsheet, and what comes back, with a look before."""

import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reviewer.domain.entries import current_labels, moment
from reviewer.domain.errors import FormatError, ProjectError, ReviewerError, Silent
from reviewer.domain.evaluation import Value, as_written, now_text
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.domain.wording import counted
from reviewer.formats import sheets
from reviewer.formats.writers.conversations import prompt_text, reply_of
from reviewer.services.computer import whole_files
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import exporting as stored
from reviewer.store import figures, reading
from reviewer.store.project import Project

Fields = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """One filled cell: what it says, and what its labeler says here."""

    run: str
    id: str
    metric: str
    labeler: str
    here: Value | None
    there: Value

    @property
    def words(self) -> str:
        """Say where it stands and what both say."""
        here = "nothing" if self.here is None else self.here
        return f"{self.run}/{self.id}, {self.metric}: {here} here, {self.there} in the sheet"


@dataclass
class SheetReturned:
    """What a sheet brings.

    Attributes:
        new: Answers where there was none.
        same: Answers that stand here already.
        changed: Other answers than the labeler's, which are older than the sheet.
        conflicts: Other answers than the labeler's given here since the sheet was made; these
            stay.
        refused: What cannot be taken, each with its reason.
    """

    file: Path
    new: list[Told] = field(default_factory=list)
    same: list[Told] = field(default_factory=list)
    changed: list[Told] = field(default_factory=list)
    conflicts: list[Told] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        return (
            f"{self.file.name}: {counted(len(self.new), 'new answer')}, "
            f"{len(self.changed):,} changed, {len(self.same):,} as here, "
            f"{len(self.conflicts):,} in conflict, {len(self.refused):,} refused."
        )

    def to_json(self) -> Fields:
        """Give the fields that the command line prints."""
        lists = {"new": self.new, "changed": self.changed, "conflicts": self.conflicts}
        told = {name: [vars(x) for x in some] for name, some in lists.items()}
        return {"file": str(self.file), **told, "same": len(self.same), "refused": self.refused}


def is_sheet(file: Path) -> bool:
    """Tell whether a file may be a sheet that came back, by its name."""
    return file.suffix.lower() in sheets.SUFFIXES


def write(session: Session, to: Path, labeler: str, scope: Scope | None = None) -> int:
    """Write a sheet for a labeler, and count its rows; nothing of judge or others is in it.

    Raises:
        FormatError: The suffix is neither that of a workbook nor CSV.
        ReviewerError: There is no such labeler, or the filters name what is not there.
    """
    if not is_sheet(to):
        raise FormatError(f"A sheet is a workbook or CSV; {to.name} should end in .xlsx or .csv.")
    project = session.project
    figures.labeler_keys(project, (labeler,))
    metrics = [name for name, metric in _metrics(project).items() if metric.is_labelled]
    made, empty = now_text(), [""] * (len(metrics) + 1)
    with figures.snapshot(project), whole_files.part_of(to) as part:
        rows = (
            (x["run"], x["id"], labeler, made, prompt_text(x), reply_of(x), *empty)
            for x in (one.fields for one in stored.stored_records(project, scope))
        )
        names = (*sheets.FIXED, *metrics, sheets.COMMENT)
        written = sheets.write(part, names, rows, as_csv=to.suffix.lower() == ".csv")
        whole_files.put(part, to)
    return written


def take(session: Session, file: Path, *, dry_run: bool = False) -> SheetReturned:
    """Take the answers of a sheet in, or with `dry_run` tell what it would bring.

    Raises:
        FormatError: It is no labelers' sheet.
        ProjectError: The project cannot be written.
    """
    found = SheetReturned(file)
    lines = list(_lines(session, file, found))
    if lines and not dry_run:
        _import(session, lines, found)
    return found


def _metrics(project: Project) -> dict[str, Metric]:
    rubrics = reading.rubrics(project.conn).values()
    return {metric.name: metric for rubric in rubrics for metric in rubric.metrics}


def _lines(session: Session, file: Path, found: SheetReturned) -> Iterator[Fields]:
    """Give the labels to take, and note everything."""
    metrics, here = _metrics(session.project), _answers(session.project)
    people = {person.name for person in session.labelers()}
    for cells in sheets.read(file):
        place, labeler = (cells["run"], cells["id"]), cells["labeler"]
        filled = {x: cells[x] for x in metrics if cells.get(x)}
        if place not in here or labeler not in people:
            what = "evaluation" if place not in here else f"labeler {labeler!r}"
            found.refused += [f"{'/'.join(place)}: there is no such {what}"] if filled else []
            continue
        if cells.get(sheets.COMMENT) and not filled:
            found.refused.append(f"{'/'.join(place)}: a comment without an answer")
        for name, cell in filled.items():
            value = _value(metrics[name], cell)
            if value is None:
                said = metrics[name].kind.describe()
                found.refused.append(f"{'/'.join(place)}, {name}: {cell!r} found, {said} expected")
                continue
            before = here[place].get((name, labeler))
            told = Told(*place, name, labeler, before["value"] if before else None, value)
            if _sort(found, told, before, cells["made"]):
                line = {"run": place[0], "id": place[1], "metric": name, "labeler": labeler,
                        "value": value, "at": now_text()}  # fmt: skip
                yield line | ({"comment": cells["comment"]} if cells.get("comment") else {})


def _sort(found: SheetReturned, told: Told, before: Fields | None, made: str) -> bool:
    """Put an answer where it belongs, and tell whether it is to be taken."""
    if before is None:
        found.new.append(told)
    elif told.here == told.there:
        found.same.append(told)
        return False
    elif moment(before) > moment({"at": made}):
        found.conflicts.append(told)
        return False
    else:
        found.changed.append(told)
    return True


def _answers(project: Project) -> dict[tuple[str, str], dict[tuple[str, str], Fields]]:
    """Give everybody's present answers by run and id, and by metric and labeler.

    What a lead decided since takes no answer away.
    """
    return {
        (one.fields["run"], one.fields["id"]): {
            (metric, labeler): label
            for (metric, labeler, turn), label in current_labels(
                one.fields.get("labels") or ()
            ).items()
            if turn is None and label.get("kind", "label") == "label"
        }
        for one in stored.stored_records(project, None)
    }


def _value(metric: Metric, cell: str) -> Value | None:
    """Read a cell as a value of a metric's scale; None where it is none."""
    if metric.kind.is_binary:
        known = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        return known.get(cell.lower())
    if not metric.is_numeric:
        return cell if metric.kind.takes(cell) else None
    titles = {x.title.lower(): x.value for x in metric.levels if x.title}
    if cell.lower() in titles:
        return titles[cell.lower()]
    try:
        number = float(cell.replace(",", "."))
    except ValueError:
        return None
    value: Value = as_written(number)
    grid = metric.kind.grid
    fits = number in grid if grid and not metric.kind.is_open else metric.kind.takes(value)
    return value if fits else None


def _import(session: Session, lines: list[Fields], found: SheetReturned) -> None:
    """Store answers as an import of their own, which can be taken back."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / f"{found.file.stem}.jsonl"
        path.write_text("".join(json.dumps(x) + "\n" for x in lines), encoding="utf-8")
        rejected = Path(name) / "rejected.jsonl"
        try:
            report = importing.run(
                session.project.path, ImportRequest((path,), rejected=rejected), Silent()
            )
        except ReviewerError as error:
            raise ProjectError(f"{found.file.name}: {error}") from error
    found.refused += [row.sentence for row in report.first_rejected]
