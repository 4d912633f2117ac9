"""Weeks hold what a plain recompute of every evaluation's week gives."""

import random
from collections import defaultdict
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
import scipy.stats
from sklearn.metrics import cohen_kappa_score

from reviewer.domain.run import DateBasis, Scope
from reviewer.services.audits import auditing, trend
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.stats.intervals import IntervalPolicy
from reviewer.store import rubrics
from tests.building import build_project, record

AS_OF = date(2026, 11, 20)


def label(value: int, labeler: str) -> dict[str, Any]:
    return {"metric": "accuracy", "labeler": labeler, "value": value, "blind": True}


def records(zone: str) -> list[dict[str, Any]]:
    """Evaluations around the end of summer time, some of old chats, some without a date."""
    chance = random.Random(4)  # noqa: S311 - the same every time
    found = []
    for number in range(1, 301):
        moment = datetime(2026, 9, 7, 0, 30, tzinfo=ZoneInfo(zone)) + timedelta(
            hours=chance.randrange(24 * 70)
        )
        if moment.isocalendar().week == 40:
            moment += timedelta(weeks=1)
        people = ("ann", "bo") if number % 2 else ("ann",)
        chat = moment - timedelta(days=chance.choice((0, 3, 30)))
        found.append(
            record(
                number,
                evaluated_at=moment.astimezone(UTC).isoformat(),
                occurred_at=chat.isoformat(),
                labels=[label(chance.randint(1, 5), x) for x in people] if number % 7 < 2 else [],
            )
        )
    return found


def plainly(given: list[dict[str, Any]], zone: str, field: str) -> dict[date, Any]:
    """Work out every week record by record."""
    autos: dict[date, list[float]] = defaultdict(list)
    humans: dict[date, list[float]] = defaultdict(list)
    labels: dict[date, int] = defaultdict(int)
    for one in given:
        day = datetime.fromisoformat(one[field]).astimezone(ZoneInfo(zone)).date()
        monday = day - timedelta(days=day.weekday())
        score = next(x["value"] for x in one["scores"] if x["metric"] == "accuracy")
        autos[monday].append(score)
        if one["labels"]:
            humans[monday].append(fmean(x["value"] for x in one["labels"]))
            labels[monday] += len(one["labels"])
    return {
        monday: (
            len(autos[monday]),
            fmean(autos[monday]),
            len(humans[monday]),
            labels[monday],
            fmean(humans[monday]) if labels[monday] >= 10 else None,
        )
        for monday in sorted(autos)
    }


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Pacific/Auckland"])
@pytest.mark.parametrize(
    ("basis", "field"), [("evaluation", "evaluated_at"), ("chat", "occurred_at")]
)
def test_weeks_are_those_of_a_plain_recompute(
    tmp_path: Path, zone: str, basis: DateBasis, field: str
) -> None:
    given = records(zone)
    path = build_project(tmp_path / "weeks.review", evaluations=given)
    scope = Scope(window_months=None, as_of=AS_OF, dates=basis)
    with closing(Session.open(path, "lead")) as session:
        session.project.set_setting("time_zone", zone)
        audit = auditing.compute(session, StatsRequest(scope=scope))
        found = trend.trend(audit.frame, "accuracy", basis)
        wanted = plainly(given, zone, field)
        assert [week.start for week in found.weeks] == list(wanted)
        for week in found.weeks:
            n, auto, n_human, labels, human = wanted[week.start]
            assert (week.n_auto, week.n_human, week.n_labels) == (n, n_human, labels)
            assert week.auto_mean == pytest.approx(auto, abs=1e-12)
            assert week.human.value == pytest.approx(human, abs=1e-12)
            assert found.band.value is not None
            assert week.adjusted.value == pytest.approx(auto + found.band.value, abs=1e-12)
            keys = trend.keys_of(audit.frame, "accuracy", week.start, "labelled")
            assert keys.size == n_human
            keys = trend.keys_of(audit.frame, "accuracy", week.start, "judged")
            assert keys.size == n
    assert any(week.human.value is None for week in found.weeks)
    assert any(week.human.value is not None for week in found.weeks)
    if basis == "evaluation":
        assert date(2026, 9, 28) not in wanted, "an empty week is left out, not drawn as zero"


