"""The cases that a bot answers: those of evaluations that are there."""

from typing import Any

from reviewer.domain.job import JobPlan
from reviewer.services.evaluating import selecting
from reviewer.services.session import Session
from reviewer.store.records import RecordReader

Fields = dict[str, Any]
BLOCK = 250


def of_plan(session: Session, plan: JobPlan) -> list[Fields]:
    """Give the cases of a plan as records, each case once.

    A case that several runs hold is taken from the newest.
    """
    keys = selecting.selected(session, plan.selection)
    reader = RecordReader(session.project)
    found: dict[str, Fields] = {}
    for start in range(0, len(keys), BLOCK):
        for stored in reader.of_keys(keys[start : start + BLOCK], ""):
            found[str(stored.fields.get("case", stored.fields["id"]))] = stored.fields
    return list(found.values())
