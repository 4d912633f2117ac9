import json
import math
import zipfile
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.services.transfer import importing
from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import calls, expected, means, read, real, roles

TESTS = "UKGovernmentBEIS+inspect_ai/tests"
VIEWER = "UKGovernmentBEIS+inspect-evals-log-viewer/logs"
SCOUT = "meridianlabs-ai+inspect_scout/tests/recorder/logs"
LOGS = (
    "TransluceAI+docent/docent/docent/samples/log.eval",
    f"{VIEWER}/bash_4.eval",
    f"{TESTS}/_helpers/fixtures/legacy/retry-2-then-success.eval",
    f"{TESTS}/analysis/test_logs/2025-05-12T20-27-36-04-00_browser.json",
    f"{TESTS}/analysis/test_logs/2025-05-12T20-28-26-04-00_security-guide.json",
    f"{TESTS}/analysis/test_logs_choices/mmlu-summary-choices.eval",
    f"{TESTS}/log/test_eval_log/log_images.json",
    f"{TESTS}/log/test_eval_log/log_message_deduplication.eval",
    f"{TESTS}/log/test_eval_log/log_streaming.eval",
    f"{TESTS}/log/test_list_logs/2024-11-05T13-31-45-05-00_input-task_8zXjbRzCWrL9GXiXo2vus9.json",
    f"{SCOUT}/2025-09-23T08-09-58-04-00_theory-of-mind_bbB4eRCx2rFJLyPH42Cj9r.eval",
)
HEADER: dict[str, Any] = {
    "version": 2,
    "status": "success",
    "eval": {"task": "sums", "model": "m/one", "created": "2026-01-02T03:04:05+00:00"},
}


def sample(**changed: Any) -> dict[str, Any]:
    return {
        "id": 1,
        "epoch": 1,
        "input": "1+1?",
        "target": "2",
        "messages": [{"role": "user", "content": "1+1?"}, {"role": "assistant", "content": "2"}],
        "scores": {"exact": {"value": "C"}},
    } | changed


def document(tmp_path: Path, *samples: Any, indent: int | None = 2, **header: Any) -> Path:
    file = tmp_path / "log.json"
    file.write_text(json.dumps(HEADER | header | {"samples": samples}, indent=indent))
    return file


def logged(tmp_path: Path, *samples: dict[str, Any]) -> Path:
    file = tmp_path / "log.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("header.json", json.dumps(HEADER))
        for number, one in enumerate(samples):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(one))
    return file


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_comes_whole(name: str) -> None:
    known = expected(name)
    records, bad = read(real(name), "inspect")
    assert not bad
    assert len({record["id"] for record in records}) == len(records) == known["samples"]
    assert len({record["case"] for record in records}) == known["distinct_ids"]
    assert roles(records) == known["roles"]
    assert calls(records) == known["tool_calls"]
    assert {record["model"] for record in records} == {known["model"]}
    found = means(records)
    assert found.keys() == known["scorers"].keys()
    for metric, (n, mean) in found.items():
        told = known["scorers"][metric]
        explained = [s for r in records for s in r["scores"] if s["metric"] == metric]
        assert (n, round(mean, 6)) == (told["n"], told["mean"])
        assert sum("reasoning" in x for x in explained) == told["with_explanation"]
    assert "attachment://" not in json.dumps(records)


@pytest.mark.parametrize(
    "name",
    [
        f"{VIEWER}/Testing.eval",
        f"{TESTS}/analysis/test_logs/2025-05-12T20-28-13-04-00_no-samples.json",
    ],
)
def test_a_cancelled_log_without_samples_says_so(name: str) -> None:
    with pytest.raises(FormatError, match=r"without samples: its task \w+ is cancelled"):
        read(real(name), "inspect")


def test_a_real_judge_s_dialogue_and_tokens_are_kept() -> None:
    records, _ = read(real(LOGS[-1]), "inspect")
    [score] = records[0]["scores"]
    assert score["raw"] == score["reasoning"]
    assert score["raw"].endswith("GRADE: C")
    assert score["meta"]["verdict"] == "C"
    assert "comparing a submitted answer" in score["meta"]["metadata"]["grading_prompt"][0]
    assert records[0]["run"] == "theory_of_mind openai/gpt-4o-mini 2025-09-23 08:09:58"
    assert records[0]["tokens_in"] > 0
    assert records[0]["latency_ms"] > 0


def test_a_real_picture_is_in_its_turn() -> None:
    [record], _ = read(real(f"{TESTS}/log/test_eval_log/log_images.json"), "inspect")
    _, picture = record["messages"][1]["content"]
    assert picture["type"] == "image"
    assert picture["data"].startswith("iVBOR")


