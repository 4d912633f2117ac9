"""Values that state their own scale arrive on the rubric's, once, and it is said."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.import_report import ImportReport
from reviewer.services.transfer.rescaling import ENOUGH
from tests.services.transfer.imports import exported, load, write

STATED = {"min": 1, "max": 3}


def imported(folder: Path, rows: list[dict[str, Any]], name: str = "r.jsonl") -> ImportReport:
    file = write(folder / name, *rows)
    return load(folder / "p.review", file, rubric="virtual-agent", run="r")


def chat(number: int, value: Any, **more: Any) -> dict[str, Any]:
    scores = [{"metric": "coherence", "value": value, **more}]
    return {"id": f"c{number}", "input": "Hello", "response": "Hi", "scores": scores}


def test_three_points_become_five(tmp_path: Path) -> None:
    rows = [chat(n, value, **STATED) for n, value in enumerate((1, 2, 2.5, 3))]
    rows[0]["labels"] = [{"metric": "coherence", "labeler": "Ann", "value": 2, **STATED}]
    report = imported(tmp_path, rows)
    assert report.rejected_values == 0
    assert "r.jsonl, run r: 5 values from 1–3 were brought to 1–5, as stated beside them." in (
        report.sentences
    )
    found = exported(tmp_path / "p.review")
    assert [x["scores"][0]["value"] for x in found] == [1, 3, 4, 5]
    assert found[0]["labels"][0]["value"] == 3
    assert found[1]["scores"][0]["meta"] == {"stated": {"value": 2, **STATED}}


def test_nothing_is_moved_twice(tmp_path: Path) -> None:
    rows = [chat(1, 2, **STATED)]
    imported(tmp_path, rows)
    assert imported(tmp_path, rows).unchanged == 1
    assert imported(tmp_path, exported(tmp_path / "p.review"), "again.jsonl").unchanged == 1


@pytest.mark.parametrize(
    "stated", [{"min": 1, "max": 5}, {"min": 3, "max": 1}, {"min": "1", "max": 3}, {"max": 3}]
)
def test_what_states_no_other_scale_stays(tmp_path: Path, stated: dict[str, Any]) -> None:
    report = imported(tmp_path, [chat(1, 2, **stated)])
    assert exported(tmp_path / "p.review")[0]["scores"][0]["value"] == 2
    assert not any("brought" in x for x in report.sentences)


@pytest.mark.parametrize(
    ("values", "is_told"),
    [((1, 2, 3), True), ((1, 2, 3, 4), False), ((2, 3), False)],
    ids=["three points", "four", "two"],
)
def test_scores_that_look_like_three_points_are_told(
    tmp_path: Path, values: tuple[int, ...], is_told: bool
) -> None:
    rows = [chat(n, values[n % len(values)]) for n in range(ENOUGH)]
    report = imported(tmp_path, rows)
    assert any(f"All {ENOUGH} scores are 1, 2 or 3" in x for x in report.sentences) == is_told
    assert exported(tmp_path / "p.review")[0]["scores"][0]["value"] == values[0]
