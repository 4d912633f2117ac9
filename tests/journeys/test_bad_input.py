"""Everything that is wrong with files, through the command line: one sentence, nothing lost.

What each case must say stands in the table; whatever happens, the project keeps what it had.
"""

import gzip
import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.journeys.shell import Shell, lines

GOOD: dict[str, Any] = {"id": "good", "input": "q", "response": "r"}
OK, WRONG = 0, 2


def scored(value: object, metric: str = "accuracy") -> dict[str, Any]:
    return {**GOOD, "scores": [{"metric": metric, "value": value}]}


def labelled(value: object) -> dict[str, Any]:
    return {**GOOD, "labels": [{"metric": "accuracy", "labeler": "ann", "value": value}]}


class Bad(NamedTuple):
    """A bad file: its name and content, the exit code, and what the sentence must name."""

    name: str
    content: bytes
    code: int
    words: tuple[str, ...]


def text(*records: dict[str, Any]) -> bytes:
    return lines(*records).encode()


TABLE = [
    Bad("empty.jsonl", b"", WRONG, ("empty.jsonl is empty",)),
    Bad("blank.jsonl", b"\n \n\n", WRONG, ("blank.jsonl",)),
    Bad(
        "binary.jsonl", os.urandom(64).join([b"\x00\xff"] * 90), WRONG, ("binary.jsonl is a bin",)
    ),
    Bad("binary.csv", bytes(range(256)) * 20, WRONG, ("binary.csv is a binary file",)),
    Bad("latin.jsonl", '{"id": "a", "input": "caf\xe9"}\n'.encode("latin-1"), OK, ("UTF-8",)),
    Bad("utf16.csv", "id,answer,judge_accuracy\n1,a,3\n2,b,4\n".encode("utf-16"), OK, ("UTF-16",)),
    Bad("cut.jsonl", text(GOOD) + b'{"id": "b", "inp', OK, ("cut.jsonl, line 2", "cut off")),
    Bad("cut.jsonl.gz", gzip.compress(text(GOOD) * 50)[:40], WRONG, ("cut off before its end",)),
    Bad("twice.jsonl", text(GOOD, {**GOOD, "response": "s"}), OK, ("line 2, id", "other content")),
    Bad("null.jsonl", text(GOOD) + b'{"id": "b", "input": "\0"}\n', OK, ("line 2", "null byte")),
    Bad("off.jsonl", text(scored(9)), WRONG, ("scores[0].value", "not on the scale")),
    Bad("between.jsonl", text(labelled(3.5)), WRONG, ("labels[0].value", "not on the scale")),
    Bad("text.jsonl", text(scored("4")), WRONG, ("scores[0].value", "'4' is not on the scale")),
    Bad("nan.jsonl", text(scored(float("nan"))), WRONG, ("scores[0].value", "finite number")),
    Bad("metric.jsonl", text(scored(3, "tone")), WRONG, ("scores[0].metric", "no metric 'tone'")),
    Bad(
        "orphan.jsonl",
        text({"id": "nobody", "metric": "accuracy", "labeler": "ann", "value": 3}),
        WRONG,
        ("orphan.jsonl, line 1", "no evaluation 'nobody'"),
    ),
    Bad("date.jsonl", text({**GOOD, "evaluated_at": "gestern"}), OK, ("evaluated_at", "ISO 8601")),
    Bad("half.jsonl", b'{"id": "\\ud800", "input": "q"}\n' + text(GOOD), OK, ("surrogate",)),
    Bad("list.jsonl", text(GOOD) + b"[1, 2]\n", OK, ("list.jsonl, line 2",)),
    Bad("deep.jsonl", b'{"id": "a", "meta": ' + b"[" * 9000 + b"\n" + text(GOOD), OK, ("line 1",)),
    Bad(
        "ragged.csv",
        b"id,answer,judge_accuracy\n1,a,3\n2,b\n3,c,4,5\n",
        OK,
        ("line 3", "2 cells", "line 4"),
    ),
    Bad("semi.csv", b"id;answer;judge_accuracy\n1;a, b;3\n2;c;4\n", OK, ("semi.csv was read",)),
    Bad("mixed.csv", b"id,question;answer,score\n1,a;b,3\n2;a,c;b;4\n", WRONG, ("--answer",)),
    Bad("header.csv", b"id,answer,score\n", WRONG, ("a header and no row below it",)),
    Bad("numbers.json", b"[1, 2, 3]", WRONG, ("numbers.json can be read. Record 1 (line 1): an",)),
    Bad("none.json", b"[]", WRONG, ("none.json holds an empty list",)),
    Bad("text.json", b'"hello"', WRONG, ("text.json holds JSON, but no object",)),
    Bad("one.jsonl", b'{"id": "b", "input": "\0"}\n', WRONG, ("line 1: a null byte",)),
    Bad("open.jsonl", b'{"id": "b", input: 3}\n', WRONG, ("keys stand in double quotes",)),
    Bad("photo.jsonl", b"\x89PNG\r\n\x1a\n" + bytes(99), WRONG, ("is an image; no records",)),
    Bad("id.jsonl", b'{"id": "a"}\n', WRONG, ("--answer id=response",)),
    Bad("open.csv", b'id,answer,judge_accuracy\n1,"a,3\n2,b,4\n', OK, ("open.csv was read",)),
]


