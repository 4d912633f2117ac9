"""The palette finds what is meant first."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.gui.palette import rank


def test_a_text_matches_by_words_and_by_letters() -> None:
    assert rank("undo", "Undo") is not None
    assert rank("nxt eval", "Next evaluation") is not None
    assert rank("zebra", "Next evaluation") is None
    assert rank("close", "Exclude the selected responses…") is None
    assert rank("exsel", "Exclude the selected responses…") is not None


def test_a_word_start_beats_letters_strewn_about() -> None:
    whole, apart = rank("label", "Label it"), rank("label", "lead a bot elsewhere, later")
    assert whole is not None
    assert apart is not None
    assert whole > apart
    skip, other = rank("sk", "Skip"), rank("sk", "Settings, risk and kin")
    assert skip is not None
    assert other is not None
    assert skip > other


@given(st.text(max_size=20), st.text(max_size=40))
def test_a_text_always_answers_itself(query: str, more: str) -> None:
    assert rank(query, query + more) is not None


@given(st.text("ab ", max_size=6), st.text("abc ", max_size=12))
def test_matching_means_that_every_letter_is_there(query: str, text: str) -> None:
    if rank(query, text) is not None:
        assert set(query.replace(" ", "")) <= set(text)
