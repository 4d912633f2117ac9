"""Jobs: who works on one, who came before, and what belongs to one limit."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.domain.job import JobKind, JobPlan
from reviewer.store import jobs, leftovers
from reviewer.store.jobs import Counts
from reviewer.store.project import Project


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.review") as made:
        yield made


@pytest.fixture
def other() -> Iterator[str]:
    """Another living process, as jobs name it."""
    words = [sys.executable, "-c", "input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE) as process:
        yield leftovers.owner_name().replace(str(os.getpid()), str(process.pid), 1)
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
        jobs.take(project, key, leftovers.owner_name())
    jobs.settle(project, key, "paused")
    assert not jobs.at_work(jobs.take(project, key, leftovers.owner_name()))


def test_the_later_of_two_knows_the_earlier(project: Project, other: str) -> None:
    first, second = add(project), add(project)
    jobs.take(project, second, other)
    jobs.take(project, first, leftovers.owner_name())
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
