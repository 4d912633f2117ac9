"""What a look samples, how it scores, and which status it tells."""

import json
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import now_text
from reviewer.domain.judging import Endpoint, Judge, Price
from reviewer.services.jobs import job_list
from reviewer.services.monitoring import looking, scoring, view
from reviewer.services.monitoring.looking import Looked
from reviewer.services.monitoring.view import identity_of, is_sampled
from reviewer.services.project.session import Session
from reviewer.store import judging, monitors
from tests.servers.model_server import Answer, Model, Script, model_server
from tests.services.monitoring.production import (
    count,
    empty,
    imported,
    keep,
    look,
    opened,
    record,
    write,
)


@pytest.fixture(autouse=True)
def no_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")


def project(tmp_path: Path, records: list[dict[str, Any]], rubric: str = "agent-rubric") -> Path:
    return imported(tmp_path / "p.review", write(tmp_path / "r.jsonl", records), rubric)


def passing(n: int, of: int, **more: Any) -> list[dict[str, Any]]:
    return [record(str(k), 1.0 if k < n else 0.0, **more) for k in range(of)]


@pytest.mark.parametrize(
    ("passed", "total", "name", "uncertain"),
    [
        (17, 20, "healthy", True),
        (98, 100, "healthy", False),
        (14, 20, "warning", True),
        (13, 20, "critical", True),
        (0, 20, "critical", False),
    ],
)
def test_the_status_of_what_was_imported(
    tmp_path: Path, passed: int, total: int, name: str, uncertain: bool
) -> None:
    path = project(tmp_path, passing(passed, total))
    keep(path)
    found = look(path).view
    assert (found.status, found.tally.status.uncertain) == (name, uncertain)
    assert (found.tally.passed, found.tally.total) == (passed, total)


def test_without_samples_there_is_only_the_status(tmp_path: Path) -> None:
    path = empty(tmp_path / "p.review")
    keep(path)
    look(path)
    session = opened(path)
    shown = looking.shown(session, "agent-rubric", every=True)
    session.close()
    assert shown is not None
    document = shown.to_json()
    assert document["status"] == "insufficient_data"
    assert not {"sample_count", "pass_rate", "average_score"} & document.keys()
    assert document["samples"] == []
    assert view.tally_of([]).to_json() == {"status": "insufficient_data"}


def test_the_document_has_the_published_fields(tmp_path: Path) -> None:
    path = project(tmp_path, passing(3, 4, evaluated_at="2026-11-01T10:00:00Z"))
    keep(path)
    look(path)
    session = opened(path)
    shown = looking.shown(session, "agent-rubric", every=True)
    session.close()
    assert shown is not None
    document = shown.to_json()
    assert document["sample_count"] == 4
    assert document["pass_rate"] == 0.75
    assert document["average_score"] == pytest.approx(0.75)
    assert document["status"] == "warning"
    assert document["uncertain"] is True
    sample = next(x for x in document["samples"] if x["id"] == "0")
    assert sample["query"] == "Question 0?"
    assert sample["output_preview"] == ("Answer 0. " * 40)[:200]
    assert (sample["score"], sample["passed"]) == (1.0, True)
    assert sample["timestamp"] == "2026-11-01T10:00:00Z"
    json.dumps(document, allow_nan=False)


def test_the_same_records_are_sampled_every_time(tmp_path: Path) -> None:
    path = project(tmp_path, passing(300, 300))
    keep(path, rate=0.2, seed=5)
    first = set(look(path).view.keys)
    expected = {k for k in range(300) if is_sampled(identity_of("r", str(k)), rate=0.2, seed=5)}
    assert len(first) == len(expected)
    assert look(path).sampled == 0
    keep(path, rate=0.2, seed=6)
    other = set(look(path).view.keys)
    assert other != first
    keep(path, rate=0.2, seed=5)
    assert set(look(path).view.keys) == first
    keep(path, rate=0.5, seed=5)
    assert set(look(path).view.keys) > first


def test_only_what_is_new_is_looked_at(tmp_path: Path) -> None:
    path = project(tmp_path, passing(10, 10))
    keep(path)
    assert look(path).sampled == 10
    imported(path, write(tmp_path / "s.jsonl", [record("x"), record("y")]))
    assert look(path).sampled == 2
    assert look(path).view.sampled == 12


