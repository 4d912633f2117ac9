from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from reviewer.services.audits import people
from reviewer.services.audits.people import ALONE
from reviewer.services.findings.insights_source import LabelRows
from tests.services.audits.comparing import label, one, opened, score, source_of
from tests.services.audits.test_ceiling import KINDS


def test_everybody_is_held_to_all_the_others(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    records, pairs = [], []
    for n in range(1, 41):
        truth = int(rng.integers(1, 6))
        said = {
            who: int(np.clip(truth + rng.integers(-1, 2), 1, 5))
            for who in ("ann", "bo", "cy")
            if rng.random() < 0.8
        }
        records.append(one(n, 3, [label(value, who) for who, value in said.items()]))
        others = [value for who, value in said.items() if who != "ann"]
        if "ann" in said:
            pairs += [(said["ann"], value, 1 / len(others)) for value in others]
    with opened(tmp_path, records) as session:
        source = source_of(session)
        found = people.with_rest(source, source.table.metrics["accuracy"])
    assert [x.labeler for x in found] == ["ann", "bo", "cy"]
    ann = found[0]
    oracle = cohen_kappa_score(
        [a for a, _, _ in pairs],
        [b for _, b, _ in pairs],
        labels=[1, 2, 3, 4, 5],
        weights="quadratic",
        sample_weight=[w for _, _, w in pairs],
    )
    assert ann.usual.judge == pytest.approx(oracle, abs=1e-9)
    assert ann.usual.n == ann.keys.size == round(sum(w for _, _, w in pairs))
    assert ann.usual.intervals["judge"].low < oracle < ann.usual.intervals["judge"].high
    assert people.told(ann).startswith(
        f"ann agrees with the other labelers at quadratic κ {oracle:.2f}"
    )
    assert [x.title for x in people.steps(ann)] == ["Quadratic κ", "Same answer"]


def test_shares_of_every_metric_are_those_of_everybody_held_to_the_others(tmp_path: Path) -> None:
    rng = np.random.default_rng(11)
    records = []
    for n in range(1, 61):
        labels = [
            label(int(rng.integers(1, 6)), who, metric=metric)
            for metric in ("accuracy", "relevance")
            for who in ("ann", "bo", "cy", "di")
            if rng.random() < (0.6 if who != "di" else 0.1)
        ]
        records.append(one(n, 3, labels))
    with opened(tmp_path, records) as session:
        source = source_of(session)
        found = {(x.labeler, x.metric): x for x in people.alike_by_metric(source)}
        for metric in ("accuracy", "relevance"):
            for rest in people.with_rest(source, source.table.metrics[metric]):
                same = next(x.judge for x in rest.figures if x.name == "percent")
                if same is None:
                    assert (rest.labeler, metric) not in found
                    continue
                one_of = found.pop((rest.labeler, metric))
                assert one_of.share == pytest.approx(same)
                assert one_of.keys.tolist() == sorted(rest.keys.tolist())
    assert not found


def test_who_is_alone_is_told_so(tmp_path: Path) -> None:
    records = [one(n, 4, [label(4, "ann" if n % 2 else "bo")]) for n in range(1, 9)]
    with opened(tmp_path, records) as session:
        source = source_of(session)
        found = people.with_rest(source, source.table.metrics["accuracy"])
    assert [people.told(x) for x in found] == [f"ann: {ALONE}.", f"bo: {ALONE}."]


def test_categories_are_compared_by_kappa(tmp_path: Path) -> None:
    records = [
        one(
            n,
            0,
            [
                label("warm" if n % 2 else "cold", metric="tone"),
                label("warm" if n % 3 else "odd", "bo", metric="tone"),
            ],
            scores=[score("warm", "tone")],
        )
        for n in range(1, 21)
    ]
    with opened(tmp_path, records, rubric=KINDS) as session:
        source = source_of(session)
        found = people.with_rest(source, source.table.metrics["tone"])
    assert found[0].usual.name == "kappa"
    assert found[0].usual.judge is not None


def test_a_crowd_is_held_to_itself_at_once(tmp_path: Path) -> None:
    """Time grows with the labels, and not with labels times people."""
    with opened(tmp_path, [one(1, 3, [label(3), label(4, "bo")])]) as session:
        source = source_of(session)
    n, people_of = 60_000, 3_000
    places = np.arange(n) // 3
    rows = LabelRows(
        places, np.arange(n) % people_of, np.ones(n), np.zeros(n, np.int64), np.ones(n, np.int8)
    )
    table = replace(
        source.table,
        keys=np.arange(n // 3) + 1,
        labelers={key: f"p{key}" for key in range(people_of)},
    )
    looked = replace(source, table=table, labels={"accuracy": rows})
    found = people.alike_by_metric(looked)
    assert len(found) == people_of
    assert {x.share for x in found} == {1.0}
    assert sum(x.keys.size for x in found) == n
