"""Time the deterministic scorers on one core: python tests/bench/bench_scorers.py [seconds].

Prints one line a scorer: evaluations a second with parameters read once, the floor, and whether it
holds. Responses have about 600 characters, as in the other benchmarks.
"""

import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from reviewer.domain.evaluation import Score, Source
from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.reports.cases import ScoredCase
from reviewer.scoring.bots.question_list import QuestionList
from reviewer.scoring.registry import SCORERS
from reviewer.scoring.scorer import Case
from tests.reports import responses

RESPONSE = (
    "The total basis for unit {n} is $442,300, which includes the land and the building. You find "
    "the statement of the year in the folder of the owner; the desk keeps a copy. Rent was paid "
    "on time in every month but August, when the bank returned the transfer once. Insurance runs "
    "until the end of March and covers water, fire and storm. Two repairs are open: the gutter on "
    "the north side and a lamp in the stairwell; both were ordered last week and are due before "
    "the first frost. Please tell me if you want the figures by month, or a list of all tenants "
    "with their deposits."
)
SCHEMA = {
    "type": "object",
    "properties": {
        "score": {"type": "integer", "minimum": 1, "maximum": 5},
        "reason": {"type": "string"},
    },
    "required": ["score", "reason"],
}
FLOORS: list[tuple[str, dict[str, Any], int | None]] = [
    ("tool_usage", {}, 50_000),
    ("response_quality", {}, 50_000),
    ("response_quality", {"match": "word"}, None),
    ("error_handling", {}, 50_000),
    ("exact_match", {}, 50_000),
    ("answer_length", {}, 50_000),
    ("latency", {}, 50_000),
    ("politeness", {}, 50_000),
    ("keyword_recall", {}, 20_000),
    ("cosine", {}, 20_000),
    ("retrieval_ndcg", {"k": 10}, 20_000),
    ("regex", {"pattern": r"unit \d+ is"}, 20_000),
    ("contains", {"texts": ["basis", "desk"]}, 20_000),
    ("numeric", {"value": 442300}, 20_000),
    ("json_schema", {"schema": SCHEMA}, 20_000),
]


def cases(count: int) -> list[Case]:
    """Make different cases, one in ten with an error, one in ten whose response is wrong."""
    return [
        Case(
            id=f"c-{n}",
            question=f"What is the basis of unit {n}?",
            response=RESPONSE.format(n=n),
            expected=f"The basis of unit {n} is $442,300 with land and building.",
            keywords=(
                "basis",
                "depreciation" if n % 2 else "insurance",
                "442300",
                "land",
                "deposit",
            ),
            tools_expected=("query_database",),
            tools_used=("query_database", "search_document_content"),
            error="OperationalError: connection lost" if n % 10 == 1 else None,
            sources=tuple(Source(id=f"s{k}", relevance=(n + k) % 3) for k in range(10)),
            latency_ms=100.0 + n,
            cost_usd=0.001,
        )
        for n in range(count)
    ]


def per_second(rule: Any, some: list[Any], seconds: float) -> float:
    """Call a rule on case after case for a while; the best of three rounds."""
    best = 0.0
    for _ in range(3):
        done = 0
        start = time.process_time()
        while time.process_time() - start < seconds:
            for case in some:
                rule(case)
            done += len(some)
        best = max(best, done / (time.process_time() - start))
    return best


def line(name: str, speed: float, floor: int | None = None) -> None:
    """Write one row of the table."""
    verdict = "" if floor is None else f"{floor:10,}  {'holds' if speed >= floor else 'MISSED'}"
    sys.stdout.write(f"{name:<44}{speed:12,.0f} /s {verdict}\n")


def report_speed(count: int) -> float:
    """Time the guest-response report in cases a second."""
    levels = tuple(Level(value=value) for value in range(1, 6))
    names = ("relevance", "accuracy", "safety")
    metrics = tuple(Metric(name=name, pass_at=3, levels=levels) for name in names)
    rubric = Rubric(name="guest", missing="null", pass_rule="every", metrics=metrics)
    scored = [
        ScoredCase(case, {m: Score(metric=m, value=1 + at % 5) for m in names})
        for at, case in enumerate(cases(count))
    ]
    start = time.process_time()
    responses.report(*scored, rubric=rubric)
    return count / (time.process_time() - start)


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.3
    some = cases(500)
    replies = [Case(response='{"score": 4, "reason": "' + "so " * 150 + '"}') for _ in range(500)]
    for name, parameters, floor in FLOORS:
        rule = SCORERS[name].prepare(parameters)
        chosen = replies if name == "json_schema" else some
        shown = ", ".join(f"{k}={v}" for k, v in parameters.items() if k != "schema")
        line(f"{name} {shown}", per_second(rule, chosen, seconds), floor)
    rows = QuestionList([f"How do I find unit {n} and its basis?" for n in range(200)])
    questions = [str(case.question) for case in some[:50]]
    line("strict match, 200 rows", per_second(rows.best, questions, seconds))
    line("guest-response report, 20,000 cases", report_speed(20_000))


if __name__ == "__main__":
    main()
