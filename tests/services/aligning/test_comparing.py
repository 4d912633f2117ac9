"""The leaderboard: figures of the Audit page, looks that are counted, and who is best."""

from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.aligning import leaderboard, splitting
from reviewer.services.aligning.comparing import Wanted, compare_judges
from reviewer.services.aligning.leaderboard import JudgeRow, Leaderboard
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.project.session import Session
from reviewer.store import splits
from tests.building import build_project, record
from tests.services.aligning.judged_projects import said, scored, two_judges
from tests.services.figure_projects import MIXED, case, label, score


def board(session: Session, **wanted: Any) -> Leaderboard:
    return compare_judges(session, Wanted(metrics=("accuracy",), **wanted))["accuracy"]


def row_of(found: Leaderboard, name: str) -> JudgeRow:
    return next(row for row in found.rows if row.name == name)


@pytest.mark.parametrize("statistic", [None, "percent", "icc", "alpha_ordinal", "spearman"])
@pytest.mark.parametrize("part", splitting.PARTS)
def test_figures_are_those_of_the_audit(
    session: Session, part: str, statistic: str | None
) -> None:
    found = board(session, look=True, statistic=statistic)
    for row in found.rows:
        scope = Scope(scorer=row.name, filter=f"part:{part}", viewer="Lead", window_months=None)
        document = compute(session.project, StatsRequest(scope=scope))
        theirs = document.metrics["accuracy"].judge_human
        mine = row.held_out if part == "held_out" else row.dev
        assert mine is not None
        assert mine.value == theirs[found.statistic]
        assert mine.interval == theirs.intervals[found.statistic]
        assert (mine.bias, mine.bias_interval) == (theirs["bias"], theirs.intervals["bias"])


def test_quadratic_kappa_is_that_of_another_library(session: Session) -> None:
    found = board(session, look=True)
    held_out = set(splits.of_part(session.project.conn, "held_out"))
    for name, version in (("judge@1", 1), ("judge@2", 2)):
        pairs = session.project.conn.execute(
            "SELECT s.evaluation, s.value, c.value FROM scores s JOIN current_labels c "
            "ON c.evaluation = s.evaluation AND c.metric = s.metric "
            "JOIN score_sets b ON b.id = s.score_set WHERE b.version = ? "
            "AND s.evaluation IN (SELECT value FROM json_each(?))",
            (str(version), str(sorted(held_out))),
        ).fetchall()
        keys, auto, human = zip(*pairs, strict=True)
        parts = [1 / keys.count(key) for key in keys]
        expected = cohen_kappa_score(
            human, auto, labels=[1, 2, 3, 4, 5], weights="quadratic", sample_weight=parts
        )
        row = row_of(found, name)
        assert row.held_out is not None
        assert row.held_out.n == len(set(keys))
        assert row.held_out.value == pytest.approx(expected, abs=1e-9)


def test_the_nearer_judge_is_best_and_says_by_how_much(session: Session) -> None:
    found = board(session, look=True)
    assert [row.name for row in found.rows] == ["judge@2", "judge@1"]
    assert found.best is found.rows[0]
    behind = found.rows[1].behind
    assert behind is not None
    assert behind.interval is not None
    assert behind.interval.low > 0
    first, second = (row.held_out for row in found.rows)
    assert first is not None
    assert second is not None
    assert behind.difference == pytest.approx((first.value or 0) - (second.value or 0))
    assert found.sentence.startswith("judge@2 is nearest to people on Accuracy: 0.9")
    assert first.reach is not None
    assert first.reach.people == pytest.approx(found.people.people or 0, abs=0.1)


def test_alike_judges_are_not_told_apart(tmp_path: Path) -> None:
    rows = two_judges(80)
    for number, row in enumerate(rows):
        other = [dict(x) for x in row["scores"] if x["scorer_version"] == "1"]
        other[0] |= {"scorer_version": "3"}
        if number % 9 == 0:
            other[0]["value"] = 3
        row["scores"] = [x for x in row["scores"] if x["scorer_version"] == "1"] + other
    path = build_project(tmp_path / "alike.review", evaluations=rows)
    with closing(Session.open(path, "Lead")) as session:
        found = board(session, look=True)
    assert found.best is None
    assert {row.mark for row in found.rows} == {"not told apart"}
    assert "are not told apart on Accuracy by the labels there are." in found.sentence


