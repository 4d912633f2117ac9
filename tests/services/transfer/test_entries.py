"""Labels and decisions on their way from one project into another: two streams, and numbers."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.uids import text_of
from reviewer.services.adjudicating.decisions import decide, withdraw_decision
from reviewer.services.figures.listed_scores import humans_of
from reviewer.services.labelling import entering, undo
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.transfer import exporting, undoing
from reviewer.services.transfer.asking import RefusedError
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.store import labels
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record
from tests.services.transfer.imports import exported, load, rows, write

ONE, TWO = (f"0190e5b2-7c1a-7b3e-8d2f-{n:012}" for n in (1, 2))


@pytest.fixture
def lea(tmp_path: Path) -> Iterator[Session]:
    with closing(Session.open(build_project(tmp_path / "p.review", evaluations=2), "lea")) as lea:
        lea.blind = False
        yield lea


def other(session: Session, name: str, role: Any = "lead") -> Session:
    profiles.add(session, name, role=role)
    opened = Session.open(session.project.path, name)
    opened.blind = False
    return opened


def overtaken(lea: Session) -> None:
    """Two leads decide; what Lea changed later is undone, so that Max's decision counts."""
    entering.commit(lea, 1, "accuracy", 1)
    with closing(other(lea, "max")) as second:
        decide(lea, 1, "accuracy", 2)
        decide(second, 1, "accuracy", 5)
        decide(lea, 1, "accuracy", 3)
        undo.undo(lea)


def export(project: Project, to: Path, **request: Any) -> bytes:
    exporting.export(project, to, ExportRequest(**request), Silent())
    return to.read_bytes()


def humans(project: Project) -> dict[str, float]:
    rows = project.conn.execute("SELECT id, run, ext_id FROM evaluations").fetchall()
    with closing(Session.open(project.path, None)) as session:
        session.blind = False
        found = humans_of(session, {key: run for key, run, _ in rows})
    names = {key: name for key, _, name in rows}
    return {names[key]: float(x["accuracy"]) for key, x in found.items() if "accuracy" in x}


def entry(value: Any, at: str, labeler: str = "ann", **more: Any) -> dict[str, Any]:
    return {"metric": "accuracy", "labeler": labeler, "value": value, "at": at} | more


def test_numbers_stand_where_something_needs_them(lea: Session, tmp_path: Path) -> None:
    overtaken(lea)
    first = json.loads(export(lea.project, tmp_path / "out.jsonl").splitlines()[0])
    said = [(x["labeler"], x["value"], "uid" in x, "restores" in x) for x in first["labels"]]
    assert said == [
        ("lea", 1, False, False), ("lea", 2, True, False), ("max", 5, False, False),
        ("lea", 3, False, False), ("lea", 2, False, True),
    ]  # fmt: skip
    (restored,) = [x["uid"] for x in first["labels"] if "uid" in x]
    assert first["labels"][-1]["restores"] == restored
    assert list(first["labels"][-1])[-1] == "restores"


@pytest.mark.parametrize("what", ["evaluations", "labels"])
@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_what_stands_where_it_stood_does_so_in_another_project(
    lea: Session, tmp_path: Path, what: Any, suffix: str
) -> None:
    overtaken(lea)
    withdraw_decision(lea, 1, "accuracy")
    undo.undo(lea)
    entering.comment(lea, 2, "accuracy", "hm")
    assert humans(lea.project) == {"c-0001": 5}
    exported = export(lea.project, tmp_path / f"out.{suffix}", what=what)
    again = tmp_path / "again.review"
    if what == "labels":
        load(again, write(tmp_path / "bare.jsonl", *bare()), rubric=RUBRIC)
    load(again, tmp_path / f"out.{suffix}", rubric=RUBRIC)
    with Project.open(again) as project:
        assert humans(project) == {"c-0001": 5}
        assert export(project, tmp_path / f"back.{suffix}", what=what) == exported
        report = load(project, tmp_path / f"out.{suffix}")
        assert report.labels == 0


def bare() -> list[dict[str, Any]]:
    return [{**record(number), "run": "agent v7"} for number in (1, 2)]


def test_the_header_of_the_label_history_begins_as_it_did_before(
    lea: Session, tmp_path: Path
) -> None:
    entering.commit(lea, 1, "accuracy", 1)
    header = export(lea.project, tmp_path / "out.csv", what="labels").decode().splitlines()[0]
    assert header == (
        "run,id,metric,labeler,value,comment,at,blind,kind,turn,seconds,rubric_version,aggregate,"
        "selection_reason,selection_prob,judge_version,unsure,value_text,current,counts,auto,"
        "auto_text,scorer,scorer_version,scale,other"
    )


