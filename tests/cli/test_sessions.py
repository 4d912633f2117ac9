"""Whoever opens an older project on the command line hears once that it was brought up to date."""

import json
import sqlite3
from pathlib import Path

import pytest

from reviewer.cli import main
from reviewer.store import from_format_1, schema, upgrading
from tests.building import build_project

SAID = ["It was brought up to date.", "accuracy of v7: judge@1 counts now."]


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the format before the one that this program then writes."""
    path = build_project(tmp_path / "old.review", evaluations=3)

    def convert(conn: sqlite3.Connection) -> None:
        conn.execute(
            "INSERT OR REPLACE INTO settings VALUES (?, ?)",
            (from_format_1.CONVERTED, json.dumps(SAID)),
        )

    monkeypatch.setattr(upgrading, "CONVERSIONS", (*upgrading.CONVERSIONS, convert))
    monkeypatch.setattr(schema, "FORMAT", schema.FORMAT + 1)
    return path


def test_the_first_sentence_is_said_once_and_the_rest_is_listed(
    older: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.main(["runs", str(older), "--json"]) == 0
    first = capsys.readouterr()
    assert SAID[0] in first.err
    assert SAID[1] not in first.err
    assert "`reviewer judges PROJECT record` lists" in first.err
    json.loads(first.out)
    assert main.main(["runs", str(older)]) == 0
    assert SAID[0] not in capsys.readouterr().err
    assert main.main(["judges", str(older), "record"]) == 0
    assert SAID[1] in capsys.readouterr().out
    assert main.main(["judges", str(older), "record", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["converted"] == SAID


def test_a_project_made_since_says_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = build_project(tmp_path / "new.review", evaluations=3)
    assert main.main(["judges", str(path), "record", "--json"]) == 0
    found = capsys.readouterr()
    assert "brought up to date" not in found.err
    assert "converted" not in json.loads(found.out)
