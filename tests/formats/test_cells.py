from typing import Any

import pytest

from reviewer.formats.cells import (
    CellError,
    combined,
    holds,
    looks_like,
    texts_of,
    time_of,
    value_of,
)
from reviewer.formats.mapping import Rule


def value(raw: object, *, texts: bool = True, **rule: Any) -> object:
    return value_of(raw, Rule.model_validate(rule), texts=texts)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("4", 4), ("4.0", 4.0), ("-1e3", -1000.0), ("TRUE", True), ("false", False), (" ok ", "ok")],
)
def test_cells_of_a_table_are_read_as_they_look(text: str, expected: object) -> None:
    found = looks_like(text)
    assert found == expected
    assert type(found) is type(expected)


def test_texts_of_json_are_never_read_as_numbers() -> None:
    assert value("4", texts=False) == "4"
    assert value(4, texts=False) == 4


def test_a_score_is_taken_out_of_prose() -> None:
    patterns = [r"score: (\d)", r"(\d)/5"]
    assert value("Good. Final score: 4.", extract=patterns, texts=False) == 4
    assert value("I say 3/5", extract=patterns) == 3
    with pytest.raises(CellError, match="none of the patterns"):
        value("no score here", extract=patterns)


def test_categories_become_numbers() -> None:
    table = {"A": 5, "1.5": "tie", "*": 0}
    assert value("A", map=table) == 5
    assert value(1.50, texts=False, map=table) == "tie"
    assert value("else", map=table) == 0
    with pytest.raises(CellError, match="not in the map; Yes are"):
        value("No", map={"Yes": 1})


def test_a_declared_scale_is_moved() -> None:
    scale = {"from": [0, 2], "to": [1, 5]}
    assert value("1", scale=scale) == 3
    assert value("0.5", scale=scale) == 2.0
    with pytest.raises(CellError, match="scale is declared"):
        value("good", scale=scale)


def test_blank_and_skipped_cells_are_no_values() -> None:
    assert value("  ") is None
    assert value(None) is None
    assert value("N/A (none)", skip=["N/A*"]) is None


def test_a_kind_is_insisted_on() -> None:
    assert value("Pass", as_="boolean") is True
    assert value(1, texts=False, as_="text") == "1"
    for kind in ("number", "boolean"):
        with pytest.raises(CellError):
            value("perhaps", as_=kind)


def test_several_become_one() -> None:
    assert combined([4, 4, 5], "mean") == pytest.approx(13 / 3)
    assert combined(["a", "b", "a"], "majority") == "a"
    assert combined(["a", "b"], "majority") is None
    assert combined([], "mean") is None


def test_conditions_know_blank_and_filled() -> None:
    row = {"type": "match", "edited": None, "ok": True, "list": [None]}
    assert holds(row, {"type": "match", "edited": "", "ok": True, "list": ""})
    assert not holds(row, {"edited": "*"})
    assert holds(row, {"type": ("match", "metrics")})


def test_times_in_seconds_and_milliseconds_are_understood() -> None:
    assert time_of(1_700_000_000) == time_of("1700000000000") == "2023-11-14T22:13:20Z"
    assert time_of("2026-11-01 10:00:00") == "2026-11-01 10:00:00"
    with pytest.raises(CellError, match="ISO 8601"):
        time_of("yesterday")


def test_lists_come_from_lists_json_and_separators() -> None:
    assert texts_of(["a", 1], None) == ["a", "1"]
    assert texts_of('["a", "b"]', None) == ["a", "b"]
    assert texts_of("a; b,c", None) == ["a", "b", "c"]
    assert texts_of("a / b", " / ") == ["a", "b"]
