"""Labels for analysts: one type a column, the auto score of record beside, and what counts now."""

import csv
import io
import json
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.csv as arrow_csv
import pyarrow.json as arrow_json
import pytest

from reviewer.domain.errors import FormatError, ReviewerError, Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project
from tests.building import build_project, record

MIXED = Rubric(
    name="mixed",
    metrics=(
        Metric(name="accuracy", levels=tuple(Level(value=x) for x in (1, 2, 3, 4, 5))),
        Metric(name="tone", scale="categorical", values=("warm", "cold")),
        Metric(name="safe", scale="binary"),
        Metric(name="share", scale="range", min=0, max=1),
    ),
)
SCORES = [
    {"metric": "accuracy", "value": 4, "scorer": "judge", "scorer_version": "v2"},
    {"metric": "tone", "value": "warm", "scorer": "judge"},
    {"metric": "safe", "value": True, "scorer": "rule"},
    {"metric": "share", "value": 0.5, "scorer": "rule"},
]


def label(metric: str, value: Any, labeler: str = "ann", day: int = 1, **more: Any) -> Any:
    at = f"2026-11-{day:02}T00:00:00Z"
    return {"metric": metric, "labeler": labeler, "value": value, "at": at, **more}


LABELS = [
    label("accuracy", 2),
    label("accuracy", 3, day=2, comment="=1+1"),
    label("tone", "cold"),
    label("safe", False),
    label("share", 0.25, blind=True),
    label("accuracy", None, "bo", kind="not_applicable"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    told = record(1, scores=SCORES, labels=LABELS, category="007")
    bare = record(2, scores=SCORES[:1], labels=[label("accuracy", 5)], category=None)
    out = record(3, scores=SCORES[:1], labels=[label("accuracy", 1)],
                 excluded={"reason": "a test call"})  # fmt: skip
    return build_project(tmp_path / "p.review", evaluations=[told, bare, out], rubric=MIXED)


def export(project: Path, to: Path, **options: Any) -> bytes:
    with Project.open(project) as opened:
        exporting.export(opened, to, ExportRequest(what="labels", **options), Silent())
    return to.read_bytes()


def rows(project: Path, to: Path, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export(project, to, **options).splitlines()]


def test_the_auto_score_its_judge_and_the_scale_stand_beside(
    project: Path, tmp_path: Path
) -> None:
    found = rows(project, tmp_path / "out.jsonl")
    beside = ("value", "value_text", "auto", "auto_text", "scorer", "scorer_version")
    told = {row["metric"]: tuple(row[x] for x in beside) for row in found[:6] if row["current"]}
    assert told == {
        "accuracy": (3, None, 4, None, "judge", "v2"),
        "tone": (None, "cold", None, "warm", "judge", None),
        "safe": (0, "false", 1, None, "rule", None),
        "share": (0.25, None, 0.5, None, "rule", None),
    }
    assert found[0]["scale"] == "ordinal: one of 1, 2, 3, 4, 5"


def test_the_entry_that_counts_is_told_from_those_before_and_those_that_count_nowhere(
    project: Path, tmp_path: Path
) -> None:
    found = rows(project, tmp_path / "out.jsonl", filters=Scope(metrics=("accuracy",)))
    told = [(x["id"], x["labeler"], x["value"], x["current"], x["counts"]) for x in found]
    assert sorted(told, key=str) == [
        ("c-0001", "ann", 2, False, False),
        ("c-0001", "ann", 3, True, True),
        ("c-0001", "bo", None, True, False),
        ("c-0002", "ann", 5, True, True),
        ("c-0003", "ann", 1, True, False),
    ]


def test_windows_hold_as_in_figures(project: Path, tmp_path: Path) -> None:
    window = Scope(metrics=("accuracy",), as_of=date(2026, 1, 1), window_months=1)
    found = rows(project, tmp_path / "out.jsonl", filters=window)
    assert found
    assert not any(row["counts"] for row in found)


def test_no_column_is_a_number_here_and_a_text_there(project: Path, tmp_path: Path) -> None:
    fields = ("input", "category", "latency_ms", "tags")
    export(project, tmp_path / "out.jsonl", fields=fields)
    table = arrow_json.read_json(tmp_path / "out.jsonl")
    assert str(table.schema.field("value").type) == "double"
    assert str(table.schema.field("evaluation_category").type) == "string"
    export(project, tmp_path / "out.csv", fields=fields)
    assert arrow_csv.read_csv(tmp_path / "out.csv").num_rows == table.num_rows == 8
    frame = pd.read_json(tmp_path / "out.jsonl", lines=True)
    assert frame[frame.counts].groupby("metric").value.mean()["accuracy"] == 4
    gaps = pd.read_csv(tmp_path / "out.csv").query("counts").eval("value - auto").dropna()
    assert sorted(gaps) == [-1.0, -1.0, -0.25, 1.0]


def test_what_is_not_written_is_not_told_as_masked(tmp_path: Path) -> None:
    said = label("accuracy", 2, comment="of ann@x.example")
    more = record(4, input="Mail bo@x.example", scores=SCORES, labels=[said])
    bare = record(5, input="Mail cy@x.example", scores=SCORES)
    path = build_project(tmp_path / "q.review", evaluations=[more, bare], rubric=MIXED)
    told = [_sentences(path, tmp_path / "out.jsonl", fields=fields) for fields in ((), ("input",))]
    assert [x.split(" e-mail")[0] for x in told] == ["Masked: 1", "Masked: 2"]


def _sentences(project: Path, to: Path, **options: Any) -> str:
    request = ExportRequest(what="labels", mask=True, **options)
    with Project.open(project) as opened:
        return " ".join(exporting.export(opened, to, request, Silent()).sentences)


def test_every_row_has_every_column(project: Path, tmp_path: Path) -> None:
    found = rows(project, tmp_path / "out.jsonl", fields=("response",))
    header = export(project, tmp_path / "out.csv", fields=("response",)).decode().splitlines()[0]
    assert {tuple(row) for row in found} == {tuple(found[0])}
    assert set(found[0]) == set(header.split(","))
    assert found[0]["evaluation_response"] == "Answer 1: the pool bar opens at nine."


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv"])
def test_labels_with_everything_beside_come_back_as_they_were_given(
    project: Path, tmp_path: Path, name: str
) -> None:
    export(project, tmp_path / name, fields=("input", "response"))
    given = [record(n, scores=SCORES) for n in (1, 2, 3)]
    bare = build_project(tmp_path / "bare.review", evaluations=given, rubric=MIXED)
    report = importing.run(bare, ImportRequest((tmp_path / name,)), Silent())
    assert (report.labels, report.rejected, report.rejected_values) == (8, 0, 0)
    for path in (project, bare):
        with Project.open(path) as opened:
            whole = ExportRequest(filters=Scope(where=(("id", "c-0001"),)))
            exporting.export(opened, tmp_path / f"{path.stem}.jsonl", whole, Silent())
    first, second = (
        json.loads((tmp_path / f"{x}.jsonl").read_text(encoding="utf-8")) for x in ("p", "bare")
    )
    assert first["labels"] == second["labels"]


def test_a_field_that_is_none_is_refused_by_name(project: Path, tmp_path: Path) -> None:
    with pytest.raises(ReviewerError, match="There is no field 'text'; there are: id, run, case"):
        export(project, tmp_path / "out.csv", fields=("text",))
    with pytest.raises(FormatError, match="There is no format 'arff'"):
        export(project, tmp_path / "out.csv", format="arff")


def test_the_dictionary_says_what_every_column_means(project: Path, tmp_path: Path) -> None:
    content = export(project, tmp_path / "out.csv", fields=("input",), dictionary=True).decode()
    told = (tmp_path / "out.csv.dictionary.csv").read_text(encoding="utf-8")
    listed = list(csv.DictReader(io.StringIO(told)))
    assert [x["column"] for x in listed] == content.splitlines()[0].split(",")
    assert all(x["type"] and x["meaning"] for x in listed)


def test_the_line_of_the_readme_does_what_it_says(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readme = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    line = next(x for x in readme.splitlines() if x.startswith("gaps = pandas."))
    export(project, tmp_path / "labels.csv")
    monkeypatch.chdir(tmp_path)
    known: dict[str, Any] = {"pandas": pd}
    exec(line, known)  # noqa: S102 - a line of our own
    assert known["gaps"]["count"] == 4
    assert known["gaps"]["mean"] == pytest.approx(-0.3125)
