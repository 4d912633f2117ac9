"""A job's scores in the window: nothing counts by itself, made the record, discarded, undone."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.gui.jobs_watch import OFFER
from reviewer.gui.runs.jobs_section import JobScoresCard, JobsSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.run_section import RunSection
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.store import from_format_1
from tests.building import build_project
from tests.gui.jobs.conftest import Desk, Provider
from tests.servers.model_server import Answer

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def section(desk: Desk, settle: Callable[[], None]) -> JobsSection:
    """The section Jobs, before anything was launched."""
    desk.window.show_page("runs")
    settle()
    page = desk.window.page
    assert isinstance(page, RunsPage)
    return page.bring(JobsSection)


def page_of(desk: Desk) -> RunsPage:
    page = desk.window.page
    assert isinstance(page, RunsPage)
    return page


def shown(desk: Desk, section: JobsSection, key: int, settle: Callable[[], None]) -> JobScoresCard:
    """The card of a job, once it was read."""
    settle()
    section.show_job(key)
    settle()
    desk.wait(lambda: section.scores.title.text() == f"Scores of job {key}")
    settle()
    return section.scores


def counting(desk: Desk, settle: Callable[[], None]) -> str:
    """What the card of the section Run says of Accuracy."""
    run = page_of(desk).bring(RunSection)
    settle()
    row = run.records.rows["accuracy"]
    version = row.choice.accessibleName().partition(": ")[2]
    said = f"{version} {row.coverage.text()}"
    page_of(desk).bring(JobsSection)
    settle()
    return said


def undo(desk: Desk, settle: Callable[[], None]) -> None:
    QTest.keyClick(desk.window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    desk.wait(lambda: desk.window.notices.notices[-1].text.startswith("Undone: "))
    settle()


def test_a_job_changes_nothing_and_is_made_the_record(
    desk: Desk, provider: Provider, section: JobsSection, settle: Callable[[], None]
) -> None:
    provider.answer = lambda _n, _b: Answer('{"score": 1}')
    before = page_of(desk).runs.list.rows.cell(0, 3).words
    key = desk.start()
    assert desk.wait_end()[2] == "done"
    desk.wait(lambda: OFFER in desk.window.notices.notices[-1].text)
    card = shown(desk, section, key, settle)
    assert card.told.text() == (
        "careful@1 on 40 of 40 does not count for Accuracy of agent v7: judge does, on 40 of 40."
    )
    assert page_of(desk).runs.list.rows.cell(0, 3).words == before == "20.0 %"
    assert counting(desk, settle) == "judge 40 of 40"
    QTest.mouseClick(card.make, LEFT)
    desk.wait(lambda: not card.make.isVisible())
    settle()
    assert desk.window.notices.notices[-1].text == "careful@1 counts for accuracy of agent v7."
    assert card.told.text() == "careful@1 counts for Accuracy of agent v7, on 40 of 40."
    assert counting(desk, settle) == "careful@1 40 of 40"
    desk.wait(lambda: page_of(desk).runs.list.rows.cell(0, 3).words == "0.0 %")
    undo(desk, settle)
    desk.wait(card.make.isVisible)
    assert counting(desk, settle) == "judge 40 of 40"


def test_discarding_asks_once_and_undo_brings_the_scores_back(
    desk: Desk, section: JobsSection, settle: Callable[[], None]
) -> None:
    key = desk.start()
    desk.wait_end()
    card = shown(desk, section, key, settle)
    QTest.mouseClick(card.discard, LEFT)
    assert card.question.text() == (
        "Take the scores that this job gave to 40 evaluations away from every figure? They stay "
        "in the file, and Ctrl+Z brings them back."
    )
    assert card.keep.hasFocus()
    QTest.mouseClick(card.keep, LEFT)
    assert not card.really.isVisible()
    assert card.discard.hasFocus()
    QTest.mouseClick(card.discard, LEFT)
    QTest.mouseClick(card.really, LEFT)
    desk.wait(lambda: not card.discard.isVisible())
    settle()
    assert card.told.text() == "The scores of this job were discarded; undo brings them back."
    assert not card.make.isVisible()
    assert section.list.rows.cell(0, 1).words == "done, discarded"
    undo(desk, settle)
    desk.wait(card.discard.isVisible)
    desk.wait(lambda: section.list.rows.cell(0, 1).words == "done")
    settle()
    assert card.told.text().startswith("careful@1 on 40 of 40 does not count")


def test_a_cancelled_job_counts_nowhere_and_is_discarded(
    desk: Desk, section: JobsSection, settle: Callable[[], None]
) -> None:
    key = desk.start(max_cost=0.2)
    assert desk.wait_end()[2] == "paused"
    card = shown(desk, section, key, settle)
    assert not card.make.isVisible()
    assert "does not count for Accuracy" in card.told.text()
    QTest.mouseClick(section.cancel, LEFT)
    desk.wait(lambda: section.list.rows.cell(0, 1).words == "cancelled")
    settle()
    assert counting(desk, settle) == "judge 40 of 40"
    card = shown(desk, section, key, settle)
    assert not card.make.isVisible()
    QTest.mouseClick(card.discard, LEFT)
    QTest.mouseClick(card.really, LEFT)
    desk.wait(lambda: section.list.rows.cell(0, 1).words == "cancelled, discarded")
    settle()


def test_a_job_of_before_says_why_it_cannot_be_discarded(
    desk: Desk, section: JobsSection, settle: Callable[[], None]
) -> None:
    key = desk.start()
    desk.wait_end()
    with closing(Session.open(desk.path)) as session:
        with session.project.write() as conn:
            conn.execute("UPDATE scores SET job = NULL")
        session.project.set_setting(from_format_1.LAST_JOB, str(key))
    section.recompute()
    card = shown(desk, section, key, settle)
    desk.wait(lambda: not card.discard.isVisible())
    assert "made by an older version of Reviewer" in card.problem.text()


@pytest.mark.usefixtures("unled")
def test_a_labeler_reads_what_counts_and_has_no_button(
    desk: Desk, section: JobsSection, settle: Callable[[], None]
) -> None:
    key = desk.start()
    desk.wait_end()
    with closing(Session.open(desk.path)) as session:
        profiles.add(session, "lena", role="lead")
        me = session.labeler.name
        with session.project.write() as conn:
            conn.execute("UPDATE labelers SET role = 'labeler' WHERE name = ?", (me,))
    section.recompute()
    settle()
    card = shown(desk, page_of(desk).bring(JobsSection), key, settle)
    desk.wait(lambda: not card.make.isVisible())
    assert not card.discard.isVisible()
    assert "does not count for Accuracy" in card.told.text()


def test_no_job_no_card(section: JobsSection, settle: Callable[[], None]) -> None:
    settle()
    assert not section.scores.isVisible()


def test_the_card_goes_with_its_project(
    desk: Desk, section: JobsSection, settle: Callable[[], None], tmp_path: Path
) -> None:
    key = desk.start()
    desk.wait_end()
    card = shown(desk, section, key, settle)
    assert card.isVisible()
    assert desk.window.open_project(build_project(tmp_path / "other.review"))
    desk.window.show_page("runs")
    other = page_of(desk).bring(JobsSection)
    settle()
    assert not other.scores.isVisible()
