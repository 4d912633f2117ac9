"""Measure a hub: a crowd beside a dying server and breaking lines, and what one person waits for.

    python -m tests.bench.bench_hub [--people 50] [--labels 1000000] [--kills 20] [--cuts 200]

Everything runs on this computer, with a PostgreSQL server of its own. In the crowd each person has
a file and answers their part of the evaluations, each of which two people have, in rounds; after
each round they send and take in, through a line that is cut in the middle again and again, while
the server is killed (SIGKILL) and started anew. Two leads take everything in meanwhile. Answers
come into the files in bulk, by the store's own way, but for a few that are pressed. At the end all
files and the hub are compared, entry by entry, and the figures of both leads byte by byte. The
exit code is 1 where a goal is missed.
"""

import argparse
import contextlib
import multiprocessing
import os
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from reviewer.hub.address import Address
from reviewer.services.labelling import entering
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.sharing import keeping, taking_part
from reviewer.worker.sync import BEHIND
from tests.bench import environment, hub_people
from tests.bench.hub_people import Person, Tally
from tests.bench.million_project import METRICS, million_project
from tests.servers.frail_line import FrailLine, frail_line
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server, server

SETTINGS = ("-c fsync=on", "-c max_connections=150")
OVERLAP = 2
DAY = 3_000
"""Answers of a day without a line."""
PART = 2_000
"""Evaluations of the labeler whose first download is timed."""
QUIET, BESIDE, WORSE = "quiet", "beside syncing", "beside syncing without a rest"
BLOCK = 50
"""Presses that are timed one after the other in the same circumstances."""
MEMORY = Path("/dev/shm")  # noqa: S108 - where there is no disk
NAME = "chats.review"
NORA = "Nora"
GOALS = {
    "first download": 10.0, "a day sent": 5.0, "memory of a labeler's syncing": 120.0,
    "memory of a lead's syncing": 120.0, "press beside syncing, p99 to quiet": 1.2,
}  # fmt: skip
missed: list[str] = []


def tell(name: str, value: float, unit: str, more: str = "") -> None:
    """Print a line of the table, with the goal where there is one."""
    goal = GOALS.get(name)
    if goal is not None:
        more = f"{more} goal ≤ {goal:g}".strip()
        if value > goal:
            missed.append(name)
            more += ": MISSED"
    sys.stdout.write(f"{name:<44}{value:>14,.2f} {unit:<10}{more}\n")
    sys.stdout.flush()


def check(name: str, problems: Sequence[str]) -> None:
    """Print whether something is as it must be."""
    missed.extend(problems)
    sys.stdout.write(f"{name:<44}{'; '.join(problems) or 'yes':>14}\n")
    sys.stdout.flush()


@contextmanager
def timed(name: str, count: int = 0, what: str = "") -> Iterator[None]:
    """Time a block, and how many of something it does in a second."""
    start, used = time.perf_counter(), os.times()
    yield
    seconds, now = time.perf_counter() - start, os.times()
    cpu = sum(now[:2]) - sum(used[:2])
    rate = f"{count / seconds:,.0f} {what}/s, " if count else ""
    tell(name, seconds, "s", f"{rate}{cpu:.1f} s processor here")


class Team:
    """A lead's project on a hub, and the people of it.

    Attributes:
        lead: Who shared it.
        people: The others, by name.
    """

    def __init__(self, found: Server, folder: Path, database: str, evaluations: int) -> None:
        """Copy the project of a lead who has not shared it yet."""
        self.server, self.folder = found, folder
        self.people: dict[str, Person] = {}
        (folder / "lead").mkdir(parents=True)
        path = folder / "lead" / NAME
        shutil.copy(million_project(evaluations), path)
        found.make_database(database)
        self.address: Address = taking_part.place_of(
            f"postgresql://{OWNER}@{HOST}:{found.port}/{database}", None, Path(NAME)
        )
        self.lead = Person("Lead", path, self.address.text, OWNERS_PASSWORD)
        with self.lead.session() as session:
            profiles.change(session, "Lead", role="lead")

    def give(self, parts: dict[str, Sequence[int]]) -> None:
        """Make a queue for each of some people."""
        with self.lead.session() as session:
            for name, keys in parts.items():
                profiles.add(session, name)
                plan = QueuePlan(name=f"For {name}", sampling=Sampling.CHOSEN, keys=tuple(keys),
                                 labelers=(name,))  # fmt: skip
                making.create(session, plan)

    def share(self) -> None:
        with self.lead.session() as session, self._hub() as hub:
            taking_part.share(session, hub)

    def invite(self, name: str, role: Any = "labeler") -> Person:
        account = f"{name.lower()}_{self.address.database}"
        with self.lead.session() as session, self._hub() as hub:
            made = taking_part.invite(session, hub, name, role=role, account=account)
        assert made.password is not None
        place = self.address._replace(user=account).text
        (self.folder / account).mkdir()
        self.people[name] = Person(name, self.folder / account / NAME, place, made.password)
        return self.people[name]

    def join(self, name: str) -> None:
        person = self.people[name]
        place = self.address._replace(user=person.address.split("//")[1].split("@")[0])
        with taking_part.opened(place, person.password) as hub:
            taking_part.join(hub, person.file)

    def _hub(self) -> Any:
        return taking_part.opened(self.address, OWNERS_PASSWORD)


