"""What a bot may be made of: tables, documents and settings without secrets."""

from pathlib import Path

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import Bot
from reviewer.services.bots import bots

WEB: dict[str, JsonValue] = {"url": "http://127.0.0.1/x", "body": {"q": 1}, "path": "a"}


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_tables_come_with_any_usual_sign_between(tmp_path: Path, between: str) -> None:
    file = tmp_path / "f.csv"
    rows = (("frage", "antwort", "n"), ("Wann?", '"a, b; c"', "1"), ("Wo?", "hier", "2"))
    file.write_text("\n".join(between.join(row) for row in rows), encoding="utf-8-sig")
    assert bots.faq_headings(file) == ("frage", "antwort", "n")
    assert bots.faq_rows(file, "frage", "antwort") == [["Wann?", "a, b; c"], ["Wo?", "hier"]]
    with pytest.raises(ReviewerError, match="no column 'question'; it has: frage, antwort, n"):
        bots.faq_rows(file)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"question,answer\n", "has no row below its headings"),
        (b"", "has no column 'question'; it has: none"),
        (b"\xff\xfe\x00", "a CSV file in UTF-8 is expected"),
        (b"question,answer\n" + b"x,y\n" * 2_000_001, "has 8.0 MB; such a table takes no more"),
    ],
)
def test_a_bad_table_is_said(tmp_path: Path, content: bytes, sentence: str) -> None:
    file = tmp_path / "f.csv"
    file.write_bytes(content)
    with pytest.raises(ReviewerError, match=r"^f\.csv ") as caught:
        bots.faq_rows(file)
    assert sentence in str(caught.value)


def test_an_answer_may_be_long(tmp_path: Path) -> None:
    file = tmp_path / "f.csv"
    file.write_bytes(b'question,answer\n"' + b"x" * 200_000 + b'",b\n')
    assert bots.faq_rows(file) == [["x" * 200_000, "b"]]


def test_documents_have_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "d.md"
    file.write_text("Facts. " * 100)
    assert bots.document(file).startswith("Facts.")
    monkeypatch.setattr(bots, "LARGEST_DOCUMENT", 100)
    with pytest.raises(ReviewerError, match=r"d\.md has 0\.0 MB; no model takes more"):
        bots.document(file)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"headers": ["Authorization: x"]}, "must be an object"),
        ({"headers": {"Authorization": "Bearer abcdefgh"}}, "would stand in the project"),
        ({"api_key": "abc"}, "The setting 'api_key' would stand in the project"),
        ({"url": "ftp://x"}, "with http:// or https:// is expected"),
        ({"url": "https://me:pw@x"}, "holds a name or password"),
        ({"body": {"token": "Bearer abcdefgh"}}, "looks like a key"),
        ({"path": ""}, "needs the setting 'path'"),
    ],
)
def test_settings_of_an_address(changed: dict[str, JsonValue], sentence: str) -> None:
    bots.check(Bot(name="b", kind="http", settings=WEB))
    with pytest.raises(ReviewerError) as caught:
        bots.check(Bot(name="b", kind="http", settings=WEB | changed))
    assert sentence in str(caught.value)


def test_a_place_for_the_key_is_let_through() -> None:
    headers: JsonValue = {"Authorization": "Bearer {{ key }}", "Accept": "text/plain"}
    bot = Bot(name="b", kind="http", settings=WEB | {"headers": headers, "variable": "K"})
    bots.check(bot)
    place = bots.key_place(bot)
    assert (place.base_url, place.variable, place.needs_key) == ("http://127.0.0.1/x", "K", True)
