import faulthandler
import logging
import sqlite3
from pathlib import Path

import pytest

from reviewer import paths
from reviewer.services.computer import logs
from reviewer.services.computer.logs import diagnosis, explain
from reviewer.services.computer.versions import version

LOG = logging.getLogger("reviewer.test")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "log_folder", lambda: tmp_path)


def _fail(text: str) -> None:
    try:
        int(text)
    except ValueError as error:
        raise RuntimeError(text) from error


def test_the_log_holds_what_was_logged_and_stops_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with logs.kept():
        LOG.info("import: %d records", 12)
    LOG.warning("after the end")
    assert "INFO reviewer.test import: 12 records" in logs.log_file().read_text("utf-8")
    assert "after the end" not in logs.log_file().read_text("utf-8")
    assert not logging.getLogger("reviewer").handlers
    assert capsys.readouterr().out == ""


def test_exceptions_leave_their_places_and_no_texts() -> None:
    with logs.kept():
        try:
            _fail("sk-secret and a response")
        except RuntimeError:
            LOG.exception("unexpected")
    written = logs.log_file().read_text("utf-8")
    assert "RuntimeError through" in written
    assert "caused by ValueError" in written
    assert "_fail" in written
    assert "secret" not in written
    assert "raise RuntimeError" not in written


def test_files_rotate_and_stay_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "BYTES_A_FILE", 2_000)
    with logs.kept():
        for number in range(300):
            LOG.info("line %d", number)
    files = sorted(tmp_path.glob("reviewer.log*"))
    assert len(files) == logs.OLD_FILES + 1
    assert all(file.stat().st_size <= 2_000 for file in files)
    assert "line 299" in logs.log_file().read_text("utf-8")


def test_nobody_is_stopped_by_a_log_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "reviewer.log").mkdir()
    with logs.kept():
        LOG.error("lost")

    def refuse() -> Path:
        raise PermissionError

    monkeypatch.setattr(paths, "log_folder", refuse)
    with logs.kept():
        LOG.error("lost too")
    assert capsys.readouterr().err == ""
    assert logs.tail(5) == []


def test_crashes_of_the_interpreter_are_noted(tmp_path: Path) -> None:
    was_on = faulthandler.is_enabled()
    faulthandler.disable()
    try:
        with logs.kept():
            assert faulthandler.is_enabled()
        assert not faulthandler.is_enabled()
        assert (tmp_path / "crash.log").is_file()
    finally:
        if was_on:
            faulthandler.enable()


def test_the_diagnosis_holds_versions_and_the_end_of_the_log() -> None:
    with logs.kept():
        for number in range(100):
            LOG.info("line %d in %s", number, Path.home() / "chats.review")
    text = diagnosis("Qt 6")
    assert text.startswith(f"Reviewer {version()}\nPython ")
    assert "SQLite 3." in text
    assert "\nQt 6\n" in text
    assert "line 99 in ~/chats.review" in text
    assert "line 59 " not in text
    assert str(Path.home()) not in text


def test_the_diagnosis_needs_no_log() -> None:
    assert diagnosis().endswith("(no log)")


def test_a_failing_database_leads_to_the_doctor() -> None:
    assert "reviewer doctor" in explain(sqlite3.DatabaseError("database disk image is malformed"))
    assert "RuntimeError" in explain(RuntimeError("a response"))
    assert "a response" not in explain(RuntimeError("a response"))
