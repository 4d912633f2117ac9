"""Packages as they are sent out, answered and returned."""

from pathlib import Path
from typing import Any

from reviewer.services.labelling import entering
from reviewer.services.parcels import merging, packing
from reviewer.services.parcels.returned import Returned
from reviewer.services.project.session import Session
from reviewer.store import reading

SECRET = "The judge finds this splendid"
METRICS = ("relevance", "accuracy", "safety")


def records(response: str = "Answer") -> list[dict[str, Any]]:
    return [
        {
            "id": f"c-{n}",
            "run": "one",
            "tags": ["gold", "pool"] if n == 0 else ["pool"],
            "input": f"Question {n}?",
            "response": f"{response} {n}.",
            "scores": [
                {"metric": m, "value": 2.125, "reasoning": SECRET, "scorer": "secret-judge"}
                for m in METRICS
            ],
            "labels": [
                {"metric": "safety", "labeler": "Other Person", "value": 3, "comment": SECRET,
                 "at": "2026-01-01T00:00:00Z"},
                {"metric": "safety", "labeler": "Lead", "value": 3, "kind": "adjudication",
                 "comment": SECRET, "at": "2026-01-02T00:00:00Z"},
            ],
            "marks": [
                {"kind": "cause", "labeler": "Lead", "value": "judge_wrong", "note": SECRET}
            ],
            "feedback": [{"value": "down", "comment": SECRET}],
            "meta": {"verdict": SECRET},
            "judge_said": SECRET,
        }
        for n in range(6)
    ]  # fmt: skip


def pack(lead: Path, to: Path, *, blind: bool = True) -> packing.Packed:
    session = Session.open(lead, "Lead")
    made = packing.make(session, to, queue="First", labeler="Ann", blind=blind)
    session.close()
    return made


def label(package: Path, value: int, *ids: str, metric: str = "safety") -> None:
    session = Session.open(package)
    for name in ids:
        key = reading.find(session.project.conn, name)
        assert key is not None
        entering.commit(session, key, metric, value)
    session.close()


def merged(lead: Path, package: Path, *, dry_run: bool = False) -> Returned:
    session = Session.open(lead, "Lead")
    found = merging.merge(session, package, dry_run=dry_run)
    session.close()
    return found


def current(lead: Path, labeler: str = "Ann") -> dict[str, Any]:
    session = Session.open(lead, "Lead")
    rows = session.project.conn.execute(
        "SELECT e.ext_id, c.value FROM current_labels c JOIN evaluations e ON e.id = c.evaluation "
        "JOIN labelers l ON l.id = c.labeler WHERE l.name = ? ORDER BY 1",
        (labeler,),
    ).fetchall()
    session.close()
    return dict(rows)
