"""A project with a judge at a real server on 127.0.0.1, and jobs on it in real processes."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Endpoint, Job, JobPlan, Judge, Price, Selection
from reviewer.domain.rubric import Rubric
from reviewer.gui.jobs.jobs_at_work import JobAtWork, JobsAtWork
from reviewer.gui.window import MainWindow
from reviewer.services.jobs import job_list, planning
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project
from tests.servers.model_server import Answer, Body, Model, model_server

KEY = "sk-planted-0123456789"
WAIT_MS = 60_000


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEAR_KEY", KEY)
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


class Provider:
    """What the server does; `answer` may be changed while it runs."""

    def __init__(self) -> None:
        self.answer: Callable[[int, Body], Answer] = lambda _n, _b: Answer()
        self.model: Model | None = None

    def __call__(self, number: int, body: Body) -> Answer:
        return self.answer(number, body)

    @property
    def asked(self) -> int:
        return len(self.model.requests) if self.model else 0


@pytest.fixture
def provider() -> Iterator[Provider]:
    made = Provider()
    with model_server(made) as model:
        made.model = model
        yield made


@pytest.fixture
def judged_rubric() -> Rubric:
    """What the evaluations are judged by."""
    return RUBRIC


@pytest.fixture
def judged(tmp_path: Path, provider: Provider, judged_rubric: Rubric) -> Path:
    """Forty evaluations and the judge `careful`; one metric of its rubric is asked for."""
    assert provider.model is not None
    path = build_project(tmp_path / "judged.review", evaluations=40, rubric=judged_rubric)
    with closing(Session.open(path)) as session:
        endpoint = Endpoint(
            name="near", base_url=provider.model.url, variable="NEAR_KEY", concurrency=2
        )
        judges.keep_endpoint(session, endpoint)
        judges.keep(session, Judge(name="careful", endpoint="near", model="m"))
        judges.keep_price(session, Price(model="m", input_per_million=100, output_per_million=200))
    return path


class Desk:
    """The window's jobs, as a test starts and follows them."""

    def __init__(self, window: MainWindow, qtbot: QtBot, path: Path) -> None:
        self.window, self.path = window, path
        self._qtbot = qtbot
        self.ends: list[tuple[int, str, str, str]] = []
        self.jobs.ended.connect(lambda *end: self.ends.append(end))

    @property
    def jobs(self) -> JobsAtWork:
        return self.window.surroundings.jobs

    def plan(self, **changes: Any) -> int:
        with closing(Session.open(self.path)) as session:
            session.blind = False
            plan: JobPlan = planning.judging_plan(
                session, "careful", Selection(), metrics=("accuracy",)
            )
            return planning.add(session, replace(plan, **changes))

    def start(self, key: int | None = None, **changes: Any) -> int:
        number = self.plan(**changes) if key is None else key
        self.jobs.start(JobAtWork(key=number, title="careful judges accuracy", total=40))
        return number

    def wait_end(self, ends: int = 1) -> tuple[int, str, str, str]:
        self.wait(lambda: len(self.ends) >= ends)
        return self.ends[-1]

    def wait(self, condition: Callable[[], bool]) -> None:
        self._qtbot.waitUntil(condition, timeout=WAIT_MS)

    def wait_done(self, key: int, done: int) -> None:
        def enough() -> bool:
            job = self.jobs.job(key)
            return job is not None and job.told.done >= done

        self.wait(enough)

    def row(self, key: int) -> Job:
        with closing(Session.open(self.path)) as session:
            return job_list.get(session, key)


@pytest.fixture
def desk(window: MainWindow, qtbot: QtBot, judged: Path) -> Desk:
    assert window.open_project(judged)
    return Desk(window, qtbot, judged)


def odd_one_out(question: str) -> Callable[[int, Body], Answer]:
    """Answer well, but not the question that holds these words."""

    def answer(_: int, body: Body) -> Answer:
        bad = question in json.dumps(body)
        return Answer("five of five, sir" if bad else '{"score": 4}')

    return answer
