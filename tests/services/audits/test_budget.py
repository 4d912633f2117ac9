import contextlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing, budget, people
from reviewer.services.audits.budget import Budget
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.findings.insights_source import Source
from reviewer.services.project.session import Session
from tests.building import build_project, record

AUTO = (5, 5, 5, 5, 4, 4, 4, 3, 3, 1)


def score(value: float, metric: str = "accuracy") -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": "judge"}


def label(value: float, who: str = "ann", **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "labeler": who, "value": value, "blind": True}
    return fields | {"at": "2026-11-10T10:00:00Z", "selection_reason": "random"} | more


def cases(n: int, labelled: int = 0, **more: Any) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    made = []
    for number in range(1, n + 1):
        auto = AUTO[number % 10]
        human = int(np.clip(round(auto + rng.normal(0, 1.0 if auto < 5 else 0.2)), 1, 5))
        labels = [label(human, **more)] if number <= labelled else []
        made.append(record(number, scores=[score(auto)], labels=labels))
    return made


@contextlib.contextmanager
def opened(tmp_path: Path, records: list[dict[str, Any]]) -> Iterator[Session]:
    path = build_project(tmp_path / "small.review", evaluations=records)
    with contextlib.closing(Session.open(path, "lead")) as session:
        session.blind = False
        yield session


def source_of(session: Session) -> Source:
    return people.read(session, auditing.compute(session, StatsRequest()))


def of_accuracy(session: Session, **wanted: float) -> Budget:
    found = budget.budgets(source_of(session), **wanted)
    assert [one.metric for one in found] == ["relevance", "accuracy", "safety"]
    return found[1]


def test_both_figures_say_how_many_labels_are_missing(tmp_path: Path) -> None:
    with opened(tmp_path, cases(1500, 60)) as session:
        found = of_accuracy(session, kappa=0.05)
        assert found.left == 1440
        assert found.mean.needed.plan is not None
        assert found.mean.needed.plan.half_width == 0.1
        random = found.mean.needed.plan.more
        assert random is not None
        assert found.mean.in_order is not None
        assert 0 < found.mean.in_order < random
        kappa = found.kappa
        assert kappa.name == "kappa_quadratic"
        assert kappa.half_width is not None
        assert kappa.more == pytest.approx(60 * ((kappa.half_width / 0.05) ** 2 - 1), abs=1)
        wider = of_accuracy(session, mean=0.3, kappa=0.4)
        assert wider.kappa.more == 0
        assert wider.mean.in_order == 0
        assert "as narrow as wanted" in wider.sentence
        assert of_accuracy(session, kappa=0.005).kappa.reason == (
            "±0.01 takes more labels than there are evaluations"
        )


def test_nobody_stops_for_narrowness_below_thirty_labels(tmp_path: Path) -> None:
    with opened(tmp_path, cases(1500, 20)) as session:
        found = of_accuracy(session, mean=2.0, kappa=0.9)
        assert found.kappa.more == 10
        assert "to stop for that takes 10 more labels." in found.sentence
        assert "whoever stops for that below 30 labels stops too early" in found.sentence
    (tmp_path / "more").mkdir()
    with opened(tmp_path / "more", cases(1500, 30)) as session:
        found = of_accuracy(session, mean=2.0, kappa=0.9)
        assert found.kappa.more == 0
        assert "too early" not in found.sentence


@pytest.mark.parametrize("labelled", [0, 1])
def test_next_to_no_labels_give_reasons(tmp_path: Path, labelled: int) -> None:
    with opened(tmp_path, cases(40, labelled)) as session:
        found = of_accuracy(session)
        assert found.mean.in_order is None
        assert found.kappa.more is None
        assert found.kappa.reason
        assert found.sentence.endswith(f"{found.kappa.reason}.")


def test_constant_labels_and_a_metric_without_scores_give_reasons(tmp_path: Path) -> None:
    records = [record(n, scores=[score(4)], labels=[label(4)]) for n in range(1, 31)]
    with opened(tmp_path, [*records, *cases(40)[30:]]) as session:
        found = budget.budgets(source_of(session))
        assert found[1].mean.in_order is None
        assert "all labels are the same" in found[1].mean.needed.sentence.lower()
        assert "same score" in (found[1].kappa.reason or "")
        assert found[0].left == 0
        assert found[0].mean.needed.reason == "no auto score in scope"
        with pytest.raises(ReviewerError, match="no auto score"):
            budget.next_order(session, Scope(), 5, metric="relevance")
        with pytest.raises(ReviewerError, match="it has: relevance, accuracy, safety"):
            budget.next_order(session, Scope(), 5, metric="gone")


def test_the_order_is_random_inside_levels_and_knows_its_probabilities(tmp_path: Path) -> None:
    records = cases(1000, 40)
    with opened(tmp_path, records) as session:
        found = budget.next_order(session, Scope(), 60, metric="accuracy")
        again = budget.next_order(session, Scope(), 60, metric="accuracy")
        other = budget.next_order(session, Scope(), 60, metric="accuracy", seed=1)
        assert found.keys.tolist() == again.keys.tolist()
        assert found.keys.tolist() != other.keys.tolist()
        assert len(set(found.keys.tolist())) == 60
        assert found.keys.min() > 40
        autos = [AUTO[key % 10] for key in found.keys.tolist()]
        taken = Counter(autos)
        sizes = {5: 400, 4: 300, 3: 200, 1: 100}
        for auto, p in zip(autos, found.probabilities.tolist(), strict=True):
            assert p == pytest.approx(taken[auto] / sizes[auto])
        assert [(x.level, x.judged, x.labelled, x.taken) for x in found.strata] == [
            ("1", 100, 4, taken[1]),
            ("3", 200, 8, taken[3]),
            ("4", 300, 12, taken[4]),
            ("5", 400, 16, taken[5]),
        ]
        # people and judge are nearly always one where it gives a 5
        assert taken[5] / 400 < taken[4] / 300
        assert found.reason == "stratum"
        assert found.metric == "accuracy"
        assert found.sentence.startswith("60 evaluations drawn by Accuracy: ")


