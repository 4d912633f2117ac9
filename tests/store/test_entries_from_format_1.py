"""A project of format 1, as an older program made it: what counts stays, and entries get numbers.

`tests/projects` holds one with labels, decisions of several leads, comments, marks, exclusions,
tags, queues with repeats, and a package that came back; a package that is still out; and what that
program exported of the project.
"""

import gzip
import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain import entries
from reviewer.domain.errors import Silent
from reviewer.services.labelling import entering, undo
from reviewer.services.parcels import merging
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import checking, states
from reviewer.store.project import Project
from reviewer.store.schema import PROJECT_ID
from tests.building import RUBRIC, next_undo, undone

GIVEN = Path(__file__).resolve().parents[1] / "projects"
_CURRENT = (
    "SELECT evaluation, metric, labeler, turn, decided, label, value, kind, blind, aggregate, "
    "at_us FROM current_labels ORDER BY 1, 2, 3, 4, 5"
)
_STATES = (
    "SELECT * FROM states WHERE answered OR complete OR skipped OR flagged OR revealed "
    "OR repeat_from ORDER BY labeler, evaluation"
)
_NUMBERED = (
    "SELECT uid FROM labels", "SELECT uid FROM marks", "SELECT uid FROM exclusions",
    "SELECT uid FROM tag_changes", "SELECT uid FROM labelers",
)  # fmt: skip


def older(to: Path, name: str = "format-1") -> Path:
    """Make the file as the older program left it."""
    with closing(sqlite3.connect(to)) as conn:
        conn.executescript(gzip.decompress((GIVEN / f"{name}.sql.gz").read_bytes()).decode())
    return to


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return older(tmp_path / "old.review")


