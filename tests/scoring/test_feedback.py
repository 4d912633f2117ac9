"""The end users' reactions become a score."""

import pytest

from reviewer.scoring.feedback import USER_FEEDBACK
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome


def scored(feedback: object, **parameters: object) -> ScoreOutcome | Failure:
    case = Case(feedback=feedback)  # type: ignore[arg-type]
    return USER_FEEDBACK.score(case, parameters)  # type: ignore[arg-type]


def value(feedback: object, **parameters: object) -> object:
    outcome = scored(feedback, **parameters)
    assert isinstance(outcome, ScoreOutcome)
    return outcome.value


def test_thumbs_and_numbers() -> None:
    assert value([{"value": "up"}]) == 1
    assert value([{"value": "up"}, {"value": "down"}]) == 0.5
    assert value([{"value": 4}, {"value": 5}]) == 4.5
    assert value([{"value": "up"}], up=5, down=1) == 5


def test_the_newest_reaction_of_each_user_counts() -> None:
    reactions = [
        {"value": "up", "user": "a", "at": "2026-10-02"},
        {"value": "down", "user": "a", "at": "2026-10-01"},
        {"value": "down", "user": "b", "at": "2026-10-03"},
    ]
    assert value(reactions) == 0.5
    assert value(reactions, combine="latest") == 0


def test_comments_are_quoted() -> None:
    outcome = scored([{"value": "down", "comment": "wrong month"}])
    assert isinstance(outcome, ScoreOutcome)
    assert outcome.reasoning == "1 reaction: 0 up, 1 down. “wrong month”."
    assert outcome.examples == ("wrong month",)


@pytest.mark.parametrize("feedback", [None, [], [{"comment": "no thumb"}]])
def test_no_feedback_is_missing(feedback: object) -> None:
    assert scored(feedback) == Failure("missing", "The record has no user feedback.")


@pytest.mark.parametrize("feedback", ["up", {"value": "up"}, [{"value": "great"}], [True], [[1]]])
def test_other_reactions_are_said(feedback: object) -> None:
    outcome = scored(feedback)
    assert isinstance(outcome, Failure)
    assert outcome.kind == "input"
