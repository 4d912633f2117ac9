"""Audit, Runs and Reports are made for a project and go with it; what was chosen comes back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.segments_section import SegmentsSection
from reviewer.gui.audit.trend_section import TrendSection as WeeksSection
from reviewer.gui.page import Page
from reviewer.gui.reports.page import ReportsPage
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.runs.trend_section import TrendSection
from reviewer.gui.sections import Section
from reviewer.gui.window import MainWindow
from reviewer.services.queues import profiles

Settle = Callable[[], None]
One = TypeVar("One", bound=Page)


@pytest.fixture
def opened(window: MainWindow, demo: Path) -> MainWindow:
    """The demo with a second lead beside whoever sits here."""
    assert window.open_project(demo)
    assert window.session is not None
    profiles.add(window.session, "bo", role="lead")
    return window


def shown(window: MainWindow, name: str, kind: type[One]) -> One:
    window.show_page(name)
    assert isinstance(window.page, kind)
    return window.page


def gone(qtbot: QtBot, *pages: Page) -> None:
    qtbot.waitUntil(lambda: not any(isValid(page) for page in pages))


@pytest.mark.parametrize("finished", [True, False])
def test_pages_go_with_their_project_also_while_they_read(
    opened: MainWindow, qtbot: QtBot, settle: Settle, *, finished: bool
) -> None:
    runs, audit = shown(opened, "runs", RunsPage), shown(opened, "audit", AuditPage)
    reports = shown(opened, "reports", ReportsPage)
    for page, name in ((runs, "runs"), (audit, "audit")):
        opened.show_page(name)
        for button in page.sections.row.buttons:
            if not button.isHidden():
                button.click()
                if finished:
                    settle()
    opened.close_project()
    gone(qtbot, runs, audit, reports)
    assert [type(page) for page in opened.made_pages()] == [ReviewPage]
    assert opened.findChildren(Section) == []
    # what lives longer speaks to nobody who is gone
    opened.surroundings.theme.set_choice("dark")
    opened.surroundings.jobs.ended.emit(1, "a job", "done", "")
    opened.surroundings.monitors.changed.emit()
    settle()


def test_the_page_in_view_is_made_anew_for_another_labeler(
    opened: MainWindow, qtbot: QtBot, settle: Settle
) -> None:
    runs, before = shown(opened, "runs", RunsPage), shown(opened, "audit", AuditPage)
    settle()
    opened.top.labeler_requested.emit("bo")
    page = opened.page
    assert isinstance(page, AuditPage)
    assert page is not before
    gone(qtbot, runs, before)
    settle()
    assert page.audit is not None
    assert page.passing.isVisible()


def test_what_was_chosen_is_there_when_the_project_is_opened_again(
    opened: MainWindow, demo: Path, settle: Settle
) -> None:
    audit = shown(opened, "audit", AuditPage)
    settle()
    audit.sections.of_kind(WeeksSection).deviations.setChecked(False)
    segments = audit.sections.bring(SegmentsSection)
    segments.dimension.setCurrentIndex(segments.dimension.findData("category"))
    audit.agreement.order.pick("worst")
    runs = shown(opened, "runs", RunsPage)
    settle()
    trend = runs.bring(TrendSection)
    settle()
    trend.figure.setCurrentIndex(trend.figure.findData("accuracy"))
    trend.limit.setValue(7)
    runs.bring(MonitorSection)
    reports = shown(opened, "reports", ReportsPage)
    settle()
    reports.choices.whats["disagreements"].setChecked(True)
    reports.choices.category.setCurrentIndex(reports.choices.category.findData("policies"))
    settle()
    total = reports.count.text()
    opened.close_project()
    assert opened.open_project(demo)
    assert opened.page is not None
    audit = shown(opened, "audit", AuditPage)
    settle()
    segments = audit.sections.of_kind(SegmentsSection)
    assert audit.sections.current is segments
    assert segments.dimension.currentData() == "category"
    assert not audit.sections.of_kind(WeeksSection).deviations.isChecked()
    assert audit.agreement.order.value == "worst"
    runs = shown(opened, "runs", RunsPage)
    settle()
    assert isinstance(runs.sections.current, MonitorSection)
    trend = runs.bring(TrendSection)
    settle()
    assert trend.figure.currentData() == "accuracy"
    assert trend.card.title.text() == "Accuracy by run"
    assert trend.limit.value() == 7
    reports = shown(opened, "reports", ReportsPage)
    settle()
    assert reports.choices.what == "disagreements"
    assert not reports.choices.labels.isEnabled()
    assert reports.choices.category.currentData() == "policies"
    assert reports.count.text() == total


def test_what_is_being_typed_is_kept_when_the_project_closes(
    opened: MainWindow, demo: Path, settle: Settle
) -> None:
    def field() -> Any:
        section = shown(opened, "runs", RunsPage).bring(MonitorSection)
        settle()
        return section.form.warning

    typed = field()
    typed.setFocus()
    typed.selectAll()
    QTest.keyClicks(typed, "77")
    opened.close_project()
    settle()
    assert opened.open_project(demo)
    settle()
    assert field().value() == 77
    assert not [x for x in opened.findChildren(QLabel) if "went wrong" in x.text()]


def test_a_page_of_the_project_before_takes_no_keys(opened: MainWindow, qtbot: QtBot) -> None:
    reports = shown(opened, "reports", ReportsPage)
    opened.close_project()
    QTest.keyClick(opened, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    gone(qtbot, reports)
