"""Retrieval figures against scikit-learn, and what counts as relevant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from reviewer.domain.evaluation import Source
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.retrieval import Ranking, ranking_of, retrieval
from reviewer.scoring.scorer import Case, Failure, ScoreOutcome

RELEVANCES = st.lists(st.integers(0, 3), min_size=2, max_size=10)


@given(RELEVANCES, st.integers(1, 12), st.sampled_from(["linear", "exponential"]))
def test_ndcg_against_scikit_learn(values: list[int], k: int, gain: str) -> None:
    found = retrieval(values, values, k, gain)  # type: ignore[arg-type]
    if not any(values):
        assert found is None
        return
    assert found is not None
    worth = np.array(values) if gain == "linear" else 2.0 ** np.array(values) - 1
    order = np.arange(len(values), 0, -1)
    assert found.ndcg == pytest.approx(ndcg_score([worth], [order], k=k, ignore_ties=True))


@given(RELEVANCES, RELEVANCES, st.integers(1, 12))
def test_bounds_and_recall_grows_with_k(first: list[int], rest: list[int], k: int) -> None:
    known = first + rest
    one, more = retrieval(first, known, k), retrieval(first, known, k + 1)
    if one is None or more is None:
        assert not any(known)
        return
    assert 0 <= one.precision <= 1
    assert 0 <= one.recall <= more.recall <= 1
    assert 0 <= one.ndcg <= 1 + 1e-12


def case(*sources: tuple[str, float | None], expected: object = None) -> Case:
    listed = tuple(Source(id=name, relevance=value) for name, value in sources)
    return Case(sources=listed, expected_sources=expected)  # type: ignore[arg-type]


def test_expected_ids_count_one_and_win_over_the_sources_own_relevance() -> None:
    found = ranking_of(case(("a", 0.2), ("b", 3), ("c", None), expected=["a", "c", "z"]))
    assert found == Ranking((1, 3, 1), (1, 1, 1, 3))
    found = ranking_of(case(("a", 0.2), expected=[{"id": "a", "relevance": 0}, {"id": "b"}]))
    assert found == Ranking((0,), (0, 1))


def test_a_source_twice_counts_at_its_first_rank() -> None:
    assert ranking_of(case(("a", 1), ("a", 1), ("b", 1))) == Ranking((1, 0, 1), (1, 1))


def test_the_reasoning_names_ranks() -> None:
    example = case(("a", 1), ("b", 0), ("c", 1), ("d", 0), ("e", 0), expected=["x", "y"])
    outcome = SCORERS["retrieval_recall"].score(example, {"k": 5})
    assert isinstance(outcome, ScoreOutcome)
    assert (outcome.value, outcome.reasoning) == (
        0.5,
        "2 of 4 known relevant sources among the first 5 at rank 1, 3; 5 retrieved.",
    )


@pytest.mark.parametrize(
    ("example", "kind"),
    [
        (case(("a", 0)), "undefined"),
        (case(), "undefined"),
        (case(("a", -1)), "input"),
        (case(("a", float("nan"))), "input"),
        (case(expected="a"), "input"),
        (case(expected=[3]), "input"),
        (case(expected=[{"id": "a", "relevance": "high"}]), "input"),
        (case(expected=[{"id": "a", "relevance": True}]), "input"),
        (case(expected=[{"id": "a", "relevance": 1e9}]), "input"),
    ],
)
def test_what_cannot_be_ranked_is_said(example: Case, kind: str) -> None:
    for name in ("precision", "recall", "ndcg"):
        outcome = SCORERS[f"retrieval_{name}"].score(example, {"gain": "exponential"})
        assert isinstance(outcome, Failure)
        assert outcome.kind == kind


@pytest.mark.parametrize("k", [0, 2.5, True, "5"])
def test_k_is_a_whole_number_from_one(k: object) -> None:
    problem = SCORERS["retrieval_ndcg"].problem({"k": k})  # type: ignore[dict-item]
    assert problem is not None
    assert "a whole number from 1" in problem
