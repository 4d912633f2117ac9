"""Jobs of a package's scorer, judge and bot go on where the function hangs, dies or talks rot."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Following, Job, JobPlan, Selection
from reviewer.services.computer import packaged
from reviewer.services.jobs import job_facts, planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.services.strangers import install

CODE = r"""
import os, time

def odd(text):
    if "hang" in text:
        time.sleep(100_000)
    if "die" in text:
        os._exit(9)
    if "rot" in text:
        return ["no", "answer"]

def score(case):
    return odd(case["response"]) or 4
score.seconds = 8

def judge(prompt, system="", model=""):
    return odd(prompt) or {"score": 4, "reasoning": "Fine."}
judge.seconds = 8

def bot(case):
    return odd(case["question"]) or {"response": "Yes.", "cost_usd": 0.01}
bot.seconds = 8

def forever(prompt, **_):
    time.sleep(100_000)
"""
ENTRIES = """
[reviewer.scorers]
score = strangers:score

[reviewer.judges]
judge = strangers:judge
forever = strangers:forever

[reviewer.bots]
bot = strangers:bot
"""
WORDS = ("fine", "please hang", "good", "now die", "all rot", "well")
HUNG = "{} of strangers 1.2 gave no answer within 8 s; the call was ended."
DEAD = "{} of strangers 1.2 ended its process (exit code 9)."
Plan = Callable[[Session], JobPlan]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    install(tmp_path / "site", monkeypatch, CODE, ENTRIES)
    file = tmp_path / "r.jsonl"
    rows = [{"id": f"c-{n}", "input": x, "response": x} for n, x in enumerate(WORDS)]
    file.write_text("".join(json.dumps(x) + "\n" for x in rows))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    return path


def done(path: Path, plan: Plan, control: Control | None = None) -> tuple[Job, list[str]]:
    session = Session.open(path)
    key = planning.add(session, plan(session))
    session.close()
    job = running.run(path, key, Silent(), control or Control())
    session = Session.open(path)
    failures = job_facts.read(session, key).failures
    session.close()
    return job, [x.attempt.sentence or "" for x in failures]


def test_a_scorer_that_hangs_on_one_case(project: Path) -> None:
    job, said = done(
        project,
        lambda x: planning.scoring_plan(x, Selection(), scorers=["score"], metrics=["safety"]),
    )
    assert (job.state, job.done, job.failed) == ("done", 3, 3)
    assert said == [
        HUNG.format("score"),
        DEAD.format("score"),
        "score of strangers 1.2 gave list, which is no answer.",
    ]


def test_a_judge_that_hangs_on_one_case(project: Path) -> None:
    job, said = done(
        project, lambda x: planning.judging_plan(x, "judge", Selection(), metrics=["safety"])
    )
    assert (job.state, job.done, job.failed) == ("done", 3, 3)
    assert sorted(said) == sorted(
        [
            HUNG.format("The judge judge"),
            DEAD.format("The judge judge"),
            "The judge judge of strangers 1.2 gave list, which is no answer.",
        ]
    )


def test_a_bot_that_hangs_on_one_case(project: Path) -> None:
    job, _ = done(
        project,
        lambda x: planning.answering_plan(x, "bot", Selection(), run="again", then=Following()),
    )
    assert (job.state, job.done, job.failed) == ("done", 3, 3)
    session = Session.open(project)
    rows = session.project.conn.execute(
        "SELECT e.ext_id, ifnull(e.response, e.error) FROM evaluations e "
        "JOIN runs r ON r.id = e.run WHERE r.name = 'again'"
    ).fetchall()
    session.close()
    said = dict(rows)
    assert said["c-0"] == "Yes."
    assert said["c-1"] == HUNG.format("The bot bot")
    assert said["c-3"] == DEAD.format("The bot bot")


def test_a_job_whose_calls_hang_is_cancelled_at_once(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(packaged.VARIABLE, "100000")
    looked = 0

    def wished() -> "str | None":
        nonlocal looked
        looked += 1
        return "cancel" if looked > 20 else None

    job, said = done(
        project,
        lambda x: planning.judging_plan(x, "forever", Selection(), metrics=["safety"]),
        Control(wished=wished),  # type: ignore[arg-type]
    )
    assert (job.state, job.done, said) == ("cancelled", 0, [])
