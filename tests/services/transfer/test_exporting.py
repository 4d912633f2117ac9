"""Exporting: order, forms of labels, filters, disagreements, and files whole or not there."""

import csv
import gzip
import hashlib
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import CancelledError, FormatError, ProjectError, ReviewerError, Silent
from reviewer.domain.run import Scope
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import exporting as stored
from reviewer.store import figures, records
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record

LABELS = [
    {"metric": "accuracy", "labeler": "bob", "value": 4, "at": "2026-11-03T00:00:00Z"},
    {"metric": "accuracy", "labeler": "ann", "value": 1, "at": "2026-11-01T00:00:00Z"},
    {"metric": "accuracy", "labeler": "ann", "value": 2, "at": "2026-11-02T00:00:00Z"},
    {"metric": "accuracy", "labeler": "lead", "value": 3, "kind": "adjudication"},
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(
        tmp_path / "p.review",
        evaluations=[record(1, labels=LABELS), record(2), record(3, run="later")],
        runs=("agent v7", "later"),
    )


def write(project: Path, to: Path, **options: Any) -> list[dict[str, Any]]:
    with Project.open(project) as opened:
        made = exporting.export(opened, to, ExportRequest(**options), Silent())
    content = to.read_bytes()
    assert made.bytes == len(content)
    assert made.sha256 == hashlib.sha256(content).hexdigest()
    text = (gzip.decompress(content) if to.suffix == ".gz" else content).decode()
    rows = (
        list(csv.DictReader(text.splitlines()))
        if to.name.endswith(".csv")
        else [json.loads(line) for line in text.splitlines()]
    )
    assert made.rows == len(rows)
    return rows


def test_runs_scores_and_labels_stand_in_order(project: Path, tmp_path: Path) -> None:
    rows = write(project, tmp_path / "out.jsonl")
    assert [(row["run"], row["id"]) for row in rows] == [
        ("agent v7", "c-0001"), ("agent v7", "c-0002"), ("later", "c-0003"),
    ]  # fmt: skip
    assert [x["metric"] for x in rows[0]["scores"]] == ["relevance", "accuracy", "safety"]
    # the whole history by time; no time is the earliest
    assert [x["labeler"] for x in rows[0]["labels"]] == ["lead", "ann", "ann", "bob"]
    assert list(rows[1]) == [
        "id", "run", "category", "input", "response", "latency_ms", "evaluated_at", "scores",
    ]  # fmt: skip
    assert '"latency_ms":200.0,' in (tmp_path / "out.jsonl").read_text(encoding="utf-8")


def test_labels_alone_import_again(project: Path, tmp_path: Path) -> None:
    rows = write(project, tmp_path / "labels.jsonl", what="labels")
    said = {name: value for name, value in rows[0].items() if value is not None}
    assert said == {
        "run": "agent v7", "id": "c-0001", **LABELS[3], "unsure": False, "current": True,
        "counts": True, "auto": 3, "scorer": "judge", "scale": "ordinal: one of 1, 2, 3, 4, 5",
    }  # fmt: skip
    assert [(x["labeler"], x["value"], x["current"], x["counts"]) for x in rows[1:]] == [
        ("ann", 1, False, False), ("ann", 2, True, False), ("bob", 4, True, False),
    ]  # fmt: skip
    assert len(write(project, tmp_path / "labels.csv", what="labels")) == 4
    bare = build_project(tmp_path / "bare.review", evaluations=[record(1)])
    for name in ("labels.jsonl", "labels.csv"):
        report = importing.run(bare, ImportRequest((tmp_path / name,)), Silent())
        assert (report.labels, report.rejected) == (4 if name == "labels.jsonl" else 0, 0)
    assert write(bare, tmp_path / "again.jsonl", what="labels") == rows


def test_means_and_decisions(project: Path, tmp_path: Path) -> None:
    means = write(project, tmp_path / "out.jsonl", labels="mean")[0]["labels"]
    assert means == [{"metric": "accuracy", "labeler": "mean", "value": 3.0, "aggregate": 2}]
    decided = write(project, tmp_path / "out.jsonl", labels="adjudicated")
    assert decided[0]["labels"] == [LABELS[3]]
    assert "labels" not in decided[1]


def test_filters(project: Path, tmp_path: Path) -> None:
    to = tmp_path / "out.jsonl"
    assert len(write(project, to, filters=Scope(runs=("later",)))) == 1
    assert [x["id"] for x in write(project, to, filters=Scope(categories=("directions",)))] == [
        "c-0002"
    ]
    one = write(project, to, filters=Scope(metrics=("safety",), labelers=("ann",)))[0]
    assert [x["metric"] for x in one["scores"]] == ["safety"]
    assert "labels" not in one
    people = write(project, to, what="labels", filters=Scope(labelers=("ann",)))
    assert [x["value"] for x in people] == [1, 2]


@pytest.mark.parametrize("what", ["evaluations", "labels", "disagreements"])
@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        (Scope(runs=("never",)), "There is no run 'never'"),
        (Scope(labelers=("ann", "annn")), "There is no labeler 'annn' in this project; there are"),
        (Scope(metrics=("safety", "speed")), "has no metric 'speed'|There is no metric 'speed'"),
        (Scope(scorer="gpt@9"), "There is no scorer 'gpt@9' in this project; there are: "),
    ],
)
def test_names_that_are_not_there_are_refused(
    project: Path, tmp_path: Path, what: str, scope: Scope, sentence: str
) -> None:
    to = tmp_path / "out.jsonl"
    with pytest.raises(ReviewerError, match=sentence):
        write(project, to, what=what, filters=scope)
    assert not to.exists()


