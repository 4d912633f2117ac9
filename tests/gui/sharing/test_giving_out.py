"""A lead lets whoever is free take the next evaluation, and sees how far that is."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.review.page import ReviewPage
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.queues import pools, working
from reviewer.services.queues.plans import Sampling
from reviewer.services.sharing import claims
from tests.building import build_project
from tests.gui.queues.test_builder import rows
from tests.gui.sharing.conftest import Sit
from tests.services.sharing.sharing_projects import Team
from tests.services.sharing.test_claims import PLACES, give_out, pass_by, places

WAIT_MS = 60_000


def given_out(commands: WindowCommands) -> QueueBuilder:
    """A plan of all, given to whoever is free."""
    commands.actions["window.new_queue"].trigger()
    found = commands.keeper.dialog
    assert isinstance(found, QueueBuilder)
    found.draw.sampling.setCurrentIndex(found.draw.sampling.findData(Sampling.ALL))
    found.people.repeats.setValue(10)
    found.people.assignment.setCurrentIndex(found.people.assignment.findData("free"))
    return found


def test_a_queue_is_given_to_whoever_is_free(
    window: MainWindow, commands: WindowCommands, team: Team, sit: Sit, qtbot: QtBot
) -> None:
    sit("Lead")
    builder = given_out(commands)
    builder.people.overlap.setValue(2)
    builder.name.setText("Pool")
    qtbot.waitUntil(lambda: bool(rows(builder.per_person)), timeout=WAIT_MS)
    assert rows(builder.per_person) == [["whoever is free", "12", "0", "0", "12"]]
    assert "12 answers by whoever of 2 labelers is free" in builder.sentence.text()
    # a hub carries no repeats, so nothing offers them
    assert not builder.people.repeats.isVisibleTo(builder.people)
    assert builder.plan().repeats == 0
    with qtbot.waitSignal(builder.made, timeout=WAIT_MS):
        builder.make.click()
    session = window.session
    assert session is not None
    assert pools.free_answers(session, working.find(session, "Pool")) == 12
    team.sync("Lead")
    team.join("Ann")
    for n in range(2):
        team.label("Ann", f"c-{n}", 3)
    team.sync("Ann", "Lead")
    commands.actions["window.queues"].trigger()
    overview = commands.keeper.dialog
    assert isinstance(overview, QueuesDialog)
    overview.queues.choose("Pool")
    overview.refresh()
    assert overview.about.text().endswith(
        "Given to whoever is free: 0 of 6 answered by enough people, 6 answers still free."
    )
    assert rows(overview.people)[0][:3] == ["Ann", "2", "4"]


def test_what_is_on_the_screen_stays_there_whoever_took_it_and_more_comes_beneath(
    window: MainWindow,
    team: Team,
    sit: Sit,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(claims, "AHEAD", 2)
    give_out(team)
    team.sync("Lead")
    team.join("Ann")
    team.join("Ben")
    first, second, *_ = places(team, "Ann", "Ann")
    team.label("Ann", first, 4)
    team.sync("Ann")
    sit("Ann")
    page = window.page
    assert isinstance(page, ReviewPage)
    page.queue.work_on("Pool")
    assert page._view is not None
    assert page._view.evaluation.id == second
    pass_by(team, 21)
    for _ in PLACES:
        for place in places(team, "Ben", "Ben"):
            team.label("Ben", place, 5)
        team.sync("Ben")
    team.sync("Ann")
    session = window.session
    assert session is not None
    session.poll()
    assert places(team, "Ann", "Ann") == [first]
    qtbot.waitUntil(lambda: page.queue.model.rowCount() == 1, timeout=WAIT_MS)
    assert page._view.evaluation.id == second
    page.activateWindow()
    QTest.keyClick(page, Qt.Key.Key_2)
    team.sync("Ann", "Ann")
    session.poll()
    qtbot.waitUntil(lambda: page.queue.model.rowCount() == 2, timeout=WAIT_MS)
    assert page._view.evaluation.id == second
    assert places(team, "Ann", "Ann") == [first, second]


def test_alone_nothing_is_given_out(
    window: MainWindow,
    commands: WindowCommands,
    settings: Settings,
    tmp_path: Path,
    qtbot: QtBot,
) -> None:
    settings.set("labeler", "ann")
    window.open_project(build_project(tmp_path / "a.review", evaluations=3))
    builder = given_out(commands)
    qtbot.waitUntil(lambda: "Only a shared project can" in builder.problem.text(), timeout=WAIT_MS)
    assert not builder.make.isEnabled()
