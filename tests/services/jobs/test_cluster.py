"""Jobs on a real Dask cluster of this machine: a scheduler and workers, each its own process."""

import builtins
import json
import os
import re
import signal
import sys
import venv
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from dask import config as settings
from typing_extensions import override

from reviewer.cli.main import main
from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Endpoint, Job, Judge, Price, Selection
from reviewer.services.computer import versions
from reviewer.services.jobs import cluster, planning, running, scoring_jobs
from reviewer.services.jobs.control import Control
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging
from tests.servers.certificate import self_signed
from tests.servers.dask_cluster import DaskCluster, dask_cluster
from tests.servers.model_server import Answer, model_server

KEY = "sk-planted-0123456789"
SECRET_TEXT = "the guest in room 1408"
CASES = 400
WHEN = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


@pytest.fixture
def dask(tmp_path: Path) -> Iterator[DaskCluster]:
    with dask_cluster(tmp_path / "dask", environment={"NEAR_KEY": KEY}) as made:
        yield made


class When(Silent):
    """Does something once when some are done."""

    def __init__(self, reached: int, act: Callable[[], None]) -> None:
        self.reached = reached
        self.act = act
        self.acted = False

    @override
    def advance(self, done: int, total: int | None, note: str = "") -> None:
        if done >= self.reached and not self.acted:
            self.acted = True
            self.act()


def project(path: Path, cases: int = CASES) -> Path:
    file = path.with_name("answers.jsonl")
    rows = [
        {
            "id": f"c-{n}",
            "input": f"Question {n}, {SECRET_TEXT}?",
            "response": f"Answer {n} is $442,300, please." if n % 7 else "",
            "expected": f"Answer {n} is $442,300.",
            "expected_keywords": ["442300", "answer"],
            **({"latency_ms": 10.0 * n} if n % 5 else {}),
        }
        for n in range(cases)
    ]
    file.write_text("\n".join(json.dumps(row) for row in rows))
    importing.run(path, ImportRequest(files=(file,), rubric="faq-bot"), Silent())
    return path


def kill(*processes: Any) -> None:
    for process in processes:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 0
    return capsys.readouterr().out


def brought(path: Path) -> list[tuple[Any, ...]]:
    """Give every score and failure of a project, without when."""
    with closing(Session.open(path)) as session:
        conn = session.project.conn
        scores = conn.execute(
            "SELECT evaluation, metric, score_set, value, reasoning, extra FROM scores "
            "ORDER BY 1, 2, 3"
        ).fetchall()
        failed = conn.execute(
            "SELECT evaluation, metric, state, kind, sentence FROM attempts ORDER BY 1, 2"
        ).fetchall()
    return [*scores, *failed]


