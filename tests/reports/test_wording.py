import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.reports import wording


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (0.8, "pass_rate", "80.0%"),
        (0.6875, "template_match_rate", "68.8%"),
        (0.004695, "avg_cost_usd", "$0.00470"),
        (12.5, "total_cost", "$12.50"),
        (1234.5, "avg_latency_ms", "1,234 ms"),
        (4.25, "relevance", "4.25"),
        (-0.1, "kappa", "−0.10"),
        (None, "pass_rate", "–"),
        (0.0, "pass_rate", "0.0%"),
    ],
)
def test_a_figure_is_written_in_the_unit_that_its_name_tells(
    value: float | None, name: str, text: str
) -> None:
    assert wording.figure(value, name) == text


def test_differences_have_a_sign_and_zero_has_none() -> None:
    assert wording.signed(0.25) == "+0.25"
    assert wording.signed(-0.25) == "−0.25"
    assert wording.signed(-0.001) == "0.00"
    assert wording.signed(None) == "–"


def test_intervals_stand_in_brackets() -> None:
    assert wording.interval([0.5, 0.75], "rate") == "[50.0%, 75.0%]"
    assert wording.interval(None) == wording.interval([None, None]) == ""


def test_what_turns_or_hides_text_is_made_visible() -> None:
    assert wording.visible("a\u202eb\x00c\r\nd\ud800") == "a·b·c\nd·"
    assert wording.visible(None) == ""


def test_long_texts_are_cut_and_say_so() -> None:
    shown = wording.visible("x" * 1_000_000)
    assert len(shown) < 5_100
    assert shown.endswith("… (995,000 more characters)")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("![x](http://a.example/p.png)", r"!\[x\](http://a.example/p.png)"),
        ("<img src=x>", r"\<img src=x>"),
        ("a | b\nc", r"a \| b c"),
        ("`code` *bold* & more", r"\`code\` \*bold\* &amp; more"),
        ("cost < 0.005 and >= 3", "cost < 0.005 and >= 3"),
    ],
)
def test_markdown_of_records_is_no_markup(text: str, line: str) -> None:
    assert wording.line(text) == line


def test_quotations_hold_every_line() -> None:
    assert wording.quoted("# head\n- list\n1. one\n2.5 is a number\n> nested") == (
        "  > \\# head\n  > \\- list\n  > 1\\. one\n  > 2.5 is a number\n  > \\> nested"
    )
    assert wording.quoted("") == "  > –"


@given(st.text())
def test_no_text_leaves_its_line(text: str) -> None:
    assert "\n" not in wording.line(text)
    assert all(part.startswith("  >") for part in wording.quoted(text).split("\n"))


def test_comparisons_are_written_as_people_do() -> None:
    assert wording.signs(">= 0.6 and <= 0.8") == "≥ 0.6 and ≤ 0.8"
