"""Deterministic scorers over a project: a new score set, the old one kept."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typing_extensions import override

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Job, JobPlan, Selection
from reviewer.services.jobs import planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.project import record
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import projects
from reviewer.store import jobs


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("h") / "h.review", "harness", Silent())


def start(path: Path, **changes: Any) -> tuple[Job, JobPlan]:
    session = Session.open(path)
    plan = replace(planning.scoring_plan(session, Selection()), **changes)
    key = planning.add(session, plan)
    session.close()
    return running.run(path, key, Silent(), Control()), plan


def rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    session = Session.open(path)
    found = session.project.conn.execute(sql).fetchall()
    session.close()
    return found


def test_the_harness_scores_itself_again(harness: Path) -> None:
    done, plan = start(harness)
    assert done.state == "done"
    own = ("tool_usage", "response_quality", "error_handling")
    measured = (
        "retrieval_precision", "retrieval_recall", "retrieval_ndcg", "user_feedback",
    )  # fmt: skip
    assert plan.metrics == own + measured
    run = Session.open(harness)
    there = next(x for x in run.runs() if x.name == run.run_names()[-1]).evaluations
    run.close()
    assert done.total == there * len(plan.metrics) == done.done + done.failed
    sets = rows(harness, "SELECT scorer, version, status FROM score_sets WHERE status = 'done'")
    assert set(own) <= {x[0] for x in sets} <= set(plan.metrics)
    again, _ = start(harness)
    assert (again.done, again.failed) == (done.done, done.failed)
    count = "SELECT count(*) FROM scores s JOIN score_sets b ON b.id = s.score_set"
    assert rows(harness, f"{count} WHERE b.status = 'done'")[0][0] == done.done


def project(tmp_path: Path, *records: dict[str, Any], rubric: str = "harness") -> Path:
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(json.dumps(x) for x in records))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric=rubric), Silent())
    return path


def test_reasoning_and_hits_are_kept(tmp_path: Path) -> None:
    path = project(
        tmp_path,
        {"id": "a", "input": "?", "response": "It is $442,300.", "expected_keywords": ["442300"]},
    )
    start(path)
    value, reasoning, extra = rows(
        path,
        "SELECT s.value, s.reasoning, s.extra FROM scores s JOIN metrics m ON m.id = s.metric "
        "WHERE m.name = 'response_quality'",
    )[0]
    assert value == 1
    assert "1 of 1" in reasoning
    assert json.loads(extra)["meta"]["hits"] == [[7, 14, "442300"]]


def test_what_cannot_be_scored_is_listed(tmp_path: Path) -> None:
    path = project(tmp_path, {"id": "a", "input": "?", "response": "Yes."}, rubric="faq-bot")
    session = Session.open(path)
    plan = planning.scoring_plan(session, Selection(), metrics=("latency", "politeness"))
    key = planning.add(session, plan)
    session.close()
    done = running.run(path, key, Silent(), Control())
    assert (done.state, done.done, done.failed) == ("done", 1, 1)
    session = Session.open(path)
    failure = jobs.failures(session.project.conn, key)[0]
    session.close()
    assert (failure.metric, failure.kind) == ("latency", "missing")
    assert failure.sentence


def test_another_parameter_is_another_score_set(tmp_path: Path) -> None:
    record = {"id": "a", "response": "It is $442,300.", "expected_keywords": ["442300"]}
    path = project(tmp_path, record)
    start(path)
    start(path, parameters={"response_quality": {"normalize_numbers": False}})
    found = rows(
        path,
        "SELECT s.value, b.parameters FROM scores s JOIN score_sets b ON b.id = s.score_set "
        "WHERE b.scorer = 'response_quality' ORDER BY b.id",
    )
    assert [x[0] for x in found] == [1, 0]
    assert json.loads(found[1][1]) == {"normalize_numbers": False}


@pytest.mark.parametrize(
    ("scorers", "metrics", "words"),
    [
        (("magic",), (), "There is no scorer 'magic'"),
        ((), ("magic",), "has no metric 'magic'"),
        (("regex",), ("tool_usage",), "regex"),
    ],
)
def test_wrong_plans_are_said(
    harness: Path, scorers: tuple[str, ...], metrics: tuple[str, ...], words: str
) -> None:
    session = Session.open(harness)
    with pytest.raises(ReviewerError, match=words):
        planning.scoring_plan(session, Selection(), scorers=scorers, metrics=metrics)
    session.close()


class Meanwhile(Silent):
    """Somebody does something as soon as a job has told how far it is."""

    def __init__(self, act: Callable[[], None]) -> None:
        self._acts = [act]

    @override
    def advance(self, done: int, total: int | None, note: str = "") -> None:
        if done and self._acts:
            self._acts.pop()()


def test_what_ended_whole_counts_whatever_happened_meanwhile(tmp_path: Path) -> None:
    cases = [{"id": x, "category": "c", "input": "?", "response": "It is 4."} for x in "ab"]
    path = project(tmp_path, *cases)
    file = tmp_path / "more.jsonl"
    label = {"run": "r", "metric": "response_quality", "labeler": "ann", "value": 1.0}
    file.write_text("\n".join(json.dumps(label | {"id": x["id"]}) for x in cases))
    newer = tmp_path / "newer.jsonl"
    newer.write_text(json.dumps(cases[0]))

    def act() -> None:
        # nothing is unlabelled now, and another run is the newest
        importing.run(path, ImportRequest(files=(file, newer)), Silent())

    session = Session.open(path)
    selection = Selection(only="unlabelled", categories=("c",))
    key = planning.add(session, planning.scoring_plan(session, selection))
    done = running.run(path, key, Meanwhile(act), Control())
    assert (done.state, done.sentence) == ("done", None)
    counts = record.standing(session, ["r"])
    assert {x.metric for x in counts if x.version is not None} >= {"response_quality"}
    assert record.standing(session, ["newer"]) == ()
    session.close()
