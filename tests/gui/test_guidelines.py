"""Guidelines are read before the first task, one key away afterwards, and written by leads."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.domain.errors import LabelError
from reviewer.gui.commands import WindowCommands
from reviewer.gui.guidelines import NONE_YET, GuidelinesDialog
from reviewer.gui.window import MainWindow
from reviewer.services.labelling import entering
from reviewer.services.project import guidelines
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles

WORDS = "# In doubt\n\nAsk the **lead**. ![seen](http://127.0.0.1/seen.png)"


@pytest.fixture
def led(project: Path) -> Path:
    """A project of the lead `lea`, in which `bo` labels."""
    with closing(Session.open(project, "lea")) as session:
        entering.commit(session, 1, "accuracy", 3)
        profiles.add(session, "bo")
        guidelines.write(session, WORDS)
    return project


def shown(window: MainWindow) -> list[GuidelinesDialog]:
    return [x for x in window.findChildren(GuidelinesDialog) if x.isVisible()]


@pytest.mark.usefixtures("commands")
def test_a_labeler_reads_them_once_before_the_first_task(
    window: MainWindow, led: Path, qtbot: QtBot
) -> None:
    window.surroundings.settings.set("labeler", "bo")
    assert window.open_project(led)
    (dialog,) = shown(window)
    assert dialog.text.toPlainText().startswith("In doubt\nAsk the lead.")
    assert "image not loaded" in dialog.text.toPlainText()
    assert not dialog.write.isVisible(), "labelers write no guidelines"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not shown(window))
    window.close_project()
    assert window.open_project(led)
    assert shown(window) == []
    with closing(Session.open(led, "lea")) as session:
        guidelines.write(session, WORDS + " Twice.")
    window.close_project()
    assert window.open_project(led)
    assert len(shown(window)) == 1, "another text is read again"


def test_a_lead_writes_them_and_a_key_shows_them(
    window: MainWindow, commands: WindowCommands, led: Path
) -> None:
    window.surroundings.settings.set("labeler", "lea")
    assert window.open_project(led)
    assert shown(window) == [], "who wrote them has read them"
    QTest.keyClick(window, Qt.Key.Key_G)
    dialog = commands.guidelines.dialog
    assert dialog is not None
    dialog.write.click()
    assert dialog.field.toPlainText() == WORDS
    dialog.field.setPlainText("")
    dialog.keep.click()
    assert dialog.text.toPlainText() == NONE_YET
    dialog.write.click()
    dialog.field.setPlainText("Be *fair*.")
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert dialog.isVisible(), "Escape leaves the writing first"
    assert dialog.text.toPlainText() == NONE_YET


def test_only_a_lead_writes_and_no_more_than_can_be_read(led: Path) -> None:
    with closing(Session.open(led, "bo")) as session:
        with pytest.raises(LabelError, match="write the guidelines"):
            guidelines.write(session, "mine")
        assert guidelines.guidelines(session) == WORDS
    with closing(Session.open(led, "lea")) as session:
        with pytest.raises(LabelError, match="200,001 letters"):
            guidelines.write(session, "x" * 200_001)
        with pytest.raises(LabelError, match="cannot be kept"):
            guidelines.write(session, "a\ud800b")
        assert guidelines.guidelines(session) == WORDS
