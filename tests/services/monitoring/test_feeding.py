"""A watched folder: whole files once, whatever happens meanwhile."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.monitoring.looking import Folder, Watch
from tests.services.monitoring.production import count, empty, keep, look, record, write


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    folder = tmp_path / "incoming"
    folder.mkdir()
    return folder


@pytest.fixture
def project(tmp_path: Path, incoming: Path) -> Path:
    path = empty(tmp_path / "p.review")
    keep(path, folder=str(incoming))
    return path


EVALUATIONS = "SELECT count(*) FROM visible_evaluations"


def test_a_file_is_imported_once_and_stays_where_it_is(project: Path, incoming: Path) -> None:
    file = write(incoming / "a.jsonl", [record("1"), record("2")])
    before = file.read_bytes()
    first = look(project)
    assert (first.fed.files, first.fed.records, first.sampled) == (1, 2, 2)
    assert first.fed.sentences == ("a.jsonl: 2 new records.",)
    again = look(project)
    assert (again.fed.files, again.fed.sentences, again.sampled) == (0, (), 0)
    assert file.read_bytes() == before
    assert [x.name for x in incoming.iterdir()] == ["a.jsonl"]


def test_a_half_written_file_waits_until_it_is_whole(project: Path, incoming: Path) -> None:
    watch = Watch(Folder(incoming))
    file = incoming / "a.jsonl"
    line = json.dumps(record("1"))
    file.write_text(line[:50])
    assert look(project, watch).fed.waiting == 1
    file.write_text(line[:90])
    assert look(project, watch).fed.files == 0
    file.write_text(line + "\n" + json.dumps(record("2")) + "\n")
    assert look(project, watch).fed.files == 0
    assert look(project, watch).fed.records == 2
    assert count(project, EVALUATIONS) == 2


def test_a_file_that_stopped_half_way_comes_whole_later(project: Path, incoming: Path) -> None:
    lines = [json.dumps(record(str(n))) for n in range(3)]
    file = incoming / "a.jsonl"
    file.write_text("\n".join(lines[:2]) + "\n" + lines[2][:40])
    assert look(project).fed.records == 2
    file.write_text("\n".join(lines) + "\n")
    assert look(project).fed.records == 1
    assert count(project, EVALUATIONS) == 3


@pytest.mark.parametrize("name", ["a.jsonl.part", "a.tmp", ".a.jsonl", "a.crdownload"])
def test_a_file_under_a_passing_name_is_left_until_it_is_renamed(
    project: Path, incoming: Path, name: str
) -> None:
    file = write(incoming / name, [record("1")])
    assert look(project).fed.files == 0
    file.rename(incoming / "a.jsonl")
    assert look(project).fed.records == 1


def test_the_same_content_under_another_name_is_not_taken_again(
    project: Path, incoming: Path
) -> None:
    write(incoming / "a.jsonl", [record("1")])
    look(project)
    write(incoming / "a copy.jsonl", [record("1")])
    found = look(project)
    assert (found.fed.files, found.fed.records) == (0, 0)
    assert found.fed.sentences == ("a copy.jsonl: imported before as a.jsonl.",)
    assert count(project, EVALUATIONS) == 1
    assert look(project).fed.sentences == ()


def test_a_touched_file_is_not_taken_again(project: Path, incoming: Path) -> None:
    file = write(incoming / "a.jsonl", [record("1")])
    look(project)
    os.utime(file, (1, 1))
    assert look(project).fed.records == 0
    assert count(project, "SELECT count(*) FROM imports") == 1


def test_what_was_added_to_a_log_is_added(project: Path, incoming: Path) -> None:
    write(incoming / "log.jsonl", [record("1")])
    look(project)
    write(incoming / "log.jsonl", [record("1"), record("2")])
    found = look(project)
    assert (found.fed.records, found.sampled) == (1, 1)


def test_a_bad_file_is_said_once_and_tried_again_when_it_changes(
    project: Path, incoming: Path
) -> None:
    file = incoming / "a.jsonl"
    file.write_bytes(b"\x00\x01\x02garbage" * 50)
    write(incoming / "b.jsonl", [record("b")])
    found = look(project)
    assert found.fed.records == 1
    assert len(found.fed.sentences) == 2
    assert any("a.jsonl" in x for x in found.fed.sentences)
    assert look(project).fed.sentences == ()
    write(file, [record("a")])
    assert look(project).fed.records == 1


def test_an_empty_file_is_not_whole_yet(project: Path, incoming: Path) -> None:
    (incoming / "a.jsonl").touch()
    assert look(project).fed.sentences == ()


def test_a_folder_that_went_away_is_a_sentence(project: Path, incoming: Path) -> None:
    watch = Watch(Folder(incoming))
    look(project, watch)
    incoming.rmdir()
    assert "cannot be read" in look(project, watch).problem
    incoming.mkdir()
    write(incoming / "a.jsonl", [record("1")])
    assert look(project, watch).problem == ""
    assert look(project, watch).fed.records == 1


def test_a_clock_set_back_takes_no_file_twice_and_leaves_none(
    project: Path, incoming: Path
) -> None:
    file = write(incoming / "a.jsonl", [record("1")])
    os.utime(file, (time.time() + 10**8, time.time() + 10**8))
    assert look(project).fed.records == 1
    later = write(incoming / "b.jsonl", [record("2")])
    os.utime(later, (1, 1))
    assert look(project).fed.records == 1
    assert look(project).fed.files == 0


def test_a_folder_that_is_not_there_cannot_be_kept(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match="There is no folder"):
        keep(project, folder=str(tmp_path / "nowhere"))


KILLED = """
import sys
from pathlib import Path
from reviewer.domain.errors import Silent
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.looking import Watch
from reviewer.services.project.session import Session
from reviewer.store import monitors

def wait(*_):
    print("imported", flush=True)
    sys.stdin.read()

monitors.keep_file = wait
session = Session.open(Path(sys.argv[1]))
watch = Watch.of(looking.settings_of(session, "agent-rubric"))
looking.settle(session, watch, wait=lambda _: None)
watch.look(session, "agent-rubric", Silent())
"""


def test_a_killed_process_loses_nothing_and_takes_nothing_twice(
    project: Path, incoming: Path
) -> None:
    write(incoming / "a.jsonl", [record(str(n)) for n in range(5)])
    root = Path(__file__).resolve().parents[3]
    child = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(project)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(root)},
        text=True,
    )
    assert child.stdout is not None
    assert child.stdin is not None
    assert child.stdout.readline() == "imported\n"
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    child.stdin.close()
    found = look(project)
    assert found.fed.records == 0
    assert found.fed.files == 1
    assert found.sampled == 5
    assert count(project, EVALUATIONS) == 5
    assert look(project).fed.files == 0
