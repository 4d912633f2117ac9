"""Cases of test sets from JSON Lines, JSON, CSV and YAML, good and hostile."""

import gzip
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.errors import FormatError
from reviewer.formats import case_files
from reviewer.formats.case_files import FoundCase, id_from
from reviewer.formats.incoming import BadRow


def read(file: Path, text: str) -> list[FoundCase | BadRow]:
    file.write_text(text, encoding="utf-8")
    return list(case_files.read(file))


def good(file: Path, text: str) -> list[dict[str, object]]:
    found = read(file, text)
    assert all(isinstance(x, FoundCase) for x in found), found
    return [x.fields for x in found if isinstance(x, FoundCase)]


def bad(file: Path, text: str) -> BadRow:
    found = [x for x in read(file, text) if isinstance(x, BadRow)]
    assert len(found) == 1, found
    return found[0]


def test_json_lines(tmp_path: Path) -> None:
    lines = (
        '{"id": "a", "input": "When?", "expected": "At 3.", "tags": ["plain"], "own": 7}\n'
        "\n"
        '{"id": 2, "messages": [{"role": "user", "content": "And then?"}]}\n'
    )
    first, second = good(tmp_path / "c.jsonl", lines)
    assert first == {
        "id": "a", "tags": ["plain"], "input": "When?", "expected": "At 3.", "own": 7,
    }  # fmt: skip
    assert list(first) == ["id", "tags", "input", "expected", "own"]
    assert second["id"] == "2"


def test_bad_rows_name_line_field_value_and_reason(tmp_path: Path) -> None:
    found = read(
        tmp_path / "c.jsonl",
        '{"id": "a", "input": "When?"}\n{"id": "b"}\n{"id": "c", "input": [5]}\nnonsense\n'
        '{"id": "d", "input": "x", "tags": "one"}\n[1]\n{"id": "e", "response": "only"}\n',
    )
    kinds = [type(x).__name__ for x in found]
    assert kinds == ["FoundCase", *["BadRow"] * 3, "FoundCase", "BadRow", "BadRow"]
    rows = [(x.line, x.field) for x in found if isinstance(x, BadRow)]
    assert rows == [(2, "input"), (3, "input"), (4, ""), (6, ""), (7, "input")]
    kept = found[4]
    assert isinstance(kept, FoundCase)
    assert (kept.refused[0].field, kept.refused[0].value) == ("tags", "one")
    assert "tags" not in kept.fields


def test_a_case_may_call_what_is_expected_its_answer_or_response(tmp_path: Path) -> None:
    found = read(
        tmp_path / "c.jsonl",
        '{"query": "When?", "response": "At 3."}\n{"question": "Where?", "output": {"k": 1}}\n'
        '{"prompt": "Who?", "expected_behavior": "Names Ann."}\n',
    )
    cases = [x.fields for x in found if isinstance(x, FoundCase)]
    assert [x["expected"] for x in cases] == ["At 3.", '{\n  "k": 1\n}', "Names Ann."]


def test_an_answer_is_left_out_and_told(tmp_path: Path) -> None:
    (found,) = read(
        tmp_path / "results.jsonl",
        '{"id": "a@1", "run": "v1", "case": "a", "input": "When?", "response": "At 3.", '
        '"scores": [{"metric": "m", "value": 1}], "latency_ms": 5, "meta": {"k": 1}}\n',
    )
    assert isinstance(found, FoundCase)
    assert found.fields == {"id": "a", "input": "When?", "meta": {"k": 1}}
    assert set(found.left_out) == {"run", "response", "scores", "latency_ms"}


@pytest.mark.parametrize(
    "text",
    [
        '[{"question": "When?", "answer": "At 3."}]',
        '{"name": "set", "tests": [{"query": "When?", "ideal": "At 3."}]}',
        '{\n "cases": [\n  {"prompt": "When?", "expected_output": "At 3."}\n ]\n}',
    ],
)
def test_lists_in_json_and_other_spellings(tmp_path: Path, text: str) -> None:
    assert good(tmp_path / "c.json", text) == [
        {"id": "when", "input": "When?", "expected": "At 3."}
    ]


def test_a_table(tmp_path: Path) -> None:
    text = (
        "Question,Answer,tags,keywords,difficulty,Owner,context\n"
        '"When, please?",At 3.,plain;time,"3 pm|check-in",hard,me,"{""a"": 1}"\n'
        '"Where?",,,"[""x"", ""y""]",,,\n'
        "short\n"
    )
    found = read(tmp_path / "c.csv", text)
    assert isinstance(found[2], BadRow)
    assert found[2].line == 4
    assert [x.fields for x in found[:2] if isinstance(x, FoundCase)] == [
        {
            "id": "when-please", "complexity": "hard", "tags": ["plain", "time"],
            "input": "When, please?", "expected": "At 3.",
            "expected_keywords": ["3 pm", "check-in"], "context": {"a": 1}, "Owner": "me",
        },
        {"id": "where", "input": "Where?", "expected_keywords": ["x", "y"]},
    ]  # fmt: skip


