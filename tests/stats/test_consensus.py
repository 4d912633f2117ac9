import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviewer.stats import consensus
from reviewer.stats.coefficients import Floats
from reviewer.stats.consensus import (
    Votes,
    agreement_with,
    dawid_skene,
    majority_consensus,
    why_not_weighed,
)


def votes(rows: list[tuple[int, int, int]], shape: tuple[int, int, int]) -> Votes:
    columns = np.array(rows, dtype=np.intp).reshape(-1, 3)
    return Votes(columns[:, 0], columns[:, 1], columns[:, 2], *shape)


def simulated(
    accuracies: list[float], items: int, k: int = 2, seed: int = 0
) -> tuple[Votes, "np.ndarray[tuple[int], np.dtype[np.intp]]"]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, k, items)
    rows = []
    for person, accuracy in enumerate(accuracies):
        wrong = (truth + rng.integers(1, k, items)) % k
        said = np.where(rng.random(items) < accuracy, truth, wrong)
        rows += [(item, person, int(value)) for item, value in enumerate(said)]
    return votes(rows, (items, len(accuracies), k)), truth


def right(found: tuple[int | None, ...], truth: object) -> float:
    return float(np.mean(np.array([-1 if x is None else x for x in found]) == truth))


def test_majority_leaves_ties_to_adjudication() -> None:
    found = majority_consensus(
        votes([(0, 0, 1), (0, 1, 1), (0, 2, 0), (1, 0, 2), (1, 1, 0), (2, 0, 2)], (4, 3, 3))
    )
    assert found.values == (1, None, 2, None)
    assert found.probabilities[0] == pytest.approx(2 / 3)
    assert found.probabilities[1:] == (None, 1.0, None)
    assert (found.n, found.n_tied) == ((3, 2, 1, 0), 1)


def test_two_spammers_are_found_out() -> None:
    given_votes, truth = simulated([0.9, 0.85, 0.8, 0.5, 0.5], 400, seed=3)
    plain = majority_consensus(given_votes)
    fitted = dawid_skene(given_votes)
    assert right(fitted.consensus.values, truth) > right(plain.values, truth) + 0.02
    accuracies = [x for x in fitted.accuracies if x is not None]
    assert accuracies == pytest.approx([0.9, 0.85, 0.8, 0.5, 0.5], abs=0.08)
    shares = [share for share, _ in agreement_with(given_votes, fitted.consensus)]
    assert shares[0] is not None
    assert shares[3] is not None
    assert shares[0] > 0.85
    assert shares[3] < 0.65


def test_a_systematic_confusion_is_undone() -> None:
    # the third person always says the opposite: that is as good as being right
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    rows = []
    for item, value in enumerate(truth.tolist()):
        for person, accuracy in enumerate((0.8, 0.8, 0.05)):
            said = value if rng.random() < accuracy else 1 - value
            rows.append((item, person, said))
    fitted = dawid_skene(votes(rows, (300, 3, 2)))
    assert right(fitted.consensus.values, truth) > 0.9


def test_when_people_are_weighed() -> None:
    assert why_not_weighed(simulated([0.9] * 2, 400)[0]) == (
        "weighing people needs 3 labelers who share items"
    )
    assert why_not_weighed(simulated([0.9] * 3, 299)[0]) == (
        "weighing people needs 5 labelers or 300 shared items"
    )
    assert why_not_weighed(simulated([0.9] * 3, 300)[0]) is None
    assert why_not_weighed(simulated([0.9] * 5, 20)[0]) is None
    alone = votes([(item, item % 6, 0) for item in range(600)], (600, 6, 2))
    assert why_not_weighed(alone) == "weighing people needs 3 labelers who share items"


def test_wrong_votes() -> None:
    for rows in ([(4, 0, 0)], [(0, 1, 0)], [(0, 0, 2)], [(-1, 0, 0)]):
        with pytest.raises(ValueError, match="Every vote needs"):
            votes(rows, (4, 1, 2))
    column = np.zeros(2, dtype=np.intp)
    with pytest.raises(ValueError, match="Every vote needs"):
        Votes(column, column[:1], column, 1, 1, 1)


def test_no_votes_at_all() -> None:
    nothing = votes([], (2, 2, 2))
    assert majority_consensus(nothing).values == (None, None)
    fitted = dawid_skene(nothing)
    assert fitted.consensus.values == (None, None)
    assert fitted.accuracies == (None, None)
    assert agreement_with(nothing, fitted.consensus) == ((None, 0), (None, 0))


def reference(given_votes: Votes, steps: int) -> Floats:
    """Run the same model by its definition, one item and one person at a time."""
    k, people = given_votes.n_values, given_votes.n_labelers
    said = [
        [(int(p), int(v)) for i, p, v in zip(
            given_votes.items, given_votes.labelers, given_votes.values, strict=True
        ) if i == item]
        for item in range(given_votes.n_items)
    ]  # fmt: skip
    belief = np.array(
        [[(sum(v == c for _, v in x) + 1 / k) / (len(x) + 1) for c in range(k)] for x in said]
    )
    for _ in range(steps):
        before = belief
        shares = (belief[[bool(x) for x in said]].sum(axis=0) + 1 / k) / (
            sum(bool(x) for x in said) + 1
        )
        confusion = np.tile(1 / k + np.eye(k), (people, 1, 1))
        for item, some in enumerate(said):
            for person, value in some:
                confusion[person, :, value] += belief[item]
        confusion /= confusion.sum(axis=2, keepdims=True)
        belief = np.tile(shares, (len(said), 1))
        for item, some in enumerate(said):
            for person, value in some:
                belief[item] *= confusion[person, :, value]
        belief /= belief.sum(axis=1, keepdims=True)
        if np.abs(belief - before).max() <= consensus.TOLERANCE:
            break
    found: Floats = belief
    return found


@given(st.data())
def test_equal_to_the_definition(data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 3))
    cells = st.tuples(st.integers(0, 5), st.integers(0, 3))
    rows = data.draw(st.dictionaries(cells, st.integers(0, k - 1), min_size=1, max_size=20))
    given_votes = votes([(i, p, v) for (i, p), v in rows.items()], (6, 4, k))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(consensus, "MOST_STEPS", 3)
        fitted = dawid_skene(given_votes)
    expected = reference(given_votes, 3)
    for item, found in enumerate(fitted.consensus.values):
        if found is not None:
            probability = fitted.consensus.probabilities[item]
            assert probability == pytest.approx(expected[item, found])
            assert expected[item, found] == pytest.approx(expected[item].max())
    assert fitted.confusions.sum(axis=2) == pytest.approx(np.ones((4, k)))
    assert fitted.shares.sum() == pytest.approx(1)
