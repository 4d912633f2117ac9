"""Consensus exports: majority, mean and weighed people, against counts by hand and the model."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.services.transfer import exporting
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.stats.consensus import Votes, dawid_skene
from reviewer.store.project import Project
from tests.building import build_project, record
from tests.services.figure_projects import MIXED, case, label


def exported(path: Path, scope: Scope | None = None) -> dict[tuple[str, str], dict[str, str]]:
    to = path.with_suffix(".csv")
    request = ExportRequest(what="consensus", filters=scope)
    with Project.open(path) as project:
        exporting.export(project, to, request, Silent())
    rows = list(csv.DictReader(to.read_text(encoding="utf-8").splitlines()))
    return {(row["id"], row["metric"]): row for row in rows}


def labelled(number: int, metric: str, *values: Any, **more: Any) -> dict[str, Any]:
    people = [label(metric, value, f"p{n}") for n, value in enumerate(values)]
    return case(number, [], people, **more)


def test_the_most_frequent_level_the_mean_and_ties(tmp_path: Path) -> None:
    decision = label("a", 1, "lea") | {"kind": "adjudication", "at": "2026-08-30"}
    first = labelled(1, "a", 4, 4, 2)
    first["labels"].append(decision)
    path = build_project(
        tmp_path / "c.review",
        evaluations=[first, labelled(2, "a", 4, 2), labelled(3, "share", 1.5, 2.5, 4),
                     labelled(4, "tone", "warm", "warm"), case(5, [])],
        rubric=MIXED,
        runs=("r1",),
    )  # fmt: skip
    found = exported(path)
    rows = {key[1:]: (x["value"], x["method"], x["n"], x["probability"])
            for key, x in found.items() if key[0] == first["id"]}  # fmt: skip
    assert rows == {("a",): ("4", "majority", "3", str(2 / 3))}
    others = [(x["metric"], x["value"], x["method"], x["n"], x["probability"])
              for key, x in found.items() if key[0] != first["id"]]  # fmt: skip
    assert others == [
        ("a", "", "majority", "2", ""),
        ("share", str(8 / 3), "mean", "3", ""),
        ("tone", "warm", "majority", "2", "1.0"),
    ]
    assert {x["metric"] for x in exported(path, Scope(metrics=("tone",))).values()} == {"tone"}


def test_many_people_are_weighed_by_their_confusions(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    truth = rng.integers(1, 6, 60)
    given = [
        [int(x) if rng.random() < 0.5 + n / 10 else int(rng.integers(1, 6)) for n in range(5)]
        for x in truth
    ]
    people = [
        [{"metric": "accuracy", "labeler": f"p{n}", "value": x} for n, x in enumerate(some)]
        for some in given
    ]
    path = build_project(
        tmp_path / "d.review",
        evaluations=[record(number, labels=some) for number, some in enumerate(people, start=1)],
    )
    found = [x for (_, metric), x in exported(path).items() if metric == "accuracy"]
    items, labelers = np.divmod(np.arange(300), 5)
    votes = Votes(items, labelers, np.array(given).ravel() - 1, 60, 5, 5)
    wanted = dawid_skene(votes).consensus
    assert {x["method"] for x in found} == {"dawid_skene"}
    assert [int(x["value"]) - 1 for x in found] == list(wanted.values)
    assert [float(x["probability"]) for x in found] == pytest.approx(wanted.probabilities)
