"""A project in which three people and a judge differ."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reviewer.services.project.session import Session
from reviewer.store import labelers
from tests.building import RUBRIC, build_project, record

METRICS = tuple(metric.name for metric in RUBRIC.metrics)
GIVEN: dict[int, Mapping[str, int]] = {
    1: {"ann": 2, "bo": 2},
    2: {"ann": 1, "bo": 4},
    3: {"ann": 5},
    4: {"ann": 4, "bo": 4, "zoe": 5},
}
"""Accuracy by evaluation and labeler; the judge says n + 1 modulo 5, plus 1."""


def judge(number: int) -> int:
    return (number + 1) % 5 + 1


def labelled(number: int) -> dict[str, Any]:
    labels = [
        {"metric": metric, "labeler": name, "value": value if metric == "accuracy" else 3,
         "kind": "label", "at": f"2026-11-0{place + 1}T10:00:00Z", "blind": True}
        for place, (name, value) in enumerate(GIVEN.get(number, {}).items())
        for metric in METRICS
    ]  # fmt: skip
    return record(number, labels=labels)


@contextmanager
def opened(
    folder: Path, *, lead: str | None = "ann", as_labeler: str = "ann"
) -> Iterator[Session]:
    """Open such a project; the lead has labelled all of the four."""
    path = build_project(folder / "team.review", evaluations=[labelled(n) for n in range(1, 9)])
    session = Session.open(path, as_labeler)
    if lead is not None:
        person = labelers.find(session.project.conn, lead)
        assert person is not None
        with session.project.write() as conn:
            conn.execute("UPDATE labelers SET role = 'lead' WHERE name = ?", (lead,))
    session.set_labeler(as_labeler)
    try:
        yield session
    finally:
        session.close()