@pytest.fixture
def project(shell: Shell) -> Path:
    """A project that holds one labelled evaluation."""
    (shell.folder / "first.jsonl").write_bytes(
        text({**labelled(4), "id": "kept", "run": "before"})
    )
    assert shell.run("import", "p.review", "first.jsonl", "--rubric", "guest-response") == 0
    return shell.folder / "p.review"


def kept(project: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(project)) as conn:
        return conn.execute(
            "SELECT e.ext_id, l.value FROM labels l JOIN visible_evaluations e "
            "ON e.id = l.evaluation WHERE e.ext_id = 'kept'"
        ).fetchall()


@pytest.mark.parametrize("bad", TABLE, ids=[bad.name for bad in TABLE])
def test_each_bad_file_is_a_clear_sentence(shell: Shell, project: Path, bad: Bad) -> None:
    (shell.folder / bad.name).write_bytes(bad.content)
    rubric = () if bad.name.endswith(".csv") else ("--rubric", "guest-response")
    before = project.read_bytes()
    assert shell.run("import", "p.review", bad.name, *rubric) == bad.code, shell.err
    for words in bad.words:
        assert words in shell.err
    assert "Traceback" not in shell.err
    assert kept(project) == [("kept", 4)]
    if bad.code == WRONG:
        assert shell.out == ""
        assert shell.err.endswith(".\n")
        assert len(shell.document("runs", "p.review")["runs"]) == 1
    assert shell.run("import", "p.review", bad.name, *rubric, "--strict") in (OK, 1, WRONG)
    assert shell.document("doctor", "p.review")["ok"]
    assert len(before) <= project.stat().st_size


def test_rejected_rows_name_line_field_value_and_reason(shell: Shell, project: Path) -> None:
    (shell.folder / "off.jsonl").write_bytes(text(GOOD, {**scored(9), "id": "b"}))
    found = shell.document(
        "import", project, "off.jsonl", "--rejected", "no.jsonl", "--allow-refused"
    )
    assert (found["rejected"], found["rejected_values"]) == (0, 1)
    row = json.loads((shell.folder / "no.jsonl").read_text())
    assert row == {
        "file": "off.jsonl",
        "line": 2,
        "field": "scores[0].value",
        "value": 9,
        "reason": "9 is not on the scale of accuracy: one of 1, 2, 3, 4, 5 expected",
    }


def test_a_date_without_zone_is_utc(shell: Shell) -> None:
    at = "2026-11-18T23:30:00"
    (shell.folder / "a.jsonl").write_bytes(text({**scored(3), "evaluated_at": at}))
    assert shell.run("import", "p.review", "a.jsonl", "--rubric", "guest-response") == 0
    assert shell.document("runs", "p.review")["runs"][0]["first"].startswith("2026-11-18")
    assert shell.run("export", "p.review", "b.jsonl") == 0
    assert f'"evaluated_at":"{at}"' in (shell.folder / "b.jsonl").read_text()


@pytest.mark.parametrize("size", [50_000_000, 70_000_000])
def test_a_line_of_many_megabytes(shell: Shell, project: Path, size: int) -> None:
    big = {"id": "big", "input": "q", "response": "x" * size}
    (shell.folder / "big.jsonl").write_bytes(text(big, GOOD))
    found = shell.document("import", project, "big.jsonl")
    taken = size < 64_000_000
    assert (found["added"], found["rejected"]) == ((2, 0) if taken else (1, 1))
    assert ("longer than 64 MB" in shell.err) is not taken


def damage_header(file: Path) -> None:
    file.write_bytes(b"not SQLite at all" * 300)


def damage_newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as conn:
        conn.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize(
    ("damage", "words"), [(damage_header, "no Reviewer project"), (damage_newer, "newer version")]
)
def test_a_file_that_is_no_project_is_refused_by_every_command(
    shell: Shell, project: Path, damage: Callable[[Path], None], words: str
) -> None:
    damage(project)
    before = project.read_bytes()
    for command in (
        ("runs", project),
        ("stats", project),
        ("export", project, "e.jsonl"),
        ("backup", project, "b.review"),
        ("import", project, "first.jsonl"),
        ("import", project, "--undo", "1"),
    ):
        assert shell.run(*command) == WRONG
        assert words in shell.err
        assert shell.out == ""
    assert project.read_bytes() == before
    assert not (shell.folder / "e.jsonl").exists()
    assert not (shell.folder / "b.review").exists()
