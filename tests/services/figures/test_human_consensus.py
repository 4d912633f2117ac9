"""The consensus as human score: where it may be used, what it changes, and what says so."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from reviewer.stats.consensus import Votes, dawid_skene
from tests.services.figure_projects import SIMPLE, again, case, figures, label, score

CONSENSUS = (("label_combine", "consensus"),)
PEOPLE = ("ann", "bob", "cyd", "dee", "eve")


def crowd(n: int = 40, people: tuple[str, ...] = PEOPLE) -> list[dict[str, Any]]:
    """Every third person is careless, so that means and consensus differ."""
    rng = np.random.default_rng(3)
    made = []
    for number in range(n):
        truth = int(rng.integers(1, 6))
        labels = [
            label("a", int(rng.integers(1, 6)) if at % 3 == 2 else truth, who)
            for at, who in enumerate(people)
        ]
        made.append(case(number, [score("a", truth)], labels))
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crowd.review"


def test_the_consensus_is_that_of_the_model(path: Path) -> None:
    cases = crowd()
    found = figures(path, cases, options=CONSENSUS)
    block = found["metrics"]["a"]
    votes = Votes(
        np.repeat(np.arange(40), 5),
        np.tile(np.arange(5), 40),
        np.array([x["value"] - 1 for one in cases for x in one["labels"]]),
        40, 5, 5,
    )  # fmt: skip
    values = [1 + (value or 0) for value in dawid_skene(votes).consensus.values]
    assert block["human_mean"] == pytest.approx(np.mean(values))
    assert block["human_mean"] != pytest.approx(again(path)["metrics"]["a"]["human_mean"])
    gaps = [x - one["scores"][0]["value"] for one, x in zip(cases, values, strict=True)]
    assert block["agreement"]["judge_human"]["bias"] == pytest.approx(np.mean(gaps))
    # the table is one of labels, which no way of combining them changes
    plain = again(path)["metrics"]["a"]
    assert block["confusion"] == plain["confusion"]
    for name in ("percent", "kappa", "n_no_majority"):
        both = [x["agreement"]["judge_human"][name] for x in (block, plain)]
        assert both[0] == both[1], name
    assert [x["text"] for x in found["stale"]] == [
        "These figures do not follow a preset: changed was label_combine."
    ]


def test_decisions_stand_above_the_consensus(path: Path) -> None:
    cases = crowd()
    cases[0]["labels"].append(label("a", 3, "lead", kind="adjudication"))
    cases[0]["labels"][:5] = [label("a", 5, who) for who in PEOPLE]
    cases[0]["scores"] = [score("a", 3)]
    only = figures(path, cases, options=CONSENSUS)
    assert only["metrics"]["a"]["confusion"]["table"][2][2] >= 1
    given = [x["value"] for one in cases[1:] for x in one["labels"]]
    expected = given.count(5) / len(PEOPLE)
    assert sum(only["metrics"]["a"]["confusion"]["table"][4]) == pytest.approx(expected)


def test_too_few_labels_for_a_consensus_are_said_and_the_mean_stays(path: Path) -> None:
    few = crowd(people=PEOPLE[:3])
    found = figures(path, few, options=CONSENSUS)
    plain = again(path)
    assert found["metrics"]["a"]["human_mean"] == plain["metrics"]["a"]["human_mean"]
    assert {
        "what": "metrics.a",
        "reason": "options",
        "n": 40,
        "text": "A takes the mean of labels, not their consensus: weighing people needs "
        "5 labelers or 300 shared items.",
    } in found["stale"]
    assert SIMPLE.metrics[0].heading == "A"
