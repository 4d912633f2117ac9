"""An import whose transactions are given up for others stores what it stores alone."""

import os
import sqlite3
import threading
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import doctor
from reviewer.store import connecting, loading, pieces
from reviewer.store.connecting import Turn
from reviewer.store.project import Project
from tests.bench.bench_import import RUBRIC
from tests.bench.results import write_results

ROWS = 1_500


def _stored(path: Path) -> list[list[tuple[object, ...]]]:
    with Project.open(path) as project:
        conn = project.conn
        # what the text search holds beside its tables shows in what it finds
        conn.execute("INSERT INTO search(search) VALUES ('integrity-check')")
        texts = conn.execute("SELECT id, input, response FROM visible_evaluations").fetchall()
        words = sorted({text.split()[3].strip(".") for _, *both in texts[:50] for text in both})
        return [
            texts,
            conn.execute("SELECT evaluation, metric, value, reasoning FROM scores").fetchall(),
            *(
                conn.execute("SELECT rowid FROM search WHERE search MATCH ?", (word,)).fetchall()
                for word in words
            ),
        ]


def test_transactions_that_are_given_up_leave_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "TARGET_SECONDS", 0.003)
    monkeypatch.setattr(pieces, "MOST_PIECES", 10)
    source = write_results(tmp_path / "results.jsonl", ROWS)
    request = ImportRequest((source,), rubric=RUBRIC)
    importing.run(tmp_path / "alone.review", request, Silent())

    given_up: list[bool] = []
    path, over = tmp_path / "beside.review", threading.Event()
    monkeypatch.setattr(connecting, "AGAIN_S", 0.0)
    monkeypatch.setattr(connecting, "LOOK_S", 0.0)
    monkeypatch.setattr(connecting, "LOOK_STEPS", 10)
    monkeypatch.setattr(Turn, "gave_way", lambda *_: given_up.append(True))

    def ring() -> None:
        number = 0
        while not over.wait(0.002):
            number += 1
            if path.with_name(f"{path.name}-shm").exists():
                os.utime(f"{path}-shm", ns=(number, number))

    ringing = threading.Thread(target=ring)
    ringing.start()
    try:
        importing.run(path, request, Silent())
    finally:
        over.set()
        ringing.join()
    monkeypatch.undo()
    assert given_up
    assert _stored(path) == _stored(tmp_path / "alone.review")
    assert doctor.check(path).problems == ()
    with sqlite3.connect(path) as conn:
        assert conn.execute("PRAGMA integrity_check").fetchone() == ("ok",)
