"""Jobs: who works on one, who came before, and what belongs to one limit."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.domain.judging import Attempt, AttemptState, JobKind, JobPlan
from reviewer.store import jobs, owners
from reviewer.store.jobs import Counts
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.review") as made:
        yield made


@pytest.fixture
def other() -> Iterator[str]:
    """Another living process, as jobs name it."""
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        yield owners.owner_name().replace(str(os.getpid()), str(process.pid), 1)
        process.communicate(b"\n", timeout=60)


def add(project: Project, kind: JobKind = "judge", after: int | None = None) -> int:
    return jobs.add(project, JobPlan(kind=kind, title="A job", after=after), 1)


def spend(project: Project, key: int, dollars: float) -> None:
    with project.write() as conn:
        jobs.count(conn, key, Counts(cost_usd=dollars))


def test_a_job_is_taken_by_one_living_process(project: Project, other: str) -> None:
    key = add(project)
    # whoever goes on with a job was born long after its first start
    with project.write() as conn:
        conn.execute("UPDATE jobs SET started_at = '2020-01-01T00:00:00Z'")
    jobs.take(project, key, other)
    assert jobs.at_work(jobs.get(project.conn, key))
    with pytest.raises(ProjectError, match="already running in another window or program"):
        jobs.take(project, key, owners.owner_name())
    jobs.settle(project, key, "paused")
    assert not jobs.at_work(jobs.take(project, key, owners.owner_name()))


def test_the_later_of_two_knows_the_earlier(project: Project, other: str) -> None:
    first, second = add(project), add(project)
    jobs.take(project, second, other)
    jobs.take(project, first, owners.owner_name())
    assert [x.key for x in jobs.taken_before(project.conn, first)] == [second]
    assert jobs.taken_before(project.conn, second) == ()
    jobs.settle(project, second, "done")
    assert jobs.taken_before(project.conn, first) == ()


def test_a_bot_and_those_who_score_its_answers_share_what_they_spend(project: Project) -> None:
    bot, strange = add(project, "bot"), add(project)
    judges = [add(project, after=bot) for _ in range(2)]
    for key, dollars in ((bot, 1.0), (strange, 8.0), (judges[0], 2.0), (judges[1], 4.0)):
        spend(project, key, dollars)
    assert jobs.spent_beside(project.conn, judges[0]) == 5.0
    assert jobs.spent_beside(project.conn, judges[1]) == 3.0
    assert jobs.spent_beside(project.conn, strange) == 0.0


def test_jobs_that_were_asked_for_together_share_what_they_spend(project: Project) -> None:
    first = add(project)
    others = [
        jobs.add(project, JobPlan(kind="judge", title="Another", shares=first), 1)
        for _ in range(2)
    ]
    for key, dollars in ((first, 1.0), (others[0], 2.0), (others[1], 4.0), (add(project), 8.0)):
        spend(project, key, dollars)
    together = [first, *others]
    assert [jobs.spent_beside(project.conn, key) for key in together] == [6.0, 5.0, 3.0]
    assert [x.key for x in jobs.sharing(project.conn, first)] == others
    assert [x.key for x in jobs.sharing(project.conn, others[0])] == [first, others[1]]


def test_what_a_job_took_adds_up(project: Project) -> None:
    key, other = add(project), add(project)
    told = Counts()
    for more in (
        Counts(done=4, failed=1, calls=6, cached=2, cost_usd=0.5, tokens_in=70, tokens_out=8),
        Counts(done=1, calls=1, cost_usd=0.25, tokens_in=3),
    ):
        told.add(more)
        with project.write() as conn:
            jobs.count(conn, key, more)
    found = jobs.get(project.conn, key)
    for sums in (found, told):
        assert (sums.done, sums.failed, sums.calls, sums.cached) == (5, 1, 7, 2)
        assert (sums.cost_usd, sums.tokens_in, sums.tokens_out) == (0.75, 73, 8)
    assert jobs.get(project.conn, other).calls == 0


@pytest.fixture
def judged(tmp_path: Path) -> Iterator[Project]:
    """A project of six responses, whose first metric is number 1."""
    with Project.open(build_project(tmp_path / "judged.review", evaluations=6)) as opened:
        yield opened


def attempt(
    project: Project, key: int, evaluation: int, state: AttemptState, kind: str | None = None
) -> None:
    made = Attempt(
        evaluation=evaluation, metric="accuracy", repeat=0, state=state, kind=kind,
        at=f"2026-11-01T12:00:{key:02}Z",
    )  # fmt: skip
    with project.write() as conn:
        jobs.keep(conn, key, [(made, 1)])
        jobs.count(conn, key, Counts(failed=int(state == "failed"), done=int(state != "failed")))


def test_what_failed_is_counted_by_kind_and_tried_again(judged: Project) -> None:
    key = add(judged)
    kinds = ("reply", "limit", "limit", "prompt")
    for evaluation, kind in enumerate(kinds, start=1):
        attempt(judged, key, evaluation, "failed", kind)
    attempt(judged, key, 5, "excluded", "excluded")
    attempt(judged, key, 6, "done")
    jobs.settle(judged, key, "done")
    assert list(jobs.failure_counts(judged.conn, key).items()) == [
        ("limit", 2), ("prompt", 1), ("reply", 1),
    ]  # fmt: skip
    assert [x.evaluation for x in jobs.failures(judged.conn, key)] == [1, 2, 3, 4, 5]
    before = jobs.series(judged, key)
    assert jobs.series(judged, key) == before
    assert jobs.forget_failures(judged, key) == 4
    assert jobs.series(judged, key) != before
    found = jobs.get(judged.conn, key)
    assert (found.state, found.done, found.failed) == ("waiting", 2, 0)
    assert {x[0] for x in jobs.settled(judged.conn, key)} == {5, 6}
    jobs.settle(judged, key, "done")
    assert jobs.forget_failures(judged, key) == 0
    assert jobs.get(judged.conn, key).state == "done"


def test_a_later_job_makes_good_what_failed(judged: Project) -> None:
    first, later = add(judged), add(judged)
    for evaluation in (1, 2, 3):
        attempt(judged, first, evaluation, "failed", "reply")
    attempt(judged, later, 1, "done")
    attempt(judged, later, 2, "failed", "reply")
    assert jobs.last_failed(judged.conn, [1, 2]) == {2}
    assert jobs.last_failed(judged.conn, [1, 2, 3, 4]) == {2, 3}


def test_a_run_is_promised_until_it_is_made_or_called_off(project: Project) -> None:
    keys = [
        jobs.add(project, JobPlan(kind="bot", title="A job", target_run=run), 1)
        for run in ("made", "called off", "under way", "planned")
    ]
    jobs.settle(project, keys[0], "done")
    jobs.settle(project, keys[1], "cancelled")
    jobs.settle(project, keys[2], "paused")
    assert jobs.promised_runs(project.conn) == {"under way", "planned"}
