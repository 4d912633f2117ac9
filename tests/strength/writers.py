"""Several people, an import, a judge's job and backups at once, and how long each press waits.

`python -m tests.strength.writers [PRESSES]`; afterwards the file is compared with what was said.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor
from tests.building import build_project

ROOT = Path(__file__).resolve().parents[2]
PEOPLE = ("ann", "bo", "cy", "di")
EVALUATIONS = 200
LONGEST = 0.2
"""Seconds that no more than one press of a thousand may wait."""


@dataclass
class Outcome:
    """What became of the presses of everybody.

    Attributes:
        waits: The seconds each press waited, the shortest first.
        lost: Things of which the file holds another value than the one said last.
        ended: What wrote beside and ended on its own.
    """

    waits: list[float] = field(default_factory=list)
    lost: int = 0
    ended: list[str] = field(default_factory=list)
    problems: tuple[str, ...] = ()
    brought: int = 0
    judged: int = 0

    def wait(self, share: float) -> float:
        """Give how long a share of the presses waited at most."""
        return self.waits[min(len(self.waits) - 1, int(len(self.waits) * share))]


@contextmanager
def _started(*words: object) -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "tests.strength.beside", *map(str, words)]
    with subprocess.Popen(command, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run a model's server that answers at once, and give its address."""
    port = folder / "port"
    command = [sys.executable, str(ROOT / "tests/bench/model_process.py"), str(port), "1"]
    with subprocess.Popen(command) as server:
        try:
            while not port.exists() and server.poll() is None:
                pass
            yield f"http://127.0.0.1:{port.read_text()}/v1"
        finally:
            server.kill()


def trial(folder: Path, count: int, rest: float = 0.0) -> Outcome:
    """Let everybody press keys with a rest in seconds until `count` presses are answered."""
    path = build_project(folder / "p.review", evaluations=EVALUATIONS)
    told = {name: folder / f"{name}.json" for name in PEOPLE}
    share = max(1, count // len(PEOPLE))
    outcome = Outcome()
    with ExitStack() as stack:
        url = stack.enter_context(serving(folder))
        beside = {
            name: stack.enter_context(_started(name, path, more))
            for name, more in (("import", folder), ("backup", folder), ("job", url))
        }
        people = [
            stack.enter_context(_started("label", path, name, share, rest, file))
            for name, file in told.items()
        ]
        for process in people:
            process.wait()
        outcome.ended = [name for name, one in beside.items() if one.poll() is not None]
    for name, file in told.items():
        said = json.loads(file.read_text())
        outcome.waits += said["waits"]
        outcome.lost += _lost(path, name, said["last"])
    outcome.waits.sort()
    _look(path, outcome)
    return outcome


def _lost(path: Path, name: str, last: dict[str, int]) -> int:
    with closing(Session.open(path, name)) as session:
        stored = {
            f"{key} {metric}": label.value
            for key in range(1, EVALUATIONS + 1)
            for metric, label in reading.view(session, key).own.items()
        }
    return sum(stored.get(thing) != value for thing, value in last.items())


def _look(path: Path, outcome: Outcome) -> None:
    doctor.repair(path)
    outcome.problems = doctor.check(path).problems
    with closing(Session.open(path, "x")) as session:
        conn = session.project.conn
        outcome.brought = conn.execute("SELECT count(*) FROM visible_evaluations").fetchone()[0]
        outcome.judged = conn.execute("SELECT count(*) FROM attempts").fetchone()[0]


def main() -> int:
    """Print a line; 1 where anything was lost or waited for too long."""
    parser = argparse.ArgumentParser(prog="python -m tests.strength.writers", description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=100_000, help="presses of all")
    parser.add_argument("--rest", type=float, default=0.0, help="seconds between two presses")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        outcome = trial(Path(folder), given.count, given.rest)
    late = sum(wait > LONGEST for wait in outcome.waits)
    sys.stdout.write(
        f"{len(outcome.waits):,} labels of {len(PEOPLE)} people beside import "
        f"({outcome.brought:,} records), job ({outcome.judged:,} scores) and backup: "
        f"{outcome.lost} lost; waited "
        + ", ".join(f"p{100 * x:g} {1000 * outcome.wait(x):.1f} ms" for x in (0.5, 0.99, 0.999))
        + f", at most {outcome.waits[-1]:.2f} s; {late} over {LONGEST} s; "
        f"{'; '.join((*outcome.problems, *outcome.ended)) or 'sound'}\n"
    )
    return int(bool(outcome.lost or outcome.problems or outcome.wait(0.999) > LONGEST))


if __name__ == "__main__":
    sys.exit(main())
