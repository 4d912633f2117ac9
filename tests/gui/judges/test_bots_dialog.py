"""Bots are made, refused where they would store a secret, and tried on a question."""

import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.domain.judging import Bot
from reviewer.gui.commands import WindowCommands
from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.paths import resources
from reviewer.services.bots import bots
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.servers.model_server import Model

WAIT = 60_000


@pytest.fixture
def dialog(commands: WindowCommands, session: Session) -> BotsDialog:
    assert not session.project.read_only
    made = commands.open_dialog("bots")
    assert isinstance(made, BotsDialog)
    return made


def kept(session: Session) -> Bot:
    (found,) = judges.bots(session)
    return found


def test_a_table_answers_with_the_row_it_matched(
    dialog: BotsDialog, session: Session, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "faq.csv"
    file.write_text("frage,antwort,note\nOpening hours?,Nine to five.,x\nreset PIN,Click.,y\n")
    dialog.begin("strict_match")
    dialog.strict.take(file)
    assert dialog.strict.table.about.text() == "faq.csv · 2 rows"
    dialog.strict.answer_column.setCurrentText("antwort")
    dialog.strict.answer_column.activated.emit(1)
    dialog.strict.min_similarity.setText("0.2")
    dialog.trial.question.setText("How do I reset my PIN?")
    dialog.trial.ask_button.click()
    qtbot.waitUntil(lambda: dialog.trial.answer.toPlainText() == "Click.", timeout=WAIT)
    assert dialog.trial.match.text().startswith("Row 2, “reset PIN” · similarity 0.5")
    assert dialog.trial.match.text().endswith("shared words: pin, reset")
    assert "ms" in dialog.trial.facts.text()
    dialog.keep_button.click()
    assert dialog.said.text() == "The bot Strict match is kept."
    assert kept(session).settings["rows"] == [
        ["Opening hours?", "Nine to five."], ["reset PIN", "Click."],
    ]  # fmt: skip
    dialog.trial.question.setText("zzz")
    dialog.ask()
    qtbot.waitUntil(lambda: "No row is like enough" in dialog.trial.match.text(), timeout=WAIT)
    dialog.remove_button.click()
    assert judges.bots(session) == ()


def test_a_document_too_long_is_refused_with_its_size(
    dialog: BotsDialog, session: Session, model: Model, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog.begin("full_context")
    dialog.whole.take(tmp_path / "nothing.md")
    assert "nothing.md cannot be read" in dialog.whole.problem.text()
    dialog.whole.take(resources() / "examples" / "faq-document.md")
    assert "characters, about" in dialog.whole.file.about.text()
    dialog.whole.model.setText("m")
    dialog.whole.context_tokens.setText("10")
    dialog.keep_button.click()
    assert "more than the 10 that m takes" in dialog.said.text()
    dialog.whole.context_tokens.setText("100000")
    dialog.whole.template.setPlainText("{{ knowledge }} {{ nonsense }}")
    dialog.keep_button.click()
    assert "The template names {{ nonsense }}" in dialog.said.text()
    dialog.whole.template.setPlainText("Read: {{ knowledge }}\nAsked: {{ question }}")
    dialog.trial.question.setText("Where?")
    dialog.ask()
    qtbot.waitUntil(dialog.trial.answer.isVisible, timeout=WAIT)
    assert "100 tokens in, 20 out" in dialog.trial.facts.text()
    assert model.requests[0]["messages"][-1]["content"].endswith("Asked: Where?")
    dialog.keep()
    assert kept(session).settings["file"] == "faq-document.md"


@pytest.mark.parametrize(
    ("field", "words", "sentence"),
    [
        ("headers", "Authorization: Bearer sk-abcdefghijklmnop", "would stand in the project"),
        ("headers", "X-Api-Key: abc", "would stand in the project"),
        ("headers", "Cookie: session=1", "would stand in the project"),
        ("headers", "nothing", "Line 1 of the headers has no colon"),
        ("headers", "X Y: 1", "is no header"),
        ("body", "{", "The body is no JSON (line 1)"),
        ("body", '{"q": "{{ nonsense }}"}', "names {{ nonsense }}"),
        ("body", '{"q": "sk-abcdefghijklmnopqrst"}', "looks like a key"),
    ],
)
def test_no_secret_goes_into_the_project(
    dialog: BotsDialog, session: Session, field: str, words: str, sentence: str
) -> None:
    dialog.begin("http")
    dialog.http.url.setText("http://127.0.0.1:9/chat")
    dialog.http.path.setText("answer")
    getattr(dialog.http, field).setPlainText(words)
    dialog.keep_button.click()
    assert sentence in dialog.said.text()
    assert judges.bots(session) == ()


def test_an_address_says_where_tools_and_sources_stand(
    dialog: BotsDialog, session: Session
) -> None:
    dialog.begin("http")
    dialog.http.url.setText("http://127.0.0.1:9/chat")
    dialog.http.path.setText("answer")
    dialog.http.paths.setPlainText("tools_used: trace.tools\nnonsense")
    dialog.keep_button.click()
    assert "Line 2 of the paths has no colon" in dialog.said.text()
    dialog.http.paths.setPlainText("tools: trace.tools")
    dialog.keep_button.click()
    assert "name 'tools'; there are: " in dialog.said.text()
    dialog.http.paths.setPlainText("tools_used: trace.tools")
    dialog.keep_button.click()
    assert kept(session).settings["paths"] == {"tools_used": "trace.tools"}
    dialog.http.show_settings(kept(session).settings)
    assert dialog.http.paths.toPlainText() == "tools_used: trace.tools"


def test_an_address_answers_with_a_key_from_the_surroundings(
    dialog: BotsDialog,
    session: Session,
    model: Model,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("BOT_KEY", raising=False)
    dialog.begin("http")
    dialog.http.url.setText(model.url)
    dialog.http.headers.setPlainText("Authorization: Bearer {{ key }}\nX-Trace: 1")
    dialog.http.path.setText("choices.0.message.content")
    dialog.http.variable.setText("BOT_KEY")
    dialog.ask()
    said = dialog.trial.problem
    qtbot.waitUntil(lambda: "needs a key and none is stored" in said.text(), timeout=WAIT)
    monkeypatch.setenv("BOT_KEY", "planted-0123456789")
    dialog.ask()
    qtbot.waitUntil(dialog.trial.answer.isVisible, timeout=WAIT)
    assert model.keys == ["Bearer planted-0123456789"]
    dialog.keep()
    place = bots.key_place(kept(session))
    assert (place.name, place.base_url, place.needs_key) == ("HTTP endpoint", model.url, True)


def test_a_command_answers_or_says_why_not(
    dialog: BotsDialog, session: Session, qtbot: QtBot, settle: Callable[[], None]
) -> None:
    dialog.begin("command")
    dialog.keep()
    assert "needs the setting 'words'" in dialog.said.text()
    dialog.command.words.setText("python 'x")
    dialog.keep()
    assert "a quotation mark that is not closed" in dialog.said.text()
    source = "import json,sys; print(json.dumps({'response': json.load(sys.stdin)['question']}))"
    dialog.command.words.setText(f'{sys.executable} -c "{source}"')
    dialog.trial.question.setText("Echo?")
    dialog.ask()
    qtbot.waitUntil(lambda: dialog.trial.answer.toPlainText() == "Echo?", timeout=WAIT)
    dialog.command.words.setText(f'{sys.executable} -c "print(1)"')
    dialog.ask()
    qtbot.waitUntil(lambda: "gave no response" in dialog.trial.problem.text(), timeout=WAIT)
    dialog.keep()
    assert kept(session).settings["words"] == [sys.executable, "-c", "print(1)"]
    settle()


MATCH = Bot(name="match", kind="strict_match", settings={"rows": [["Heated?", "Yes."]]})


def elsewhere(session: Session, note: str) -> None:
    """Keep the bot with another note in another window."""
    with contextlib.closing(Session.open(session.project.path)) as other:
        bots.keep(other, replace(MATCH, note=note))
    session.poll()


def test_the_dialog_follows_another_window(
    dialog: BotsDialog, session: Session, qtbot: QtBot
) -> None:
    elsewhere(session, "old")
    qtbot.waitUntil(lambda: dialog.head.note.text() == "old", timeout=WAIT)
    elsewhere(session, "new")
    qtbot.waitUntil(lambda: dialog.head.note.text() == "new", timeout=WAIT)
    dialog.head.note.setText("mine, half wri")
    elsewhere(session, "newer")
    qtbot.wait(50)
    assert dialog.head.note.text() == "mine, half wri"


def test_what_is_said_of_keeping_stays(dialog: BotsDialog, session: Session, qtbot: QtBot) -> None:
    elsewhere(session, "old")
    qtbot.waitUntil(lambda: dialog.head.note.text() == "old", timeout=WAIT)
    dialog.head.note.setText("new")
    dialog.keep_button.click()
    qtbot.wait(50)
    assert dialog.said.text() == "The bot match is kept."
    assert kept(session).note == "new"
