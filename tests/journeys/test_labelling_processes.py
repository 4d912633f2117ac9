"""Real processes that label one project at once."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest

from reviewer.domain.change import Change, LabelChanged, MarkChanged
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project import reading
from reviewer.services.project.session import Session
from tests.building import build_project

ROOT = Path(__file__).resolve().parents[2]
Process = subprocess.Popen[str]


@contextmanager
def labelling_process(path: Path, labeler: str, first: int, count: int) -> Iterator[Process]:
    command = [sys.executable, "-m", "tests.journeys.labelling_process"]
    with subprocess.Popen(
        [*command, str(path), labeler, str(first), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()


def start(process: Process) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def acknowledged(process: Process, count: int = sys.maxsize) -> list[tuple[int, str, int]]:
    assert process.stdout is not None
    found = []
    for line in process.stdout:
        if not line.endswith("\n"):
            break
        evaluation, metric, value = line.split()
        found.append((int(evaluation), metric, int(value)))
        if len(found) == count:
            break
    return found


def stored(path: Path, labeler: str) -> dict[tuple[int, str], object]:
    with closing(Session.open(path, labeler)) as session:
        return {
            (key, name): label.value
            for key in listing.build(session).ids
            for name, label in reading.view(session, key).own.items()
        }


def is_sound(path: Path) -> bool:
    with closing(Session.open(path, "x")) as session:
        conn = session.project.conn
        seqs = [
            seq
            for (seq,) in conn.execute("SELECT seq FROM labels UNION ALL SELECT seq FROM marks")
        ]
        check = conn.execute("PRAGMA integrity_check").fetchone()[0]
        return check == "ok" and len(seqs) == len(set(seqs))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return build_project(tmp_path / "shared.review", evaluations=80)


@pytest.mark.parametrize("labelers", [("ann", "bo"), ("ann", "ann")])
def test_two_processes_label_at_once_and_lose_nothing(
    path: Path, labelers: tuple[str, str]
) -> None:
    first = (1, 1) if labelers[0] != labelers[1] else (1, 70)
    told: list[Change] = []
    with ExitStack() as stack:
        window = stack.enter_context(closing(Session.open(path, "cy")))
        window.subscribe(told.append)
        pair = [
            stack.enter_context(labelling_process(path, name, number, 200 if number == 1 else 33))
            for name, number in zip(labelers, first, strict=True)
        ]
        for process in pair:
            start(process)
        answers = [acknowledged(process) for process in pair]
        assert [process.wait(30) for process in pair] == [0, 0]
        window.poll()
    for name in set(labelers):
        expected = {
            (evaluation, metric): value
            for who, some in zip(labelers, answers, strict=True)
            if who == name
            for evaluation, metric, value in some
        }
        assert stored(path, name) == expected
    labels = [change.after for change in told if isinstance(change, LabelChanged)]
    assert len(labels) == sum(map(len, answers))
    assert [label.seq for label in labels] == sorted(label.seq for label in labels)
    assert is_sound(path)


def test_another_window_sees_a_label_within_two_seconds_and_each_change_once(path: Path) -> None:
    told: list[Change] = []
    with closing(Session.open(path, "bo")) as window:
        window.subscribe(told.append)
        with labelling_process(path, "ann", 1, 9) as process:
            start(process)
            acknowledged(process, 1)
            deadline = time.monotonic() + 2
            while not window.poll() and time.monotonic() < deadline:
                time.sleep(0.02)
            assert told
            own = entering.commit(window, 9, "accuracy", 2)
            acknowledged(process)
        window.poll()
        assert window.poll() == 0
    labels = [change.after for change in told if isinstance(change, LabelChanged)]
    assert len(labels) == 10
    assert labels.count(own.after) == 1
    assert len({label.seq for label in labels}) == 10
    assert len([change for change in told if isinstance(change, MarkChanged)]) == 3
