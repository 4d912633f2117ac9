"""Comparisons of turns that share conversations, and of what counts in no comparison."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.checks import checking
from reviewer.services.checks.check import Limits
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Comparison, Side
from reviewer.services.findings import insights
from reviewer.services.monitoring import trending
from reviewer.services.monitoring.trending import RunPoint, Wish
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from reviewer.stats.deviations import PUBLISHED
from tests.building import build_project
from tests.services.figure_projects import LEVELS, score

G, TURNS = 40, 5
OLD, NEW = Side("v1"), Side("v2")
RUBRIC = Rubric(
    name="simple",
    pass_rule="every",
    metrics=(
        Metric(name="a", levels=LEVELS, pass_at=3),
        Metric(name="b", levels=LEVELS, pass_at=2),
        Metric(name="yes", scale="binary", weight=0),
    ),
)


def values(run: str) -> dict[str, np.ndarray]:
    """Scores of 40 conversations of 5 turns; what a run does to a conversation, it does to all."""
    rng = np.random.default_rng(17 if run == "v1" else 18)
    mood = rng.normal(0.0 if run == "v1" else 0.25, 0.7, G).repeat(TURNS)
    made = {
        name: np.clip(np.rint(3 + mood + rng.normal(0, 0.6, G * TURNS)), 1, 5) for name in "ab"
    }
    return made | {"yes": (mood + rng.normal(0, 0.5, G * TURNS) > 0).astype(float)}


def rows(run: str, **more: Any) -> list[dict[str, Any]]:
    made = values(run)
    return [
        {
            "id": f"{run}-{n}", "case": f"case {n}", "run": run, "input": f"Q {n}",
            "response": f"{run} says {n}", "cluster": f"chat {n // TURNS}",
            "latency_ms": 100.0 + n % 17, "cost_usd": 0.001 * (1 + made["a"][n]),
            "scores": [
                score(name, bool(column[n]) if name == "yes" else int(column[n]))
                for name, column in made.items()
            ],
        } | more
        for n in range(G * TURNS)
    ]  # fmt: skip


def opened(path: Path, records: list[dict[str, Any]]) -> Session:
    build_project(path, evaluations=records, rubric=RUBRIC, runs=("v1", "v2"))
    session = Session.open(path)
    session.blind = False
    return session


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with closing(opened(tmp_path / "p.review", rows("v1") + rows("v2"))) as one:
        yield one


def point(session: Session) -> RunPoint:
    return trending.trend(session, Wish(rubric="simple"), Silent()).runs[1]


def test_conversations_are_what_is_counted(session: Session) -> None:
    found = comparing.compare(session, OLD, NEW)
    shift = found.metrics["a"].shift
    steps = values("v2")["a"] - values("v1")["a"]
    codes = np.arange(G).repeat(TURNS)
    robust = OLS(steps, np.ones(G * TURNS)).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    assert (shift.n, shift.conversations) == (G * TURNS, G)
    assert shift.test == "paired t by conversation"
    assert shift.se == pytest.approx(float(robust.bse[0]) * (G / (G - 1)) ** 0.5)
    # as single turns the same scores would look surer by far
    plain = steps.std(ddof=1) / (G * TURNS) ** 0.5
    assert shift.se is not None
    assert shift.se > 1.5 * plain
    assert found.flips.test.conversations == G
    assert found.flips.test.test == "McNemar mid-p by conversation"
    assert found.metrics["yes"].shift.test == "McNemar mid-p by conversation"
    assert found.latency.conversations == found.cost.conversations == G
    document = found.to_json()
    assert document["conversations"] == G
    assert document["metrics"]["a"]["conversations"] == G
    assert document["pass"]["p_exact"] is None


def test_one_step_is_the_same_wherever_it_is_told(session: Session) -> None:
    found = comparing.compare(session, OLD, NEW)
    step = point(session)
    assert found.overall is not None
    told = {name: pair.shift for name, pair in found.metrics.items()}
    told["overall"] = found.overall.shift
    assert step.scores == found.scores
    assert found.scores.figures == 5
    for name, shift in told.items():
        one = step.steps[name]
        assert (one.difference, one.low, one.high) == (shift.difference, shift.low, shift.high)
    passing = step.passing_step
    assert passing is not None
    assert passing.tested == found.flips.test
    assert step.cost_step is not None
    assert (step.cost_step.low, step.cost_step.high) == (found.cost.low, found.cost.high)
    source = insights.read(session, Scope(), options=PUBLISHED)
    for name in ("a", "b", "yes"):
        assert insights.of_metric(source, name).change.paired == told[name]
    assert insights.of_metric(source, "a").pass_change.verdicts == found.flips.test
    checks = {x.name: x for x in checking.baseline_checks(session, Scope(), Limits(baseline="v1"))}
    for name, shift in told.items():
        assert checks[f"baseline {name}"].value == shift.difference
        assert checks[f"baseline {name}"].ok == (step.steps[name].word != "worse")


def test_two_judges_are_compared_by_conversation_too(tmp_path: Path) -> None:
    records, other = rows("v1"), values("v2")
    for n, one in enumerate(records):
        one["scores"].append(score("a", int(other["a"][n]), scorer="two"))
    with closing(opened(tmp_path / "p.review", records)) as session:
        found = comparing.compare(session, Side("v1", "judge"), Side("v1", "two"))
    assert found.metrics["a"].shift.conversations == G


def test_p95_waits_for_forty_conversations(tmp_path: Path) -> None:
    records = [row | {"cluster": f"chat {n % 39}"} for n, row in enumerate(rows("v1"))]
    records += [row | {"cluster": f"chat {n % 39}"} for n, row in enumerate(rows("v2"))]
    with closing(opened(tmp_path / "p.review", records)) as session:
        change = point(session).p95_step
    assert change is not None
    assert (change.conversations, change.low) == (39, None)
    assert "39 conversations of the 40" in (change.reason or "")


def test_a_case_asked_again_and_again_is_one(tmp_path: Path) -> None:
    # two hundred answers to forty questions, without any conversation
    made = [
        row | {"case": f"case {n // TURNS}", "cluster": None}
        for run in ("v1", "v2")
        for n, row in enumerate(rows(run))
    ]
    with closing(opened(tmp_path / "p.review", made)) as session:
        found, step = comparing.compare(session, OLD, NEW), point(session)
    assert found.n == step.shared == G * TURNS
    assert found.metrics["a"].shift.conversations == G
    # every answer counts in the run's own average
    assert step.averages["a"].n == G * TURNS
    assert step.averages["a"].value == pytest.approx(float(values("v2")["a"].mean()))


GONE = ("v1-0", "v1-7", "v2-7", "v2-31")


def compared_without(path: Path, *, excluded: bool) -> Comparison:
    """Compare runs of which some answers are excluded, or were never there."""
    records = rows("v1") + rows("v2")
    for one in records:
        # some name no case, so that those that are excluded make up their number
        if one["id"] not in GONE and int(one["id"].split("-")[1]) % 100 == 3:
            del one["case"]
    if not excluded:
        records = [one for one in records if one["id"] not in GONE]
    with closing(opened(path, records)) as session:
        if excluded:
            keys = [at + 1 for at, one in enumerate(records) if one["id"] in GONE]
            bulk_acts.exclude(session, keys, "a test call")
        return comparing.compare(session, OLD, NEW)


def test_what_is_excluded_enters_no_comparison(tmp_path: Path) -> None:
    found = compared_without(tmp_path / "marked.review", excluded=True).to_json()
    never = compared_without(tmp_path / "without.review", excluded=False).to_json()
    assert found == never
    assert found["n"] < G * TURNS
