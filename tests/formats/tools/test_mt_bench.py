import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import read

ONE_TURN = (
    "[Instruction]\nRate it.\n\n[Question]\nQ1?\n\n[The Start of Reference Answer]\nR1\n"
    "[The End of Reference Answer]\n\n[The Start of Assistant's Answer]\nA1\n"
    "[The End of Assistant's Answer]"
)
TALK = (
    "<|The Start of Assistant {0}'s Conversation with User|>\n\n### User:\nQ1?\n\n"
    "### Assistant {0}:\nA1\n\n### User:\nQ2?\n\n### Assistant {0}:\nA2 {0}\n\n"
    "<|The End of Assistant {0}'s Conversation with User|>"
)


def single(**more: object) -> dict[str, Any]:
    return {"question_id": 81, "model": "vicuna", "judge": ["gpt-4", "single-v1"],
            "user_prompt": ONE_TURN, "judgment": "Good. Rating: [[8]]", "score": 8, "turn": 1,
            "tstamp": 1700367448.5, **more}  # fmt: skip


def pair(**more: object) -> dict[str, Any]:
    shown = TALK.format("A") + "\n\n" + TALK.format("B")
    return {"question_id": 81, "model_1": "a", "model_2": "b", "g1_winner": "model_1",
            "g2_winner": "error", "judge": ["gpt-4", "pair-v2-multi-turn"],
            "g1_user_prompt": shown, "g1_judgment": "[[A]]", "g2_user_prompt": "",
            "g2_judgment": "?", "turn": 2, "tstamp": 1.0, **more}  # fmt: skip


def written(file: Path, *rows: dict[str, Any]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_a_turn_that_was_judged_is_an_evaluation(tmp_path: Path) -> None:
    second = single(turn=2, user_prompt=TALK.format("A"), score=-1,
                    judge=["gpt-4", "single-v1-multi-turn"])  # fmt: skip
    file = written(tmp_path / "gpt-4_single.jsonl", single(), second)
    (one, two), bad = read(file, "mt-bench")
    assert not bad
    assert (one["run"], one["model"], one["cluster"]) == ("vicuna", "vicuna", "81|vicuna")
    assert one["id"] != two["id"]
    assert [x["content"] for x in one["messages"]] == ["Q1?", "A1"]
    assert one["expected"] == "R1"
    assert [x["content"] for x in two["messages"]] == ["Q1?", "A1", "Q2?", "A2 A"]
    (score,) = one["scores"]
    assert (score["value"], score["scorer"], score["scorer_version"]) == (8, "gpt-4", "single-v1")
    assert one["evaluated_at"].startswith("2023-11-19")
    assert two["scores"][0]["error"] == "The judge's reply holds no rating."
    (rating,) = open_file(file).declared()
    assert rating.bounds == (1, 10)


def test_two_answers_are_compared_in_both_orders(tmp_path: Path) -> None:
    file = written(tmp_path / "gpt-4_pair.jsonl", pair(), pair(turn=1))
    (record, _), bad = read(file, "mt-bench")
    assert not bad
    assert record["input"] == "Q2?"
    assert [x["messages"][-1]["content"] for x in record["candidates"]] == ["A2 A", "A2 B"]
    first, swapped = record["scores"]
    assert (first["value"], first["scorer_version"]) == ("1", "pair-v2-multi-turn")
    assert (swapped["value"], swapped["scorer_version"]) == (None, "pair-v2-multi-turn, swapped")


@pytest.mark.parametrize("judge", ["expert_12", ["gpt-4", "pair-v2"]])
def test_votes_are_labels_of_people_and_scores_of_models(tmp_path: Path, judge: object) -> None:
    talk = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A"}]
    row = {"question_id": 81, "model_a": "a", "model_b": "b", "winner": "tie", "judge": judge,
           "conversation_a": talk, "conversation_b": talk, "turn": 1}  # fmt: skip
    file = written(tmp_path / "votes.jsonl", row, row | {"question_id": 82})
    (record, _), bad = read(file, "mt-bench")
    assert not bad
    assert record["candidates"][0]["messages"] == talk
    if isinstance(judge, str):
        assert record["labels"] == [{"metric": "preference", "labeler": judge, "value": "tie"}]
    else:
        assert [(x["scorer"], x["value"]) for x in record["scores"]] == [("gpt-4", "tie")]


def test_questions_and_answers_beside_are_used(tmp_path: Path) -> None:
    folder = tmp_path / "mt_bench"
    question = {"question_id": 81, "category": "math", "turns": ["Q1?", "Q2?"], "reference": ["7"]}
    written(folder / "question.jsonl", question)
    reply = {"question_id": 81, "choices": [{"index": 0, "turns": ["A1", "A2"]}]}
    written(folder / "model_answer/vicuna.jsonl", reply)
    file = written(
        folder / "model_judgment/gpt-4_single.jsonl", single(user_prompt=None),
        single(user_prompt="", model="../../x", turn=2),
    )  # fmt: skip
    (known, unknown), bad = read(file, "mt-bench")
    assert not bad
    assert [x["content"] for x in known["messages"]] == ["Q1?", "A1"]
    assert (known["category"], known["expected"]) == ("math", "7")
    assert unknown["input"] == "Question 81"


def test_a_line_of_another_kind_is_told(tmp_path: Path) -> None:
    file = written(tmp_path / "x.jsonl", *[single()] * 60, {"question_id": 1})
    records, bad = read(file, "mt-bench")
    assert len(records) == 60
    assert bad[0].reason.startswith("a judgment, or a vote by whom the name tells")


def test_votes_of_the_arena_are_peoples_and_keep_what_is_beside(tmp_path: Path) -> None:
    talk = [{"role": "user", "content": "Q?"}, {"role": "assistant", "content": "A"}]
    row = {"question_id": "5821", "model_a": "a", "model_b": "b", "winner": "tie (bothbad)",
           "judge": "arena_user_973", "conversation_a": talk, "conversation_b": talk, "turn": 1,
           "language": "English", "tstamp": 1682351591.1}  # fmt: skip
    (record, _), bad = read(written(tmp_path / "votes.jsonl", row, row), "mt-bench")
    assert not bad
    assert record["labels"] == [
        {"metric": "preference", "labeler": "arena_user_973", "value": "tie"}
    ]
    assert record["meta"] == {"language": "English", "winner": "tie (bothbad)"}


def test_whoever_a_name_does_not_tell_is_not_taken_for_a_model(tmp_path: Path) -> None:
    row = {"question_id": 1, "model_a": "a", "model_b": "b", "winner": "model_a", "judge": "Ann"}
    file = written(tmp_path / "votes.jsonl", row, row)
    assert open_file(file).sniffed.format == "json"
    known = row | {"judge": "expert_1"}
    records, bad = read(written(tmp_path / "more.jsonl", *[known] * 60, row), "mt-bench")
    assert len(records) == 60
    assert "tells as a person or a model" in bad[0].reason
