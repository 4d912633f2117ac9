"""What an evaluation says of itself."""

import math

import pytest

from reviewer.domain.errors import CancelledError, Silent, heed
from reviewer.domain.evaluation import Evaluation, Turn, as_written


@pytest.mark.parametrize(
    ("response", "said", "answer"),
    [
        ("Yes.", ["No."], "Yes."),
        (None, ["First.", "Last."], "Last."),
        ("", ["First.", ""], "First."),
        (None, [], ""),
    ],
)
def test_the_answer_is_the_response_or_what_was_said_last(
    response: str | None, said: list[str], answer: str
) -> None:
    messages = [
        Turn(role="user", content="Well?"),
        *(Turn(role="assistant", content=x) for x in said),
        Turn(role="user", content="Hm."),
    ]
    found = Evaluation(key=1, id="a", run="r", response=response, messages=tuple(messages))
    assert found.answer == answer


class Stopped(Silent):
    cancelled = True


def test_whoever_is_not_waited_for_stops() -> None:
    heed(None)
    heed(Silent())
    with pytest.raises(CancelledError, match="Nobody waits"):
        heed(Stopped())


@pytest.mark.parametrize("number", [3.0, -(2.0**53)])
def test_whole_numbers_are_written_whole(number: float) -> None:
    assert str(as_written(number)) == f"{number:.0f}"


@pytest.mark.parametrize("number", [0.5, 2.0**54, 1e25, math.inf])
def test_what_floats_do_not_hold_one_by_one_stays_as_it_is(number: float) -> None:
    assert as_written(number) is number
