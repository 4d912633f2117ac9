"""Tab goes through Audit from left to right, and through each card from top to bottom."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.pass_section import PassSection
from reviewer.gui.audit.plan_section import PlanSection
from reviewer.gui.commands import WindowCommands
from reviewer.gui.labelers.dialog import LabelersDialog
from reviewer.gui.window import MainWindow


@pytest.fixture
def page(page: AuditPage, settle: Callable[[], None]) -> Iterator[AuditPage]:
    page.scope.choose_metric("accuracy")
    settle()
    yield page
    settle()


def walk(page: AuditPage, start: QWidget) -> list[QWidget]:
    """Press Tab until the focus leaves the page or is back."""
    start.setFocus(Qt.FocusReason.TabFocusReason)
    stops: list[QWidget] = []
    here = QApplication.focusWidget()
    while here is not None and here not in stops and page.isAncestorOf(here):
        stops.append(here)
        QTest.keyClick(here, Qt.Key.Key_Tab)
        here = QApplication.focusWidget()
    return stops


@pytest.mark.parametrize("kind", [PlanSection, PassSection])
def test_a_section_made_late_comes_before_the_right_side(
    page: AuditPage, kind: type[PlanSection] | type[PassSection], settle: Callable[[], None]
) -> None:
    page.sections.bring(kind)
    settle()
    stops = walk(page, page.scope.run)
    columns = [
        1 if page.sections.isAncestorOf(x) else 2 if page.side.isAncestorOf(x) else 0
        for x in stops
    ]
    assert {0, 1, 2} == set(columns)
    assert columns == sorted(columns)


def test_the_case_is_gone_through_as_it_is_read(page: AuditPage) -> None:
    decide, stops = page.side.case.decide, walk(page, page.side.cases.table)
    first, cause = decide.levels[0], next(iter(decide.causes.values()))
    wanted = [page.side.case.names, first, decide.ask, cause, decide.write]
    assert [x for x in stops if x in wanted] == wanted


def test_no_area_is_a_stop_without_a_sign(page: AuditPage, settle: Callable[[], None]) -> None:
    page.sections.bring(PassSection)
    settle()
    for stop in walk(page, page.scope.run):
        assert not isinstance(stop, QScrollArea) or stop.property("kind") == "reading"
        assert stop.accessibleName() or stop.property("text"), stop


def test_labelers_begin_with_the_names(
    page: AuditPage, window: MainWindow, commands: WindowCommands, qtbot: QtBot
) -> None:
    assert page.audit is not None
    window.run_command("window.labelers")
    dialog = commands.keeper.dialog
    assert isinstance(dialog, LabelersDialog)
    qtbot.waitUntil(lambda: dialog.focusWidget() is not None)
    begun = dialog.focusWidget()
    assert begun is not None
    assert begun.accessibleName().startswith("Name of")
    dialog.close()
