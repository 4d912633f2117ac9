"""What to do next: what judge and people say decides, and nothing that is done already."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.adjudicating import decisions, next_steps
from reviewer.services.adjudicating.next_steps import NextStep
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session, for_leads
from reviewer.services.upkeep import projects
from tests.building import build_project
from tests.services.audits.comparing import label, one


@pytest.fixture
def lead(tmp_path: Path) -> Iterator[Session]:
    path = projects.make_demo(tmp_path / "demo.review", None, Silent())
    with closing(Session.open(path, "lead")) as session:
        yield for_leads(session)


def steps(session: Session, **scope: object) -> dict[str, list[NextStep]]:
    request = StatsRequest(scope=Scope(**scope))  # type: ignore[arg-type]
    audit = auditing.refine(session, auditing.compute(session, request))
    found: dict[str, list[NextStep]] = {}
    for step in next_steps.find(session, audit):
        found.setdefault(step.act, []).append(step)
    return found


def test_the_demo_over_all_runs(lead: Session) -> None:
    found = steps(lead, every_run=True)
    first = found["decide"][0]
    assert first.title == f"Decide {len(first.keys)} cases of Accuracy"
    assert [x.title for x in found["prompts"]] == [
        "Mend the prompt for Accuracy",
        "Mend the prompt for Safety",
    ]
    assert [x.title for x in found["queue"]] == ["Let two people label the last 97 for Relevance"]
    assert found["queue"][0].wanted == 97
    assert "deepseek-chat@v4 on 36" in found["runs"][0].reason


def test_what_is_decided_is_left_out_and_what_is_unclear_comes_in(lead: Session) -> None:
    before = steps(lead, every_run=True)["decide"][0]
    key = before.keys[0]
    decisions.decide(lead, key, "accuracy", 2)
    decisions.record_cause(lead, key, "accuracy", "rubric_unclear")
    found = steps(lead, every_run=True)
    assert set(found["decide"][0].keys) == set(before.keys) - {key}
    assert found["todo"][0].title.startswith("Reword Accuracy, 2")
    assert "1 case with the cause" in found["todo"][0].reason


def test_values_without_an_order_are_to_be_decided_where_they_differ_alone(tmp_path: Path) -> None:
    rubric = Rubric(
        name="tones",
        metrics=(Metric(name="tone", scale="categorical", values=("warm", "cold")),),
    )
    records = [
        {
            "id": f"r{n}",
            "response": "x",
            "scores": [{"metric": "tone", "value": "warm", "scorer": "judge"}],
            "labels": [{"metric": "tone", "labeler": "ann", "value": "cold" if n < 3 else "warm"}],
        }
        for n in range(20)
    ]
    path = build_project(tmp_path / "t.review", evaluations=records, rubric=rubric)
    with closing(Session.open(path, "lead")) as session:
        (step,) = steps(for_leads(session))["decide"]
    assert (step.title, len(step.keys)) == ("Decide 3 cases of Tone", 3)


def test_a_category_without_labels_is_named(tmp_path: Path) -> None:
    records = [
        one(x, 5, [label(5, "ann")] if x < 30 else [], category="known" if x < 30 else "bare")
        for x in range(36)
    ]
    path = build_project(tmp_path / "c.review", evaluations=records)
    with closing(Session.open(path, "lead")) as session:
        (step,) = steps(session)["list"]
    assert step.title == "bare has no labels"
    assert len(step.keys) == 6


def test_a_judge_that_can_be_relied_on_leaves_nothing_to_do(tmp_path: Path) -> None:
    records = [one(x, 1 + x % 5, [label(1 + x % 5, w) for w in "ab"]) for x in range(150)]
    path = build_project(tmp_path / "good.review", evaluations=records)
    with closing(Session.open(path, "lead")) as session:
        found = steps(session)
    assert not [x for x in found.get("decide", []) if x.metric == "accuracy"]
    assert "prompts" not in found


def test_levels_that_people_give_to_the_same_responses_are_named(tmp_path: Path) -> None:
    torn = [one(n, 4, [label(3), label(4, "bo")]) for n in range(1, 7)]
    sure = [one(n, 4, [label(4), label(4, "bo")]) for n in range(7, 12)]
    few = [one(n, 4, [label(2), label(3, "bo")]) for n in range(12, 16)]
    alone = [one(n, 4, [label(3)]) for n in range(16, 40)]
    path = build_project(tmp_path / "t.review", evaluations=[*torn, *sure, *few, *alone])
    with closing(Session.open(path, "lead")) as session:
        (step,) = steps(for_leads(session))["list"]
        assert step.title.startswith("3 ")
        assert step.title.endswith("of Accuracy are read in two ways")
        # 6 were given both of 3 and 4; of two or more labels, 6 + 5 + 4 have a 3 or a 4
        assert step.reason == "6 of 15 responses with either were given both"
        assert len(step.keys) == 6
    path = build_project(tmp_path / "u.review", evaluations=[*torn[:4], *sure])
    with closing(Session.open(path, "lead")) as session:
        assert "list" not in steps(for_leads(session))


def test_another_judge_since_the_run_before_is_said(tmp_path: Path) -> None:
    def scored(run: str, first: int, version: str) -> list[dict[str, object]]:
        return [
            one(n, 4, [label(3)], run=run)
            | {"scores": [{"metric": "accuracy", "value": 4, "scorer": "judge",
                           "scorer_version": version}]}
            for n in range(first, first + 5)
        ]  # fmt: skip

    records = [*scored("v1", 1, "a"), *scored("v2", 11, "a"), *scored("v3", 21, "b")]
    path = build_project(tmp_path / "t.review", evaluations=records, runs=("v1", "v2", "v3"))
    with closing(Session.open(path, "lead")) as session:
        lead = for_leads(session)
        (step,) = steps(lead)["runs"]
        assert step.title == "The judge of Accuracy changed"
        assert step.reason.startswith("another prompt: judge@a → judge@b with v3: ")
        assert "runs" not in steps(lead, runs=("v2",))
        assert "runs" not in steps(lead, runs=("v1",))


def test_unclear_levels_of_a_metric_are_one_step_and_wrong_ones_a_reason(lead: Session) -> None:
    keys = steps(lead, every_run=True)["decide"][0].keys
    for key, value in zip(keys[:3], (1, 2, 4), strict=True):
        decisions.decide(lead, key, "accuracy", value)
        decisions.record_cause(lead, key, "accuracy", "rubric_unclear")
    decisions.record_cause(lead, keys[3], "accuracy", "judge_wrong")
    found = steps(lead, every_run=True)
    (step,) = found["todo"]
    assert (step.title, step.reason) == (
        "Reword Accuracy", "3 cases with the cause “rubric unclear”",
    )  # fmt: skip
    assert "1 with the cause “judge wrong”" in found["prompts"][0].reason


@pytest.mark.parametrize(("n", "titles"), [(70, ["Label the last 10 for Accuracy"]), (60, [])])
def test_no_more_labels_are_asked_for_than_there_are_responses(
    tmp_path: Path, n: int, titles: list[str]
) -> None:
    records = [
        one(x, 1 + x % 5, [label(min(1 + x % 5 + (x % 4 == 0), 5))] if x < 60 else [])
        for x in range(n)
    ]
    path = build_project(tmp_path / "small.review", evaluations=records)
    with closing(Session.open(path, "lead")) as session:
        found = steps(for_leads(session)).get("queue", [])
    assert [x.title for x in found] == titles
    for step in found:
        assert step.wanted == 10
        assert step.people == 1
        assert step.reason.startswith("only 10 more responses here can be labelled: how far")
