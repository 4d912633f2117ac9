"""The virtual agent's export, a row a metric."""

from typing import Any

from msgspec import structs

from reviewer.domain.evaluation import Evaluation, Label, Score, Value
from reviewer.domain.rubric_check import checked
from reviewer.reports.cases import scored_case
from reviewer.reports.systems.virtual_agent import conversation_rows
from tests.resources.demo_records import RESOURCES, rubric_of

RUBRIC = checked(rubric_of(RESOURCES / "rubrics" / "virtual-agent.toml"))
EVALUATION = Evaluation(
    key=1,
    id="vpn-6.1",
    case="vpn",
    run="va 6.1",
    occurred_at="2026-01-30T12:00:00Z",
    evaluated_at="2026-02-01T18:00:00Z",
    scores=(
        Score(metric="coherence", value=3),
        Score(metric="coherence", value=4, reasoning="so", examples=("Done.",)),
        Score(metric="coherence", value=None, error="no reply"),
    ),
)


def label(labeler: str, value: int | None, **fields: Any) -> Label:
    return Label(evaluation=1, metric="coherence", labeler=labeler, value=value, **fields)


def row(*labels: Label, human: Value = 3.5) -> dict[str, object]:
    rows = list(conversation_rows(scored_case(EVALUATION), RUBRIC, labels, {"coherence": human}))
    assert [found["metric"] for found in rows] == list(RUBRIC.by_name)
    return next(x for x in rows if x["metric"] == "coherence")


def test_a_row_has_exactly_the_fields_of_the_system() -> None:
    assert row(label("ann", 5, at="2026-02-03"), human=5) == {
        "evaluation": "vpn-6.1",
        "chat": "vpn",
        "chat_date": "2026-01-30T12:00:00Z",
        "evaluation_date": "2026-02-01T18:00:00Z",
        "metric": "coherence",
        "weight": 1.0,
        "auto_score": 4,
        "reason": "so",
        "examples": ["Done."],
        "human_score": 5,
        "labeler": "ann",
        "labelled_at": "2026-02-03",
    }


def test_a_metric_that_was_judged_later_counts_on_that_day() -> None:
    later = (
        Score(metric="coherence", value=4, at="2026-11-02T08:00:00Z"),
        Score(metric="conciseness", value=4, at="2026-11-01T08:00:00Z"),
        Score(metric="user_satisfaction", value=4.0),
    )
    scored = scored_case(structs.replace(EVALUATION, scores=later))
    rows = conversation_rows(scored, RUBRIC, (), {})
    dates = {str(x["metric"]): x["evaluation_date"] for x in rows}
    assert dates["coherence"] == "2026-11-02T08:00:00Z"
    assert dates["user_satisfaction"] == dates["conciseness"] == "2026-11-01T08:00:00Z"
    assert dates["slot_filling"] == EVALUATION.evaluated_at


def test_the_human_score_is_that_of_the_figures_and_a_decision_names_who_decided() -> None:
    several = [label("ann", 5, at="2026-02-03"), label("ben", 2, at="2026-02-04")]
    found = row(*several, label("eva", None, kind="not_applicable"))
    assert (found["human_score"], found["labeler"]) == (3.5, "ann, ben")
    assert found["labelled_at"] == "2026-02-04"
    decided = row(*several, label("lead", 4, kind="adjudication"), human=4)
    assert (decided["human_score"], decided["labeler"]) == (4, "lead")
    assert row()["human_score"] is None
