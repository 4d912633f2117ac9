"""JSON replies against a schema."""

from typing import Any

import pytest

from reviewer.scoring.general import JSON_SCHEMA
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome

SCHEMA = {
    "type": "object",
    "properties": {"score": {"type": "integer"}, "reason": {"type": "string"}},
    "required": ["score"],
}


def scored(text: str, **parameters: Any) -> ScoreOutcome:
    outcome = JSON_SCHEMA.score(Case(response=text), parameters)
    assert isinstance(outcome, ScoreOutcome), outcome
    return outcome


def test_a_reply_that_keeps_to_the_schema() -> None:
    assert scored('{"score": 4, "reason": "so"}', schema=SCHEMA).value == 1
    assert scored('Here:\n```json\n{"score": 4}\n```\nDone.', schema=SCHEMA).value == 1
    assert scored('Here:\n```json\n{"score": 4}\n```', schema=SCHEMA, where="whole").value == 0
    assert scored("[1]").value == 1


def test_what_breaks_the_schema_is_named_with_its_place() -> None:
    outcome = scored('{"score": "4", "reason": 3}', schema=SCHEMA)
    assert outcome.reasoning == (
        "The JSON breaks the schema: $.reason: 3 is not of type 'string'; "
        "$.score: '4' is not of type 'integer'."
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("four", "is no JSON"),
        ('{"score": NaN}', "NaN is no JSON number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_json_is_said(text: str, said: str) -> None:
    outcome = scored(text, schema=SCHEMA)
    assert outcome.value == 0
    assert said in outcome.reasoning


def test_only_a_few_of_many_problems_are_listed() -> None:
    outcome = scored(str(list(range(20))), schema={"items": {"type": "string"}})
    assert outcome.reasoning.endswith("and 15 more.")


@pytest.mark.parametrize("schema", [{"type": "whole"}, "object", ["object"], {"items": 3}])
def test_a_wrong_schema_is_a_failure_of_every_case(schema: Any) -> None:
    outcome = JSON_SCHEMA.score(Case(response="{}"), {"schema": schema})
    assert isinstance(outcome, Failure)
    assert outcome.kind == "parameters"


def test_references_never_leave_the_schema() -> None:
    outcome = scored("{}", schema={"$ref": "http://localhost:9/schema.json"})
    assert "which is not part of it" in outcome.reasoning
    assert scored("{}", schema={"$ref": "#"}).value == 0
    inside = {"$ref": "#/$defs/one", "$defs": {"one": {"type": "object"}}}
    assert scored("{}", schema=inside).value == 1
