"""The help has a page a system, and each command on it is one that the program understands."""

import re
import shlex
from pathlib import Path

import pytest
import typer

from reviewer.cli import table as cli
from reviewer.cli.program import program
from reviewer.domain.errors import Silent
from reviewer.gui.commands import WindowCommands
from reviewer.gui.start import EXAMPLES
from reviewer.gui.systems import SystemsDialog
from reviewer.gui.window import MainWindow
from reviewer.services.upkeep import projects
from tests.building import build_project

HELP = Path(__file__).parents[2] / "resources" / "help"
SECTIONS = ["What it measures", "What it cannot see", "Every day"]


def commands_of(system: str) -> list[list[str]]:
    text = (HELP / f"{system}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    return [shlex.split(line) for block in blocks for line in block.splitlines()]


COMMANDS = [words for system in projects.SYSTEMS for words in commands_of(system)]


@pytest.mark.parametrize("system", projects.SYSTEMS)
def test_each_system_says_what_it_measures_and_how_it_is_used(system: str) -> None:
    text = (HELP / f"{system}.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.*)$", text, re.M)
    assert titles[:3] == SECTIONS
    assert titles[3].startswith("In CI")
    named = {words[1] for words in commands_of(system)}
    assert "check" in named
    # a project begins with answers that are there, or with questions that a bot is asked
    assert named & {"import", "evaluate"}


def test_there_is_a_page_for_each_example_and_no_other() -> None:
    assert {path.stem for path in HELP.iterdir()} == set(projects.SYSTEMS)
    assert {name for name, _ in EXAMPLES} == set(projects.SYSTEMS)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_command_of_the_pages_is_understood(words: list[str]) -> None:
    assert words[0] == "reviewer"
    assert words[1] in cli.COMMANDS
    command = typer.main.get_command(program([words[1]]))
    found = command.commands[words[1]]  # type: ignore[attr-defined]
    # reads arguments, choices and numbers, and runs nothing
    assert found.make_context(words[1], words[2:]).params


def test_the_page_of_the_open_projects_system_stands_first(
    window: MainWindow, commands: WindowCommands, tmp_path: Path
) -> None:
    commands.actions["window.systems"].trigger()
    assert shown(window) == EXAMPLES[0][1]
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    assert window.open_project(path)
    commands.actions["window.systems"].trigger()
    assert shown(window) == "Harness"
    assert window.open_project(build_project(tmp_path / "o.review"))
    commands.actions["window.systems"].trigger()
    assert shown(window) == EXAMPLES[0][1]


def shown(window: MainWindow) -> str:
    *_, dialog = window.findChildren(SystemsDialog)
    name, title = EXAMPLES[dialog.row.place]
    assert name in dialog.texts[2].toPlainText()
    return title


def test_an_example_is_opened_from_its_page_and_the_start_page_leads_there(
    window: MainWindow,
) -> None:
    window.start.help_requested.emit()
    *_, dialog = window.findChildren(SystemsDialog)
    dialog.row.buttons[2].click()
    asked: list[str] = []
    dialog.example_requested.disconnect()
    dialog.example_requested.connect(asked.append)
    dialog.example.click()
    assert asked == [EXAMPLES[2][0]]
    assert not dialog.isVisible()
