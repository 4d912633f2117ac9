"""The usual start goes straight to the window."""

import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.cli import main, showing
from reviewer.cli.table import COMMANDS, WRONG


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, str | None]]:
    """Note what is shown instead of showing it."""
    calls: list[tuple[Path | None, str | None]] = []

    def show(project: Path | None, open_id: str | None = None) -> int:
        calls.append((project, open_id))
        return 0

    monkeypatch.setattr(showing, "show", show)
    monkeypatch.setattr("reviewer.cli.window.show", show)
    return calls


def test_the_window_opens_on_nothing_on_a_project_and_on_an_evaluation(
    shown: list[tuple[Path | None, str | None]], tmp_path: Path
) -> None:
    file = tmp_path / "chats.review"
    file.touch()
    assert main.main([]) == main.main([str(file)]) == 0
    assert main.main([str(file), "--open", "c-1"]) == 0
    assert shown == [(None, None), (file, None), (file, "c-1")]


def test_a_file_named_like_a_command_is_the_command(
    shown: list[tuple[Path | None, str | None]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in COMMANDS:
        Path(name).touch()
    assert main.main(["runs"]) == WRONG
    assert "--help" in capsys.readouterr().err
    assert shown == []


def test_no_command_line_is_taken_apart_on_the_way_to_the_window(tmp_path: Path) -> None:
    file = tmp_path / "chats.review"
    file.touch()
    script = (
        "import sys; from reviewer.cli import main, showing\n"
        "showing.show = lambda project: 0\n"
        f"assert main.main([{str(file)!r}]) == 0\n"
        "print(*{'typer', 'rich', 'click', 'pydantic', 'PySide6'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, text=True, timeout=60
    )
    assert done.stdout.strip() == ""
