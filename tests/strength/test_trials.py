"""A hundredth of every kind of trial; `sh tests/strength/run.sh` runs all of them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.strength import disk, hostile
from tests.strength.trials import KINDS

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = {"damaged", "writers", "mutations"}
"""Kinds that have tests of their own."""
NEEDS = {
    "power": (disk.compiler, "there is no C compiler `cc`"),
    "hostile": (hostile.strace, "there is no `strace`"),
}
LIAR = """
import json, sys, time
from pathlib import Path
from tests.strength import killed

def press(path, dice, tell):
    for key in range(1, 100):
        tell(f"? {json.dumps([key, 'safety', 3])}")
        stands = {"safety": ["label", 3, None], "skip": False, "flag": False}
        tell(f"! {json.dumps({key: stands})}")
        time.sleep(0.001)

outcome = killed.trial(Path(sys.argv[1]), 3, 1, press)
print(outcome.kills, outcome.answers - len(outcome.lost))
"""


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ELSEWHERE])
def test_a_hundredth_loses_nothing(name: str) -> None:
    there, reason = NEEDS.get(name, (None, ""))
    if there is not None and there() is None:
        pytest.skip(reason)
    done = subprocess.run(
        [sys.executable, "-m", "tests.strength", name, "--share", "0.01"],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    row = done.stdout.splitlines()[-1].strip("|").split("|")
    assert row[0].strip() == KINDS[name].title
    number = re.search(r"\d[\d,]*", row[1])
    assert number is not None
    assert int(number[0].replace(",", "")) == KINDS[name].share(0.01)


def test_an_answer_that_was_never_saved_is_missed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIAR, tmp_path],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    kills, found = done.stdout.split()
    assert (kills, found) == ("3", "0"), done.stderr


@pytest.mark.skipif(hostile.strace() is None, reason="there is no `strace`")
def test_what_reaches_out_is_seen(tmp_path: Path) -> None:
    bait, log = tmp_path / "bait" / "canary.png", tmp_path / "calls"
    bait.parent.mkdir()
    bait.touch()
    script = f"import socket; open({str(bait)!r}); socket.socket().connect_ex(('127.0.0.1', 9))"
    subprocess.run([*hostile.tracing(log), sys.executable, "-c", script], check=True)
    seen = hostile.read(log, tmp_path / "home")
    assert str(bait) in seen.opened
    assert [x.split("(")[0].split()[-1] for x in seen.sockets] == ["socket", "connect"]


def test_a_program_that_is_missing_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.strength", "power"],
        check=False,
        cwd=ROOT,
        env=os.environ | {"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "not run: there is no C compiler" in done.stdout
