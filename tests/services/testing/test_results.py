"""A test set's results over runs, side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.testing import results, sets
from reviewer.services.upkeep import projects
from reviewer.store import reading


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    path = projects.make_demo(tmp_path / "d.review", None, Silent())
    opened = Session.open(path, "lead")
    opened.blind = False
    yield opened
    opened.close()


def test_the_demo_has_a_test_set_with_results_of_both_runs(session: Session) -> None:
    tests = sets.get(session)
    assert (tests.name, tests.rubric, len(tests.cases)) == (
        "house questions", "guest-response", 32,
    )  # fmt: skip
    found = results.across(session, tests)
    old, new = found.runs
    assert (old.run, new.run) == ("2026-11-04 agent v6", "2026-11-18 agent v7")
    assert len(old.cells) == len(new.cells) == 30
    assert "parking-again" not in new.cells
    assert (old.judged, new.judged) == (29, 29)
    assert new.passed > old.passed
    assert old.passed == sum(bool(x.passed) for x in old.cells.values())
    assert "c-0003" in found.unstable()
    cell = new.cells["c-0003"]
    place = session.place(cell.evaluation)
    assert place[1].startswith("c-0003")


def test_the_overall_is_that_of_the_evaluation(session: Session) -> None:
    cell = results.across(session, sets.get(session)).runs[-1].cells["c-0002"]
    scores = {}
    for score, _, latest in reading.scores(session.project.conn, cell.evaluation):
        if latest:
            scores[score.metric] = score.value
    values = [float(x) for x in scores.values() if isinstance(x, int | float)]
    assert cell.overall == pytest.approx(sum(values) / len(values))


def test_what_the_labeler_has_to_answer_is_held_back(session: Session) -> None:
    tests = sets.get(session)
    key = results.across(session, tests).runs[-1].cells["c-0002"].evaluation
    session.blind = True
    entering.commit(session, key, "accuracy", 4)
    cell = results.across(session, tests).runs[-1].cells["c-0002"]
    assert cell.held
    assert cell.overall is None
    assert cell.passed is None
    session.blind = False
    assert not results.across(session, tests).runs[-1].cells["c-0002"].held


def test_a_labeler_who_does_not_lead_sees_what_they_answered(session: Session) -> None:
    tests = sets.get(session)
    key = results.across(session, tests).runs[-1].cells["c-0002"].evaluation
    session.blind = True
    entering.commit(session, key, "accuracy", 4)
    session.set_labeler("a second one")
    entering.commit(session, key, "accuracy", 4)
    assert session.labeler.role == "labeler"
    assert all(x.held for x in results.across(session, tests).runs[-1].cells.values())
    for metric in ("relevance", "safety"):
        entering.commit(session, key, metric, 4)
    shown = [x for x in results.across(session, tests).runs[-1].cells.values() if not x.held]
    assert [x.evaluation for x in shown] == [key]


def test_responses_of_the_newest_run(session: Session) -> None:
    found = results.responses(session, sets.get(session))
    assert len(found) >= 25
    assert "c-0002" in found
