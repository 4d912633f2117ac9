"""Patterns that would take forever end in time with a sentence; others find what `re` finds."""

import re
import time

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.confined import patterns
from reviewer.confined.patterns import Pattern, PatternError
from reviewer.confined.process import MEGABYTE

PIECES = st.sampled_from(
    ["a", "b", "(a)", "(a|b)", "(b)?", "a+", "b*", "[ab]", ".", "^", "$", "|", "a{1,2}", r"\b"]
)


@given(st.lists(PIECES, min_size=1, max_size=5).map("".join), st.text("ab\n", max_size=8))
def test_what_is_found_is_what_the_library_finds(source: str, text: str) -> None:
    expected = re.compile(source).search(text)
    found = Pattern(source).search(text)
    assert (found and (found.start, found.end, found.text)) == (
        expected and (*expected.span(), expected.group())
    )
    if found and expected:
        assert found.group == expected[1 if expected.lastindex else 0]


def test_a_group_that_repeats_is_searched_for_as_well() -> None:
    found = Pattern(r"(\w+ )+(\d+)?").search("one two three")
    assert found == (0, 8, "one two ", "two ")
    assert Pattern("(a|b)+x").search("abab") is None


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("(a+)+$", "a" * 60 + "b"),
        ("(a|a)*b", "a" * 60),
        ("(?x)( a | a ) # so\n * b", "a" * 60),
        ("(a?)(a?)" * 20 + "c", "a" * 40),
        ("x+x+y", "x" * 100_000),
        (r"\s+$", " " * 500_000 + "x"),
        ("(.*)\\1{2,}z", "ab" * 4_000),
        ("(?i)" + "a?" * 40 + "b", "a" * 40),
        ("(?:a|b)*c", "ab" * 3_000_000),
    ],
)
def test_a_search_without_end_is_ended(source: str, text: str) -> None:
    before, room = time.monotonic(), psutil.Process().memory_info().rss
    with pytest.raises(PatternError, match=r"on [\d,]+ characters: it gave no answer within 2 s"):
        Pattern(source).search(text)
    assert time.monotonic() - before < patterns.SECONDS + 1 + START
    assert psutil.Process().memory_info().rss - room < 64 * MEGABYTE


START = 8
"""Seconds in which a process is started on a machine that has other work, too."""


def test_a_pattern_that_fails_again_and_again_is_not_tried_any_more() -> None:
    pattern = Pattern("(b+)+$")
    for _ in range(3):
        with pytest.raises(PatternError, match="within 2 s"):
            pattern.search("b" * 60 + "c")
    before = time.monotonic()
    with pytest.raises(PatternError, match=r"'\(b\+\)\+\$' on 61 .* too much 3 times; it is not"):
        pattern.search("b" * 60 + "c")
    assert time.monotonic() - before < 1


def test_a_pattern_that_takes_long_to_be_read_is_refused() -> None:
    with pytest.raises(ValueError, match="within 2 s"):
        Pattern("[\x01-\uffff]" * 2_000, re.IGNORECASE)
    with pytest.raises(ValueError, match=r"30,000 characters; at most 20,000"):
        Pattern("a" * 30_000)
    with pytest.raises(ValueError, match="missing \\)"):
        Pattern("[a-z]" * 300 + "(")
    assert Pattern("[a-z]" * 300).search("q" * 300) is not None


def test_a_long_pattern_is_cut_in_its_sentence() -> None:
    with pytest.raises(PatternError) as error:
        Pattern("(c+)+$|" + "z" * 900).search("c" * 60 + "d")
    assert len(str(error.value)) < 300
