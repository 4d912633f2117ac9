"""A key is stored in a real keyring and used, things go wrong, and it stands in no file."""

import re
import signal
import sqlite3
import time
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.judging import Judge, Selection
from reviewer.services.jobs import job_list, planning
from reviewer.services.project.session import Session
from reviewer.store import judging
from tests.journeys.planted_key import KEY, Program, echoing, leaks, places
from tests.journeys.shell import lines
from tests.servers.keyring_session import keyring_session
from tests.servers.model_server import Model, model_server

MODELS = ("answers", "words", "refuses", "breaks-once", "html", "redirects", "unauthorized")
WAIT = 60


@pytest.fixture
def program() -> Iterator[Program]:
    with keyring_session() as session:
        yield Program(session)


def test_the_search_finds_a_key_in_every_form(tmp_path: Path) -> None:
    for number, name in enumerate(("a", "b")):
        (tmp_path / name).write_bytes(b"x" * number + b"Authorization: Bearer " + KEY.encode())
    with closing(sqlite3.connect(tmp_path / "db")) as conn:
        conn.execute("CREATE TABLE t(x)")
        conn.execute("INSERT INTO t VALUES (?)", (zlib.compress(KEY.encode()),))
        conn.commit()
    with zipfile.ZipFile(tmp_path / "z", "w", zipfile.ZIP_DEFLATED) as files:
        files.writestr("in", KEY * 9)
    assert {x.split(":")[0] for x in leaks(tmp_path)} == {"a", "b", "db t", "z in"}


def test_a_key_stays_in_the_keyring(program: Program) -> None:
    home = program.folder
    records = [{"id": f"c-{n}", "input": "Pool?", "response": f"No. {n}."} for n in range(3)]
    (home / "r.jsonl").write_text(lines(*records))
    with model_server(echoing) as model:
        add_judges(program, model)
        # an open connection keeps what was written beside the file
        with closing(Session.open(home / "p.review", "ann")) as session:
            use_them(program, session, model)
            crash(program, session, model)
            program.finish(program.start("p.review", module="tests.journeys.handing_on"))
            job_list.retry_failures(session, 2)
            judging.keep(session.project, Judge(name="late", endpoint="near", model="m"))
            assert (home / "p.review-wal").stat().st_size > 0
            assert leaks(home) == []
    assert next(home.rglob("reviewer.log")).stat().st_size > 0
    assert next(home.rglob("crash.log")).stat().st_size > 0


def add_judges(program: Program, model: Model) -> None:
    add = ("judges", "p.review", "add")
    near = ("--endpoint", "near", "--url", model.url, "--variable", "NEAR_KEY")
    far = ("--endpoint", "far", "--url", "http://127.0.0.1:9/v1", "--variable", "FAR_KEY")
    store = ("--key-from", "PLANTED")
    said = program.run(
        ("import", "p.review", "r.jsonl", "--rubric", "guest-response"),
        *((*add, name, *near, "--model", name, *store) for name in MODELS),
        (*add, "gone", *far, "--model", "m", *store),
        PLANTED=KEY,
    )
    assert said.count("Its key is in the keyring.") == len(MODELS) + 1


def use_them(program: Program, session: Session, model: Model) -> None:
    short = ("--metric", "safety", "--limit", "1", "--json")
    said = program.run(
        ("judges", "p.review"),
        ("judges", "p.review", "list", "--json"),
        ("judges", "p.review", "test", "answers"),
        ("judges", "p.review", "test", "unauthorized"),
        ("judges", "p.review", "test", "gone"),
        *(("evaluate", "p.review", "--judge", name, *short) for name in MODELS),
        ("export", "p.review", "e.jsonl"),
        ("export", "p.review", "e.csv"),
        ("export", "p.review", "d.csv", "--what", "disagreements"),
        ("packet", "p.review", "e.zip"),
        ("backup", "p.review"),
        ("doctor", "p.review"),
        ("stats", "p.review", "--json"),
        ("jobs", "p.review", "--json"),
    )
    assert "in the keyring" in said
    assert "cannot be reached at http://127.0.0.1:9/v1" in said
    assert "did not accept the key" in said
    states = {x.title.split()[0]: (x.state, x.done, x.failed) for x in job_list.every(session)}
    assert states["answers"] == states["breaks-once"] == ("done", 1, 0)
    assert states["words"] == states["refuses"] == states["html"] == ("done", 0, 1)
    assert states["redirects"][0] == states["unauthorized"][0] == "failed"
    assert len(model.keys) >= len(MODELS)
    assert set(model.keys) == {f"Bearer {KEY}"}
    # what a score and a failure keep of the reply, with a mark in the key's place
    exported = (program.folder / "e.jsonl").read_text(encoding="utf-8")
    assert "You sent Bearer …, in an address …," in exported


def crash(program: Program, session: Session, model: Model) -> None:
    """Let the worker die in the middle of a call; its words and surroundings hold no key."""
    judging.keep(session.project, Judge(name="slow", endpoint="near", model="slow"))
    plan = planning.judging_plan(session, "slow", Selection(), metrics=("safety",))
    job = planning.add(session, plan)
    asked = len(model.requests)
    worker = program.start("p.review", job, module="reviewer.worker")
    end = time.monotonic() + WAIT
    while len(model.requests) == asked and worker.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    assert len(model.requests) > asked
    limits = Path(f"/proc/{worker.pid}/limits").read_text()
    assert re.search(r"Max core file size +0 ", limits), limits
    for name in ("cmdline", "environ"):
        assert places(Path(f"/proc/{worker.pid}/{name}").read_bytes()) == []
    worker.send_signal(signal.SIGABRT)
    program.finish(worker, -signal.SIGABRT)
