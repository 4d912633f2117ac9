"""Who has a project open, where a disk's locks cannot be trusted."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from reviewer.store.project import Project, note_of
from tests.building import build_project


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = build_project(tmp_path / "shared.review", evaluations=2)
    monkeypatch.setattr("reviewer.store.connecting.warning", lambda _: "It lies on a share.")
    return file


def claimed_by(path: Path, host: str, pid: int) -> None:
    note = {"host": host, "pid": pid, "since": "2026-11-20T09:00:00Z"}
    note_of(path).write_text(json.dumps(note))


def test_a_claim_stands_while_the_project_is_open(path: Path) -> None:
    with Project.open(path) as project:
        assert json.loads(note_of(path).read_text())["pid"] == os.getpid()
        with Project.open(path) as again:
            assert again.warning == project.warning == "It lies on a share."
        assert note_of(path).exists()
    assert not note_of(path).exists()


def test_another_computer_is_named_and_keeps_its_claim(path: Path) -> None:
    claimed_by(path, "desk-of-somebody", 1)
    with Project.open(path) as project:
        assert "open on desk-of-somebody since 2026-11-20T09:00:00Z" in str(project.warning)
        project.set_setting("a", "b")
    assert "desk-of-somebody" in note_of(path).read_text()


def test_what_a_dead_process_left_is_taken_over(path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        process.wait()
    claimed_by(path, socket.gethostname(), process.pid)
    with Project.open(path) as project:
        assert project.warning == "It lies on a share."
        assert json.loads(note_of(path).read_text())["pid"] == os.getpid()


def test_another_window_of_this_computer_is_no_reason_to_warn(path: Path) -> None:
    claimed_by(path, socket.gethostname(), os.getppid())
    with Project.open(path) as project:
        assert project.warning == "It lies on a share."
    assert note_of(path).exists()


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"host": 5}'])
def test_a_note_that_makes_no_sense_is_replaced(path: Path, content: bytes) -> None:
    note_of(path).write_bytes(content)
    with Project.open(path):
        assert json.loads(note_of(path).read_text())["pid"] == os.getpid()


def test_elsewhere_nothing_is_claimed(tmp_path: Path) -> None:
    with Project.open(build_project(tmp_path / "local.review", evaluations=1)):
        assert not list(tmp_path.glob("*.open"))
