"""Jobs in real processes: progress, pause, cancel, death, and labels given meanwhile."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.jobs import job_words, jobs_at_work
from reviewer.gui.jobs.jobs_at_work import JobAtWork
from reviewer.gui.jobs_watch import JobsWatch
from reviewer.gui.kit.notices import Kind
from reviewer.services.jobs.control import LOOK_EVERY
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import KEY, Desk, Provider, odd_one_out
from tests.servers.model_server import Answer, Body


def test_a_job_runs_to_its_end_in_a_process_of_its_own(desk: Desk, provider: Provider) -> None:
    seen: list[str] = []
    desk.jobs.moved.connect(
        lambda key: seen.append(job_words.progress(job)) if (job := desk.jobs.job(key)) else None
    )
    key = desk.start()
    assert desk.wait_end()[1:3] == ("careful judges accuracy", "done")
    assert provider.asked == 40
    assert any("of 40" in words and "answered" in words for words in seen)
    row = desk.row(key)
    assert (row.state, row.done, row.failed) == ("done", 40, 0)
    assert desk.window.notices.notices[-1].kind is Kind.NOTE


def test_the_status_bar_tells_it_on_every_page(desk: Desk, provider: Provider) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=6)
    key = desk.start()
    desk.wait_done(key, 5)
    status = desk.window.status
    button = next(x for x in status.findChildren(type(status._jobs)) if x is status._jobs)
    assert button.isVisible()
    desk.wait(lambda: "of 40" in button.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    page = desk.window.page
    assert page is not None
    assert type(page).__name__ == "RunsPage"
    gate.set()
    desk.wait_end()
    assert not button.isVisible()


def test_a_pause_keeps_what_is_under_way_and_nothing_is_paid_twice(
    desk: Desk, provider: Provider
) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=10, rest=2 * LOOK_EVERY)
    key = desk.start()
    desk.wait_done(key, 8)
    desk.jobs.pause(key)
    job = desk.jobs.job(key)
    assert job is not None
    assert job.doing == "pausing"
    gate.set()
    assert desk.wait_end()[2:] == ("paused", "Paused.")
    row = desk.row(key)
    assert row.state == "paused"
    assert row.done == provider.asked < 40
    provider.answer = lambda _number, _body: Answer()
    desk.start(key)
    assert desk.wait_end(2)[2] == "done"
    assert provider.asked == 40


def test_a_job_that_asks_the_same_waits_and_says_so(desk: Desk, provider: Provider) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=6)
    first = desk.start()
    desk.wait_done(first, 5)
    second = desk.start()
    job = desk.jobs.job(second)
    assert job is not None
    desk.wait(lambda: f"waits for job {first}, which asks the same" in job_words.progress(job))
    gate.set()
    desk.wait_end(2)
    assert (provider.asked, desk.row(second).cached) == (40, 40)
    assert "waits" not in job_words.progress(job)


def test_a_cancel_drops_what_is_under_way(desk: Desk, provider: Provider) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=4)
    key = desk.start()
    desk.wait_done(key, 3)
    desk.jobs.cancel(key)
    assert desk.wait_end()[2] == "cancelled"
    assert not gate.is_set()
    gate.set()
    assert desk.row(key).state == "cancelled"


def test_a_process_that_does_not_react_is_ended(
    desk: Desk, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_at_work, "PATIENCE_MS", 200)
    gate = threading.Event()
    provider.answer = Gated(gate, after=4)
    key = desk.start()
    desk.wait_done(key, 3)
    process = desk.jobs.process(key)
    assert process is not None
    os.kill(process.number, signal.SIGSTOP)
    desk.jobs.cancel(key)
    assert desk.wait_end()[2] == "cancelled"
    gate.set()
    assert desk.row(key).state == "cancelled"


def test_a_killed_process_is_a_sentence_and_nothing_is_paid_twice(
    desk: Desk, provider: Provider
) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=12)
    key = desk.start()
    desk.wait_done(key, 10)
    process = desk.jobs.process(key)
    assert process is not None
    os.kill(process.number, signal.SIGKILL)
    _, _, state, sentence = desk.wait_end()
    assert state == "interrupted"
    assert "ended unexpectedly" in sentence
    assert "resume" in sentence
    assert desk.window.notices.notices[-1].kind is Kind.ERROR
    gate.set()
    kept = desk.row(key).done
    assert kept >= 10
    before = provider.asked
    desk.start(key)
    assert desk.wait_end(2)[2] == "done"
    assert provider.asked - before == 40 - kept
    assert desk.row(key).done == 40


def test_a_label_is_saved_while_a_job_runs(desk: Desk, provider: Provider) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=6)
    key = desk.start()
    desk.wait_done(key, 5)
    session = desk.window.session
    page = desk.window.page
    assert session is not None
    assert page is not None
    assert page.view is not None
    shown = page.view.evaluation.key
    QTest.keyClick(desk.window, Qt.Key.Key_2)
    assert desk.jobs.job(key) is not None
    with closing(Session.open(desk.path, session.labeler.name)) as other:
        assert [x.value for x in reading.view(other, shown).own.values()] == [2]
    gate.set()
    assert desk.wait_end()[2] == "done"


def test_failed_calls_are_told_and_tried_again(desk: Desk, provider: Provider) -> None:
    provider.answer = odd_one_out("Question 7:")
    key = desk.start()
    assert desk.wait_end()[2] == "done"
    watch = desk.window.findChild(JobsWatch)
    assert isinstance(watch, JobsWatch)
    desk.wait(lambda: watch.failed == key)
    status = desk.window.status
    assert status._failures.text() == "1 failed call: unreadable reply ▸"
    asked = provider.asked
    provider.answer = lambda _n, _b: Answer()
    QTest.mouseClick(status._retry, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "done"
    assert provider.asked == asked + 1
    row = desk.row(key)
    assert (row.done, row.failed) == (40, 0)
    assert not status._failures.isVisible()


def test_a_key_that_is_not_taken_stops_the_job_with_a_sentence(
    desk: Desk, provider: Provider
) -> None:
    provider.answer = lambda _n, _b: Answer("wrong key", status=401)
    key = desk.start()
    _, _, state, sentence = desk.wait_end()
    assert state == "failed"
    assert "key" in sentence.lower()
    assert KEY not in sentence
    assert desk.row(key).state == "failed"


def test_closing_the_window_pauses_and_the_next_opening_offers_to_resume(
    desk: Desk, provider: Provider
) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=6)
    key = desk.start()
    desk.wait_done(key, 5)
    threading.Timer(0.3, gate.set).start()
    desk.window.close_project()
    assert desk.jobs.jobs == ()
    assert desk.jobs.finish(60)
    row = desk.row(key)
    assert row.state == "paused"
    assert row.done == provider.asked
    assert desk.window.open_project(desk.path)
    watch = desk.window.findChild(JobsWatch)
    assert isinstance(watch, JobsWatch)
    watch.look()
    desk.wait(lambda: "can go on" in desk.window.status._jobs.text())


def test_no_key_is_among_the_words_that_start_the_process(tmp_path: Path) -> None:
    words = jobs_at_work.command(tmp_path / "p.review", 3)
    assert words[0] == sys.executable
    assert words[-2:] == [str(tmp_path / "p.review"), "3"]
    assert not any(KEY in word for word in words)


def test_the_program_itself_can_be_the_worker(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "reviewer", "--worker", str(tmp_path / "no.review"), "1"],
        capture_output=True,
        check=False,
        text=True,
        timeout=60,
    )
    assert done.returncode == 2
    assert '"state": "failed"' in done.stdout
    assert "Traceback" not in done.stderr


def test_a_process_that_cannot_start_says_so(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "nothing"))
    key = desk.start()
    _, _, state, sentence = desk.wait_end()
    assert state == "interrupted"
    assert "could not be started" in sentence
    assert desk.row(key).state == "waiting"


def test_words_for_progress() -> None:
    job = JobAtWork(key=1, title="x", total=1000, max_cost=0.5)
    job.told = jobs_at_work.Told(412, 1000, failed=2, cached=22, cost_usd=0.11)
    job.doing = "running"
    words = job_words.progress(job)
    assert words == (
        "412 of 1,000 · $0.11 of at most $0.50 · 388 answered, 22 from cache, 2 failed"
    )
    job.priced = False
    job.told = jobs_at_work.Told(412, 1000)
    assert job_words.progress(job) == (
        "412 of 1,000 · price not known: the limit of $0.50 cannot act · 412 answered"
    )
    job.told = jobs_at_work.Told(0, 40, limit_with=7)
    assert job_words.progress(job).startswith("waits for job 7, as one limit holds for both · ")
    assert job_words.failures({"timeout": 2}) == "2 failed calls: time-out"
    assert job_words.failures({"timeout": 2, "reply": 1}) == (
        "3 failed calls: time-out 2, unreadable reply 1"
    )


class Gated:
    """Answers so many requests; later ones wait for the gate, then `rest` seconds."""

    def __init__(self, gate: threading.Event, after: int, rest: float = 0) -> None:
        self._gate, self._after, self._rest = gate, after, rest

    def __call__(self, number: int, _: Body) -> Answer:
        if number >= self._after:
            self._gate.wait(60)
            time.sleep(self._rest)
        return Answer()
