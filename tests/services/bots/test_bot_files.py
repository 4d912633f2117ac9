"""Bots written down in JSON files."""

from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.bots import bots


def test_a_bot_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "web.json"
    file.write_text('{"kind": "http", "url": "u", "body": {"q": 1}, "path": "a", "note": "mine"}')
    bot = bots.read("web", file)
    assert (bot.name, bot.kind, bot.note) == ("web", "http", "mine")
    assert bot.settings == {"url": "u", "body": {"q": 1}, "path": "a"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{\n nonsense", "line 2: this is no JSON"),
        ("[" * 100_000, "this is no JSON"),
        ("[]", "names no kind of bot"),
        ('{"kind": "magic"}', "names no kind of bot; kind is one of strict_match"),
        ('{"kind": ["http"]}', "names no kind of bot"),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "web.json"
    file.write_text(text)
    with pytest.raises(ReviewerError, match=words):
        bots.read("web", file)
    with pytest.raises(ReviewerError, match="cannot be read"):
        bots.read("web", tmp_path / "nowhere.json")
