"""A judge's further request parameters: a JSON object that goes along with every request."""

import json
from collections.abc import Mapping
from typing import Final, NoReturn

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.scoring.masking import is_secret, looks_secret

EXAMPLE: Final = '{"top_p": 0.9}'
LONGEST: Final = 10_000
_FIELDS: Final = ("model", "temperature", "max_tokens", "seed")
_OURS: Final = ("messages", "system", "prompt", "stream", "stream_options", "n", "tools",
                "tool_choice", "functions", "function_call")  # fmt: skip


def read(text: str) -> dict[str, JsonValue]:
    """Read parameters as they are typed; nothing typed is none.

    Raises:
        ReviewerError: It is no JSON object of parameters that a judge may have.
    """
    if not text.strip():
        return {}
    try:
        found = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise ReviewerError(
            f"The parameters are no JSON (line {error.lineno}, column {error.colno}: "
            f"{error.msg[:1].lower()}{error.msg[1:]}); an object such as {EXAMPLE} is expected."
        ) from None
    except RecursionError:
        raise ReviewerError("The parameters lie too deep in each other to be read.") from None
    if not isinstance(found, dict):
        raise ReviewerError(f"The parameters are {_kind(found)}; {EXAMPLE} is an example of one.")
    check(found)
    return found


def written(parameters: Mapping[str, JsonValue]) -> str:
    """Write parameters as they would be typed; nothing for none."""
    return json.dumps(dict(parameters), indent=2, ensure_ascii=False) if parameters else ""


def check(parameters: Mapping[str, JsonValue]) -> None:
    """Hold parameters to what may go along with a request and stand in a project.

    Raises:
        ReviewerError: One may not; the sentence names it.
    """
    for name in parameters:
        if name in _FIELDS:
            raise ReviewerError(f"The parameter {name!r} has a field of its own; leave it out.")
        if name in _OURS:
            raise ReviewerError(
                f"The parameter {name!r} is Reviewer's own: it decides what is asked and how the "
                "reply is read. Leave it out."
            )
    secret = _secret(dict(parameters))
    if secret is not None:
        raise ReviewerError(
            f"The parameter {secret!r} would stand in the project; store a key with the endpoint."
        )
    size = len(json.dumps(dict(parameters)))
    if size > LONGEST:
        raise ReviewerError(
            f"The parameters have {size:,} characters; at most {LONGEST:,} are expected."
        )


def _secret(value: JsonValue, name: str = "") -> str | None:
    """Find the name of what looks like a secret, however deep it lies."""
    if isinstance(value, dict):
        named = next((x for x in value if is_secret(x)), None)
        return named or next((x for k, v in value.items() if (x := _secret(v, k))), None)
    if isinstance(value, list):
        return next((x for v in value if (x := _secret(v, name))), None)
    return name if isinstance(value, str) and looks_secret(value) else None


def _once(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(x for x in names if names.count(x) > 1)
        raise ReviewerError(f"The parameter {twice!r} stands there twice; one is expected.")
    return made


def _no_number(text: str) -> NoReturn:
    raise ReviewerError(f"The parameters hold {text}, which is no number in JSON.")


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return f"{kinds.get(type(value), 'a number')}, no object"
