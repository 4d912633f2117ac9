"""What an evaluation says of itself: its answer, and the score that counts."""

import pytest

from reviewer.domain.errors import CancelledError
from reviewer.domain.evaluation import Evaluation, Score, Turn, newest_score
from reviewer.domain.progress import Silent, heed


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


SCORES = (
    Score(metric="m", value=1, scorer="judge", scorer_version="1", at="2026-01-01"),
    Score(metric="m", value=2, scorer="judge", scorer_version="2", at="2026-01-02"),
    Score(metric="m", value=None, scorer="judge", scorer_version="2", at="2026-01-03"),
    Score(metric="m", value=4, scorer="judge", scorer_version="2", at="2026-01-04", turn=1),
    Score(metric="m", value=5, scorer="other", at="2026-01-05"),
    Score(metric="n", value=3, scorer="judge", scorer_version="2", at="2026-01-06"),
)


@pytest.mark.parametrize(
    ("scorer", "value"), [("judge", 2), ("judge@1", 1), ("other", 5), ("nobody", None)]
)
def test_the_newest_score_without_error_counts(scorer: str, value: int | None) -> None:
    found = newest_score(SCORES, "m", scorer)
    assert (found.value if found else None) == value


def test_a_score_without_a_date_gives_way() -> None:
    undated = Score(metric="m", value=9, scorer="judge")
    found = newest_score((undated, SCORES[0]), "m", "judge")
    assert found is not None
    assert found.value == 1


class Stopped(Silent):
    cancelled = True


def test_whoever_is_not_waited_for_stops() -> None:
    heed(None)
    heed(Silent())
    with pytest.raises(CancelledError, match="Nobody waits"):
        heed(Stopped())
