"""A system's own results as tables of a report."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final

from reviewer.services.reporting.building import Report
from reviewer.services.reporting.rows import Fields

MOST_ROWS: Final = 50
LISTED: Final = 12
"""Responses that are named of many."""


def of_system(report: Report) -> list[Fields]:
    """Give the tables that a system's report has beside those of every report."""
    make = _SYSTEMS.get(report.rubric.name)
    return make(report) if make and report.system else []


def _table(
    title: str, columns: list[str], rows: list[list[str]], note: str = "", n: int | None = None
) -> Fields:
    """Make a table of at most so many rows; `n` is how many there are where fewer are given."""
    more = (len(rows) if n is None else n) - MOST_ROWS
    said = f"{more:,} more rows stand in the JSON report." if more > 0 else ""
    return {
        "title": title,
        "columns": columns,
        "rows": rows[:MOST_ROWS],
        "note": " ".join(x for x in (note, said) if x),
    }


def _agent(report: Report) -> list[Fields]:
    summary: Mapping[str, Any] = report.system["summary"]
    averages: Mapping[str, float | None] = summary.get("dimension_averages", {})
    weights = {name: metric.weight for name, metric in report.rubric.by_name.items()}
    rows = [
        [report.rubric.by_name[name].heading, f"{weights[name]:.0%}", _two(value)]
        for name, value in averages.items()
    ]
    failed = summary.get("failures", ())
    failures = [
        [
            str(result["test"].get("id", "")),
            str(result["test"].get("input", "")),
            _two(result["evaluation"]["overall_score"]),
        ]
        for result in islice(failed, MOST_ROWS)
    ]
    return [
        _table("Dimensions", ["Dimension", "Weight", "Average"], rows),
        _table("Failures", ["Test", "Input", "Score"], failures, n=len(failed)),
    ]


def _harness(report: Report) -> list[Fields]:
    summary = report.system["summary"]
    rows = [
        [name, _two(entry["score"]), entry["grade"] or "–", f"{entry['n']:,}"]
        for name, entry in summary["categories"].items()
    ]
    note = " ".join((f"Overall {report.system['shown']}.", *report.system["warnings"]))
    return [_table("Grades by category", ["Category", "Score", "Grade", "n"], rows, note)]


def _faq(report: Report) -> list[Fields]:
    found: dict[str, list[str]] = {}
    for one in report.system["contradictions"]:
        found.setdefault(one["text"], []).append(one["id"])
    rows = [[text, f"{len(ids):,}", _some(ids)] for text, ids in found.items()]
    return [_table("Where families disagree", ["What", "Responses", "Which"], rows)]


def _some(ids: list[str]) -> str:
    more = len(ids) - LISTED
    return ", ".join(ids[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


_SYSTEMS: Final[dict[str, Callable[[Report], list[Fields]]]] = {
    "agent-rubric": _agent,
    "harness": _harness,
    "faq-bot": _faq,
}
