"""A lead lets whoever is free take the next evaluation, and sees how far that is."""

from pathlib import Path

from pytestqt.qtbot import QtBot

from reviewer.gui.commands import WindowCommands
from reviewer.gui.queues.builder import QueueBuilder
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.queues import pools, working
from reviewer.services.queues.plans import Sampling
from tests.building import build_project
from tests.gui.queues.test_builder import rows
from tests.gui.sharing.conftest import Sit
from tests.services.sharing.sharing_projects import Team

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
    assert "12 answers by whoever of 3 labelers is free" in builder.sentence.text()
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