def test_one_entry_is_one_whatever_else_it_says(lea: Session, tmp_path: Path) -> None:
    given = record(1, run="agent v7", labels=[entry(4, "2026-11-01", uid=ONE)])
    assert load(lea.project, write(tmp_path / "a.jsonl", given)).labels == 1
    renamed = record(1, run="agent v7", labels=[entry(4, "2026-11-01", "Ann B.", uid=ONE)])
    assert load(lea.project, write(tmp_path / "b.jsonl", renamed)).labels == 0
    twice = {"run": "agent v7", "id": "c-0001"} | entry(2, "2026-11-02", uid=TWO)
    changed = twice | {"value": 3}
    assert load(lea.project, write(tmp_path / "c.jsonl", twice, changed)).labels == 1
    assert humans(lea.project) == {"c-0001": 2}


def test_an_entry_that_is_here_under_another_number_can_be_restored(
    lea: Session, tmp_path: Path
) -> None:
    """A file came before anything in it was restored, and comes again after that."""
    mine = entry(2, "2026-11-01", "lea", kind="adjudication")
    theirs = entry(5, "2026-11-02", "max", kind="adjudication")
    before = record(1, run="agent v7", labels=[mine, theirs])
    load(lea.project, write(tmp_path / "a.jsonl", before))
    back = entry(2, "2026-11-04", "lea", kind="adjudication", restores=ONE)
    changed = entry(3, "2026-11-03", "lea", kind="adjudication")
    after = record(1, run="agent v7", labels=[mine | {"uid": ONE}, theirs, changed, back])
    assert load(lea.project, write(tmp_path / "b.jsonl", after)).labels == 2
    assert humans(lea.project) == {"c-0001": 5}
    rows = [{"run": "agent v7", "id": "c-0002"} | x for x in after["labels"]]
    load(lea.project, write(tmp_path / "c.jsonl", *rows[:3]))
    assert humans(lea.project)["c-0002"] == 3
    load(
        lea.project,
        write(tmp_path / "d.jsonl", rows[0] | {"uid": TWO}, rows[3] | {"restores": TWO}),
    )
    assert humans(lea.project)["c-0002"] == 5


def test_a_restored_entry_may_come_before_the_one_that_it_restores(
    lea: Session, tmp_path: Path
) -> None:
    theirs = entry(5, "2026-11-02", "max", kind="adjudication")
    back = entry(2, "2026-11-04", "lea", kind="adjudication", restores=ONE)
    load(
        lea.project, write(tmp_path / "a.jsonl", record(1, run="agent v7", labels=[theirs, back]))
    )
    assert humans(lea.project) == {"c-0001": 2}
    mine = entry(2, "2026-11-01", "lea", kind="adjudication", uid=ONE)
    load(lea.project, write(tmp_path / "b.jsonl", record(1, run="agent v7", labels=[mine])))
    assert humans(lea.project) == {"c-0001": 5}


def test_two_imports_of_one_file_give_the_same_numbers(tmp_path: Path) -> None:
    repeated = [entry(4, "2026-11-01"), entry(4, "2026-11-01"), entry(4.0, "2026-11-01")]
    flag = {"kind": "flag", "labeler": "ann", "at": "2026-11-01"}
    fields = record(1, labels=[*repeated, entry(None, "2026-11-02", kind="comment", comment="x")],
                    marks=[flag, flag], excluded={"reason": "spam"})  # fmt: skip
    file = write(tmp_path / "one.jsonl", fields)
    found = []
    for name in ("a", "b"):
        load(tmp_path / f"{name}.review", file, rubric=RUBRIC)
        with Project.open(tmp_path / f"{name}.review") as project:
            # what comes in pieces is numbered like what comes at once
            rows = project.conn.execute(
                "SELECT uid FROM labels UNION ALL SELECT uid FROM marks "
                "UNION ALL SELECT uid FROM exclusions ORDER BY 1"
            ).fetchall()
        found.append(rows)
    assert found[0] == found[1]
    assert len(set(found[0])) == 7
    pieces = tmp_path / "c.review"
    for n in range(1, 5):
        part = fields | {"labels": fields["labels"][:n], "marks": fields["marks"][: n - 2]}
        load(pieces, write(tmp_path / "part.jsonl", part), rubric=RUBRIC, run="one")
    with Project.open(pieces) as project:
        rows = project.conn.execute("SELECT uid FROM labels ORDER BY 1").fetchall()
    assert set(rows) <= set(found[0])
    assert len(rows) == 4


