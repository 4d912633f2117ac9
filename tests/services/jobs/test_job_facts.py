"""What became of a job's scores: made the record, discarded, brought back; by the real loop."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import LabelError, ReviewerError, Silent
from reviewer.domain.judging import Job, JobPlan, Judge, Selection
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.figures import run_records
from reviewer.services.jobs import job_facts, job_list, planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.jobs.job_facts import JobScores
from reviewer.services.jobs.job_list import JobRow
from reviewer.services.labelling import undo
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.store import bulk, from_format_1, jobs
from tests.building import build_project, record

RUN, OLDER = "agent v7", "agent v6"
RUBRIC = Rubric(
    name="keywords",
    metrics=(Metric(name="found", title="Found", scale="range", min=0, max=1),),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    given = [{"metric": "found", "value": 0.5, "scorer": "judge", "scorer_version": "1"}]
    rows = [
        record(n, id=f"{run} {n}", run=run, scores=given)
        for run in (OLDER, RUN)
        for n in range(1, 9)
    ]
    return build_project(tmp_path / "k.review", evaluations=rows, rubric=RUBRIC, runs=(OLDER, RUN))


@pytest.fixture
def session(path: Path) -> Iterator[Session]:
    with closing(Session.open(path, "ann")) as opened:
        opened.blind = False
        yield opened


def work(session: Session, selection: Selection) -> Job:
    plan = planning.scoring_plan(session, selection, scorers=["error_handling"], metrics=["found"])
    key = planning.add(session, plan)
    return running.run(session.project.path, key, Silent(), Control())


def read(session: Session, job: Job) -> JobScores:
    return job_facts.read_scores(session, job.key)


def counting(session: Session, run: str = RUN) -> str | None:
    return run_records.of_run(session, run).metrics[0].counting


def test_a_job_that_ended_whole_changes_nothing_and_is_offered(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    found = read(session, job)
    assert counting(session) == "judge@1"
    assert (found.evaluations, found.may_record, found.may_discard) == (8, True, True)
    assert found.sentence == (
        "error_handling@2 on 8 of 8 does not count for Found of agent v7: judge@1 does, on 8 of 8."
    )
    job_list.name_record(session, job.key)
    found = read(session, job)
    assert counting(session) == "error_handling@2"
    assert not found.may_record
    assert found.sentence == "error_handling@2 counts for Found of agent v7, on 8 of 8."
    assert undo.undo(session)
    assert counting(session) == "judge@1"
    assert read(session, job).may_record


def test_how_few_a_job_scored_is_said_before_it_is_made_the_record(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,), limit=3))
    assert read(session, job).sentence.startswith("error_handling@2 on 3 of 8 does not count")


def test_discarded_scores_are_gone_and_come_back(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    job_list.name_record(session, job.key)
    said = job_list.discard(session, job.key)
    assert said.endswith("Nothing counts for found there now; name another version.")
    found = read(session, job)
    assert (found.discarded, found.may_discard, found.may_record) == (True, False, False)
    assert found.sentence == "The scores of this job were discarded; undo brings them back."
    (row,) = job_list.rows(session)
    assert row.discarded
    assert run_records.of_run(session, RUN).metrics[0].found.reason is not None
    with pytest.raises(ReviewerError, match="discarded already"):
        job_list.discard(session, job.key)
    undo.undo(session)
    found = read(session, job)
    assert (found.discarded, found.evaluations) == (False, 8)
    assert counting(session) == "error_handling@2"


def test_a_large_discard_tells_how_far_it_is(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = work(session, Selection(runs=(RUN,)))
    monkeypatch.setattr(bulk, "STEP", 90)
    told: list[tuple[int, int | None]] = []

    class Told(Silent):
        def advance(self, done: int, total: int | None, note: str = "") -> None:
            told.append((done, total))
            assert not note

    job_list.discard(session, job.key, Told())
    assert told == [(3, 8), (6, 8), (8, 8)]
    assert read(session, job).discarded
    undo.undo(session)
    assert read(session, job).evaluations == 8


def test_a_job_that_took_the_newest_run_counts_in_the_run_of_its_time(
    session: Session,
) -> None:
    job = work(session, Selection())
    with session.project.write() as conn:
        conn.execute(
            "INSERT INTO runs(id, name, rubric, imported_at, source, import) "
            "SELECT 3, 'agent v8', rubric, imported_at, source, import FROM runs WHERE id = 2"
        )
    job_list.name_record(session, job.key)
    assert counting(session) == "error_handling@2"


def test_a_cancelled_job_is_not_offered_and_can_be_discarded(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    jobs.settle(session.project, job.key, "cancelled", "Cancelled.")
    found = read(session, job)
    assert (found.may_record, found.may_discard) == (False, True)
    with pytest.raises(ReviewerError, match="only what has ended whole can count"):
        job_list.name_record(session, job.key)
    job_list.discard(session, job.key)
    assert read(session, job).discarded


def test_a_job_of_before_the_conversion_says_why_not(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    with session.project.write() as conn:
        conn.execute("UPDATE scores SET job = NULL")
    session.project.set_setting(from_format_1.LAST_JOB, str(job.key))
    found = read(session, job)
    assert not found.may_discard
    assert "made by an older version of Reviewer" in found.problem


def test_a_labeler_reads_but_may_do_nothing(session: Session) -> None:
    profiles.add(session, "ben")
    job = work(session, Selection(runs=(RUN,)))
    with closing(Session.open(session.project.path, "ben")) as other:
        found = read(other, job)
        assert found.sentence
        assert not found.may_record
        assert not found.may_discard
        with pytest.raises(LabelError, match="Only a lead"):
            job_list.discard(other, job.key)
        with pytest.raises(LabelError, match="Only a lead"):
            job_list.name_record(other, job.key)


def test_what_a_job_scored_beside_the_record_is_told_with_the_way_on(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    assert job_list.not_counted(session, [job.key]) == [
        "error_handling@2 does not count for found: judge@1 does. `judges PROJECT record "
        '"error_handling@2"` or `evaluate --record` would let it.'
    ]
    job_list.name_record(session, job.key)
    assert job_list.not_counted(session, [job.key]) == []


def listed(key: int, model: str, **changed: Any) -> JobRow:
    judge = Judge(name="careful", endpoint="near", model=model)
    title = "careful judges found"
    plan = JobPlan(kind="judge", title=title, judge=judge, **changed)
    return JobRow(Job(key=key, kind="judge", title=title, state="done"), "done", plan)


def test_jobs_of_one_title_say_what_differs() -> None:
    rows = [listed(1, "qwen3"), listed(2, "qwen3", repeats=3), listed(3, "gpt-4o")]
    assert job_facts.apart(rows) == {
        1: "model qwen3, temperature 0",
        2: "model qwen3, temperature 0 · repeats 3",
        3: "model gpt-4o, temperature 0",
    }
    # one alone, and those that differ in nothing, need no more words
    assert job_facts.apart(rows[:1]) == {1: ""}
    assert job_facts.apart([rows[0], listed(4, "qwen3")]) == {1: "", 4: ""}
    # another selection stands below the title anyway
    other = listed(5, "gpt-4o", selection=Selection(runs=(RUN,)))
    assert job_facts.apart([rows[0], other]) == {1: "", 5: ""}


@pytest.mark.parametrize(("model", "priced"), [("gpt-4o", True), ("mine", False)])
def test_a_job_tells_whether_its_price_is_known(
    session: Session, model: str, priced: bool
) -> None:
    key = jobs.add(session.project, listed(1, model).plan, 8)
    assert job_list.row(session, job_list.get(session, key)).priced is priced


def test_what_asks_nobody_has_a_known_price(session: Session) -> None:
    job = work(session, Selection(runs=(RUN,)))
    assert job_list.row(session, job).priced
