"""What each system reports in its own field names, beside what every report has."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from reviewer.scoring.summaries.agent_rubric import agent_result, agent_summary
from reviewer.scoring.summaries.faq_bot import contradictions, faq_rows
from reviewer.scoring.summaries.harness import harness_rows, harness_summary
from reviewer.scoring.summaries.virtual_agent import conversation_rows
from reviewer.services.reporting.cases import RunCases
from reviewer.services.reporting.rows import Fields, Rows


def fields(found: RunCases) -> Fields:
    """Give the system's own results and summary; empty for rubrics that are no system's.

    Results hold texts and are `Rows`, read when they are walked through.
    """
    make = _SYSTEMS.get(found.rubric.name)
    return make(found) if make else {}


def summary(system: Fields) -> Fields | None:
    """Give the summary in a system's own field names, None where it has none."""
    found: Fields | None = system.get("summary")
    return found


def _agent(found: RunCases) -> Fields:
    results = [agent_result(scored, found.rubric) for scored in found.cases]
    failures = [key for key, result in zip(found.keys, results, strict=True) if not result.passed]
    summary: Fields = {**replace(agent_summary(results), failures=()).to_json()}

    def read(keys: Sequence[int]) -> Iterator[Fields]:
        for scored in found.whole.read(keys):
            yield agent_result(scored, found.rubric).to_json()

    if found.keys:
        summary["failures"] = Rows(len(failures), lambda: read(failures))
    return {"summary": summary, "results": Rows(len(found.keys), lambda: read(found.keys))}


def _harness(found: RunCases) -> Fields:
    made = harness_summary(harness_rows(found.cases, found.rubric), found.rubric)

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            yield from (row.to_json() for row in harness_rows([scored], found.rubric))

    return {
        "summary": made.to_json(),
        "shown": made.overall.shown,
        "warnings": list(made.warnings),
        "rows": Rows(len(found.keys), read),
    }


def _faq(found: RunCases) -> Fields:
    said = contradictions(faq_rows(found.cases), found.rubric)

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            yield from (row.to_json() for row in faq_rows([scored]))

    return {
        "rows": Rows(len(found.keys), read),
        "contradictions": [
            {"id": x.id, "low": x.low, "high": x.high, "text": x.text} for x in said
        ],
    }


def _virtual_agent(found: RunCases) -> Fields:
    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            key = scored.case.key
            said, human = found.whole.labels(key), found.whole.humans(key)
            for row in conversation_rows(scored, found.rubric, said, human):
                yield row.to_json()

    return {"rows": Rows(len(found.keys) * len(found.rubric.metrics), read)}


_SYSTEMS: Final[dict[str, Callable[[RunCases], Fields]]] = {
    "agent-rubric": _agent,
    "harness": _harness,
    "faq-bot": _faq,
    "virtual-agent": _virtual_agent,
}
