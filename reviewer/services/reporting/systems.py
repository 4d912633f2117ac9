"""What each system reports in its own field names, beside what every report has."""

from collections.abc import Callable
from typing import Any, Final

from reviewer.scoring.summaries.agent_rubric import agent_result, agent_summary
from reviewer.scoring.summaries.faq_bot import contradictions, faq_rows
from reviewer.scoring.summaries.harness import harness_rows, harness_summary
from reviewer.scoring.summaries.virtual_agent import conversation_rows
from reviewer.services.reporting.cases import RunCases

Fields = dict[str, Any]


def reads_labels(rubric: str) -> bool:
    """Tell whether a rubric's report shows people's single labels."""
    return rubric == "virtual-agent"


def fields(found: RunCases) -> Fields:
    """Give the system's own results and summary; empty for rubrics that are no system's."""
    make = _SYSTEMS.get(found.rubric.name)
    return make(found) if make else {}


def summary(system: Fields) -> Fields | None:
    """Give the summary in a system's own field names, None where it has none."""
    found: Fields | None = system.get("summary")
    return found


def _agent(found: RunCases) -> Fields:
    results = [agent_result(scored, found.rubric) for scored in found.cases]
    return {
        "summary": agent_summary(results).to_json(),
        "results": [result.to_json() for result in results],
    }


def _harness(found: RunCases) -> Fields:
    rows = harness_rows(found.cases, found.rubric)
    made = harness_summary(rows, found.rubric)
    return {
        "summary": made.to_json(),
        "shown": made.overall.shown,
        "warnings": list(made.warnings),
        "rows": [row.to_json() for row in rows],
    }


def _faq(found: RunCases) -> Fields:
    rows = faq_rows(found.cases)
    said = contradictions(rows, found.rubric)
    return {
        "rows": [row.to_json() for row in rows],
        "contradictions": [
            {"id": x.id, "low": x.low, "high": x.high, "text": x.text} for x in said
        ],
    }


def _virtual_agent(found: RunCases) -> Fields:
    rows = [
        row.to_json()
        for key, scored in zip(found.keys, found.cases, strict=True)
        for row in conversation_rows(scored, found.rubric, found.labels.get(key, ()))
    ]
    return {"rows": rows}


_SYSTEMS: Final[dict[str, Callable[[RunCases], Fields]]] = {
    "agent-rubric": _agent,
    "harness": _harness,
    "faq-bot": _faq,
    "virtual-agent": _virtual_agent,
}
