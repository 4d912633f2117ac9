"""The cases that a bot answers: those of a test set, or of evaluations that are there."""

from dataclasses import replace
from typing import Any

from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import JobPlan, Selection
from reviewer.services.calls import selecting
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.store import case_sets
from reviewer.store.records import RecordReader

Fields = dict[str, Any]
BLOCK = 250


def of_plan(session: Session, plan: JobPlan) -> list[Fields]:
    """Give the cases of a plan as records, each case once.

    A case that several runs hold is taken from the newest.

    Raises:
        ReviewerError: The test set, or a case of it, is not there any more.
    """
    if plan.test_set is not None:
        return _of_tests(session, plan)
    keys = selecting.selected(session, plan.selection)
    reader = RecordReader(session.project)
    found: dict[str, Fields] = {}
    for start in range(0, len(keys), BLOCK):
        for stored in reader.of_keys(keys[start : start + BLOCK], ""):
            found[str(stored.fields.get("case", stored.fields["id"]))] = stored.fields
    return list(found.values())


def count(session: Session, plan: JobPlan) -> int:
    """Give how many cases a plan has at most, without reading the texts of evaluations."""
    if plan.test_set is not None:
        return len(plan.test_cases) or len(of_plan(session, plan))
    return len(selecting.selected(session, plan.selection))


def evaluations_of(session: Session, tests: CaseSet, selection: Selection) -> list[int]:
    """Give the selected evaluations that are of a test set's cases."""
    found = case_sets.runs_with(session.project.conn, sets.ids(tests.cases))
    mine = {key for _, _, key in found}
    return [key for key in selecting.selected(session, selection) if key in mine]


def with_tests(session: Session, plan: JobPlan, tests: CaseSet) -> JobPlan:
    """Let a bot answer the cases of a test set, or of the part of one that is handed in.

    Raises:
        ReviewerError: No case is left.
    """
    if not tests.cases:
        raise ReviewerError(f"No case of {tests.title} is chosen, so there is nothing to answer.")
    whole = sets.get(session, tests.name, tests.version)
    part = sets.ids(tests.cases) if len(tests.cases) < len(whole.cases) else ()
    return replace(plan, test_set=tests.name, test_version=tests.version, test_cases=part)


def rubric_of(session: Session, plan: JobPlan) -> str:
    """Give the name of the rubric that a bot's run has.

    Raises:
        ReviewerError: Nobody said which, and the project has no run to take it from.
    """
    if plan.test_set is not None:
        found = sets.get(session, plan.test_set, plan.test_version).rubric
        if found is not None:
            return found
    return selecting.rubric_of(session, plan.selection).name


def _of_tests(session: Session, plan: JobPlan) -> list[Fields]:
    found = sets.get(session, plan.test_set, plan.test_version).cases
    if not plan.test_cases:
        return list(found)
    wanted = set(plan.test_cases)
    return [case for case in found if case["id"] in wanted]
