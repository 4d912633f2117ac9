"""Human scores of many evaluations at once equal those of one evaluation at a time."""

import math
from array import array
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.domain.rubric import Metric
from reviewer.services.figures import human_columns
from reviewer.services.figures.human_columns import Entries, LabelArrays, Patterns, numbers
from reviewer.services.figures.human_scores import (
    Choice,
    Entry,
    choice_of,
    human_score,
    number_of,
)
from reviewer.stats.values import Combine, combine_labels, majority
from reviewer.store.figures import UNDATED, LabelColumns
from tests.services.figure_projects import LEVELS

NUMBER = Metric(name="a", levels=LEVELS)
CATEGORY = Metric(name="tone", scale="categorical", values=("1", "2", "3", "4", "5"))
SIZE = 4
ROWS = st.lists(
    st.tuples(
        st.integers(0, SIZE - 1),
        st.integers(1, 5),
        st.booleans(),
        st.booleans(),
        st.sampled_from([UNDATED, 5, 6, 7]),
        st.sampled_from([None, "random", "browse", "stratum", "active", "imported"]),
        st.sampled_from([None, 0.5]),
    ),
    max_size=14,
)


def columns(metric: Metric, rows: list[tuple[Any, ...]]) -> LabelColumns:
    found = LabelColumns()
    for order, (place, value, decided, blind, time, reason, probability) in enumerate(rows):
        found.evaluations.append(place)
        found.metrics.append(1)
        found.labelers.append(order)
        found.values.append(str(value) if metric is CATEGORY else value)
        found.adjudicated.append(int(decided))
        found.blind.append(int(blind))
        found.aggregates.append(0)
        found.times.append(time)
        found.orders.append(order)
        found.reasons.append(reason)
        found.probabilities.append(probability)
    return found


@given(ROWS, st.sampled_from([NUMBER, CATEGORY]), st.sampled_from(["mean", "median", "latest"]))
def test_columns_equal_single_scores(
    rows: list[tuple[Any, ...]], metric: Metric, how: Combine
) -> None:
    labels = columns(metric, rows)
    places = np.frombuffer(labels.evaluations, dtype=np.int64)
    every = np.arange(len(rows))
    entries = Entries(metric, LabelArrays(labels, every), every, places)
    found = entries.human(SIZE, how)
    for place in range(SIZE):
        mine = [(order, row) for order, row in enumerate(rows) if row[0] == place]
        single = [
            Entry(value, row[2], row[4], order)
            for order, row in mine
            if (value := number_of(metric, labels.values[order])) is not None
        ]
        expected = human_score(metric, single, how)
        score, most = float(found.score[place]), float(found.majority[place])
        if expected is None:
            assert math.isnan(score)
        else:
            assert score == expected.score
            assert (None if math.isnan(most) else most) == expected.majority
        decided = [row for _, row in mine if row[2]]
        blind = [row[3] for _, row in mine if not row[2]]
        if not decided:
            assert found.all_blind[place] == (bool(blind) and all(blind))
            assert found.count[place] == len(blind)
        else:
            assert found.count[place] == 1
        chosen = [choice_of(row[5], row[6]) for _, row in mine]
        assert found.chosen[place] == max(chosen, default=Choice.CONVENIENCE)
        drawn = [
            row[6]
            for (_, row), way in zip(mine, chosen, strict=True)
            if way == found.chosen[place] and row[6] is not None
        ]
        probability = float(found.probability[place])
        assert (None if math.isnan(probability) else probability) == max(drawn, default=None)
    people = entries.people()
    assert people.values.size == sum(not row[2] for row in rows)


def test_values_off_the_scale_of_categories_count_nowhere() -> None:
    found = numbers(CATEGORY, ["2", "nowhere", 3])
    assert found[0] == 1
    assert np.isnan(found[1:]).all()
    assert np.isnan(numbers(NUMBER, ["good", 3])).tolist() == [True, False]
    assert number_of(CATEGORY, "nowhere") is None
    assert number_of(NUMBER, "good") is None


def test_ties_have_no_mode() -> None:
    places = np.array([0, 0, 1, 1, 1, 2], dtype=np.int64)
    values = np.array([1.0, 2.0, 3.0, 3.0, 1.0, 5.0])
    found = Patterns(places, values, np.lexsort((values, places))).made_by(majority, 4)
    assert np.isnan(found).tolist() == [True, False, False, True]
    assert found[1:3].tolist() == [3, 5]
    none = places[:0]
    assert np.isnan(Patterns(none, np.zeros(0), none).made_by(majority, 2)).all()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0.1, 0.2, 0.3, 2 / 3])), max_size=24),
    st.sampled_from(["mean", "median"]),
    st.sampled_from([1, 62]),
)
def test_every_pattern_of_labels_is_asked_of_the_same_rule(
    rows: list[tuple[int, float]], how: Combine, bits: int
) -> None:
    places = np.array([place for place, _ in rows], dtype=np.int64)
    values = np.array([value for _, value in rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(human_columns, "_BITS", bits)
        made = Patterns(places, values, np.lexsort((values, places)))
    found = made.made_by(partial(combine_labels, how=how), 3)
    for place in range(3):
        alone = combine_labels([value for at, value in rows if at == place], how)
        assert (None if math.isnan(found[place]) else found[place]) == alone


def test_no_rows_make_empty_columns() -> None:
    labels = LabelColumns(evaluations=array("q"))
    none = np.zeros(0, dtype=np.int64)
    found = Entries(NUMBER, LabelArrays(labels, none), none, none).human(2, "mean")
    assert np.isnan(found.score).all()
    assert found.count.tolist() == [0, 0]
