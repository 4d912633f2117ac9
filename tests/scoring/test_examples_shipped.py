"""The scores that ship with the example sets are what the scorers give, word for word."""

import json
from typing import Any

import pytest

from reviewer.domain.evaluation import Evaluation
from reviewer.scoring.claims import ClaimsOutcome, score_claims
from reviewer.scoring.registry import scorer_for
from reviewer.scoring.scorer import Failure, ScoreOutcome, case_of
from reviewer.services.upkeep import projects
from reviewer.store import reading
from tests.resources.demo_records import RESOURCES

LEFT_OUT = {"scores", "labels", "marks", "meta", "cluster"}
IN_REST = {"template_matched", "direct_substitution", "cache", "expected_sources"}


def evaluation(number: int, record: dict[str, Any]) -> Evaluation:
    fields = {k: v for k, v in record.items() if k not in LEFT_OUT | IN_REST}
    rest = {k: v for k, v in record.items() if k in IN_REST}
    for name, made in (("messages", reading.turn), ("sources", reading.source)):
        fields[name] = [made(keys) for keys in fields.get(name, ())]
    # reactions stay as they came: only their scorer reads them
    values: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) and k != "feedback" else v for k, v in fields.items()
    }
    return Evaluation(key=number, rest=rest, **values)


def records(system: str) -> list[dict[str, Any]]:
    text = (RESOURCES / "examples" / f"{system}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("system", ["harness", "faq-bot"])
def test_scores_and_reasons_of_the_example_set(system: str) -> None:
    metrics = [m for m in projects.example_rubric(system).metrics if scorer_for(m)]
    seen = 0
    for number, record in enumerate(records(system)):
        case = case_of(evaluation(number, record))
        shipped = {score["metric"]: score for score in record["scores"]}
        for metric in metrics:
            scorer = scorer_for(metric)
            assert scorer is not None
            outcome = scorer.score(case, metric.parameters)
            if metric.name not in shipped:
                # without known sources or a reaction there is nothing to score
                assert metric.weight == 0, (record["id"], metric.name)
                assert isinstance(outcome, Failure), (record["id"], outcome)
                continue
            assert isinstance(outcome, ScoreOutcome), (record["id"], outcome)
            assert outcome.value == shipped[metric.name]["value"], (record["id"], metric.name)
            assert outcome.reasoning == shipped[metric.name]["reasoning"]
            assert all(str(case.response)[hit.start : hit.end] == hit.text for hit in outcome.hits)
            seen += 1
    assert seen > 100


def test_claims_of_the_example_set() -> None:
    for number, record in enumerate(records("agent-rubric")):
        shipped = next(s for s in record["scores"] if s["metric"] == "factual_accuracy")
        outcome = score_claims(case_of(evaluation(number, record)), shipped["raw"])
        assert isinstance(outcome, ClaimsOutcome)
        assert outcome.value == pytest.approx(shipped["value"], abs=1e-12)
        assert outcome.reasoning.startswith(shipped["reasoning"])
