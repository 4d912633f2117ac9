"""A judge's further parameters: read as typed, written back, and refused in a sentence."""

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.services.calls import parameters


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        (" \n ", {}),
        ("{}", {}),
        ('{"top_p": 0.9, "stop": ["END"]}', {"top_p": 0.9, "stop": ["END"]}),
        ('{"reasoning": {"effort": "low"}}', {"reasoning": {"effort": "low"}}),
        ('{"max_completion_tokens": 400}', {"max_completion_tokens": 400}),
    ],
)
def test_objects_are_read_and_written_back(text: str, found: dict[str, object]) -> None:
    assert parameters.read(text) == found
    assert parameters.read(parameters.written(parameters.read(text))) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("top_p", "are no JSON (line 1, column 1: expecting value)"),
        ('{"top_p": 0.9,\n}', "are no JSON (line 2, column 1"),
        ("[1]", "are a list, no object"),
        ('"top_p"', "are a text, no object"),
        ("3", "are a number, no object"),
        ("null", "are null, no object"),
        ('{"top_p": NaN}', "hold NaN, which is no number"),
        ('{"top_p": 1, "top_p": 2}', "'top_p' stands there twice"),
        ('{"seed": 7, "top_p": 1, "top_p": 2}', "'top_p' stands there twice"),
        ('{"model": "gpt-4o"}', "'model' has a field of its own"),
        ('{"temperature": 1}', "'temperature' has a field of its own"),
        ('{"messages": []}', "'messages' is Reviewer's own"),
        ('{"stream": true}', "'stream' is Reviewer's own"),
        ('{"api_key": "x"}', "'api_key' would stand in the project"),
        ('{"user": {"secret": "x"}}', "'secret' would stand in the project"),
        ('{"user": ["sk-0123456789abcdef"]}', "'user' would stand in the project"),
        ('{"stop": "' + "x" * 10_001 + '"}', "characters; at most 10,000 are expected"),
        ("[" * 100_000, "too deep"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ReviewerError) as said:
        parameters.read(text)
    assert sentence in str(said.value)
    assert str(said.value).endswith(".")
