"""How kept jobs are written in cards and lists."""

from dataclasses import replace
from typing import Any

import pytest

from reviewer.domain.judging import Job, JobPlan
from reviewer.gui.jobs import job_lines
from reviewer.services.jobs.job_list import JobRow


def row(standing: Any, **counts: Any) -> JobRow:
    job = Job(key=1, kind="judge", title="A job", state="paused", total=1200, **counts)
    return JobRow(job, standing, JobPlan(kind="judge", title="A job"))


@pytest.mark.parametrize(
    ("standing", "counts", "line"),
    [
        ("waiting", {}, "not begun · 0 of 1,200."),
        ("paused", {"done": 1000, "sentence": "Paused."}, "paused · 1,000 of 1,200."),
        (
            "paused",
            {"done": 7, "failed": 2, "cost_usd": 1.5, "sentence": "Stopped at the budget."},
            "paused · 9 of 1,200 · $1.50 · 2 failed. Stopped at the budget.",
        ),
        (
            "interrupted",
            {"done": 7, "cost_usd": 0.004},
            "interrupted · 7 of 1,200 · $0.0040. Its process ended before it was done; nothing "
            "that was paid for is lost.",
        ),
    ],
)
def test_where_and_why_a_job_stands_still(
    standing: str, counts: dict[str, Any], line: str
) -> None:
    assert job_lines.stopped(row(standing, **counts)) == line


def test_only_what_is_asked_of_somebody_costs_something() -> None:
    assert job_lines.cost(row("done", cost_usd=2.0)) == "$2.00"
    scorer = replace(row("done"), job=Job(key=1, kind="scorer", title="A job", state="done"))
    assert job_lines.cost(scorer) == "—"


def test_what_nobody_knows_the_price_of_is_not_free() -> None:
    unpriced = replace(row("paused"), priced=False)
    assert job_lines.cost(unpriced) == "—"
    assert job_lines.stopped(unpriced) == "paused · 0 of 1,200 · price not known."
    # what the provider said counts all the same
    told = replace(row("paused", cost_usd=0.5), priced=False)
    assert job_lines.cost(told) == "$0.50"
