"""Real tables, imported into a project and taken out again."""

import csv
import gzip
import itertools
from dataclasses import replace
from pathlib import Path
from typing import IO

import pytest

from reviewer.domain.errors import FormatError, Silent
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.asking import UnansweredError
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.store.project import Project

MAPPINGS = Path(__file__).resolve().parents[1] / "mappings"
FED = "DSincerity+FED_Replication/fed_data.json"


def take(
    project: Path, file: Path, mapping: str | None = None, run: str | None = None
) -> ImportReport:
    if not file.exists():
        pytest.skip(f"needs {file.name} in ../shared/data")
    chosen = MAPPINGS / f"{mapping}.toml" if mapping else None
    return importing.run(project, ImportRequest((file,), mapping=chosen, run=run), Silent())


def head(table: IO[str], to: Path, rows: int) -> None:
    """Write the header and the first rows of a table."""
    with to.open("w", newline="") as target:
        csv.writer(target).writerows(itertools.islice(csv.reader(table), rows + 1))


def counts(report: ImportReport) -> tuple[int, int, int, int]:
    return report.added, report.scores, report.labels, report.rejected + report.rejected_values


def out(project: Path, to: Path) -> bytes:
    with Project.open(project) as opened:
        exporting.export(opened, to, ExportRequest(), Silent())
    return to.read_bytes()


def test_summeval_goes_in_with_judges_and_experts_once(shared_data: Path, tmp_path: Path) -> None:
    project, file = tmp_path / "a.review", shared_data / "derived/summeval_long.csv.gz"
    assert counts(take(project, file, "summeval_long", "summeval")) == (1200, 14400, 38400, 0)
    again = take(project, file, "summeval_long", "summeval")
    assert (again.unchanged, *counts(again)) == (1200, 0, 0, 0, 0)


def test_summeval_comes_out_as_csv_and_goes_in_unchanged(
    shared_data: Path, tmp_path: Path
) -> None:
    file = tmp_path / "some.csv"
    with gzip.open(shared_data / "derived/summeval_long.csv.gz", "rt", newline="") as whole:
        head(whole, file, 400)
    project, copy = tmp_path / "a.review", tmp_path / "copy.review"
    assert counts(take(project, file, "summeval_long", "summeval")) == (100, 1200, 3200, 0)
    first = out(project, tmp_path / "first.csv")
    assert counts(take(copy, tmp_path / "first.csv")) == (100, 1200, 3200, 0)
    assert out(copy, tmp_path / "second.csv") == first


TRACES = "langfuse+langfuse/worker/src/__tests__/chatml/framework-traces"
DEMONSTRATION = "replay__marshmallow-code__marshmallow-1867__function_calling_replace__install-1"


@pytest.mark.parametrize(
    ("file", "records", "scores"),
    [
        ("sierra-research+tau-bench/historical_trajectories/gpt-4o-airline.json.gz", 100, 100),
        (f"{TRACES}/microsoft-agent-2025-12-17.trace.json", 1, 3),
        (
            f"SWE-agent+SWE-agent/trajectories/demonstrations/{DEMONSTRATION}/"
            "marshmallow-code__marshmallow-1867.traj",
            1,
            1,
        ),
    ],
)
def test_trajectories_and_traces_open_by_themselves_and_come_back_unchanged(
    shared_data: Path, tmp_path: Path, file: str, records: int, scores: int
) -> None:
    project, copy = tmp_path / "a.review", tmp_path / "copy.review"
    assert counts(take(project, shared_data / file)) == (records, scores, 0, 0)
    assert take(project, shared_data / file).unchanged == records
    for name in ("first.csv", "first.jsonl"):
        first = out(project, tmp_path / name)
        copy.unlink(missing_ok=True)
        assert counts(take(copy, tmp_path / name)) == (records, scores, 0, 0)
        assert out(copy, tmp_path / f"second{Path(name).suffix}") == first


