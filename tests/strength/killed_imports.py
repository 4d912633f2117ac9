"""An import is killed: all of its file is there or nothing, and the next one brings the rest."""

import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import doctor
from reviewer.store.project import Project
from tests.building import build_project, record
from tests.strength.counting import trials

COUNT = 2_000
"""Records of the file."""
BEFORE = 12
"""Evaluations that are there before."""
TABLES = (
    "visible_evaluations", "scores", "labels", "turns", "search_docsize", "runs", "labelers",
    "tags", "states", "current_labels", "evaluations",
)  # fmt: skip
NEXT = 3
"""After so many kills the import is let run to its end."""
WAIT = 60.0


@dataclass
class Killed:
    """What became of imports.

    Attributes:
        middle: Kills after the first record was read and before the import said that it ended.
        records: Records that were imported in the end.
    """

    kills: int = 0
    middle: int = 0
    records: int = 0
    lost: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def make_project(path: Path) -> Path:
    """Make a project of 12 evaluations, whose first is labelled."""
    build_project(path, evaluations=BEFORE)
    with closing(Session.open(path, "ann")) as session:
        entering.commit(session, 1, "accuracy", 4)
    return path


def write_file(path: Path, count: int) -> Path:
    """Write records with labels, tags and turns."""
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            fields = record(number, id=f"n-{number}", tags=["new"])
            fields["messages"] = [{"role": "user", "content": f"Sauna {number}?"}]
            if number % 5 == 0:
                fields["labels"] = [{"metric": "accuracy", "labeler": "bob", "value": 3}]
            out.write(json.dumps(fields) + "\n")
    return path


def counts(path: Path) -> dict[str, int]:
    """Count the rows of the tables that an import fills, and what the search finds."""
    with Project.open(path) as opened:
        found = {
            table: int(opened.conn.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608
            for table in TABLES
        }
        query = "SELECT count(*) FROM search WHERE search MATCH 'sauna'"
        return found | {"sauna": int(opened.conn.execute(query).fetchone()[0])}


def trial(folder: Path, count: int, seed: int) -> Killed:
    """Kill imports until so many were killed in the middle; every other makes its project."""
    outcome = Killed()
    file = write_file(folder / "more.jsonl", COUNT)
    whole = make_project(folder / "whole.review")
    place = folder / "place"
    takes = _takes(Path(shutil.copy(whole, folder / "timed.review")), file)
    for number in trials(2 * count, told=False):
        if outcome.middle == count:
            break
        dice = Random(f"{seed} {number}")  # noqa: S311 - the same again
        name = f"kill {number} of seed {seed}"
        if number % NEXT == 0:
            fresh, labels = number // NEXT % 2 == 1, 0
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            if not fresh:
                shutil.copy(whole, place / "p.review")
        before, path = 0 if fresh else BEFORE, place / "p.review"
        outcome.kills += 1
        outcome.middle += _kill(path, file, dice.uniform(0, takes))
        if not fresh:
            labels += 1
            outcome.lost += [f"{name}: {x}" for x in _look(path, labels)]
        elif path.exists():
            outcome.lost += [f"{name}: {x}" for x in _look_at_new(path)]
        if number % NEXT == NEXT - 1:
            report = importing.run(path, ImportRequest((file,)), Silent())
            outcome.records += report.added + report.unchanged
            outcome.problems += [f"{name}: {x}" for x in _end(path, before, labels)]
    return outcome


def _takes(path: Path, file: Path) -> float:
    started = time.monotonic()
    importing.run(path, ImportRequest((file,)), Silent())
    return time.monotonic() - started


def _kill(path: Path, file: Path, later: float) -> bool:
    """Start an import and kill it; tells whether that was in its middle."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        _import(path, file, writing)
    os.close(writing)
    with os.fdopen(reading, "rb", buffering=0) as said:
        if not select.select([said], [], [], WAIT)[0]:
            raise TimeoutError(f"no import began within {WAIT:g} s")
        # from here on it is under way
        first = said.read(1)
        if not first:
            raise EOFError("the import did not begin")
        time.sleep(later)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return first == b"." and b"!" not in (said.read() or b"")


def _import(path: Path, file: Path, pipe: int) -> None:
    class Telling:
        cancelled = False

        def advance(self, *_: object) -> None:
            os.write(pipe, b".")

    try:
        importing.run(path, ImportRequest((file,)), Telling())
        os.write(pipe, b"!")
    except BaseException:  # noqa: BLE001 - the parent sees that it never began, and here is why
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(0)


def _look(path: Path, labels: int) -> list[str]:
    """Say what is not whole or absent, and label on."""
    with closing(Session.open(path, "ann")) as session:
        conn, wrong = session.project.conn, []
        visible = conn.execute("SELECT count(*) FROM visible_evaluations").fetchone()[0]
        if visible not in (BEFORE, BEFORE + COUNT):
            wrong.append(f"{visible} evaluations are seen")
        entering.commit(session, 2, "safety", labels % 5 + 1)
        mine = "SELECT value FROM labels WHERE labeler = 1 ORDER BY seq"
        if conn.execute(mine).fetchone()[0] != 4:
            wrong.append("the label from before is lost")
        return wrong


def _look_at_new(path: Path) -> list[str]:
    """Say what is not whole or absent in a project that the import makes."""
    try:
        seen = counts(path)["visible_evaluations"]
    except ReviewerError as error:
        return [str(error)]
    return [] if seen in (0, COUNT) else [f"{seen} evaluations are seen"]


def _end(path: Path, before: int, labels: int) -> list[str]:
    """Say what is wrong after the import was let run to its end."""
    after = counts(path)
    expected = {
        "visible_evaluations": before + COUNT,
        "evaluations": before + COUNT,
        "search_docsize": before + COUNT,
        "sauna": COUNT,
        "turns": COUNT,
        "tags": COUNT,
        "labels": COUNT // 5 + (1 + labels if labels else 0),
    }
    wrong = [f"{after[x]} {x} instead of {n}" for x, n in expected.items() if after[x] != n]
    return wrong + list(doctor.check(path).problems)
