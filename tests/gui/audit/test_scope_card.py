"""The scope is narrowed by several names at once, by dates, by who counts, and by a filter."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.scope_card import ScopeChoice
from reviewer.gui.window import MainWindow


@pytest.fixture
def several(qtbot: QtBot) -> ScopeChoice:
    made = ScopeChoice("Labelers", "everybody", several=True)
    qtbot.addWidget(made)
    made.resize(300, 30)
    made.offer_names(("ann", "bo", "cy & co"))
    return made


def menu_titles(choice: ScopeChoice) -> list[str]:
    choice.menu_of_choices.aboutToShow.emit()
    return [action.text() for action in choice.menu_of_choices.actions()]


def test_several_names_are_ticked_one_after_the_other(several: ScopeChoice) -> None:
    assert several.text() == "everybody ▾"
    assert menu_titles(several) == ["everybody", "ann", "bo", "cy && co"]
    actions = several.menu_of_choices.actions()
    actions[3].trigger()
    actions[1].trigger()
    assert list(several.names) == ["ann", "cy & co"]
    assert several.text() == "ann, cy & co ▾"
    assert several.accessibleName() == "Labelers: ann, cy & co"
    assert [action.isChecked() for action in actions] == [False, True, False, True]
    actions[1].trigger()
    assert list(several.names) == ["cy & co"]
    actions[0].trigger()
    assert list(several.names) == []


def test_what_is_gone_stays_said(several: ScopeChoice) -> None:
    several.pick("bo")
    several.offer_names(("ann",))
    assert several.names == ("bo",)
    assert "bo" in menu_titles(several)


def test_one_of_a_few_is_always_chosen(qtbot: QtBot) -> None:
    made = ScopeChoice("Window")
    qtbot.addWidget(made)
    made.offer(((6, "last 6 months"), (None, "any date")))
    assert list(made.chosen) == [6]
    with qtbot.waitSignal(made.picked):
        made.pick(None)
    assert list(made.chosen) == [None]


def test_runs_and_people_are_joined(page: AuditPage, settle: Callable[[], None]) -> None:
    assert page.audit is not None
    whole = page.audit.evaluations
    runs = [str(x) for x in page.scope.run.values if "agent" in str(x)][:2]
    page.scope.run.pick(*runs)
    settle()
    assert page.audit.request.scope.runs == tuple(runs)
    both = page.audit.evaluations
    page.scope.run.pick(runs[0])
    settle()
    assert page.audit.evaluations < both <= whole
    page.scope.labeler.pick("labeler 1", "labeler 2")
    settle()
    assert page.audit.request.scope.labelers == ("labeler 1", "labeler 2")
    assert page.scope.labeler.text().startswith("labeler 1")


def test_a_filter_narrows_and_a_wrong_one_is_explained(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    assert page.audit is not None
    before = page.audit
    page.scope.filter.setText("category:")
    QTest.keyClick(page.scope.filter, Qt.Key.Key_Return)
    assert page.scope.problem.isVisibleTo(page)
    assert page.audit is before
    category = str(page.scope.category.values[0])
    page.scope.filter.clear()
    page.sections.filter_requested.emit(f'category:"{category}"')
    settle()
    assert not page.scope.problem.isVisibleTo(page)
    assert page.audit.request.scope.filter == f'category:"{category}"'
    narrowed = page.audit.evaluations
    page.scope.filter.clear()
    QTest.keyClick(page.scope.filter, Qt.Key.Key_Return)
    page.scope.choose_category(category)
    settle()
    assert page.audit.evaluations == narrowed < before.evaluations


@pytest.mark.usefixtures("unled", "page")
def test_a_blind_labeler_may_not_filter_by_gaps(
    window: MainWindow, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("labeler", "labeler 2")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    page.scope.narrow("gap>1")
    settle()
    assert "stay hidden while you label blind" in page.sections.state.text()


def test_labels_come_from_decisions_people_or_a_consensus(
    page: AuditPage, settle: Callable[[], None]
) -> None:
    assert page.audit is not None
    decided = page.audit.document.metrics["accuracy"].judge_human["bias"]
    page.scope.source.pick("labels")
    settle()
    assert not page.audit.request.scope.decisions
    assert page.audit.document.metrics["accuracy"].judge_human["bias"] != decided
    page.scope.source.pick("consensus")
    settle()
    assert page.audit.document.options.label_combine == "consensus"
    page.scope.dates.pick("chat")
    settle()
    assert page.audit.request.scope.dates == "chat"
