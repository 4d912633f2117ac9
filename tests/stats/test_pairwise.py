"""Every pair among many people at once: the figures of two raters, one pair after the other."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats.agreement import agreement
from reviewer.stats.pairs import array_evidence
from reviewer.stats.panel import PAIR_FIGURES, PairFigures, pair_figures
from reviewer.stats.values import Scale

SCALES = (
    Scale((1.0, 2.0, 3.0)),
    Scale((0.0, 1.0)),
    Scale((0.0, 1.0, 2.0), ordered=False),
    Scale((2.0,)),
    None,
)
LABELS = st.dictionaries(
    st.tuples(st.integers(0, 3), st.integers(0, 7)),
    st.sampled_from((0.0, 1.0, 2.0, 3.0, 2.5)),
    max_size=28,
)
Table = dict[tuple[int, int], float]


def compared(table: Table, scale: Scale | None) -> list[PairFigures]:
    keys = sorted(table)
    people = np.array([person for person, _ in keys], dtype=np.int64)
    things = np.array([thing for _, thing in keys], dtype=np.int64)
    values = np.array([table[key] for key in keys], dtype=np.float64)
    return list(pair_figures(people, things, values, scale))


@given(LABELS, st.sampled_from(SCALES))
def test_each_pair_is_what_two_raters_are(table: Table, scale: Scale | None) -> None:
    found = {(pair.first, pair.second): pair for pair in compared(table, scale)}
    for a, b in combinations(range(4), 2):
        both = [(table[a, at], table[b, at]) for at in range(8) if {(a, at), (b, at)} <= {*table}]
        if not both:
            assert (a, b) not in found
            continue
        left, right = np.array(both).T
        alone = agreement(array_evidence(left, right, scale))
        pair = found.pop((a, b))
        assert pair.undefined == {x: y for x, y in alone.undefined.items() if x in PAIR_FIGURES}
        for name in PAIR_FIGURES:
            assert pair.figures[name] == pytest.approx(alone[name], abs=1e-12)
        assert pair.n == len(both)
    assert not found


def test_nobody_and_one_person_make_no_pair() -> None:
    assert compared({}, SCALES[0]) == []
    assert compared({(0, 3): 1.0, (0, 5): 2.0}, SCALES[0]) == []


def test_pairs_come_in_the_order_of_the_people() -> None:
    everybody = {(person, 0): 1.0 for person in (0, 1, 3)}
    found = [(pair.first, pair.second) for pair in compared(everybody, SCALES[0])]
    assert found == [(0, 1), (0, 3), (1, 3)]
