"""What a judge replied: scores and claims, read from JSON."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from reviewer.domain.evaluation import JsonValue, Value
from reviewer.domain.rubric import TIE, Metric
from reviewer.scoring.calling import ReplyError
from reviewer.scoring.masking import whole

CUT_REASONING: Final = 20_000
"""Characters of reasoning that a score keeps; the raw reply stands beside it."""
_OBJECTS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A judge's reply, read.

    Attributes:
        value: The score; None where the score follows from claims.
        claims: The list of claims as it came, for `scoring.claims`.
    """

    value: Value | None
    reasoning: str = ""
    examples: tuple[str, ...] = ()
    confidence: float | None = None
    claims: JsonValue = None
    rest: dict[str, JsonValue] = field(default_factory=dict)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    score: bool | int | float | str | None = None
    reasoning: str | None = Field(
        default=None, validation_alias=AliasChoices("reasoning", "reason")
    )
    examples: list[str] | None = None
    confidence: float | int | None = Field(default=None, ge=0, le=1)


def reader(
    metric: Metric, *, candidates: tuple[str, ...] = (), claims: bool = False
) -> Callable[[str], Verdict]:
    """Give what reads replies about a metric.

    Args:
        metric: whose scale a score must lie on; between levels is allowed, outside is not.
        candidates: of a comparison, one of which or "tie" is expected.
        claims: whether a list of claims is expected instead of a score.
    """

    def read(text: str) -> Verdict:
        reply = _only_object(text, "claims" if claims else "score")
        if claims:
            return _claims(reply)
        found = _checked(reply)
        if found.score is None:
            raise ReplyError('The JSON object has no "score".')
        problem = (
            _no_candidate(found.score, candidates)
            if candidates
            else metric.score_problem(found.score)
        )
        if problem is not None:
            raise ReplyError(f"The score {found.score!r} cannot be taken: {problem}.")
        return Verdict(
            value=found.score,
            reasoning=(found.reasoning or "")[:CUT_REASONING],
            examples=tuple(found.examples or ()),
            confidence=None if found.confidence is None else float(found.confidence),
        )

    return read


def _claims(reply: dict[str, JsonValue]) -> Verdict:
    if not isinstance(reply.get("claims"), list):
        raise ReplyError('The JSON object has no list "claims".')
    return Verdict(value=None, claims=reply)


def _no_candidate(score: object, candidates: tuple[str, ...]) -> str | None:
    if score in (*candidates, TIE):
        return None
    return f"one of {', '.join((*candidates, TIE))} is expected"


def _checked(reply: dict[str, JsonValue]) -> _Reply:
    try:
        return _Reply.model_validate(reply)
    except ValidationError as error:
        first = error.errors()[0]
        where = first["loc"][0] if first["loc"] else "reply"
        found = repr(first["input"])[:80]
        wanted = {
            "score": "a number",
            "confidence": "a number from 0 to 1",
            "examples": "a list of texts",
        }.get(str(where), "a text")
        raise ReplyError(f'"{where}" is {found}; {wanted} is expected.') from None


def _only_object(text: str, wanted: str) -> dict[str, JsonValue]:
    if not text.strip():
        raise ReplyError("The reply is empty.")
    found = [each for each in _objects(text) if wanted in each]
    if not found:
        raise ReplyError(f'The reply holds no JSON object with "{wanted}".')
    if any(each != found[0] for each in found[1:]):
        raise ReplyError(f'The reply holds {len(found)} JSON objects with "{wanted}"; one counts.')
    return found[0]


def _objects(text: str) -> Iterator[dict[str, JsonValue]]:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    at = text.find("{")
    for _ in range(_OBJECTS):
        if at < 0:
            return
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(found, dict):
                # escapes may name halves of characters that the reply itself does not hold
                yield json.loads(whole(json.dumps(found, ensure_ascii=False)))
        at = text.find("{", end)


def _refuse(constant: str) -> float:
    raise ReplyError(f"The reply holds {constant}, which is no number; one is expected.")
