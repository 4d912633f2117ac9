import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.formats.sniffing import sniff
from tests.formats.tools.reading import read, real

ALPACA = "tatsu-lab+alpaca_eval/results/alpaca-7b/alpaca_eval_cot_gpt4_turbo_fn/annotations.json"
LLMBAR = "princeton-nlp+LLMBar/Dataset/LLMBar/Natural"


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text(json.dumps(rows))
    return file


def choices(record: dict[str, Any]) -> list[tuple[str, str, object]]:
    return [(x["scorer"], x.get("scorer_version", ""), x["value"]) for x in record["scores"]]


def test_a_real_alpaca_eval_has_its_preferences_costs_and_reasons() -> None:
    records, bad = read(real(ALPACA), "alpaca-eval")
    assert not bad
    assert len(records) == 200
    assert {record["run"] for record in records} == {"alpaca-7b against gpt4_1106_preview"}
    first = records[0]
    assert [x["model"] for x in first["candidates"]] == ["gpt4_1106_preview", "alpaca-7b"]
    (score,) = first["scores"]
    assert (score["value"], score["scorer"]) == ("1", "alpaca_eval_cot_gpt4_turbo_fn")
    assert score["cost_usd"] > 0
    assert score["latency_ms"] > 1000
    # one reply of the 200 is missing in the file
    assert sum("reasoning" in x["scores"][0] for x in records) == 199
    told = Counter(x["scores"][0]["value"] for x in records)
    expected = Counter(
        {1.0: "1", 2.0: "2", 1.5: "tie"}[row["preference"]]
        for row in json.loads(real(ALPACA).read_text())
    )
    assert told == expected


def test_weighed_preferences_keep_their_number_and_none_is_an_error(tmp_path: Path) -> None:
    row = {"instruction": "Say hi", "output_1": "Hi", "output_2": "Ho", "preference": 1.97}
    file = written(tmp_path / "a.json", row, row | {"preference": None})
    (weighed, none), bad = read(file, "alpaca-eval")
    assert not bad
    assert weighed["scores"] == [
        {"metric": "preference", "value": "2", "scorer": "judge", "meta": {"preference": 1.97}}
    ]
    assert none["scores"][0]["error"] == "The judge's reply holds no choice."
    assert "run" not in none


@pytest.mark.parametrize(("judge", "right", "both"), [("GPT-4", 0.945, 90), ("ChatGPT", 0.74, 56)])
def test_real_llmbar_judges_are_as_right_as_published(judge: str, right: float, both: int) -> None:
    records, bad = read(real(f"{LLMBAR}/evaluators/{judge}/CoT/result.json"), "llmbar")
    assert not bad
    hits = [
        [score["value"] == record["labels"][0]["value"] for score in record["scores"]]
        for record in records
    ]
    assert sum(map(sum, hits)) / 200 == pytest.approx(right)
    assert sum(map(all, hits)) == both
    assert {version for record in records for _, version, _ in choices(record)} == {"", "swapped"}
    silent = [x for record in records for x in record["scores"] if x["value"] is None]
    assert all(x["error"] and x["reasoning"] for x in silent)


def test_a_real_llmbar_set_without_judges_has_gold_alone() -> None:
    records, _ = read(real(f"{LLMBAR}/dataset.json"), "llmbar")
    assert {x["labels"][0]["labeler"] for x in records} == {"gold"}
    assert not any("scores" in record for record in records)


def test_pandalm_has_three_annotators_and_odd_values(tmp_path: Path) -> None:
    file = tmp_path / "testset.json"
    row = {"idx": 4, "cmp_key": "llama-7b_opt-7b", "motivation_app": "Mail",
           "instruction": "Say hi", "input": "NaN", "response1": True, "response2": "Ho",
           "annotator1": 1, "annotator2": 2, "annotator3": 0,
           "gpt_result": "garbage", "gpt_reason": "Unclear.", "pandalm_result": "Tie"}  # fmt: skip
    file.write_text(json.dumps([row]).replace('"NaN"', "NaN"))
    (record,), bad = read(file, "pandalm")
    assert not bad
    assert record["input"] == "Say hi"
    assert [(x["response"], x["model"]) for x in record["candidates"]] == [
        ("true", "llama-7b"), ("Ho", "opt-7b"),
    ]  # fmt: skip
    assert [(x["labeler"], x["value"]) for x in record["labels"]] == [
        ("annotator 1", "1"), ("annotator 2", "2"), ("annotator 3", "tie"),
    ]  # fmt: skip
    gpt, pandalm = record["scores"]
    assert (gpt["value"], gpt["raw"], gpt["reasoning"]) == (None, "garbage", "Unclear.")
    assert (pandalm["scorer"], pandalm["value"]) == ("pandalm", "tie")
    assert record["meta"] == {"motivation_app": "Mail"}


def test_the_second_order_of_judgebench_is_turned_round(tmp_path: Path) -> None:
    told = {"judge_model": "haiku", "prompt": "…", "response": "B is better."}
    row = {"pair_id": "p", "original_id": 3, "source": "mmlu", "question": "Q?",
           "response_model": "m", "response_A": "a", "response_B": "b", "label": "A>B",
           "judgments": [{"judgment": told, "decision": "B>A"},
                         {"judgment": told, "decision": "B>A"}]}  # fmt: skip
    file = written(
        tmp_path / "pairs.json", row, row | {"judgments": [None, {"decision": "A=B"}]},
        row | {"judgments": None},
    )  # fmt: skip
    (first, second, bare), bad = read(file, "judgebench")
    assert not bad
    assert choices(first) == [("haiku", "", "B"), ("haiku", "swapped", "A")]
    assert choices(second) == [("judge", "", None), ("judge", "swapped", "tie")]
    assert "scores" not in bare
    assert first["labels"] == [{"metric": "preference", "labeler": "gold", "value": "A"}]


def test_a_row_of_another_kind_is_told(tmp_path: Path) -> None:
    row = {"input": "Q", "output_1": "a", "output_2": "b", "label": 1}
    records, bad = read(written(tmp_path / "x.json", *[row] * 60, {"input": 3}), "llmbar")
    assert len(records) == 60
    assert bad[0].reason == "an object with input, output_1, output_2, label is expected"


@pytest.mark.parametrize(
    ("row", "known"),
    [
        ({"input": "Q", "output_1": "a", "output_2": "b", "label": "good"}, "llmbar"),
        ({"idx": 1, "level": 2, "input": "Q", "score": 3}, "fed-scores"),
        ({"data": {"text": "a"}, "annotations": [{"note": 3}]}, "label-studio"),
        ({"text": "a", "label": [1, 2]}, "doccano"),
    ],
)
def test_tables_of_ones_own_are_left_to_a_mapping(
    tmp_path: Path, row: dict[str, Any], known: str
) -> None:
    assert sniff(written(tmp_path / "own.json", row, row)).format == "json", known
