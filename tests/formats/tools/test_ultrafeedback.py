import json
from pathlib import Path
from typing import Any

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import read


def rated(rating: str, **more: object) -> dict[str, Any]:
    return {"Rating": rating, "Rationale": "It says so.", **more}


ANSWER: dict[str, Any] = {
    "annotations": {
        "helpfulness": rated("4", Type=["1"], **{"Rationale For Rating": "It helps."}),
        "honesty": rated("N/A"),
    },
    "critique": "Could be longer.",
    "custom_system_prompt": "Be honest.",
    "fine-grained_score": 4.0,
    "model": "alpaca-7b",
    "overall_score": 6.5,
    "principle": "honesty",
    "response": "Yes.",
}
ROW: dict[str, Any] = {
    "source": "flan", "instruction": "Is it heated?", "models": ["alpaca-7b", "b"],
    "completions": [ANSWER, ANSWER | {"model": "b"}], "correct_answers": ["None"],
    "incorrect_answers": ["No."],
}  # fmt: skip


def written(folder: Path, *rows: object) -> Path:
    path = folder / "ultrafeedback.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_each_answer_is_an_evaluation_with_the_ratings_of_its_aspects(tmp_path: Path) -> None:
    file = written(tmp_path, ROW, ROW | {"completions": []})
    (one, two), bad = read(file, "ultrafeedback")
    assert not bad
    assert (one["id"], one["case"], one["run"], two["run"]) == (
        "1|alpaca-7b",
        "1",
        "alpaca-7b",
        "b",
    )
    assert [x["content"] for x in one["messages"]] == ["Be honest.", "Is it heated?", "Yes."]
    helpful, honest, overall = one["scores"]
    assert (helpful["value"], helpful["reasoning"]) == (4, "It helps.")
    assert helpful["meta"] == {"type": ["1"], "rationale": "It says so."}
    assert (honest["value"], honest["error"]) == (None, "N/A")
    assert (overall["value"], overall["reasoning"]) == (6.5, "Could be longer.")
    assert one["meta"] == {"incorrect_answers": ["No."], "fine-grained_score": 4.0,
                           "principle": "honesty"}  # fmt: skip
    assert {x.name: x.bounds for x in open_file(file).declared()}["overall"] == (1, 10)


def test_a_row_of_another_kind_is_told(tmp_path: Path) -> None:
    records, bad = read(written(tmp_path, *[ROW] * 60, {"instruction": "x"}), "ultrafeedback")
    assert len(records) == 120
    assert "an instruction with completions" in bad[0].reason
