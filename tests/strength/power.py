"""The power is lost while somebody labels and imports: what was answered stands, all is whole.

A program that labels and imports runs to its end and is recorded; the loss comes at a random
moment of the record. `python -m tests.strength.power` is started with the recorder in it.
"""

import json
import math
import os
import shutil
import sqlite3
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.services.project.session import Session
from reviewer.services.transfer import import_files, importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import doctor
from reviewer.store.project import Project
from tests.building import build_project, record
from tests.strength import disk, pressing
from tests.strength.counting import MissingError, trials
from tests.strength.killed import CHAIN, Killed, Told, look
from tests.strength.pressing import EVALUATIONS, LABELER, Tell

ROOT = Path(__file__).resolve().parents[2]
IMPORTED = 300
PROJECT, NEW = "p.review", "new.review"
BEGUN, ENDED = "import begins", "import ended"


@dataclass
class Lost(Killed):
    """What became of what was answered, and of imports.

    Attributes:
        imports: Losses in the middle of an import.
    """

    imports: int = 0


def trial(folder: Path, count: int, seed: int, *, careless: bool = False) -> Lost:
    """Lose the power so many times; `careless` never asks the disk whether anything is there.

    Raises:
        MissingError: There is no C compiler.
    """
    if disk.compiler() is None:
        raise MissingError("there is no C compiler `cc`")
    library, outcome = disk.compiled(folder), Lost()
    for place in trials(math.ceil(count / CHAIN)):
        numbers = range(place * CHAIN, min((place + 1) * CHAIN, count))
        words = (folder, numbers.start, numbers.stop, seed, *(["careless"] if careless else []))
        done = subprocess.run(
            [sys.executable, "-m", "tests.strength.power", *map(str, words)],
            cwd=ROOT,
            env=os.environ | {"LD_PRELOAD": str(library)},
            stdout=subprocess.PIPE,
            check=True,
        )
        for name, value in json.loads(done.stdout).items():
            setattr(outcome, name, getattr(outcome, name) + value)
    return outcome


def _losses(folder: Path, numbers: range, seed: int, *, careless: bool) -> Lost:
    """Lose the power again and again of one project."""
    outcome, expected = Lost(), dict[int, Any]()
    whole = build_project(folder / "whole.review", evaluations=EVALUATIONS)
    place, log = folder / "place", folder / "log"
    _begin(place, whole)
    for number in numbers:
        dice = Random(f"{seed} {number}")  # noqa: S311 - the same again
        before = _evaluations(place / PROJECT)
        there = disk.Disk(place)
        _record(place, log, partial(_work, place, dice, careless=careless))
        done = list(disk.records(log))
        told, notes = Told(), []
        for one in done[: dice.randint(1, len(done))]:
            there.do(one)
            if one.kind == "n":
                words = one.content.decode()
                notes.append(words)
                if words not in (BEGUN, ENDED):
                    told.take(words.encode())
        there.lose_power(dice)
        outcome.kills += 1
        outcome.answers += told.answers
        outcome.under_way += told.pending
        outcome.imports += BEGUN in notes and ENDED not in notes
        expected |= told.stands
        name = f"loss {number} of seed {seed}"
        try:
            outcome.lost += [f"{name}: {x}" for x in _imports(place, before, notes)]
            look(place / PROJECT, told, expected, outcome, name)
        except (ReviewerError, sqlite3.Error) as error:
            outcome.lost.append(f"{name}: {error}")
            # what is left of it tells nothing of the next ones
            _begin(place, whole)
            expected = {}
    whole.unlink()
    return outcome


def _begin(place: Path, whole: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    shutil.copy(whole, place / PROJECT)


def _record(place: Path, log: Path, work: Callable[[Tell], None]) -> None:
    """Let a forked program work and record it."""
    child = os.fork()
    if not child:
        code = 1
        try:
            recorder = disk.Recorder()
            recorder.begin(place, log)
            work(recorder.note)
            code = 0
        except BaseException:  # noqa: BLE001 - the parent sees the code, and here is why
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    if os.waitpid(child, 0)[1]:
        raise ChildProcessError("the program that is recorded failed")


def _work(place: Path, dice: Random, tell: Tell, *, careless: bool) -> None:
    """Label, and two times of three import, beside somebody who labels or into a new project."""
    if careless:
        _trust_the_disk()
    import_files.REPORT_EVERY = 0.0
    kind = dice.choice(("labels", "beside", "new"))
    with closing(Session.open(place / PROJECT, LABELER)) as session:
        labeler = pressing.Labeler(session, dice, tell)
        for _ in range(dice.randint(1, 20)):
            labeler.act()
        if kind != "labels":
            tell(BEGUN)
            path = place / (PROJECT if kind == "beside" else NEW)
            importing.run(path, _request(place.parent, dice), _Pressing(labeler))
            tell(ENDED)
            for _ in range(dice.randint(0, 5)):
                labeler.act()


class _Pressing:
    """Presses a key whenever an import says how far it is."""

    cancelled = False

    def __init__(self, labeler: pressing.Labeler) -> None:
        self._labeler = labeler

    def advance(self, *_: object) -> None:
        self._labeler.act()


def _request(folder: Path, dice: Random) -> ImportRequest:
    """Write a file to import that has never been imported."""
    file, number = folder / "more.jsonl", dice.getrandbits(60)
    lines = (json.dumps(record(n, id=f"n-{number}-{n}")) for n in range(IMPORTED))
    file.write_text("\n".join(lines))
    return ImportRequest((file,))


def _trust_the_disk() -> None:
    """Let no connection of this process wait for the disk."""
    settle = Project.careful

    def careful(self: Project) -> None:
        settle(self)
        self.conn.execute("PRAGMA synchronous = OFF")

    Project.careful = careful  # type: ignore[method-assign]


def _evaluations(path: Path) -> int:
    with closing(Session.open(path, LABELER)) as session:
        query = "SELECT count(*) FROM visible_evaluations"
        return int(session.project.conn.execute(query).fetchone()[0])


def _imports(place: Path, before: int, notes: list[str]) -> Iterator[str]:
    """Say which imports are not whole or absent, and repair what one left that never ended."""
    brought = _evaluations(place / PROJECT) - before
    new = place / NEW
    if new.exists():
        with suppress(ReviewerError):
            brought += _evaluations(new)
    if brought not in ({IMPORTED} if ENDED in notes else {0, IMPORTED} if BEGUN in notes else {0}):
        yield f"{brought} of {IMPORTED} imported"
    doctor.repair(place / PROJECT)
    if BEGUN in notes:
        # where nothing came of it, it can be done again
        request = ImportRequest((place.parent / "more.jsonl",))
        report = importing.run(new, request, Silent())
        if report.added + report.unchanged != IMPORTED:
            yield f"{report.added} and {report.unchanged} of {IMPORTED} when imported again"
        new.unlink()


def main() -> None:
    """Say what became of the losses whose numbers and seed are given."""
    folder, first, end, seed = sys.argv[1:5]
    careless = "careless" in sys.argv
    outcome = _losses(Path(folder), range(int(first), int(end)), int(seed), careless=careless)
    sys.stdout.write(json.dumps(asdict(outcome)))


if __name__ == "__main__":
    main()
