"""What is told of a judge's score after the reveal, and nothing before."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.judging import Attempt, JobPlan
from reviewer.gui.review import page
from reviewer.services.figures import judge_details
from reviewer.services.labelling import entering
from reviewer.services.project import reading, rubrics
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging, labels
from tests.building import RUBRIC, build_project, record

MADE = {
    "metric": "accuracy", "scorer": "careful", "scorer_version": "2", "model": "m-1",
    "prompt_hash": "aaaaaaaaaaaa", "parameters": {"temperature": 0.5, "seed": 7},
}  # fmt: skip


def score(value: int, **more: Any) -> dict[str, Any]:
    return {**MADE, "value": value, "at": f"2026-11-20T12:00:0{value}Z", **more}


ACCURACY = score(
    4, reasoning="Mostly.", raw='{"score": 4}', trace="Let me see.", confidence=0.8,
    cost_usd=0.00034, latency_ms=1234.5, tokens_in=1200, tokens_out=34,
    meta={"injection": ["ignore previous instructions"]},
)  # fmt: skip


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    fields = record(1, scores=[ACCURACY, score(2), score(3)])
    path = build_project(tmp_path / "p.review", evaluations=[fields])
    with closing(Session.open(path, "ann")) as opened:
        yield opened


def told(session: Session, metric: str = "accuracy") -> judge_details.JudgeDetails:
    found = judge_details.details(session, reading.view(session, 1))
    return next(x for x in found if x.metric.name == metric)


def test_nothing_is_told_before_the_reveal(session: Session) -> None:
    view = reading.view(session, 1)
    assert judge_details.details(session, view) == ()


def test_everything_that_is_known_is_told(session: Session) -> None:
    entering.reveal(session, 1)
    found = told(session)
    assert (found.by, found.score, found.reasoning) == ("careful@2", "4", "Mostly.")
    assert dict(found.facts) == {
        "model": "m-1",
        "prompt": "not in this project · aaaaaaaaaaaa",
        "parameters": "temperature 0.5, seed 7",
        "repeats": "3 times: 4, 2, 3 · mean 3.00, spread 1.00",
        "confidence": "0.80",
        "cost": "$0.00034",
        "latency": "1.23 s",
        "tokens": "1,200 in, 34 out",
        "scored": "2026-11-20 12:00:04",
    }
    assert (found.raw, found.trace) == ('{"score": 4}', "Let me see.")
    assert told(session, "safety").by == ""


def test_the_prompt_is_named_by_its_version_and_given(session: Session) -> None:
    entering.reveal(session, 1)
    judging.keep_prompt(
        session.project, rubric=RUBRIC.name, metric="accuracy", text="Score it.",
        text_hash="aaaaaaaaaaaa",
    )  # fmt: skip
    assert (told(session).prompt_name, told(session).prompt) == ("v1", "Score it.")


def test_the_prompt_that_ships_is_given(tmp_path: Path) -> None:
    mark = judge_details.shipped_hash(RUBRIC, "accuracy")
    fields = record(1, scores=[score(4, prompt_hash=mark)])
    path = build_project(tmp_path / "q.review", evaluations=[fields])
    with closing(Session.open(path, "ann")) as session:
        entering.reveal(session, 1)
        assert told(session).prompt_name == "the one that ships"
        assert "[user]" in told(session).prompt


def test_why_there_is_no_score_is_told_by_the_newest_job(session: Session) -> None:
    entering.reveal(session, 1)
    conn = session.project.conn

    def attempt(state: Any, sentence: str | None) -> None:
        job = jobs.add(session.project, JobPlan(kind="judge", title="t"), 1)
        with session.project.write():
            made = Attempt(
                evaluation=1, metric="safety", repeat=0, state=state, kind=None,
                sentence=sentence, raw=None, at="2026-11-20T12:00:00Z",
            )  # fmt: skip
            jobs.keep(conn, job, [(made, labels.metric_key(conn, "safety"))])

    attempt("failed", "The reply is empty.")
    assert told(session, "safety").problem == "The reply is empty."
    attempt("excluded", "Too short.")
    assert told(session, "safety").problem == "Too short."
    attempt("done", None)
    assert told(session, "safety").problem == ""


def test_a_chat_that_judges_leave_out_is_told_so_before_and_after_the_reveal(
    tmp_path: Path,
) -> None:
    messages = [{"role": "user", "content": "Hello?"}, {"role": "assistant", "content": "Yes?"}]
    path = build_project(
        tmp_path / "chat.review",
        evaluations=[{"id": "c-1", "messages": messages}],
        rubric=rubrics.shipped()["virtual-agent"],
    )
    with closing(Session.open(path, "ann")) as session:
        before = reading.view(session, 1)
        assert before.hidden
        assert before.left_out == "Fewer than 180 words before a human takes over: 2 of 180 words."
        entering.reveal(session, 1)
        assert reading.again(session, before).left_out == before.left_out


def test_versions_that_differ_in_a_parameter_are_named_in_full_and_are_no_repeats(
    tmp_path: Path,
) -> None:
    def by(*, strict: bool, value: int, seed: int) -> dict[str, object]:
        return {
            "metric": "accuracy", "value": value, "scorer": "rules", "scorer_version": "1",
            "parameters": {"strict": strict, "seed": seed},
        }  # fmt: skip

    scores = [by(strict=False, value=5, seed=1), by(strict=False, value=4, seed=2)]
    rows = [record(1, scores=[*scores, by(strict=True, value=1, seed=1)]),
            record(2, scores=scores[:1])]  # fmt: skip
    path = build_project(tmp_path / "p.review", evaluations=rows)
    with closing(Session.open(path, "ann")) as session:
        session.blind = False
        found = told(session)
        assert found.by == "rules@1 strict=false"
        # seeds make no version, so the second score is a repeat; the strict one is not
        assert dict(found.facts)["repeats"] == "2 times: 5, 4 · mean 4.50, spread 0.71"
        line = page.told(reading.view(session, 1), "accuracy")
        assert line == "rules@1 strict=false · 2 times: mean 4.50, spread 0.71"