def ask(person: Person, query: str) -> Any:
    """Ask a file for one value."""
    with closing(sqlite3.connect(person.file)) as conn:
        return conn.execute(query).fetchone()[0]


def evaluations_of(person: Person) -> list[int]:
    """Give the keys of a file's evaluations."""
    with person.session() as session:
        return [k for (k,) in session.project.conn.execute("SELECT id FROM evaluations")]


def synced_apart(person: Person) -> tuple[float, float]:
    """Run the command in a process of its own, and give its seconds and most memory in MB.

    Its modules are compiled already, as those of an installed program are.
    """
    installed = environment.installed(person.file.parents[1])
    named = [sys.executable, "-m", "reviewer", "hub", "--help"]
    subprocess.run(named, check=True, env=installed, stdout=subprocess.DEVNULL)
    command = [sys.executable, "-m", "reviewer", "hub", person.file.name, "sync"]
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=person.file.parent, env=installed | {"PGPASSWORD": person.password},
        stdout=subprocess.DEVNULL,
    )  # fmt: skip
    most = 0
    while process.poll() is None:
        # what the system tells at the end counts what this process had, too
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{process.pid}/status").read_text("utf-8")
            most = max(most, int(status.split("VmHWM:")[1].split()[0]))
        time.sleep(0.02)
    assert process.returncode == 0
    return time.perf_counter() - start, most / 1024


