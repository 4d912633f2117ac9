"""A project in which several versions scored: which of them counts makes a difference.

`judge@1` scored everything and counts, `judge@2` scored half of it and says otherwise.
"""

from pathlib import Path
from typing import Any

from tests.building import build_project, record

RUN, OLDER = "agent v7", "agent v6"
METRICS = ("relevance", "accuracy", "safety")
SIZE = 12


def score(metric: str, value: object, version: str = "1", **more: Any) -> dict[str, Any]:
    return {
        "metric": metric, "value": value, "scorer": "judge", "scorer_version": version,
        "reasoning": f"Because of {version}.",
    } | more  # fmt: skip


def evaluation(number: int, run: str = RUN, **changed: Any) -> dict[str, Any]:
    """By judge@1 every metric is 5; judge@2 scored the first half with 2."""
    scores = [score(name, 5) for name in METRICS]
    if number <= SIZE // 2:
        scores += [score(name, 2, "2") for name in METRICS]
    label = {"metric": "accuracy", "labeler": "ann", "value": 4, "at": "2026-11-20T12:00:00Z"}
    fields = {"id": f"{run} {number}", "run": run, "scores": scores, "labels": [label]}
    return record(number) | fields | changed


def versions_project(path: Path, *, runs: tuple[str, ...] = (OLDER, RUN)) -> Path:
    """Both runs were scored alike; the last of `runs` is the newest."""
    rows = [evaluation(n, run) for run in runs for n in range(1, SIZE + 1)]
    return build_project(path, evaluations=rows, runs=runs)


def repeated_project(path: Path) -> Path:
    """`judge@1` scored Accuracy of the first three responses again, with 1."""
    rows = [evaluation(n) for n in range(1, SIZE + 1)]
    for row in rows[:3]:
        row["scores"] = [*row["scores"], score("accuracy", 1)]
    return build_project(path, evaluations=rows, runs=(RUN,))
