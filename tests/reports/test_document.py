import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from reviewer.reports import document
from reviewer.reports.document import Rows, plain

MOMENT = datetime(2026, 11, 21, 7, 5, 9, tzinfo=UTC)


def test_rows_are_written_as_a_list_would_be() -> None:
    rows: list[dict[str, Any]] = [
        {"text": "a\nb é \u2028", "deep": {"n": [1, 2.5, None], "none": {}}},
        {"half": "\ud800"},
    ]
    made = {
        "first": {
            "rows": Rows(2, lambda: iter(rows)),
            "empty": Rows(0, lambda: iter([])),
            "n": {},
        },
        "last": [1, {"x": True}],
    }
    text = "".join(document.as_json(made))
    assert text == json.dumps(plain(made), ensure_ascii=False, indent=2) + "\n"
    assert plain(made)["first"]["rows"] == rows


def test_rows_are_read_when_they_are_walked_through() -> None:
    rows = Rows(3, lambda: ({"n": n} for n in range(3)))
    assert len(rows) == 3
    assert [x["n"] for x in rows] == [x["n"] for x in rows] == [0, 1, 2]
    assert rows[1:] == [{"n": 1}, {"n": 2}]


def test_what_is_no_number_is_refused() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        "".join(document.as_json({"mean": float("nan")}))


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), b"x", MOMENT, Path("x"), {1}])
def test_what_is_no_json_is_refused_in_rows_too(wrong: object) -> None:
    fine = {"n": [1.5, None, True, "NaN"], "tuple": (1, 2)}
    said = json.dumps([fine], indent=2)
    assert "".join(document.as_json({"rows": Rows(1, lambda: iter([fine]))})) == (
        '{\n  "rows": ' + said.replace("\n", "\n  ") + "\n}\n"
    )
    rows: list[dict[str, Any]] = [fine, {"deep": [{"value": wrong}]}]
    with pytest.raises((ValueError, TypeError), match="JSON"):
        "".join(document.as_json({"rows": Rows(2, lambda: iter(rows))}))
