"""Projects with odd verdicts for what the Audit page computes, and the audit of each."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from tests.building import build_project
from tests.services.figure_projects import AS_OF, MIXED, label, score

SCOPE = Scope(as_of=AS_OF, every_run=True)
CATEGORIES = ("alpha", "beta", None)
METRICS = ("a", "b", "unweighted", "reversed")


def random_records(seed: int, count: int = 120, **more: Any) -> list[dict[str, Any]]:
    """Evaluations with some scores and labels of the rubric `MIXED` missing."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(count):
        scores = [score(name, int(rng.integers(1, 6))) for name in METRICS if rng.random() < 0.9]
        labels = []
        if rng.random() < 0.6:
            for one in scores:
                for labeler in ("ann", "bo")[: 1 + int(rng.random() < 0.4)]:
                    value = int(np.clip(one["value"] + rng.integers(-2, 2), 1, 5))
                    if rng.random() < 0.9:
                        labels.append(
                            label(one["metric"], value, labeler, selection_reason="random")
                        )
        fields: dict[str, Any] = {
            "id": f"r-{number:03}",
            "category": CATEGORIES[number % 3],
            "input": "?",
            "response": f"Answer {number}",
            "evaluated_at": "2026-08-10T12:00:00Z",
            "scores": scores,
            "labels": labels,
        }
        found.append(fields | more)
    return found


@contextmanager
def audited(
    folder: Path,
    records: list[dict[str, Any]],
    rubric: Rubric = MIXED,
    *,
    scope: Scope = SCOPE,
    request: StatsRequest | None = None,
    labeler: str = "lead",
) -> Iterator[tuple[Session, Audit]]:
    """Build a project and compute its audit; the session sees everything."""
    path = build_project(
        folder / f"{rubric.name}.review",
        evaluations=records,
        rubric=rubric,
        runs=sorted({record.get("run", "agent v7") for record in records}) or ("agent v7",),
    )
    session = Session.open(path, labeler)
    try:
        session.blind = False
        yield session, auditing.compute(session, request or StatsRequest(scope=scope))
    finally:
        session.close()