def test_excluded_evaluations_are_no_samples(tmp_path: Path) -> None:
    path = project(tmp_path, [*passing(2, 3), record("out", 0.0, excluded={"reason": "a test"})])
    keep(path)
    assert look(path).view.sampled == 3


def test_records_of_other_rubrics_are_left_alone(tmp_path: Path) -> None:
    path = project(tmp_path, passing(2, 2))
    other = {"id": "g", "input": "?", "response": "!"}
    imported(path, write(tmp_path / "g.jsonl", [other]), "guest-response")
    keep(path)
    assert look(path).view.sampled == 2


def test_a_change_of_status_is_told_once(tmp_path: Path) -> None:
    path = project(tmp_path, passing(100, 100))
    keep(path)
    assert look(path).change == ""
    bad = write(tmp_path / "s.jsonl", [record(f"bad {k}", 0.0) for k in range(40)])
    imported(path, bad)
    change = look(path).change
    assert change.startswith("Monitor of agent-rubric: healthy → warning, uncertain, pass rate")
    assert look(path).change == ""


def test_a_change_by_two_judges_says_that_it_may_be_theirs(tmp_path: Path) -> None:
    path = project(tmp_path, passing(40, 40))
    keep(path)
    look(path)
    fails = [record(f"new {k}", 0.0) for k in range(40)]
    for fail in fails:
        for score in fail["scores"]:
            score["scorer"] = "other judge"
    imported(path, write(tmp_path / "more.jsonl", fails))
    change = look(path).change
    assert change.startswith("Monitor of agent-rubric: healthy → critical")
    assert change.endswith(
        "The samples were scored by 2 scorer versions: judge 40, other judge 40. The change may "
        "be theirs."
    )


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def days_ago(days: int) -> str:
    return (NOW - timedelta(days=days)).isoformat()


def view_at(path: Path, now: datetime = NOW, **settings: Any) -> Any:
    keep(path, **settings)
    look(path)
    session = opened(path)
    kept = monitors.find(session.project, "agent-rubric")
    assert kept is not None
    found = view.of(session, kept, now=now)
    session.close()
    return found


def test_windows_of_days_and_of_samples(tmp_path: Path) -> None:
    rows = [record(str(k), float(k < 5), evaluated_at=days_ago(k)) for k in range(10)]
    path = project(tmp_path, rows)
    assert view_at(path).tally.total == 10
    week = view_at(path, window="7d")
    assert (week.tally.passed, week.tally.total) == (5, 7)
    newest = view_at(path, window="4")
    assert (newest.tally.passed, newest.tally.total) == (4, 4)
    assert [x.name for x in newest.samples] == ["0", "1", "2", "3"]
    assert view_at(path, window="1d").tally.total == 1


def test_the_strip_has_the_windows_before(tmp_path: Path) -> None:
    rows = [record(str(k), float(k < 5), evaluated_at=days_ago(k)) for k in range(10)]
    path = project(tmp_path, rows)
    days = view_at(path).strip
    assert [x.tally.total for x in days] == [1] * 10
    assert days[-1].name == "2026-11-20"
    weeks = view_at(path, window="7d").strip
    assert [(x.name, x.tally.passed, x.tally.total) for x in weeks] == [
        ("2026-11-07 to 2026-11-13", 0, 3),
        ("2026-11-14 to 2026-11-20", 5, 7),
    ]
    counted = view_at(path, window="4").strip
    assert [(x.name, x.tally.total) for x in counted] == [
        ("samples 1 to 2", 2),
        ("samples 3 to 6", 4),
        ("samples 7 to 10", 4),
    ]
    assert sum(len(x.keys) for x in counted) == 10


def test_a_clock_set_back_takes_no_sample_away(tmp_path: Path) -> None:
    rows = [record(str(k), evaluated_at=days_ago(k)) for k in range(10)]
    path = project(tmp_path, rows)
    back = view_at(path, now=NOW - timedelta(days=400), window="7d")
    assert back.tally.total == 10
    assert len(back.strip) == 1


