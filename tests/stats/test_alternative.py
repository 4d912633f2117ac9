"""The alternative annotator test against the published sets, scipy and hand-made cases."""

import json
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reviewer.stats.alternative import SMALLEST, TOO_FEW, TWO_ONLY, Score, Singles, alt_test

SHARED = Path(__file__).parents[3] / "shared"
VECTORS = SHARED / "spec" / "vectors" / "alt_test.json"
SETS = SHARED / "data" / "nitaytech+AltTest" / "data"
needs_shared = pytest.mark.skipif(
    not (VECTORS.exists() and SETS.exists()),
    reason="needs vectors and published sets beside the checkout",
)
Columns = tuple[Singles, np.ndarray]


def columns(name: str, judge: str) -> Columns:
    people = json.loads((SETS / name / "human_annotations.json").read_text("utf-8"))
    machine = json.loads((SETS / name / "llm_annotations.json").read_text("utf-8"))[judge]
    codes: dict[object, float] = {}

    def number(value: object) -> float:
        if isinstance(value, int | float):
            return float(value)
        return codes.setdefault(value, float(len(codes)))

    ids = sorted({x for one in people.values() for x in one} | set(machine))
    place = {x: at for at, x in enumerate(ids)}
    rows = [
        (place[x], who, number(value))
        for who, one in enumerate(people.values())
        for x, value in one.items()
    ]
    scores = np.array([number(machine[x]) if x in machine else np.nan for x in ids])
    places, labelers, values = (np.array(x) for x in zip(*rows, strict=True))
    return Singles(places, labelers, values), scores


@needs_shared
def test_the_published_sets_give_the_published_figures() -> None:
    for vector in json.loads(VECTORS.read_text("utf-8")):
        found = alt_test(
            *columns(vector["set"], vector["judge"]),
            score=cast("Score", vector["score"]),
            epsilon=vector["epsilon"],
        )
        assert len(found.held) == vector["labelers"], vector
        assert found.omega == pytest.approx(vector["omega"], abs=1e-12), vector
        assert found.rho == pytest.approx(vector["rho"], abs=1e-12), vector
        assert found.passed == (vector["omega"] >= 0.5)


def plainly(data: Columns, score: str, epsilon: float) -> dict[int, tuple[float, float]]:
    """Work out share won and p by loops and scipy."""
    labels, judge = data
    places, labelers, values = labels.places, labels.labelers, labels.values
    found = {}
    for who in np.unique(labelers).tolist():
        won, apart = [], []
        for at in places[labelers == who].tolist():
            others = values[(places == at) & (labelers != who)]
            if not others.size or np.isnan(judge[at]):
                continue
            own = float(values[(places == at) & (labelers == who)][0])

            def agrees(value: float, others: np.ndarray = others) -> float:
                if score == "accuracy":
                    return float((others == value).mean())
                return -float(np.sqrt(((others - value) ** 2).mean()))

            mine, its = agrees(own), agrees(float(judge[at]))
            won.append(its >= mine - 1e-12)
            apart.append(float(mine >= its - 1e-12) - float(its >= mine - 1e-12))
        if len(won) >= SMALLEST:
            p = (
                float(np.mean(apart) >= epsilon)
                if len(set(apart)) == 1
                else stats.ttest_1samp(apart, epsilon, alternative="less").pvalue
            )
            found[who] = (float(np.mean(won)), float(p))
    return found


@pytest.mark.parametrize("score", ["accuracy", "neg_rmse"])
@given(seed=st.integers(0, 2**32 - 1), epsilon=st.sampled_from([0.0, 0.1, 0.2]))
def test_shares_and_p_values_are_those_of_loops_and_scipy(
    score: Score, seed: int, epsilon: float
) -> None:
    random = np.random.default_rng(seed)
    n, people = 45, 4
    truth = random.integers(1, 6, n)
    grid = np.clip(truth[:, None] + random.integers(-1, 2, (n, people)), 1, 5)
    judge = np.clip(truth + random.integers(-1, 2, n), 1, 5).astype(float)
    judge[random.random(n) < 0.1] = np.nan
    there = random.random((n, people)) < 0.85
    places, labelers = np.nonzero(there)
    data = (Singles(places, labelers, grid[there].astype(float)), judge)
    found = alt_test(*data, score=score, epsilon=epsilon)
    expected = plainly(data, score, epsilon)
    if len(expected) < 2:
        assert found.reason == TOO_FEW
        return
    assert {x.labeler for x in found.held} == set(expected)
    for one in found.held:
        won, p = expected[one.labeler]
        assert one.won == pytest.approx(won, abs=1e-12)
        assert one.p == pytest.approx(p, abs=1e-9)
    rejected = stats.false_discovery_control([x.p for x in found.held], method="by") <= 0.05
    assert [x.beaten for x in found.held] == rejected.tolist()


def test_a_judge_that_is_everybody_at_once_beats_all_and_the_reverse_none() -> None:
    n = 40
    places, labelers = np.repeat(np.arange(n), 3), np.tile(np.arange(3), n)
    values = np.full(3 * n, 4.0)
    alike = alt_test(
        Singles(places, labelers, values), np.full(n, 4.0), score="accuracy", epsilon=0.15
    )
    assert (alike.omega, alike.rho, alike.passed, alike.note) == (1.0, 1.0, True, None)
    never = alt_test(
        Singles(places, labelers, values), np.full(n, 1.0), score="neg_rmse", epsilon=0.15
    )
    assert (never.omega, never.rho, never.passed) == (0.0, 0.0, False)


def test_who_shares_too_little_is_left_out_and_one_alone_is_no_test() -> None:
    places = np.concatenate([np.arange(40), np.arange(40), np.arange(29)])
    labelers = np.repeat([7, 8, 9], [40, 40, 29])
    values, judge = np.full(places.size, 2.0), np.full(40, 2.0)
    found = alt_test(Singles(places, labelers, values), judge, score="neg_rmse", epsilon=0.1)
    assert found.left_out == (9,)
    assert found.note == TWO_ONLY
    judge[:11] = np.nan
    few = alt_test(Singles(places, labelers, values), judge, score="neg_rmse", epsilon=0.1)
    assert few.reason == TOO_FEW
    assert few.omega is None
    assert few.passed is None
    assert few.left_out == (7, 8, 9)


def test_nothing_labelled_is_no_test() -> None:
    none = np.zeros(0, dtype=np.int64)
    found = alt_test(Singles(none, none, np.zeros(0)), np.zeros(3), score="accuracy", epsilon=0.1)
    assert found.reason == TOO_FEW


@pytest.mark.parametrize("score", ["accuracy", "neg_rmse"])
def test_the_order_of_people_changes_nothing_to_the_last_digit(score: Score) -> None:
    for seed in range(20):
        random = np.random.default_rng(seed)
        grid = random.integers(1, 6, (60, 9)).astype(float)
        there = random.random(grid.shape) < 0.85
        judge = random.integers(1, 6, 60).astype(float)
        told = []
        for order in (np.arange(9), np.roll(np.arange(9)[::-1], seed)):
            places, numbers = np.nonzero(there[:, order])
            data = Singles(places, numbers, grid[:, order][there[:, order]])
            found = alt_test(data, judge, score=score, epsilon=0.2)
            people = {order[x.labeler]: (x.n, x.won, x.p, x.beaten) for x in found.held}
            told.append((found.omega, found.rho, people))
        assert told[0] == told[1]
