"""The system ends the program: within two seconds, whatever it is doing or hangs in."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reviewer.services.upkeep import doctor
from tests.building import build_project
from tests.journeys.shell import lines

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 2.0
LATE = 0.5
"""Seconds in which a loaded machine may notice that a process has ended."""
WINDOW = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QTimer
from reviewer.gui import app
begin = app.begin
def hang():
    print("ready", flush=True)
    if sys.argv[2] == "asleep":
        time.sleep(600)
    while sys.argv[2] == "busy":
        pass
def begun(*words):
    begin(*words)
    QTimer.singleShot(0, hang)
app.begin = begun
sys.exit(app.run(Path(sys.argv[1])))
"""
COMMAND = """
import re, sys, time
from reviewer.cli.console import reporting
with reporting("Working") as progress:
    print("ready", flush=True)
    if sys.argv[1] == "asleep":
        time.sleep(600)
    if sys.argv[1] == "stuck":
        re.match(r"(a+)+$", "a" * 60 + "b")
    while sys.argv[1] == "deaf" or not progress.cancelled:
        pass
print("stopped cleanly", flush=True)
sys.exit(130)
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the signals of Unix")


@contextmanager
def started(*words: str) -> Iterator["subprocess.Popen[str]"]:
    with subprocess.Popen(
        [sys.executable, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=ROOT, env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    ) as process:  # fmt: skip
        try:
            yield process
        finally:
            process.kill()


def ended(process: "subprocess.Popen[str]") -> float:
    """Let the system end a process; gives the seconds that this took."""
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)
    return time.monotonic() - began


@pytest.mark.parametrize("how", ["idle", "asleep", "busy"])
def test_the_window(tmp_path: Path, how: str) -> None:
    path = build_project(tmp_path / "p.review")
    with started("-c", WINDOW, str(path), how) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert ended(process) < SECONDS + LATE
        assert process.returncode == (0 if how == "idle" else 143)
    assert doctor.check(path).ok


@pytest.mark.parametrize(
    ("how", "code"), [("kind", 130), ("asleep", -14), ("stuck", -14), ("deaf", -14)]
)
def test_a_command(how: str, code: int) -> None:
    with started("-c", COMMAND, how) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert ended(process) < SECONDS + LATE
        assert process.returncode == code
        assert process.stdout.read() == ("stopped cleanly\n" if how == "kind" else "")


def test_an_import_that_waits_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "r.jsonl")
    path = tmp_path / "p.review"
    words = ("-m", "reviewer", "import", str(path), str(tmp_path / "r.jsonl"))
    # a writer makes the program wait for what comes next
    with started(*words) as process, (tmp_path / "r.jsonl").open("w") as pipe:
        pipe.write(lines({"id": "a", "input": "?", "response": "!"}))
        pipe.flush()
        assert ended(process) < SECONDS + LATE
    assert not path.exists() or doctor.check(path).ok