def test_records_without_a_date_count_when_they_came(tmp_path: Path) -> None:
    path = project(tmp_path, [record("old", evaluated_at="2020-01-01"), record("undated")])
    found = view_at(path, now=datetime.now(UTC), window="7d")
    assert [x.name for x in found.samples] == ["undated"]
    assert found.samples[0].sample.timestamp[:4] >= "2024"


@pytest.mark.parametrize("date", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_dates_at_the_ends_of_time(tmp_path: Path, date: str) -> None:
    path = project(tmp_path, [record("x", evaluated_at=date), record("y")])
    for window in ("all", "7d", "1", "36500d"):
        assert view_at(path, window=window).sampled == 2


def test_mixed_scorers_are_said(tmp_path: Path) -> None:
    path = project(tmp_path, passing(3, 3))
    keep(path)
    look(path)
    other = record("z")
    for score in other["scores"]:
        score["scorer"] = "another"
    imported(path, write(tmp_path / "s.jsonl", [other]))
    found = look(path).view
    assert found.tally.total == 4
    assert found.stale == ("The samples were scored by 2 scorer versions: judge 3, another 1.",)


def test_samples_without_scores_wait_and_say_so(tmp_path: Path) -> None:
    path = project(tmp_path, [record("a", None), record("b", None)])
    keep(path)
    found = look(path).view
    assert (found.status, found.waiting) == ("insufficient_data", 2)
    assert found.reason == f"2 samples, none with a verdict: {scoring.NO_SCORE}"


def test_the_rubrics_scorers_score_what_brings_no_score(tmp_path: Path) -> None:
    rows = [
        {
            "id": str(k),
            "input": "?",
            "response": "It is $5." if k else "No idea.",
            "expected_keywords": ["$5"],
            "expected_tools": [],
            "tools_used": [],
        }
        for k in range(4)
    ]
    path = project(tmp_path, rows, "harness")
    keep(path, rubric="harness")
    found = look(path, rubric="harness").view
    assert (found.tally.passed, found.tally.total) == (3, 4)
    assert found.samples[0].sample.score is not None


def test_what_the_scorers_cannot_score_is_tried_three_times(tmp_path: Path) -> None:
    path = project(tmp_path, [{"id": "a", "input": "?", "response": "Yes, please."}], "faq-bot")
    keep(path, rubric="faq-bot")
    for _ in range(5):
        assert look(path, rubric="faq-bot").view.waiting == 1
    session = opened(path)
    try:
        assert len(job_list.every(session)) == 3
    finally:
        session.close()


def test_a_rubric_without_a_pass_rule_has_no_status(tmp_path: Path) -> None:
    path = project(tmp_path, [{"id": "a", "input": "?", "response": "Yes, please."}], "faq-bot")
    keep(path, rubric="faq-bot")
    found = look(path, rubric="faq-bot").view
    assert found.status == "insufficient_data"
    assert found.waiting == 1
    assert found.reason


def test_two_programs_do_not_look_at_once(tmp_path: Path) -> None:
    path = project(tmp_path, passing(1, 1))
    keep(path)

    def owned_by(owner: str) -> None:
        session = opened(path)
        with session.project.write() as conn:
            conn.execute("UPDATE monitors SET owner = ?, since = ?", (owner, now_text()))
        session.close()

    owned_by(f"{os.getppid()}@{socket.gethostname()}")
    with pytest.raises(ReviewerError, match="looks with this monitor"):
        look(path)
    # a process that died holds nothing
    owned_by(f"{2**22 + 1}@{socket.gethostname()}")
    assert look(path).sampled == 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rate": 0.0}, "The sample rate is 0"),
        ({"rate": 1.5}, "The sample rate is 1.5"),
        ({"window": "7 weeks"}, "The window is '7 weeks'"),
        ({"window": "0"}, "The window is '0'"),
        ({"seed": -1}, "The seed is -1"),
        ({"warning": 0.5, "critical": 0.7}, "critical at most the warning"),
        ({"max_cost": -1.0}, "The cost limit is -1"),
        ({"rubric": "nothing"}, "There is no rubric 'nothing'"),
    ],
)
def test_settings_that_make_no_sense(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    path = empty(tmp_path / "p.review")
    with pytest.raises(ReviewerError, match=re.escape(words)):
        keep(path, **settings)


@contextmanager
def judged(path: Path, script: Script | Answer | None = None) -> Iterator[Model]:
    with model_server(*([] if script is None else [script])) as model:
        session = opened(path)
        judging.keep(session.project, Endpoint(name="near", base_url=model.url, needs_key=False))
        judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
        judging.keep_price(
            session.project, Price(model="m", input_per_million=1.0, output_per_million=2.0)
        )
        session.close()
        yield model


GOOD = Answer('{"score": 4, "reasoning": "Fine."}')


def asked_of(tmp_path: Path, n: int, value: float | None = None) -> Path:
    metrics = ("relevance", "accuracy", "safety") if value is not None else ()
    rows = [
        {
            "id": str(k),
            "input": f"Question {k}?",
            "response": f"Answer {k}.",
            "context": "Facts.",
            "scores": [{"metric": x, "value": value, "scorer": "judge"} for x in metrics],
        }
        for k in range(n)
    ]
    return project(tmp_path, rows, "guest-response")


def keep_judged(path: Path, **settings: Any) -> None:
    keep(path, **{"rubric": "guest-response", "judge": "careful", **settings})


def look_judged(path: Path) -> Looked:
    return look(path, rubric="guest-response")


def test_a_judge_scores_the_samples_and_nothing_else(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 200)
    with judged(path, GOOD) as model:
        keep_judged(path, rate=0.05)
        found = look_judged(path).view
        assert 0 < found.sampled < 30
        assert found.tally.total == found.sampled == found.tally.passed
        asked = len(model.requests)
        assert asked == found.sampled * 3
        assert found.spent_usd > 0
        assert look_judged(path).view.waiting == 0
        assert len(model.requests) == asked


def test_the_judge_is_asked_also_where_records_bring_scores(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 3, value=1)
    keep_judged(path, judge=None)
    assert look_judged(path).view.tally.passed == 0
    with judged(path, GOOD):
        keep_judged(path)
        assert look_judged(path).view.tally.passed == 3


def test_a_budget_stops_the_judge_and_keeps_the_samples(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 20)
    with judged(path, GOOD) as model:
        keep_judged(path, max_cost=0.005)
        first = look_judged(path)
        assert "budget" in first.problem
        assert first.view.spent_usd <= 0.005
        assert 0 < first.view.waiting < 20
        asked = len(model.requests)
        keep_judged(path, max_cost=None)
        assert look_judged(path).view.waiting == 0
        # what was paid for is not asked again
        assert len(model.requests) == 60
        assert asked < 60


def test_a_judge_that_fails_is_asked_three_times(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 1)
    with judged(path, Answer("no score at all")) as model:
        keep_judged(path)
        for _ in range(5):
            found = look_judged(path).view
        assert found.waiting == 1
        assert found.reason.endswith(scoring.GAVE_UP)
        asked = len(model.requests)
        look_judged(path)
        assert len(model.requests) == asked


def test_an_endpoint_that_is_down_is_a_sentence_and_loses_nothing(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 1)

    def refused(_: int, __: Any) -> Answer:
        return Answer("{}", status=401)

    with judged(path, refused):
        keep_judged(path)
        found = look_judged(path)
        assert found.problem
        assert found.view.waiting == 1
    with judged(path, GOOD):
        assert look_judged(path).view.waiting == 0
    assert count(path, "SELECT count(*) FROM jobs WHERE state = 'failed'") == 0


def test_a_judge_that_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    path = asked_of(tmp_path, 1, value=1)
    keep_judged(path, judge="nobody")
    assert "no judge 'nobody'" in look_judged(path).problem


def test_the_default_rubric_is_the_agents_or_the_newest(tmp_path: Path) -> None:
    fresh = empty(tmp_path / "fresh.review")
    other = imported(
        tmp_path / "g.review",
        write(tmp_path / "g.jsonl", [{"id": "g", "input": "?", "response": "!"}]),
        "guest-response",
    )
    for path, name in ((fresh, "agent-rubric"), (other, "guest-response")):
        session = Session.open(path)
        assert looking.default_rubric(session) == name
        session.close()
