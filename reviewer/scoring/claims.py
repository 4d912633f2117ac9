"""Factual accuracy from a judge's list of claims: weighed, kept exact, corrected by a person."""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import JsonValue

from reviewer.scoring.answers import token_cosine
from reviewer.scoring.scorer import Case, Failure, Hit
from reviewer.scoring.texts import Folded, counted, quoted, tokens

Importance = Literal["major", "minor"]
ClaimVerdict = Literal["correct", "partly", "wrong", "unverifiable"]
GroundTruth = Literal["expected", "context", "none"]

WEIGHTS: Final[dict[str, float]] = {"major": 2.0, "minor": 1.0}
WORTH: Final[dict[str, float]] = {
    "correct": 1.0,
    "partly": 0.5,
    "wrong": 0.0,
    "unverifiable": 0.0,
}
_SAID: Final = {
    "partly": "is partly right",
    "wrong": "is wrong",
    "unverifiable": "cannot be verified",
}
_BREAK: Final = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z0-9])|\n+")
_LIKE_ENOUGH: Final = 0.3
NO_CLAIMS: Final = Failure(
    "undefined", "The judge found no claims in the response, so there is nothing to check."
)


@dataclass(frozen=True, slots=True)
class Claim:
    """Hold one claim of the response: what it says, how much it matters and whether it is right.

    Attributes:
        hit: where in the response it stands, None where no sentence is like it.
    """

    text: str
    importance: Importance
    verdict: ClaimVerdict
    evidence: str = ""
    hit: Hit | None = None


@dataclass(frozen=True, slots=True)
class ClaimsOutcome:
    """Hold a score that follows from claims.

    Attributes:
        value: Σ weight·worth / Σ weight, exact; major claims weigh 2, minor 1; correct is worth
            1, partly .5, wrong and unverifiable 0.
        ground_truth: what the claims were held against; the context where no answer was expected.
    """

    value: float
    reasoning: str
    claims: tuple[Claim, ...]
    ground_truth: GroundTruth

    @property
    def hits(self) -> tuple[Hit, ...]:
        """Give the places of the claims in the response."""
        return tuple(sorted(claim.hit for claim in self.claims if claim.hit))


def claims_score(claims: Sequence[Claim]) -> float | None:
    """Weigh claims into a score from 0 to 1; None without claims."""
    if not claims:
        return None
    weights = [WEIGHTS[claim.importance] for claim in claims]
    worth = [WORTH[claim.verdict] for claim in claims]
    return sum(weight * value for weight, value in zip(weights, worth, strict=True)) / sum(weights)


def score_claims(case: Case, reply: JsonValue) -> ClaimsOutcome | Failure:
    """Score a judge's reply `{"claims": [{text, importance, verdict, evidence}]}`.

    Args:
        case: whose response holds the claims.
        reply: the object, or its JSON text.
    """
    claims = read_claims(reply, case.response or "")
    if isinstance(claims, Failure):
        return claims
    return weigh(case, claims)


def weigh(case: Case, claims: Sequence[Claim]) -> ClaimsOutcome | Failure:
    """Score claims as they stand, also after a person has corrected a verdict."""
    value = claims_score(claims)
    if value is None:
        return NO_CLAIMS
    truth: GroundTruth = "none"
    if case.expected:
        truth = "expected"
    elif case.context:
        truth = "context"
    return ClaimsOutcome(
        value=value,
        reasoning=_reasoning(claims, truth),
        claims=tuple(claims),
        ground_truth=truth,
    )


def corrected(claims: Sequence[Claim], at: int, verdict: ClaimVerdict) -> tuple[Claim, ...]:
    """Give the claims with another verdict on one of them."""
    return tuple(
        replace(claim, verdict=verdict) if place == at else claim
        for place, claim in enumerate(claims)
    )


def read_claims(reply: JsonValue, response: str = "") -> tuple[Claim, ...] | Failure:
    """Read the claims of a judge's reply and find their places in the response."""
    if isinstance(reply, str):
        try:
            reply = json.loads(reply)
        except (ValueError, RecursionError):
            return Failure("input", 'The reply is no JSON; {"claims": [ … ]} is expected.')
    listed = reply.get("claims") if isinstance(reply, dict) else None
    if not isinstance(listed, list):
        return Failure("input", 'The reply has no list of claims; {"claims": [ … ]} is expected.')
    places = _Places(response)
    claims = []
    for number, item in enumerate(listed, 1):
        claim = _claim(item, places)
        if isinstance(claim, str):
            return Failure("input", f"Claim {number}: {claim}.")
        claims.append(claim)
    return tuple(claims)


def _claim(item: JsonValue, places: "_Places") -> Claim | str:
    if not isinstance(item, dict):
        return f"{item!r} was found, an object is expected"
    text, evidence = item.get("text"), item.get("evidence")
    importance, verdict = item.get("importance"), item.get("verdict")
    if not isinstance(text, str) or not text.strip():
        return "it has no text"
    if importance not in ("major", "minor"):
        return f"its importance is {importance!r}, major or minor is expected"
    if verdict not in ("correct", "partly", "wrong", "unverifiable"):
        return f"its verdict is {verdict!r}, one of {', '.join(WORTH)} is expected"
    said = evidence if isinstance(evidence, str) else ""
    return Claim(text, importance, verdict, said, places.of(text))  # type: ignore[arg-type]


class _Places:
    """The sentences of a response, to find the one that makes a claim."""

    def __init__(self, response: str) -> None:
        self.response = response
        self.folded = Folded(response)
        self.sentences = [(start, text, tokens(text)) for start, text in _sentences(response)]

    def of(self, claim: str) -> Hit | None:
        """Find the claim word for word, else the sentence most like it."""
        exact = self.folded.places(claim.lower())
        if exact:
            start, end = exact[0]
            return Hit(start, end, self.response[start:end], claim)
        words = tokens(claim)
        likeness = [token_cosine(words, found) for _, _, found in self.sentences]
        best = max(likeness, default=0.0)
        if best < _LIKE_ENOUGH:
            return None
        start, sentence, _ = self.sentences[likeness.index(best)]
        return Hit(start, start + len(sentence), sentence, claim)


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    start = 0
    for end, after in [*(match.span() for match in _BREAK.finditer(text)), (len(text), 0)]:
        sentence = text[start:end].strip()
        if sentence:
            yield text.index(sentence, start), sentence
        start = after


def _reasoning(claims: Sequence[Claim], truth: GroundTruth) -> str:
    counts = Counter(claim.verdict for claim in claims)
    kinds = ", ".join(f"{counts[verdict]} {verdict}" for verdict in WORTH if counts[verdict])  # type: ignore[index]
    sentences = [f"{counted(len(claims), 'claim')}: {kinds}."]
    for claim in claims:
        if claim.verdict in _SAID:
            why = f": {claim.evidence.strip()}" if claim.evidence.strip() else ""
            end = "" if why.endswith((".", "!", "?")) else "."
            sentences.append(f"{quoted(claim.text)} {_SAID[claim.verdict]}{why}{end}")
    if truth == "context":
        sentences.append("Held against the context, as the record has no expected answer.")
    return " ".join(sentences)