def test_summeval_brings_the_replies_beside_without_a_mapping(
    shared_data: Path, tmp_path: Path
) -> None:
    folder = shared_data / "DAMO-NLP-SG+LLM_summeval/model_output_annotations"
    report = take(tmp_path / "a.review", folder / "M10_outputs_annotations.jsonl.gz")
    assert counts(report) == (100, 3 * 400, 100 * 4 * 8, 0)
    assert not any("was read with this mapping" in sentence for sentence in report.sentences)


def test_fed_dialogs_go_in_with_five_annotators(shared_data: Path, tmp_path: Path) -> None:
    turns = take(tmp_path / "turns.review", shared_data / FED, "fed_turns", "fed")
    assert counts(turns) == (375, 0, 375 * 9 * 5, 0)
    project = tmp_path / "dialogs.review"
    dialogs = take(project, shared_data / FED, "fed_dialogs", "fed")
    assert counts(dialogs) == (125, 0, 125 * 11 * 5, 0)


def test_labels_alone_find_their_evaluations(shared_data: Path, tmp_path: Path) -> None:
    project = tmp_path / "fed.review"
    take(project, shared_data / FED, "fed_dialogs", "fed")
    table = (shared_data / "derived/fed_long.csv").read_text().splitlines(keepends=True)
    few = [line for line in table if line.startswith("dialog-1,") and ",Depth," in line]
    other = [line.replace(",a1,", ",a6,") for line in few if ",a1," in line]
    file = tmp_path / "more.csv"
    file.write_text(table[0] + "".join(few + other))
    report = take(project, file, "fed_long")
    assert (report.read, report.unchanged, report.labels) == (6, 5, 1)


def test_two_answers_are_compared(shared_data: Path, tmp_path: Path) -> None:
    file = "princeton-nlp+LLMBar/Dataset/LLMBar/Natural/evaluators/GPT-4/CoT/result.json"
    report = take(tmp_path / "a.review", shared_data / file, "llmbar")
    assert counts(report) == (100, 200, 100, 0)


def test_columns_that_need_a_person_end_in_a_question(shared_data: Path, tmp_path: Path) -> None:
    file = tmp_path / "trivia.csv"
    name = "UMass-Meta-LLM-Eval+llm_eval/results/TriviaQA_Judges_w_HumanJudgement_V1.csv.gz"
    with gzip.open(shared_data / name, "rt", newline="") as whole:
        head(whole, file, 200)
    # under another name the references make it a table that nobody knows
    file.write_text(file.read_text().replace("references", "gold_answers", 1))
    project = tmp_path / "a.review"
    with pytest.raises(UnansweredError, match="Whose values does EM hold") as raised:
        take(project, file)
    assert list(tmp_path.iterdir()) == [file]
    answered = ImportRequest((file,), answers=("EM=beside", "Contains=beside"))
    taken = importing.run(project, answered, Silent())
    assert (taken.rejected_values, taken.labels) == (0, 200)
    assert len(raised.value.questions) == 2
    proposal = tmp_path / "trivia.mapping.toml"
    asked = ImportRequest((file,), write_mapping=proposal)
    with pytest.raises(UnansweredError):
        importing.run(project, asked, Silent())
    assert 'value = "HumanJudgement"' in proposal.read_text()
    request = ImportRequest((file,), mapping=proposal, run="trivia")
    report = importing.run(project, replace(request, dry_run=True), Silent())
    assert report.read == 200


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty"),
        (b"PAR1" + bytes(40), "the Parquet file is damaged"),
        (bytes(range(256)) * 9, "is a binary file"),
        (b'[{"prompt": "a", "answer": "b', "cut off"),
        (b"one line of prose\n", "neither JSON nor a table"),
    ],
)
def test_what_is_no_table_is_refused_and_leaves_nothing(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "results.dat"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        take(tmp_path / "a.review", file)
    assert not (tmp_path / "a.review").exists()


def test_bad_rows_are_listed_and_the_others_imported(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("id,prompt,answer,judge_tone\n1,a,b,3\n2,c\n3;d;e;4\n4,f,g,5\n5,h,\x00i,2\n")
    report = take(tmp_path / "a.review", file)
    assert (report.read, report.added, report.rejected) == (5, 3, 2)
    assert [row.line for row in report.first_rejected] == [3, 4]
    assert "divided by a semicolon" in report.first_rejected[1].reason
