"""Projects whose judges are known to err, labelled by two people."""

from typing import Any

import numpy as np

from tests.building import record

Fields = dict[str, Any]


def said(value: int, labeler: str = "ann", metric: str = "accuracy", **more: Any) -> Fields:
    return {
        "metric": metric,
        "labeler": labeler,
        "value": value,
        "at": "2026-11-01T12:00:00Z",
        "blind": True,
        "kind": "label",
        **more,
    }


def scored(value: int, version: str | None = "1", **more: Any) -> Fields:
    named = {} if version is None else {"scorer_version": version}
    return {"metric": "accuracy", "value": value, "scorer": "judge", **named, **more}


def on_scale(value: int) -> int:
    return max(1, min(5, value))


def two_judges(count: int = 160, seed: int = 3) -> list[Fields]:
    """Every second response is labelled by one or two people; judge 2 is nearer than judge 1."""
    rng = np.random.default_rng(seed)
    made = []
    for number in range(1, count + 1):
        truth = int(rng.integers(1, 6))
        labels = []
        if number % 2 == 0:
            labels.append(said(truth))
        if number % 4 == 0:
            labels.append(said(on_scale(truth + int(rng.choice((0, 0, 0, 1)))), "bob"))
        made.append(
            record(
                number,
                input=f"Question number {number}?",
                response=f"Answer number {number}, word for word.",
                labels=labels,
                scores=[
                    scored(on_scale(truth + int(rng.choice((2, 1, -1, -2)))), cost_usd=0.0003,
                           latency_ms=200 + number),
                    scored(on_scale(truth + int(rng.choice((0, 0, 0, 0, 0, 1)))), "2",
                           cost_usd=0.0004),
                ],
            )
        )  # fmt: skip
    return made
