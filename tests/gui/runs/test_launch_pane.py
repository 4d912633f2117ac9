"""The pane that launches: what it asks, foretells, tries and starts, against a real server."""

import json
import re
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, JobPlan
from reviewer.domain.rubric import Metric
from reviewer.gui.runs.launch_pane import TRY, LaunchPane
from reviewer.gui.runs.page import RunsPage
from reviewer.services.bots import bots
from reviewer.services.jobs import job_list
from reviewer.services.judging import prompts
from reviewer.services.labelling import entering
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from tests.building import RUBRIC
from tests.gui.jobs.conftest import KEY, Desk, Provider, odd_one_out
from tests.servers.model_server import Answer

# what is true or not can be scored by a rule, levels by a judge alone
TOLD = replace(RUBRIC, metrics=(*RUBRIC.metrics, Metric(name="told", scale="binary", weight=0)))


def newest_plan(desk: Desk) -> JobPlan:
    with closing(Session.open(desk.path)) as session:
        return job_list.plan(session, job_list.every(session)[0].key)


def test_a_judge_is_foretold_and_started(
    pane: LaunchPane, desk: Desk, provider: Provider, guessed: Callable[[], str]
) -> None:
    pane.form.metrics.choose("accuracy")
    words = guessed()
    assert "40 evaluations · 40 calls" in words
    assert "$" in words
    assert pane.form.key.text() == "from NEAR_KEY"
    assert KEY not in words
    pane.form.at_most.setValue(0.1)
    guessed()
    assert pane.problem.text().startswith("It would stop at $0.1")
    pane.form.at_most.setValue(30)
    guessed()
    assert pane.problem.text() == ""
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end()[2] == "done"
    assert provider.asked == 40
    plan = newest_plan(desk)
    assert (plan.metrics, plan.max_cost, plan.selection.runs) == (
        ("accuracy",),
        30.0,
        ("agent v7",),
    )


def test_a_selection_is_narrowed(pane: LaunchPane, guessed: Callable[[], str]) -> None:
    form = pane.form
    form.metrics.choose("safety")
    QTest.mouseClick(form.more, Qt.MouseButton.LeftButton)
    assert form.category.isVisible()
    form.category.setCurrentIndex(form.category.findData("policies"))
    form.limit.setValue(5)
    assert guessed().startswith("5 evaluations · 5 calls")
    assert form.selection.currentText() == "Whole run — 5"
    form.filter.setText("nonsense:1")
    guessed()
    assert "nonsense" in pane.problem.text()
    assert not pane.start.isEnabled()
    form.filter.clear()
    form.category.setCurrentIndex(0)
    form.selection.setCurrentIndex(form.selection.findData("labelled"))
    guessed()
    assert "Nothing is selected" in pane.problem.text()
    assert not pane.start.isEnabled()


@pytest.mark.parametrize("judged_rubric", [TOLD])
def test_scores_are_made_anew_with_other_parameters(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("scorer"))
    guessed()
    assert "Choose a scorer" in pane.problem.text()
    row = form.scorers.rows["told"]
    row.choice.setCurrentIndex(row.choice.findData("contains"))
    assert row.fields is not None
    texts, mode = row.fields.fields["texts"], row.fields.fields["mode"]
    assert texts.isVisible()
    guessed()
    assert "a list of texts to look for is needed" in texts.problem.text().lower()
    assert not pane.start.isEnabled()
    texts.type('["pool"')
    assert "not a JSON list" in texts.problem.text()
    guessed()
    assert "not a JSON list" in pane.problem.text()
    texts.type("pool, spa")
    assert texts.problem.text() == ""
    assert mode.typed == ""
    mode.type("any")
    assert "40 evaluations · 40 scores" in guessed(), pane.problem.text()
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end()[2] == "done"
    plan = newest_plan(desk)
    assert plan.scorers == {"told": "contains"}
    assert plan.parameters == {"told": {"texts": ["pool", "spa"], "mode": "any"}}


@pytest.mark.parametrize("judged_rubric", [TOLD])
@pytest.mark.parametrize(
    "case",
    [
        ("regex", "pattern", "(", r"\d+ pools?", r"\d+ pools?"),
        ("numeric", "absolute", "a few", "0.5", 0.5),
        ("json_schema", "schema", '{"type": 7}', '{"type": "object"}', {"type": "object"}),
    ],
)
def test_a_parameter_is_typed_and_what_is_wrong_stands_beside_it(
    pane: LaunchPane, guessed: Callable[[], str], case: tuple[str, str, str, str, object]
) -> None:
    scorer, name, wrong, right, value = case
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("scorer"))
    row = form.scorers.rows["told"]
    row.choice.setCurrentIndex(row.choice.findData(scorer))
    assert row.fields is not None
    field = row.fields.fields[name]
    assert field.meaning.text()
    field.type(wrong)
    guessed()
    assert field.problem.isVisible()
    assert field.problem.text()
    assert not pane.start.isEnabled()
    field.type(right)
    assert not field.problem.isVisible()
    assert "40 scores" in guessed(), pane.problem.text()
    assert row.parameters == {name: value}


