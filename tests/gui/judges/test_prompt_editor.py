"""A prompt is written, refused, compared, tried on a real evaluation and kept."""

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Prompt
from reviewer.gui.commands import WindowCommands
from reviewer.gui.judges.prompt_editor import PromptDialog, PromptEditor
from reviewer.gui.kit.theme import TextStyle
from reviewer.gui.page import around
from reviewer.gui.window import MainWindow
from reviewer.services.judging import prompts
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from tests.servers.model_server import Model

WAIT = 60_000


@pytest.fixture
def editor(
    window: MainWindow, session: Session, qtbot: QtBot, settle: Callable[[], None]
) -> PromptEditor:
    made = PromptEditor(around(window.surroundings, session))
    qtbot.addWidget(made)
    made.show()
    made.show_prompt(session.current_rubric(), "accuracy", judge="careful", keys=(1, 2))
    settle()
    return made


def test_the_shipped_prompt_is_shown_first(editor: PromptEditor, window: MainWindow) -> None:
    assert editor.title.text() == "Prompt as shipped"
    assert not editor.is_changed
    assert "{{ response }}" in editor.text
    written = editor.field.document().defaultFont()
    assert written.pixelSize() == window.surroundings.theme.font(TextStyle.MONO).pixelSize()
    assert written.families() == window.surroundings.theme.font(TextStyle.MONO).families()
    assert editor.save.isHidden()
    assert "c-0001 · 1 of 2" in editor.trial.which.text()
    assert "Question 1" in editor.trial.asked.toPlainText()


def test_a_wrong_prompt_is_said_with_its_line(editor: PromptEditor, qtbot: QtBot) -> None:
    line = editor.text.count("\n") + 2
    editor.set_text(editor.text.rstrip("\n") + "\n{{ nonsense }}")
    qtbot.waitUntil(lambda: "names 'nonsense'" in editor.problem.text(), timeout=WAIT)
    assert editor.problem.text().startswith(f"Line {line - 1} of the prompt")
    assert not editor.save.isEnabled()
    assert editor.keep() is None
    editor.set_text(editor.text.replace("{{ nonsense }}", "{% if %}"))
    qtbot.waitUntil(
        lambda: f"Line {line - 1} of the prompt:" in editor.problem.text(), timeout=WAIT
    )
    editor.revert.click()
    assert editor.problem.text() == ""
    assert editor.title.text() == "Prompt as shipped"


def test_versions_are_kept_by_number_and_compared(
    editor: PromptEditor, session: Session, qtbot: QtBot
) -> None:
    first = editor.text
    kept: list[Prompt] = []
    editor.kept.connect(kept.append)
    editor.set_text(first.replace("[user]", "Be strict.\n[user]"))
    qtbot.waitUntil(lambda: editor.title.text() == "Prompt v1, not kept", timeout=WAIT)
    assert editor.difference.text() == "added 1 line since as shipped"
    editor.save.click()
    assert [x.version for x in kept] == [1]
    assert editor.title.text() == "Prompt v1"
    assert editor.keep() == kept[0]
    editor.set_text(editor.text.replace("Be strict.", "Be very strict."))
    qtbot.waitUntil(lambda: editor.title.text() == "Prompt v2, not kept", timeout=WAIT)
    assert editor.difference.text() == "changed 1 line since v1"
    assert editor.versions.against.toolTip() == "No longer there:\nBe strict."
    editor.save.click()
    rubric = session.current_rubric()
    assert [x.version for x in prompts.versions(session, rubric, "accuracy")] == [2, 1, 0]
    editor.versions.version.setCurrentIndex(2)
    editor.versions.version.activated.emit(2)
    assert editor.text.strip() == first.strip()
    assert editor.title.text() == "Prompt as shipped"


def test_a_judge_is_asked_once_beside_the_people(
    editor: PromptEditor, session: Session, model: Model, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    for metric in ("relevance", "accuracy", "safety"):
        entering.commit(session, 1, metric, 5)
    editor.trial.go(0)
    settle()
    assert editor.trial.people.text() == "people: 5"
    editor.trial.ask_button.click()
    qtbot.waitUntil(lambda: editor.trial.score.text() == "2", timeout=WAIT)
    assert editor.trial.reasoning.text() == "The pool is not in the context."
    assert editor.trial.trace.toPlainText() == "Hm, the pool."
    assert '"score": 2' in editor.trial.raw.toPlainText()
    assert "100 tokens in, 20 out" in editor.trial.facts.text()
    assert len(model.requests) == 1
    settle()
    assert editor.trial.people.text() == "people: 5"
    editor.trial.after.click()
    assert editor.trial.score.text() == ""
    settle()


def test_asking_about_a_hidden_evaluation_is_recorded(
    editor: PromptEditor, session: Session, model: Model, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    session.blind = True
    editor.trial.go(1)
    settle()
    assert editor.trial.people.text() == "people: hidden until you have answered"
    editor.trial.ask()
    assert "Ask once more" in editor.trial.problem.text()
    assert model.requests == []
    editor.trial.ask()
    qtbot.waitUntil(lambda: editor.trial.score.text() == "2", timeout=WAIT)
    settle()
    assert editor.trial.people.text() == "people: not labelled yet"


def test_the_dialog_keeps_what_is_not_kept(
    commands: WindowCommands, session: Session, settle: Callable[[], None]
) -> None:
    dialog = commands.open_dialog("prompts")
    assert isinstance(dialog, PromptDialog)
    dialog.choose("safety", "careful")
    settle()
    assert "c-0001" in dialog.editor.trial.which.text()
    dialog.editor.set_text(dialog.editor.text + "\nAnd so on.")
    dialog.choose("accuracy")
    assert dialog.editor.metric_name == "safety"
    assert "Keep or revert" in dialog.said.text()
    dialog.close()
    assert dialog.isVisible()
    settle()
    dialog.close()
    QApplication.processEvents()
    assert not session.project.read_only
