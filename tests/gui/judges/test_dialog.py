"""Judges, endpoints and prices are added, changed, tried and taken away."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.window import MainWindow
from reviewer.services.calls import prices
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.building import build_project
from tests.servers.model_server import Model

WAIT = 60_000


@pytest.fixture
def dialog(commands: WindowCommands, session: Session) -> JudgesDialog:
    assert session.project.path.is_file()
    made = commands.open_dialog("judges")
    assert isinstance(made, JudgesDialog)
    return made


def names(session: Session) -> list[str]:
    return [x.name for x in judges.every(session)]


def test_a_judge_is_tested_with_one_question(
    dialog: JudgesDialog, model: Model, qtbot: QtBot
) -> None:
    dialog.judges.form.temperature.setText("0.5")
    dialog.judges.test_button.click()
    qtbot.waitUntil(lambda: "m at near answered in" in dialog.said.text(), timeout=WAIT)
    assert len(model.requests) == 1


def test_an_endpoint_that_is_down_is_said(
    dialog: JudgesDialog, session: Session, qtbot: QtBot
) -> None:
    dialog.show_endpoint("near")
    dialog.endpoints.form.base_url.setText("http://127.0.0.1:9/v1")
    dialog.endpoints.keep_button.click()
    assert dialog.said.text() == "The endpoint near is kept."
    dialog.tabs.setCurrentIndex(0)
    dialog.judges.test()
    qtbot.waitUntil(lambda: "cannot be reached at" in dialog.said.text(), timeout=WAIT)
    assert dialog.said.property("role") == "alert"
    assert names(session) == ["careful"]


def test_an_endpoint_is_chosen_by_its_name_and_not_by_what_the_list_shows_of_it(
    dialog: JudgesDialog, session: Session
) -> None:
    long = "the  endpoint of the " + "very " * 12 + "long name"
    (near,) = judges.endpoints(session)
    judges.keep_endpoint(session, replace(near, name=long))
    dialog.judges.refresh()
    dialog.judges.form.endpoint.setCurrentIndex(dialog.judges.form.endpoint.findData(long))
    assert dialog.judges.form.endpoint.currentText() != long
    assert dialog.judges.judge().endpoint == long


def test_a_judge_begins_with_a_preset(
    dialog: JudgesDialog, session: Session, settle: Callable[[], None]
) -> None:
    presets = {x.title: x for x in judges.judge_presets()}
    assert {"deepseek-chat", "gpt-4o-mini", "Anthropic", "Ollama", "vLLM", "llama.cpp",
            "LM Studio"} <= set(presets)  # fmt: skip
    dialog.judges.start_from(presets["deepseek-chat"])
    assert names(session) == ["careful", "deepseek-chat"]
    assert "recommended" in dialog.judges.form.price.text()
    dialog.judges.start_from(presets["Ollama"])
    assert names(session) == ["careful", "deepseek-chat"]
    dialog.judges.keep_button.click()
    assert dialog.said.text() == "The judge ollama needs a model."
    dialog.judges.form.model.setText("qwen3:14b")
    dialog.judges.form.repeats.setValue(3)
    dialog.judges.form.seed.setText("7")
    dialog.judges.keep_button.click()
    made = next(x for x in judges.every(session) if x.name == "ollama")
    assert (made.model, made.endpoint, made.repeats, made.seed) == ("qwen3:14b", "ollama", 3, 7)
    dialog.judges.remove_button.click()
    assert dialog.said.text() == "The judge ollama is removed; its scores stay."
    settle()


@pytest.mark.parametrize(
    ("field", "words", "sentence"),
    [
        ("temperature", "hot", "Temperature is 'hot'; a number is expected."),
        ("temperature", "3", "The temperature is 3; 0 to 2 is expected."),
        ("seed", "1.5", "a whole number is expected"),
        ("name", "a@b", "is no name"),
    ],
)
def test_what_makes_no_sense_is_said(
    dialog: JudgesDialog, field: str, words: str, sentence: str
) -> None:
    getattr(dialog.judges.form, field).setText(words)
    dialog.judges.keep_button.click()
    assert sentence in dialog.said.text()


def test_endpoints_hold_no_secret(dialog: JudgesDialog, session: Session) -> None:
    dialog.show_endpoint("near")
    for url, sentence in (
        ("http://me:pw@127.0.0.1/v1", "holds a name or password"),
        ("http://127.0.0.1/v1?api_key=abc", "holds 'api_key'"),
        ("127.0.0.1", "with http:// or https:// is expected"),
    ):
        dialog.endpoints.form.base_url.setText(url)
        dialog.endpoints.keep()
        assert sentence in dialog.said.text()
    dialog.endpoints.form.base_url.setText("http://127.0.0.1/v1")
    dialog.endpoints.form.variable.setText("sk-abc def")
    dialog.endpoints.keep()
    assert "never the key itself" in dialog.said.text()
    dialog.endpoints.remove()
    assert "is asked by careful; remove it first" in dialog.said.text()
    assert len(judges.endpoints(session)) == 1


def test_prices_are_changed_and_added(dialog: JudgesDialog, session: Session) -> None:
    dialog.tabs.setCurrentIndex(2)
    assert "m" in dialog.prices.table.rows.keys, "the model of a judge without a price"
    dialog.prices.table.choose("m")
    dialog.prices.keep()
    assert "needs a model and two numbers" in dialog.said.text()
    dialog.prices.form.input_per_million.setText("$0.5")
    dialog.prices.form.output_per_million.setText("1,5")
    dialog.prices.keep()
    found = prices.price_of(session.project, "m")
    assert found is not None
    assert (found.input_per_million, found.output_per_million) == (0.5, 1.5)
    dialog.prices.form.input_per_million.setText("-1")
    dialog.prices.keep()
    assert dialog.said.text() == "A price is 0 or more."


def test_nothing_opens_without_a_project(window: MainWindow, commands: WindowCommands) -> None:
    assert window.session is None
    assert commands.open_dialog("judges") is None
    assert not commands.actions["window.judges"].isEnabled()


def test_a_key_is_asked_of_nobody_while_reading(tmp_path: Path, dialog: JudgesDialog) -> None:
    assert tmp_path.is_dir()
    assert dialog.judges.form.key.field.text() == ""


def test_further_parameters_are_shown_and_go_along(
    dialog: JudgesDialog, session: Session, model: Model, qtbot: QtBot
) -> None:
    tab = dialog.judges
    assert tab.form.extra.toPlainText() == ""
    tab.form.extra.setPlainText('{"top_p": 0.9, "reasoning": {"effort": "low"}}')
    tab.keep_button.click()
    (kept,) = judges.every(session)
    assert kept.extra == {"top_p": 0.9, "reasoning": {"effort": "low"}}
    tab.choose("careful")
    assert '"top_p": 0.9' in tab.form.extra.toPlainText()
    assert not tab.is_typed
    tab.test_button.click()
    qtbot.waitUntil(lambda: "m at near answered in" in dialog.said.text(), timeout=WAIT)
    (asked,) = model.requests
    assert (asked["top_p"], asked["reasoning"]) == (0.9, {"effort": "low"})
    tab.form.extra.setPlainText("  ")
    tab.keep_button.click()
    assert judges.every(session)[0].extra == {}


def test_parameters_that_make_no_sense_are_said_and_stay(
    dialog: JudgesDialog, session: Session
) -> None:
    tab = dialog.judges
    tab.form.extra.setPlainText('{"top_p": }')
    tab.keep_button.click()
    assert "The parameters are no JSON (line 1, column 11: " in dialog.said.text()
    assert dialog.said.property("role") == "alert"
    assert tab.form.extra.toPlainText() == '{"top_p": }'
    assert tab.is_typed
    assert judges.every(session)[0].extra == {}


def elsewhere(session: Session) -> Session:
    return Session.open(session.project.path)


def test_the_dialog_follows_another_window(
    dialog: JudgesDialog, session: Session, qtbot: QtBot
) -> None:
    with contextlib.closing(elsewhere(session)) as other:
        (judge,) = judges.every(other)
        judges.keep(other, replace(judge, note="slow but sure"))
        judges.keep(other, replace(judge, name="second"))
    assert session.poll() == 1
    qtbot.waitUntil(lambda: dialog.judges.form.note.text() == "slow but sure", timeout=WAIT)
    assert dialog.judges.list.rows.rowCount() == 2


def test_what_is_typed_stays_whatever_another_window_keeps(
    dialog: JudgesDialog, session: Session, qtbot: QtBot
) -> None:
    dialog.judges.form.model.setText("half a na")
    with contextlib.closing(elsewhere(session)) as other:
        (judge,) = judges.every(other)
        judges.keep(other, replace(judge, note="slow but sure"))
    session.poll()
    qtbot.wait(50)
    assert dialog.judges.form.model.text() == "half a na"
    assert dialog.judges.form.note.text() == ""


def test_every_tab_tells_where_its_key_is(dialog: JudgesDialog, qtbot: QtBot) -> None:
    keys = (dialog.judges.form.key, dialog.endpoints.form.key)
    qtbot.waitUntil(lambda: {x.state.text() for x in keys} == {"not needed"}, timeout=WAIT)


def test_without_a_judge_the_dialog_says_how_to_begin(
    tmp_path: Path, window: MainWindow, commands: WindowCommands
) -> None:
    assert window.open_project(build_project(tmp_path / "n.review"))
    made = commands.open_dialog("judges")
    assert isinstance(made, JudgesDialog)
    assert made.judges.none.isVisible()
    assert not made.judges.form.isVisible()
    made.judges.start_from(judges.judge_presets()[0])
    assert made.judges.form.isVisible()
    assert not made.judges.none.isVisible()
    made.close()
