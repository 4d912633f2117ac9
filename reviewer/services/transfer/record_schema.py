"""The formats that are read and written, and the JSON Schema of a native record.

What the reader refuses, the schema refuses too, except where JSON Schema cannot say it: times are
checked in full, ids are unique within a run, values lie on the rubric's scale.
"""

from typing import Any, NamedTuple

from reviewer.domain.evaluation import JsonValue
from reviewer.domain.record import LABEL_ROW, RECORD, SUBJECTS, Field, Kind, Shape
from reviewer.formats import registry
from reviewer.formats.writing import Writer
from reviewer.services.computer import plugins

DIALECT = "https://json-schema.org/draft/2020-12/schema"
Schema = dict[str, JsonValue]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_ANYTHING: Schema = {"$ref": "#/$defs/JsonValue"}
_OBJECT: Schema = {"additionalProperties": _ANYTHING, "type": "object"}
_NAME: Schema = {"minLength": 1, "type": "string"}
_UUID = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
_SCHEMAS: dict[Kind, tuple[Schema, ...]] = {
    Kind.TEXT: (_TEXT,),
    Kind.NAME: (_NAME,),
    Kind.IDENTITY: (_NAME, _NUMBER),
    Kind.TIME: (_TEXT,),
    Kind.SAID: (_TEXT, _OBJECT, {"items": _ANYTHING, "type": "array"}),
    Kind.UID: ({"pattern": _UUID, "type": "string"},),
    Kind.NUMBER: (_NUMBER,),
    Kind.SHARE: ({"maximum": 1, "minimum": 0, "type": "number"},),
    Kind.RELEVANCE: ({"minimum": 0, "type": "number"},),
    Kind.POSITION: ({"exclusiveMaximum": 2**31, "minimum": 0, "type": "integer"},),
    Kind.TRUTH: ({"type": "boolean"},),
    Kind.VALUE: (_NUMBER, _TEXT, {"type": "boolean"}),
    Kind.REACTION: ({"enum": ["up", "down"], "type": "string"}, _NUMBER),
    Kind.TEXTS: ({"items": _TEXT, "type": "array"},),
    Kind.OBJECT: (_OBJECT,),
    Kind.CONTEXT: (_TEXT, _OBJECT, {"items": _ANYTHING, "type": "array"}),
}
_RULES: dict[str, Schema] = {
    "Record": {"anyOf": [{"required": [key]} for key in SUBJECTS]},
    "Score": {
        "if": {"properties": {"value": {"type": "null"}}},
        "then": {"required": ["error"]},
    },
}
"""What holds between the keys of an object."""


def schema() -> Schema:
    """Give the JSON Schema (draft 2020-12) of a record; `$defs` has that of a label row too."""
    parts = {shape.name: _of_shape(shape) for shape in _below(RECORD)}
    definitions: Schema = dict(sorted({**parts, "JsonValue": {}}.items()))
    return {
        "$schema": DIALECT,
        **_of_shape(RECORD),
        "title": "Evaluation record of Reviewer",
        "$defs": {**definitions, LABEL_ROW.name: _of_shape(LABEL_ROW)},
    }


def _below(shape: Shape) -> list[Shape]:
    """Give the shapes that a shape's fields hold, however deep."""
    held = [field.of for field in shape.fields if field.of is not None]
    return [*held, *(inner for part in held for inner in _below(part))]


def _of_shape(shape: Shape) -> Schema:
    needed: list[JsonValue] = [field.name for field in shape.fields if field.needed]
    made: Schema = {
        "description": shape.title,
        "properties": {field.name: _of_field(field) for field in shape.fields},
        "title": shape.name,
        "type": "object",
        **_RULES.get(shape.name, {}),
    }
    if needed:
        made["required"] = needed
    return dict(sorted(made.items()))


def _of_field(field: Field) -> Schema:
    if field.kind is Kind.JSON:
        made = _ANYTHING
    else:
        allowed: list[JsonValue] = [*_allowed(field)]
        if not field.needed:
            allowed.append({"type": "null"})
        made = {"anyOf": allowed} if len(allowed) > 1 else _allowed(field)[0]
    return {**made, "description": field.title} if field.title else made


def _allowed(field: Field) -> tuple[Schema, ...]:
    if field.kind is Kind.CHOICE:
        only: Schema = {"enum": [*field.choices]}
        return ({**(only if len(field.choices) > 1 else {"const": field.choices[0]}), **_TEXT},)
    if field.of is None:
        return _SCHEMAS[field.kind]
    inner: Schema = {"$ref": f"#/$defs/{field.of.name}"}
    if field.kind is Kind.OBJECT:
        return (inner,)
    if field.kind is Kind.IDS:
        inner = {"anyOf": [_TEXT, inner]}
    listed: Schema = {"items": inner, "type": "array"}
    return (_TEXT, listed) if field.kind is Kind.CONTENT else (listed,)


class Listed(NamedTuple):
    """A format as people see it: what can be done with files of it."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    reads: bool
    writes: bool
    recognised_by: str


def formats() -> tuple[Listed, ...]:
    """Give every format, our own first; those only written and installed packages' last."""
    written = {x.name: x for x in registry.WRITERS}
    own = [
        Listed(x.name, x.title, x.suffixes, True, x.name in written, x.recognised_by)  # noqa: FBT003
        for x in registry.FORMATS
    ]
    known = set(registry.names())
    own += [
        Listed(x.name, x.title, x.suffixes, False, True, _only_written(x))  # noqa: FBT003
        for x in registry.WRITERS
        if x.name not in known
    ]
    brought = (
        Listed(
            name,
            f"{name} (of an installed package)",
            suffixes=(),
            reads=True,
            writes=False,
            recognised_by=f"its package, where that can tell, else --format {name}",
        )
        for name in plugins.names("reader")
    )
    return (*own, *brought)


def _only_written(writer: Writer) -> str:
    return f"written with --format {writer.name}"


def to_json(entry: Listed) -> dict[str, Any]:
    """Give a format's entry in the command line's document."""
    return {
        "name": entry.name,
        "title": entry.title,
        "suffixes": list(entry.suffixes),
        "reads": entry.reads,
        "writes": entry.writes,
        "recognised_by": entry.recognised_by,
    }