def test_epochs_are_evaluations_of_one_case(tmp_path: Path) -> None:
    file = document(tmp_path, sample(), sample(epoch=2))
    records, _ = read(file, "inspect")
    assert [(x["id"], x["case"]) for x in records] == [("1", "1"), ("1_epoch_2", "1")]


def test_letters_become_numbers_and_values_of_several_a_metric_each(tmp_path: Path) -> None:
    scores = {
        "graded": {"value": "P", "explanation": "half"},
        "side": "left",
        "many": {"value": {"done": False, "marks": [1, None]}},
        "unscored": {"value": math.nan},
    }
    [record], _ = read(document(tmp_path, sample(scores=scores)), "inspect")
    found = {score["metric"]: score["value"] for score in record["scores"]}
    assert found == {
        "graded": 0.5, "side": "left", "many.done": False, "many.marks.1": 1,
        "many.marks.2": None, "unscored": None,
    }  # fmt: skip
    assert record["scores"][0]["meta"] == {"verdict": "P"}
    assert record["scores"][-1]["error"] == "no value was given"


@pytest.mark.parametrize("packed", [False, True])
def test_letters_of_a_scorer_with_others_are_categories(tmp_path: Path, *, packed: bool) -> None:
    samples = [
        sample(id=n, scores={"choice": {"value": letter}, "exact": {"value": "C"}})
        for n, letter in enumerate("CBAE")
    ]
    file = logged(tmp_path, *samples) if packed else document(tmp_path, *samples)
    records, _ = read(file, "inspect")
    assert [[x["value"] for x in record["scores"]] for record in records] == [
        ["C", 1], ["B", 1], ["A", 1], ["E", 1]
    ]  # fmt: skip
    assert [metric.name for metric in open_file(file).declared()] == ["exact"]


BY = {"author": "ann", "reason": "it is right", "timestamp": "2026-02-01T10:00:00Z"}
SAME = dict.fromkeys(("value", "answer", "explanation", "metadata"), "UNCHANGED")


def test_what_a_person_edited_is_a_label_and_the_score_what_was_before(tmp_path: Path) -> None:
    history = [
        {"value": "I", "explanation": "wrong"},
        {**SAME, "value": "C", "provenance": BY},
        {**SAME, "explanation": "see above", "provenance": BY},
        {**SAME, "answer": "3", "provenance": {"author": "bob"}},
        {**SAME, "provenance": {"author": "eve"}},
    ]
    score = {"value": "C", "explanation": "see above", "answer": "3", "history": history}
    [record], _ = read(document(tmp_path, sample(scores={"exact": score})), "inspect")
    assert [(x["value"], x["reasoning"]) for x in record["scores"]] == [(0, "wrong")]
    assert record["labels"] == [
        {"metric": "exact", "labeler": "ann", "value": 1, "comment": "it is right",
         "at": "2026-02-01T10:00:00Z", "meta": {"verdict": "C"}},
        {"metric": "exact", "labeler": "ann", "value": None, "kind": "comment",
         "comment": "it is right\n\nsee above", "at": "2026-02-01T10:00:00Z"},
        {"metric": "exact", "labeler": "bob", "value": None, "kind": "comment",
         "comment": "Answer: 3"},
    ]  # fmt: skip


def test_what_a_person_wrote_into_an_edit_is_not_the_judge_s(tmp_path: Path) -> None:
    told = {"answer": "42", "explanation": "the unit is right", "metadata": {"who": "ann"}}
    edit = {"value": "C", **told, "reason": "UNCHANGED", "provenance": BY}
    score = {"value": "C", **told, "history": [{"value": "I", "metadata": {}}, edit]}
    [record], bad = read(document(tmp_path, sample(scores={"plain": score})), "inspect")
    assert not bad
    assert record["scores"] == [
        {"metric": "plain", "value": 0, "scorer": "plain", "meta": {"verdict": "I"}}
    ]
    assert record["labels"] == [
        {"metric": "plain", "labeler": "ann", "value": 1, "at": "2026-02-01T10:00:00Z",
         "comment": "it is right\n\nthe unit is right\n\nAnswer: 42",
         "meta": {"verdict": "C", "metadata": {"who": "ann"}}}
    ]  # fmt: skip


@pytest.mark.parametrize("first", [[], [{"value": math.nan, "metadata": {}}]])
def test_letters_from_people_alone_have_inspect_s_levels(first: list[Any], tmp_path: Path) -> None:
    history = [*first, {**SAME, "value": "C", "provenance": BY}]
    scores = {"human_check": {"value": "C", "history": history}}
    [metric] = open_file(document(tmp_path, sample(scores=scores))).declared()
    assert (metric.name, metric.pass_at) == ("human_check", 1)
    assert [level.title for level in metric.levels] == ["Incorrect", "Correct"]