def test_a_bot_answers_as_a_new_run(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str], settle: Callable[[], None]
) -> None:
    with closing(Session.open(desk.path)) as session:
        rows: list[JsonValue] = [["Is the pool heated?", "Yes."]]
        bots.keep(session, Bot(name="FAQ", kind="strict_match", settings={"rows": rows}))
    pane.refresh()
    settle()
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("bot"))
    assert "a new run" in guessed()
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end()[2] == "done"
    page = desk.window.page
    assert isinstance(page, RunsPage)
    desk.wait(lambda: len(page.runs.list.rows.keys) == 2)


def test_what_a_judge_takes_after_a_bot_is_told_and_held_to_the_same_limit(
    pane: LaunchPane,
    desk: Desk,
    provider: Provider,
    guessed: Callable[[], str],
    settle: Callable[[], None],
) -> None:
    with closing(Session.open(desk.path)) as session:
        rows: list[JsonValue] = [["Is the pool heated?", "Yes."]]
        bots.keep(session, Bot(name="FAQ", kind="strict_match", settings={"rows": rows}))
        sets.from_run(session, "agent v7", "few")
    pane.refresh()
    settle()
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("bot"))
    assert "judges it" not in guessed()
    form.then.setCurrentIndex(form.then.findData("careful"))
    form.at_most.setValue(0.1)
    words = guessed()
    assert "careful then judges it: about 120 calls" in words
    assert "holds for both together" in words
    assert "would stop at $0.10" in pane.problem.text()
    form.tests.setCurrentIndex(form.tests.findData("few"))
    # a set that knows its cases is foretold like the run they came from
    assert "careful then judges it: about 120 calls" in guessed()
    form.tests.setCurrentIndex(0)
    form.at_most.setValue(30)
    guessed()
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end(2)[2] == "done"
    assert provider.asked == 120
    plan = newest_plan(desk)
    assert (plan.kind, plan.max_cost, plan.selection.runs) == ("judge", 30.0, ("FAQ 1",))


def test_five_are_tried_and_nothing_is_stored(
    pane: LaunchPane,
    desk: Desk,
    provider: Provider,
    guessed: Callable[[], str],
    settle: Callable[[], None],
) -> None:
    provider.answer = odd_one_out("Question 21:")
    pane.form.metrics.choose("accuracy")
    guessed()
    pane.prompt.editor.set_text(pane.prompt.editor.text + "\nBe strict.")
    QTest.mouseClick(pane.try_five, Qt.MouseButton.LeftButton)
    assert pane.try_five.text() == "Stop"
    desk.wait(lambda: TRY not in desk.window.surroundings.tasks.running())
    settle()
    assert pane.try_five.text() == "Try on 5"
    assert pane.tries.isVisible()
    asked = json.dumps(provider.model.requests if provider.model else [])
    assert asked.count("Be strict.") >= 5
    with closing(Session.open(desk.path)) as session:
        assert job_list.every(session) == ()


@pytest.mark.usefixtures("unled")
def test_what_the_labeler_has_to_answer_unseen_is_not_tried(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str], settle: Callable[[], None]
) -> None:
    session = desk.window.session
    assert session is not None
    assert session.blind
    # begun, not finished; half of them is held out
    begun = range(20, 24)
    for key in begun:
        entering.commit(session, key, "safety", 4)
    hidden = " OR ".join(f"id:{reading.view(session, key).evaluation.id}" for key in begun)
    pane.form.metrics.choose("accuracy")
    QTest.mouseClick(pane.form.more, Qt.MouseButton.LeftButton)
    pane.form.filter.setText(hidden)
    guessed()
    QTest.mouseClick(pane.try_five, Qt.MouseButton.LeftButton)
    desk.wait(lambda: TRY not in desk.window.surroundings.tasks.running())
    settle()
    assert "hidden from you" in pane.problem.text()
    assert not pane.tries.isVisible()


