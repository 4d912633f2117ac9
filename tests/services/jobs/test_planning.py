"""Numbers of judge versions: foreseen in a plan, kept with the job."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.judging import Endpoint, JobPlan, Judge, Selection
from reviewer.services.jobs import planning
from reviewer.services.jobs.estimating import forecast
from reviewer.services.jobs.launching import Wish, launch
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging
from tests.building import build_project
from tests.dumping import dump


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = build_project(tmp_path / "p.review")
    with closing(Session.open(made, "ann")) as session:
        judging.keep(session.project, Endpoint(name="near", base_url="http://127.0.0.1:9/v1"))
        judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    return made


@pytest.fixture
def sessions(path: Path) -> Iterator[tuple[Session, Session]]:
    with closing(Session.open(path, "ann")) as one, closing(Session.open(path, "bo")) as other:
        yield one, other


def planned(session: Session, model: str) -> JobPlan:
    return planning.judging_plan(session, "careful", Selection(), model=model)


def kept(session: Session, plan: JobPlan) -> str:
    return jobs.plan(session.project.conn, planning.add(session, plan)).judge_version


def test_a_plan_keeps_nothing(path: Path) -> None:
    before = dump(path)
    with closing(Session.open(path, "ann")) as session:
        assert [planned(session, x).judge_version for x in ("m", "other")] == ["1", "1"]
    assert dump(path) == before


def test_two_windows_number_what_they_keep_not_what_they_foresaw(
    sessions: tuple[Session, Session],
) -> None:
    one, other = sessions
    mine, theirs = planned(one, "m"), planned(other, "another")
    assert (mine.judge_version, theirs.judge_version) == ("1", "1")
    assert kept(other, theirs) == "1"
    assert kept(one, mine) == "2"
    assert kept(other, planned(other, "m")) == "2"
    assert planned(one, "another").judge_version == "1"
    assert planned(one, "a third").judge_version == "3"


def test_an_estimate_in_the_window_keeps_nothing(path: Path) -> None:
    wishes = (
        Wish(kind="judge", selection=Selection(), judge="careful", metrics=("accuracy",)),
        Wish(kind="judge", selection=Selection(part="dev"), judge="careful"),
        Wish(kind="judge", selection=Selection(), judge="nobody"),
    )
    before = dump(path)
    with closing(Session.open(path, "ann")) as session:
        found = [forecast(session, wish) for wish in wishes]
    assert [x.evaluations for x in found] == [12, 0, 0]
    assert "no judge 'nobody'" in found[2].problem
    assert dump(path) == before
    with closing(Session.open(path, "ann")) as session:
        launch(session, wishes[0])
    assert dump(path) != before
