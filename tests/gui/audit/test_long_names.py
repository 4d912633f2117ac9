"""Names that are one long word, or hold an &, leave every page in its window and stay whole."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QScrollArea
from pytestqt.qtbot import QtBot

from reviewer.gui.audit.page import AuditPage
from reviewer.gui.commands import WindowCommands
from reviewer.gui.kit import pieces
from reviewer.gui.kit.text import breakable, literal
from reviewer.gui.labelers.presence import LabelerChooser
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.window import MainWindow
from tests.building import build_project, record

LONG, PAIR = "A" * 120, "Ann & Bo"
WIDTH = 1280


def one(number: int) -> dict[str, object]:
    made = record(number)
    made["labels"] = [
        {"metric": metric, "labeler": who, "value": (number + place) % 5 + 1, "kind": "label",
         "blind": True, "at": "2026-11-02T10:00:00Z"}
        for place, who in enumerate((LONG, PAIR, "lead"))
        for metric in ("relevance", "accuracy", "safety")
    ]  # fmt: skip
    return made


@pytest.fixture
def page(window: MainWindow, tmp_path: Path, settle: Callable[[], None]) -> Iterator[AuditPage]:
    path = build_project(tmp_path / "names.review", evaluations=[one(n) for n in range(1, 40)])
    window.surroundings.settings.set("labeler", "lead")
    window.resize(WIDTH, 800)
    assert window.open_project(path)
    window.show_page("audit")
    settle()
    assert isinstance(window.page, AuditPage)
    yield window.page
    settle()


def test_no_section_grows_with_a_name(page: AuditPage, settle: Callable[[], None]) -> None:
    for place, button in enumerate(page.sections.row.buttons):
        if button.isHidden():
            continue
        page.sections.row.choose(place)
        settle()
        assert page.minimumSizeHint().width() < WIDTH, button.text()


def test_the_form_of_a_queue_keeps_its_fields_in_sight(
    page: AuditPage, window: MainWindow, commands: WindowCommands, settle: Callable[[], None]
) -> None:
    assert page.audit is not None
    window.run_command("window.new_queue")
    settle()
    dialog = commands.keeper.dialog
    assert isinstance(dialog, QueueBuilder)
    assert dialog.people.boxes[PAIR].text().startswith("Ann && Bo")
    for area in dialog.findChildren(QScrollArea):
        assert area.horizontalScrollBar().maximum() == 0
    dialog.reject()


def test_an_ampersand_is_a_letter_on_buttons(page: AuditPage, qtbot: QtBot) -> None:
    assert page.audit is not None
    button = pieces.Button(PAIR)
    qtbot.addWidget(button)
    assert button.text() == PAIR
    assert button.shortcut() == QKeySequence()
    button.setText("Cy & Di")
    assert button.shortcut() == QKeySequence()
    plain = pieces.Button("Ann + Bo")
    qtbot.addWidget(plain)
    assert button.sizeHint().width() > pieces.Button("Cy  Di").sizeHint().width()


def test_long_words_break_and_are_read_back_whole(qtbot: QtBot) -> None:
    label = pieces.text(LONG, wrap=True)
    qtbot.addWidget(label)
    assert label.text() == LONG
    assert label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(LONG) // 3
    assert breakable("short words stay as they are") == "short words stay as they are"
    assert literal(PAIR) == "Ann && Bo"


def test_who_are_you_shows_the_name_as_it_is(page: AuditPage) -> None:
    assert page.audit is not None
    window = page.window()
    assert isinstance(window, MainWindow)
    assert window.session is not None
    chooser = LabelerChooser(window, window.session.labelers())
    assert any(button.text().startswith(PAIR) for button in chooser.buttons)
