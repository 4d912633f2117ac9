"""What an evaluation says of itself."""

import pytest

from reviewer.domain.errors import CancelledError, Silent, heed
from reviewer.domain.evaluation import Evaluation, Turn


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
