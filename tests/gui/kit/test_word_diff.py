"""The word diff loses nothing of either side."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.kit.word_diff import word_diff

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
