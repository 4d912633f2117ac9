"""Find values inside a record by dotted paths, and fill them into templates.

`info.task.instruction` goes through objects, `messages[0]` and `messages[-1]` into a list, `[]`
stands for each element of a list and `*` for each value of an object; a step with a dot inside is
put in double quotes. A column or key that is spelled exactly like the whole path wins. Where a
path goes on inside a text, the text is read as JSON, or as Python prints lists and objects.

A template holds paths in braces, `{doc_id}|{system_id}`; doubled braces stand for themselves.
"""

import ast
import json
import re
from collections.abc import Callable, Collection
from collections.abc import Mapping as Values
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

Json = Any
"""Whatever JSON can say."""
Row = dict[str, Json]
NUMBERS: Final = (int, float)
"""Asked for at every value, where making `int | float` takes longer than asking."""
_GAPS = re.compile(
    r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""  # texts, which stay as they are
    r"""|(?<=[\w.'"}\])])\s+(?=[-+\w.'"{\[(])"""  # gaps with neither comma nor colon
    r"""|\barray(?=\()|,\s*dtype=\w+(?=\))""",
    re.DOTALL,
)
_MOST_PRINTED = 1 << 18
"""Signs; what Python prints takes far more memory to read than JSON."""
_STEP = re.compile(
    r"""\.?(?:"(?P<quoted>[^"]*)"|\[(?P<index>-?\d*)\]|(?P<star>\*)(?=[.\[]|$)|(?P<key>[^.\[\]]+))"""
)
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]+)\}")
_SPECIAL = re.compile(r"[.\[\]*\"]")


class _Each(NamedTuple):
    """Every element of a list or every value of an object."""

    of_object: bool


_Step = str | int | _Each
Steps = tuple[_Step, ...]
"""A path split into its steps."""
EACH_ELEMENT: Final = _Each(of_object=False)
EACH_VALUE: Final = _Each(of_object=True)


@lru_cache(maxsize=4096)
def steps_of(path: str) -> Steps:
    """Split a path into its steps; what is no path is one step, as a table's column may be."""
    steps: list[_Step] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            return (path,)
        at = match.end()
        steps.append(_step(match))
    return tuple(steps)


def _step(match: re.Match[str]) -> _Step:
    if match["star"]:
        return EACH_VALUE
    if match["index"] is not None:
        return int(match["index"]) if match["index"] else EACH_ELEMENT
    return str(match["quoted"] if match["quoted"] is not None else match["key"])


def keys_of(path: str) -> list[str]:
    """Give the keys of a path through objects alone; `*` stays as it is."""
    return ["*" if isinstance(step, _Each) else str(step) for step in steps_of(path)]


def is_many(path: str) -> bool:
    """Tell whether a path stands for several values."""
    return any(isinstance(step, _Each) for step in steps_of(path))


def quoted(step: str) -> str:
    """Spell a key so that it is one step of a path."""
    return f'"{step}"' if _SPECIAL.search(step) else step


def find(row: Row, path: str) -> Json:
    """Give the value at a path, None where there is none; several come as a list."""
    if path in row:
        return row[path]
    return _follow(row, steps_of(path))


def _follow(value: Json, steps: Steps) -> Json:
    for number, step in enumerate(steps):
        if isinstance(value, str):
            value = parsed(value)
        if isinstance(step, _Each):
            return _spread(value, step, steps[number + 1 :])
        if isinstance(step, int):
            inside = isinstance(value, list) and -len(value) <= step < len(value)
            value = value[step] if inside else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
        if value is None:
            return None
    return value


def _spread(value: Json, step: _Each, rest: Steps) -> list[Json]:
    if step.of_object:
        parts = list(value.values()) if isinstance(value, dict) else []
    else:
        parts = value if isinstance(value, list) else []
    found = [_follow(part, rest) for part in parts]
    if any(isinstance(later, _Each) for later in rest):
        return [inner for part in found for inner in part or [None]]
    return found


def rest_of(value: Json, taken: Collection[Steps]) -> Json:
    """Give what a value holds beside what paths into it lead to, None where that is nothing."""
    if () in taken:
        return None
    opened = parsed(value) if taken and isinstance(value, str) else value
    parts: list[tuple[Any, Json]]
    if taken and isinstance(opened, dict):
        parts = [(key, rest_of(x, _led(taken, EACH_VALUE, key))) for key, x in opened.items()]
    elif taken and isinstance(opened, list):
        count = len(opened)
        parts = [(n, rest_of(x, _led(taken, EACH_ELEMENT, n, n - count)))
                 for n, x in enumerate(opened)]  # fmt: skip
    else:
        return value
    left = {key: x for key, x in parts if x is not None and x not in ("", [], {})}
    return (left if isinstance(opened, dict) else list(left.values())) or None


def _led(taken: Collection[Steps], *ways: _Step) -> list[Steps]:
    """Give how paths go on behind a part of a value, which several ways lead to."""
    return [steps[1:] for steps in taken if steps[0] in ways]


def parsed(text: str) -> Json:
    """Read a text that is a JSON object or list, or one as Python prints it into a table.

    Anything else comes back as it is.
    """
    if text[:1] not in "{[" and not text[:20].lstrip().startswith(("{", "[")):
        return text
    try:
        return from_json(text)
    except (ValueError, TypeError):  # no JSON, or half of a character, which is no text there
        return _printed(text)


def _separated(text: str) -> str:
    """Put commas into a list that numpy prints without them, and take its names out."""
    return _GAPS.sub(lambda found: found[1] or (", " if found[0].isspace() else ""), text)


def _printed(text: str) -> Json:
    if len(text) > _MOST_PRINTED or not text.rstrip().endswith(("}", "]")):
        return text
    try:
        value = ast.literal_eval(_separated(text.strip()))
        # not everything that Python prints is JSON, such as sets and infinity
        return from_json(json.dumps(value, allow_nan=False))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return text


def is_template(text: str) -> bool:
    """Tell whether a text has fields in braces."""
    return bool(fields_of(text))


@lru_cache(maxsize=4096)
def fields_of(template: str) -> tuple[str, ...]:
    """Give the paths in a template."""
    return tuple(match[1] for match in _FIELD.finditer(template) if match[1])


def fill(template: str, row: Row, variables: Values[str, Json]) -> str | None:
    """Fill a template; None where one of its values is missing."""
    if "{" not in template and "}" not in template:
        return template
    missing = False

    def value_of(match: re.Match[str]) -> str:
        nonlocal missing
        name = match[1]
        if name is None:
            return match[0][0]
        value = variables[name] if name in variables else find(row, name)
        missing = missing or value is None or value == ""
        return as_text(value)

    text = _FIELD.sub(value_of, template)
    return None if missing else text


def located(path: str, variables: Values[str, Json], row: Row) -> str:
    """Put the loop variables into a path, so that it names a column or leads into the row."""
    if path in row or "{" not in path:
        return path
    plain = _with(path, variables, str)
    return plain if plain in row else _with(path, variables, quoted)


def plain_name(path: str, variables: Values[str, Json]) -> str:
    """Put the loop variables into the name of a column."""
    return _with(path, variables, str)


def _with(path: str, variables: Values[str, Json], spell: Callable[[str], str]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match[1]
        known = name is not None and name in variables
        return spell(str(variables[name])) if known else match[0]

    return _FIELD.sub(value_of, path)


def as_text(value: object) -> str:
    """Spell any JSON value as text: lists of texts by paragraphs, objects as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NUMBERS):
        return repr(value)
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return "\n\n".join(value)
    return json.dumps(value, ensure_ascii=False)
