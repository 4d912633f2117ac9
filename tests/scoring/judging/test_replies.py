"""What judges reply, well and badly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.rubric import Level, Metric
from reviewer.scoring.calling import ReplyError
from reviewer.scoring.judging.replies import CUT_REASONING, reader

LEVELS = tuple(Level(value=x) for x in (1, 2, 3, 4, 5))
ACCURACY = Metric(name="accuracy", levels=LEVELS)
KIND = Metric(name="kind", scale="categorical", values=("good", "bad"))
DONE = Metric(name="done", scale="binary")


@pytest.mark.parametrize(
    ("text", "score", "reasoning"),
    [
        ('{"score": 4, "reasoning": "Right."}', 4, "Right."),
        ('{"score": 4, "reason": "Right."}', 4, "Right."),
        ('```json\n{"score": 2.5}\n```', 2.5, ""),
        ('I think {this} is good.\n{"score": 5, "reasoning": "a {b} c"}', 5, "a {b} c"),
        ('{"score": 4}\n{"score": 4}', 4, ""),
        ('{"thought": {"a": 1}}\n{"score": 1}', 1, ""),
    ],
)
def test_both_forms_are_read(text: str, score: float, reasoning: str) -> None:
    verdict = reader(ACCURACY)(text)
    assert (verdict.value, verdict.reasoning) == (score, reasoning)


def test_examples_and_confidence_are_kept() -> None:
    reply = {"score": 3, "examples": ["at 3 pm"], "confidence": 1, "other": "x"}
    verdict = reader(ACCURACY)(json.dumps(reply))
    assert verdict.examples == ("at 3 pm",)
    assert verdict.confidence == 1.0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("four out of five", 'no JSON object with "score"'),
        ('{"score": 7}', "not on the scale of accuracy"),
        ('{"score": 0}', "not on the scale of accuracy"),
        ('{"score": "four"}', "'four' is not on the scale"),
        ('{"score": "4"}', "'4' is not on the scale"),
        ('{"score": true}', "True is not on the scale"),
        ('{"score": null}', 'has no "score"'),
        ('{"score": [4]}', '"score" is [4]; a number is expected'),
        ('{"score": NaN}', "NaN, which is no number"),
        ('{"score": 4} {"score": 2}', "2 JSON objects"),
        ('{"score": 4, "confidence": 7}', "a number from 0 to 1 is expected"),
        ('{"score": 4, "reasoning": ["a"]}', "a text is expected"),
        ('{"score": 4', "no JSON object"),
        ("[" * 100_000 + '{"score"', "no JSON object"),
        ('{"a":' * 100_000, "no JSON object"),
    ],
)
def test_what_is_no_score_is_said(text: str, words: str) -> None:
    with pytest.raises(ReplyError) as caught:
        reader(ACCURACY)(text)
    assert words in str(caught.value)
    assert str(caught.value).endswith(".")
    assert len(str(caught.value)) < 300


def test_other_scales() -> None:
    assert reader(KIND)('{"score": "bad"}').value == "bad"
    assert reader(DONE)('{"score": true}').value is True
    assert reader(DONE)('{"score": 0}').value == 0
    with pytest.raises(ReplyError, match="one of good, bad expected"):
        reader(KIND)('{"score": "fair"}')
    choose = reader(KIND, candidates=("a", "b"))
    assert choose('{"score": "tie"}').value == "tie"
    with pytest.raises(ReplyError, match="one of a, b, tie is expected"):
        choose('{"score": "c"}')


def test_long_reasoning_is_cut() -> None:
    verdict = reader(ACCURACY)(json.dumps({"score": 4, "reasoning": "x" * 100_000}))
    assert len(verdict.reasoning) == CUT_REASONING


def test_claims_instead_of_a_score() -> None:
    read = reader(ACCURACY, claims=True)
    assert read('{"claims": []}').claims == {"claims": []}
    with pytest.raises(ReplyError, match='no JSON object with "claims"'):
        read('{"score": 4}')


@given(st.text(max_size=300))
def test_no_reply_breaks_the_reader(text: str) -> None:
    try:
        verdict = reader(ACCURACY)(text)
    except ReplyError:
        return
    assert verdict.value is not None


@given(
    st.sampled_from([1, 2, 3, 4, 5, 1.5, 4.25]),
    st.text(),
    st.text(alphabet="ab \n`.", max_size=40),
)
def test_a_score_is_found_in_whatever_stands_around(
    score: float, reasoning: str, around: str
) -> None:
    said = json.dumps({"score": score, "reasoning": reasoning})
    verdict = reader(ACCURACY)(f"{around}{said}{around}")
    assert (verdict.value, verdict.reasoning) == (score, reasoning)
