"""Work packages: what is in the file and what is not, and the way back."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError, QueueError, Silent
from reviewer.services.labelling import entering, undo
from reviewer.services.parcels import merging, packing
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.queues import bulk_acts, making, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import copying, reading, schema
from reviewer.store.project import Project
from tests.building import next_undo
from tests.services.parcels.sending import SECRET, current, label, merged, pack, records


def tables(session: Session, *, filled: bool) -> set[str]:
    """Name the tables that hold rows, or those that hold none."""
    conn = session.project.conn
    count = "SELECT count(*) > 0 FROM "
    return {
        name
        for (name,) in conn.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        if not name.startswith(("search", "sqlite_", "_"))
        and conn.execute(count + name).fetchone() == (filled,)
    }


def poison(lead: Path) -> None:
    """Write the secret words into every table of the lead's file, those of later builds too."""
    session = Session.open(lead, "Lead")
    conn = session.project.conn
    conn.execute("PRAGMA ignore_check_constraints = ON")
    conn.execute("PRAGMA foreign_keys = OFF")
    into = "INSERT INTO "
    with session.project.write():
        for table in tables(session, filled=False) - {"turns", "exclusions"}:
            columns = conn.execute(f"PRAGMA table_info({table})").fetchall()
            values = [1 if column[2] == "INTEGER" else SECRET for column in columns]
            marks = ", ".join("?" * len(values))
            conn.execute(into + table + f" VALUES ({marks})", values)
    bulk_acts.tag(session, [reading.find(conn, "c-0") or 0], "judge-wrong")
    session.project.set_setting("some judge", SECRET)
    assert tables(session, filled=False) == {"turns", "exclusions"}
    session.close()


def test_a_blind_package_leaks_nothing(lead: Path, tmp_path: Path) -> None:
    poison(lead)
    made = pack(lead, tmp_path / "ann.review")
    assert made.evaluations == 4
    content = made.file.read_bytes()
    for leak in (
        SECRET,
        "secret-judge",
        "2.125",
        "Other Person",
        "judge_wrong",
        "judge-wrong",
        "disputed",
        '"gold"]',
        '["gold"',
    ):
        assert leak.encode() not in content, leak
        assert leak.encode("utf-16-le") not in content, leak
    assert not made.file.with_name("ann.review-wal").exists()
    session = Session.open(made.file)
    assert session.labeler.name == "Ann"
    assert session.labeler.role == "labeler"
    conn = session.project.conn
    filled = tables(session, filled=True)
    assert filled == {
        "counters", "settings", "rubrics", "rubric_versions", "labelers", "imports",
        "runs", "evaluations", "tags", "queues", "queue_items",
    }  # fmt: skip
    row = working.find(session, "First")
    assert len(working.items_of(session, row, "Ann")) == 4
    assert row.blind
    assert {t for (t,) in conn.execute("SELECT tag FROM tags")} == {"pool"}
    session.close()


