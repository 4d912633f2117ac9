"""The texts of a case that the general scorers can be pointed at."""

import json
from collections.abc import Callable
from typing import Final

from reviewer.scoring.scorer import Case, Failure, Option, Settings, one_of

Field = Callable[[Case], str | None]


def _context(case: Case) -> str | None:
    if case.context is None or isinstance(case.context, str):
        return case.context
    return json.dumps(case.context, ensure_ascii=False)


_FIELDS: Final[dict[str, Field]] = {
    "response": lambda case: case.response,
    "question": lambda case: case.question,
    "expected": lambda case: case.expected,
    "context": _context,
    "error": lambda case: case.error,
}
FIELD: Final = Option(
    "field",
    default="response",
    help="The text that is looked at: response, question, expected, context or error.",
    check=one_of(*_FIELDS),
)


def field_of(settings: Settings) -> tuple[str, Field]:
    """Give the name of the chosen text and how to read it."""
    name = settings.text("field")
    return name, _FIELDS[name]


def absent(name: str) -> Failure:
    """Say that the record lacks the text."""
    return Failure("missing", f"The record has no {name}.")
