"""Dialogs about a project go with it, and what was asked for them finds nobody then."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest
import shiboken6
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot, Endpoint, Judge
from reviewer.gui.audit.cases_side import CasesSide
from reviewer.gui.commands import WindowCommands
from reviewer.gui.judges.bots_dialog import BotsDialog
from reviewer.gui.judges.dialog import JudgesDialog
from reviewer.gui.judges.prompt_editor import PromptDialog
from reviewer.gui.judges.prompt_trial import ASKING
from reviewer.gui.queues.overview import QueuesDialog
from reviewer.gui.runs.page import RunsPage
from reviewer.gui.todo_dialog import TodoDialog
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project
from tests.servers.model_server import Answer, Model, model_server


@pytest.fixture
def reply() -> Answer:
    """What the model says, after a while."""
    return Answer('{"score": 2, "reasoning": "No."}', delay=0.4)


@pytest.fixture
def model(reply: Answer) -> Iterator[Model]:
    with model_server(reply) as made:
        yield made


@pytest.fixture
def session(window: MainWindow, settings: Settings, project: Path, model: Model) -> Session:
    settings.set("labeler", "lea")
    window.open_project(project)
    session = window.session
    assert session is not None
    judges.keep_endpoint(session, Endpoint(name="near", base_url=model.url, needs_key=False))
    judges.keep(session, Judge(name="careful", endpoint="near", model="m"))
    profiles.add(session, "ann")
    making.create(session, QueuePlan(name="Q", sampling=Sampling.RANDOM, n=5, labelers=("ann",)))
    return session


@pytest.fixture
def other(tmp_path: Path) -> Path:
    return build_project(tmp_path / "other.review", evaluations=3)


def shown() -> list[QDialog]:
    return [x for x in QApplication.topLevelWidgets() if isinstance(x, QDialog) and x.isVisible()]


def open_todo(window: MainWindow) -> None:
    window.show_page("audit")
    assert window.page is not None
    side = window.page.findChild(CasesSide)
    assert isinstance(side, CasesSide)
    session = window.session
    assert session is not None
    TodoDialog(session, side).show()


def open_rubric(window: MainWindow) -> None:
    """Open the editor with something that is not kept, and the list over it."""
    window.show_page("runs")
    assert isinstance(window.page, RunsPage)
    editor = window.page.edit_rubric()
    assert editor is not None
    line = editor.form.fields["weight"]
    line.selectAll()
    QTest.keyClicks(line, "7")
    assert editor.draft.is_changed()
    editor.show_todo()


@pytest.mark.parametrize(
    "name",
    ["judges", "prompts", "bots", "queues", "new_queue", "labelers", "package", "keys"],
)
def test_a_dialog_goes_with_its_project(
    window: MainWindow, commands: WindowCommands, session: Session, other: Path,
    settle: Callable[[], None], name: str,
) -> None:  # fmt: skip
    assert session.project.path.is_file()
    commands.actions[f"window.{name}"].trigger()
    (dialog,) = shown()
    assert window.open_project(other)
    assert shown() == []
    settle()
    QApplication.processEvents()
    assert not shiboken6.isValid(dialog)


@pytest.mark.parametrize("begin", [open_todo, open_rubric])
def test_a_dialog_of_a_page_goes_with_its_project(
    window: MainWindow, session: Session, other: Path, settle: Callable[[], None],
    begin: Callable[[MainWindow], None],
) -> None:  # fmt: skip
    assert session.project.path.is_file()
    begin(window)
    assert shown()
    settle()
    assert window.open_project(other)
    assert shown() == []
    settle()


def test_a_prompt_that_is_not_kept_does_not_hold_up_the_project(
    window: MainWindow, commands: WindowCommands, session: Session, other: Path,
    settle: Callable[[], None],
) -> None:  # fmt: skip
    assert session.project.path.is_file()
    dialog = commands.open_dialog("prompts")
    assert isinstance(dialog, PromptDialog)
    settle()
    dialog.editor.set_text(dialog.editor.text + " Be strict.")
    assert window.open_project(other)
    assert shown() == []
    settle()


def test_a_question_over_a_dialog_is_answered_with_no(
    window: MainWindow, commands: WindowCommands, session: Session, other: Path
) -> None:
    commands.keeper.queues()
    dialog = commands.keeper.dialog
    assert isinstance(dialog, QueuesDialog)
    QTimer.singleShot(0, lambda: window.open_project(other))
    dialog.deleting.click()
    assert shown() == []
    path = session.project.path
    with closing(Session.open(path)) as again:
        assert [x.queue.name for x in working.every(again)] == ["Q"]


def ask_judge(dialog: QDialog) -> None:
    assert isinstance(dialog, JudgesDialog)
    dialog.judges.test()


def ask_bot(dialog: QDialog) -> None:
    assert isinstance(dialog, BotsDialog)
    settings: dict[str, JsonValue] = {"endpoint": "gone", "model": "m"}
    dialog.trial.ask(Bot(name="b", kind="chat", settings=settings))


def ask_with_prompt(dialog: QDialog) -> None:
    assert isinstance(dialog, PromptDialog)
    trial = dialog.editor.trial
    trial.ask()
    trial.ask()
    assert trial.problem.text() == ASKING


@pytest.mark.parametrize("status", [200, 401])
@pytest.mark.parametrize(
    "asked",
    [
        ("judges", ask_judge),
        ("bots", ask_bot),
        ("prompts", ask_with_prompt),
    ],
)
@pytest.mark.usefixtures("session")
def test_a_reply_after_the_dialog_was_closed_finds_nobody(
    commands: WindowCommands, reply: Answer, settle: Callable[[], None],
    asked: tuple[Literal["judges", "prompts", "bots"], Callable[[QDialog], None]], status: int,
) -> None:  # fmt: skip
    reply.status = status
    opens, ask = asked
    dialog = commands.open_dialog(opens)
    assert dialog is not None
    settle()
    ask(dialog)
    dialog.close()
    settle()
    QApplication.processEvents()
    assert not shiboken6.isValid(dialog)