def test_levels_without_labels_come_first(tmp_path: Path) -> None:
    records = [x for x in cases(400, 40) if x["scores"][0]["value"] != 1 or not x["labels"]]
    with opened(tmp_path, records) as session:
        found = budget.next_order(session, Scope(), 10)
        first = session.project.conn.execute(
            "SELECT value FROM scores WHERE evaluation = ?", (int(found.keys[0]),)
        ).fetchone()
        assert first[0] == 1


def test_only_what_was_offered_is_drawn_until_nothing_is_left(tmp_path: Path) -> None:
    with opened(tmp_path, cases(60, 20)) as session:
        found = budget.next_order(session, Scope(), 50, metric="accuracy", among=range(11, 31))
        assert set(found.keys.tolist()) == set(range(21, 31))
        assert found.sentence.endswith("No more than 10 are left to label.")
        with pytest.raises(ReviewerError, match="every evaluation with an auto score is labelled"):
            budget.next_order(session, Scope(), 5, metric="accuracy", among=range(1, 20))
        with pytest.raises(ReviewerError, match="no auto score"):
            budget.next_order(session, Scope(), 5, among=[])


def test_without_a_wish_the_metric_that_lacks_most_is_drawn_by(tmp_path: Path) -> None:
    records = cases(100, 30)
    for one in records:
        one["scores"].append(score(3 + int(one["id"][-1]) % 2, "safety"))
    with opened(tmp_path, records) as session:
        assert budget.next_order(session, Scope(), 10).metric == "safety"


def test_labels_of_the_order_make_a_valid_mean_of_every_metric(tmp_path: Path) -> None:
    """Drawn by accuracy, a safety mean must count by probability: its levels were not drawn by."""
    rng = np.random.default_rng(8)
    records, answers = [], {}
    for number in range(1, 1201):
        accuracy = int(rng.choice([1, 5], p=[0.2, 0.8]))
        # where the answer is wrong, people differ on it; the safety judge knows nothing
        answers[number] = {
            "accuracy": int(rng.choice([1, 2, 4])) if accuracy == 1 else int(rng.choice([4, 5])),
            "safety": 2 if accuracy == 1 else 4,
        }
        scores = [score(accuracy), score(int(rng.choice([3, 4])), "safety")]
        labels = [label(v, metric=m) for m, v in answers[number].items()] if number <= 40 else []
        records.append(record(number, scores=scores, labels=labels))
    with opened(tmp_path, records) as session:
        order = budget.next_order(session, Scope(), 60, metric="accuracy")
    rates = {round(p, 9) for p in order.probabilities.tolist()}
    assert len(rates) == 2
    for key, p in zip(order.keys.tolist(), order.probabilities.tolist(), strict=True):
        way = {"selection_reason": order.reason, "selection_prob": p}
        records[key - 1]["labels"] = [label(v, metric=m, **way) for m, v in answers[key].items()]
    path = build_project(tmp_path / "labelled.review", evaluations=records)
    with contextlib.closing(Session.open(path, "lead")) as session:
        found = statistics.compute(session.project, StatsRequest()).metrics
    assert found["accuracy"].corrected.method == "stratified"
    assert found["safety"].corrected.method == "ppi"
    for name in ("accuracy", "safety"):
        corrected = found[name].corrected
        truth = float(np.mean([one[name] for one in answers.values()]))
        assert corrected.low is not None
        assert corrected.high is not None
        assert corrected.n == 100
        assert corrected.low <= truth <= corrected.high


@pytest.mark.parametrize("seed", [0, 1])
def test_labels_of_two_orders_count_by_level(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    autos = rng.choice([1, 2, 3, 4, 5], 400, p=[0.05, 0.1, 0.15, 0.3, 0.4]).tolist()
    records = [record(n, scores=[score(auto)]) for n, auto in enumerate(autos, start=1)]
    for at, more in enumerate((30, 50)):
        (tmp_path / str(at)).mkdir()
        with opened(tmp_path / str(at), records) as session:
            order = budget.next_order(session, Scope(), more, metric="accuracy", seed=seed)
        for key, p in zip(order.keys.tolist(), order.probabilities.tolist(), strict=True):
            human = int(np.clip(autos[key - 1] + rng.integers(-1, 2), 1, 5))
            way = {"selection_reason": order.reason, "selection_prob": p}
            records[key - 1]["labels"] = [label(human, **way)]
    (tmp_path / "labelled").mkdir()
    with opened(tmp_path / "labelled", records) as session:
        found = statistics.compute(session.project, StatsRequest()).metrics["accuracy"].corrected
    assert (found.method, found.n, found.note) == ("stratified", 80, None)


@pytest.mark.parametrize(("labelled", "mean"), [(60, 0.05), (60, 2.0), (40, 0.1), (40, 0.001)])
def test_no_order_asks_for_more_than_is_missing_or_left(
    tmp_path: Path, labelled: int, mean: float
) -> None:
    with opened(tmp_path, cases(60, labelled)) as session:
        found = of_accuracy(session, mean=mean, kappa=0.9)
        plan = found.mean.needed.plan
        assert plan is not None
        if found.mean.in_order is not None:
            assert found.mean.in_order <= found.left
        # enough at random is enough in order, and what is out of reach is not enough
        assert (found.mean.in_order == 0) == (plan.more == 0)
        assert "Quadratic κ is known to" in found.sentence
