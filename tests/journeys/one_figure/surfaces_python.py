"""What `reviewer.api` says of runs that it keeps in a project."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reviewer.api import agent_rubric, guest_response
from tests.journeys.one_figure.bands import options_of
from tests.journeys.one_figure.book import Book
from tests.journeys.one_figure.expected import Figures, Wanted
from tests.journeys.one_figure.oracle import Oracle
from tests.journeys.one_figure.project import document, run
from tests.journeys.one_figure.seen import Found
from tests.journeys.shell import RESOURCES
from tests.servers.model_server import Answer, Body, model_server

SCORES = {
    "factual_accuracy": (1.0, 0.8, 0.6, 0.3),
    "completeness": (1.0, 0.6, 0.8, 0.3, 0.0),
    "citation_accuracy": (1.0, 0.8),
    "source_quality": (0.6, 0.8, 1.0),
    "tool_efficiency": (1.0, 0.3),
}
REPLIES = (5, 3, 2, 4, 5, 1, 4)


def agent(project: Path) -> Found:
    """Let an agent answer tests, one of which it cannot, and read the summary."""
    tests = agent_rubric.TestSet("smoke")
    for number in range(8):
        tests.add_test({"id": f"t{number}", "input": f"Question {number}?", "expected": "Yes."})
    runner = agent_rubric.EvaluationRunner(
        tests, "agent-rubric", _answer, score=_score, project=project
    )
    told = runner.run_all()
    found: Found = {f"{name} auto": x for name, x in told["dimension_averages"].items()}
    return found | {"pass judge": told["pass_rate"], "pass judge n": told["total_tests"]}


def _answer(question: str) -> Mapping[str, Any]:
    if "3" in question:
        raise RuntimeError("no connection")
    return {"response": f"Yes: {question}"}


def _score(_: object, test: Mapping[str, Any]) -> dict[str, float | None]:
    number = int(test["id"][1:])
    return {name: some[number % len(some)] for name, some in SCORES.items()}


def guest(project: Path) -> Found:
    """Let a judge score responses, and read the report's document."""
    cases = [
        {"query": f"Question {n}?", "response": f"Answer {n}.", "context": ""} for n in range(7)
    ]
    with model_server(_reply) as model:
        runner = guest_response.EvaluationRunner(cases=cases, project=project, base_url=model.url)
        told = asyncio.run(runner.run_evaluation())
    found: Found = {f"{name} auto": x for name, x in told["avg_scores"].items()}
    return found | {
        "pass judge": told["pass_rate"], "pass judge n": told["passed"] + told["failed"],
    }  # fmt: skip


def _reply(_: int, body: Body) -> Answer:
    asked = json.dumps(body["messages"])
    number = next(n for n in range(7) if f"Question {n}?" in asked)
    return Answer(json.dumps({"score": REPLIES[number], "reasoning": "So."}))


def of_stats(project: Path) -> Found:
    """Read the same figures from `stats` of the project that was made."""
    told = document("stats", project)
    found: Found = {f"{name} auto": x["auto_mean"] for name, x in told["metrics"].items()}
    found["overall auto"] = told["satisfaction"]["auto_mean"]
    return found | {
        "pass judge": told["pass"]["auto_rate"], "pass judge n": told["pass"]["n_auto"],
    }  # fmt: skip


def expected(project: Path, rubric: str, folder: Path) -> Figures:
    """Work the figures out from an export of the project."""
    run("export", project, folder / "kept.jsonl")
    text = (folder / "kept.jsonl").read_text(encoding="utf-8")
    told = Book([[json.loads(line) for line in text.splitlines()]])
    toml = (RESOURCES / "rubrics" / f"{rubric}.toml").read_text(encoding="utf-8")
    today = datetime.now(UTC).date()
    options = options_of("recommended", {})
    oracle = Oracle(told, toml, options, runs=tuple(told.runs), as_of=today)
    rate, n = oracle.pass_rate()
    made = {f"{name} auto": Wanted(oracle.gaps(name).auto_mean) for name in oracle.metrics}
    made["overall auto"] = Wanted(oracle.satisfaction().auto_mean)
    return made | {"pass judge": Wanted(rate), "pass judge n": Wanted(n)}
