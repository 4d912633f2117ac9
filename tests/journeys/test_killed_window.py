"""A window that is killed while somebody labels: every answered key press is on disk."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.services.labelling import undo
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from reviewer.services.upkeep import doctor
from tests.building import build_project

ROOT = Path(__file__).resolve().parents[2]


def stored(session: Session) -> dict[tuple[int, str], object]:
    return {
        (key, name): label.value
        for key in range(1, 41)
        for name, label in reading.view(session, key).own.items()
    }


@pytest.mark.parametrize("count", [1, 5, 20])
def test_every_answered_key_press_outlives_a_kill(tmp_path: Path, count: int) -> None:
    path = build_project(tmp_path / "guest.review", evaluations=40)
    command = [sys.executable, "-m", "tests.journeys.window_process"]
    with subprocess.Popen(
        [*command, str(path), str(tmp_path / "config")],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        assert process.stdout is not None
        answered = [process.stdout.readline() for _ in range(count)]
        process.kill()
        answered += [line for line in process.stdout if line.endswith("\n")]
    answers = {
        (int(evaluation), metric): int(value)
        for evaluation, metric, value in (line.split() for line in answered)
    }
    assert len(answers) >= count
    with closing(Session.open(path)) as session:
        found = stored(session)
        assert answers.items() <= found.items()
        # at most the one press that was on disk and not yet answered
        assert len(found) - len(answers) in (0, 1)
        assert undo.undo(session) is not None
        assert len(stored(session)) == len(found) - 1
    assert doctor.check(path).ok