def test_nothing_held_out_is_shown_before_somebody_looks(session: Session) -> None:
    found = board(session)
    assert (found.looks, found.recorded, found.unseen) == (0, 0, 2)
    assert [row.held_out for row in found.rows] == [None, None]
    assert {row.reason for row in found.rows} == {leaderboard.NOT_LOOKED}
    assert found.best is None
    # the half for prompts is free, and orders the rows until then
    assert found.rows[0].name == "judge@2"
    assert found.rows[0].dev.value is not None
    assert "not looked at yet" in found.held_out_line
    document = found.to_json()
    assert document["judges"][0]["held_out"]["value"] is None


def test_a_look_counts_once_until_scores_change(project: Path, session: Session) -> None:
    first = board(session, look=True)
    assert (first.looks, first.recorded) == (2, 2)
    assert first.held_out_line == "Held-out half: 40 labelled responses, looked at twice."
    for changed in ({}, {"statistic": "percent"}, {"seed": 3}):
        again = board(session, look=True, **changed)
        assert (again.looks, again.recorded, again.unseen) == (2, 0, 0)
    with closing(Session.open(project, "Somebody else")) as other:
        other.blind = False
        assert board(other, look=True).looks == 2
    with session.project.write() as conn:
        conn.execute(
            "UPDATE scores SET value = 3 WHERE evaluation = 2 AND latest = 1 AND score_set = "
            "(SELECT id FROM score_sets WHERE version = '2')"
        )
        conn.execute("UPDATE counters SET value = value + 1 WHERE name = 'bulk'")
    session.kept.clear()
    hidden = board(session)
    assert row_of(hidden, "judge@2").held_out is None
    assert row_of(hidden, "judge@2").reason == leaderboard.CHANGED
    assert row_of(hidden, "judge@1").held_out is not None
    third = board(session, look=True)
    assert (third.looks, third.recorded) == (3, 1)
    looks = splits.looks(session.project.conn)
    assert [(x.judge, x.labeler, x.metric, x.run) for x in looks] == [
        ("judge@2", "Lead", "accuracy", "agent v7"),
        ("judge@1", "Lead", "accuracy", "agent v7"),
        ("judge@2", "Lead", "accuracy", "agent v7"),
    ]


def test_new_labels_are_no_new_look(session: Session) -> None:
    board(session, look=True)
    with session.project.write() as conn:
        conn.execute("DELETE FROM splits WHERE evaluation = 2")
    again = board(session)
    assert again.unseen == 0
    assert again.held_out_labelled == 40


def test_many_looks_wear_the_half_out(session: Session) -> None:
    assert board(session, look=True).worn is None
    with session.project.write() as conn:
        metric, run = conn.execute("SELECT metric, run FROM held_out_looks").fetchone()
        conn.executemany(
            "INSERT INTO held_out_looks(at, score_set, metric, run, stamp) "
            "VALUES ('', 1, ?, ?, ?)",
            [(metric, run, f"state {number}") for number in range(9)],
        )
    assert board(session).worn == leaderboard.WORN


def test_cost_time_and_flips_stand_beside(tmp_path: Path) -> None:
    rows = [
        record(
            number,
            labels=[said(number % 5 + 1)],
            scores=[
                scored(number % 5 + 1, cost_usd=0.002, latency_ms=100.0,
                       at="2026-11-01T00:00:00Z"),
                scored(
                    number % 5 + 1 if number % 2 else 3, cost_usd=0.004, latency_ms=300.0,
                    at="2026-11-02T00:00:00Z",
                ),
            ],
        )
        for number in range(1, 41)
    ]  # fmt: skip
    path = build_project(tmp_path / "repeats.review", evaluations=rows)
    with closing(Session.open(path, "Lead")) as session:
        usage = board(session).rows[0].usage
    assert usage.calls == 80
    assert usage.per_1000 == pytest.approx(3.0)
    assert usage.cost_usd == pytest.approx(0.24)
    assert (usage.latency_ms, usage.latency_p95) == (200.0, 300.0)
    differ = np.mean([number % 2 == 0 and number % 5 + 1 != 3 for number in range(1, 41)])
    assert usage.flips.rate == pytest.approx(float(differ))
    assert usage.flips.items == 40
    assert usage.spread is not None
    assert usage.spread.within_sd is not None


