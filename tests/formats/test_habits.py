import pytest

from reviewer.formats import habits


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (["6,5", "7"], ","),
        (["1.234,5"], ","),
        (["1,234.5"], "."),
        (["1,234", "2,500"], "?"),
        (["1,234", "2.5"], "."),
        (["6.5", "7"], None),
        (["a, b"], None),
    ],
)
def test_what_stands_before_the_decimals(texts: list[str], sign: str | None) -> None:
    assert habits.decimal_of(texts) == sign


def test_numbers_are_spelled_with_a_point() -> None:
    assert habits.as_written("1.234,5", ",") == "1234.5"
    assert habits.as_written("-6,5", ",") == "-6.5"
    assert habits.as_written("4.25", ",") == "4.25"
    assert habits.as_written("1,234.5", ".") == "1234.5"
    assert habits.as_written("a, b", ".") == "a, b"


@pytest.mark.parametrize(
    ("texts", "order"),
    [
        (["01.10.2026"], "day-first"),
        (["13/10/2026", "10/01/2026"], "day-first"),
        (["10/13/2026"], "month-first"),
        (["10/01/2026"], "?"),
        (["13/10/2026", "10/13/2026"], None),
        (["2026-10-01"], None),
    ],
)
def test_what_comes_first_in_a_date(texts: list[str], order: str | None) -> None:
    assert habits.dates_of(texts) == order


def test_dates_become_iso() -> None:
    assert habits.time_of("01.10.2026", "month-first") == "2026-10-01"
    assert habits.time_of("10/01/26 2:05 PM", "month-first") == "2026-10-01T14:05:00"
    assert habits.time_of("10/01/2026", "day-first") == "2026-01-10"
    assert habits.time_of("31/02/2026", "day-first") is None
    assert habits.time_of("soon", "day-first") is None
