"""The word diff loses nothing of either side."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.kit.theme import Theme
from reviewer.gui.kit.word_diff import are_alike, diff_markup, word_diff

WORDS = st.lists(st.sampled_from(["pool", "open", "8:00", "heated", "not", "\n"]), max_size=12)


@given(WORDS, WORDS)
def test_both_texts_can_be_read_back(expected: list[str], response: list[str]) -> None:
    old, new = " ".join(expected), " ".join(response)
    pieces = word_diff(old, new)
    assert "".join(words for how, words in pieces if how != "removed") == new
    kept = "".join(words for how, words in pieces if how != "added")
    assert kept.split() == old.split()


def test_changed_words_are_named() -> None:
    pieces = word_diff("check-in is at 3 pm", "check-in is at 2 pm")
    assert ("removed", "3") in pieces
    assert ("added", "2") in pieces


def test_what_is_struck_and_what_is_added_stand_apart() -> None:
    colours = Theme("light", 100).colours
    markup = diff_markup([("same", "at "), ("removed", "3"), ("added", "2")], colours)
    assert re.sub("<.*?>", "", markup) == "at 3 2"
    # where words stand apart already, nothing is put between
    markup = diff_markup([("removed", "at 3 "), ("added", "2")], colours)
    assert re.sub("<.*?>", "", markup) == "at 3 2"


def test_an_instruction_is_not_compared_with_an_answer() -> None:
    answer = "Sie erreichen uns mit dem Nachtzug um 6:40 Uhr, wir holen Sie ab."
    assert not are_alike("Answer in German: the arrival and who picks them up.", answer)
    assert are_alike("Wir holen Sie um 6:40 Uhr ab.", answer)
    assert not are_alike("", answer)


@pytest.mark.parametrize(
    ("expected", "response"),
    [
        (
            "Do not send the password; it is on the card in the kitchen.",
            "Of course! The network is HarbourLoft and the password is Seagull2026.",
        ),
        (
            "No card data in the chat; use the payment page.",
            "No problem, just type the full card number, the expiry date and the three digits on "
            "the back, and I'll enter them for you.",
        ),
        (
            "Stay calm, do not join the insult; quiet hours 10 p.m. to 7 a.m.; tell the host.",
            "I understand, such people often have no manners. Quiet hours are from 10 p.m. to 7 "
            "a.m., I'll make sure that he is thrown out.",
        ),
        (
            "The context does not say; only check-in from 5 p.m.",
            "Yes, the host will be waiting for you from 5 p.m. with a glass of local wine!",
        ),
    ],
)
def test_some_words_in_common_make_no_answer_of_an_instruction(
    expected: str, response: str
) -> None:
    assert not are_alike(expected, response)


@pytest.mark.parametrize(
    ("expected", "response"),
    [
        ("Within 7 days after check-out.", "It is returned within 7 days after check-out."),
        (
            "The fee is 20 cents a day, at most 6 euros.",
            "The fee is 30 cents a day, at most 6 euros for each item.",
        ),
        (
            "6 nights, 27 December to 2 January.",
            "You booked 7 nights, from 27 December to 2 January.",
        ),
    ],
)
def test_answers_are_compared(expected: str, response: str) -> None:
    assert are_alike(expected, response)
