"""Which conversations are not judged, and what is said of them."""

import pytest

from reviewer.domain.evaluation import Evaluation, Turn
from reviewer.domain.rubric import Rubric
from reviewer.scoring.judging.prechecks import excluded
from reviewer.services.project import rubrics


@pytest.fixture(scope="module")
def rubric() -> Rubric:
    return rubrics.shipped()["virtual-agent"]


def chat(*turns: tuple[str, int] | str) -> Evaluation:
    """Make a chat of (role, words); the text "human" is a person's turn."""
    made = [
        Turn(role="assistant", name="human agent", content="Hello, I am a person.")
        if isinstance(turn, str)
        else Turn(role=turn[0], content="word " * turn[1])  # type: ignore[arg-type]
        for turn in turns
    ]
    return Evaluation(key=1, id="c", run="r", messages=tuple(made))


def test_a_long_enough_chat_is_judged(rubric: Rubric) -> None:
    assert excluded(rubric, chat(("user", 100), ("assistant", 80))) is None
    assert excluded(rubric, chat(("user", 100), ("assistant", 80), "human")) is None


def test_words_after_the_human_do_not_count(rubric: Rubric) -> None:
    why = excluded(rubric, chat(("user", 100), ("assistant", 79), "human", ("user", 500)))
    assert why == "Fewer than 180 words before a human takes over: 179 of 180 words."


def test_a_greeting_is_no_answer(rubric: Rubric) -> None:
    why = excluded(rubric, chat(("assistant", 200), ("user", 10), "human"))
    assert why == "Handed over to a human at once, before the agent answered."


def test_a_chat_without_user(rubric: Rubric) -> None:
    assert excluded(rubric, chat(("assistant", 300))) == "No turn of the user."


def test_a_single_response_is_always_judged(rubric: Rubric) -> None:
    assert excluded(rubric, Evaluation(key=1, id="c", run="r", response="Hi")) is None
