"""What is typed for a parameter of a scorer is read as the scorer wants it."""

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import ParameterError
from reviewer.services.jobs import scorers


@pytest.mark.parametrize(
    ("scorer", "name", "typed", "value"),
    [
        ("regex", "pattern", "5", "5"),
        ("regex", "case_sensitive", "yes", True),
        ("regex", "expect", "no match", "no match"),
        ("contains", "texts", "pool, spa ", ["pool", "spa"]),
        ("contains", "texts", '["a, b"]', ["a, b"]),
        ("numeric", "value", "42", 42),
        ("retrieval_ndcg", "k", "3", 3),
        ("json_schema", "schema", '{"type": "object"}', {"type": "object"}),
        ("error_handling", "patterns", '{"own": ["x+"]}', {"own": ["x+"]}),
    ],
)
def test_a_typed_text_becomes_a_value(
    scorer: str, name: str, typed: str, value: JsonValue
) -> None:
    assert scorers.read(scorer, name, typed) == value


@pytest.mark.parametrize(
    ("scorer", "name", "typed", "why"),
    [
        ("numeric", "absolute", "-1", "a number from 0 is expected"),
        ("numeric", "absolute", "a few", "not a number"),
        ("retrieval_ndcg", "k", "2.5", "a whole number from 1 is expected"),
        ("contains", "texts", "[1]", "a list of texts is expected"),
        ("json_schema", "schema", "{", "not JSON"),
    ],
)
def test_what_does_not_fit_is_said(scorer: str, name: str, typed: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        scorers.read(scorer, name, typed)


@pytest.mark.parametrize("scorer", SCORERS)
def test_every_default_is_written_as_it_would_be_typed(scorer: str) -> None:
    for parameter in scorers.of_scorer(scorer):
        assert parameter.help
        if parameter.usual:
            read = scorers.read(scorer, parameter.name, parameter.usual)
            assert read == parameter.default


def test_an_error_names_the_parameter_that_it_is_about() -> None:
    said = "Metric safety: regex: parameter pattern: missing ), unterminated subpattern."
    found = scorers.parameter_misfit(ReviewerError(said))
    assert found is not None
    assert (found.metric, found.name) == ("safety", "pattern")
    assert found.why.startswith("missing )")
    assert scorers.parameter_misfit(ReviewerError("Nothing is selected.")) is None


def test_the_parameters_of_a_package_are_not_known() -> None:
    assert scorers.of_scorer("of nobody") == ()