def test_a_changed_prompt_is_kept_before_the_start(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    guessed()
    pane.prompt.editor.set_text(pane.prompt.editor.text + "\nBe strict.")
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end()[2] == "done"
    plan = newest_plan(desk)
    assert plan.prompts[0].text.endswith("Be strict.")
    assert plan.prompts[0].version == 1


def test_an_older_version_in_view_is_what_everything_asks_with(
    pane: LaunchPane,
    desk: Desk,
    provider: Provider,
    guessed: Callable[[], str],
    settle: Callable[[], None],
) -> None:
    with closing(Session.open(desk.path)) as session:
        rubric = session.current_rubric()
        for words in ("Older words.", "Newer words."):
            text = prompts.shipped(rubric, "accuracy").text + "\n" + words
            prompts.save(session, rubric, "accuracy", text)
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    assert "prompt v2" in guessed()
    assert pane.problem.text() == ""
    editor = pane.prompt.editor
    choice = editor.versions.version
    choice.setCurrentIndex(1)
    choice.activated.emit(1)
    assert "prompt v1" in guessed()
    assert "v2 is newer" in pane.problem.text()
    pane.refresh()
    settle()
    assert editor.text.endswith("Older words.")
    assert "Older words." in editor.trial.asked.toPlainText()
    QTest.mouseClick(pane.try_five, Qt.MouseButton.LeftButton)
    desk.wait(lambda: TRY not in desk.window.surroundings.tasks.running())
    assert "prompt v1" in guessed()
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    assert desk.wait_end()[2] == "done"
    assert newest_plan(desk).prompts[0].version == 1
    asked = json.dumps(provider.model.requests if provider.model else [])
    assert asked.count("Older words.") >= 45
    assert "Newer words." not in asked


def test_a_text_that_is_not_kept_is_foretold_and_comes_back_with_its_metric(
    pane: LaunchPane, desk: Desk, guessed: Callable[[], str]
) -> None:
    pane.form.metrics.choose("accuracy")
    pane.form.at_most.setValue(0)
    few = guessed()
    editor = pane.prompt.editor
    editor.set_text(editor.text + "\n" + "Be strict. " * 400)
    many = guessed()
    assert "prompt v1, not kept yet" in many
    assert _tokens(many) > _tokens(few) + 40 * 400
    pane.form.metrics.choose("safety")
    guessed()
    assert "Be strict." not in editor.text
    pane.form.metrics.choose("accuracy")
    assert "not kept yet" in guessed()
    editor.set_text("[user]\n{{ nothing_like_this }}")
    guessed()
    assert "nothing_like_this" in pane.problem.text()
    assert not pane.start.isEnabled()
    with closing(Session.open(desk.path)) as session:
        assert len(prompts.versions(session, session.current_rubric(), "accuracy")) == 1


def _tokens(words: str) -> int:
    found = re.search(r"about ([0-9,]+) tokens", words)
    assert found, words
    return int(found[1].replace(",", ""))


def test_a_judge_is_asked_for_a_word_only_on_request(
    pane: LaunchPane, provider: Provider, settle: Callable[[], None]
) -> None:
    assert provider.asked == 0
    assert "not tested" in pane.form.dot.text()
    QTest.mouseClick(pane.form.test, Qt.MouseButton.LeftButton)
    settle()
    assert pane.form.dot.text() == "● reachable"
    provider.answer = lambda _n, _b: Answer("wrong", status=401)
    QTest.mouseClick(pane.form.test, Qt.MouseButton.LeftButton)
    settle()
    assert pane.form.dot.text() == "● not reachable"
    assert KEY not in pane.form.dot.toolTip()


def test_a_reply_to_the_project_before_is_not_told_in_this_one(
    pane: LaunchPane, desk: Desk, provider: Provider, settle: Callable[[], None]
) -> None:
    provider.answer = lambda _n, _b: Answer(delay=0.5)
    QTest.mouseClick(pane.form.test, Qt.MouseButton.LeftButton)
    assert pane.form.dot.text() == "asking…"
    desk.wait(lambda: provider.asked == 1)
    assert desk.window.open_project(desk.path)
    desk.window.show_page("runs")
    desk.wait(
        lambda: not any(x.name == "task ask the judge for a word" for x in threading.enumerate())
    )
    settle()
    page = desk.window.page
    assert isinstance(page, RunsPage)
    assert "not tested" in page.launch.form.dot.text()


def test_a_missing_key_is_told_and_leads_to_the_dialog(
    pane: LaunchPane,
    guessed: Callable[[], str],
    settle: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NEAR_KEY")
    pane.refresh()
    settle()
    guessed()
    assert pane.form.key.text() == "missing"
    assert "calls will fail" in pane.problem.text()
    dialog = pane.judge.open_judges()
    assert dialog is not None
    assert dialog.isVisible()
    dialog.close()


def test_every_field_has_a_name_for_screen_readers(pane: LaunchPane) -> None:
    form = pane.form
    fields = (
        form.what, form.metrics, form.scorers, form.selection, form.category, form.filter,
        form.limit, form.judge, form.bot, form.repeats, form.at_most, form.at_once, form.cache,
        form.test, form.set_key, form.edit_judge, form.edit_bot, form.more, pane.start,
        pane.try_five,
    )  # fmt: skip
    assert [type(x).__name__ for x in fields if not x.accessibleName()] == []