def test_disagreements_come_by_size(tmp_path: Path) -> None:
    one = record(1, labels=[{"metric": "accuracy", "labeler": "ann", "value": 4}])
    two = record(2, labels=[
        {"metric": "accuracy", "labeler": "ann", "value": 1},
        {"metric": "accuracy", "labeler": "bob", "value": 2},
        {"metric": "safety", "labeler": "ann", "value": 5},
    ])  # fmt: skip
    three = record(3, marks=[{"kind": "cause", "labeler": "ann", "metric": "accuracy",
                              "value": "judge invents"}],
                   labels=[{"metric": "accuracy", "labeler": "ann", "value": 1}])  # fmt: skip
    path = build_project(tmp_path / "p.review", evaluations=[one, two, three])
    rows = write(path, tmp_path / "out.jsonl", what="disagreements")
    assert [(x["id"], x["metric"], x["gap"]) for x in rows] == [
        ("c-0003", "accuracy", -4.0), ("c-0002", "accuracy", -2.5), ("c-0001", "accuracy", 1.0),
    ]  # fmt: skip
    assert rows[1] == {
        "run": "agent v7", "id": "c-0002", "metric": "accuracy", "auto": 4, "reasoning": "so",
        "human": 1.5, "gap": -2.5, "labels": {"ann": 1, "bob": 2}, "spread": 1.0, "state": "open",
        "cause": None,
    }  # fmt: skip
    assert rows[0]["cause"] == "judge invents"
    table = write(path, tmp_path / "out.csv", what="disagreements")
    assert list(table[0]) == list(rows[0])
    assert table[1]["labels"] == '{"ann": 1, "bob": 2}'


def test_compressed_exports_read_back(project: Path, tmp_path: Path) -> None:
    assert write(project, tmp_path / "a.jsonl.gz") == write(project, tmp_path / "b.jsonl")
    again = importing.run(
        tmp_path / "q.review", ImportRequest((tmp_path / "a.jsonl.gz",), rubric=RUBRIC), Silent()
    )
    assert again.added == 3


def test_csv_comes_back_the_same(project: Path, tmp_path: Path) -> None:
    write(project, tmp_path / "a.csv")
    other = tmp_path / "q.review"
    importing.run(other, ImportRequest((tmp_path / "a.csv",), rubric=RUBRIC), Silent())
    assert write(other, tmp_path / "b.jsonl") == write(project, tmp_path / "c.jsonl")


class _Stopped:
    cancelled = True

    def advance(self, *_: object) -> None:
        """Take the report."""


