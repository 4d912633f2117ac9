"""Where exports go: links stay links, pipes and devices get what is written, folders say no."""

import os
import socket
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.store.project import Project
from tests.building import build_project


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "p.review", evaluations=3)


def write(project: Path, to: Path, format_name: str | None = None) -> int:
    with Project.open(project) as opened:
        request = ExportRequest(format=format_name)
        return exporting.export(opened, to, request, Silent()).rows


def reviewer(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "reviewer", *words], capture_output=True, check=False
    )


def test_a_link_stays_one_and_what_it_leads_to_is_replaced(project: Path, tmp_path: Path) -> None:
    target, link = tmp_path / "kept" / "out.jsonl", tmp_path / "link.jsonl"
    target.parent.mkdir()
    target.write_text("before", encoding="utf-8")
    link.symlink_to(target)
    assert write(project, link) == 3
    assert link.is_symlink()
    assert len(target.read_text(encoding="utf-8").splitlines()) == 3
    assert sorted(x.name for x in target.parent.iterdir()) == ["out.jsonl"]


def test_a_link_to_nothing_yet_makes_what_it_leads_to(project: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to("later.jsonl")
    write(project, link)
    assert (tmp_path / "later.jsonl").is_file()


def test_links_in_a_circle_are_told(project: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.symlink_to(second)
    second.symlink_to(first)
    with pytest.raises(ProjectError, match="leads back to itself"):
        write(project, first)


def test_a_pipe_is_written_through_and_stays_one(project: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    assert write(project, pipe, "native") == 3
    reader.join(10)
    assert len(got[0].splitlines()) == 3
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_is_written_through_and_stays_one(project: Path) -> None:
    assert write(project, Path("/dev/null"), "csv") == 3
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_folders_and_sockets_are_refused(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="is a folder; name a file, a pipe or -"):
        write(project, tmp_path, "native")
    with socket.socket(socket.AF_UNIX) as ear:
        ear.bind(str(tmp_path / "ear"))
        with pytest.raises(ProjectError, match="is a socket"):
            write(project, tmp_path / "ear", "native")


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1"])
def test_standard_output_gets_the_rows_and_nothing_else(project: Path, name: str) -> None:
    plain = project.parent / "plain.csv"
    write(project, plain)
    made = reviewer("export", str(project), name, "--format", "csv")
    assert made.returncode == 0
    assert made.stdout.startswith(plain.read_bytes())
    assert (made.stdout == plain.read_bytes()) == (name == "-")
    assert not Path("-").exists()


def test_standard_output_wants_a_format_and_no_document(project: Path) -> None:
    made = reviewer("export", str(project), "-")
    assert made.returncode == 2
    assert b"Say with --format what goes to standard output (native, csv" in made.stderr
    made = reviewer("export", str(project), "-", "--format", "csv", "--json")
    assert (made.returncode, made.stdout) == (2, b"")


def test_a_reader_that_has_seen_enough_is_told_in_one_sentence(tmp_path: Path) -> None:
    project = build_project(tmp_path / "p.review", evaluations=4000)
    command = [sys.executable, "-m", "reviewer", "export", str(project), "-", "--format", "csv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as made:
        assert made.stdout is not None
        assert made.stderr is not None
        made.stdout.read(10)
        made.stdout.close()
        told = made.stderr.read().decode()
    assert made.returncode == 2
    # a slow machine tells how far it is before
    assert told.splitlines()[-1] == "standard output could not be written: broken pipe."
    assert "Traceback" not in told
