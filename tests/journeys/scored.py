"""Small scored and labelled runs, and what commands say of them, for the rules of counting."""

from collections.abc import Callable
from typing import Any

from tests.journeys.shell import Document, Shell, lines
from tests.servers.model_server import Answer, Body

LEVELS = "levels = [{value = 1}, {value = 2}, {value = 3}, {value = 4}, {value = 5}]"
METRIC = f'[[metrics]]\nname = "accuracy"\npass_at = 3\n{LEVELS}\n'
ONE = f'name = "desk"\npass_rule = "every"\n{METRIC}'
TONE = f'[[metrics]]\nname = "tone"\n{LEVELS}\n'
BOTH = ONE + TONE
"""Accuracy alone decides what passes."""


def score(
    value: float | None, metric: str = "accuracy", *, version: str = "1", **more: Any
) -> Document:
    """A score by vera; without a value it is a failure."""
    made = {"metric": metric, "value": value, "scorer": "vera", "scorer_version": version}
    return made | ({} if value is not None else {"error": "no reply"}) | more


def label(value: float, metric: str = "accuracy", who: str = "ann", **more: Any) -> Document:
    return {"metric": metric, "labeler": who, "value": value, "blind": True} | more


def record(number: int, *scores: Document, **more: Any) -> Document:
    return {"id": f"e{number:03}", "run": "one", "input": f"Question {number}?"} | {
        "response": "a", "scores": list(scores), **more
    }  # fmt: skip


def imported(shell: Shell, name: str, *records: Document, rubric: str = ONE) -> None:
    """Import records into the project p.review, which the first import makes."""
    (shell.folder / "desk.toml").write_text(rubric, encoding="utf-8")
    (shell.folder / f"{name}.jsonl").write_text(lines(*records), encoding="utf-8")
    chosen = () if (shell.folder / "p.review").exists() else ("--rubric", "desk.toml")
    assert shell.run("import", "p.review", f"{name}.jsonl", *chosen) == 0, shell.err


def accuracy(shell: Shell, *arguments: str) -> Document:
    found: Document = shell.document("stats", "p.review", *arguments)["metrics"]["accuracy"]
    return found


def entry(shell: Shell, metric: str = "accuracy", *arguments: str) -> Document:
    """What the document of `stats` says of the record of a metric."""
    told = shell.document("stats", "p.review", *arguments)
    found: Document = next(x for x in told["record"] if x["metric"] == metric)
    return found


def pass_rate(shell: Shell, project: str, run: str) -> float:
    runs = shell.document("runs", project)["runs"]
    found: float = next(x["pass_rate"] for x in runs if x["name"] == run)
    return round(found, 3)


def judge(shell: Shell, project: str, url: str, name: str = "mine") -> None:
    """Add a judge at a server; a million of its tokens cost a dollar."""
    words = ["judges", project, "add", name, "--endpoint", "near", "--url", url, "--model", "m"]
    assert shell.run(*words, "--price", "1,1") == 0, shell.err


def scores_of(value: int) -> Callable[[int, Body], Answer]:
    """What a server does whose judge gives one score to everything."""
    return lambda _number, _body: Answer(f'{{"score": {value}, "reasoning": "So."}}')