def test_a_cell_that_is_half_json(tmp_path: Path) -> None:
    row = bad(tmp_path / "c.csv", 'input,tags\nWhen?,"[""a"""\n')
    assert (row.line, row.field) == (2, "tags")


YAML = """\
name: guests
tests:
  - id: 007
    input: Do you allow dogs?
    expected: no
    tags: [on, 15:00]
    expected_keywords:
      - 20
      - no dogs
    seats: 4
    share: 0.5
    open: true
    day: 2026-11-21
  - question: |
      When can
      we come?
    complexity: hard
"""


def test_yaml_words_stay_words(tmp_path: Path) -> None:
    first, second = good(tmp_path / "c.yaml", YAML)
    assert first == {
        "id": "007", "tags": ["on", "15:00"], "input": "Do you allow dogs?", "expected": "no",
        "expected_keywords": ["20", "no dogs"], "seats": 4, "share": 0.5, "open": True,
        "day": "2026-11-21",
    }  # fmt: skip
    assert second == {
        "id": "when-can-we-come", "complexity": "hard", "input": "When can\nwe come?\n",
    }  # fmt: skip


def test_yaml_of_several_documents(tmp_path: Path) -> None:
    found = good(tmp_path / "c.yml", "input: One?\n---\ninput: Two?\n---\n- input: Three?\n")
    assert [x["id"] for x in found] == ["one", "two", "three"]


BOMB = "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (BOMB, r"c\.yaml, line 2: the alias \*a is not read"),
        ("- " * 60 + "x", "line 1: values are nested more than 50 levels deep"),
        ("[" * 100_000, "nested more than 50 levels deep"),
        ("- input: [unclosed\n- b", "this is no YAML: .* begins on line 1"),
        ("- input: 'never ends", "this is no YAML"),
        ("- a: \x00", "is no YAML|no YAML"),
        ("- input: x\n\t- y", "line 2: this is no YAML"),
        ("- <<: *base\n", r"alias \*base is not read"),
    ],
)
def test_hostile_yaml_is_refused_with_a_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(FormatError, match=sentence):
        read(tmp_path / "c.yaml", text)


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("- input: x\n- !!python/object/apply:os.system [ls]\n", 2, "the tag .* is not read"),
        ("- input: x\n- input: !secret y\n", 2, "the tag !secret is not read"),
        ("- input: x\n- input: y\n  input: z\n", 3, "stands twice"),
        ("- input: x\n- [a, b]: c\n", 2, "a key is a text"),
        ("- input: x\n- plain words\n", 2, "an object with a question"),
        ("- input: x\n- data: !!binary aGVsbG8=\n", 2, "is not read"),
    ],
)
def test_single_wrong_cases_of_yaml(tmp_path: Path, text: str, line: int, reason: str) -> None:
    row = bad(tmp_path / "c.yaml", text)
    assert row.line == line
    assert re.search(reason, row.reason), row.reason


def test_a_yaml_file_of_any_size(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="larger than 16 MB"):
        read(tmp_path / "c.yaml", "- " + "x" * (17 << 20))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("c.jsonl", b"", "is empty"),
        ("c.txt", b"plain words", "holds no test set"),
        ("c.png", b"\x89PNG\r\n\x1a\n", "holds no test set"),
        ("c.csv", b"", "no header"),
    ],
)
def test_files_that_are_no_test_set(
    tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(FormatError, match=sentence):
        list(case_files.read(file))


@pytest.mark.parametrize("name", ["c.jsonl.gz", "c.csv.gz", "c.json.gz"])
def test_a_packed_file_that_unfolds_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(case_files, "LARGEST", 1 << 20)
    start = {"c.jsonl.gz": b'{"input": "', "c.csv.gz": b"input\n", "c.json.gz": b'[{"input": "'}
    file = tmp_path / name
    file.write_bytes(gzip.compress(start[name] + b"x" * (4 << 20)))
    with pytest.raises(FormatError, match="holds more than 1 MB"):
        list(case_files.read(file))


def test_a_packed_file(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl.gz"
    file.write_bytes(gzip.compress(b'{"input": "When?"}\n'))
    assert [x.fields for x in case_files.read(file) if isinstance(x, FoundCase)] == [
        {"id": "when", "input": "When?"}
    ]


def test_ids_from_questions() -> None:
    assert id_from("When can we check in?") == "when-can-we-check-in"
    assert id_from("Où est la clé ?") == "ou-est-la-cle"
    assert id_from("?!") == ""
    long = "Can you tell me at what time of the day we may come "
    assert id_from(long + "in summer?") != id_from(long + "in winter?")
    assert len(id_from(long)) <= 45


@given(st.text(max_size=200))
def test_an_id_is_stable_and_short(question: str) -> None:
    made = id_from(question)
    assert made == id_from(question)
    assert len(made) <= 45
    assert not made or json.loads(json.dumps(made)) == made