def test_a_stopped_export_leaves_what_was_there(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "REPORT_ROWS", 1)
    to = tmp_path / "out.jsonl"
    to.write_text("before", encoding="utf-8")
    with Project.open(project) as opened, pytest.raises(CancelledError):
        exporting.export(opened, to, ExportRequest(), _Stopped())
    assert to.read_text(encoding="utf-8") == "before"
    assert [x.name for x in tmp_path.iterdir() if x.name.startswith(".")] == []


def test_what_cannot_be_written_is_a_sentence(project: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"suffix of out.xls says no format"):
        write(project, tmp_path / "out.xls")
    with pytest.raises(FormatError, match="no format 'table' that can be written"):
        write(project, tmp_path / "out.csv", format="table")
    with pytest.raises(ProjectError, match="does not exist; make it first"):
        write(project, tmp_path / "none" / "out.csv")
    with pytest.raises(ProjectError, match="is the project itself"):
        write(project, project, format="native")


def test_an_export_sees_one_moment(project: Path, tmp_path: Path) -> None:
    with Project.open(project) as opened, closing(Session.open(project, "ann")) as session:
        request = ExportRequest()

        class Labelling:
            cancelled = False

            def advance(self, *_: object) -> None:
                entering.commit(session, 3, "safety", 5)

        exporting.REPORT_ROWS, before = 1, exporting.REPORT_ROWS
        try:
            exporting.export(opened, tmp_path / "out.jsonl", request, Labelling())
        finally:
            exporting.REPORT_ROWS = before
    last = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()[2])
    assert "labels" not in last


def test_a_preview_shows_the_first_rows(project: Path) -> None:
    with Project.open(project) as opened:
        shown = exporting.preview(opened, ExportRequest(what="labels"), limit=2)
    assert shown.columns[:5] == ("run", "id", "metric", "labeler", "value")
    assert len(shown.rows) == 2


PLAIN = {"metric": "accuracy", "scorer": "judge", "scorer_version": "2", "value": 4}
TRIAL = PLAIN | {"value": 2, "parameters": {"seed": 3, "temperature": 1}}
FULL = "judge@2 temperature=1"


@pytest.fixture
def tried(tmp_path: Path) -> Path:
    """A project with a trial by another parameter, which is a version of its own."""
    relevance = {"metric": "relevance", "scorer": "judge", "scorer_version": "2", "value": 3}
    return build_project(
        tmp_path / "tried.review",
        evaluations=[
            record(1, scores=[PLAIN, TRIAL, relevance, TRIAL | {"value": 5, "at": "2026-11-30"}]),
            record(2, scores=[TRIAL]),
            record(3, scores=[PLAIN | {"model": "", "error": "timeout", "value": None}]),
        ],
    )


def test_a_trial_has_columns_under_its_full_name(tried: Path, tmp_path: Path) -> None:
    with Project.open(tried) as opened:
        assert {x.name for x in figures.scorer_versions(opened)} == {"judge@2", FULL}
    rows = write(tried, tmp_path / "out.csv")
    assert [(row["score:accuracy@judge@2"], row[f"score:accuracy@{FULL}"]) for row in rows] == [
        ("4", "2"), ("", "2"), ("", ""),
    ]  # fmt: skip
    assert rows[0]["score:relevance@judge@2"] == "3"
    again = tmp_path / "again.review"
    importing.run(again, ImportRequest((tmp_path / "out.csv",), rubric=RUBRIC), Silent())
    write(again, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "out.csv").read_bytes()


@pytest.mark.parametrize(
    ("scorer", "values"),
    [
        ("judge", [[3, 4, 2, 5], [2], [None]]),
        ("judge@2", [[3, 4], [], [None]]),
        (FULL, [[2, 5], [2], []]),
    ],
)
def test_a_scorer_is_exported_by_its_full_name(
    tried: Path, tmp_path: Path, scorer: str, values: list[list[int | None]]
) -> None:
    rows = write(tried, tmp_path / "out.jsonl", filters=Scope(scorer=scorer))
    assert [[x["value"] for x in row.get("scores", ())] for row in rows] == values
    cells = write(tried, tmp_path / "out.csv", filters=Scope(scorer=scorer))
    shown = {name: row[name] for row in cells for name in row if name.startswith("score:")}
    assert all(scorer != FULL or name.endswith(FULL) for name in shown)


