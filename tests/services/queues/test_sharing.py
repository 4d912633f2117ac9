"""Who gets which evaluation: balanced, complete, by the plan's seed and nothing else."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reviewer.services.queues.plans import QueuePlan
from reviewer.services.queues.sharing import allocated, shared_out


def plan(**fields: object) -> QueuePlan:
    return QueuePlan(**{"name": "q"} | fields)  # type: ignore[arg-type]


@given(
    count=st.integers(0, 80),
    people=st.integers(1, 8),
    overlap=st.integers(1, 8),
    share=st.floats(0, 1),
    seed=st.integers(0, 5),
)
def test_turns_are_balanced_and_nobody_gets_an_evaluation_twice(
    count: int, people: int, overlap: int, share: float, seed: int
) -> None:
    asked = plan(overlap=overlap, overlap_share=share, seed=seed)
    parts = shared_out(asked, count, people)
    assert parts == shared_out(asked, count, people)
    assert all(len(set(part)) == len(part) for part in parts)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1
    times = Counter(place for part in parts for place in part)
    assert set(times) == set(range(count))
    wanted = min(overlap, people)
    shared = round(share * count) if wanted > 1 else 0
    assert sorted(times.values(), reverse=True) == [wanted] * shared + [1] * (count - shared)


@given(
    count=st.integers(1, 60),
    shares=st.lists(st.integers(0, 5), min_size=1, max_size=6).filter(any),
    overlap=st.integers(1, 4),
    seed=st.integers(0, 3),
)
def test_by_person_everybody_gets_their_share(
    count: int, shares: list[int], overlap: int, seed: int
) -> None:
    people = len(shares)
    overlap = min(overlap, people)
    asked = plan(
        overlap=overlap, assignment="by_person", shares=tuple(map(float, shares)), seed=seed
    )
    parts = shared_out(asked, count, people)
    total = overlap * count
    assert sum(map(len, parts)) == total
    assert all(len(set(part)) == len(part) for part in parts)
    assert {place for part in parts for place in part} == set(range(count))
    for part, share in zip(parts, shares, strict=True):
        wanted = share / sum(shares) * total
        if all(x / sum(shares) * total <= count for x in shares):
            assert abs(len(part) - wanted) < 1 + 1e-9


def test_all_pairs_of_people_meet() -> None:
    parts = shared_out(plan(overlap=2, seed=4), 100, 5)
    met = Counter(
        (a, b)
        for place in range(100)
        for a in range(5)
        for b in range(a + 1, 5)
        if place in parts[a] and place in parts[b]
    )
    assert len(met) == 10
    assert max(met.values()) - min(met.values()) <= 2


@given(
    wanted=st.lists(st.floats(0, 50), min_size=1, max_size=8),
    most=st.lists(st.integers(0, 30), min_size=8, max_size=8),
    total=st.integers(0, 100),
)
def test_allocation_makes_the_total_within_the_limits(
    wanted: list[float], most: list[int], total: int
) -> None:
    limits = most[: len(wanted)]
    found = allocated(np.array(wanted), total, limits)
    assert sum(found) == min(total, sum(limits))
    assert all(0 <= got <= limit for got, limit in zip(found, limits, strict=True))
