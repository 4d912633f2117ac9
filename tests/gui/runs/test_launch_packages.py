"""What an installed package brings is offered beside the project's own, and works from here."""

import os
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from reviewer.gui.judges.prompt_editor import PromptDialog
from reviewer.gui.runs.launch_pane import TRY, LaunchPane
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.services.jobs import job_list
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import Desk
from tests.gui.runs.conftest import is_settled

pytestmark = pytest.mark.usefixtures("installed")

PACKAGE = "strangers 1.2"
CODE = """
def shouting(case):
    return 5 if "!" in (case["response"] or "") else 1

def stern(prompt, *, system, model):
    return {"score": 2, "reasoning": "Never good enough."}

class Echo:
    def __new__(cls, case):
        return f"You asked: {case['question']}"
"""
ENTRIES = """
[reviewer.scorers]
shouting = strangers:shouting

[reviewer.judges]
stern = strangers:stern

[reviewer.bots]
echo = strangers:Echo
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lay the package out as an installer does, for this process and the workers."""
    site = tmp_path / "site"
    metadata = site / "strangers-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "strangers.py").write_text(CODE, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text(ENTRIES, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    known = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(x for x in (str(site), known) if x))
    monkeypatch.delitem(sys.modules, "strangers", raising=False)


def start(pane: LaunchPane, desk: Desk, settle: Callable[[], None]) -> str:
    """Wait for the forecast, start, and give how the job ended."""
    desk.wait(lambda: is_settled(pane))
    settle()
    assert pane.start.isEnabled(), pane.problem.text()
    QTest.mouseClick(pane.start, Qt.MouseButton.LeftButton)
    return desk.wait_end()[2]


def test_a_scorer_is_offered_with_its_package_and_scores(
    pane: LaunchPane, desk: Desk, settle: Callable[[], None]
) -> None:
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("scorer"))
    choice = form.scorers.rows["safety"].choice
    place = choice.findData("shouting")
    assert choice.itemText(place) == f"shouting · {PACKAGE}"
    choice.setCurrentIndex(place)
    assert start(pane, desk, settle) == "done"
    with closing(Session.open(desk.path)) as session:
        newest = job_list.every(session)[0]
        assert job_list.plan(session, newest.key).scorers == {"safety": "shouting"}
        assert (newest.done, newest.failed) == (40, 0)


def test_a_judge_is_offered_tested_tried_and_started(
    pane: LaunchPane, desk: Desk, settle: Callable[[], None]
) -> None:
    form = pane.form
    place = form.judge.findData("stern")
    assert form.judge.itemText(place) == f"stern · {PACKAGE}"
    form.judge.setCurrentIndex(place)
    form.metrics.choose("accuracy")
    form.at_most.setValue(0)
    assert form.key.text() == "not needed"
    QTest.mouseClick(form.test, Qt.MouseButton.LeftButton)
    settle()
    assert form.dot.text() == "● reachable"
    desk.wait(lambda: is_settled(pane) and pane.try_five.isEnabled())
    QTest.mouseClick(pane.try_five, Qt.MouseButton.LeftButton)
    desk.wait(lambda: TRY not in desk.window.surroundings.tasks.running())
    settle()
    said = [x.text() for x in pane.tries.findChildren(QLabel)]
    assert any(x.startswith("5 of 5 worked") for x in said), said
    assert start(pane, desk, settle) == "done"
    with closing(Session.open(desk.path)) as session:
        assert job_list.every(session)[0].done == 40


def test_a_bot_is_offered_and_answers(
    pane: LaunchPane, desk: Desk, settle: Callable[[], None]
) -> None:
    form = pane.form
    form.what.setCurrentIndex(form.what.findData("bot"))
    place = form.bot.findData("echo")
    assert form.bot.itemText(place) == f"echo · {PACKAGE}"
    form.bot.setCurrentIndex(place)
    assert start(pane, desk, settle) == "done"
    with closing(Session.open(desk.path)) as session:
        assert "echo 1" in session.run_names()


def test_prompts_and_monitor_offer_the_judge_too(
    pane: LaunchPane, desk: Desk, settle: Callable[[], None]
) -> None:
    pane.form.metrics.choose("accuracy")
    dialog = pane.prompt.open_large()
    assert isinstance(dialog, PromptDialog)
    assert dialog.judge.itemText(dialog.judge.findData("stern")) == f"stern · {PACKAGE}"
    dialog.close()
    page = desk.window.page
    assert isinstance(page, RunsPage)
    form = page.bring(MonitorSection).form
    settle()
    assert form.judge.itemText(form.judge.findData("stern")) == f"stern · {PACKAGE}"
