"""Read what a bot replied: its response, and everything that stands beside it."""

import json
import sys
from typing import Any, Final

from reviewer.domain.record import RECORD_KEYS, native_names
from reviewer.scoring.bots.kind import BotAnswer

EXPECTED: Final = '{"response": "…"} is expected'
_NUMBERS: Final = {"latency_ms": float, "tokens_in": int, "tokens_out": int, "cost_usd": float}
_OWN: Final = ("response", "error", "model", *_NUMBERS)
_OF_CASES: Final = (
    "id", "run", "case", "category", "complexity", "tags", "input", "expected",
    "expected_keywords", "expected_tools", "expected_sources", "candidates", "scores", "labels",
    "marks", "excluded", "unreadable", "meta", "occurred_at", "evaluated_at",
)  # fmt: skip
TOLD: Final = tuple(x for x in RECORD_KEYS if x not in (*_OF_CASES, *_OWN))
"""What a reply may tell of its answer, in the keys of the native format."""
FIELDS: Final = tuple(x for x in RECORD_KEYS if x in (*TOLD, *_OWN))
"""The same with response, error, model, tokens, cost and latency."""


def answer_of(reply: Any, took: float, *, who: str = "The command") -> BotAnswer:  # noqa: ANN401
    """Take the answer out of a reply such as {"response": "…", "tools_used": ["search"]}.

    An error beside a response is kept with it. Synonyms of the native format's keys are read.

    Args:
        reply: a JSON value.
        took: milliseconds from the question to the reply, where it tells no latency.
        who: gave it, for the sentence where there is no response.
    """
    fields = native_names(reply) if isinstance(reply, dict) else {}
    response, error = _text(fields.get("response")), _said(fields.get("error"))
    if response is None and error is None and not fields.get("messages"):
        error = f"{who} gave no response; {EXPECTED}."
    known: dict[str, Any] = {
        name: kind(fields[name])
        for name, kind in _NUMBERS.items()
        if isinstance(fields.get(name), int | float) and _is_number(fields[name])
    }
    beside = {
        name: value for name, value in fields.items() if name not in _OWN and value is not None
    }
    model = fields.get("model")
    return BotAnswer(
        response=response,
        error=error,
        model=model if isinstance(model, str) else None,
        beside=beside,
        **({"latency_ms": took} | known),
    )


def _is_number(value: float) -> bool:
    """Tell what can be counted from truth values and numbers beyond any number."""
    return not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _text(value: Any) -> str | None:  # noqa: ANN401
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else value if isinstance(value, str) else None


def _said(value: Any) -> str | None:  # noqa: ANN401
    """Give an error as text; what is empty or false is none."""
    if not value:
        return None
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
