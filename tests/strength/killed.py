"""Somebody answers and the program is killed: what was answered stands, also after many kills."""

import json
import os
import select
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from reviewer.domain.errors import LabelError
from reviewer.services.labelling import undo
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor
from tests.building import build_project
from tests.strength import pressing
from tests.strength.counting import trials
from tests.strength.pressing import EVALUATIONS, LABELER, Presser, standing

ANSWERS = 20
"""The most answers before a kill."""
LATER = 0.03
"""The most seconds from the last of them to the kill: some presses long."""
CHAIN = 5
"""How often in a row a project is killed before a new one is taken."""
WAIT = 60.0
"""Seconds for one answer."""


@dataclass
class Killed:
    """What became of what was answered.

    Attributes:
        answers: Acts that were answered before the kill.
        under_way: Kills in the middle of an act that was not answered.
        lost: Evaluations that are another than was said, in words.
        problems: What else is wrong afterwards.
    """

    kills: int = 0
    answers: int = 0
    under_way: int = 0
    lost: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass
class Told:
    """What a program told before it died."""

    answers: int = 0
    stands: dict[int, Any] = field(default_factory=dict)
    pending: bool = False
    act: list[Any] | None = None

    def take(self, line: bytes) -> None:
        """Take one line."""
        kind, _, rest = line.partition(b" ")
        self.pending = kind == b"?"
        said = json.loads(rest)
        if self.pending:
            self.act = said
        else:
            self.answers += 1
            self.stands |= {int(key): stands for key, stands in said.items()}


def trial(folder: Path, count: int, seed: int, presser: Presser) -> Killed:
    """Kill so many programs; each is forked off and opens the project anew.

    The caller must not have made a `QApplication`.
    """
    outcome, expected = Killed(), dict[int, Any]()
    whole = build_project(folder / "whole.review", evaluations=EVALUATIONS)
    place = folder / "place"
    for number in trials(count):
        dice = Random(f"{seed} {number}")  # noqa: S311 - the same again
        if number % CHAIN == 0:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            shutil.copy(whole, place / "p.review")
            expected = {}
        told = _kill(place / "p.review", dice, presser)
        outcome.kills += 1
        outcome.answers += told.answers
        outcome.under_way += told.pending
        expected |= told.stands
        look(place / "p.review", told, expected, outcome, f"kill {number} of seed {seed}")
    return outcome


def _kill(path: Path, dice: Random, presser: Presser) -> Told:
    """Let somebody press, kill them at a random moment and give what they told."""
    told, answers, later = Told(), dice.randint(1, ANSWERS), dice.uniform(0, LATER)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _live(path, dice, writing, presser)
    os.close(writing)
    lines = _lines(reading)
    try:
        while told.answers < answers:
            told.take(next(lines))
        time.sleep(later)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    for line in lines:
        told.take(line)
    return told


def _lines(pipe: int) -> Iterator[bytes]:
    """Give what a program says, line by line, as soon as it says it."""
    rest = b""
    with os.fdopen(pipe, "rb", buffering=0) as file:
        while select.select([file], [], [], WAIT)[0]:
            more = file.read(1 << 16)
            if not more:
                return
            *lines, rest = (rest + more).split(b"\n")
            yield from lines
    raise TimeoutError(f"no answer within {WAIT:g} s")


def _live(path: Path, dice: Random, pipe: int, presser: Presser) -> None:
    """Press until the end; never returns into what the parent does."""
    try:
        presser(path, dice, lambda line: os.write(pipe, f"{line}\n".encode()))
    except BaseException:  # noqa: BLE001 - the parent sees that nothing comes, and here is why
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(1)


def look(path: Path, told: Told, expected: dict[int, Any], outcome: Killed, name: str) -> None:
    """Open the project, compare it with what was told, and let it go on from there."""
    with closing(Session.open(path, LABELER)) as session:
        found = {key: standing(session, key) for key in range(1, EVALUATIONS + 1)}
        nothing = {"skip": False, "flag": False}
        wrong = {x for x in found if found[x] != expected.get(x, nothing)}
        # at most the one act that was on disk and not yet answered
        if told.pending and len(wrong) == 1:
            (key,) = wrong
            if told.act is None or _is_act(told.act, key, found[key], expected.get(key, nothing)):
                expected[key] = found[key]
                wrong = set()
        outcome.lost += [
            f"{name}: {x} was {expected.get(x, nothing)}, is {found[x]}" for x in sorted(wrong)
        ]
        expected |= {key: found[key] for key in wrong}
        # what has to stay, such as a reveal, is said at the first press
        with suppress(LabelError):
            if undo.undo(session) is not None:
                undo.redo(session)
            elif any(stands != nothing for stands in found.values()):
                outcome.problems.append(f"{name}: nothing can be undone")
        after = {key: standing(session, key) for key in found}
        if after != found:
            outcome.problems.append(f"{name}: undone and redone is not the same")
    outcome.problems += [f"{name}: {x}" for x in doctor.check(path).problems]


def _is_act(act: list[Any], key: int, found: dict[str, Any], before: dict[str, Any]) -> bool:
    """Tell whether what is found is what was told with this label."""
    where, metric, value = act
    changed = {x for x in found.keys() | before.keys() if found.get(x) != before.get(x)}
    return key == where and changed == {metric} and found[metric][1] == value


def services(folder: Path, count: int, seed: int) -> Killed:
    """Kill programs that answer through the services."""
    return trial(folder, count, seed, pressing.at_services)


def windows(folder: Path, count: int, seed: int) -> Killed:
    """Kill windows in which keys are pressed."""
    # loaded once, before the forks
    from tests.strength import window

    return trial(folder, count, seed, window.press_keys)