def test_scores_that_must_not_leave_the_scale_do_not_leave_it_in_a_week(tmp_path: Path) -> None:
    given = [
        record(
            number,
            evaluated_at=f"2026-11-{2 + 7 * (number % 2):02}T12:00:00Z",
            scores=[{"metric": "accuracy", "value": 3 + 2 * (number % 3 % 2), "scorer": "judge"}],
            labels=[label(5, "ann")],
        )
        for number in range(1, 121)
    ]
    path = build_project(tmp_path / "clipped.review", evaluations=given)
    request = StatsRequest(scope=Scope(as_of=AS_OF), options=(("clip", "hard"),))
    with closing(Session.open(path, "lead")) as session:
        audit = auditing.compute(session, request)
        found = trend.trend(audit.frame, "accuracy")
    whole = audit.document.metrics["accuracy"].gaps
    shown = [week.adjusted for week in found.weeks]
    assert found.band.value is not None
    assert found.band.value > 0
    assert {one.mark for one in shown} == {"held on the scale"}
    assert all(one.value is not None and one.value <= 5 for one in shown)
    weighted = sum((week.adjusted.value or 0) * week.n_auto for week in found.weeks) / 120
    assert whole.shown_adjusted.value == pytest.approx(weighted)
    assert whole.adjusted_mean == pytest.approx((whole.auto_mean or 0) + whole.band)


AUTO = (5, 5, 4, 3, 5, 2, 4, 4, 5, 1, 3, 5)
PEOPLE = (5, 3, 4, 3, 4, 1, 4, 5, 2, 1, 3, 5)


def two_weeks(tmp_path: Path, **more: Any) -> Path:
    """Twelve labelled responses in one week and run, eight in the next."""
    given = [
        record(
            100 * week + place,
            run=f"run {week + 1}",
            evaluated_at=f"2026-11-{2 + 7 * week:02}T12:00:00Z",
            scores=[
                {"metric": "accuracy", "value": AUTO[place], "scorer": "judge"}
                | more.get(f"week_{week}", {})
            ],
            labels=[
                label(PEOPLE[place], x) for x in (("ann", "bo") if place < 4 * week else ("ann",))
            ],
        )
        for week, size in enumerate((12, 8))
        for place in range(size)
    ]
    runs = ("run 1", "run 2")
    return build_project(tmp_path / "two.review", evaluations=given, runs=runs)


def every_run(session: Session, metric: str = "accuracy") -> trend.Trend:
    request = StatsRequest(scope=Scope(as_of=AS_OF, every_run=True))
    audit = auditing.compute(session, request)
    policy = IntervalPolicy(level=request.level, seed=request.seed)
    return trend.with_marks(session, audit, trend.trend(audit.frame, metric, policy=policy))


def test_gap_and_agreement_of_a_week_are_those_of_other_libraries(tmp_path: Path) -> None:
    with closing(Session.open(two_weeks(tmp_path), "lead")) as session:
        first, second = every_run(session).weeks
    gaps = np.array(PEOPLE) - np.array(AUTO)
    ends = scipy.stats.t.interval(0.95, 11, gaps.mean(), scipy.stats.sem(gaps))
    assert first.gap.value == pytest.approx(gaps.mean())
    assert first.gap.ends == pytest.approx(ends)
    people = np.array(PEOPLE)
    ends = scipy.stats.t.interval(0.95, 11, people.mean(), scipy.stats.sem(people))
    assert first.human.ends == pytest.approx(ends)
    kappa = cohen_kappa_score(AUTO, PEOPLE, weights="quadratic", labels=[1, 2, 3, 4, 5])
    assert first.agreement.value == pytest.approx(kappa)
    assert first.agreement.ends is not None
    low, high = first.agreement.ends
    assert low < kappa < high <= 1
    assert (first.gap.n, first.agreement.n) == (12, 12)
    # twelve labels of eight responses are a gap, but too few pairs for a coefficient
    assert (second.gap.n, second.n_labels) == (8, 12)
    assert second.gap.value == pytest.approx(gaps[:8].mean())
    assert (second.agreement.value, second.agreement.n) == (None, 8)


