"""Runs drawn and listed: pass rates and spreads are those of list, page and command line."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Level, Metric
from reviewer.services.monitoring import distributions, trending
from reviewer.services.monitoring.trending import Trend, Wish
from reviewer.services.project.session import Session
from reviewer.services.reporting import run_rates
from reviewer.services.upkeep import projects
from tests.building import build_project, record

NEWEST = "2026-11-18 agent v7"


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    opened = Session.open(projects.make_demo(tmp_path / "d.review", None, Silent()), "lead")
    opened.blind = False
    yield opened
    opened.close()


@pytest.fixture
def drawn(session: Session) -> Trend:
    return trending.trend(session, Wish(rubric="guest-response"), Silent())


def test_what_is_drawn_is_what_the_runs_list(
    session: Session, drawn: Trend, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = {x.name: x.pass_rate for x in projects.list_runs(session.project)}
    assert main(["runs", str(session.project.path), "--json"]) == 0
    told = {x["name"]: x["pass_rate"] for x in json.loads(capsys.readouterr().out)["runs"]}
    for run in drawn.runs:
        block = run_rates.passing_of(session, run.name)
        assert run.passing.value == listed[run.name] == told[run.name] == block.auto_rate
        assert (run.people.value, run.people.n) == (block.human_rate, block.n_human)
        corrected = run.corrected
        assert (corrected.value, corrected.low, corrected.high, corrected.n) == (
            block.corrected.mean, block.corrected.low, block.corrected.high, block.corrected.n,
        )  # fmt: skip
        assert corrected.value is not None
        assert run.passing.low == block.intervals["auto_rate"].low
        assert run.people.high == block.intervals["human_rate"].high


def test_every_score_is_at_one_level(session: Session, drawn: Trend) -> None:
    assert [x.metric.name for x in drawn.shares] == ["relevance", "accuracy", "safety"]
    for one in drawn.shares:
        assert one.levels == (1, 2, 3, 4, 5)
        for run, counts in zip(drawn.runs, one.counts, strict=True):
            average = run.averages[one.metric.name]
            assert sum(counts) == average.n
            mean = sum(x * n for x, n in zip(one.levels, counts, strict=True)) / sum(counts)
            assert mean == pytest.approx(average.value)
            for level, count in zip(one.levels, counts, strict=True):
                keys = distributions.evaluations_at(session, run.name, one.metric, level)
                assert len(keys) == count


def test_what_may_not_be_seen_is_not_opened(tmp_path: Path) -> None:
    session = Session.open(build_project(tmp_path / "p.review"), "ann")
    metric = session.current_rubric().by_name["accuracy"]
    run = session.run_names()[0]
    for level in distributions.levels_of(metric):
        assert distributions.evaluations_at(session, run, metric, level) == []
    session.close()


@pytest.mark.parametrize(
    ("metric", "levels"),
    [
        (Metric(name="a", scale="binary"), (0, 1)),
        (Metric(name="b", scale="range", min=0, max=1), (0, 0.25, 0.5, 0.75, 1)),
        (
            Metric(
                name="c", scale="range", min=0, max=1, levels=(Level(value=0.0), Level(value=0.6))
            ),
            (0, 0.6),
        ),
        (Metric(name="d", scale="measure", unit="ms", weight=0, labelled=False), ()),
        (Metric(name="e", scale="categorical", values=("x", "y"), weight=0), ()),
    ],
)
def test_levels_of_every_scale(metric: Metric, levels: tuple[float, ...]) -> None:
    assert distributions.levels_of(metric) == levels


def test_scores_between_levels_count_at_the_nearest(tmp_path: Path) -> None:
    scores = [[{"metric": "accuracy", "value": x, "scorer": "j"}] for x in (1.4, 1.5, 4.6, 5)]
    rows = [record(n, scores=x) for n, x in enumerate(scores, start=1)]
    session = Session.open(build_project(tmp_path / "p.review", evaluations=rows), "lead")
    found = trending.trend(session, Wish(rubric="guest"), Silent())
    (accuracy,) = found.shares
    assert accuracy.counts == ((2, 0, 0, 0, 2),)
    session.close()


def test_another_judge_of_the_newest_run_is_a_mark(tmp_path: Path) -> None:
    rows = [
        record(
            n, id=f"{run} {n}", run=run,
            scores=[{"metric": "accuracy", "value": 4, "scorer": f"judge {run}"}],
        )
        for run in ("v1", "v2")
        for n in range(1, 4)
    ]  # fmt: skip
    path = build_project(tmp_path / "p.review", evaluations=rows, runs=("v1", "v2"))
    session = Session.open(path, "lead")
    first, second = trending.trend(session, Wish(rubric="guest"), Silent()).runs
    assert first.changed == ()
    assert [(x.kind, x.words) for x in second.changed] == [
        ("judge", "another judge: judge v1 → judge v2")
    ]
    session.close()
