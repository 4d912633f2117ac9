"""From a system's own file to its report without a mapping, and from a report back."""

import json
from pathlib import Path

import pytest

from reviewer.paths import resources
from tests.journeys.shell import Shell

SYSTEMS = ("harness", "agent-rubric", "faq-bot", "guest-response", "virtual-agent")


@pytest.fixture
def shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(tmp_path, capsys)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_report_opens_again_with_every_score_and_its_runs(
    shell: Shell, tmp_path: Path, system: str
) -> None:
    first = tmp_path / "first.review"
    # by the shipped rubric alone: which metrics were added to it, a report does not say
    records = resources() / "examples" / f"{system}.jsonl"
    shell.document("import", first, records, "--rubric", system, "--allow-refused")
    report, again = tmp_path / "report.json", tmp_path / "again.json"
    shell.document("report", first, report, "--run", "all")
    second = tmp_path / "second.review"
    imported = shell.document("import", second, report)
    assert (imported["rejected"], imported["rejected_values"]) == (0, 0)
    assert imported["rubric"] == system
    assert imported["runs"] == [x["name"] for x in shell.document("runs", first)["runs"]]
    # the name of the run is used, for the run
    assert not [x for x in imported["sentences"] if x.endswith(" run.")]
    shell.document("report", second, again, "--run", "all")
    rows, others = (json.loads(x.read_text("utf-8"))["results"] for x in (report, again))
    assert [(x["run"], x["id"]) for x in rows] == [(x["run"], x["id"]) for x in others]
    for name in ("query", "response", "overall_score", "passed", "expected_tools", "error"):
        assert [x.get(name) for x in rows] == [x.get(name) for x in others], name
    scores = [[x["scores"] for x in held] for held in (rows, others)]
    assert scores[0] == scores[1]


def test_rows_of_the_harness_are_graded_as_the_file_says(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text(
        "question,category,expected_tools,tools_used,expected_keywords,response,error,tool_score,"
        "quality_score,error_score,final_score,grade,latency_ms\n"
        "Where?,documents,\"['query_database']\",[],\"['900', 'CO']\",No idea.,,0,0,1,0.2,F,12\n",
        encoding="utf-8",
    )
    project, report = tmp_path / "own.review", tmp_path / "own.json"
    imported = shell.document("import", project, file)
    assert (imported["scores"], imported["rubric"]) == (3, "harness")
    assert imported["sentences"][-1] == (
        "rows.csv: 2 fields kept beside, used by nothing here: final_score, grade."
    )
    shell.document("report", project, report)
    (row,) = json.loads(report.read_text("utf-8"))["system"]["rows"]
    assert (row["final_score"], row["grade"]) == (pytest.approx(0.2), "F")
    assert (row["expected_tools"], row["expected_keywords"]) == (["query_database"], ["900", "CO"])
    shell.document("evaluate", project)
    shell.document("report", project, report)
    (row,) = json.loads(report.read_text("utf-8"))["system"]["rows"]
    assert row["grade"] == "F"


def test_a_field_that_cannot_be_read_is_never_full_marks(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(
        '{"id": "a", "question": "Where?", "output": "There.", "expected_tools": "look",'
        ' "expected_keywords": [{"word": "x"}]}\n',
        encoding="utf-8",
    )
    project = tmp_path / "own.review"
    imported = shell.document("import", project, file, "--rubric", "harness")
    assert imported["rejected_values"] == 2
    done = shell.document("evaluate", project, code=1)["jobs"][0]
    assert (done["done"], done["failed"]) == (1, 2)
    assert "expected_tools came with a value of the wrong kind" in str(done["failures"])
    exported = tmp_path / "out.jsonl"
    shell.document("export", project, exported)
    record = json.loads(exported.read_text("utf-8"))
    assert record["unreadable"] == {
        "expected_tools": "look", "expected_keywords": [{"word": "x"}],
    }  # fmt: skip
    assert (record["input"], record["response"]) == ("Where?", "There.")


def test_a_flat_table_is_read_by_the_rubric_that_is_named(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "flat.csv"
    file.write_text(
        "id,query,answer,exact_match,answer_length,safety,safety_reason\n"
        "a,Open?,Until six.,1,10,5,Fine.\nb,Paid?,By card.,0,8,4,Fine.\n",
        encoding="utf-8",
    )
    imported = shell.document("import", tmp_path / "p.review", file, "--rubric", "faq-bot")
    assert (imported["scores"], imported["rejected_values"]) == (6, 0)


def test_a_project_begins_with_a_test_set(shell: Shell, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"query": "Where?", "expected_keywords": ["900"]}\n', encoding="utf-8")
    project = tmp_path / "fresh.review"
    shell.document("tests", project, "add", cases)
    (entry,) = shell.document("tests", project, "list")["test_sets"]
    assert (entry["name"], entry["rubric"]) == ("cases", "harness")
    other = tmp_path / "other.review"
    assert shell.run("evaluate", other, "--tests", cases, "--bot", "nobody") == 2
    assert not other.exists()
