"""Reports of every system, against the figures that other services compute."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import RubricError, Silent
from reviewer.domain.run import Scope
from reviewer.reports import fields
from reviewer.reports.document import plain
from reviewer.reports.report import Report, Wanted
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.reporting.making import ReportRequest
from reviewer.services.upkeep import projects
from tests.building import build_project, record

SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def demos(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("reports")
    return {x: projects.make_demo(folder / f"{x}.review", x, Silent()) for x in SYSTEMS}


@contextmanager
def opened(path: Path) -> Iterator[Session]:
    session = Session.open(path)
    try:
        yield session
    finally:
        session.close()


def built(path: Path, **wanted: Any) -> Report:
    with opened(path) as session:
        return making.build(session.project, Wanted(scope=Scope(), **wanted), NOON)


def documented(path: Path, **wanted: Any) -> dict[str, Any]:
    with opened(path) as session:
        made = making.build(session.project, Wanted(scope=Scope(), **wanted), NOON)
        return dict(plain(fields.document(made)))


@pytest.mark.parametrize("system", SYSTEMS)
def test_averages_and_pass_rate_are_those_of_stats(demos: dict[str, Path], system: str) -> None:
    made = built(demos[system], people=False)
    with opened(demos[system]) as session:
        stats = statistics.compute(session.project, StatsRequest()).to_json()
    for name, block in stats["metrics"].items():
        if name in made.run.averages:
            assert made.run.averages[name].value == pytest.approx(block["auto_mean"]), name
    assert made.run.averages["overall"].value == pytest.approx(stats["satisfaction"]["auto_mean"])
    assert made.run.pass_rate == pytest.approx(stats["pass"]["auto_rate"])
    assert made.run.passed + made.run.failed == stats["pass"]["n_auto"]


def test_the_guest_response_document_has_exactly_its_fields(demos: dict[str, Path]) -> None:
    plain = documented(demos["guest-response"], people=False)
    assert list(plain) == [
        "timestamp", "pass_rate", "avg_scores", "performance", "total_cases", "passed", "failed",
        "best_cases", "worst_cases", "failure_patterns", "targets", "results",
    ]  # fmt: skip
    assert plain["timestamp"] == "2026-11-21T12:00:00Z"
    whole = documented(demos["guest-response"])
    assert list(whole)[: len(plain)] == list(plain)
    assert whole["figures"]["metrics"]["accuracy"]["corrected"]["method"] == "census"


@pytest.mark.parametrize(
    ("system", "keys"),
    [
        ("agent-rubric", ["summary", "results"]),
        ("harness", ["summary", "shown", "warnings", "grades", "rows"]),
        ("faq-bot", ["rows", "contradictions"]),
        ("virtual-agent", ["rows"]),
    ],
)
def test_each_system_adds_its_own_fields(
    demos: dict[str, Path], system: str, keys: list[str]
) -> None:
    made = documented(demos[system], people=False)
    assert made["schema"] == 1
    assert list(made["system"]) == keys
    assert made["total_cases"] == len(made["results"])


def test_summaries_are_those_of_the_system(demos: dict[str, Path]) -> None:
    agent = fields.summary(built(demos["agent-rubric"], people=False))
    assert list(agent) == [
        "total_tests", "passed", "failed", "pass_rate", "dimension_averages", "failures",
    ]  # fmt: skip
    harness = fields.summary(built(demos["harness"], people=False))
    assert list(harness) == ["overall_score", "grade", "categories"]
    faq = fields.summary(built(demos["faq-bot"], people=False))
    assert (faq["passed"], faq["pass_rate"]) == (None, None)
    assert faq["undefined"]["pass_rate"] == 'the rubric has pass_rule = "none"'


def test_the_template_of_guest_responses_serves_every_system(
    demos: dict[str, Path], tmp_path: Path
) -> None:
    texts = {}
    for system, path in demos.items():
        with opened(path) as session:
            to = tmp_path / f"{system}.md"
            making.make(session.project, to, ReportRequest(template="guest-response"))
            texts[system] = to.read_text(encoding="utf-8")
    assert "/5.0" in texts["guest-response"]
    said = texts["guest-response"].partition("## Summary")[2]
    assert "– " not in said.split("Performance:")[0]
    # metrics of the bot's framework without an upper end have a dash there
    assert "/–\n" in texts["faq-bot"]


def test_people_stand_in_the_rows_of_the_virtual_agent(demos: dict[str, Path]) -> None:
    rows = documented(demos["virtual-agent"], people=False)["system"]["rows"]
    labelled = [row for row in rows if row["human_score"] is not None]
    assert labelled
    assert all(row["labeler"] for row in labelled)
    derived = [row for row in rows if row["metric"] == "user_satisfaction" and row["reason"]]
    assert "Derived: weighted mean of" in derived[0]["reason"]


def test_another_pass_mark_changes_who_passes(demos: dict[str, Path]) -> None:
    lenient, strict = (built(demos["guest-response"], passing=x, people=False) for x in (2, 5))
    assert lenient.run.passed > strict.run.passed
    marked = documented(demos["guest-response"], passing=5, people=False)
    score = marked["results"][0]["scores"]["accuracy"]
    assert score["passed"] is (score["score"] >= 5)
    agent = built(demos["agent-rubric"], passing=0.95, people=False)
    assert agent.run.passed < built(demos["agent-rubric"], people=False).run.passed


@pytest.mark.parametrize(
    ("system", "mark", "words"),
    [("guest-response", 6, "off the scale"), ("faq-bot", 3, "no pass rule")],
)
def test_a_mark_that_cannot_be_is_a_sentence(
    demos: dict[str, Path], system: str, mark: float, words: str
) -> None:
    with pytest.raises(RubricError, match=words):
        built(demos[system], passing=mark)


def test_repeats_are_those_of_one_run(tmp_path: Path) -> None:
    def scored(run: str, number: int, value: int) -> dict[str, Any]:
        scores = [{"metric": "accuracy", "value": value, "scorer": "judge", "reasoning": "so"}]
        return record(number, id=f"{run}-{number}", case="q", run=run, scores=scores)

    records = [scored("a", 1, 5), scored("b", 2, 1), scored("b", 3, 4)]
    made = built(build_project(tmp_path / "p.review", evaluations=records, runs=("a", "b")))
    found = {pattern.name: pattern for pattern in made.run.patterns}
    assert found["repeats_differ"].responses == ("b-2", "b-3")


def test_only_some_of_a_scope(demos: dict[str, Path]) -> None:
    whole = built(demos["guest-response"], people=False)
    some = built(demos["guest-response"], people=False, only=whole.found.keys[:3])
    assert [x.scored.case.id for x in some.run.results] == [
        x.scored.case.id for x in whole.run.results[:3]
    ]
    assert {x.result for x in some.run.targets} == {"cannot be said"}


def test_top_says_how_many_cases_are_told(demos: dict[str, Path]) -> None:
    made = built(demos["guest-response"], people=False, top=2)
    assert (len(made.run.best), len(made.run.worst)) == (2, 2)
    assert made.run.best[0].overall == 5
