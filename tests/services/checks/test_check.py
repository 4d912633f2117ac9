import pytest

from reviewer.services.checks.check import (
    Check,
    Side,
    held,
    held_by_interval,
)
from reviewer.services.checks.checking import Checked
from reviewer.services.checks.words import Subject
from reviewer.services.figures.trust_words import NOTHING
from reviewer.stats.clustering import Quantity

AROUND = Quantity(0.85, 100, 0.76, 0.91)


@pytest.mark.parametrize(
    ("value", "limit", "side", "ok"),
    [
        (0.8, 0.8, "least", True),
        (0.7999999999, 0.8, "least", True),
        (0.79999, 0.8, "least", False),
        (0.3, 0.1 + 0.2, "most", True),
        (0.301, 0.3, "most", False),
    ],
)
def test_limits_are_compared_on_nine_decimals(
    value: float, limit: float, side: Side, ok: bool
) -> None:
    found = held("x", Quantity(value, 3), limit, side=side)

    assert found.ok is ok
    assert (found.reason is None) is ok


@pytest.mark.parametrize(
    ("side", "limit", "state"),
    [
        ("least", 0.76, "holds"),
        ("least", 0.77, "fails"),
        ("most", 0.91, "holds"),
        ("most", 0.9, "fails"),
    ],
)
def test_an_end_of_the_interval_can_count(side: Side, limit: float, state: str) -> None:
    found = held("x", AROUND, limit, side=side, by_end=True)
    assert (found.state, found.value, found.low, found.high) == (state, 0.85, 0.76, 0.91)
    assert held("x", AROUND, limit, side=side).ok


def test_without_an_interval_its_end_fails() -> None:
    found = held("x", Quantity(0.85, 9), 0.1, by_end=True)
    assert (found.state, found.reason) == ("fails", "it has no interval, whose end would count")


@pytest.mark.parametrize(
    ("least", "state"),
    [(0.7, "holds"), (0.76, "holds"), (0.8, "cannot_be_said"), (0.91, "cannot_be_said"),
     (0.92, "fails")],
)  # fmt: skip
def test_an_interval_holds_fails_or_cannot_say(least: float, state: str) -> None:
    found = held_by_interval("x", AROUND, least)
    assert found.state == state
    assert found.ok is (state == "holds")
    assert (found.reason is None) is found.ok


def test_without_a_corrected_rate_nothing_can_be_said() -> None:
    found = held_by_interval("x", Quantity(None, 2, reason="2 of the 10 labels"), 0.5)
    assert (found.state, found.reason) == (
        "cannot_be_said",
        "it cannot be said: 2 of the 10 labels",
    )


def test_what_is_scored_in_part_does_not_hold() -> None:
    whole = held("x", Quantity(1.0, 1), 0.8)
    part = whole.covering(1 / 12, 1)
    assert (whole.ok, part.ok, part.coverage) == (True, False, 1 / 12)
    assert part.reason == (
        "only 8.3 % of the evaluations are scored, and the least is 100 % (--min-coverage)"
    )
    assert whole.covering(1 / 12, 0.08).ok
    assert whole.covering(None, 1).coverage is None


def test_an_undefined_value_does_not_hold_and_says_why() -> None:
    found = held("x", Quantity(None, 0, reason="nobody labelled"), 0.5)

    assert not found.ok
    assert found.to_json() == {
        "name": "x", "value": None, "limit": 0.5, "n": 0, "low": None, "high": None,
        "coverage": None, "people": None, "corrected": None, "state": "fails", "ok": False,
        "reason": "nobody labelled",
    }  # fmt: skip


def test_the_document_holds_only_where_every_check_does() -> None:
    good = Check(name="a", value=1, limit=1, n=5, state="holds")
    bad = held("b", Quantity(0.1, 5), 0.5)

    document = Checked((good,), Subject()).to_json()
    assert list(document) == ["ok", "checks", "record", "sentence", "trust"]
    assert (document["ok"], document["checks"], document["record"]) == (True, [good.to_json()], [])
    assert document["trust"] == {"headline": NOTHING, "metrics": {}}
    assert "reason" not in good.to_json()
    assert Checked((good, bad), Subject()).to_json()["ok"] is False
