"""Time a label press beside the process that keeps the project in step, against a quiet one.

    python -m tests.bench.bench_syncing [presses]

A labeler's file with 2,000 evaluations; another labeler answers meanwhile, as fast as a batch goes
after the other, and the project's lead is in step, too. Blocks with and without the process take
turns. Prints p50 and p99 of both in milliseconds, how long an answer takes from the key press to
the lead's file, and the most memory that a process took. p99 beside it should be at most 1.2 times
that of a quiet press, and the memory at most 120 MB.
"""

import itertools
import json
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from time import perf_counter

from reviewer.domain.errors import Silent
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.sharing import taking_part
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server, server
from tests.servers.synced import kept
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team

EVALUATIONS = 2_000
PAUSE_S = 0.02
"""Between two presses: nobody types faster."""
BLOCKS = 8


def shared(place: Server, folder: Path) -> Team:
    """A lead's project with everything in the queues of Ann and of Ben, who have joined."""
    file, path = folder / "one.jsonl", folder / "lead.review"
    with file.open("w", encoding="utf-8") as rows:
        for number in range(EVALUATIONS):
            scores = [{"metric": x, "value": 3, "scorer": "judge"} for x in METRICS]
            row = {"id": f"c-{number}", "run": "one", "input": f"Question {number}",
                   "response": f"Answer {number}. " * 40, "scores": scores}  # fmt: skip
            rows.write(json.dumps(row) + "\n")
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    place.make_database("bench")
    address = taking_part.place_of(
        f"postgresql://{OWNER}@{HOST}:{place.port}/bench", "chats", path
    )
    team = Team(place, folder, address, {"Lead": (OWNER, OWNERS_PASSWORD)}, {"Lead": path})
    with closing(Session.open(path, "Lead")) as session:
        profiles.change(session, "Lead", role="lead")
        keys = tuple(k for (k,) in session.project.conn.execute("SELECT id FROM evaluations"))
        for name in ("Ann", "Ben"):
            profiles.add(session, name)
            plan = QueuePlan(name=f"For {name}", sampling=Sampling.CHOSEN, keys=keys,
                             labelers=(name,))  # fmt: skip
            making.create(session, plan)
        with team.hub() as hub:
            taking_part.share(session, hub)
    for name in ("Ann", "Ben"):
        team.invite(name)
        team.join(name)
    return team


def block(
    session: Session, keys: list[int], numbers: "itertools.count[int]", n: int
) -> list[float]:
    """Time some presses."""
    times = []
    for _ in range(n):
        number = next(numbers)
        start = perf_counter()
        entering.commit(
            session, keys[number // 3 % len(keys)], METRICS[number % 3], number % 5 + 1
        )
        times.append(perf_counter() - start)
        time.sleep(PAUSE_S)
    return times


def travel(team: Team, session: Session, keys: list[int], tries: int = 20) -> list[float]:
    """Time answers from the key press to the lead's file."""
    took = []
    with team.session("Lead") as lead:
        query = "SELECT max(seq) FROM labels"
        for number in range(tries):
            before = lead.project.conn.execute(query).fetchone()
            start = perf_counter()
            entering.commit(session, keys[-1 - number], METRICS[0], number % 5 + 1)
            while lead.project.conn.execute(query).fetchone() == before:
                time.sleep(0.005)
            took.append(perf_counter() - start)
            time.sleep(0.3)
    return took


def main(presses: int) -> None:
    """Run both in turns and print the table."""
    times: dict[str, list[float]] = {"quiet": [], "beside syncing": []}
    peaks = []
    with tempfile.TemporaryDirectory() as name, server() as place:
        team = shared(place, Path(name))
        numbers = itertools.count()
        with (
            team.session("Ann") as session,
            kept(team.files["Lead"], team.words["Lead"][1]) as lead,
        ):
            keys = [k for (k,) in session.project.conn.execute("SELECT id FROM evaluations")]
            session.subscribe(lambda _: None)
            with kept(team.files["Ann"], team.words["Ann"][1]) as ann:
                ann.wait_for("in step", 120)
                lead.wait_for("in step", 120)
                times["key press to lead"] = travel(team, session, keys)
                peaks.append(ann.peak())
                ann.end()
            for turn in range(BLOCKS):
                times["quiet"] += block(session, keys, numbers, presses // BLOCKS)
                team.label("Ben", f"c-{turn}", 3)
                with kept(team.files["Ann"], team.words["Ann"][1]) as ann:
                    ann.wait_for("in step", 120)
                    team.sync("Ben")
                    times["beside syncing"] += block(session, keys, numbers, presses // BLOCKS)
                    peaks.append(ann.peak())
                    ann.end()
            peaks.append(lead.peak())
    for title, some in times.items():
        cuts = statistics.quantiles(some, n=100)
        sys.stdout.write(
            f"{title:<20} p50 {1000 * cuts[49]:8.3f} ms   p99 {1000 * cuts[98]:8.3f} ms\n"
        )
    sys.stdout.write(f"memory at most {max(peaks):.0f} MB\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
