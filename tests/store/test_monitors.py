"""Monitors that look by themselves: one process at a time."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.evaluation import now_text
from reviewer.domain.judging import JobPlan
from reviewer.domain.monitoring import Monitor
from reviewer.store import jobs, monitors
from reviewer.store.jobs import Counts
from reviewer.store.monitors import FileRow, FileState, Kept
from reviewer.store.project import Project

RUBRIC = "agent-rubric"
OTHER = f"{os.getppid()}@{socket.gethostname()}"
DEAD = f"{2**22 + 1}@{socket.gethostname()}"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.review") as made:
        monitors.watch(made, monitors.keep(made, Monitor(rubric=RUBRIC)).key)
        yield made


def kept(project: Project) -> Kept:
    found = monitors.find(project, RUBRIC)
    assert found is not None
    return found


def watched_by(project: Project, owner: str) -> Kept:
    with project.write() as conn:
        conn.execute("UPDATE monitors SET watcher = ?, watcher_at = ?", (owner, now_text()))
    return kept(project)


def watcher(project: Project) -> str | None:
    found = kept(project).watcher
    return None if found is None else found[0]


def test_what_a_living_process_watches_no_other_takes(project: Project) -> None:
    theirs = watched_by(project, OTHER)
    assert not monitors.take_watch(project, theirs)
    assert watcher(project) == OTHER


def test_what_a_process_left_behind_is_taken_over(project: Project) -> None:
    assert monitors.take_watch(project, watched_by(project, DEAD))
    mine = watcher(project)
    assert mine not in (None, DEAD)
    # who watches goes on
    assert monitors.take_watch(project, kept(project))
    assert watcher(project) == mine


def test_of_two_that_saw_it_free_the_faster_has_it(project: Project) -> None:
    seen = kept(project)
    assert seen.watcher is None
    watched_by(project, OTHER)
    assert not monitors.take_watch(project, seen)
    assert watcher(project) == OTHER


def test_whoever_leaves_gives_back_only_what_is_theirs(project: Project) -> None:
    watched_by(project, OTHER)
    monitors.leave_watch(project)
    assert watcher(project) == OTHER
    watched_by(project, DEAD)
    monitors.take_watch(project, kept(project))
    monitors.leave_watch(project)
    assert watcher(project) is None


def test_a_monitor_at_work_is_nobody_elses(project: Project) -> None:
    key = kept(project).key
    with project.write() as conn:
        conn.execute("UPDATE monitors SET owner = ?, since = ?", (OTHER, now_text()))
    assert not monitors.claim(project, key)
    monitors.let_go(project, key)
    assert monitors.claim(project, key)
    with project.write() as conn:
        conn.execute("UPDATE monitors SET owner = ?, since = ?", (DEAD, now_text()))
    assert monitors.claim(project, key)


def test_a_watch_is_said_anew_before_others_take_it_for_gone(project: Project) -> None:
    monitors.take_watch(project, kept(project))
    fresh = kept(project)
    assert monitors.take_watch(project, fresh)
    assert kept(project).watcher == fresh.watcher
    with project.write() as conn:
        conn.execute("UPDATE monitors SET watcher_at = '2026-11-01T00:00:00Z'")
    assert monitors.take_watch(project, kept(project))
    found = kept(project).watcher
    assert found is not None
    assert found[1] > "2026-11-01T00:00:00Z"
    assert found[0] == watcher(project)


def test_a_watch_that_is_begun_again_is_as_old_as_before(project: Project) -> None:
    with project.write() as conn:
        conn.execute("UPDATE monitors SET watched = '2026-11-01T00:00:00Z'")
    monitors.watch(project, kept(project).key)
    assert kept(project).watched == "2026-11-01T00:00:00Z"


def test_a_status_is_told_once_with_the_one_before(project: Project) -> None:
    key = kept(project).key
    told = [monitors.change_status(project, key, x) for x in ("healthy", "healthy", "warning")]
    assert told == [None, None, "healthy"]
    assert kept(project).status == "warning"


def test_the_outcome_of_a_job_is_taken_over_once(project: Project) -> None:
    key = kept(project).key
    assert (monitors.open_job(project, key), monitors.last_job(project, key)) == (None, None)
    first, second = (jobs.add(project, JobPlan(kind="judge", title="A job"), 1) for _ in range(2))
    for job, dollars in ((first, 0.5), (second, 0.25)):
        monitors.note_job(project, key, job)
        with project.write() as conn:
            jobs.count(conn, job, Counts(cost_usd=dollars))
    assert monitors.open_job(project, key) == second
    monitors.settle(project, key, (), job=second)
    assert monitors.open_job(project, key) == first
    monitors.settle(project, key, (), job=first)
    assert (monitors.open_job(project, key), monitors.last_job(project, key)) == (None, second)
    assert kept(project).spent_usd == 0.75


@pytest.mark.parametrize(("state", "known"), [("imported", True), ("failed", False)])
def test_only_content_that_was_imported_is_known(
    project: Project, state: FileState, *, known: bool
) -> None:
    row = FileRow("in", "a.jsonl", 7, 1, "f00d", state, None, "2026-11-01T00:00:00Z")
    monitors.keep_file(project, row)
    assert (monitors.file_with(project, "f00d") == row) is known
    assert monitors.file_with(project, "beef") is None
    assert monitors.files(project, "in") == {"a.jsonl": row}
    assert monitors.files(project, "out") == {}
