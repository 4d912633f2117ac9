"""JSON replies: does the response hold a document of the shape that a JSON Schema asks for?"""

import json
import re
from collections.abc import Callable
from typing import Final

from pydantic import JsonValue

from reviewer.scoring.case import Case
from reviewer.scoring.fields import FIELD, absent, field_of
from reviewer.scoring.options import Option, ParameterError, Settings, anything, one_of
from reviewer.scoring.outcome import Outcome, ScoreOutcome
from reviewer.scoring.scorer import Deterministic, Rule

_FENCE: Final = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_MOST_PROBLEMS: Final = 5
_VALID: Final = ScoreOutcome(1.0, "The JSON keeps to the schema.")

Problems = Callable[[JsonValue], list[str]]


def _build(settings: Settings) -> Rule:
    problems = _checker(settings.raw("schema"))
    fenced = settings.text("where") == "fenced"
    name, read = field_of(settings)

    def rule(case: Case) -> Outcome:
        text = read(case)
        if text is None:
            return absent(name)
        match = _FENCE.search(text) if fenced else None
        try:
            document = json.loads(match[1] if match else text, parse_constant=_refuse)
            found = problems(document)
        except RecursionError:
            return ScoreOutcome(0.0, f"The {name} is nested too deeply to be checked.")
        except ValueError as error:
            return ScoreOutcome(0.0, f"The {name} is no JSON: {error}.")
        if not found:
            return _VALID
        return ScoreOutcome(0.0, "The JSON breaks the schema: " + "; ".join(found) + ".")

    return rule


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number")


def _checker(schema: JsonValue) -> Problems:
    if schema is None:
        return lambda _document: []
    # slow to import, so only where a rubric has a schema
    import jsonschema
    import referencing

    if not isinstance(schema, dict):
        raise ParameterError(f"parameter schema: {schema!r} was found, a JSON Schema is expected")
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except jsonschema.SchemaError as error:
        place = error.json_path.removeprefix("$.")
        raise ParameterError(f"parameter schema: at {place}: {error.message}") from None
    # an empty registry: a reference is never fetched from the network
    validator = kind(schema, registry=referencing.Registry())

    def problems(document: JsonValue) -> list[str]:
        try:
            if validator.is_valid(document):
                return []
            errors = sorted(validator.iter_errors(document), key=lambda error: error.json_path)
        except referencing.exceptions.Unresolvable as error:
            return [f"the schema refers to {error.ref}, which is not part of it"]
        except re.error as error:
            return [f"the schema holds a pattern that is no regular expression: {error}"]
        named = [f"{error.json_path}: {error.message}" for error in errors[:_MOST_PROBLEMS]]
        more = len(errors) - len(named)
        return [*named, f"and {more} more"] if more else named

    return problems


JSON_SCHEMA: Final = Deterministic(
    name="json_schema",
    metrics=(),
    title="JSON of a given shape",
    help="1 if the text is JSON and keeps to the schema, else 0 with what breaks it; without a "
    "schema, 1 if it is JSON. References are resolved within the schema only.",
    build=_build,
    options=(
        Option(
            "schema",
            None,
            "The JSON Schema, as a table; draft 2020-12 unless $schema names another.",
            anything,
        ),
        Option(
            "where",
            "fenced",
            '"fenced" takes the first block between ``` where there is one, "whole" always the '
            "whole text.",
            one_of("fenced", "whole"),
        ),
        FIELD,
    ),
)
