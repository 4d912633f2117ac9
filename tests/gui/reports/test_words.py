"""How the rows of an export are written in the preview."""

import pytest

from reviewer.gui.reports.page import shown_value


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("messages", [{}, {}], "2 turns"),
        ("candidates", [{}], "1 candidate"),
        ("tags", ["a", "b"], "a, b"),
        ("scores", [{"metric": "accuracy", "value": 4.0}], "accuracy 4"),
        ("scores", [{"metric": "accuracy", "value": None, "error": "x"}], "accuracy failed"),
        ("labels", [{"metric": "safety", "value": 5, "labeler": "ann"}], "safety 5 (ann)"),
        (
            "labels",
            [{"metric": "safety", "value": None, "labeler": "ann", "kind": "withdrawn"}],
            "safety withdrawn (ann)",
        ),
        ("labels", {"ann": 2, "bo": 4.5}, "ann 2, bo 4.5"),
        ("latency_ms", 1.0 / 3, "0.333"),
        ("scores", "hidden until you have scored it", "hidden until you have scored it"),
        ("context", {"a": 1}, {"a": 1}),
    ],
)
def test_values_are_shown(name: str, value: object, shown: object) -> None:
    assert shown_value(name, value) == shown


def test_many_are_cut() -> None:
    entries = [{"metric": f"m{n}", "value": n} for n in range(9)]
    assert str(shown_value("scores", entries)).endswith("m5 5 and 3 more")
