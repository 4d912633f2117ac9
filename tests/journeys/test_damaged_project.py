"""A project file that was damaged on its disk: every command says so in one sentence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from reviewer.gui.app import compose
from reviewer.services.computer.settings import Settings
from tests.journeys.shell import RESOURCES, Shell

DEMO = RESOURCES / "demo" / "guest-response.jsonl"
PAGE = 4096
COMMANDS: tuple[tuple[str | Path, ...], ...] = (
    ("runs", "p.review"),
    ("stats", "p.review", "--json"),
    ("export", "p.review", "out.jsonl"),
    ("export", "p.review", "out.csv", "--what", "disagreements"),
    ("import", "p.review", DEMO, "--on-conflict", "replace"),
    ("import", "p.review", "--undo", "1"),
    ("backup", "p.review", "copy.review"),
)


@pytest.fixture
def project(shell: Shell) -> Path:
    assert shell.run("import", "p.review", DEMO, "--rubric", "guest-response") == 0
    return shell.folder / "p.review"


def damage(project: Path, *tables: str) -> None:
    """Overwrite the first page of each table, as a failing disk does."""
    with closing(sqlite3.connect(project)) as conn:
        roots = dict(conn.execute("SELECT name, rootpage FROM sqlite_master").fetchall())
    content = bytearray(project.read_bytes())
    for table in tables:
        start = (roots[table] - 1) * PAGE
        content[start : start + PAGE] = bytes(range(256)) * (PAGE // 256)
    project.write_bytes(content)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(str, command))[:20])
def test_every_command_names_the_file_and_the_remedy(
    shell: Shell, project: Path, command: tuple[str | Path, ...]
) -> None:
    damage(project, "evaluations", "labels_by_seq", "scores")
    assert shell.run(*command) == 2
    assert shell.out == ""
    assert len(shell.err.splitlines()) == 1
    assert shell.err.startswith("p.review: The file is damaged.")
    assert "`reviewer doctor " in shell.err
    assert not (shell.folder / "copy.review").exists()


def test_the_window_opens_no_damaged_file_and_says_which(
    qtbot: QtBot, tmp_path: Path, project: Path
) -> None:
    damage(project, "imports", "score_sets")
    window = compose(Settings(tmp_path / "settings.toml"), backups=False)
    qtbot.addWidget(window)
    assert not window.open_project(project)
    assert window.notices.notices[-1].text.startswith("p.review: The file is damaged.")
    window.close()


def test_the_damaged_text_search_is_said_as_well(shell: Shell, project: Path) -> None:
    damage(project, "search_data")
    assert shell.run("import", "p.review", "--undo", "1") == 2
    assert "p.review: The file is damaged." in shell.err


def test_the_window_names_the_file_and_the_remedy(
    qtbot: QtBot, tmp_path: Path, project: Path
) -> None:
    window = compose(Settings(tmp_path / "settings.toml"), backups=False)
    qtbot.addWidget(window)
    assert window.open_project(project)
    damage(project, "evaluations", "labels_by_seq", "scores")
    session = window.session
    assert session is not None
    session.project.conn.execute("PRAGMA cache_size = 0")
    task = window.surroundings.tasks.run(
        "read", lambda _: sqlite3.connect(project).execute("SELECT * FROM evaluations").fetchall()
    )
    with qtbot.waitSignal(task.failed) as failed:
        pass
    assert failed.args is not None
    assert f"reviewer doctor {project}" in failed.args[0]
    window.close()
