"""Starting a job: beside the window, once, and without a trace in how its labeler works."""

from collections.abc import Callable
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.runs.launch_pane import LaunchPane
from reviewer.services.jobs import job_list
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from reviewer.services.queues import making
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.gui.jobs.conftest import Desk


def press(pane: LaunchPane) -> None:
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)


def work_on(desk: Desk, pane: LaunchPane, *, blind: bool) -> Session:
    """Let the labeler work on a queue that shows or hides auto scores, and come back."""
    session = desk.window.session
    assert session is not None
    making.create(session, QueuePlan(name="Q", sampling=Sampling.RANDOM, n=5, blind=blind))
    desk.window.show_page("review")
    page = desk.window.page
    assert isinstance(page, ReviewPage)
    page.queue.work_on("Q")
    assert session.queue is not None
    assert session.blind is blind
    desk.window.show_page("runs")
    desk.wait(pane.form.isEnabled)
    return session


@pytest.mark.parametrize("blind", [True, False])
def test_a_start_leaves_alone_who_sees_auto_scores(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str], *, blind: bool
) -> None:
    session = work_on(desk, pane, blind=not blind)
    session.blind = blind
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    guessed()
    press(pane)
    assert desk.wait_end()[2] == "done"
    session.queue = None
    assert session.blind is blind


def test_what_the_forecast_selects_by_auto_scores_is_started_on_a_blind_queue(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    work_on(desk, pane, blind=True)
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    pane.form.filter.setText("auto:accuracy<3")
    assert "16 evaluations" in guessed()
    said: list[str] = []
    pane.start.failed.connect(said.append)
    press(pane)
    desk.wait(lambda: bool(desk.ends or said))
    assert said == []
    assert desk.ends[0][2] == "done"


def test_a_job_is_kept_beside_the_window_and_once(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    guessed()
    press(pane)
    assert not desk.jobs.jobs
    assert not pane.start.isEnabled()
    pane.begin()
    pane.form.at_most.setValue(30)
    desk.wait(lambda: bool(desk.jobs.jobs))
    assert desk.wait_end()[2] == "done"
    guessed()
    assert pane.start.isEnabled()
    with closing(Session.open(desk.path)) as session:
        assert len(job_list.every(session)) == 1


def test_what_is_in_the_way_of_a_start_is_a_sentence(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    pane.form.metrics.choose("accuracy")
    guessed()
    with closing(Session.open(desk.path)) as session:
        judges.remove_judge(session, "careful")
    said: list[str] = []
    pane.start.failed.connect(said.append)
    press(pane)
    desk.wait(lambda: bool(said))
    assert "no judge 'careful'" in said[0]
    assert pane.problem.text() == said[0]
    assert pane.form.isEnabled()
    assert not desk.jobs.jobs


def test_a_job_kept_for_a_project_that_was_closed_is_not_started_in_another(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str], settle: Callable[[], None]
) -> None:
    pane.form.metrics.choose("accuracy")
    guessed()
    press(pane)
    desk.window.close_project()
    settle()
    assert not desk.jobs.jobs
    assert desk.window.open_project(desk.path)
    settle()
    assert not desk.jobs.jobs
