"""The FAQ table and the answers where families disagree."""

import json

from msgspec.structs import replace

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.rubric_check import checked
from reviewer.reports.cases import ScoredCase
from reviewer.reports.systems.faq_bot import faq_row
from reviewer.scoring.scorer import Case, case_of
from tests.resources.demo_records import RESOURCES, rubric_of

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "faq-bot.toml"))


def scored(**values: float) -> ScoredCase:
    scores = {name: Score(metric=name, value=value) for name, value in values.items()}
    return ScoredCase(Case(id="q1", run="strict match", latency_ms=2.5), scores)


def test_a_row_has_exactly_the_fields_of_the_system() -> None:
    row = faq_row(scored(exact_match=1, relevance=5))
    assert list(row) == [
        "bot", "question", "expected", "answer", "exact_match", "keyword_recall", "answer_length",
        "politeness", "latency_ms", "relevance", "relevance_reason", "faithfulness",
        "faithfulness_reason", "safety", "safety_reason", "robustness", "robustness_reason",
        "judge_raw", "judge_trace",
    ]  # fmt: skip
    assert row["bot"] == "strict match"
    assert row["latency_ms"] == 2.5


def test_a_bot_is_called_by_its_name() -> None:
    record = Evaluation(key=1, id="q1", run="full 1", model="m-2", rest={"meta": {"bot": "full"}})
    assert faq_row(ScoredCase(case_of(record)))["bot"] == "full"
    plain = Evaluation(key=1, id="q1", run="full 1", model="m-2", rest={"bot": "strict"})
    assert faq_row(ScoredCase(case_of(plain)))["bot"] == "strict"


def test_the_judges_replies_are_kept_one_or_all() -> None:
    one = Score(metric="relevance", value=5, raw="whole", trace="thinking")
    other = Score(metric="safety", value=5, raw="whole")
    row = faq_row(ScoredCase(Case(), {"relevance": one, "safety": other}))
    assert (row["judge_raw"], row["judge_trace"]) == ("whole", "thinking")
    other = replace(other, raw="second")
    row = faq_row(ScoredCase(Case(), {"relevance": one, "safety": other}))
    assert json.loads(str(row["judge_raw"])) == {
        "relevance": "whole",
        "safety": "second",
    }
