"""A judge leans one way, neither way, or it cannot be said: never more than labels support."""

from typing import Any

import numpy as np
import pytest

from reviewer.domain.rubric import Level, Metric
from reviewer.services.figures.statistics_words import bias_that_matters, leaning
from reviewer.stats.agreement import agreement
from reviewer.stats.intervals import IntervalPolicy
from reviewer.stats.values import Scale
from tests.stats.tables import table_evidence

GRID = (1.0, 2.0, 3.0, 4.0, 5.0)
ACCURACY = Metric(name="accuracy", levels=tuple(Level(value=x) for x in range(1, 6)))


def said(table: list[list[int]], metric: Metric = ACCURACY) -> tuple[str, str]:
    found = agreement(table_evidence(table, Scale(GRID)), IntervalPolicy())
    made = leaning(metric, found, 0.25, found.n)
    return made.state, made.sentence


def diagonal(n: int, high: int = 0) -> list[list[int]]:
    table = [[n if row == column else 0 for column in range(5)] for row in range(5)]
    table[1][4] = high
    return table


def test_direction_and_size_are_said() -> None:
    assert said(diagonal(10, high=40)) == (
        "too_high", "The judge scores Accuracy 1.33 too high."
    )  # fmt: skip


def test_neither_is_said_where_what_is_left_would_not_matter() -> None:
    table = diagonal(20)
    table[3][4] = table[4][3] = 2
    assert said(table) == (
        "neither", "On average the judge scores Accuracy neither too high nor too low."
    )  # fmt: skip


def test_no_difference_found_is_no_proof_of_none() -> None:
    table = diagonal(4)
    table[0][4] = table[4][0] = 8
    state, sentence = said(table)
    assert state == "open"
    assert "cannot be said yet – its bias lies between −" in sentence
    assert sentence.endswith("and ±0.25 would matter.")


@pytest.mark.parametrize(
    ("table", "state", "sentence"),
    [
        (diagonal(0), "unlabelled", "Nobody has labelled Accuracy in this scope yet."),
        (diagonal(1), "too_few", "Not enough labels for a verdict on Accuracy: 5 of 30."),
    ],
)
def test_too_few_labels_say_nothing(table: list[list[int]], state: str, sentence: str) -> None:
    assert said(table) == (state, sentence)


@pytest.mark.parametrize(
    ("made", "limit"),
    [
        ({"levels": [1, 2, 3, 4, 5]}, 0.25),
        ({"levels": [1, 2, 3]}, 0.25),
        ({"levels": [0, 0.3, 0.6, 0.8, 1]}, 0.0625),
        ({"scale": "range", "min": 0, "max": 100}, 6.25),
        ({"scale": "binary"}, 0.0625),
        ({"scale": "categorical", "values": ("a", "b")}, None),
    ],
)
def test_what_matters_is_a_quarter_of_a_level_or_of_a_quarter(
    made: dict[str, Any], limit: float | None
) -> None:
    levels = tuple(Level(value=x) for x in made.pop("levels", ()))
    assert bias_that_matters(Metric(name="x", levels=levels, **made), 0.25) == pytest.approx(limit)


def test_neither_is_hardly_ever_said_of_a_judge_that_leans() -> None:
    """30 labels, a bias of 0.3 standard deviations: of 400 sets at most a few say neither.

    Whether an interval holds 0 would say it in about 64 % of them.
    """
    rng, told, zero = np.random.default_rng(3), 0, 0
    sizes = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    shares = np.array([0.12, 0.28, 0.36, 0.16, 0.08])
    assert float(shares @ sizes) == pytest.approx(-0.2)
    for _ in range(400):
        table = [[0] * 5 for _ in range(5)]
        for gap in rng.choice(sizes, 30, p=shares):
            table[2 + int(gap)][2] += 1
        found = agreement(table_evidence(table, Scale(GRID)), IntervalPolicy(resamples=0))
        interval = found.intervals["bias"]
        zero += interval.low <= 0 <= interval.high
        told += leaning(ACCURACY, found, 0.25, found.n).state == "neither"
    assert zero > 200
    assert told < 20
