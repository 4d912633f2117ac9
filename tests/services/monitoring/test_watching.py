"""Monitors that look by themselves: for leads, here, by one program at a time."""

import os
import shutil
import socket
from pathlib import Path

import pytest

from reviewer.domain.change import MonitorsChanged
from reviewer.domain.errors import ReviewerError, Silent
from reviewer.services.monitoring import watching
from reviewer.services.monitoring.watching import Outcome, Watched, Watches
from reviewer.services.project.session import Session
from tests.services.monitoring import production

RUBRIC = "agent-rubric"
OTHER = f"{os.getppid()}@{socket.gethostname()}"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    file = production.write(tmp_path / "r.jsonl", [production.record("a"), production.record("b")])
    path = production.imported(tmp_path / "p.review", file)
    production.keep(path)
    session = opened(path, "lead")
    watching.begin(session, RUBRIC)
    with session.project.write() as conn:
        conn.execute(
            "INSERT INTO labelers(name, role) VALUES ('lead', 'lead'), ('ann', 'labeler')"
        )
    session.close()
    return path


def opened(path: Path, labeler: str) -> Session:
    return Session.open(path, labeler)


def turn(
    path: Path, labeler: str = "lead", watches: Watches | None = None
) -> list[Outcome] | None:
    session = opened(path, labeler)
    try:
        return watching.turn(session, {} if watches is None else watches, Silent())
    finally:
        session.close()


def where(path: Path, labeler: str = "lead") -> str:
    session = opened(path, labeler)
    found = watching.standing(session, RUBRIC)
    session.close()
    assert isinstance(found, Watched)
    return found.where


def test_a_lead_looks_in_turn(project: Path) -> None:
    assert where(project) == "waits"
    found = turn(project)
    assert found is not None
    (outcome,) = found
    assert outcome.looked is not None
    assert outcome.looked.sampled == 2
    assert where(project) == "here"


def test_nothing_watched_needs_no_turn(tmp_path: Path) -> None:
    path = production.empty(tmp_path / "empty.review")
    production.keep(path)
    assert turn(path) is None


def test_whoever_is_no_lead_does_not_look(project: Path) -> None:
    assert turn(project, "ann") == []
    assert where(project, "ann") == "lead"
    session = opened(project, "ann")
    for act in (watching.begin, watching.end):
        with pytest.raises(ReviewerError, match="Only a lead can"):
            act(session, RUBRIC)
    session.close()


def test_a_lead_who_leaves_the_seat_leaves_the_watch(project: Path) -> None:
    turn(project)
    assert where(project) == "here"
    assert turn(project, "ann") == []
    assert where(project) == "waits"


def test_two_programs_do_not_both_watch(project: Path) -> None:
    production.watched_by(project, OTHER)
    assert where(project) == "elsewhere"
    assert turn(project) == []
    # a process that died watches nothing
    production.watched_by(project, f"{2**22 + 1}@{socket.gethostname()}")
    assert len(turn(project) or []) == 1


def test_a_copy_does_not_watch_before_somebody_says_so(project: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.review"
    shutil.copy(project, copy)
    assert where(copy) == "unconfirmed"
    assert turn(copy) == []
    session = opened(copy, "lead")
    before = watching.standing(session, RUBRIC)
    watching.begin(session, RUBRIC)
    after = watching.standing(session, RUBRIC)
    session.close()
    assert before is not None
    assert after == Watched(before.since, "waits")


def test_another_folder_is_watched_from_the_next_look_on(project: Path, tmp_path: Path) -> None:
    watches: Watches = {}
    turn(project, watches=watches)
    folder = tmp_path / "in"
    folder.mkdir()
    production.write(folder / "new.jsonl", [production.record("x")])
    production.keep(project, folder=str(folder))
    looked = [turn(project, watches=watches) for _ in range(3)]
    assert sum(x.looked.fed.records for found in looked for x in found or () if x.looked) == 1


def test_other_windows_hear_of_it(project: Path) -> None:
    session = opened(project, "ann")
    heard: list[object] = []
    session.subscribe(heard.append)
    turn(project)
    session.poll()
    assert MonitorsChanged() in heard
    heard.clear()
    turn(project)
    session.poll()
    # a look that finds nothing new changes nothing
    assert heard == []
    session.close()


def test_a_watch_that_was_ended_is_nobodys(project: Path) -> None:
    turn(project)
    session = opened(project, "lead")
    watching.end(session, RUBRIC)
    assert watching.standing(session, RUBRIC) is None
    session.close()
    assert turn(project) is None


def test_what_is_tried_again_later_stands_until_then(project: Path) -> None:
    unscored = production.write(project.with_name("x.jsonl"), [production.record("x", None)])
    production.imported(project, unscored)
    production.keep(project, judge="nobody")
    watches: Watches = {}

    def problems() -> list[str]:
        return [x.looked.problem for x in turn(project, watches=watches) or () if x.looked]

    (first,) = problems()
    assert "no judge 'nobody'" in first
    assert problems() == [first]
    # with other settings it is tried at once
    production.keep(project, judge=None)
    assert problems() == [""]
    assert problems() == [""]
