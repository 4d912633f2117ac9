import pytest

from reviewer.services.checks.check import Check, document, held


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
    value: float, limit: float, side: str, ok: bool
) -> None:
    found = held("x", value, limit, n=3, side=side)  # type: ignore[arg-type]

    assert found.ok is ok
    assert (found.reason is None) is ok


def test_an_undefined_value_does_not_hold_and_says_why() -> None:
    found = held("x", None, 0.5, n=0, undefined="nobody labelled")

    assert not found.ok
    assert found.to_json() == {
        "name": "x", "value": None, "limit": 0.5, "n": 0, "ok": False, "reason": "nobody labelled"
    }  # fmt: skip


def test_the_document_holds_only_where_every_check_does() -> None:
    good = Check("a", 1, 1, 5, ok=True)
    bad = held("b", 0.1, 0.5, n=5)

    assert document([good]) == {
        "ok": True, "checks": [{"name": "a", "value": 1, "limit": 1, "n": 5, "ok": True}]
    }  # fmt: skip
    assert document([good, bad])["ok"] is False
