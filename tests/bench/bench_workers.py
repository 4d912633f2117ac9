"""Time scorers here, in processes of this machine, and on a cluster of this machine.

    python tests/bench/bench_workers.py [evaluations] [workers]

Once with the five cheap scorers of the FAQ rubric, which the project file keeps up with at best,
and once with a scorer of a package that computes for 5 ms a case. The load beside stands below.
"""

import json
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.domain.errors import Silent
from reviewer.domain.judging import JobPlan, Selection
from reviewer.services.jobs import cluster, planning, running
from reviewer.services.jobs.away import Workers
from reviewer.services.jobs.control import Control
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.bench.bench_scorers import RESPONSE
from tests.servers.dask_cluster import STARTS, dask_cluster

SLOW = """import time
def score(case):
    until = time.process_time() + 0.005
    while time.process_time() < until:
        pass
    return 1
"""
CHEAP_PER_SLOW = 20
Plan = Callable[[Session], JobPlan]


def package(folder: Path) -> None:
    """Lay out a package with a scorer that takes its time, for this process and its workers."""
    metadata = folder / "slowly-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "slowly.py").write_text(SLOW)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: slowly\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[reviewer.scorers]\nslow = slowly:score\n")
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)


def project(path: Path, count: int) -> Path:
    """Make a project whose answers have about 600 characters."""
    file = path.with_suffix(".jsonl")
    with file.open("w") as lines:
        for n in range(count):
            text = RESPONSE.format(n=n)
            row: dict[str, Any] = {
                "id": f"c-{n}",
                "input": f"What is the basis of unit {n}?",
                "response": text,
            }
            row |= {"expected": "$442,300", "expected_keywords": ["basis"], "latency_ms": n}
            lines.write(json.dumps(row) + "\n")
    importing.run(path, ImportRequest(files=(file,), rubric="faq-bot"), Silent())
    return path


def per_second(path: Path, plan: Plan, workers: Workers | None) -> float:
    """Run a job and give its scores a second."""
    with closing(Session.open(path)) as session:
        key = planning.add(session, plan(session))
    began = perf_counter()
    done = running.run(path, key, Silent(), Control(), workers)
    if done.failed or done.state != "done":
        raise SystemExit(f"{done.state}, {done.failed} failed: {done.sentence}")
    return done.done / (perf_counter() - began)


def cheap(session: Session) -> JobPlan:
    """Plan the rubric's own five scorers."""
    return planning.scoring_plan(session, Selection())


def slow(session: Session) -> JobPlan:
    """Plan the package's scorer."""
    return planning.scoring_plan(
        session, Selection(), scorers=("slow",), metrics=("politeness",)
    )  # fmt: skip


@contextmanager
def in_turn(folder: Path, count: int) -> Iterator[list[tuple[str, Workers | None]]]:
    """Give each way to score, ready."""
    spawn = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(count, spawn) as pool,
        dask_cluster(folder, workers=count) as dask,
        cluster.opened(dask.address) as found,
    ):
        found.executor.submit(os.getpid).result(STARTS)
        ways = [
            ("here, one process", None),
            (f"pool of {count} processes", Workers(pool, count)),
            (f"cluster of {found.width} workers", found),
        ]
        yield ways


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        package(folder / "site")
        many = project(folder / "many.review", count)
        few = project(folder / "few.review", max(count // CHEAP_PER_SLOW, 1))
        sys.stdout.write(f"{'':<24}{'5 cheap scorers':>20}{'5 ms a case':>20}\n")
        with in_turn(folder / "dask", workers) as ways:
            for name, way in ways:
                # the first batch loads the program in the workers
                per_second(few, cheap, way)
                told = (per_second(many, cheap, way), per_second(few, slow, way))
                sys.stdout.write(f"{name:<24}" + "".join(f"{x:>18,.0f}/s" for x in told) + "\n")
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    sys.stdout.write(f"{os.cpu_count()} cores; load of the machine {load}\n")


if __name__ == "__main__":
    main()
