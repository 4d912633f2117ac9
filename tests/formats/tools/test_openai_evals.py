import json
from pathlib import Path
from typing import Any

from reviewer.services.transfer import importing
from tests.formats.tools.reading import expected, means, read, real

LOG = "generated/openai-evals-3.0.1/cola_open.jsonl"
SPEC = {
    "spec": {
        "eval_name": "sums.dev",
        "completion_fns": ["gpt"],
        "created_at": "2026-01-02 03:04:05",
    }
}


def event(kind: str, sample: str | None = "s.1", **data: Any) -> dict[str, Any]:
    at = "2026-01-02 03:04:06+00:00"
    return {"event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_at": at}


def log(tmp_path: Path, *events: Any) -> Path:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(json.dumps(x) + "\n" for x in (SPEC, *events)))
    return file


def test_a_real_log_comes_whole() -> None:
    known = expected(LOG)
    records, bad = read(real(LOG), "openai-evals")
    assert not bad
    assert len({record["id"] for record in records}) == len(records) == known["samples"]
    assert means(records) == {"match": (20, known["final_report"]["accuracy"])}
    assert records[0]["run"] == "cola-open.dev.v0 dummy 2026-11-20 21:19:20"
    assert (records[0]["response"], records[0]["expected"]) == (
        "This is a dummy response.", "acceptable"
    )  # fmt: skip


def test_a_judge_s_reply_is_no_answer(tmp_path: Path) -> None:
    asked = [{"role": "user", "content": "2+2?"}]
    file = log(
        tmp_path,
        event("sampling", prompt=asked, sampled=["4"], usage={"prompt_tokens": 5}),
        event("sampling", prompt="Is 4 right?", sampled="Yes.", model="judge"),
        event("metrics", choice="Yes", score=1.0),
        event("embedding", size=3),
    )
    [record], _ = read(file, "openai-evals")
    assert record["messages"] == asked
    assert record["response"] == "4"
    assert record["tokens_in"] == 5
    assert [(x["metric"], x["value"], x["raw"]) for x in record["scores"]] == [
        ("choice", "Yes", "Yes."), ("score", 1.0, "Yes.")
    ]  # fmt: skip
    assert record["meta"]["events"] == [{"type": "embedding", "data": {"size": 3}}]


def test_events_of_samples_may_mingle_and_broken_lines_cost_themselves(tmp_path: Path) -> None:
    file = log(
        tmp_path,
        event("sampling", sample="a", prompt="1?", sampled="1"),
        event("sampling", sample="b", prompt="2?", sampled=None),
        event("error", sample="b", message="time-out"),
        event("match", sample="a", correct=True),
        event("match", sample=None, correct=True),
        5,
        {"final_report": {"accuracy": 1.0}},
    )
    file.write_text(file.read_text() + '{"event_id": 9, "sample')
    records, bad = read(file, "openai-evals")
    assert [(x["id"], x.get("response"), x.get("error")) for x in records] == [
        ("a", "1", None), ("b", None, "time-out")
    ]  # fmt: skip
    assert [row.line for row in bad] == [7, 9]


def test_the_proposed_rubric_is_called_after_what_was_evaluated() -> None:
    rubric = importing.inspect([real(LOG)]).rubric
    assert rubric is not None
    assert rubric.name == "cola-open.dev.v0"
