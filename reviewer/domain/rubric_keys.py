"""A rubric as the keys of its file, and back for keys that the program itself has kept.

Keys from outside go through `rubric_check` instead.
"""

from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any

from reviewer.domain.rubric import (
    Advice,
    Exclusion,
    Grade,
    Level,
    Metric,
    Preset,
    Rubric,
    Tool,
)

Keys = dict[str, Any]
_PARTS: dict[str, type] = {
    "metrics": Metric, "levels": Level, "grades": Grade, "tools": Tool, "advice": Advice,
    "presets": Preset, "exclusions": Exclusion,
}  # fmt: skip
_NUMBERS = frozenset({"weight", "pass_at", "min", "max", "lowest"})
_PLACES = {
    kind: {str(part.metadata.get("alias", part.name)): part.name for part in fields(kind)}
    for kind in (Rubric, *_PARTS.values())
}


def keys_of(rubric: Rubric, *, defaults: bool = True) -> Keys:
    """Give the keys of a rubric, in its file's order; without `defaults` only what differs."""
    found: Keys = _plain(rubric, defaults=defaults)
    return found


def rubric_of(keys: Keys) -> Rubric:
    """Give the rubric of keys that were kept."""
    found: Rubric = _made(Rubric, keys)
    return found


def _plain(value: Any, *, defaults: bool) -> Any:  # noqa: ANN401 - a JSON value is anything
    if is_dataclass(value):
        return {
            str(part.metadata.get("alias", part.name)): _plain(held, defaults=defaults)
            for part in fields(value)
            if (held := getattr(value, part.name)) != _default(part) or defaults
        }
    if isinstance(value, tuple | list):
        return [_plain(item, defaults=defaults) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, defaults=defaults) for key, item in value.items()}
    return value


def _default(part: Field[Any]) -> object:
    return part.default if part.default_factory is MISSING else part.default_factory()


def _made(kind: type, keys: Keys) -> Any:  # noqa: ANN401 - of the kind that is given
    places = _PLACES[kind]
    names = {key: places.get(key, key) for key in keys}
    return kind(**{names[key]: _value(names[key], value) for key, value in keys.items()})


def _value(name: str, value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    if name in _PARTS:
        return tuple(_made(_PARTS[name], item) for item in value)
    if name in _NUMBERS and value is not None:
        return float(value)
    return tuple(value) if isinstance(value, list) else value
