"""Small things that a lead relies on: what is sorted by is seen, names stay hidden."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QInputDialog, QLabel, QMenu
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.audit.trend_section import TrendSection
from reviewer.gui.kit.grid import NARROWEST
from reviewer.gui.kit.theme import contrast
from reviewer.gui.window import MainWindow
from reviewer.services.adjudicating import cases, decisions
from reviewer.services.adjudicating.disputes import Order
from reviewer.services.project.session import for_leads
from reviewer.services.queues import bulk_acts

SPREAD = 4


@pytest.fixture
def page(page: AuditPage, window: MainWindow, settle: Callable[[], None]) -> Iterator[AuditPage]:
    window.resize(1280, 800)
    page.scope.choose_metric("accuracy")
    settle()
    yield page
    settle()


def test_the_column_that_is_sorted_by_is_shown(page: AuditPage) -> None:
    table = page.side.cases.table
    assert table.isColumnHidden(SPREAD)
    page.side.cases.sort_by(Order.SPREAD)
    assert not table.isColumnHidden(SPREAD)
    assert table.columnWidth(0) > table.columnWidth(SPREAD)
    page.side.cases.sort_by(Order.GAP)
    assert table.isColumnHidden(SPREAD)


def test_who_decided_is_hidden_with_the_other_names(page: AuditPage, window: MainWindow) -> None:
    session = window.session and for_leads(window.session)
    found = page.side.case.case
    assert session is not None
    assert found is not None
    decisions.decide(session, found.key, "accuracy", 2)
    hidden = cases.without_names(cases.case(session, found.key, "accuracy", None))
    assert hidden.decisions
    names = {x.labeler for x in (*hidden.people, *hidden.decisions)}
    assert session.labeler.name not in names
    assert all(name.startswith("labeler ") and len(name) == len("labeler A") for name in names)


def test_return_alone_tags_nothing(
    page: AuditPage, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = window.session
    assert session is not None
    bulk_acts.tag(session, page.side.cases.selected(), "hard")
    before = bulk_acts.every_tag(session)
    given: list[str] = []

    def agree(*asked: object, **_: object) -> tuple[str, bool]:
        offered, at = asked[3], asked[4]
        assert isinstance(offered, list)
        assert isinstance(at, int)
        given.append(offered[at])
        return offered[at], True

    monkeypatch.setattr(QInputDialog, "getItem", agree)
    page.side.cases.table.selectAll()
    page.side.bulk.act("tag")
    assert given == [""]
    assert bulk_acts.every_tag(session) == before


def test_the_menu_of_states_marks_the_one_in_force(page: AuditPage) -> None:
    page.side.cases.states.click()
    menu = page.side.cases.states.findChild(QMenu)
    assert menu is not None
    assert [x.text() for x in menu.actions() if x.isChecked()] == ["All"]
    menu.close()


def test_signs_of_the_legend_have_the_colours_of_the_lines(page: AuditPage) -> None:
    section = page.sections.bring(TrendSection)
    signs = [x for x in section.findChildren(QLabel) if x.property("sign")]
    assert len(signs) == 3
    for sign in signs:
        sign.ensurePolished()
        ink = sign.palette().color(QPalette.ColorRole.WindowText)
        assert ink == page.theme.colour(f"{sign.property('sign')}_fill")


def test_a_head_without_figures_can_be_read(page: AuditPage) -> None:
    head = next(iter(page.insights.topics.values())).head
    head.setEnabled(False)
    head.ensurePolished()
    ink = head.palette().color(QPalette.ColorRole.ButtonText).name()
    assert contrast(ink, page.theme.colours.card) >= 4.5


def test_large_text_leaves_the_words_beside_what_is_sorted_by(
    page: AuditPage, window: MainWindow, settle: Callable[[], None]
) -> None:
    window.surroundings.settings.set("font_scale", 150)
    page.side.cases.sort_by(Order.SPREAD)
    settle()
    table = page.side.cases.table
    assert not table.isColumnHidden(SPREAD)
    assert table.columnWidth(0) >= page.theme.px(NARROWEST)


def test_the_list_keeps_its_rows_beneath_buttons_in_two_lines(
    page: AuditPage, window: MainWindow, settle: Callable[[], None], qtbot: QtBot
) -> None:
    window.surroundings.settings.set("font_scale", 150)
    settle()
    card, table = page.side.cases, page.side.cases.table

    def buttons() -> set[int]:
        return {x.geometry().bottom() for x in (card.states, card.sorting, card.selection)}

    # large letters come to rest a turn after they were asked for
    qtbot.waitUntil(lambda: len(buttons()) == 2)
    qtbot.waitUntil(lambda: table.geometry().top() > max(buttons()))
    assert table.height() >= table.horizontalHeader().height() + 2 * table.rowHeight(0)
