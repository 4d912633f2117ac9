"""Rely or not: every figure is the one that stands elsewhere, and words say what intervals do."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.run import Scope
from reviewer.services.figures import trust_words
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.figures.statistics_blocks import MetricBlock
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.upkeep import projects
from reviewer.stats.trust import State, simultaneous
from reviewer.store.project import Project
from tests.building import build_project
from tests.services.audits.comparing import label, one
from tests.services.figure_projects import case


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return projects.make_demo(tmp_path_factory.mktemp("trust") / "demo.review", None, Silent())


def stats(path: Path, **more: Any) -> StatsDocument:
    project = Project.open(path)
    try:
        return compute(project, StatsRequest(**{"scope": Scope(every_run=True)} | more))
    finally:
        project.close()


def people(n: int, given: list[int], judge: int, who: tuple[str, ...] = ("ann", "bo")) -> Any:
    """Give responses 1 to n with labels in turn by each of some people, and one judge's score."""
    return [one(x, judge, [label(given[x % len(given)], name) for name in who]) for x in range(n)]


def by_one(*, labelled: int, n: int) -> Any:
    """Give n responses of which one person labelled some, on every fourth a point higher."""
    return [
        one(x, 1 + x % 5, [label(min(1 + x % 5 + (x % 4 == 0), 5))] if x < labelled else [])
        for x in range(n)
    ]


def accuracy(path: Path, records: Any, **more: Any) -> MetricBlock:
    return stats(build_project(path, evaluations=records), **more).metrics["accuracy"]


def test_figures_are_those_that_stand_elsewhere(demo: Path) -> None:
    found = stats(demo)
    labelled = [x for x in found.metrics.values() if x.is_labelled]
    # at the level of each of several metrics, the document's own intervals are the same
    level = simultaneous(0.95, len(labelled))
    at_level = stats(demo, level=level)
    for block in labelled:
        trust = block.trust.trust
        assert trust.level == level
        gap, other = trust["gap"], at_level.metrics[block.name].gaps
        assert gap.value == other.deviations.gap_mean
        assert (gap.low, gap.high) == (
            other.intervals["gap_mean"].low,
            other.intervals["gap_mean"].high,
        )
        assert block.trust.reached is not None
        assert trust["reach"].value == block.trust.reached.share
        assert block.trust.labelled == block.judge_human.n


def test_the_first_sentence_of_the_demo(demo: Path) -> None:
    found = stats(demo)
    blocks = [x for x in found.metrics.values() if x.is_labelled]
    assert trust_words.headline(blocks) == (
        "Do not rely on this judge for Accuracy and Safety. For Relevance it cannot be said yet."
    )
    assert [x.name for x in trust_words.worst_first(blocks)] == ["accuracy", "safety", "relevance"]
    told = trust_words.sentence(found.metrics["accuracy"])
    assert told.startswith(
        "Accuracy: do not rely on it. It misses 66 % of what people fail (46 – "
    )
    assert "It scores 0.96 too high (0.65 – 1.27)." in told
    json = found.to_json()["metrics"]["accuracy"]
    assert json["trust"]["state"] == "do_not_rely"
    assert json["trust"]["reasons"][0].endswith("limit at least 0.8: outside")
    assert json["agreement"]["judge_human"]["alt_test"]["omega"] == 0.0


CASES: dict[str, tuple[Any, State, str]] = {
    "as people do": (
        [one(x, 1 + x % 5, [label(1 + x % 5, w) for w in ("ann", "bo")]) for x in range(120)],
        "rely",
        "It catches 100 % of what people fail",
    ),
    "misses all fails": (
        people(60, [1, 5], 5),
        "do_not_rely",
        "It misses 100 % of what people fail",
    ),
    "too few": (people(8, [1, 5], 5), "cannot_be_said", "People failed only 4 responses"),
    "never failed": (people(400, [5], 5), "cannot_be_said", "People failed none of 400 responses"),
    "all labelled": (
        people(400, [5], 5),
        "cannot_be_said",
        "All responses here are labelled by two people each: too little to tell what it catches, "
        "and too little to tell how it agrees; more runs are needed.",
    ),
    "few left": (
        by_one(labelled=60, n=70),
        "cannot_be_said",
        "Only 10 more responses here can be labelled: how far it is off would be known to about "
        "±0.12, too wide to tell; more runs are needed.",
    ),
    "enough left": (
        by_one(labelled=60, n=900),
        "cannot_be_said",
        "more labels, drawn by chance, would tell.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_states_and_their_words(tmp_path: Path, name: str) -> None:
    records, state, words = CASES[name]
    block = accuracy(tmp_path / "p.review", records)
    assert block.trust.trust.state == state
    assert words in trust_words.told(block).text
    assert all(trust_words.reasons(block.trust))


def test_nobody_and_one_person(tmp_path: Path) -> None:
    none = accuracy(tmp_path / "none.review", [one(x, 3, []) for x in range(5)])
    assert none.trust.trust.state == "cannot_be_said"
    assert trust_words.headline([none]) == trust_words.NOTHING
    aside = accuracy(tmp_path / "aside.review", [case(x, (), [label(3)]) for x in range(5)])
    assert trust_words.headline([aside]) == trust_words.APART
    assert trust_words.told(aside).text == trust_words.APART
    assert aside.leaning.sentence == (
        "No response in this scope has both labels and a judge's score of Accuracy."
    )
    alone = [one(x, 1 + x % 5, [label(1 + x % 5, "ann")]) for x in range(200)]
    block = accuracy(tmp_path / "one.review", alone)
    assert block.trust.trust["reach"].place == "absent"
    assert block.trust.trust.state == "rely"
    assert "left out, only one person has labelled" in trust_words.reasons(block.trust)[1]
    assert "fewer than two labelers" in trust_words.may_replace([block])


def test_limits_of_one_metric_and_of_all(demo: Path) -> None:
    lax = (
        ("accuracy:trust_caught", "0.1"),
        ("accuracy:trust_reach", "0"),
        ("accuracy:trust_gap", "3"),
    )
    found = stats(demo, options=lax).metrics
    assert found["accuracy"].trust.trust.state == "rely"
    assert found["safety"].trust.trust.state == "do_not_rely"
    every = stats(demo, options=(("trust_caught", "0"), ("trust_reach", "0"), ("trust_gap", "3")))
    # the interval of one share goes below 0
    assert [x.trust.trust.state for x in every.metrics.values()].count("do_not_rely") == 0
    for name, value, words in (
        ("tone:trust_gap", "1", "has no metric 'tone'"),
        ("accuracy:trust_gap", "much", "must be a number"),
        ("trust_caught", "80", "trust_caught is 80; it must be from 0 to 1"),
        ("accuracy:min_records", "3", "There is no option 'accuracy:min_records'"),
        ("of_metrics", "1", "There is no option 'of_metrics'"),
        ("alt_epsilon", "-1", "alt_epsilon is -1"),
        ("alt_score", "best", "alt_score is 'best'"),
    ):
        with pytest.raises(ReviewerError, match=words):
            stats(demo, options=((name, value),))
