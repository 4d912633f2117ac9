"""A pattern finds what the regular expression finds, whatever it skips."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.scoring.patterns import Pattern, Searched, needles
from reviewer.scoring.scorer import ParameterError

PIECES = st.sampled_from(
    ["a", "S", "ki", "(ab|S)", "(?:i|s)", "[as]", r"[\]a]", "[^]s]", ".", r"\.", r"\w", "^", "$",
     "a?", "s*", "k+", "a{0,1}", "(as)?", "((a|k)s)", "|", " ", r"\x61", r"\b",
     r"[ \n]", r"[^\x61]", r"[\]\\]"]
)  # fmt: skip
TEXTS = st.text(st.sampled_from("aAsSkKiIb. \n\u0131\u017f\u0130]"), max_size=12)


@given(st.lists(PIECES, min_size=1, max_size=6).map("".join), TEXTS, st.booleans())
def test_search_equals_the_library(source: str, text: str, ignore_case: bool) -> None:
    try:
        plain = re.compile(source, re.IGNORECASE if ignore_case else 0)
    except re.error:
        return
    found = Pattern(source, ignore_case=ignore_case).search(Searched(text))
    expected = plain.search(text)
    assert (found and (found.start, found.end)) == (expected and expected.span())


@given(st.lists(PIECES, min_size=1, max_size=5).map("".join), TEXTS)
def test_flags_in_the_pattern(source: str, text: str) -> None:
    source = f"(?im){source}"
    try:
        expected = re.compile(source).search(text)
    except re.error:
        return
    found = Pattern(source).search(Searched(text))
    assert (found and (found.start, found.end)) == (expected and expected.span())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"(?i)connection (refused|lost)", (("connection ",), ("refused", "lost"))),
        (r"Traceback \(most", (("traceback (most",),)),
        ("a|b", ()),
        ("(?x) a b", ()),
        ("(?=ab)c", ()),
        (r"\x41bc", ()),
        ("ab?c", (("a",), ("c",))),
        (r"^[ \t]*File \"[^\"]+", (('file "',),)),
        (r"[\]\x41]\tb", ()),
    ],
)
def test_needles(source: str, expected: tuple[tuple[str, ...], ...]) -> None:
    assert needles(source) == expected


@pytest.mark.parametrize("source", ["(", "[a", "*", "a{99999999999}"])
def test_what_is_no_regular_expression_is_said(source: str) -> None:
    with pytest.raises(ParameterError, match="is no regular expression"):
        Pattern(source)
