"""Where there is nothing to show or to draw, the window says why and what to do."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.sections import NO_RESPONSES, NOTHING
from reviewer.gui.commands import WindowCommands
from reviewer.gui.queues import keeper
from reviewer.gui.queues.builder import GOLD, QueueBuilder
from reviewer.gui.window import MainWindow
from reviewer.services.queues.plans import Sampling
from tests.building import build_project


def audit_of(window: MainWindow, path: Path, settle: Callable[[], None]) -> AuditPage:
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    assert isinstance(window.page, AuditPage)
    return window.page


@pytest.fixture
def dialog(
    window: MainWindow, project: Path, settle: Callable[[], None], commands: WindowCommands
) -> Iterator[QueueBuilder]:
    assert window.open_project(project)
    window.run_command("window.new_queue")
    settle()
    made = commands.keeper.dialog
    assert isinstance(made, QueueBuilder)
    yield made
    settle()


def test_a_filter_that_matches_nothing_is_said_and_cleared(
    window: MainWindow, project: Path, settle: Callable[[], None]
) -> None:
    page = audit_of(window, project, settle)
    page.scope.filter.setText("zzzznothing")
    page.scope.filter.editingFinished.emit()
    settle()
    assert page.sections.state.text() == NOTHING
    assert not page.confusion.isVisible()
    assert not page.verdict.isVisible()
    assert not page.sections.nothing.bring.isVisible()
    page.sections.nothing.widen.click()
    settle()
    assert page.confusion.isVisible()
    assert not page.sections.nothing.isVisible()
    assert not page.scope.filter.text()


def test_an_empty_project_leads_to_the_import(
    window: MainWindow, tmp_path: Path, settle: Callable[[], None]
) -> None:
    page = audit_of(window, build_project(tmp_path / "e.review", evaluations=0), settle)
    assert page.sections.state.text() == NO_RESPONSES
    assert not page.sections.nothing.widen.isVisible()
    asked: list[str] = []
    page.command_requested.disconnect()
    page.command_requested.connect(asked.append)
    page.sections.nothing.bring.click()
    assert asked == ["window.import"]
    window.run_command("window.validate")
    assert [(x.text, x.kind) for x in window.notices.notices] == [(keeper.NO_RESPONSES, "note")]


@pytest.mark.parametrize(
    ("recipe", "begins"),
    [
        ("critical", "No response matches tag:critical. Give responses the tag critical first"),
        ("training", GOLD),
    ],
)
def test_a_recipe_that_draws_nothing_says_why(
    dialog: QueueBuilder, qtbot: QtBot, recipe: str, begins: str
) -> None:
    dialog.choose_recipe(recipe)
    qtbot.waitUntil(lambda: dialog.sentence.text().startswith(begins), timeout=10_000)
    assert not dialog.make.isEnabled()
    dialog.reject()


def test_a_comparison_with_the_same_judge_says_why(dialog: QueueBuilder, qtbot: QtBot) -> None:
    place = dialog.draw.sampling.findData(Sampling.DISAGREEMENT)
    dialog.draw.sampling.setCurrentIndex(place)
    qtbot.waitUntil(lambda: "Compare with" in dialog.sentence.text(), timeout=10_000)
    assert not dialog.make.isEnabled()
    dialog.reject()
