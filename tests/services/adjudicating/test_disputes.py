"""The list holds what differs, says how it stands, and sorts without reading a row."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from reviewer.domain.run import Scope
from reviewer.services.adjudicating import decisions, disputes
from reviewer.services.adjudicating.decisions import decide, record_cause
from reviewer.services.adjudicating.disputes import Disputes, Order, Standing
from reviewer.services.audits import auditing
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from tests.services.adjudicating.deciding_projects import judge, opened


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with opened(tmp_path) as session:
        yield session


def found(session: Session, scope: Scope | None = None) -> Disputes:
    audit = auditing.compute(session, StatsRequest(scope=scope or Scope()))
    return disputes.of_metric(session, audit, "accuracy")


def standings(session: Session) -> dict[str, str | None]:
    listed = found(session)
    rows = disputes.rows(session, listed, listed.keys.tolist())
    return {row.id[-1]: row.standing for row in rows}


def test_what_differs_is_listed_with_gap_and_spread(session: Session) -> None:
    listed = found(session)
    rows = disputes.rows(session, listed, listed.keys.tolist())
    assert [judge(n) for n in (1, 2, 3, 4)] == [3, 4, 5, 1]
    assert [(x.id, x.auto, x.human, x.gap, x.spread) for x in rows] == [
        ("c-0001", 3, 2, -1, 0),
        ("c-0002", 4, 2.5, -1.5, 3),
        ("c-0004", 1, pytest.approx(13 / 3), pytest.approx(10 / 3), 1),
    ]
    assert listed.keys[listed.in_order(listed.wanted(), Order.GAP, descending=True)].tolist() == [
        4, 2, 1,
    ]  # fmt: skip
    by_spread = listed.in_order(listed.wanted(), Order.SPREAD, descending=True)
    assert listed.keys[by_spread].tolist() == [2, 4, 1]
    by_date = listed.in_order(listed.wanted(), Order.DATE, descending=False)
    assert listed.keys[by_date].tolist() == [1, 2, 4]


def test_how_a_disagreement_stands(session: Session) -> None:
    assert standings(session) == {"1": "open", "2": "disputed", "4": "disputed"}
    decisions.ask(session, 2, "accuracy", "bo", "Sure?")
    decide(session, 4, "accuracy", 1)
    decide(session, 3, "accuracy", 5)
    assert standings(session) == {
        "1": "open", "2": "asked", "3": "adjudicated", "4": "adjudicated",
    }  # fmt: skip
    session.set_labeler("bo")
    entering.commit(session, 2, "accuracy", 3)
    entering.commit(session, 4, "accuracy", 2)
    session.set_labeler("ann")
    assert standings(session) == {
        "1": "open", "2": "answered", "3": "adjudicated", "4": "newer labels",
    }  # fmt: skip
    assert found(session).human[-1] == 1
    decide(session, 2, "accuracy", 3)
    assert standings(session)["2"] == "adjudicated"
    listed = found(session)
    assert listed.standing_counts()[Standing.DECIDED] == 2
    wanted = listed.wanted(Standing.OUTDATED)
    assert listed.keys[wanted].tolist() == [4]


@pytest.mark.parametrize("counted", [True, False])
def test_a_decision_stands_at_once_as_in_a_list_read_anew(session: Session, counted: bool) -> None:
    scope = Scope(decisions=counted)
    audit = auditing.compute(session, StatsRequest(scope=scope))
    before = disputes.of_metric(session, audit, "accuracy")
    decide(session, 2, "accuracy", 5, "")
    at_once, anew = disputes.restated(session, audit, before), found(session, scope)
    assert at_once.human.tolist() == anew.human.tolist()
    assert at_once.human[1] == (5 if counted else 2.5)
    assert at_once.standings.tolist() == anew.standings.tolist()


def test_exports_list_decisions_before_newer_labels(session: Session) -> None:
    decide(session, 2, "accuracy", 5)
    decide(session, 4, "accuracy", 5)
    session.set_labeler("bo")
    entering.commit(session, 4, "accuracy", 2)
    request = ExportRequest(what="disagreements")
    rows = exporting.preview(session.project, request).rows
    assert {x["id"]: x["state"] for x in rows if x["metric"] == "accuracy"} == {
        "c-0001": "open", "c-0002": "decided", "c-0004": "decided before newer labels",
    }  # fmt: skip


def test_causes_filter_the_list(session: Session) -> None:
    record_cause(session, 1, "accuracy", "judge_wrong")
    record_cause(session, 3, "accuracy", "both_defensible")
    listed = found(session)
    assert listed.counts()["judge_wrong"] == 1
    assert listed.keys[listed.wanted(cause="judge_wrong")].tolist() == [1]
    (row,) = disputes.rows(session, listed, [3])
    assert (row.standing, row.cause) == (None, "both_defensible")


def test_blind_labelers_see_only_what_they_have_scored(session: Session) -> None:
    session.set_labeler("zoe")
    assert (found(session).keys.tolist(), found(session).left_out) == ([4], 2)
    session.blind = False
    assert found(session).keys.tolist() == [1, 2, 4]


def test_excluded_responses_are_no_disagreement(session: Session) -> None:
    bulk_acts.exclude(session, [2], "load test")
    assert found(session).keys.tolist() == [1, 4]


def test_any_responses_can_be_listed(session: Session) -> None:
    audit = auditing.compute(session, StatsRequest(scope=Scope()))
    listed = disputes.of_responses(session, audit, "accuracy", [3, 4, 99])
    assert listed.keys.tolist() == [3, 4]
    assert [x.standing for x in disputes.rows(session, listed, [3, 4])] == [None, "disputed"]


def test_how_sure_the_judge_is_sorts_where_it_says_so(tmp_path: Path) -> None:
    with opened(tmp_path) as session:
        listed = found(session)
        assert not disputes.load_confidence(session, listed)
        with session.project.write() as conn:
            conn.execute(
                "UPDATE scores SET extra = json_object('confidence', 0.1 * evaluation) "
                "WHERE metric = (SELECT id FROM metrics WHERE name = 'accuracy') "
                "AND evaluation <> 2"
            )
        assert disputes.load_confidence(session, listed)
        order = listed.in_order(listed.wanted(), Order.CONFIDENCE, descending=True)
        assert listed.keys[order].tolist() == [4, 1, 2]
        order = listed.in_order(listed.wanted(), Order.CONFIDENCE, descending=False)
        assert listed.keys[order].tolist() == [1, 4, 2]
        assert np.isclose(listed.confidence[4], 0.4)


def test_responses_that_are_not_in_the_list_have_no_row(session: Session) -> None:
    listed = found(session)
    # one between its responses, and one behind the last
    assert [x.id for x in disputes.rows(session, listed, [2, 3, 8])] == ["c-0002"]
