"""Names of scorer versions: they tell whatever differs, and no two mean the same."""

import json
from itertools import combinations
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from reviewer.domain.run import ScorerVersion, aspects, aspects_of, in_name, telling
from tests.scorer_versions import versions

ODD = (
    "", "1", "a=b", "1 a=b", "a@1", "x:y", 'say "hi"', "null", "true", "[1]", "{}", " x ", "ü 😀",
    "\u202eabc", "a\nb", "model", "prompt=p", "a=\"1\" b", "scorer=a version=1",
)  # fmt: skip
TEXTS = st.sampled_from(ODD) | st.text(st.characters(codec="utf-8"), max_size=6)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.0, 1.0, 0.5]) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)
NAMES = st.sampled_from(["a", "b", "seed", "max_tokens", "model", "a b", "a=b"]) | TEXTS
PARAMETERS = st.dictionaries(NAMES, VALUES, max_size=3)
SCORES = st.fixed_dictionaries(
    {"scorer": TEXTS},
    optional={
        "scorer_version": TEXTS, "model": TEXTS, "prompt_hash": TEXTS, "parameters": PARAMETERS
    },
)  # fmt: skip


def named(*scores: dict[str, Any]) -> tuple[ScorerVersion, ...]:
    """The versions of scores that all scored one metric."""
    return tuple(versions({"metric": "m", "value": 1, **score} for score in scores).values())


def names(*scores: dict[str, Any]) -> list[str]:
    return [x.name for x in named(*scores)]


def test_a_name_tells_what_differs_and_nothing_else() -> None:
    plain = {"scorer": "response_quality", "scorer_version": "1"}
    assert names(plain) == ["response_quality@1"]
    assert names(plain, plain | {"parameters": {"normalize_numbers": False, "seed": 3}}) == [
        "response_quality@1",
        "response_quality@1 normalize_numbers=false",
    ]
    judge = {"scorer": "judge", "scorer_version": "2", "prompt_hash": "ab12"}
    assert names(judge | {"model": "small"}, judge | {"model": "big"}) == [
        "judge@2 model=small",
        "judge@2 model=big",
    ]


def test_seeds_order_and_spelling_of_numbers_make_no_version() -> None:
    score = {"scorer": "judge", "parameters": {"temperature": 0, "top_p": 1}}
    same = {"scorer": "judge", "parameters": {"top_p": 1.0, "seed": 7, "temperature": 0.0}}
    assert names(score, same) == ["judge"]
    assert names({"scorer": "judge"}, {"scorer": "judge", "parameters": {}}) == ["judge"]


def test_a_text_is_no_number_and_a_parameter_no_model() -> None:
    told = names(
        {"scorer": "j", "parameters": {"a": "1"}}, {"scorer": "j", "parameters": {"a": 1}}
    )
    assert told == ['j a="1"', "j a=1"]
    told = names({"scorer": "j", "model": "x"}, {"scorer": "j", "parameters": {"model": "x"}})
    assert told == ["j model=x", 'j "model"=x']


def test_prompts_of_different_metrics_need_no_telling_apart() -> None:
    judge = {"scorer": "j", "value": 1}
    scores = [judge | {"metric": x, "prompt_hash": x} for x in ("m", "n")]
    assert [x.name for x in versions(scores).values()] == ["j", "j"]
    scores += [judge | {"metric": "n", "prompt_hash": "better"}]
    assert [x.name for x in versions(scores).values()] == ["j", "j prompt=n", "j prompt=better"]


@settings(max_examples=300)
@given(st.lists(SCORES, min_size=2, max_size=5))
@example([{"scorer": "x", "scorer_version": "1 a=2"},
          {"scorer": "x", "scorer_version": "1", "parameters": {"a": 2}},
          {"scorer": "x", "scorer_version": "1"}])  # fmt: skip
@example([{"scorer": "a@1"}, {"scorer": "a", "scorer_version": "1"}])
@example([{"scorer": "x", "parameters": {"a": "1 b=2"}},
          {"scorer": "x", "parameters": {"a": 1, "b": 2}}])  # fmt: skip
def test_no_two_versions_of_a_metric_have_one_name(scores: list[dict[str, Any]]) -> None:
    found = named(*scores)
    for a, b in combinations(found, 2):
        assert a.name != b.name
    for one in found:
        # the full name means it alone, whatever it holds
        assert [x.key for x in found if x.name == one.name] == [one.key]
        assert one.is_called(one.name)
        assert one.apart == "" or in_name(one.apart) is not None


@settings(max_examples=200)
@given(SCORES)
def test_what_a_name_tells_is_read_back(score: dict[str, Any]) -> None:
    made = aspects(named(score)[0])
    assert aspects_of(score) == made
    text = " ".join(f"{name}={value}" for name, value in made.items())
    assert (in_name(text) or {}) == made


@settings(max_examples=200)
@given(PARAMETERS)
def test_parameters_are_spelt_alike(parameters: dict[str, Any]) -> None:
    kept = telling(parameters)
    assert telling(kept) is kept
    turned = dict(reversed([*parameters.items(), ("seed", 5)]))
    assert json.dumps(telling(turned)) == json.dumps(kept)
