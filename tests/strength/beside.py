"""What writes beside people who label; arguments: label, import, backup or job, then its own."""

import contextlib
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge, Price, Selection
from reviewer.services.jobs import planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.labelling import entering
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging
from tests.building import record

METRICS = ("relevance", "accuracy", "safety")
KEY = "NEAR_KEY"
IMPORTED = 2_000
"""Records a file."""


def label(path: Path, name: str, count: str, rest: str, told: str) -> None:
    """Label, and keep how long each press waited and what was said last of each.

    Args:
        path: The project.
        name: Who labels.
        count: How many presses.
        rest: Seconds between two of them.
        told: Where it is kept.
    """
    waits, last = [], {}
    with closing(Session.open(path, name)) as session:
        for number in range(int(count)):
            evaluation, metric = 1 + number // 3 % 200, METRICS[number % 3]
            value = (number // 600 + number) % 5 + 1
            started = time.perf_counter()
            entering.commit(session, evaluation, metric, value)
            waits.append(time.perf_counter() - started)
            last[f"{evaluation} {metric}"] = value
            time.sleep(float(rest))
    Path(told).write_text(json.dumps({"waits": waits, "last": last}))


def bring(path: Path, folder: str) -> None:
    """Import one file after the other, each a run of its own."""
    file, number = Path(folder) / "more.jsonl", 0
    while True:
        number += 1
        lines = (json.dumps(record(n, id=f"n-{n}")) for n in range(IMPORTED))
        file.write_text("\n".join(lines))
        importing.run(path, ImportRequest((file,), run=f"run {number}"), Silent())


def back_up(path: Path, folder: str) -> None:
    """Copy the project without a rest."""
    to = Path(folder) / "copy.review"
    while True:
        with closing(Session.open(path, "x")) as session:
            backups.make(session.project, to)
        to.unlink()


def judge(path: Path, url: str) -> None:
    """Let a judge score the first run again and again, with replies that come at once."""
    os.environ[KEY] = "sk-of-nobody"
    with closing(Session.open(path, "x")) as session:
        judging.keep(
            session.project, Endpoint(name="near", base_url=url, variable=KEY, concurrency=8)
        )
        judging.keep(session.project, Judge(name="quick", endpoint="near", model="m"))
        judging.keep_price(
            session.project, Price(model="m", input_per_million=1.0, output_per_million=1.0)
        )
        first = Selection(runs=session.run_names()[:1])
        while True:
            plan = planning.judging_plan(session, "quick", first)
            job = planning.add(session, replace(plan, use_cache=False))
            running.run(path, job, Silent(), Control())


ROLES: dict[str, Callable[..., object]] = {
    "label": label,
    "import": bring,
    "backup": back_up,
    "job": judge,
}


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        ROLES[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
