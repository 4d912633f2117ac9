import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from tests.formats.tools.reading import read


def state(name: str, **changed: Any) -> dict[str, Any]:
    references = [{"output": {"text": "4"}, "tags": ["correct"]},
                  {"output": {"text": "5"}, "tags": []}]  # fmt: skip
    return {
        "instance": {"id": name, "input": {"text": "2+2?"}, "references": references,
                     "split": "test"},
        "train_trial_index": 0,
        "request": {"model": "m/one", "prompt": "Q: 2+2?\nA:"},
        "result": {"completions": [{"text": " A"}], "request_time": 0.5,
                   "request_datetime": 1767323045},
        "output_mapping": {"A": "4", "B": "5"},
    } | changed  # fmt: skip


def statistics(name: str, value: float, trial: int = 0) -> dict[str, Any]:
    stats = [
        {
            "name": {"name": "exact_match", "split": "test"},
            "count": 1,
            "sum": value,
            "mean": value,
        },
        {"name": {"name": "exact_match", "perturbation": {"name": "typos"}}, "mean": 0.0},
        {"name": {"name": "num_prompt_tokens"}, "mean": 9.0},
    ]
    return {"instance_id": name, "train_trial_index": trial, "stats": stats}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    states = [state("id1"), state("id2"), state("id1", train_trial_index=1)]
    told = {"adapter_spec": {"model": "m/one"}, "request_states": states}
    (tmp_path / "scenario_state.json").write_text(json.dumps(told, indent=2))
    (tmp_path / "run_spec.json").write_text(json.dumps({"name": "sums:model=m_one"}))
    rows = [statistics("id2", 0.0), statistics("id1", 1.0), statistics("id1", 0.5, trial=1)]
    (tmp_path / "per_instance_stats.json").write_text(json.dumps(rows))
    return tmp_path


@pytest.mark.parametrize("name", ["scenario_state.json", "per_instance_stats.json"])
def test_texts_and_statistics_are_joined_from_either_file(folder: Path, name: str) -> None:
    records, bad = read(folder / name, "helm")
    assert not bad
    assert [(x["id"], x["case"]) for x in records] == [
        ("id1", "id1"), ("id2", "id2"), ("id1 trial 1", "id1")
    ]  # fmt: skip
    assert [[(s["metric"], s["value"]) for s in x["scores"]] for x in records] == [
        [("exact_match", 1.0)], [("exact_match", 0.0)], [("exact_match", 0.5)]
    ]  # fmt: skip
    first = records[0]
    assert (first["run"], first["model"], first["expected"]) == (
        "sums:model=m_one", "m/one", "4"
    )  # fmt: skip
    assert (first["response"], first["meta"]["chosen"], first["latency_ms"]) == (" A", "4", 500)
    assert first["meta"]["statistics"] == {"num_prompt_tokens": 9.0}


def test_statistics_alone_say_what_is_missing(folder: Path) -> None:
    (folder / "scenario_state.json").unlink()
    with pytest.raises(FormatError, match=r"scenario_state\.json must lie beside it"):
        read(folder / "per_instance_stats.json", "helm")


def test_texts_alone_and_nulls_are_read(tmp_path: Path) -> None:
    nulls = dict.fromkeys(state("id3")) | {"instance": {"id": "id3", "input": {"text": "?"}}}
    told = {"adapter_spec": None, "request_states": [state("id1"), nulls, None]}
    file = tmp_path / "scenario_state.json"
    file.write_text(json.dumps(told))
    records, bad = read(file, "helm")
    assert [record["id"] for record in records] == ["id1", "id3"]
    assert len(bad) == 1
