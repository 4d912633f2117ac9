import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.formats.sniffing import sniff
from tests.formats.tools.reading import DATA, read, real

AIRLINE = "sierra-research+tau-bench/historical_trajectories/gpt-4o-airline.json.gz"
MARSHMALLOW = (
    "SWE-agent+SWE-agent/trajectories/demonstrations/"
    "replay__marshmallow-code__marshmallow-1867__function_calling_replace__install-1/"
    "marshmallow-code__marshmallow-1867.traj"
)
ATIF = (
    "Arize-ai+phoenix/packages/phoenix-client/tests/client/helpers/atif/fixtures/"
    "multi_tool_trajectory.json"
)
TALK = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]


def put(folder: Path, value: object, name: str = "a.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value))
    return path


def test_real_trials_of_tau_bench_come_whole() -> None:
    records, bad = read(real(AIRLINE), "tau-bench")
    expected = json.loads((DATA / "expectations.json").read_text())[AIRLINE]
    assert not bad
    assert len({record["id"] for record in records}) == len(records) == expected["records"]
    assert len({record["case"] for record in records}) == expected["tasks"]
    turns = [turn for record in records for turn in record["messages"]]
    assert len(turns) == expected["messages"]
    assert Counter(turn["role"] for turn in turns) == expected["roles"]
    assert sum(len(turn.get("tool_calls", ())) for turn in turns) == expected["tool_calls"]
    assert sum(turn["content"] is None for turn in turns) == expected["null_content"]
    values = [record["scores"][0]["value"] for record in records]
    assert sum(values) / len(values) == expected["mean_reward"]
    assert {type(value) for value in values} == {bool}
    cost = sum(record.get("cost_usd", 0) for record in records)
    assert cost == pytest.approx(expected["user_cost"], abs=1e-6)
    assert records[0]["expected_tools"] == ["book_reservation"]


def test_trials_without_information_and_broken_ones(tmp_path: Path) -> None:
    plain = {"task_id": 3, "trial": 1, "reward": 0.5, "traj": TALK, "info": None}
    rows = [plain, {**plain, "trial": 2, "traj": [{"role": "judge", "content": ""}]},
            {**plain, "trial": 3, "info": {"task": [1]}}]  # fmt: skip
    records, bad = read(put(tmp_path, rows), "tau-bench")
    assert [(x["id"], x["case"], x["scores"][0]["value"]) for x in records] == [("3-1", "3", 0.5)]
    assert [row.reason for row in bad] == [
        "traj: message 1: the role 'judge' is none of system, user, assistant, tool",
        "one of its parts is of another kind than this format has",
    ]


def test_a_real_trajectory_of_swe_agent_comes_whole() -> None:
    records, bad = read(real(MARSHMALLOW), "swe-agent")
    assert not bad
    (record,) = records
    assert record["id"] == "marshmallow-code__marshmallow-1867"
    assert Counter(turn["role"] for turn in record["messages"]) == {
        "system": 1, "user": 1, "assistant": 11, "tool": 11,
    }  # fmt: skip
    assert sum(len(turn.get("tool_calls", ())) for turn in record["messages"]) == 11
    assert all(turn["tool_call_id"] for turn in record["messages"] if turn["role"] == "tool")
    assert "diff --git" in record["response"]
    assert record["model"] == "gpt-4o"
    assert record["scores"] == [
        {"metric": "exit_status", "value": "submitted", "scorer": "swe-agent"}
    ]
    assert record["latency_ms"] == pytest.approx(3999.127)


def test_steps_stand_in_for_a_history_and_a_bad_end_is_the_error(tmp_path: Path) -> None:
    steps = [{"response": "I look.", "observation": "Nothing.", "execution_time": 0.5}]
    info = {"exit_status": "exit_cost", "model_stats": {"instance_cost": 3.0, "tokens_sent": 9}}
    settings = json.dumps({"agent": {"model": {"name": "m"}}})
    file = put(tmp_path, {"trajectory": steps, "info": info, "replay_config": settings}, "x.traj")
    (record,), bad = read(file, "swe-agent")
    assert not bad
    assert (record["id"], record["model"], record["error"]) == (
        "x",
        "m",
        "it ended with exit_cost",
    )
    assert [turn["content"] for turn in record["messages"]] == ["I look.", "Nothing."]
    assert (record["cost_usd"], record["tokens_in"], record["latency_ms"]) == (3.0, 9, 500)


def test_a_real_trajectory_in_atif_comes_whole() -> None:
    records, bad = read(real(ATIF), "atif")
    assert not bad
    (record,) = records
    assert [turn["role"][0] for turn in record["messages"]] == list("uatttsata")
    assert [call["name"] for call in record["messages"][1]["tool_calls"]] == [
        "financial_search", "financial_search", "news_search",
    ]  # fmt: skip
    assert record["messages"][1]["content"][0]["type"] == "reasoning"
    assert (record["tokens_in"], record["tokens_out"], record["cost_usd"]) == (9150, 635, 0.0074)
    assert (record["latency_ms"], record["model"]) == (14_000, "gpt-4-turbo")
    assert record["meta"]["steps"]["2"]["metrics"]["cached_tokens"] == 512


def test_totals_are_summed_where_none_are_told_and_unknown_sources_refused(tmp_path: Path) -> None:
    step: dict[str, Any] = {"source": "user", "message": "Hi?"}
    told = {"source": "agent", "message": "Hello.", "metrics": {"cost_usd": 0.5}}
    good = {"schema_version": "ATIF-v1.0", "session_id": "s", "steps": [step, told, told]}
    wrong = {**good, "session_id": "w", "steps": [{"source": "robot", "message": "?"}]}
    records, bad = read(put(tmp_path, [good, wrong]), "atif")
    assert [record["cost_usd"] for record in records] == [1.0]
    assert [row.reason for row in bad] == [
        "step 1: the source 'robot' is none of agent, user, system"
    ]


CHAT = {"messages": [{"role": "developer", "content": "Be kind."}, *TALK]}


def test_chats_for_fine_tuning_keep_tools_calls_and_weights(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}}
    messages = [
        {"role": "user", "content": "Where?"},
        {"role": "assistant", "tool_calls": [call], "weight": 0},
        {"role": "tool", "tool_call_id": "c1", "content": "There."},
        {
            "role": "assistant",
            "content": None,
            "function_call": {"name": "old", "arguments": "{}"},
        },
        {"role": "function", "name": "old", "content": "ok"},
        {"role": "assistant", "content": "There.", "weight": 1},
    ]
    path = tmp_path / "train.jsonl"
    tools = [{"type": "function", "function": {"name": "find"}}]
    rows = [CHAT, {"messages": messages, "tools": tools, "parallel_tool_calls": False}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-16")
    records, bad = read(path, "openai-chat")
    assert not bad
    assert [record["id"] for record in records] == ["1", "2"]
    assert [turn["role"] for turn in records[0]["messages"]] == ["system", "user", "assistant"]
    second = records[1]["messages"]
    assert second[1]["tool_calls"] == [{"id": "c1", "name": "find", "arguments": {"q": 1}}]
    assert second[3]["tool_calls"] == [{"name": "old", "arguments": {}}]
    assert (second[4]["role"], second[4]["name"]) == ("tool", "old")
    assert records[1]["meta"] == {"tools": tools, "weights": {"1": 0, "5": 1}}


def test_a_broken_chat_is_told_and_the_others_kept(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    rows = [json.dumps(CHAT)] * 60 + [
        '{"messages": []}',
        '{"messages": [{"role": "x"}]}',
        '{"mess',
    ]
    path.write_text("\r\n".join(rows))
    records, bad = read(path, "openai-chat")
    assert len(records) == 60
    assert [row.line for row in bad] == [61, 62, 63]
    assert "the role 'x' is none of" in bad[1].reason


@pytest.mark.parametrize(
    "row",
    [
        {"messages": TALK, "score": 4},
        {"trajectory": "text", "info": {}},
        {"task_id": 1, "reward": 1},
        {"schema_version": "2.0", "steps": []},
    ],
)
def test_files_of_others_are_not_taken(tmp_path: Path, row: dict[str, Any]) -> None:
    assert sniff(put(tmp_path, [row, row])).format == "json"


@pytest.mark.parametrize("rows", [[1, 2], [{"schema_version": "ATIF-v1.4", "steps": 3}] * 2])
def test_what_only_looks_like_atif_is_told_so(tmp_path: Path, rows: list[Any]) -> None:
    assert sniff(put(tmp_path, rows)).format == "json"