def test_own_answers_in_a_blind_package_name_no_judge(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Ann")
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    entering.commit(session, key, "safety", 4)
    with session.project.write() as conn:
        conn.execute(
            "UPDATE labels SET judge_version = 'secret-judge', selection_reason = 'disputed', "
            "selection_prob = 0.0625"
        )
    session.close()
    package = pack(lead, tmp_path / "ann.review").file
    content = package.read_bytes()
    assert b"secret-judge" not in content
    assert b"disputed" not in content
    session = Session.open(package)
    assert session.project.conn.execute(
        "SELECT value, judge_version, selection_prob FROM labels"
    ).fetchall() == [(4, None, None)]
    session.close()
    # the same answer is known when it comes back
    assert not merged(lead, package).is_new


def test_how_evaluations_were_drawn_stays_with_the_lead(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    making.create(
        session, QueuePlan(name="Drawn", sampling=Sampling.RANDOM, n=3, labelers=("Ann",), seed=2)
    )
    packing.make(session, tmp_path / "drawn.review", queue="Drawn", labeler="Ann", blind=True)
    session.close()
    package = Session.open(tmp_path / "drawn.review")
    row = working.find(package, "Drawn")
    assert row.reason == packing.UNTOLD
    items = working.items_of(package, row, "Ann")
    assert [item.prob for item in items] == [None] * 3
    entering.commit(package, items[0].evaluation, "safety", 4)
    package.close()
    assert merged(lead, tmp_path / "drawn.review").labels == 1
    session = Session.open(lead, "Lead")
    draws = session.project.conn.execute(
        "SELECT l.selection_reason, l.selection_prob FROM labels l JOIN labelers p "
        "ON p.id = l.labeler WHERE p.name = 'Ann'"
    ).fetchall()
    session.close()
    assert draws == [("random", 0.5)]


def test_a_package_is_opened_by_whom_it_is_for(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    session = Session.open(package, "Lead")
    assert session.labeler.name == "Ann"
    session.project.set_setting("package", "{")
    session.close()
    with pytest.raises(ProjectError, match="damaged work package"):
        Session.open(package)


def test_what_was_taken_in_is_taken_back(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 5, "c-0", "c-1")
    session = Session.open(lead, "Lead")
    assert merging.is_of(session, package)
    assert not merging.is_of(session, lead)
    merging.merge(session, package)
    assert next_undo(session) == "import of ann.jsonl"
    undo.undo(session)
    session.close()
    assert current(lead) == {}
    assert merged(lead, package).labels == 2
    imports = Session.open(lead, "Lead")
    count = "SELECT count(*) FROM imports"
    before = imports.project.conn.execute(count).fetchone()
    assert not merging.merge(imports, package).is_new
    # nothing new leaves no trace
    assert imports.project.conn.execute(count).fetchone() == before
    imports.close()


def test_a_package_is_foretold(lead: Path) -> None:
    session = Session.open(lead, "Lead")
    found = packing.foretell(session, queue="first", labeler="ann", blind=True)
    session.close()
    assert found.sentence == (
        "4 evaluations of one for Ann. Nobody else's labels, no auto scores, no reasoning, no "
        "feedback."
    )


def test_a_seeing_package_has_scores_and_no_labels(lead: Path, tmp_path: Path) -> None:
    made = pack(lead, tmp_path / "ann.review", blind=False)
    content = made.file.read_bytes()
    assert b"secret-judge" in content
    assert b"Other Person" not in content
    assert b"judge_wrong" not in content


def test_labels_come_back_once(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 5, "c-0", "c-1")
    foretold = merged(lead, package, dry_run=True)
    assert (foretold.labels, foretold.known) == (2, 0)
    assert current(lead) == {}
    assert merged(lead, package).labels == 2
    assert current(lead) == {"c-0": 5, "c-1": 5}
    again = merged(lead, package)
    assert (again.labels, again.known) == (0, 2)
    session = Session.open(lead, "Lead")
    blind = session.project.conn.execute(
        "SELECT DISTINCT blind FROM labels l JOIN labelers p ON p.id = l.labeler "
        "WHERE p.name = 'Ann'"
    ).fetchall()
    session.close()
    assert blind == [(1,)]


def test_packages_come_in_any_order(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0")
    early = tmp_path / "early.review"
    shutil.copy(package, early)
    label(package, 4, "c-0")
    label(package, 3, "c-2")
    assert merged(lead, package).labels == 3
    assert merged(lead, early).labels == 0
    assert current(lead) == {"c-0": 4, "c-2": 3}


def test_an_answer_on_both_sides_is_shown(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0")
    session = Session.open(lead, "Ann")
    key = reading.find(session.project.conn, "c-0")
    assert key is not None
    entering.commit(session, key, "safety", 5)
    session.close()
    found = merged(lead, package, dry_run=True)
    assert [(x.id, x.metric, x.here, x.there, x.later) for x in found.conflicts] == [
        ("c-0", "safety", 5, 2, "here")
    ]
    merged(lead, package)
    assert current(lead) == {"c-0": 5}


def test_a_changed_text_makes_its_labels_stale(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0", "c-1")
    other = records("Another")[:1]
    file = tmp_path / "one.jsonl"
    file.write_text("\n".join(json.dumps(x) for x in other))
    importing.run(lead, ImportRequest(files=(file,), on_conflict="replace"), Silent())
    found = merged(lead, package)
    assert found.changed == (("one", "c-0"),)
    assert found.labels == 2
    session = Session.open(lead, "Lead")
    stale = session.project.conn.execute(
        "SELECT e.ext_id FROM labels l JOIN evaluations e ON e.id = l.evaluation "
        "JOIN labelers p ON p.id = l.labeler "
        "WHERE p.name = 'Ann' AND l.revision <> e.revision"
    ).fetchall()
    session.close()
    assert stale == [("c-0",)]


def test_a_metric_that_is_gone_is_said(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    label(package, 2, "c-0")
    label(package, 2, "c-0", metric="accuracy")
    session = Session.open(lead, "Lead")
    rubric = session.rubric("guest-response")
    rubrics.save_version(
        session.project,
        replace(rubric, metrics=tuple(m for m in rubric.metrics if m.name != "accuracy")),
    )
    session.close()
    found = merged(lead, package)
    assert found.labels == 1
    assert len(found.refused) == 1
    assert "accuracy" in found.refused[0].sentence
    assert found.refused[0].place == ("one", "c-0")
    assert "has version" in found.notes[0]


def test_a_package_that_is_none(lead: Path, tmp_path: Path) -> None:
    with pytest.raises(ProjectError, match="but no work package"):
        merged(lead, lead)
    other = tmp_path / "other.review"
    package = pack(lead, tmp_path / "ann.review").file
    shutil.copy(lead, other)
    session = Session.open(other, "Lead")
    session.project.set_setting(schema.PROJECT_ID, "another")
    session.close()
    with pytest.raises(ProjectError, match="of another project"):
        merged(other, package)


def test_who_and_what_must_be_there(lead: Path, tmp_path: Path) -> None:
    session = Session.open(lead, "Lead")
    to = tmp_path / "x.review"
    with pytest.raises(QueueError, match="has no part in First; it was given to Ann"):
        packing.make(session, to, queue="First", labeler="Bob", blind=True)
    with pytest.raises(QueueError):
        packing.make(session, to, queue="Second", labeler="Ann", blind=True)
    to.write_text("")
    with pytest.raises(ProjectError, match="exists already"):
        packing.make(session, to, queue="First", labeler="Ann", blind=True)
    session.close()


def test_marks_come_back_too(lead: Path, tmp_path: Path) -> None:
    package = pack(lead, tmp_path / "ann.review").file
    session = Session.open(package)
    key = reading.find(session.project.conn, "c-1")
    assert key is not None
    entering.toggle_flag(session, key)
    entering.toggle_skip(session, key)
    undo.undo(session)
    session.close()
    assert merged(lead, package).marks >= 2
    session = Session.open(lead, "Lead")
    state = session.project.conn.execute(
        "SELECT s.flagged, s.skipped FROM states s JOIN labelers p ON p.id = s.labeler "
        "WHERE p.name = 'Ann'"
    ).fetchall()
    session.close()
    assert state == [(1, 0)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rubric_versions SET body = '{'",
        "UPDATE rubric_versions SET body = '{}'",
        "UPDATE labels SET value = x'ff'",
        "UPDATE labels SET metric = 999",
        "UPDATE evaluations SET extra = '[1'",
        "UPDATE settings SET value = '[]' WHERE name = 'package'",
        "DROP TABLE labels",
    ],
)
def test_a_damaged_package_is_named_and_nothing_of_it_is_taken(
    lead: Path, tmp_path: Path, statement: str
) -> None:
    package = tmp_path / "ann.review"
    pack(lead, package)
    label(package, 4, "c-0", "c-1")
    with Project.open(package) as opened:
        opened.conn.execute("PRAGMA foreign_keys = OFF")
        opened.conn.execute("PRAGMA ignore_check_constraints = ON")
        opened.conn.execute(statement)
    session = Session.open(lead, "Lead")
    before = copying.changes(session.project)
    with pytest.raises(ProjectError, match=r"ann\.review") as told:
        merging.merge(session, package)
    assert "lead.review" not in str(told.value)
    assert copying.changes(session.project) == before
    session.close()
