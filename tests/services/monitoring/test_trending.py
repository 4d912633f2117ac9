"""The trend per run against statsmodels, scipy and plain loops."""

import sqlite3
import statistics
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from reviewer.domain.errors import CancelledError, ReviewerError, Silent
from reviewer.services.figures.paired_scores import word
from reviewer.services.labelling import entering
from reviewer.services.monitoring import regressions, trending
from reviewer.services.monitoring.trending import Trend, Wish
from reviewer.services.project.session import Session
from reviewer.stats.paired_shares import mcnemar
from tests.building import RUBRIC, build_project, record

N = 60
NAMES = ("relevance", "accuracy", "safety")


def row(run: str, number: int, values: tuple[float, ...], **more: Any) -> dict[str, Any]:
    scores = [
        {"metric": name, "value": value, "scorer": more.pop("scorer", "judge")}
        for name, value in zip(NAMES, values, strict=True)
    ]
    return record(
        number, id=f"{run}-{number}", case=f"case {number}", run=run, scores=scores, **more
    )


def values(number: int, lift: int) -> tuple[int, ...]:
    return tuple(min(5, max(1, (number + place) % 5 + 1 + lift)) for place in range(3))


def project(tmp_path: Path, rows: list[dict[str, Any]], runs: tuple[str, ...]) -> Path:
    return build_project(tmp_path / "p.review", evaluations=rows, runs=runs)


def trend(path: Path, **wish: Any) -> Trend:
    session = Session.open(path)
    session.blind = False
    found = trending.trend(session, Wish(rubric="guest", **wish), Silent())
    session.close()
    return found


@pytest.fixture
def two(tmp_path: Path) -> Trend:
    rows = [
        row(run, k, values(k, lift), latency_ms=ms * (k + 1), cost_usd=0.001 * (k % 3 + 1))
        for run, lift, ms in (("v1", 0, 10.0), ("v2", -1, 13.0))
        for k in range(N)
    ]
    return trend(project(tmp_path, rows, ("v1", "v2")))


def test_a_run_against_the_one_before(two: Trend) -> None:
    first, second = two.runs
    assert (first.against, first.steps, first.p95_step) == (None, {}, None)
    assert (second.against, second.shared) == ("v1", N)
    step = second.steps["accuracy"]
    old = [values(k, 0)[1] for k in range(N)]
    new = [values(k, -1)[1] for k in range(N)]
    # all five figures fell, so that none has to leave any level to another
    assert (second.scores.figures, second.scores.each) == (5, 0.95)
    oracle = stats.ttest_rel(new, old).confidence_interval(0.95)
    assert step.difference == pytest.approx(statistics.mean(new) - statistics.mean(old))
    assert (step.low, step.high) == pytest.approx((oracle.low, oracle.high))
    assert step.word == "worse"
    assert second.averages["accuracy"].value == pytest.approx(statistics.mean(new))
    overall = [statistics.mean(values(k, -1)) for k in range(N)]
    assert second.averages["overall"].value == pytest.approx(statistics.mean(overall))


def test_the_pass_rate_is_compared_by_pairs(two: Trend) -> None:
    step = two.runs[1].passing_step
    assert step is not None
    old = np.array([min(values(k, 0)) >= 3 for k in range(N)])
    new = np.array([min(values(k, -1)) >= 3 for k in range(N)])
    assert step.before == pytest.approx(old.mean())
    assert step.difference == pytest.approx(new.mean() - old.mean())
    lost, gained = int((old & ~new).sum()), int((~old & new).sum())
    test = mcnemar(N, lost=lost, gained=gained)
    assert step.tested == test
    assert (step.low, step.high) == (test.low, test.high)
    assert (step.word == "worse") == (test.mid is not None and test.mid < 0.05)


def test_slower_and_dearer_runs_are_regressions(two: Trend) -> None:
    second = two.runs[1]
    assert second.p95_step is not None
    assert second.p95_step.paired
    assert second.p95_step.share == pytest.approx(0.3)
    assert second.cost_step is not None
    assert second.cost_step.difference == 0
    found = {x.figure: x.sentence for x in regressions.of_trend(two)}
    assert "p95 latency" in found
    assert "average cost" not in found
    assert found["p95 latency"].startswith("v2: p95 latency 570 ms → 742 ms (+30 %) since v1")
    assert {"accuracy", "pass rate"} <= found.keys()


def test_a_higher_limit_lets_more_pass(tmp_path: Path, two: Trend) -> None:
    again = trend(tmp_path / "p.review", limit=0.4)
    assert "p95 latency" not in {x.figure for x in regressions.of_trend(again)}
    assert again.runs == two.runs


