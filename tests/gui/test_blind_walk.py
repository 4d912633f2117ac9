"""A blind labeler finds nothing of judge and others: in no page, list, tip, name, filter, file."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import FilterError
from reviewer.gui.audit.agreement_section import AgreementSection
from reviewer.gui.audit.page import AuditPage
from reviewer.gui.commands import WindowCommands
from reviewer.gui.review.header import TABS
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import CLOSED, MainWindow
from reviewer.services.listing import listing
from reviewer.services.listing.listing import QueueOrder
from reviewer.services.project import reading
from reviewer.services.project.session import UNNAMED, Session
from reviewer.services.queues import profiles
from tests.building import let_see
from tests.hidden import SAID, WHY, hidden_project, tells

ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
)


@pytest.fixture
def hidden(tmp_path: Path) -> Path:
    """Forty responses that a judge and a lead scored, and none of them the labeler `bo`."""
    return hidden_project(tmp_path / "hidden.review")


def told(widget: QWidget) -> Iterator[str]:
    """Give everything that a widget shows, tips or says, visible or not."""
    for part in (widget, *widget.findChildren(QWidget)):
        yield from (part.toolTip(), part.accessibleName(), part.accessibleDescription())
        yield from (part.windowTitle(), part.statusTip(), part.whatsThis())
        if isinstance(part, QLabel | QAbstractButton | QLineEdit):
            yield part.text()
        if isinstance(part, QTextEdit | QPlainTextEdit):
            yield part.toPlainText()
        if isinstance(part, QComboBox):
            yield from (part.itemText(n) for n in range(part.count()))
        if isinstance(part, QAbstractItemView):
            yield from items(part)
    for action in widget.findChildren(QAction):
        yield from (action.text(), action.toolTip())


def items(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if model is None:
        return
    columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount(QModelIndex())
    for row in range(model.rowCount(QModelIndex())):
        for column in range(columns):
            yield from (str(model.index(row, column).data(role) or "") for role in ROLES)


def leaks(widget: QWidget) -> set[str]:
    return {words for words in told(widget) if tells(words)}


@pytest.mark.parametrize("name", ["bo", "lea"])
def test_every_page_section_and_tab(
    window: MainWindow,
    commands: WindowCommands,
    hidden: Path,
    settle: Callable[[], None],
    name: str,
) -> None:
    window.surroundings.settings.set("labeler", name)
    assert window.open_project(hidden)
    settle()
    found: dict[str, set[str]] = {}
    page = window.page
    assert isinstance(page, ReviewPage)
    for key in (1, 2, 40):
        page.open_evaluation(key)
        for place, tab in enumerate(TABS):
            page.case.header.choose_tab(place)
            settle()
            found[f"review {key} {tab}"] = leaks(window)
    queue = page.queue.view
    queue.picker.open((), queue.pick)
    for row in range(queue.picker.fields.count()):
        queue.picker.fields.setCurrentRow(row)
        settle()
        found[f"filter {row}"] = leaks(queue.picker)
    queue.picker.hide()
    for name_of in ("audit", "runs", "reports"):
        window.show_page(name_of)
        settle()
        shown = window.page
        assert shown is not None
        if name == "bo":
            assert shown is page, "leads alone are told what judge and people say"
            assert window.notices.notices[-1].text == CLOSED
        if isinstance(shown, AuditPage):
            shown.sections.bring(AgreementSection)
            settle()
        found[name_of] = leaks(window)
    commands.open_palette()
    for secret in (WHY, SAID):
        commands._search(secret)
        settle()
    found["palette"] = leaks(window) - {WHY, SAID}
    if name == "bo":
        assert {where: words for where, words in found.items() if words} == {}
    else:
        assert found["audit"], "nothing is hidden from leads"


def test_no_filter_and_no_order_tells(hidden: Path) -> None:
    with closing(Session.open(hidden, "bo")) as session:
        for words in ("worth>70", "gap:worth>5", "labeler:lea", "label:worth>60", "is:disputed"):
            try:
                found = listing.build(session, filter_text=words)
            except FilterError:
                continue
            assert len(found.ids) in (0, 40), words
        with pytest.raises(FilterError):
            listing.build(session, order=QueueOrder.GAP)
        for words in (WHY, SAID):
            assert len(listing.build(session, filter_text=words).ids) == 0


def test_pages_close_with_the_labeler_and_open_with_the_lead(
    window: MainWindow, commands: WindowCommands, hidden: Path, settle: Callable[[], None]
) -> None:
    del commands
    window.surroundings.settings.set("labeler", "lea")
    assert window.open_project(hidden)
    window.show_page("audit")
    settle()
    assert isinstance(window.page, AuditPage)
    assert leaks(window)
    window.surroundings.settings.set("labeler", "bo")
    settle()
    assert isinstance(window.page, ReviewPage)
    window.surroundings.settings.set("labeler", "lea")
    window.show_page("audit")
    settle()
    assert isinstance(window.page, AuditPage)
    let_see(hidden)
    window.close_project()
    window.surroundings.settings.set("labeler", "bo")
    assert window.open_project(hidden)
    window.show_page("audit")
    assert isinstance(window.page, AuditPage), "where nobody labels blind nothing is closed"


def test_the_clipboard_and_drags_of_review(
    window: MainWindow, hidden: Path, settle: Callable[[], None], qtbot: QtBot
) -> None:
    window.surroundings.settings.set("labeler", "bo")
    assert window.open_project(hidden)
    settle()
    QTest.keyClick(window, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    page = window.page
    assert isinstance(page, ReviewPage)
    rows = page.queue.view.list
    mime = rows.model().mimeData([rows.model().index(row, 0) for row in range(3)])
    assert mime is None or not tells(mime.text())
    qtbot.wait(1)


def test_who_has_not_said_their_name_is_shown_no_page_of_leads(
    window: MainWindow, hidden: Path, settle: Callable[[], None]
) -> None:
    assert window.open_project(hidden)
    session = window.session
    assert session is not None
    assert not session.is_named
    window.show_page("audit")
    settle()
    assert isinstance(window.page, ReviewPage)
    assert window.notices.notices[-1].text == UNNAMED
    assert leaks(window) == set()


def test_what_a_lead_saw_is_theirs_though_another_sits_down_at_once(
    window: MainWindow, hidden: Path, settle: Callable[[], None]
) -> None:
    with closing(Session.open(hidden, "lea")) as session:
        profiles.add(session, "ann", role="lead")
    window.surroundings.settings.set("labeler", "ann")
    assert window.open_project(hidden)
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    assert page.side.cases.table.rows.rowCount() > 0
    window.surroundings.settings.set("labeler", "bo")
    settle()
    with closing(Session.open(hidden, "bo")) as session:
        assert all(reading.view(session, key).hidden for key in range(1, 41))
        session.set_labeler("ann")
        assert any(reading.view(session, key).revealed for key in range(1, 41))
