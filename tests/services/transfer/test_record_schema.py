import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from reviewer.domain.record import LABEL_KEYS, MARK_KEYS, RECORD_KEYS, SCORE_KEYS
from reviewer.formats.incoming import LabelRow, Record
from reviewer.formats.record import checked
from reviewer.services.transfer import record_schema
from tests.resources.demo_records import RESOURCES

FILES = sorted((*(RESOURCES / "demo").glob("*.jsonl"), *(RESOURCES / "examples").glob("*.jsonl")))


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    return record_schema.schema()


@pytest.fixture(scope="module")
def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(schema)


def test_it_is_a_schema_of_the_draft_it_names(schema: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == Draft202012Validator.META_SCHEMA["$id"]


def test_every_reference_leads_somewhere(schema: dict[str, Any]) -> None:
    for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)):
        assert name in schema["$defs"]


def test_the_keys_are_those_of_the_reader_in_their_order(schema: dict[str, Any]) -> None:
    parts = schema["$defs"]
    assert tuple(schema["properties"]) == RECORD_KEYS
    assert tuple(parts["Score"]["properties"]) == SCORE_KEYS
    assert tuple(parts["LabelEntry"]["properties"]) == LABEL_KEYS
    assert tuple(parts["Mark"]["properties"]) == MARK_KEYS
    assert set(parts["LabelRow"]["properties"]) == {"run", "id", *LABEL_KEYS}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_what_ships_is_valid(file: Path, validator: Draft202012Validator) -> None:
    lines = file.read_text("utf-8").splitlines()
    assert lines
    for line in lines:
        assert list(validator.iter_errors(json.loads(line))) == []


BASE = {"id": "a", "input": "q", "response": "r"}
GOOD: list[dict[str, Any]] = [
    {"own": 5, "meta": {"x": [1]}},
    {"response": None},
    {"id": 7},
    {"tags": None, "category": None},
    {"context": {"page": 1}},
    {"scores": [{"metric": "m", "value": True, "confidence": 1}]},
    {"scores": [{"metric": "m", "value": None, "error": "time-out"}]},
    {"labels": [{"metric": "m", "labeler": "ann", "value": None, "kind": "withdrawn"}]},
    {"marks": [{"kind": "flag", "labeler": "ann", "at": "2026-11-01"}]},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]},
    {"messages": [{"role": "assistant", "tool_calls": [{"name": "f", "arguments": "{}"}]}]},
    {"candidates": [{"id": "1", "response": "x"}]},
    {"sources": [{"id": "s", "relevance": 0.5}], "expected_sources": ["s", {"id": "t"}]},
    {"feedback": [{"value": "up"}, {"value": 4}], "cache": "warm"},
]
BAD: list[dict[str, Any]] = [
    {"id": ""},
    {"id": None},
    {"run": [5]},
    {"tags": "x"},
    {"latency_ms": "12"},
    {"template_matched": 1},
    {"cache": "hot"},
    {"context": 5},
    {"meta": []},
    {"scores": {}},
    {"scores": [5]},
    {"scores": [{"value": 5}]},
    {"scores": [{"metric": "m", "value": [5]}]},
    {"scores": [{"metric": "m", "value": 5, "confidence": 2}]},
    {"scores": [{"metric": "m", "value": 5, "turn": -1}]},
    {"labels": [{"metric": "m", "value": 5}]},
    {"labels": [{"metric": "m", "labeler": "ann", "value": 5, "kind": "guess"}]},
    {"labels": [{"metric": "m", "labeler": "ann", "value": 5, "selection_prob": 3}]},
    {"marks": [{"kind": "star", "labeler": "ann"}]},
    {"messages": [{"role": "robot", "content": "x"}]},
    {"messages": [{"role": "user", "content": [{"type": "film"}]}]},
    {"messages": [{"role": "assistant", "tool_calls": [{"arguments": {}}]}]},
    {"candidates": [{"response": "x"}]},
    {"sources": [{"title": "x"}]},
    {"sources": [{"id": "x", "relevance": -1}]},
]


@pytest.mark.parametrize("change", GOOD, ids=str)
def test_schema_and_reader_take_the_same(
    change: dict[str, Any], validator: Draft202012Validator
) -> None:
    assert list(validator.iter_errors(BASE | change)) == []
    read = checked(json.loads(json.dumps(BASE | change)), 1)
    assert isinstance(read, Record)
    assert read.refused == []


@pytest.mark.parametrize("change", BAD, ids=str)
def test_schema_and_reader_refuse_the_same(
    change: dict[str, Any], validator: Draft202012Validator
) -> None:
    assert list(validator.iter_errors(BASE | change))
    read = checked(json.loads(json.dumps(BASE | change)), 1)
    assert not isinstance(read, Record) or read.refused


def test_a_record_needs_something_to_look_at(validator: Draft202012Validator) -> None:
    assert list(validator.iter_errors({"id": "a"}))
    assert not isinstance(checked({"id": "a"}, 1), Record)


def test_a_label_row_has_a_schema_of_its_own(schema: dict[str, Any]) -> None:
    row = {"id": "a", "metric": "m", "labeler": "ann", "value": 4}
    only = Draft202012Validator({"$ref": "#/$defs/LabelRow", "$defs": schema["$defs"]})
    assert list(only.iter_errors(row)) == []
    assert isinstance(checked(dict(row), 1), LabelRow)
    assert list(only.iter_errors({"id": "a", "metric": "m", "value": 4}))
