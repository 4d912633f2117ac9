"""What comes after a bot has answered."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.judging import Bot, Endpoint, Following, JobPlan, Judge, Selection
from reviewer.scoring.registry import SCORERS
from reviewer.services.comparing import comparing
from reviewer.services.jobs import estimating, job_list, planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.project import record
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.services.upkeep import projects
from reviewer.store import judging


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session.open(projects.make_demo(tmp_path / "f.review", "faq-bot", Silent()))
    yield opened
    opened.close()


def answered(session: Session, then: Following, **changes: object) -> int:
    plan = planning.answering_plan(
        session, "strict", Selection(), tests=sets.get(session), then=then
    )
    key = planning.add(session, replace(plan, **changes))  # type: ignore[arg-type]
    running.run(session.project.path, key, Silent(), Control())
    return key


def test_the_rubrics_scorers_follow(session: Session) -> None:
    key = answered(session, Following())
    (job,) = job_list.waiting(session, key)
    assert job.title == "Score exact_match, keyword_recall, answer_length, politeness, latency"
    plan = job_list.plan(session, job.key)
    assert plan.selection.runs == ("strict 1",)
    assert job_list.target(session, key) == "strict 1"
    assert running.run(session.project.path, job.key, Silent(), Control()).state == "done"
    assert job_list.waiting(session, key) == ()


def test_what_scores_a_bots_run_counts_in_it_once_it_has_ended_whole(session: Session) -> None:
    before = record.history(session)
    key = answered(session, Following())
    # answers bring no score, so nothing counts yet
    assert record.history(session) == before
    (job,) = job_list.waiting(session, key)
    stopped = Control(wished=lambda: "cancel")
    assert running.run(session.project.path, job.key, Silent(), stopped).state == "cancelled"
    assert record.history(session) == before
    assert running.run(session.project.path, job.key, Silent(), Control()).state == "done"
    made = record.history(session)[len(before) :]
    assert {(x.run, x.metric, x.version, x.kind) for x in made} == {
        ("strict 1", name, f"{name}@{SCORERS[name].version}", "fixed")
        for name in ("exact_match", "keyword_recall", "answer_length", "politeness", "latency")
    }


def test_judges_and_further_scorers_follow_too(session: Session) -> None:
    judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    then = Following(judges=("careful",), metrics=("relevance",), repeats=3)
    key = answered(session, then, max_cost=0.5, use_cache=False)
    (job,) = job_list.waiting(session, key)
    plan = job_list.plan(session, job.key)
    assert (plan.kind, plan.metrics, plan.repeats) == ("judge", ("relevance",), 3)
    assert (plan.max_cost, plan.use_cache, plan.after) == (0.5, False, key)


def test_what_cannot_be_planned_is_said(session: Session) -> None:
    key = answered(session, Following(judges=("gone",)))
    job = job_list.get(session, key)
    assert job.state == "done"
    assert "is not scored as wished: The project has no judge 'gone'" in str(job.sentence)
    assert len(job_list.waiting(session, key)) == 1
    assert running.add_following(session, key, job_list.plan(session, key)) is None
    assert len(job_list.waiting(session, key)) == 1, "planned once"


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        (Following(scorers=("x",)), "There is no scorer 'x'"),
        (Following(judges=("x",)), "The project has no judge 'x'; it has: none"),
    ],
)
def test_a_wish_is_checked_before_anything_is_asked(
    session: Session, wish: Following, words: str
) -> None:
    with pytest.raises(ReviewerError, match=words):
        planning.check_following(session, wish)


def test_metrics_are_those_of_the_runs_rubric_before_anything_is_asked(session: Session) -> None:
    with pytest.raises(ReviewerError, match="The rubric faq-bot has no metric 'x'; it has: "):
        answered(session, Following(metrics=("x",)))
    assert not job_list.every(session)


def test_the_run_before(session: Session) -> None:
    assert comparing.run_before(session, "strict match") is None
    assert comparing.run_before(session, "full context") == "strict match"
    answered(session, Following())
    assert comparing.run_before(session, "strict 1") == "full context"
    assert comparing.run_before(session, "nothing") is None


def test_a_part_of_a_set_is_answered_in_the_version_that_was_planned(session: Session) -> None:
    tests = sets.get(session)
    part = replace(tests, cases=tests.cases[:2])
    plan = planning.answering_plan(session, "strict", Selection(), tests=part)
    assert plan.test_cases == ("hours", "hours-misspelt")
    assert (plan.test_set, plan.test_version) == ("faq-bot questions", 1)
    guess = estimating.estimate(session, plan)
    assert (guess.evaluations, guess.cost_usd) == (2, 0.0)
    key = planning.add(session, plan)
    sets.put_case(session, tests.name, {**tests.cases[0], "input": "Something else?"})
    running.run(session.project.path, key, Silent(), Control())
    conn = session.project.conn
    rows = conn.execute(
        "SELECT input FROM evaluations e JOIN runs r ON r.id = e.run "
        "WHERE r.name = 'strict 1' ORDER BY e.id"
    ).fetchall()
    assert [text for (text,) in rows] == [x["input"] for x in tests.cases[:2]]
    with pytest.raises(ReviewerError, match="nothing to answer"):
        planning.answering_plan(session, "strict", Selection(), tests=replace(tests, cases=()))


def test_two_waiting_jobs_make_two_runs(session: Session) -> None:
    names = []
    for _ in range(2):
        plan = planning.answering_plan(session, "strict", Selection(), tests=sets.get(session))
        planning.add(session, plan)
        names.append(plan.target_run)
    assert names == ["strict 1", "strict 2"]


def test_a_set_that_is_gone_fails_with_a_sentence(session: Session) -> None:
    plan: JobPlan = planning.answering_plan(
        session, "strict", Selection(), tests=sets.get(session)
    )
    key = planning.add(session, plan)
    sets.forget(session, "faq-bot questions")
    job = running.run(session.project.path, key, Silent(), Control())
    assert job.state == "failed"
    assert "The project has no test set 'faq-bot questions'" in str(job.sentence)


def test_a_bot_that_is_only_a_name(session: Session) -> None:
    with pytest.raises(ReviewerError, match="has no bot 'nobody'"):
        planning.answering_plan(session, "nobody", Selection())
    judging.keep(session.project, Bot(name="empty", kind="strict_match"))
    with pytest.raises(ReviewerError, match="needs the setting 'rows'"):
        planning.answering_plan(session, "empty", Selection())
