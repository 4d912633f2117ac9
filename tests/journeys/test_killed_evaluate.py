"""Paid calls and a program that is killed: what is paid again, and what never is."""

import json
import os
import random
import re
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging
from tests.servers.model_server import Answer, Body, Model, model_server

AT_ONCE = 8
A_KILL = 15
"""Cases that are answered until the next kill, about."""


def project_of(path: Path, url: str, cases: int) -> Path:
    """Make a project with a judge at the address, and cases that each ask one question."""
    rows = [
        {
            "id": f"c-{n}",
            "input": f"Question {n}?",
            "response": f"Answer {n}.",
            "context": "Facts.",
        }
        for n in range(cases)
    ]
    file = path.with_suffix(".jsonl")
    file.write_text("\n".join(json.dumps(row) for row in rows))
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    with closing(Session.open(path)) as session:
        near = Endpoint(name="near", base_url=url, needs_key=False, concurrency=AT_ONCE)
        judging.keep(session.project, near)
        judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    return path


def begun(project: Path, *words: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "reviewer", "evaluate", str(project), *words]
    quiet = os.environ | {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}
    return subprocess.Popen(
        command, env=quiet, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd=project.parent
    )


def asked(bodies: list[Body]) -> Counter[str]:
    """Count how often each case was asked about."""
    return Counter(re.findall(r"Question \d+", json.dumps(body))[0] for body in bodies)


def stored(project: Path) -> set[str]:
    """Give the cases whose replies are kept."""
    with closing(Session.open(project)) as session:
        rows = session.project.conn.execute(
            "SELECT e.input FROM attempts a JOIN evaluations e ON e.id = a.evaluation"
        )
        return {question.removesuffix("?") for (question,) in rows}


def unread(project: Path) -> int:
    """Count the replies that are kept and were not read yet."""
    with closing(Session.open(project)) as session:
        query = "SELECT count(*) FROM replies WHERE key LIKE 'unread %'"
        return int(session.project.conn.execute(query).fetchone()[0])


def killed(
    project: Path, model: Model, kills: int, draw: random.Random
) -> tuple[list[Counter[str]], int]:
    """Evaluate and kill it, again and again.

    Gives what was asked and not scored yet at each kill, and how many replies of it are kept.
    """
    words: tuple[str, ...] = ("--judge", "careful", "--metric", "accuracy")
    lost, came = [], 0
    for _ in range(kills):
        before = len(model.requests)
        until = before + draw.randint(1, A_KILL)
        process = begun(project, *words)
        while len(model.requests) < until and process.poll() is None:
            time.sleep(draw.random() / 100)
        process.kill()
        process.communicate()
        words = ("--resume",)
        with model.lock:
            now = asked(model.requests[before:])
        kept = stored(project)
        came += unread(project)
        lost.append(Counter({case: n for case, n in now.items() if case not in kept}))
    process = begun(project, *words)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said.decode()
    return lost, came


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.long)])
def test_a_provider_that_knows_names_is_paid_once_for_each_case(
    tmp_path: Path, kills: int
) -> None:
    draw = random.Random(kills)  # noqa: S311
    cases = kills * A_KILL + AT_ONCE

    def slow(_: int, __: Body) -> Answer:
        return Answer(delay=draw.random() / 10)

    with model_server(slow, honours_names=True) as model:
        project = project_of(tmp_path / "p.review", model.url, cases)
        killed(project, model, kills, draw)
        paid = asked([body for body, _ in model.paid.values()])
    assert "" not in model.paid
    assert len(model.names) > len(model.paid)
    assert paid == Counter({f"Question {n}": 1 for n in range(cases)})


@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.long)])
def test_of_others_only_the_calls_under_way_are_paid_again(tmp_path: Path, kills: int) -> None:
    draw = random.Random(kills)  # noqa: S311
    cases = kills * A_KILL + AT_ONCE

    def slow(_: int, __: Body) -> Answer:
        return Answer(delay=draw.random() / 10)

    with model_server(slow) as model:
        project = project_of(tmp_path / "p.review", model.url, cases)
        lost, came = killed(project, model, kills, draw)
        times = asked(model.requests)
    assert len(times) == cases
    assert max(len(x) for x in lost) <= AT_ONCE
    assert any(lost)
    # a case is asked once more for each kill that it was under way at, and never after its reply
    again = Counter(case for x in lost for case in x)
    assert all(count <= 1 + again[case] for case, count in times.items())
    assert times.total() == cases + again.total() - came