def test_the_same_seed_gives_the_same(tmp_path: Path, two: Trend) -> None:
    assert trend(tmp_path / "p.review") == two
    other = trend(tmp_path / "p.review", seed=1).runs[1].p95_step
    assert other is not None
    assert two.runs[1].p95_step is not None
    assert other.difference == two.runs[1].p95_step.difference
    assert other.low != two.runs[1].p95_step.low


def test_runs_without_shared_cases_raise_no_alarm(tmp_path: Path) -> None:
    rows = [
        row(run, k + offset, values(k, 0), latency_ms=ms + k % 7)
        for run, offset, ms in (("v1", 0, 100.0), ("v2", 1000, 200.0))
        for k in range(N)
    ]
    second = trend(project(tmp_path, rows, ("v1", "v2"))).runs[1]
    assert second.shared == 0
    assert second.steps["accuracy"].reason == trending.NO_SHARED
    assert second.steps["accuracy"].word == ""
    assert second.p95_step is not None
    assert not second.p95_step.paired
    assert second.p95_step.is_regression(0.2)
    assert not list(regressions.of_point(second))
    assert list(regressions.unlike_of_point(second, RUBRIC)) == [
        "Too few shared cases. P95 latency of v2 cannot be compared with v1."
    ]


def test_few_cases_prove_nothing(tmp_path: Path) -> None:
    rows = [
        row(run, k, (value,) * 3, latency_ms=ms)
        for run, value, ms in (("v1", 5, 100.0), ("v2", 1, 900.0))
        for k in range(9)
    ]
    found = trend(project(tmp_path, rows, ("v1", "v2")))
    step = found.runs[1].steps["accuracy"]
    assert (step.difference, step.word) == (-4, "")
    assert step.reason == "9 shared cases: a change can be told from 10"
    assert regressions.of_trend(found) == ()


def judged(tmp_path: Path, judges: tuple[str, str], **changed: Any) -> Trend:
    """v2 is 2 lower than v1 on every metric; the second judge scored it."""
    rows = [
        row(run, k, values(k, lift)) for run, lift in (("v1", 0), ("v2", -2)) for k in range(N)
    ]
    for one in rows:
        for score in one["scores"]:
            score["scorer"] = judges[one["run"] == "v2"]
            if one["run"] == "v2":
                score.update(changed.get(score["metric"], {}))
    return trend(project(tmp_path, rows, ("v1", "v2")))


def test_another_judge_raises_no_alarm_and_is_said(tmp_path: Path) -> None:
    found = judged(tmp_path, ("judge 1", "judge 2"))
    run = found.runs[1]
    step = run.steps["safety"]
    assert (step.unlike, step.word) == ("another judge: judge 1 → judge 2", "")
    assert step.difference is not None
    assert step.high is not None
    assert step.high < 0
    assert regressions.of_trend(found) == ()
    assert regressions.unlike_of_trend(found) == (
        "Another judge: judge 1 → judge 2. Pass rate, Relevance, Accuracy, Safety and overall "
        "score of v2 cannot be compared with v1.",
    )
    assert regressions.step_sentence(run, "safety", step).endswith(
        "It cannot be compared: another judge: judge 1 → judge 2."
    )


def test_one_judge_for_both_runs_raises_the_alarm(tmp_path: Path) -> None:
    found = judged(tmp_path, ("judge", "judge"))
    assert "safety" in {x.figure for x in regressions.of_trend(found)}
    assert regressions.unlike_of_trend(found) == ()


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scorer_version": "v4"}, "another prompt: judge → judge@v4"),
        ({"prompt_hash": "ab12"}, "another prompt: judge → judge prompt=ab12"),
        ({"parameters": {"temperature": 1}}, "other parameters: judge → judge temperature=1"),
    ],
)
def test_what_is_alike_is_compared_where_one_metric_has_another_prompt(
    tmp_path: Path, changed: dict[str, Any], words: str
) -> None:
    run = judged(tmp_path, ("judge", "judge"), safety=changed).runs[1]
    assert run.steps["safety"].unlike == words
    assert run.steps["accuracy"].word == "worse"
    # what is made of all metrics is made of this one, too
    assert run.passing_step is not None
    assert (run.passing_step.unlike, run.steps["overall"].unlike) == (words, words)
    assert {x.figure for x in regressions.of_point(run)} == {"relevance", "accuracy"}


