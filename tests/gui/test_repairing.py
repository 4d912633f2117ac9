"""A project that cannot be opened: the error brings the repair along, one press away."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from reviewer.gui.app import compose
from reviewer.gui.repairing import REPAIR
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.labelling import entering
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one answer before its backup and one after it."""
    path = build_project(tmp_path / "p.review", evaluations=40)
    for number in (1, 2):
        with closing(Session.open(path, "ann")) as session:
            entering.commit(session, number, "accuracy", 4)
            if number == 1:
                backups.make(session.project)
    return path


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> MainWindow:
    made = compose(Settings(tmp_path / "settings.toml"), backups=False)
    qtbot.addWidget(made)
    return made


def damage(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"\xff" * 4096 + content[4096:])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def remove(path: Path) -> None:
    path.unlink()


def button(window: MainWindow) -> QPushButton:
    return next(x for x in window.notices.findChildren(QPushButton) if x.text() == REPAIR)


def offered(window: MainWindow) -> bool:
    return bool(window.notices.notices) and window.notices.notices[-1].more == REPAIR


@pytest.mark.parametrize(("harm", "labels"), [(damage, 2), (empty, 1), (remove, 1)])
def test_one_press_repairs_and_opens(
    qtbot: QtBot, window: MainWindow, project: Path, harm: Callable[[Path], None], labels: int
) -> None:
    harm(project)
    assert not window.open_project(project)
    said = window.notices.notices[-1].text
    qtbot.waitUntil(lambda: offered(window))
    # the same words, now with a button
    assert [x.text for x in window.notices.notices] == [said]
    button(window).click()
    qtbot.waitUntil(lambda: window.session is not None)
    session = window.session
    assert session is not None
    found = session.project.conn.execute("SELECT count(*) FROM labels").fetchone()
    assert found == (labels,)
    window.close()


def test_what_the_repair_did_is_said(qtbot: QtBot, window: MainWindow, project: Path) -> None:
    damage(project)
    window.open_project(project)
    qtbot.waitUntil(lambda: offered(window))
    button(window).click()
    qtbot.waitUntil(lambda: window.session is not None)
    qtbot.waitUntil(lambda: "set aside" in window.notices.notices[-1].text)
    window.close()


def test_where_there_is_nothing_to_repair_from_nothing_is_offered(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    other = tmp_path / "other.review"
    other.write_bytes(b"something else" * 400)
    assert not window.open_project(other)
    tasks = window.surroundings.tasks
    qtbot.waitUntil(lambda: "repair" not in tasks.running())
    assert not offered(window)
    assert other.read_bytes() == b"something else" * 400
    window.close()
