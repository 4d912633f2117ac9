"""The worker process: progress on standard output, wishes by the project, and a killed worker."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge, Selection
from reviewer.services.jobs import job_list, planning
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import jobs, judging
from tests.servers.model_server import Answer, Model, model_server

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    file = tmp_path / "r.jsonl"
    file.write_text(
        "\n".join(json.dumps({"id": f"c-{n}", "response": f"No. {n}."}) for n in range(20))
    )
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    return path


def planned(project: Path, url: str, filter_text: str = "") -> int:
    session = Session.open(project)
    judging.keep(
        session.project, Endpoint(name="near", base_url=url, needs_key=False, concurrency=4)
    )
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    chosen = Selection(filter_text=filter_text)
    plan = planning.judging_plan(session, "careful", chosen, metrics=("safety",))
    key = planning.add(session, plan)
    session.close()
    return key


def worker(project: Path, *words: object) -> "subprocess.Popen[str]":
    surroundings = os.environ | {
        "PYTHONPATH": str(ROOT),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    command = [sys.executable, "-m", "reviewer.worker", str(project), *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=surroundings)


def finished(process: "subprocess.Popen[str]") -> dict[str, Any]:
    out, _ = process.communicate(timeout=60)
    last: dict[str, Any] = json.loads(out.splitlines()[-1])
    return last


def until(model: Model, requests: int) -> None:
    end = time.monotonic() + 30
    while len(model.requests) < requests and time.monotonic() < end:
        time.sleep(0.02)
    assert len(model.requests) >= requests


def test_a_job_is_worked_on_and_told(project: Path) -> None:
    with model_server() as model:
        process = worker(project, planned(project, model.url))
        out, _ = process.communicate(timeout=60)
    lines = [json.loads(line) for line in out.splitlines()]
    assert lines[-2] == {
        "done": 20, "total": 20, "note": "20 calls", "failed": 0, "cached": 0, "cost_usd": 0.0,
    }  # fmt: skip
    assert lines[-1] == {"state": "done", "sentence": None}
    assert process.returncode == 0


def test_people_who_label_meanwhile_come_first(project: Path) -> None:
    with model_server(Answer(delay=0.1)) as model:
        process = worker(project, planned(project, model.url))
        until(model, 1)
        assert os.getpriority(os.PRIO_PROCESS, process.pid) > os.getpriority(os.PRIO_PROCESS, 0)
        assert finished(process)["state"] == "done"


def test_a_killed_worker_pays_for_nothing_twice(project: Path) -> None:
    with model_server(Answer(delay=0.1)) as model:
        key = planned(project, model.url)
        process = worker(project, key)
        until(model, 9)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        session = Session.open(project)
        kept = jobs.get(session.project.conn, key).done
        session.close()
        sent = len(model.requests)
        assert 0 < kept <= sent
        assert finished(worker(project, key))["state"] == "done"
        # only what was under way at that moment is asked again
        assert len(model.requests) == sent + 20 - kept
        assert sent - kept <= 4


def test_a_wish_in_the_project_pauses_the_job(project: Path) -> None:
    with model_server(Answer(delay=0.1)) as model:
        key = planned(project, model.url)
        process = worker(project, key)
        until(model, 4)
        session = Session.open(project)
        jobs.wish(session.project, key, "pause")
        assert finished(process) == {"state": "paused", "sentence": "Paused."}
        assert jobs.get(session.project.conn, key).done < 20
        session.close()
        assert finished(worker(project, key))["state"] == "done"
        assert len(model.requests) == 20


def test_two_workers_on_one_job(project: Path) -> None:
    with model_server(Answer(delay=1.0)) as model:
        key = planned(project, model.url)
        first = worker(project, key)
        until(model, 1)
        second = finished(worker(project, key))
        assert "already running in another window or program" in second["sentence"]
        assert finished(first)["state"] == "done"
        assert len(model.requests) == 20


def test_two_jobs_at_once(project: Path) -> None:
    with model_server(Answer(delay=0.02)) as model:
        keys = [planned(project, model.url) for _ in range(2)]
        processes = [worker(project, key) for key in keys]
        assert [finished(process)["state"] for process in processes] == ["done", "done"]
        # both asked the same: whoever began later takes what the other paid for
        assert len(model.requests) == 20
    session = Session.open(project)
    assert session.project.conn.execute("SELECT count(*) FROM scores").fetchone() == (20,)
    session.close()


def test_two_jobs_about_different_evaluations_do_not_wait(project: Path) -> None:
    gate = threading.Event()

    def script(_: int, body: Any) -> Answer:
        # the first half is answered only when the second is through
        if "No. 1." in json.dumps(body):
            gate.wait(60)
        return Answer()

    with model_server(script) as model:
        first, second = (
            planned(project, model.url, filter_text=f'case:"c-{number}"') for number in (1, 2)
        )
        waiting = worker(project, first)
        until(model, 1)
        assert finished(worker(project, second))["state"] == "done"
        gate.set()
        assert finished(waiting)["state"] == "done"


def test_a_job_that_goes_on_is_at_work(project: Path) -> None:
    with model_server(Answer(delay=0.5)) as model:
        key = planned(project, model.url)
        process = worker(project, key)
        until(model, 1)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=30)
        session = Session.open(project)
        with session.project.write() as conn:
            conn.execute("UPDATE jobs SET started_at = '2020-01-01T00:00:00Z'")
        before = len(model.requests)
        process = worker(project, key)
        until(model, before + 1)
        assert job_list.standing(job_list.get(session, key)) == "running"
        assert "already running" in finished(worker(project, key))["sentence"]
        assert job_list.stop(session, key, "cancel")
        assert finished(process)["state"] == "cancelled"
        session.close()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [((), "needs a project"), (("x",), "needs a project"), ((99,), "has no job 99")],
)
def test_wrong_words_are_said(project: Path, words: tuple[object, ...], sentence: str) -> None:
    process = worker(project, *words)
    assert sentence in finished(process)["sentence"]
    assert process.returncode == 2
