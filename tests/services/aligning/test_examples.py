"""Examples for a judge: telling ones, from every level, and nothing of what is held out."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint, JobPlan, Judge, Selection
from reviewer.domain.run import ScorerVersion
from reviewer.services.adjudicating import decisions
from reviewer.services.aligning import examples, splitting
from reviewer.services.figures.judge_details import differences
from reviewer.services.jobs import planning
from reviewer.services.judging.prompts import hearings
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging, reading, splits
from tests.building import RUBRIC, build_project, record
from tests.services.aligning.judged_projects import said, scored, two_judges

KEY = "accuracy"


def held_out_texts(session: Session) -> set[str]:
    found = set()
    for key in splits.of_part(session.project.conn, "held_out"):
        evaluation = reading.evaluation(session.project.conn, key)
        assert evaluation is not None
        found |= {evaluation.input or "", evaluation.response or ""}
    return found - {""}


def planned(session: Session, keys: tuple[int, ...], **chosen: Any) -> JobPlan:
    judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    plan = planning.judging_plan(
        session, "careful", Selection(keys=keys, **chosen), metrics=("accuracy",)
    )
    return planning.with_examples(session, plan, {"accuracy": keys})


def kept_version(session: Session, plan: JobPlan) -> str:
    return jobs.plan(session.project.conn, planning.add(session, plan)).judge_version


def test_the_largest_gaps_of_every_level_are_offered(session: Session) -> None:
    found = examples.suggest(session, KEY, scorer="judge@1", most=5)
    assert len(found) == 5
    assert {x.score for x in found} == {1, 2, 3, 4, 5}
    assert all(abs(x.gap or 0) >= 1 for x in found)
    parts = splits.parts(session.project.conn)
    assert {parts[x.key] for x in found} == {"dev"}
    every = examples.suggest(session, KEY, scorer="judge@1", most=1000)
    levels = [x.score for x in every]
    assert len(set(levels)) == len(set(levels[: len(set(levels))]))
    for level in set(levels):
        gaps = [abs(x.gap or 0) for x in every if x.score == level]
        assert gaps == sorted(gaps, reverse=True)


def test_what_teaches_nothing_is_left_out(session: Session) -> None:
    splitting.ensure(session)
    every = examples.suggest(session, KEY, scorer="judge@1", most=1000)
    slip, broken, wrong = every[0].key, every[1].key, every[2].key
    decisions.record_cause(session, slip, KEY, "human_slip")
    decisions.record_cause(session, broken, KEY, "data_broken")
    decisions.record_cause(session, wrong, KEY, "judge_wrong", "The context says nothing of it")
    left = examples.suggest(session, KEY, scorer="judge@1", most=1000)
    assert {x.key for x in every} - {x.key for x in left} == {slip, broken}
    told = next(x for x in left if x.key == wrong)
    assert (told.cause, told.reasoning) == ("judge wrong", "The context says nothing of it.")


def test_decisions_come_first_and_people_say_why(tmp_path: Path) -> None:
    rows = [
        record(number, input=f"Q{number}", response=f"A{number}", scores=[scored(5)],
               labels=[said(2), said(2, "bob", comment="No source")])
        for number in range(1, 21)
    ]  # fmt: skip
    for number in (4, 5, 6, 7):
        rows[number - 1]["labels"] = [
            said(1, comment="Far off"),
            said(3, "bob", comment="Not so bad"),
            said(2, "Lead", kind="adjudication", comment="One invented fact"),
        ]
    # people who do not agree teach nothing
    rows[9]["labels"] = [said(1), said(3, "bob")]
    path = build_project(tmp_path / "why.review", evaluations=rows)
    with closing(Session.open(path, "Lead")) as session:
        session.blind = False
        found = examples.suggest(session, KEY, most=1000)
        dev = set(splits.of_part(session.project.conn, "dev"))
    decided = [x.decided for x in found]
    assert decided == sorted(decided, reverse=True)
    assert sum(decided) == len({4, 5, 6, 7} & dev)
    for one in found:
        expected = "One invented fact." if one.decided else "No source."
        assert (one.score, one.auto, one.gap, one.reasoning) == (2, 5, -3.0, expected)
    assert 10 not in {x.key for x in found}


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seed=st.integers(0, 1000))
def test_no_prompt_with_examples_holds_a_text_of_the_held_out_half(
    tmp_path: Path, seed: int
) -> None:
    rows = two_judges(60, seed)
    for number, row in enumerate(rows):
        if number % 7 == 0:
            # some responses and questions occur more than once, in both halves
            row["response"] = "I do not know."
        if number % 11 == 0:
            row["input"] = "Is there a pool?"
    path = build_project(
        tmp_path / f"{len(list(tmp_path.iterdir()))}.review", evaluations=rows, rubric=RUBRIC
    )
    with closing(Session.open(path, "Lead")) as session:
        session.blind = False
        offered = tuple(x.key for x in examples.suggest(session, KEY, scorer="judge@1", most=1000))
        plan = planned(session, offered)
        secret = held_out_texts(session)
        hearing = hearings(plan, RUBRIC)[KEY]
        for key in splits.of_part(session.project.conn, "dev"):
            evaluation = reading.evaluation(session.project.conn, key)
            assert evaluation is not None
            asked = hearing.question(evaluation)
            own = {evaluation.input, evaluation.response}
            for text in secret - own:
                assert text not in asked.prompt
                assert text not in asked.system
    assert offered


def test_a_held_out_response_is_refused_as_an_example(session: Session) -> None:
    splitting.ensure(session)
    key = splits.of_part(session.project.conn, "held_out")[0]
    with pytest.raises(ReviewerError, match=r"c-\d+ cannot be an example: only labelled"):
        examples.shots(session, KEY, [key])
    with pytest.raises(ReviewerError, match="c-0001 cannot be an example"):
        examples.shots(session, KEY, [1])


def test_examples_make_another_version_of_the_judge(session: Session) -> None:
    offered = tuple(x.key for x in examples.suggest(session, KEY, scorer="judge@1", most=3))
    plan = planned(session, offered)
    plain = planning.judging_plan(session, "careful", Selection(), metrics=("accuracy",))
    assert kept_version(session, plan) == "1"
    assert kept_version(session, plain) == "2"
    assert planned(session, offered).judge_version == "1"
    assert planned(session, offered[:2]).judge_version == "3"
    marks = hearings(plan, RUBRIC)[KEY].parameters["examples"]
    assert str(marks).startswith("3:")
    assert "examples" not in hearings(plain, RUBRIC)[KEY].parameters


def test_an_example_is_not_shown_when_it_is_judged_itself(session: Session) -> None:
    offered = tuple(x.key for x in examples.suggest(session, KEY, scorer="judge@1", most=3))
    hearing = hearings(planned(session, offered), RUBRIC)[KEY]
    own = reading.evaluation(session.project.conn, offered[0])
    other = reading.evaluation(session.project.conn, offered[1])
    assert own is not None
    assert other is not None
    asked = hearing.question(own).prompt
    assert asked.count(own.response or "") == 1
    assert asked.count(other.response or "") == 1
    assert (other.response or "") in hearing.question(other).prompt


def test_scores_made_with_examples_are_not_called_stale(session: Session) -> None:
    offered = tuple(x.key for x in examples.suggest(session, KEY, scorer="judge@1", most=3))
    plan = planned(session, offered)
    made = hearings(plan, RUBRIC)[KEY].identity()
    version = ScorerVersion(
        key=9,
        scorer="careful",
        version=plan.judge_version,
        model="m",
        prompt_hash=str(made["prompt_hash"]),
        parameters=json.dumps(made["parameters"]),
    )
    assert differences(session.project, RUBRIC, KEY, version) == ()


def test_cases_can_be_suggested_for_a_whole_plan(session: Session) -> None:
    judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    plan = planning.judging_plan(session, "careful", Selection(), metrics=(KEY, "safety"))
    shown = planning.with_suggested(session, plan, 3)
    assert {name: len(found) for name, found in shown.examples.items()} == {KEY: 3}
    with pytest.raises(ReviewerError, match="There are no examples to show"):
        planning.with_suggested(session, replace(plan, metrics=("safety",)), 3)