def test_letters_from_people_may_be_categories_too(tmp_path: Path) -> None:
    samples = [
        sample(id=n, scores={"choice": {"history": [{"value": letter, "provenance": BY}]}})
        for n, letter in enumerate("CBA")
    ]
    records, _ = read(document(tmp_path, *samples), "inspect")
    assert [label["value"] for record in records for label in record["labels"]] == ["C", "B", "A"]


@pytest.mark.parametrize(
    ("given", "version"),
    [
        ("m/g", "m/g"),
        ({"model": "m/g", "config": {}, "base_url": None}, "m/g"),
        ([{"model": "m/g"}, "m/h"], "m/g, m/h"),
    ],
)
def test_a_grader_is_named_by_its_model(given: Any, version: str, tmp_path: Path) -> None:
    task = HEADER["eval"] | {"scorers": [{"name": "exact", "options": {"model": given}}]}
    [record], _ = read(document(tmp_path, sample(), eval=task), "inspect")
    assert record["scores"][0]["scorer_version"] == version


@pytest.mark.parametrize("indent", [None, 2])
def test_broken_samples_cost_themselves_alone(tmp_path: Path, indent: int | None) -> None:
    deep = json.loads("[" * 300 + "]" * 300)
    odd = sample(id=3, messages=[{"role": "nobody", "content": "?"}], scores=None, target=None)
    file = document(tmp_path, sample(), None, 5, sample(id=2, metadata=deep), odd, indent=indent)
    records, bad = read(file, "inspect")
    assert [record["id"] for record in records] == ["1", "2", "3"]
    assert [row.reason for row in bad] == ["an object is expected"]
    assert records[2]["input"] == "1+1?"


def test_an_old_log_and_one_of_nulls_are_read(tmp_path: Path) -> None:
    old = sample(score={"value": 1.0}, scores=None, messages=[], output={
        "choices": [{"message": {"role": "assistant", "content": "2"}}]})  # fmt: skip
    nulls = dict.fromkeys(sample()) | {"id": 7, "input": "?"}
    results = {"scorer": {"name": "match"}}
    records, bad = read(document(tmp_path, old, nulls, results=results), "inspect")
    assert [score["metric"] for score in records[0]["scores"]] == ["match"]
    assert [turn["role"] for turn in records[0]["messages"]] == ["user", "assistant"]
    assert not bad
    assert records[1]["id"] == "7"


def test_an_archive_without_header_and_with_a_damaged_sample_is_read(tmp_path: Path) -> None:
    file = tmp_path / "crashed.eval"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("_journal/start.json", json.dumps(HEADER))
        archive.writestr("samples/1_epoch_1.json", json.dumps(sample()))
        archive.writestr("samples/2_epoch_1.json", json.dumps(sample(id=2))[:-5])
    records, bad = read(file, "inspect")
    assert [(x["id"], x["run"]) for x in records] == [("1", "sums m/one 2026-01-02 03:04:05")]
    assert [row.field for row in bad] == ["samples/2_epoch_1.json"]


def test_an_invalidated_sample_is_excluded_and_a_failed_one_has_its_error(tmp_path: Path) -> None:
    file = document(
        tmp_path,
        sample(invalidation={"author": "ann", "reason": "leaked"}),
        sample(id=2, error={"message": "time-out", "traceback": "…"}, scores={}),
    )
    records, _ = read(file, "inspect")
    assert records[0]["excluded"] == {"reason": "leaked", "by": "ann"}
    assert records[1]["error"] == "time-out"


def test_large_values_beside_are_named_and_events_left_out(tmp_path: Path) -> None:
    file = document(tmp_path, sample(store={"text": "x" * 40_000}, events=[{"event": "model"}]))
    [record], _ = read(file, "inspect")
    assert record["meta"] == {"epoch": 1, "left_out": ["store"]}


def test_the_proposed_rubric_names_the_letters(tmp_path: Path) -> None:
    file = document(tmp_path, sample(), sample(id=2, scores={"exact": {"value": "P"}}))
    [metric] = open_file(file).declared()
    assert [(x.value, x.title) for x in metric.levels] == [
        (0, "Incorrect"), (0.5, "Partially correct"), (1, "Correct")
    ]  # fmt: skip
    rubric = importing.inspect([file]).rubric
    assert rubric is not None
    assert rubric.metrics == (metric,)


def test_the_proposed_rubric_is_called_after_what_was_evaluated() -> None:
    rubric = importing.inspect([real(LOGS[-1])]).rubric
    assert rubric is not None
    assert rubric.name == "theory_of_mind"
