import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from tests.formats.tools.reading import read, real

VICUNA = "prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json.gz"


def collected(**more: object) -> dict[str, Any]:
    levels = {f"orig_score{n}_description": f"level {n}" for n in range(1, 6)}
    return {"orig_instruction": "Q?", "orig_response": "A", "orig_reference_answer": "R",
            "orig_criteria": "Is it kind?", "orig_feedback": "Kind.", "orig_score": "4",
            "instruction": "###…", "output": "Kind. [RESULT] 4", **levels, **more}  # fmt: skip


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.write_text(json.dumps(rows))
    return file


def test_real_prompts_are_cut_into_their_parts() -> None:
    records, bad = read(real(VICUNA), "prometheus")
    assert not bad
    assert len({record["id"] for record in records}) == 320
    first = records[0]
    assert first["input"] == "How can I improve my time management skills?"
    assert first["response"].startswith("Improving your time management skills")
    assert first["expected"].startswith("To improve your time management skills, start")
    assert first["context"].startswith("[Does the response provide detailed")
    assert first["context"].endswith("grounded on real-world scenarios.")
    assert (first["category"], first["model"], first["case"]) == ("generic", "vicuna", "1")
    assert not any("###" in str(x["response"]) for x in records)


@pytest.mark.parametrize(("number", "mean"), [(1, 4.1406), (2, 4.1688), (3, 4.1281)])
def test_each_real_reply_is_a_version_of_the_judge(number: int, mean: float) -> None:
    records, _ = read(real(VICUNA), "prometheus")
    scores = [x for r in records for x in r["scores"] if x["scorer_version"] == f"reply {number}"]
    assert fmean(x["value"] for x in scores) == pytest.approx(mean, abs=5e-5)
    assert {x["scorer"] for x in scores} == {"gpt-4"}
    assert all(x["reasoning"] for x in scores)


def test_a_collection_has_its_rubric_as_context(tmp_path: Path) -> None:
    pair = collected(orig_response_A="a", orig_response_B="b", orig_preference="B")
    del pair["orig_response"]
    rows = (collected(), collected(orig_score=None, output="Hm. [RESULT] 2", extra=1),
            collected(orig_score="high"), pair)  # fmt: skip
    (first, second, third, compared), bad = read(written(tmp_path / "f.json", *rows), "prometheus")
    assert not bad
    assert (first["input"], first["response"], first["expected"]) == ("Q?", "A", "R")
    assert first["context"].splitlines()[:2] == ["Is it kind?", "Score 1: level 1"]
    assert first["scores"] == [
        {"metric": "score", "value": 4, "scorer": "gpt-4", "reasoning": "Kind."}
    ]
    assert second["scores"][0]["value"] == 2
    assert second["meta"] == {"extra": 1}
    assert third["scores"][0]["error"] == "The judge's reply holds no score."
    assert (compared["scores"][0]["metric"], compared["scores"][0]["value"]) == ("preference", "B")


def test_a_row_of_another_kind_is_told(tmp_path: Path) -> None:
    file = written(tmp_path / "f.json", *[collected()] * 60, {"instruction": "Hi"})
    records, bad = read(file, "prometheus")
    assert len(records) == 60
    assert bad[0].reason == "a judge's prompt with its scores, or parts under orig_…, is expected"