def alone(found: Server, folder: Path, count: int, presses: int) -> None:
    """Measure what a lead and one labeler wait for in a large project."""
    team = Team(found, folder, "alone", count)
    keys = evaluations_of(team.lead)
    chance = random.Random(1)  # noqa: S311
    mine = sorted(chance.sample(keys, min(PART, len(keys))))
    team.give({NORA: mine})
    with timed("share", count, "evaluations"):
        team.share()
    nora = team.invite(NORA)
    start = time.perf_counter()
    team.join(NORA)
    tell("first download", time.perf_counter() - start, "s", f"{len(mine):,} of {count:,}")
    own = ask(nora, "SELECT count(*) FROM evaluations"), ask(nora, "SELECT count(*) FROM scores")
    check("only those, and nothing of the judge",
          [] if own == (len(mine), 0) else [f"{own} evaluations and scores"])  # fmt: skip
    with nora.session() as session:
        hub_people.answer(session, hub_people.own_places(session)[: DAY // len(METRICS)], chance)
    seconds, memory = synced_apart(nora)
    tell("a day sent", seconds, "s", f"{DAY:,} answers, the whole command")
    tell("memory of a labeler's syncing", memory, "MB")
    seconds, memory = synced_apart(team.lead)
    tell("memory of a lead's syncing", memory, "MB", f"{DAY:,} answers came in {seconds:.1f} s")
    with nora.session() as session:
        rest = hub_people.own_places(session)[DAY // len(METRICS) :]
        hub_people.answer(session, rest, chance)
        with timed("the rest of her part sent", len(rest) * len(METRICS), "entries"):
            nora.sync(session)
    with team.lead.session() as session:
        with timed("… and taken in by the lead", len(rest) * len(METRICS), "entries"):
            team.lead.sync(session)
        with timed("nothing new, for a lead"):
            team.lead.sync(session)
    with nora.session() as session:
        nora.sync(session)
        with timed("nothing new, for a labeler"):
            nora.sync(session)
    beside(nora, presses)


def beside(person: Person, presses: int) -> None:
    """Time presses with and without a process beside them that syncs the same file.

    It syncs as the program does, which rests after each time, and worse than that, without a rest.
    The disk, whose slow moments are there without syncing, too, is left out of the comparison
    where the system has a folder in memory.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as name:
        place = shutil.copy(person.file, name)
        times = _pressed(replace(person, file=Path(place)), presses)
    p99 = {name: statistics.quantiles(some, n=100)[98] for name, some in times.items()}
    for name, some in times.items():
        half = statistics.median(some)
        tell(f"press {name}, p99", 1000 * p99[name], "ms", f"median {1000 * half:.2f} ms")
    tell("press beside syncing, p99 to quiet", p99[BESIDE] / p99[QUIET], "times")


def _pressed(person: Person, presses: int) -> dict[str, list[float]]:
    """Give the seconds of presses in each of the circumstances, a block of each in turn."""
    times: dict[str, list[float]] = {QUIET: [], BESIDE: [], WORSE: []}
    context = multiprocessing.get_context("spawn")
    go, over, rests = context.Event(), context.Event(), context.Event()
    process = context.Process(target=_keep_syncing, args=(person, go, over, rests), daemon=True)
    process.start()
    chance = random.Random(2)  # noqa: S311
    try:
        with person.session() as session:
            keys = hub_people.own_places(session)
            for _ in range(max(presses // BLOCK, 1)):
                for name, some in times.items():
                    go.clear() if name == QUIET else go.set()
                    rests.clear() if name == WORSE else rests.set()
                    # what was begun before ends
                    time.sleep(0.4)
                    for _ in range(BLOCK):
                        key, metric = chance.choice(keys), chance.choice(METRICS)
                        start = time.perf_counter()
                        entering.commit(session, key, metric, chance.randint(1, 5),
                                        comment=f"{chance.random():.9f}")  # fmt: skip
                        some.append(time.perf_counter() - start)
                        time.sleep(0.005)
    finally:
        over.set()
        go.set()
        process.join(20)
    return times


def _keep_syncing(person: Person, go: Any, over: Any, rests: Any) -> None:
    os.nice(BEHIND)
    with person.session() as session:
        while not over.is_set():
            go.wait()
            start = time.perf_counter()
            person.sync(session)
            if rests.is_set():
                took = time.perf_counter() - start
                time.sleep(max(keeping.SEND_S, keeping.SPARE * took))


def crowd(found: Server, folder: Path, options: argparse.Namespace) -> None:
    """Let many people work while the server dies and lines break, and compare all at the end."""
    part = max(options.labels // options.people // len(METRICS), 1)
    count = max(part * options.people // OVERLAP, part)
    team = Team(found, folder, "crowd", count)
    keys = evaluations_of(team.lead)
    names = [f"P{number:02}" for number in range(options.people)]
    starts = [number * count // options.people for number in range(options.people)]
    team.give({x: [keys[(at + n) % count] for n in range(part)]
               for x, at in zip(names, starts, strict=True)})  # fmt: skip
    with timed("share", count, "evaluations"):
        team.share()
    with timed("invite and join", part * options.people, "evaluations"):
        for name in names:
            team.invite(name)
            team.join(name)
    team.invite("Second", "lead")
    with timed("second lead joins", count, "evaluations"):
        team.join("Second")
    people = [team.people[x] for x in names]
    leads = [team.lead, team.people["Second"]]
    with frail_line(found.port) as line:
        done = _work(found, line, people, leads, options)
    with timed("all come to rest"):
        # what the last one sends comes to those who were there before
        for _ in range(2):
            done += _quiet([people[n :: options.processes] for n in range(options.processes)])
            done += _quiet([[x] for x in leads])
    _compare(team, people, leads, done)


def _work(
    found: Server, line: FrailLine, people: Sequence[Person], leads: Sequence[Person],
    options: argparse.Namespace,
) -> list[Tally]:  # fmt: skip
    context = multiprocessing.get_context("spawn")
    written, over, tally = context.Value("q", 0), context.Event(), context.Queue()
    until = time.time() + 60 * options.minutes
    groups = [people[n :: options.processes] for n in range(options.processes)]
    workers = [
        context.Process(
            target=hub_people.label_in_turn, daemon=True,
            args=([x.through(line.port) for x in some], options.rounds, until, written, over,
                  tally),
        )
        for some in groups
        if some
    ]  # fmt: skip
    lead_workers = [
        context.Process(
            target=hub_people.lead_on, args=(x.through(line.port), over, tally), daemon=True
        )
        for x in leads
    ]
    start = time.perf_counter()
    for one in (*workers, *lead_workers):
        one.start()
    wanted = len(people) * (options.labels // len(people))
    began = time.time()
    kills, cuts = _harm(
        found, line, options, workers,
        lambda: max(written.value / wanted, (time.time() - began) / (until - began)),
    )  # fmt: skip
    over.set()
    tell("answers given under fire", written.value, "", f"of {wanted:,}")
    tell("… in", time.perf_counter() - start, "s")
    found_tallies = [tally.get(timeout=1_800) for _ in (*workers, *lead_workers)]
    for one in (*workers, *lead_workers):
        one.join()
    seconds = time.perf_counter() - start
    tell(
        "… and until the leads were done",
        seconds,
        "s",
        f"{written.value / seconds:,.0f} answers/s",
    )
    check(f"server killed {kills} times, {cuts} lines cut",
          [] if (kills, cuts) == (options.kills, options.cuts) else
          [f"of {options.kills} and {options.cuts}"])  # fmt: skip
    return found_tallies


def _harm(
    found: Server, line: FrailLine, options: argparse.Namespace, workers: Sequence[Any],
    share: Callable[[], float],
) -> tuple[int, int]:  # fmt: skip
    """Kill and cut in step with the work until all is done, and give how often."""
    chance, kills, cuts = random.Random(7), 0, 0  # noqa: S311
    while all(x.is_alive() for x in workers):
        reached = share()
        if reached >= 1 and (kills, cuts) >= (options.kills, options.cuts):
            break
        if kills < min(options.kills, int(options.kills * reached)):
            found.kill()
            found.start(*SETTINGS)
            kills += 1
        elif cuts < min(options.cuts, int(options.cuts * reached)) and line.cut(chance):
            cuts += 1
        time.sleep(0.05)
    return kills, cuts


def _quiet(groups: Sequence[Sequence[Person]]) -> list[Tally]:
    context = multiprocessing.get_context("spawn")
    tally = context.Queue()
    workers = [
        context.Process(target=hub_people.settle, args=(x, tally), daemon=True)
        for x in groups
        if x
    ]
    for one in workers:
        one.start()
    done = [tally.get(timeout=1_800) for _ in workers]
    for one in workers:
        one.join()
    return done


def _compare(
    team: Team, people: Sequence[Person], leads: Sequence[Person], done: Sequence[Tally]
) -> None:
    broken: dict[str, int] = {}
    for one in done:
        for said, times in one.broken.items():
            broken[said] = broken.get(said, 0) + times
    check("no error but passing ones", [x.wrong for x in done if x.wrong])
    sys.stdout.write("".join(f"    {n:>5} × {said}\n" for said, n in sorted(broken.items())))
    tell("processor time of people and leads", sum(x.cpu for x in done), "s")
    tell("memory of the largest process", max(x.peak for x in done) / 1024, "MB")
    there = hub_people.on_hub(team.server, "crowd")
    tell("entries on the hub", sum(map(len, there.values())), "")
    check("hub and files hold the same, once", hub_people.differences(there, people, leads))
    told = [hub_people.figures(x) for x in leads]
    check("figures of both leads, byte by byte",
          [] if told[0] == told[1] else
          [f"differ: {', '.join(map(hub_people.mark, told))}"])  # fmt: skip


def main() -> int:
    """Measure all and tell it as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--labels", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--cuts", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=10, help="How often each person sends.")
    parser.add_argument("--processes", type=int, default=4, help="In which the people live.")
    parser.add_argument("--minutes", type=float, default=35, help="When no more is answered.")
    parser.add_argument("--evaluations", type=int, default=200_000, help="Of the project alone.")
    parser.add_argument("--presses", type=int, default=3_000)
    parser.add_argument("--only", choices=("alone", "crowd"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-hub-") as name, server(*SETTINGS) as found:
        os.environ.update(XDG_DATA_HOME=f"{name}/data", XDG_CONFIG_HOME=f"{name}/config",
                          XDG_CACHE_HOME=f"{name}/cache")  # fmt: skip
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        if options.only != "crowd":
            alone(found, Path(name) / "alone", options.evaluations, options.presses)
        if options.only != "alone":
            crowd(found, Path(name) / "crowd", options)
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    sys.stdout.write(f"{os.cpu_count()} cores; load of the machine {load}\n")
    if missed:
        sys.stdout.write(f"Missed: {'; '.join(missed)}.\n")
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
