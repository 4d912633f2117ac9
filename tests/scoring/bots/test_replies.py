"""What bots reply is read, and what is no number is none."""

import json

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.scoring.bots.kind import MOST_PLACES, check_places
from reviewer.scoring.bots.replies import answer_of


@pytest.mark.parametrize("number", ["1e999", "-Infinity", "NaN", "9" * 400, "true"])
def test_a_number_beyond_any_number_is_none(number: str) -> None:
    reply = json.loads(f'{{"response": "Yes.", "tokens_in": {number}, "latency_ms": {number}}}')
    answer = answer_of(reply, 2.0)
    assert (answer.response, answer.tokens_in, answer.latency_ms) == ("Yes.", None, 2.0)


def test_a_template_names_so_many_places_at_most() -> None:
    check_places("{{ question }}" * MOST_PLACES, ("question",), ("question",))
    with pytest.raises(ReviewerError, match="names 101 places; at most 100 are filled in"):
        check_places("{{ question }}" * (MOST_PLACES + 1), ("question",), ())