def test_all_is_scored_once_though_a_worker_is_killed(
    dask: DaskCluster,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    # more batches than workers, so that the one that is killed has some
    monkeypatch.setattr(scoring_jobs, "BLOCK", 5)
    paths = [project(tmp_path / f"{name}.review") for name in ("here", "there")]
    jobs: list[Job] = []
    with cluster.opened(dask.address) as workers:
        assert workers.width == 3
        for path, used in zip(paths, (None, workers), strict=True):
            with closing(Session.open(path)) as session:
                key = planning.add(session, planning.scoring_plan(session, Selection()))
            progress = When(100, lambda: kill(dask.workers[0])) if used else Silent()
            jobs.append(running.run(path, key, progress, Control(), used))
    assert dask.workers[0].returncode == -signal.SIGKILL
    here, there = jobs
    assert (here.state, here.failed > 0) == ("done", True)
    assert (there.state, there.done, there.failed) == (here.state, here.done, here.failed)
    assert brought(paths[1]) == brought(paths[0])
    for command, *options in (("stats", "--json"), ("export", "-", "--format", "native")):
        first, second = (told(capsys, command, str(path), *options) for path in paths)
        assert WHEN.sub("", second).replace("there.review", "here.review") == WHEN.sub("", first)
    # the workers write nothing of what they were given
    assert SECRET_TEXT not in dask.logs


def judged(path: Path, url: str) -> int:
    with closing(Session.open(path)) as session:
        endpoint = Endpoint(name="near", base_url=url, variable="NEAR_KEY", concurrency=3)
        judging.keep(session.project, endpoint)
        judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
        price = Price(model="m", input_per_million=1.0, output_per_million=2.0)
        judging.keep_price(session.project, price)
        plan = planning.judging_plan(session, "careful", Selection(), metrics=("politeness",))
        return planning.add(session, plan)


def test_what_a_killed_worker_had_paid_for_is_told_and_nothing_else_is_paid_twice(
    dask: DaskCluster, tmp_path: Path
) -> None:
    path = project(tmp_path / "p.review", cases=12)
    killed: list[str] = []

    def script(number: int, body: Any) -> Answer:
        if number == 5:
            # one of the workers waits for this very reply, which is paid for
            killed.append(json.dumps(body["messages"]))
            kill(dask.workers[1])
        return Answer('{"score": 1, "reasoning": "Fine."}', delay=0.3)

    with model_server(script) as model, cluster.opened(dask.address) as workers:
        key = judged(path, model.url)
        done = running.run(path, key, Silent(), Control(), workers)
        asked = [json.dumps(x["messages"]) for x in model.requests]
        keys = set(model.keys)
    twice = {x for x in asked if asked.count(x) > 1}
    assert (done.state, done.done, done.failed) == ("done", 12, 0)
    assert len(set(asked)) == 12
    # only what the killed worker was at
    assert len(asked) - 12 == len(twice) <= 1
    assert done.sentence is not None
    assert done.sentence.startswith("1 call went to a worker that was lost before the reply came")
    assert done.calls == 13
    assert done.cost_usd > 12 * 140e-6
    assert keys == {f"Bearer {KEY}"}
    assert KEY not in dask.logs
    with cluster.opened(dask.address) as workers:
        again = running.run(path, judged(path, model.url), Silent(), Control(), workers)
    assert (again.done, again.calls, again.cached) == (12, 0, 12)


def test_a_scheduler_that_goes_ends_the_job_with_a_sentence_and_it_goes_on(
    dask: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_jobs, "BLOCK", 5)
    path = project(tmp_path / "p.review")
    with closing(Session.open(path)) as session:
        key = planning.add(session, planning.scoring_plan(session, Selection()))
    with cluster.opened(dask.address) as workers:
        progress = When(100, lambda: kill(dask.scheduler))
        done = running.run(path, key, progress, Control(), workers)
    assert done.state == "failed"
    assert done.sentence == cluster.GONE.format(dask.place)
    assert 100 <= done.done < done.total
    assert running.run(path, key, Silent(), Control()).state == "done"


def test_a_cluster_whose_workers_are_all_gone_is_told(
    dask: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring_jobs, "BLOCK", 5)
    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    path = project(tmp_path / "p.review")
    with closing(Session.open(path)) as session:
        key = planning.add(session, planning.scoring_plan(session, Selection()))
    with cluster.opened(dask.address) as workers:
        progress = When(100, lambda: kill(*dask.workers))
        done = running.run(path, key, progress, Control(), workers)
    assert done.state == "failed"
    assert "has had no worker for 0.5 s" in (done.sentence or "")


def test_the_command_line_scores_on_a_cluster_and_refuses_what_is_none(
    dask: DaskCluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = project(tmp_path / "p.review", cases=20)
    words = ["evaluate", str(path), "--metric", "politeness", "--json", "--workers"]
    assert main([*words, dask.address]) == 0
    done = json.loads(capsys.readouterr().out)["jobs"][0]
    assert (done["state"], done["done"]) == ("done", 20)
    for wrong in ("dask://nowhere", "http://127.0.0.1:8786", "4", "dask://127.0.0.1:8786/x"):
        assert main([*words, wrong]) == 2
        assert "dask://HOST:PORT is expected" in capsys.readouterr().err
    kill(dask.scheduler)
    assert main([*words, dask.address]) == 2
    assert f"No Dask scheduler answers at {dask.place}" in capsys.readouterr().err


def test_workers_of_another_version_or_none_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 5.0)
    with dask_cluster(tmp_path / "dask", workers=0) as dask:
        with pytest.raises(ReviewerError, match="has no worker"), cluster.opened(dask.address):
            pass
        dask.start_worker()
        there = cluster.identity()
        with cluster.opened(dask.address) as workers:
            monkeypatch.setattr(versions, "version", lambda: "9.9")
            # a worker that came later tells it with its first batch
            with pytest.raises(ReviewerError) as told:
                workers.executor.submit(os.getpid).result()
        wrong = f"has Reviewer {there}, and here it is {cluster.identity()}"
        assert wrong in str(told.value)
        with (
            pytest.raises(ReviewerError, match=r"and here it is 9\.9"),
            cluster.opened(dask.address),
        ):
            pass


def test_a_worker_without_the_program_is_refused(tmp_path: Path) -> None:
    # an environment that has the libraries of this one, and nothing else of it
    venv.create(tmp_path / "bare", symlinks=True)
    python = tmp_path / "bare" / "bin" / "python"
    libraries = next(Path(x) for x in sys.path if x.endswith("site-packages"))
    site = next((tmp_path / "bare" / "lib").glob("*/site-packages"))
    for found in libraries.iterdir():
        if "reviewer" not in found.name:
            (site / found.name).symlink_to(found)
    with dask_cluster(tmp_path / "dask", workers=0) as dask:
        dask.start_worker(str(python))
        with pytest.raises(ReviewerError, match="has no Reviewer"), cluster.opened(dask.address):
            pass


def test_a_cluster_that_asks_for_certificates(tmp_path: Path) -> None:
    pem = str(self_signed(tmp_path / "own.pem"))
    tls = "distributed.comm.tls"
    parts = [f"{tls}.ca-file", *(f"{tls}.{x}.cert" for x in ("scheduler", "worker", "client"))]
    variables = {"DASK_" + x.replace(".", "__").replace("-", "_").upper(): pem for x in parts}
    with dask_cluster(tmp_path / "dask", 1, variables, "tls") as dask:
        with pytest.raises(ReviewerError) as told, cluster.opened(dask.address):
            pass
        assert "certificate" in str(told.value)
        with settings.set(dict.fromkeys(parts, pem)), cluster.opened(dask.address) as workers:
            assert workers.executor.submit(pow, 2, 5).result() == 32


def test_without_the_library_a_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "distributed":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ReviewerError) as told, cluster.opened("dask://127.0.0.1:8786"):
        pass
    assert "reviewer[cluster]" in str(told.value)