def test_a_judge_that_scored_only_the_dev_half_has_no_figure(tmp_path: Path) -> None:
    path = build_project(tmp_path / "dev.review", evaluations=two_judges(60))
    with closing(Session.open(path, "Lead")) as session:
        splitting.ensure(session)
        with session.project.write() as conn:
            conn.execute(
                "DELETE FROM scores WHERE score_set = (SELECT id FROM score_sets WHERE version = "
                "'2') AND evaluation NOT IN (SELECT evaluation FROM splits WHERE part = 'dev')"
            )
        found = board(session, look=True)
    second = row_of(found, "judge@2")
    assert (found.looks, found.recorded) == (1, 1)
    assert second.held_out is None
    assert second.reason == "it scored none of the held-out responses"
    assert second.dev.value is not None
    assert found.sentence.endswith("; nobody looked at another one.")


def test_scores_that_still_come_in_are_not_looked_at(session: Session) -> None:
    with session.project.write() as conn:
        conn.execute("UPDATE score_sets SET status = 'running' WHERE version = '2'")
    found = board(session, look=True)
    assert found.recorded == 1
    assert row_of(found, "judge@2").reason == leaderboard.COMING


def test_wrong_wishes_are_said(session: Session) -> None:
    with pytest.raises(ReviewerError, match="cannot be put in order by 'mae'"):
        board(session, statistic="mae")
    with pytest.raises(ReviewerError, match="no metric 'tone'"):
        compare_judges(session, Wanted(metrics=("tone",)))
    with pytest.raises(ReviewerError, match="no run 'x'"):
        compare_judges(session, Wanted(run="x"))


def test_without_labels_there_is_a_reason(tmp_path: Path) -> None:
    with closing(Session.open(build_project(tmp_path / "p.review"), "Lead")) as session:
        found = board(session, look=True)
    assert found.rows[0].held_out is None
    assert found.looks == 0
    assert found.sentence == (
        "Accuracy has 0 labelled responses in the held-out half; a figure needs 5."
    )
    assert found.people.undefined["people"] == (
        "only one person has labelled: there is nobody to compare with"
    )


def test_every_kind_of_scale_has_a_figure_that_suits_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    cases = []
    for number in range(80):
        tone = ("warm", "cold", "odd")[number % 3]
        other = tone if rng.random() < 0.8 else "odd"
        level, share = int(rng.integers(1, 6)), float(rng.uniform(1, 5))
        cases.append(
            case(
                number,
                [score("tone", other), score("share", share + 0.1), score("reversed", level),
                 score("tone", "odd", scorer="dull"), score("share", 2.5, scorer="dull")],
                [label("tone", tone), label("share", share), label("reversed", level),
                 label("length", 4)],
                cluster=f"chat {number // 2}",
            )
        )  # fmt: skip
    path = build_project(tmp_path / "mixed.review", evaluations=cases, rubric=MIXED)
    with closing(Session.open(path, "Lead")) as session:
        found = compare_judges(session, Wanted(look=True))
    assert {name: x.statistic for name, x in found.items()} == {
        "reversed": "kappa_quadratic", "share": "icc", "tone": "kappa",
    }  # fmt: skip
    for name, other in (("tone", "dull"), ("share", "dull")):
        first, second = found[name].rows
        assert (first.name, second.name) == ("judge", other)
        assert first.mark == "best"
        assert first.held_out is not None
        assert first.held_out.interval is not None
        assert (first.held_out.bias is None) is (name == "tone")
    alone = found["reversed"].rows[0].held_out
    assert alone is not None
    assert alone.value == pytest.approx(1.0)
    assert alone.bias == 0
