"""Tokens, and places in lower case that lead back to the original."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.texts import Folded, counted, plain, shown, tokens

LETTERS = st.text(st.sampled_from("aAİßΣ\u03c3 ,.'0123456789\u00a0"), max_size=25)


def test_tokens_lose_punctuation_at_both_ends_only() -> None:
    assert tokens('(Open) 9-5, "Mon.–Fri." ... don\'t') == {"open", "9-5", "mon.–fri", "don't"}


def test_plain_keeps_punctuation() -> None:
    assert plain("  A,\n b\t C ") == "a, b c"


def test_numbers_are_written_without_a_needless_end() -> None:
    assert [shown(x) for x in (4.0, 2.59, 0.1 + 0.2)] == ["4", "2.59", "0.30000000000000004"]
    assert counted(1, "claim") == "1 claim"
    assert counted(0, "claim") == "0 claims"


@given(LETTERS, st.integers(0, 25), st.integers(1, 5))
def test_a_piece_of_the_lower_text_is_found(text: str, start: int, size: int) -> None:
    piece = text.lower()[start : start + size]
    if piece:
        places = Folded(text).places(piece, numbers=True)
        assert places
        assert all(0 <= a < b <= len(text) for a, b in places)
        assert any(piece in text[a:b].lower() or "Σ" in text for a, b in places)


@given(st.integers(0, 10**12), st.sampled_from(",'\u2019\u2009\u202f\u00a0"), LETTERS)
def test_a_grouped_number_is_found(number: int, separator: str, before: str) -> None:
    grouped = f"{number:,}".replace(",", separator)
    text = f"{before.rstrip('0123456789')} {grouped}."
    a, b = Folded(text).places(str(number), numbers=True)[-1]
    assert text[a:b].replace(separator, "") == str(number)
