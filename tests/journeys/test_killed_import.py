"""Imports that end badly: killed, stopped, on a full disk, beside people who label."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import CancelledError, ProjectError, Silent
from reviewer.services.labelling import entering
from reviewer.services.listing import listing
from reviewer.services.project import backups
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, import_files, importing, undoing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import doctor, forgetting
from reviewer.store import connecting, figures, labelers, reading
from reviewer.store.project import Project
from tests.strength.killed_imports import counts, make_project, write_file

COUNT = 3_000
ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from pathlib import Path
from reviewer.domain.errors import Silent
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
print("started", flush=True)
importing.run(Path(sys.argv[1]), ImportRequest((Path(sys.argv[2]),)), Silent())
print("done", flush=True)
"""


@pytest.fixture(autouse=True)
def frequent_reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an import report often enough on a fast machine, too."""
    monkeypatch.setattr(import_files, "REPORT_EVERY", 0.01)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "project.review")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_file(tmp_path / "more.jsonl", COUNT)


class _Stopping:
    """Ask to stop after some reports."""

    def __init__(self, reports: int) -> None:
        self.left = reports

    @property
    def cancelled(self) -> bool:
        return self.left <= 0

    def advance(self, *_: object) -> None:
        self.left -= 1


def _stopped(project: Path, file: Path) -> dict[str, Any]:
    """Stop an import of another run in its middle; give what the file held before."""
    before = counts(project)
    with pytest.raises(CancelledError, match="nothing of the file was stored"):
        importing.run(project, ImportRequest((file,), run="other"), _Stopping(3))
    assert counts(project)["evaluations"] > before["evaluations"]
    return before


def _seen(project: Path) -> tuple[Any, ...]:
    """Give what people see of a project."""
    written = project.with_name("all.jsonl")
    with closing(Session.open(project, "ann")) as session:
        exporting.export(session.project, written, ExportRequest(), Silent())
        known = (
            reading.runs(session.project.conn),
            figures.scorer_versions(session.project),
            listing.build(session, filter_text="sauna").ids,
        )
    return written.read_bytes(), connecting.look(project), doctor.check(project), *known


def test_nobody_sees_what_a_stopped_import_leaves_until_it_is_swept(
    project: Path, file: Path
) -> None:
    def seen() -> tuple[Any, ...]:
        with closing(Session.open(project, "ann")) as session:
            return [person.name for person in session.labelers()], *_seen(project)

    there = seen()
    before = _stopped(project, file)
    assert seen() == there
    importing.tidy(project, Silent())
    assert counts(project) == before
    assert seen() == there


@pytest.mark.parametrize("run", [None, "other"])
def test_an_undone_import_is_out_of_sight_at_once_and_removed_later(
    project: Path, file: Path, run: str | None
) -> None:
    with Project.open(project) as opened, opened.write() as conn:
        # who labelled in an undone import stays a person of the project
        labelers.ensure(conn, "bob")
    there, before = _seen(project), counts(project)
    number = importing.run(project, ImportRequest((file,), run=run), Silent()).imports[0]
    with Project.open(project) as opened:
        undoing.undo_import(opened, number)
    assert _seen(project) == there
    assert counts(project)["evaluations"] == 12 + COUNT
    with pytest.raises(CancelledError):
        importing.tidy(project, _Stopping(3))
    # as if it was killed here
    assert 12 < counts(project)["evaluations"] < 12 + COUNT
    assert _seen(project) == there
    importing.tidy(project, Silent())
    assert _seen(project) == there
    assert counts(project) == before


def test_what_was_labelled_in_an_undone_import_is_not_removed(project: Path, file: Path) -> None:
    number = importing.run(project, ImportRequest((file,)), Silent()).imports[0]
    with closing(Session.open(project, "ann")) as session:
        for key in (13, 1_000, 12 + COUNT):
            entering.commit(session, key, "accuracy", 5)
        undoing.undo_import(session.project, number, keep="nothing")
        importing.tidy(session.project, Silent())
    assert counts(project)["evaluations"] == 12 + 3
    assert counts(project)["visible_evaluations"] == 12
    importing.run(project, ImportRequest((file,)), Silent())
    assert counts(project)["labels"] == 1 + 3 + COUNT // 5
    assert doctor.check(project).problems == ()


def test_the_next_import_removes_what_an_undone_one_left(project: Path, file: Path) -> None:
    number = importing.run(project, ImportRequest((file,), run="other"), Silent()).imports[0]
    with Project.open(project) as opened:
        undoing.undo_import(opened, number)
    report = importing.run(project, ImportRequest((file,), run="other"), Silent())
    assert (report.added, report.unchanged) == (COUNT, 0)
    assert counts(project)["evaluations"] == 12 + COUNT
    assert doctor.check(project).problems == ()


def test_what_a_large_change_wrote_beside_the_file_is_given_back(project: Path) -> None:
    beside = project.with_name(f"{project.name}-wal")
    with Project.open(project) as opened:
        with opened.write() as conn:
            conn.execute("CREATE TABLE large AS SELECT zeroblob(50000000) AS content")
        assert beside.stat().st_size > 50_000_000
        for name in ("first", "second"):
            opened.set_setting("note", name)
        assert beside.stat().st_size < 40_000_000


def test_the_next_import_removes_what_a_stopped_one_left(project: Path, file: Path) -> None:
    before = _stopped(project, file)
    report = importing.run(project, ImportRequest((file,), run="other"), Silent())
    assert (report.added, report.unchanged) == (COUNT, 0)
    after = counts(project)
    assert after["visible_evaluations"] == after["evaluations"] == 12 + COUNT
    assert after["labelers"] == before["labelers"] + 1
    assert doctor.check(project).problems == ()


def test_a_repair_removes_what_a_stopped_import_left(project: Path, file: Path) -> None:
    before = _stopped(project, file)
    assert doctor.check(project).problems == ()
    assert doctor.repair(project).ok
    assert counts(project) == before


def test_somebody_whose_name_a_stopped_import_made_stays(project: Path, file: Path) -> None:
    _stopped(project, file)
    with closing(Session.open(project, "bob")) as session:
        entering.commit(session, 2, "accuracy", 5)
        assert [person.name for person in session.labelers()] == ["ann", "bob"]
        importing.tidy(project, Silent())
        entering.commit(session, 3, "accuracy", 5)
        assert [person.name for person in session.labelers()] == ["ann", "bob"]
    assert doctor.check(project).problems == ()


def test_nothing_is_swept_while_another_import_is_at_work(project: Path, file: Path) -> None:
    class Sweeping:
        cancelled = False

        def advance(self, *_: object) -> None:
            importing.tidy(project, Silent())

    report = importing.run(project, ImportRequest((file,)), Sweeping())
    assert report.added == counts(project)["evaluations"] - 12 == COUNT
    assert doctor.check(project).problems == ()


def test_a_sweep_that_is_stopped_goes_on_another_time(project: Path, file: Path) -> None:
    before = _stopped(project, file)
    with pytest.raises(CancelledError):
        importing.tidy(project, _Stopping(1))
    assert counts(project)["evaluations"] > before["evaluations"]
    assert doctor.check(project).problems == ()
    importing.tidy(project, Silent())
    assert counts(project) == before


def test_to_forget_takes_what_a_stopped_import_left_out_of_the_file(
    project: Path, file: Path
) -> None:
    _stopped(project, file)
    assert b"Sauna 7?" in project.read_bytes()
    with closing(Session.open(project, "ann")) as session:
        forgetting.forget_person(session, "ann")
    assert b"Sauna 7?" not in project.read_bytes()
    assert doctor.check(project).problems == ()


def test_a_stopped_first_import_leaves_no_project(tmp_path: Path, file: Path) -> None:
    fresh = tmp_path / "fresh.review"
    with pytest.raises(CancelledError):
        importing.run(fresh, ImportRequest((file,)), _Stopping(3))
    assert not fresh.exists()


def test_a_first_import_that_lost_its_power_can_be_done_again(tmp_path: Path, file: Path) -> None:
    fresh = tmp_path / "fresh.review"
    fresh.touch()
    assert importing.run(fresh, ImportRequest((file,)), Silent()).added == COUNT
    assert doctor.check(fresh).ok


def test_an_empty_file_with_backups_is_offered_them_instead(project: Path, file: Path) -> None:
    with Project.open(project) as opened:
        backups.make(opened)
    project.write_bytes(b"")
    with pytest.raises(ProjectError, match="no Reviewer project"):
        importing.run(project, ImportRequest((file,)), Silent())
    assert project.read_bytes() == b""


def test_doctor_removes_what_a_killed_import_left(project: Path, file: Path) -> None:
    before = counts(project)
    worker = multiprocessing.get_context("spawn").Process(target=_die_inside, args=(project, file))
    worker.start()
    worker.join()
    assert counts(project)["evaluations"] > before["evaluations"]
    found = doctor.check(project)
    assert found.problems == ("an import that never ended left rows behind",)
    assert doctor.repair(project).ok
    assert counts(project) == before


def _die_inside(project: Path, file: Path) -> None:
    class Killing:
        cancelled = False

        def advance(self, done: int, _: int | None, note: str = "") -> None:
            if done and "rows" in note and not note.startswith("1 "):
                os.kill(os.getpid(), signal.SIGKILL)

    importing.run(project, ImportRequest((file,)), Killing())


def test_labels_are_saved_while_an_import_runs(project: Path, file: Path) -> None:
    waits: list[float] = []
    with closing(Session.open(project, "ann")) as session:

        class Pressing:
            cancelled = False

            def advance(self, *_: object) -> None:
                started = time.perf_counter()
                entering.commit(session, len(waits) % 12 + 1, "accuracy", len(waits) % 5 + 1)
                waits.append(time.perf_counter() - started)

        report = importing.run(project, ImportRequest((file,)), Pressing())
        assert report.added == COUNT
        mine = session.project.conn.execute(
            "SELECT count(*) FROM labels WHERE labeler = 1 AND evaluation <= 12"
        ).fetchone()[0]
        assert mine == len(waits) + 1
        assert len(waits) >= 3


def test_labels_from_another_process_are_saved_meanwhile(project: Path, file: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, project, file], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert worker.stdout is not None
    worker.stdout.readline()
    given = 0
    with closing(Session.open(project, "ann")) as session:
        while worker.poll() is None:
            entering.commit(session, given % 12 + 1, "relevance", given % 5 + 1)
            given += 1
        assert worker.communicate()[0] == b"done\n"
        mine = session.project.conn.execute(
            "SELECT count(*) FROM labels l JOIN metrics m ON m.id = l.metric "
            "WHERE l.labeler = 1 AND m.name = 'relevance'"
        ).fetchone()[0]
    assert mine == given > 0
    assert counts(project)["visible_evaluations"] == 12 + COUNT
    assert doctor.check(project).ok


def test_two_imports_at_once_are_refused(project: Path, file: Path) -> None:
    worker = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, project, file], stdout=subprocess.PIPE, cwd=ROOT
    )
    assert worker.stdout is not None
    worker.stdout.readline()
    refused = _until(lambda: _refusal(project, file), worker)
    assert refused is not None
    assert "is running in another window or program" in refused
    worker.communicate()
    assert counts(project)["visible_evaluations"] == 12 + COUNT


def _refusal(project: Path, file: Path) -> str | None:
    with Project.open(project) as opened:
        state = opened.conn.execute("SELECT 1 FROM imports WHERE state = 'loading'").fetchone()
    if state is None:
        return None
    try:
        importing.run(project, ImportRequest((file,)), Silent())
    except ProjectError as error:
        return str(error)
    return None


def _until(wanted: Callable[[], Any], worker: "subprocess.Popen[bytes]") -> Any:
    while worker.poll() is None:
        found = wanted()
        if found is not None:
            return found
        time.sleep(0.02)
    return None


@contextmanager
def _largest_file(size: int) -> Iterator[None]:
    """Let no file grow beyond a size, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


def test_a_full_disk_is_a_sentence_and_loses_nothing(project: Path, file: Path) -> None:
    before = counts(project)
    room = project.stat().st_size + 400_000
    with _largest_file(room), pytest.raises(ProjectError) as caught:
        importing.run(project, ImportRequest((file,)), Silent())
    assert "disk" in str(caught.value).lower()
    assert counts(project)["visible_evaluations"] == before["visible_evaluations"]
    assert counts(project)["labels"] >= 1
    report = importing.run(project, ImportRequest((file,)), Silent())
    assert report.added == COUNT


def test_a_read_only_folder_is_a_sentence(tmp_path: Path, file: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("whoever may write everywhere cannot be kept from writing")
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    with pytest.raises(ProjectError, match="cannot be written"):
        importing.run(folder / "new.review", ImportRequest((file,)), Silent())
