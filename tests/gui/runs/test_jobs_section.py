"""The section "Jobs" and the cards above the sections, with jobs in real processes."""

import os
import signal
import threading
from collections.abc import Callable
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.runs.job_cards import JobCard
from reviewer.gui.runs.jobs_section import JobsSection
from reviewer.gui.runs.page import RunsPage
from reviewer.services.jobs import job_list
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import Desk, Provider, odd_one_out
from tests.gui.jobs.test_jobs_at_work import Gated
from tests.servers.model_server import Answer


@pytest.fixture
def page(desk: Desk, settle: Callable[[], None]) -> RunsPage:
    desk.window.show_page("runs")
    shown = desk.window.page
    assert isinstance(shown, RunsPage)
    settle()
    return shown


def card_of(page: RunsPage, desk: Desk, key: int) -> JobCard:
    desk.wait(lambda: key in page.jobs.cards)
    return page.jobs.cards[key]


def limit_of(desk: Desk, key: int) -> float | None:
    with closing(Session.open(desk.path)) as session:
        return job_list.plan(session, key).max_cost


def test_a_card_follows_a_job_pauses_it_and_goes_on(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=8)
    assert not page.jobs.isVisible()
    key = desk.start()
    card = card_of(page, desk, key)
    desk.wait_done(key, 7)
    desk.wait(lambda: card.bar.value() > 0)
    assert not card.resume.isVisible()
    assert "of 40" in card.line.text()
    assert "answered" in card.line.text()
    QTest.mouseClick(card.pause, Qt.MouseButton.LeftButton)
    assert "pausing" in card.line.text()
    gate.set()
    assert desk.wait_end()[2] == "paused"
    desk.wait(card.resume.isVisible)
    settle()
    assert "paused" in card_of(page, desk, key).line.text()
    QTest.mouseClick(card_of(page, desk, key).resume, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "done"
    desk.wait(lambda: not page.jobs.isVisible())
    assert provider.asked == 40


def test_the_limit_can_be_raised_where_a_job_stopped_at_it(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    key = desk.start(max_cost=0.2)
    assert desk.wait_end()[2] == "paused"
    settle()
    card = card_of(page, desk, key)
    desk.wait(card.limit.isVisible)
    assert "budget" in card.line.text()
    asked = provider.asked
    assert asked < 40
    card.limit.setValue(50)
    QTest.mouseClick(card.resume, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "done"
    assert provider.asked == 40


def test_a_limit_that_nobody_touched_stays_to_the_last_digit(
    page: RunsPage, desk: Desk, settle: Callable[[], None]
) -> None:
    key = desk.start(max_cost=0.20434)
    assert desk.wait_end()[2] == "paused"
    settle()
    card = card_of(page, desk, key)
    desk.wait(card.limit.isVisible)
    assert card.limit.text() == "at most $0.2043"
    QTest.mouseClick(card.resume, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "paused"
    settle()
    assert limit_of(desk, key) == 0.20434
    card = card_of(page, desk, key)
    card.limit.setValue(0.25)
    page.jobs.refresh()
    settle()
    assert card.limit.value() == 0.25
    QTest.mouseClick(card.resume, Qt.MouseButton.LeftButton)
    assert desk.wait_end(3)[2] == "paused"
    assert limit_of(desk, key) == 0.25


def test_a_killed_job_is_offered_and_cancelled_from_its_card(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    gate = threading.Event()
    provider.answer = Gated(gate, after=4)
    key = desk.start()
    desk.wait_done(key, 3)
    process = desk.jobs.process(key)
    assert process is not None
    os.kill(process.number, signal.SIGKILL)
    desk.wait_end()
    gate.set()
    desk.wait(lambda: "interrupted" in card_of(page, desk, key).line.text())
    settle()
    QTest.mouseClick(card_of(page, desk, key).cancel, Qt.MouseButton.LeftButton)
    desk.wait(lambda: not page.jobs.isVisible())
    assert desk.row(key).state == "cancelled"


def test_jobs_are_listed_with_what_failed_and_tried_again(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    provider.answer = odd_one_out("Question 7:")
    key = desk.start()
    desk.wait_end()
    section = page.sections.bring(JobsSection)
    settle()
    desk.wait(lambda: section.list.rows.rowCount() == 1)
    settle()
    cells = [section.list.rows.cell(0, place).words for place in range(4)]
    assert cells == ["careful judges accuracy", "done", "40 of 40", "1"]
    failures = section.failures
    assert failures.kinds.text() == "1 failed call: unreadable reply."
    assert failures.table.rows.cell(0, 0).words == "c-0007"
    QTest.mouseClick(failures.show_raw, Qt.MouseButton.LeftButton)
    assert failures.raw.toPlainText() == "five of five, sir"
    assert "model: m, temperature 0" in section.told.text()
    provider.answer = lambda _n, _b: Answer()
    QTest.mouseClick(section.retry, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "done"
    settle()
    desk.wait(lambda: section.list.rows.cell(0, 3).words == "—")
    settle()
    assert failures.kinds.text() == "Nothing failed in this job."
    assert desk.row(key).failed == 0


def test_a_job_that_is_gone_on_with_is_listed_as_running_at_once(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    provider.answer = lambda _n, _b: Answer(delay=1.0)
    key = desk.start()
    desk.wait_done(key, 1)
    desk.jobs.pause(key)
    assert desk.wait_end()[2] == "paused"
    section = page.bring(JobsSection)
    settle()
    desk.wait(lambda: section.list.rows.rowCount() == 1)
    assert section.list.rows.cell(0, 1).words == "paused"
    desk.wait(section.resume.isVisible)
    QTest.mouseClick(section.resume, Qt.MouseButton.LeftButton)
    desk.wait(lambda: section.list.rows.cell(0, 1).words == "running")
    desk.jobs.cancel(key)
    assert desk.wait_end(2)[2] == "cancelled"
    desk.wait(lambda: section.list.rows.cell(0, 1).words == "cancelled")


def test_a_failure_leads_to_its_evaluation(
    page: RunsPage, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    provider.answer = odd_one_out("Question 7:")
    desk.start()
    desk.wait_end()
    section = page.sections.bring(JobsSection)
    settle()
    desk.wait(section.failures.open_all.isVisible)
    QTest.mouseClick(section.failures.open_all, Qt.MouseButton.LeftButton)
    shown = desk.window.page
    assert shown is not None
    assert shown.view is not None
    assert shown.view.evaluation.id == "c-0007"


def test_an_empty_project_says_what_to_do(
    page: RunsPage, desk: Desk, settle: Callable[[], None]
) -> None:
    section = page.sections.bring(JobsSection)
    settle()
    assert section.empty.isVisible()
    assert not section.failures.isVisible()
    with closing(Session.open(desk.path)) as session:
        assert job_list.every(session) == ()
