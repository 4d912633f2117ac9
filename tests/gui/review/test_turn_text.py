"""A text is as high as its content, whatever the width and the size of letters."""

from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from pytestqt.qtbot import QtBot

from reviewer.gui.review.page import ReviewPage
from reviewer.gui.review.turn_text import TurnText
from reviewer.services.computer.settings import Settings
from tests import windows


@pytest.mark.parametrize("scale", [100, 150, 200])
def test_nothing_of_a_text_is_cut_off(
    qtbot: QtBot, tmp_path: Path, demo: Path, scale: int
) -> None:
    settings = Settings(tmp_path / "config")
    settings.set("font_scale", scale)
    with windows.shown(settings, QSize(1280, 800)) as window:
        # a comparison: two narrow texts, whose width follows the panes beside them
        assert window.open_project(demo, "o-11")
        page = window.page
        assert isinstance(page, ReviewPage)

        def cut_off() -> list[str]:
            return [
                shown.stored
                for shown in page.findChildren(TurnText)
                if shown.viewport().height() < int(shown.document().size().height())
            ]

        qtbot.wait(200)
        for width in (1280, 1000, 1440, 1700, 1280):
            window.resize(width, 800)
            qtbot.waitUntil(lambda: not cut_off(), timeout=2_000)
        assert len(page.findChildren(TurnText)) == 3