def test_scores_for_another_version_of_the_rubric_raise_no_alarm(tmp_path: Path) -> None:
    rows = [
        row(run, k, values(k, lift)) for run, lift in (("v1", 0), ("v2", -2)) for k in range(N)
    ]
    for one in rows:
        for score in one["scores"]:
            at = {"v1": "2026-01-01", "v2": "2099-01-01"}[one["run"]]
            score.update(prompt_hash="ab12", at=f"{at}T00:00:00Z")
    path = project(tmp_path, rows, ("v1", "v2"))
    with closing(sqlite3.connect(path)) as conn, conn:
        # as a job keeps it that scored v1 before the rubric was changed
        conn.execute("UPDATE score_sets SET rubric_version = '0.9'")
    run = trend(path).runs[1]
    assert run.steps["safety"].unlike == "another rubric version: 0.9 → 1"
    assert not list(regressions.of_point(run))


def test_stability_is_the_spread_of_a_case_over_runs(tmp_path: Path) -> None:
    runs = ("v1", "v2", "v3")
    lifts = {"v1": 0, "v2": 0, "v3": 0}
    rows = [row(run, k, values(k, lifts[run])) for run in runs for k in range(20)]
    rows[3] = row("v1", 3, (1, 1, 1))
    rows[23] = row("v2", 3, (5, 5, 5))
    found = trend(project(tmp_path, rows, runs)).stability
    assert found.n == 20
    case = found.cases[0]
    overall = [1.0, 5.0, statistics.mean(values(3, 0))]
    assert (case.case, case.runs, case.low, case.high) == ("case 3", 3, 1.0, 5.0)
    assert case.spread == pytest.approx(statistics.stdev(overall))
    assert case.verdicts == "fpf"
    assert case.changes
    assert len(case.keys) == 3
    assert len(found.cases) == 1
    assert found.changing == 1
    assert found.mean_spread == pytest.approx(statistics.stdev(overall) / 20)
    safety = trend(tmp_path / "p.review", measure="safety").stability
    assert safety.cases[0].spread == pytest.approx(statistics.stdev([1, 5, values(3, 0)[2]]))
    assert trend(tmp_path / "p.review", measure="nothing").stability.cases == ()


def test_cases_are_listed_as_far_as_the_labeler_may_see_them(tmp_path: Path) -> None:
    runs = ("v1", "v2")
    rows = [row(run, k, ((run == "v2") * 3 + 1,) * 3) for run in runs for k in range(12)]
    session = Session.open(project(tmp_path, rows, runs), "ann")
    wish = Wish(rubric="guest")
    blind = trending.trend(session, wish, Silent()).stability
    assert (blind.n, blind.changing, blind.cases, blind.hidden) == (12, 12, (), 12)
    # case 3 in both runs, case 5 in one
    for key in (4, 16, 6):
        for metric in NAMES:
            entering.commit(session, key, metric, 3)
    some = trending.trend(session, wish, Silent()).stability
    assert [case.case for case in some.cases] == ["case 3"]
    assert (some.hidden, some.mean_spread) == (11, blind.mean_spread)
    session.close()


def test_only_the_newest_runs_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = tuple(f"v{k}" for k in range(5))
    rows = [row(run, k, values(k, 0)) for run in runs for k in range(3)]
    monkeypatch.setattr(trending, "RUNS", 2)
    found = trend(project(tmp_path, rows, runs))
    assert [x.name for x in found.runs] == ["v3", "v4"]
    assert found.left_out == 3
    assert found.runs[0].against is None


def test_one_run_alone_and_none(tmp_path: Path) -> None:
    path = project(tmp_path, [row("v1", 1, (1, 2, 3))], ("v1",))
    found = trend(path)
    assert len(found.runs) == 1
    assert found.runs[0].passing is not None
    assert found.stability.n == 0
    session = Session.open(path)
    with pytest.raises(ReviewerError, match="no run with the rubric other"):
        trending.trend(session, Wish(rubric="other"), Silent())
    session.close()


class Stopped:
    cancelled = True

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Drop the report."""


def test_it_stops_when_nobody_wants_it(tmp_path: Path) -> None:
    path = project(tmp_path, [row("v1", 1, (1, 2, 3))], ("v1",))
    session = Session.open(path)
    with pytest.raises(CancelledError):
        trending.trend(session, Wish(rubric="guest"), Stopped())
    session.close()


def test_the_words_for_reversed_metrics() -> None:
    assert word(1, 20) == "better"
    assert word(1, 20, higher_is_better=False) == "worse"
    assert word(-1, 20) == "worse"
    assert word(0, 20) == ""
    assert word(1, 9) == ""
