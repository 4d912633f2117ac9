"""TOML of others: what no program can keep is told as what is no TOML."""

import tomllib

import pytest

from reviewer.domain import toml_text
from reviewer.domain.errors import FormatError, RubricError
from reviewer.formats.mapping import mapping_of
from reviewer.services.project import rubrics

DEEP = "a = " + "[" * 3000 + "]" * 3000
LONG = "a = " + "9" * 5000
CASES = [(DEEP, "nested too deeply"), (LONG, "thousands of digits"), ("a = ", "Invalid value")]


def test_a_document_is_read() -> None:
    assert toml_text.document("a = [1, 2]") == {"a": [1, 2]}


@pytest.mark.parametrize(("text", "words"), CASES)
def test_what_cannot_be_kept_is_a_sentence_everywhere(text: str, words: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError, match=words):
        toml_text.document(text)
    with pytest.raises(RubricError, match=f"own.toml is no TOML: .*{words}"):
        rubrics.from_toml(text, "own.toml")
    with pytest.raises(FormatError, match=f"own.toml is no TOML: .*{words}"):
        mapping_of(text, "own.toml")
