"""What a scorer says of one case: a value with its reasoning, or why there is none."""

from typing import Literal, NamedTuple

from reviewer.domain.evaluation import Score
from reviewer.domain.values import Value

FailureKind = Literal["missing", "input", "undefined", "parameters"]
"""`missing`: the record lacks the field. `input`: the field holds something that cannot be scored.
`undefined`: the figure does not exist for this case. `parameters`: the rubric's parameters are
wrong, so no case can be scored."""


class Hit(NamedTuple):
    """A place in the response: characters from `start` up to `end`, and what was looked for."""

    start: int
    end: int
    text: str
    sought: str


class ScoreOutcome(NamedTuple):
    """Hold a score with its reasoning in words.

    Attributes:
        value: the score on the metric's scale.
        reasoning: one or more sentences for the reader.
        hits: places in the response that the reasoning rests on, by position.
        examples: texts quoted as evidence.
    """

    value: Value
    reasoning: str
    hits: tuple[Hit, ...] = ()
    examples: tuple[str, ...] = ()


class Failure(NamedTuple):
    """Say why a case has no score."""

    kind: FailureKind
    text: str


Outcome = ScoreOutcome | Failure


def as_score(
    outcome: Outcome, metric: str, *, scorer: str, version: str, at: str | None = None
) -> Score:
    """Turn an outcome into a score to store; a failure becomes a null value with its error."""
    if isinstance(outcome, Failure):
        return Score(
            metric=metric,
            value=None,
            error=outcome.text,
            scorer=scorer,
            scorer_version=version,
            at=at,
        )
    return Score(
        metric=metric,
        value=outcome.value,
        reasoning=outcome.reasoning,
        examples=outcome.examples,
        scorer=scorer,
        scorer_version=version,
        at=at,
    )
