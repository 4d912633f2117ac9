"""Texts that lie in no project are scored as a project's are."""

from pathlib import Path

import pytest

from reviewer.domain.evaluation import Evaluation
from reviewer.domain.judging import Endpoint, Judge
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.judging.judges import PlacedJudge
from reviewer.services.scripting.outside import scores_of
from tests.services.strangers import install

CODE = """
def length(case):
    return {"score": min(len(case["response"]), 5), "reasoning": "Counted."}
"""
ENTRIES = "[reviewer.scorers]\nlength = strangers:length\n"


def test_a_scorer_that_a_package_brings_scores_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, CODE, ENTRIES)
    metric = Metric(name="size", scale="range", min=0, max=5, scorer="length")
    rubric = Rubric(name="sizes", metrics=(metric,))
    nobody = PlacedJudge(
        judge=Judge(name="none", endpoint="none", model="m"), endpoint=Endpoint(name="none")
    )
    evaluation = Evaluation(key=0, id="a", run="r", response="Yes")
    (found,) = scores_of(evaluation, rubric, ["size"], nobody)
    assert (found.value, found.reasoning, found.scorer) == (3, "Counted.", "length")
