import json
from pathlib import Path

from reviewer.formats.sniffing import sniff

TALK = [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": "Hello."}]


def test_a_role_that_is_no_text_is_no_chat(tmp_path: Path) -> None:
    file = tmp_path / "chats.jsonl"
    for role, name in (("user", "openai-chat"), (["user"], "json")):
        rows = [{"messages": [{"role": role, "content": "Hi?"}, *TALK]}] * 2
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert sniff(file).format == name
