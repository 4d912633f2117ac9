from pathlib import Path

from tests.formats.tools.reading import read, real


def test_real_conversations_come_whole() -> None:
    records, bad = read(real("lm-sys+FastChat/data/dummy_conversation.json"), "sharegpt")
    assert not bad
    assert len({record["id"] for record in records}) == len(records) > 100
    first = records[0]["messages"]
    assert [turn["role"] for turn in first] == ["user", "assistant", "user", "assistant"]
    assert first[0]["content"] == "Who are you?"


def test_a_broken_one_is_told_and_the_others_kept(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    good = '{"conversations": [{"from": "human", "value": "Hi"}], "source": "mail"}\n'
    file.write_text(good * 60 + '{"conversations": [{"from": "nobody", "value": "Hi"}]}\n{"a": 1}')
    records, bad = read(file, "sharegpt")
    assert [record["id"] for record in records] == [f"{n}" for n in range(1, 61)]
    assert records[0]["meta"] == {"source": "mail"}
    assert [(row.line, row.reason) for row in bad] == [
        (61, "message 1: the role 'nobody' is none of system, user, assistant, tool"),
        (62, "an object with conversations is expected"),
    ]


def test_ids_may_count_from_zero(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    said = '"conversations": [{"from": "human", "value": "Hi"}]'
    file.write_text("".join(f'{{"id": {n}, {said}}}\n' for n in range(3)))
    records, bad = read(file, "sharegpt")
    assert not bad
    assert [record["id"] for record in records] == ["0", "1", "2"]