def test_a_number_that_comes_with_an_entry_goes_out_with_it(tmp_path: Path) -> None:
    fields = record(1, run="r", labels=[entry(4, "2026-11-01", uid=ONE)],
                    marks=[{"kind": "flag", "labeler": "ann", "uid": TWO}])  # fmt: skip
    load(tmp_path / "a.review", write(tmp_path / "one.jsonl", fields), rubric=RUBRIC)
    with Project.open(tmp_path / "a.review") as project:
        (line,) = export(project, tmp_path / "out.jsonl").splitlines()
        assert [x["uid"] for kind in ("labels", "marks") for x in json.loads(line)[kind]] == [
            ONE, TWO
        ]  # fmt: skip
        (label,) = labels.history(project.conn, 1)
    assert text_of(label.uid) == ONE


def test_decisions_and_means_go_by_the_streams(lea: Session, tmp_path: Path) -> None:
    overtaken(lea)
    entering.withdraw(lea, 1, "accuracy")
    entering.comment(lea, 1, "accuracy", "well")
    out = tmp_path / "out.jsonl"
    decided = json.loads(export(lea.project, out, labels="adjudicated").splitlines()[0])
    assert [(x["labeler"], x["value"]) for x in decided["labels"]] == [("max", 5)]
    mean = json.loads(export(lea.project, out, labels="mean").splitlines()[0])
    assert "labels" not in mean
    undo.undo(lea)
    undo.undo(lea)
    mean = json.loads(export(lea.project, out, labels="mean").splitlines()[0])
    assert [(x["labeler"], x["value"]) for x in mean["labels"]] == [("mean", 1.0)]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"uid": "one"}, "it is no UUID"),
        ({"uid": ONE.upper().replace("E", "F")}, "it is no UUID"),
        ({"restores": 7}, "it is no UUID"),
        ({"kind": "withdrawn", "value": None, "of": "decision"}, "one of label is expected"),
        ({"kind": "comment"}, "an entry of kind comment has no value"),
        ({"value": None}, "a label needs a value"),
    ],
)
def test_what_no_entry_can_say_is_told(
    lea: Session, tmp_path: Path, wrong: dict[str, Any], words: str
) -> None:
    fields = record(1, run="agent v7", labels=[entry(4, "2026-11-01") | wrong])
    report = load(lea.project, write(tmp_path / "a.jsonl", fields), allow_refused=True)
    assert words in report.first_rejected[0].sentence
    # without its number an entry says the same
    assert report.labels == int("UUID" in words)


@pytest.mark.parametrize("policy", ["version", "replace"])
@pytest.mark.parametrize("before", [None, "Ann"])
def test_the_text_of_an_excluded_record_is_replaced_and_comes_back(
    tmp_path: Path, policy: str, before: str | None
) -> None:
    def excluded(by: str | None, **fields: Any) -> Any:
        return record(1, **fields) | ({"excluded": {"reason": "spam", "by": by}} if by else {})

    path, again = tmp_path / "p.review", tmp_path / "again.jsonl"
    first = write(tmp_path / "r.jsonl", excluded(before))
    load(path, first, rubric=RUBRIC, run="r")
    other = write(again, excluded("Bob", response="Another answer."))
    assert load(path, other, run="r", on_conflict=policy).updated == 1
    (stored,) = exported(path)
    assert stored["response"] == "Another answer."
    assert stored["excluded"]["by"] == (before or "Bob")
    with Project.open(path) as opened:
        undoing.undo_import(opened, 2)
    (stored,) = exported(path)
    assert stored["response"] != "Another answer."
    assert stored.get("excluded", {}).get("by") == before


def test_an_import_that_fails_leaves_no_row(tmp_path: Path) -> None:
    path = build_project(tmp_path / "p.review", evaluations=2)
    before = rows(path, "SELECT * FROM imports")
    wrong = record(7, scores=[{"metric": "relevance", "value": 99}])
    with pytest.raises(RefusedError):
        load(path, write(tmp_path / "r.jsonl", record(6), wrong), rubric=RUBRIC)
    assert rows(path, "SELECT * FROM imports") == before
