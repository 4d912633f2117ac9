"""What is written for other tools: everything that people said, nothing that is held out."""

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from python_calamine import CalamineWorkbook

from reviewer.domain.errors import FormatError, ProjectError, Silent
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.formats import registry
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import Exported
from reviewer.store import splits
from reviewer.store.project import Project
from tests.building import build_project, record

MIXED = Rubric(
    name="mixed",
    metrics=(
        Metric(
            name="accuracy",
            pass_at=3,
            levels=tuple(Level(value=x, title=f"Level {x}") for x in (1, 2, 3, 4, 5)),
        ),
        Metric(name="choice", scale="categorical", values=("a", "b", "tie")),
    ),
)
FORMULA = '=HYPERLINK("x")'


def label(metric: str, value: Any, labeler: str = "ann", **more: Any) -> Any:
    return {"metric": metric, "labeler": labeler, "value": value,
            "at": "2026-11-01T00:00:00Z", **more}  # fmt: skip


SCORES = [{"metric": "accuracy", "value": 2, "scorer": "judge", "reasoning": "short"}]
CALL = {"id": "k1", "name": "find", "arguments": {"q": "pool"}}
TURNS = [
    {"role": "user", "content": "Is there a pool?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "content": "yes", "tool_call_id": "k1", "name": "find"},
    {"role": "assistant", "content": "There is."},
]
PAIR = {
    "id": "c-0003", "input": "Hello?", "response": None, "category": None,
    "candidates": [{"id": "a", "response": "Hi!"}, {"id": "b", "response": "What?"}],
    "scores": [], "labels": [label("choice", "a"), label("choice", "a", "bo")],
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    good = record(
        1,
        scores=SCORES,
        input=FORMULA,
        labels=[label("accuracy", 4, comment="fine"), label("accuracy", 4, "bo")],
    )
    talk = record(2, scores=SCORES, messages=TURNS, labels=[label("accuracy", 1)])
    del talk["input"], talk["response"]
    pair = {k: v for k, v in record(3, **PAIR).items() if v is not None}
    bare = record(4, scores=SCORES)
    return build_project(
        tmp_path / "p.review", evaluations=[good, talk, pair, bare], rubric=MIXED
    )  # fmt: skip


def export(project: Path, to: Path, **options: Any) -> Exported:
    with Project.open(project) as opened:
        return exporting.export(opened, to, ExportRequest(**options), Silent())


def lines(project: Path, to: Path, **options: Any) -> list[Any]:
    export(project, to, **options)
    return [json.loads(line) for line in to.read_bytes().splitlines()]


def hold_out(project: Path, *keys: int) -> None:
    with Project.open(project) as opened:
        assert splits.add(opened, [(key, "held_out") for key in keys], beside=0)


def test_every_format_that_is_written_has_a_name_of_its_own() -> None:
    assert max(Counter(x.name for x in registry.WRITERS).values()) == 1
    assert max(Counter(y for x in registry.WRITERS for y in x.suffixes).values()) == 1


@pytest.mark.parametrize("what", ["evaluations", "labels", "disagreements", "consensus"])
def test_a_workbook_holds_texts_as_texts(project: Path, tmp_path: Path, what: Any) -> None:
    made = export(project, tmp_path / "a.xlsx", what=what, fields=("input",))
    book = CalamineWorkbook.from_path(tmp_path / "a.xlsx")
    rows = book.get_sheet_by_name(what).to_python()
    assert len(rows) - 1 == made.rows > 0
    if what == "evaluations":
        cell = dict(zip(rows[0], rows[1], strict=True))["input"]
        with zipfile.ZipFile(tmp_path / "a.xlsx") as archive:
            assert not any(b"<f>" in archive.read(name) for name in archive.namelist())
        assert cell == FORMULA
    told = [row[0] for row in book.get_sheet_by_name("dictionary").to_python()[1:]]
    assert what == "evaluations" or told == rows[0]


def test_a_text_that_no_cell_can_hold_is_cut_and_told(tmp_path: Path) -> None:
    long = build_project(tmp_path / "l.review", evaluations=[record(1, response="x" * 40_000)])
    made = export(long, tmp_path / "a.xlsx")
    assert made.sentences == (
        "1 texts are longer than the 32,767 characters of a cell and end there with ….",
    )


def test_parquet_has_one_type_a_column_and_loses_nothing(project: Path, tmp_path: Path) -> None:
    export(project, tmp_path / "a.parquet")
    rows = pq.read_table(tmp_path / "a.parquet").to_pylist()
    found = lines(project, tmp_path / "a.jsonl")
    assert [{k: v for k, v in row.items() if v is not None}.keys() for row in rows] == [
        {k: v for k, v in one.items() if v is not None}.keys() for one in found
    ]
    assert [json.loads(x["labels"] or "null") for x in rows] == [x.get("labels") for x in found]
    export(project, tmp_path / "b.parquet", what="disagreements")
    table = pq.read_table(tmp_path / "b.parquet")
    assert str(table.schema.field("human").type) == "double"
    assert {"human_text", "auto_text"} <= set(table.column_names)


def test_a_data_set_keeps_what_is_held_out_in_its_test(project: Path, tmp_path: Path) -> None:
    hold_out(project, 1)
    made = export(project, tmp_path / "set", format="huggingface")
    ids = {
        name: [x for file in sorted((tmp_path / "set/data").glob(f"{name}-*"))
               for x in pq.read_table(file).column("id").to_pylist()]
        for name in ("train", "validation", "test")
    }  # fmt: skip
    assert ids["test"] == ["c-0001"]
    assert sorted(ids["train"] + ids["validation"]) == ["c-0002", "c-0003", "c-0004"]
    assert made.rows == 4
    card = (tmp_path / "set/README.md").read_text(encoding="utf-8")
    told = yaml.safe_load(card.split("---\n")[1])
    assert {x["split"] for x in told["configs"][0]["data_files"]} >= {"train", "test"}
    with pytest.raises(ProjectError, match="is there already and not empty"):
        export(project, tmp_path / "set", format="huggingface")
    with pytest.raises(FormatError, match="are a folder"):
        export(project, Path("-"), format="huggingface")


def test_what_shares_a_case_with_the_held_out_is_in_no_training(tmp_path: Path) -> None:
    labels = [label("accuracy", 4)]
    path = build_project(
        tmp_path / "p.review",
        evaluations=[record(1, case="x", labels=labels), record(2, case="x", labels=labels),
                     record(3, labels=labels)],
        rubric=MIXED,
    )  # fmt: skip
    hold_out(path, 1)
    made = export(path, tmp_path / "a.jsonl", format="openai-chat")
    assert made.rows == 1
    assert "2 evaluations left out: held out for judging judges." in made.sentences


def test_chats_are_what_people_found_good_enough(project: Path, tmp_path: Path) -> None:
    found = lines(project, tmp_path / "a.jsonl", format="openai-chat")
    assert found == [{"messages": [
        {"role": "user", "content": FORMULA},
        {"role": "assistant", "content": "Answer 1: the pool bar opens at nine."},
    ]}]  # fmt: skip
    made = export(project, tmp_path / "a.jsonl", format="openai-chat")
    assert set(made.sentences) == {
        "1 evaluation left out: people's scores do not reach every pass mark.",
        "1 evaluation left out: there is no response to show.",
        "1 evaluation left out: nobody labelled them.",
    }


def test_pairs_are_what_most_people_prefer(project: Path, tmp_path: Path) -> None:
    found = lines(project, tmp_path / "a.jsonl", format="preferences")
    assert found == [
        {
            "prompt": [{"role": "user", "content": "Hello?"}],
            "chosen": [{"role": "assistant", "content": "Hi!"}],
            "rejected": [{"role": "assistant", "content": "What?"}],
        }
    ]


def test_responses_of_two_runs_to_the_same_prompt_are_a_pair_where_people_prefer_one(
    tmp_path: Path,
) -> None:
    def said(number: int, run: str, response: str, **values: int) -> Any:
        labels = [label(name, value) for name, value in values.items()]
        fields = {"run": run, "response": response, "labels": labels, "input": f"Q{number}?"}
        return record(number, **fields)

    two = [
        *(
            said(1, run, text, accuracy=x)
            for run, text, x in (("v1", "No.", 2), ("v2", "Yes.", 4))
        ),
        # as good, the same words, better in one thing only, and nobody else to compare with
        *(said(2, run, text, accuracy=3) for run, text in (("v1", "No."), ("v2", "Yes."))),
        *(said(3, run, "Yes.", accuracy=x) for run, x in (("v1", 2), ("v2", 4))),
        said(4, "v1", "No.", accuracy=5, brevity=1),
        said(4, "v2", "Yes.", accuracy=1, brevity=5),
        said(5, "v1", "No.", accuracy=1),
    ]
    levels = tuple(Level(value=x) for x in (1, 2, 3, 4, 5))
    rubric = Rubric(
        name="two", metrics=tuple(Metric(name=x, levels=levels) for x in ("accuracy", "brevity"))
    )
    path = build_project(
        tmp_path / "two.review", evaluations=two, rubric=rubric, runs=("v1", "v2")
    )
    assert lines(path, tmp_path / "a.jsonl", format="preferences") == [
        {
            "prompt": [{"role": "user", "content": "Q1?"}],
            "chosen": [{"role": "assistant", "content": "Yes."}],
            "rejected": [{"role": "assistant", "content": "No."}],
        }
    ]


def test_rubric_data_asks_as_the_judge_is_asked_and_answers_as_people_did(
    project: Path, tmp_path: Path
) -> None:
    export(project, tmp_path / "a.json", format="prometheus")
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert [(x["id"], x["orig_score"], x["output"]) for x in found] == [
        ("c-0001", "4", "Feedback: fine [RESULT] 4"),
        ("c-0002", "1", "Feedback:  [RESULT] 1"),
    ]
    assert "Score 5: Level 5" in found[0]["instruction"]
    assert "assistant: " in found[1]["orig_instruction"]


def test_an_inspect_log_has_peoples_scores_as_edits(project: Path, tmp_path: Path) -> None:
    export(project, tmp_path / "a.eval")
    with zipfile.ZipFile(tmp_path / "a.eval") as archive:
        sample = json.loads(archive.read("samples/c-0001_epoch_1.json"))
        assert json.loads(archive.read("header.json"))["results"]["total_samples"] == 4
    score = sample["scores"]["accuracy"]
    assert score["value"] == 4
    assert [x["value"] for x in score["history"]] == [2, 4, 4]
    assert [x["provenance"]["author"] for x in score["history"][1:]] == ["ann", "bo"]


def test_an_inspect_log_holds_one_run(tmp_path: Path) -> None:
    path = build_project(
        tmp_path / "p.review", evaluations=[record(1), record(2, run="b")], runs=("a", "b")
    )
    with pytest.raises(FormatError, match="holds one run, and there are 'a' and 'b'; name one"):
        export(path, tmp_path / "a.eval")
    assert not (tmp_path / "a.eval").exists()
    assert export(path, tmp_path / "a.eval", filters=Scope(runs=("b",))).rows == 1


def test_human_cases_expect_the_verdict_of_people(project: Path, tmp_path: Path) -> None:
    export(project, tmp_path / "a.yaml")
    cases = yaml.safe_load((tmp_path / "a.yaml").read_text(encoding="utf-8"))
    assert [x["assert"][0]["value"] for x in cases] == [
        "JSON.parse(output).pass", "!JSON.parse(output).pass",
    ]  # fmt: skip
    assert cases[0]["vars"]["comment"] == "fine"


@pytest.mark.parametrize(
    ("form", "people"), [("each", ["ann", "bo"]), ("mean", ["mean"]), ("consensus", ["consensus"])]
)
def test_each_form_of_labels_goes_into_each_format(
    project: Path, tmp_path: Path, form: Any, people: list[str]
) -> None:
    export(project, tmp_path / "a.json", format="label-studio", labels=form)
    task = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))[0]
    assert [x["completed_by"]["first_name"] for x in task["annotations"]] == people
    assert task["annotations"][0]["result"][0]["value"] == {"choices": ["4"]}
    assert task["predictions"][0]["result"][0]["value"] == {"choices": ["2"]}
    assert b'<Choice value="5"/>' in (tmp_path / "a.json.interface.xml").read_bytes()
    export(project, tmp_path / "b.json", format="argilla", labels=form)
    entry = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))[0]
    assert [x["value"] for x in entry["responses"]["accuracy"]] == [4] * len(people)
    assert entry["suggestions"]["accuracy"]["value"] == 2


def test_a_format_that_cannot_hold_it_says_which_can(project: Path, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"hold no labels; .* one of: native, csv, workbook, pa"):
        export(project, tmp_path / "a.eval", what="labels")