def test_a_kind_is_written_where_it_came_spelt_out(tmp_path: Path) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 2, "at": "2026-11-02T00:00:00Z"}
    spelt = label | {"labeler": "bob", "kind": "label"}
    path = build_project(tmp_path / "p.review", evaluations=[record(1, labels=[label, spelt])])
    (row,) = write(path, tmp_path / "out.jsonl")
    assert [x.get("kind") for x in row["labels"]] == [None, "label"]


def test_what_came_empty_or_was_left_out_is_written_as_it_came(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "When?"}]
    answered = [*asked, {"role": "assistant", "content": "At 3."}]
    records = [
        {"id": "a", "messages": asked},
        {"id": "b", "messages": answered},
        {"id": "c", "messages": answered, "response": "At 3."},
        {"id": "d", "response": "At 3.", "scores": [
            {"metric": "accuracy", "value": 3, "scorer": "judge", "model": ""},
            {"metric": "safety", "value": 3, "scorer": "judge", "reasoning": ""},
        ]},
    ]  # fmt: skip
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in records))
    path = tmp_path / "made.review"
    importing.run(path, ImportRequest((file,), rubric="guest-response"), Silent())
    rows = write(path, tmp_path / "out.jsonl")
    assert [row.get("response") for row in rows] == [None, None, "At 3.", "At 3."]
    assert [(x.get("model"), x.get("reasoning")) for x in rows[3]["scores"]] == [
        ("", None), (None, ""),
    ]  # fmt: skip


def test_keys_of_ones_own_are_written_where_they_stood(tmp_path: Path) -> None:
    label = {"mine": 1, "metric": "accuracy", "labeler": "ann", "value": 2, "own": [3]}
    fields = {"first": {"a": 1}, "id": "a", "input": "When?", "own": None, "response": "At 3."}
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(fields | {"labels": [label]}))
    path = tmp_path / "made.review"
    importing.run(path, ImportRequest((file,), rubric="guest-response"), Silent())
    (row,) = write(path, tmp_path / "out.jsonl")
    assert [key for key in row if key in fields] == ["first", "id", "input", "own", "response"]
    assert (row["first"], row["own"]) == ({"a": 1}, None)
    (kept,) = row["labels"]
    assert [key for key in kept if key in label] == list(label)
    assert (kept["mine"], kept["own"]) == (1, [3])


def test_what_comes_first_in_a_late_row_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "BLOCK", 2)
    monkeypatch.setattr(stored, "PART", 2)
    label = {"metric": "accuracy", "labeler": "ann", "value": 2, "at": "2026-11-02T00:00:00Z"}
    score = {"metric": "accuracy", "value": 3, "scorer": "judge"}
    said: tuple[dict[str, Any], ...] = (
        {"seconds": 2.5}, {"comment": "No."}, {}, {"labeler": "bob", "seconds": 1}, {},
    )  # fmt: skip
    told: tuple[dict[str, Any], ...] = (
        {}, {}, {"model": "m"}, {}, {"input": "When?"}, {}, {"cost_usd": 0.5}, {},
    )  # fmt: skip
    given = [
        {"id": str(at), "run": "r", "response": "At 3.", **more,
         "scores": [score, {**score, "scorer": "later"}] if at == 5 else [score],
         "labels": [label | said[at % 5]]}
        for at, more in enumerate(told)
    ]  # fmt: skip
    file = tmp_path / "in.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in given))
    path = tmp_path / "made.review"
    importing.run(path, ImportRequest((file,), rubric="guest-response"), Silent())
    assert write(path, tmp_path / "out.jsonl") == given
    row = write(path, tmp_path / "out.csv")[0]
    assert list(row)[:8] == [
        "id", "run", "input", "response", "cost_usd", "model",
        "score:accuracy@judge", "reasoning:accuracy@judge",
    ]  # fmt: skip
    assert list(row)[8::2] == [
        "score:accuracy@later", "label:accuracy:ann", "label:accuracy:bob", "scores",
    ]  # fmt: skip
