"""Small projects whose labels compare people, and how the sections read them."""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reviewer.domain.rubric import Rubric
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing, people
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.findings.insights_source import Source
from reviewer.services.project.session import Session
from tests.building import RUBRIC, build_project, record


def score(value: Any, metric: str = "accuracy", **more: Any) -> dict[str, Any]:
    return {"metric": metric, "value": value, "scorer": "judge"} | more


def label(value: Any, who: str = "ann", **more: Any) -> dict[str, Any]:
    fields = {"metric": "accuracy", "labeler": who, "value": value, "blind": True}
    return fields | {"at": "2026-11-10T10:00:00Z", "selection_reason": "random"} | more


def one(number: int, auto: float, labels: Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return record(number, **({"scores": [score(auto)], "labels": list(labels)} | more))


@contextlib.contextmanager
def opened(
    tmp_path: Path,
    records: Iterable[dict[str, Any]],
    *,
    rubric: Rubric = RUBRIC,
    who: str = "lead",
    blind: bool = False,
) -> Iterator[Session]:
    path = build_project(tmp_path / "small.review", evaluations=list(records), rubric=rubric)
    with contextlib.closing(Session.open(path, who)) as session:
        session.blind = blind
        yield session


def source_of(session: Session, scope: Scope | None = None) -> Source:
    return people.read(session, auditing.compute(session, StatsRequest(scope=scope or Scope())))
