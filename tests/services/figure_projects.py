"""Small rubrics and projects on which every rule of counting shows."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from reviewer.domain.rubric import Level, Metric, Rubric
from reviewer.domain.run import Scope
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.store.project import Project
from tests.building import build_project

AS_OF = date(2026, 8, 31)
SCOPE = Scope(as_of=AS_OF, every_run=True)
LEVELS = tuple(Level(value=value) for value in range(1, 6))

MIXED = Rubric(
    name="mixed",
    pass_rule="every",
    metrics=(
        Metric(name="a", weight=2, levels=LEVELS, pass_at=3),
        Metric(name="b", levels=LEVELS, pass_at=3),
        Metric(name="least", levels=LEVELS, fallback="min(a, b)"),
        Metric(name="unweighted", weight=0, levels=LEVELS),
        Metric(name="reversed", levels=LEVELS, higher_is_better=False),
        Metric(name="share", weight=0, scale="range", min=1, max=5),
        Metric(name="tone", weight=0, scale="categorical", values=("warm", "cold", "odd")),
        Metric(name="length", weight=0, scale="measure", unit="characters"),
        Metric(
            name="satisfaction", weight=0, scale="range", min=1, max=5, labelled=False,
            derived="weighted_mean",
        ),
    ),
)  # fmt: skip
SIMPLE = Rubric(
    name="simple", pass_rule="every", metrics=(Metric(name="a", levels=LEVELS, pass_at=3),)
)


def score(metric: str, value: Any, **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": "judge", **more}


def label(metric: str, value: Any, labeler: str = "ann", **more: Any) -> dict[str, Any]:
    return {
        "metric": metric,
        "labeler": labeler,
        "value": value,
        "at": "2026-08-01T12:00:00Z",
        "kind": "label",
        "blind": True,
        **more,
    }


def case(
    number: int | str,
    scores: Iterable[dict[str, Any]] = (),
    labels: Iterable[dict[str, Any]] = (),
    **more: Any,
) -> dict[str, Any]:
    return {
        "id": f"e{number}",
        "response": f"answer {number}",
        "evaluated_at": "2026-08-01T12:00:00Z",
        "scores": list(scores),
        "labels": list(labels),
        **more,
    }


def figures(
    path: Path, cases: Iterable[dict[str, Any]], rubric: Rubric = SIMPLE, **request: Any
) -> dict[str, Any]:
    """Build a project of the cases and give its document of figures."""
    build_project(path, evaluations=list(cases), rubric=rubric, runs=("r1", "r2"))
    return again(path, **request)


def again(path: Path, **request: Any) -> dict[str, Any]:
    """Give the document of a project that is there already."""
    with Project.open(path) as project:
        return compute(project, StatsRequest(**{"scope": SCOPE} | request)).to_json()
