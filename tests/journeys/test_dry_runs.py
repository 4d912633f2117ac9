"""A dry run writes nothing in the home, the project's folder or the one for passing files."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.services.labelling import entering
from reviewer.services.parcels import packing
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from tests.building import build_project, record

Standing = dict[str, tuple[int, int]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("home", "passing", "work"):
        (tmp_path / name).mkdir()
    work = tmp_path / "work"
    project = build_project(work / "p.review", evaluations=4)
    with closing(Session.open(project, "Lea")) as session:
        profiles.change(session, "Lea", role="lead")
        profiles.add(session, "Ann")
        plan = QueuePlan(name="First", sampling=Sampling.CHOSEN, keys=(1, 2), labelers=("Ann",))
        making.create(session, plan)
        packing.make(session, work / "ann.review", queue="First", labeler="Ann", blind=True)
    with closing(Session.open(work / "ann.review")) as package:
        entering.commit(package, 1, "accuracy", 2)
    (work / "new.jsonl").write_text(json.dumps(record(9)) + "\n")
    (work / "table.csv").write_text("id,question,answer,accuracy\na,Is it?,Yes.,4\nb,And?,No.,2\n")
    (work / "wrong.jsonl").write_text('{"id": 1}\n{\n')
    return tmp_path


def standing(folder: Path) -> Standing:
    """Give size and time of every file, and every folder; what is told in the log is no result.

    A folder has no time here: opening a database makes two files beside it that go again.
    """
    found = {}
    for path in folder.rglob("*"):
        if "state" not in path.parts:
            seen = path.stat()
            told = (0, 0) if path.is_dir() else (seen.st_size, seen.st_mtime_ns)
            found[str(path.relative_to(folder))] = told
    return found


@pytest.mark.parametrize(
    "words",
    [
        ("import", "p.review", "new.jsonl", "--dry-run"),
        ("import", "p.review", "table.csv", "--dry-run"),
        ("import", "p.review", "wrong.jsonl", "--dry-run"),
        ("import", "fresh.review", "new.jsonl", "--dry-run"),
        ("import", "fresh.review", "table.csv", "--dry-run"),
        ("merge", "p.review", "ann.review", "--dry-run"),
        ("evaluate", "p.review", "--dry-run"),
    ],
    ids=" ".join,
)
def test_a_dry_run_writes_nothing_anywhere(place: Path, words: tuple[str, ...]) -> None:
    home = str(place / "home")
    surroundings = {
        **os.environ, "HOME": home, "TMPDIR": str(place / "passing"), "XDG_CONFIG_HOME": home,
        "XDG_DATA_HOME": home, "XDG_STATE_HOME": f"{home}/state", "XDG_CACHE_HOME": home,
    }  # fmt: skip
    (place / "home" / "state").mkdir()
    before = standing(place)
    ended = subprocess.run(
        [sys.executable, "-m", "reviewer", *words],
        cwd=place / "work", env=surroundings, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode in (0, 2), ended.stderr
    assert "unexpected" not in ended.stderr
    after = standing(place)
    assert {x for x in {*before, *after} if before.get(x) != after.get(x)} == set()