@pytest.mark.parametrize(
    ("before", "now", "title"),
    [
        ({}, {}, "run 2"),
        ({"scorer_version": "1"}, {"scorer_version": "2"}, "run 2, judge judge@2"),
        ({"prompt_hash": "aa"}, {"prompt_hash": "bb"}, "run 2, other prompt"),
        ({"model": "small"}, {"model": "large"}, "run 2, model large"),
        ({"parameters": {"t": 0}}, {"parameters": {"t": 1}}, "run 2, other parameters"),
    ],
)
def test_a_run_says_what_else_is_new_with_it(
    tmp_path: Path, before: dict[str, Any], now: dict[str, Any], title: str
) -> None:
    with closing(Session.open(two_weeks(tmp_path, week_0=before, week_1=now), "lead")) as session:
        (mark,) = every_run(session).marks
    assert mark.since == date(2026, 11, 9)
    assert mark.words.startswith("run run 2")
    assert mark.title == title


def test_another_version_of_the_rubric_is_marked_on_its_day(tmp_path: Path) -> None:
    with closing(Session.open(two_weeks(tmp_path), "lead")) as session:
        rubric = session.rubric("guest")
        rubrics.add(session.project, replace(rubric, version="later"))
        with session.project.write() as conn:
            conn.execute(
                "UPDATE rubric_versions SET created_at = '2026-11-05T10:00:00Z' "
                "WHERE version = 'later'"
            )
        first, second = every_run(session).marks
    assert (first.since, first.title) == (date(2026, 11, 5), "rubric later")
    assert second.title == "run 2"


def test_looking_back_leaves_no_week_out(tmp_path: Path) -> None:
    path = build_project(tmp_path / "weeks.review", evaluations=records("UTC"))
    with closing(Session.open(path, "lead")) as session:
        options = (("window_months", "1"),)
        request = StatsRequest(scope=Scope(as_of=AS_OF), options=options)
        audit = auditing.compute(session, request)
        found = trend.trend(audit.frame, "accuracy")
    assert found.weeks[0].start == date(2026, 9, 7)
    assert (
        sum(week.n_auto for week in found.weeks) == audit.document.metrics["accuracy"].gaps.n_auto
    )


def test_a_window_that_is_asked_for_bounds_the_weeks(tmp_path: Path) -> None:
    path = build_project(tmp_path / "weeks.review", evaluations=records("UTC"))
    with closing(Session.open(path, "lead")) as session:
        scope = Scope(window_months=1, as_of=AS_OF)
        audit = auditing.compute(session, StatsRequest(scope=scope))
        found = trend.trend(audit.frame, "accuracy")
    assert found.weeks[0].start >= date(2026, 10, 19)


def test_without_dates_there_is_a_reason(tmp_path: Path) -> None:
    plain = [record(n, evaluated_at=None) for n in range(1, 4)]
    path = build_project(tmp_path / "undated.review", evaluations=plain)
    with closing(Session.open(path, "lead")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
        found = trend.trend(audit.frame, "accuracy")
        asked = Scope(dates="chat")
        chats = auditing.compute(session, StatsRequest(scope=asked))
        other = trend.trend(chats.frame, "accuracy", "chat")
    assert (found.weeks, found.n_undated) == ((), 3)
    assert "has a date" in found.reason
    assert "when its chat was" in other.reason