def rows(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as conn:
        return conn.execute(query).fetchall()


def export(project: Project, to: Path) -> bytes:
    exporting.export(project, to, ExportRequest(), Silent())
    return to.read_bytes()


def test_everything_that_counts_stays_as_it_was(path: Path) -> None:
    before = [rows(path, query) for query in (_CURRENT, _STATES)]
    assert {row[7] for row in before[0]} == {
        "label", "adjudication", "not_applicable", "withdrawn"
    }  # fmt: skip
    with Project.open(path) as project:
        conn = project.conn
        assert [conn.execute(query).fetchall() for query in (_CURRENT, _STATES)] == before
        # and so it is when it is worked out anew
        keys = [key for (key,) in conn.execute("SELECT id FROM evaluations")]
        with project.write():
            states.refresh(conn, keys)
        assert [conn.execute(query).fetchall() for query in (_CURRENT, _STATES)] == before
        assert conn.execute("PRAGMA foreign_key_check").fetchall() == []
        assert checking.problems(project) == []


def test_it_exports_the_same_bytes(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        exported = export(project, tmp_path / "out.jsonl")
    assert exported == gzip.decompress((GIVEN / "format-1.jsonl.gz").read_bytes())


def test_it_has_the_very_tables_of_a_new_one(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as converted, Project.create(tmp_path / "new.review") as new:
        assert _made(converted) == _made(new)


def _made(project: Project) -> dict[tuple[str, str], str]:
    found = project.conn.execute("SELECT type, name, ifnull(sql, '') FROM sqlite_master")
    return {(kind, name): " ".join(sql.split()) for kind, name, sql in found}


def test_two_copies_agree_about_every_number_and_no_two_entries_have_one(
    path: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copy(path, tmp_path / "other.review"))
    numbers = []
    for file in (path, other):
        with Project.open(file) as project:
            found = {query: [uid for (uid,) in project.conn.execute(query)] for query in _NUMBERED}
            assert all(len(set(x)) == len(x) and None not in x for x in found.values())
            numbers.append((found, project.setting(PROJECT_ID)))
    assert numbers[0] == numbers[1]


def test_an_import_of_its_export_gives_the_same_numbers(path: Path, tmp_path: Path) -> None:
    """Labels and marks are numbered alike whichever way they come."""
    with Project.open(path) as project:
        export(project, tmp_path / "out.jsonl")
        converted = _by_content(project)
    again = tmp_path / "again.review"
    importing.run(again, ImportRequest((tmp_path / "out.jsonl",), rubric=RUBRIC), Silent())
    with Project.open(again) as project:
        assert _by_content(project) == converted
        report = importing.run(project, ImportRequest((tmp_path / "out.jsonl",)), Silent())
        assert (report.labels, report.unchanged) == (0, report.read)


def _by_content(project: Project) -> list[bytes]:
    found = project.conn.execute(
        "SELECT x.uid FROM labels x JOIN visible_evaluations v ON v.id = x.evaluation UNION ALL "
        "SELECT x.uid FROM marks x JOIN visible_evaluations v ON v.id = x.evaluation UNION ALL "
        "SELECT uid FROM exclusions"
    )
    return sorted(uid for (uid,) in found)


def test_what_was_done_before_cannot_be_undone_and_what_comes_after_can(path: Path) -> None:
    with closing(Session.open(path, "ann")) as session:
        assert next_undo(session) is None
        assert undo.undo(session) is None
        told = json.loads(session.project.setting("converted"))
        assert any("undone" in sentence for sentence in told)
        key = session.project.conn.execute(
            "SELECT evaluation FROM current_labels c JOIN labelers p ON p.id = c.labeler "
            "WHERE p.name = 'ann' AND c.kind = 'label' AND c.blind = 1 AND c.turn = -1"
        ).fetchone()[0]
        before = session.project.conn.execute(_CURRENT).fetchall()
        for metric in RUBRIC.metrics:
            entering.commit(session, key, metric.name, 1)
            entering.commit(session, key, metric.name, 2)
        while undo.undo(session):
            pass
        after = session.project.conn.execute(_CURRENT).fetchall()
        assert [row[:5] + row[6:] for row in after if row[7] != "withdrawn"] == [
            row[:5] + row[6:] for row in before if row[7] != "withdrawn"
        ]


def test_a_half_applied_action_goes_on(path: Path) -> None:
    tagged = "SELECT count(*) FROM tags WHERE tag = 'half'"
    body = {"bulk": [{"tag": "half", "keys": [1, 5], "present": 1}]}
    with closing(sqlite3.connect(path)) as conn:
        conn.execute(
            "INSERT INTO journal(seq, labeler, at, kind, title, body, state) "
            "VALUES (1, 1, '2026-11-01', 'tag', 'Tag half', ?, 'doing')",
            (json.dumps(body),),
        )
        conn.commit()
    with Project.open(path) as project:
        assert project.conn.execute(tagged).fetchone() == (5,)


def test_a_package_that_was_out_comes_back(path: Path, tmp_path: Path) -> None:
    package = older(tmp_path / "out.review", "format-1-package")
    with closing(Session.open(path, "lea")) as lead:
        before = lead.project.conn.execute(_CURRENT).fetchall()
        found = merging.merge(lead, package)
        assert (found.labels, found.known, found.marks) == (7, 7, 1)
        assert merging.merge(lead, package).labels == 0
        assert undone(lead) == "import of out.jsonl"
        assert lead.project.conn.execute(_CURRENT).fetchall() == before


def test_a_withdrawal_of_before_ends_both(path: Path, tmp_path: Path) -> None:
    with Project.open(path) as project:
        export(project, tmp_path / "out.jsonl")
    records = [json.loads(x) for x in (tmp_path / "out.jsonl").read_text().splitlines()]
    ended = {
        (record["id"], label["metric"])
        for record in records
        for label in record.get("labels") or ()
        if label.get("kind") == "withdrawn"
    }
    assert ended
    assert not any("of" in label for record in records for label in record.get("labels") or ())
    (second,) = [x for x in records if x["id"] == "c-02"]
    standing = entries.decisions(second["labels"])
    assert {place: x["labeler"] for place, x in standing.items()} == {
        ("accuracy", None): "boss", ("relevance", None): "chief"
    }  # fmt: skip
