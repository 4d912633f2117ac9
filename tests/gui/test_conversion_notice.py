"""What bringing a project up to date changed: said once, with a list that is a press away."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.jobs_watch import TITLE, ConversionNotice
from reviewer.gui.kit.pieces import Button
from reviewer.gui.window import MainWindow
from reviewer.services.project.session import Session, conversion_told
from reviewer.store import from_format_1

SAID = ["It was brought up to date.", "accuracy of v7: x@1 <b>on</b> 3 stood; y@2 counts now."]


@pytest.fixture
def converted(project: Path) -> Path:
    with closing(Session.open(project)) as session:
        session.project.set_setting(from_format_1.CONVERTED, json.dumps(SAID))
    return project


def more(window: MainWindow) -> Button:
    return next(x for x in window.notices.findChildren(Button) if x.text() == TITLE)


def test_it_is_said_once_and_leads_to_the_list(
    window: MainWindow, converted: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    assert window.open_project(converted)
    qtbot.waitUntil(lambda: bool(window.notices.notices))
    assert window.notices.notices[-1].text == SAID[0]
    more(window).click()
    notice = window.findChild(ConversionNotice)
    assert notice is not None
    dialog = notice.dialog
    assert dialog is not None
    assert [x.text() for x in dialog.lines] == SAID
    dialog.close()
    settle()
    window.notices.clear()
    assert window.open_project(converted)
    qtbot.wait(300)
    settle()
    assert window.notices.notices == ()
    with closing(Session.open(converted)) as session:
        assert conversion_told(session) == SAID


def test_a_project_made_since_says_nothing(
    window: MainWindow, project: Path, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    assert window.open_project(project)
    qtbot.wait(300)
    settle()
    assert window.notices.notices == ()


def test_one_sentence_needs_no_list(window: MainWindow, project: Path, qtbot: QtBot) -> None:
    with closing(Session.open(project)) as session:
        session.project.set_setting(from_format_1.CONVERTED, json.dumps(SAID[:1]))
    assert window.open_project(project)
    qtbot.waitUntil(lambda: bool(window.notices.notices))
    assert window.notices.notices[-1].more == ""
