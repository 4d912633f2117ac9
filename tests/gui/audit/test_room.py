"""Every section of the Audit page fits beside the others, with large letters too."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import Silent
from reviewer.gui.audit.case_card import CaseCard
from reviewer.gui.audit.page import SECTIONS, AuditPage
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep import projects


@pytest.mark.parametrize(
    "system", ["guest-response", pytest.param("faq-bot", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("scale", [100, 150])
def test_no_section_makes_the_page_wider_than_the_window(
    window: MainWindow,
    qtbot: QtBot,
    tmp_path: Path,
    settle: Callable[[], None],
    scale: int,
    system: str,
) -> None:
    window.surroundings.settings.set("font_scale", scale)
    window.surroundings.settings.set("labeler", "lead")
    window.resize(1280, 800)
    window.open_project(projects.make_demo(tmp_path / "a.review", system, Silent()))
    window.show_page("audit")
    settle()
    page = window.page
    assert isinstance(page, AuditPage)
    for kind in SECTIONS:
        page.sections.bring(kind)
        settle()
        # intervals and words that come with them are on their way after the first figures
        qtbot.wait(300)
        settle()
        # a bar at the side takes room, too; layouts come to rest a turn after the figures
        qtbot.waitUntil(lambda: page.minimumSizeHint().width() <= 1265, timeout=60_000)


def test_words_in_the_place_of_a_response_are_whole(qtbot: QtBot, window: MainWindow) -> None:
    card = CaseCard(window.surroundings.theme)
    qtbot.addWidget(card)
    card.resize(220, 400)
    card.show()
    card.clear("Score some of these responses on Review; they are listed here afterwards.")
    label = next(x for x in card.findChildren(QLabel) if x.text().startswith("Score some"))
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()) > 20)
