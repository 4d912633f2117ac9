"""`reviewer evaluate` with a bot or a test set: what is answered, and how it stands afterwards."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reviewer.cli import testing
from reviewer.cli.comparing import print_comparison
from reviewer.cli.console import say
from reviewer.cli.sessions import opened
from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import Job, Selection
from reviewer.services.bots import cases
from reviewer.services.comparing import comparing
from reviewer.services.comparing.sides import Side
from reviewer.services.jobs import following
from reviewer.services.project.session import Session
from reviewer.services.testing import sets


@dataclass(frozen=True, slots=True, kw_only=True)
class Tests:
    """Which cases of which test set, as the command line names them."""

    name: str
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()


def tests_of(session: Session, wish: Tests, selection: Selection) -> CaseSet:
    """Give the cases that are meant; a FILE becomes a test set of the project first.

    Raises:
        ReviewerError: There is neither a set nor a file of that name, or no case fits.
    """
    name, file = wish.name, Path(wish.name)
    if name not in [x.name for x in sets.every(session)] and file.is_file():
        told = sets.add_file(session, file)
        say(told.sentence)
        name = told.name
    found = testing.chosen(session, name, tags=wish.tags, where=wish.where)
    kept = [
        case for case in found.cases
        if not selection.categories or case.get("category") in selection.categories
    ][: selection.limit]  # fmt: skip
    if not kept:
        raise ReviewerError(
            f"No case of {found.title} is in the category {', '.join(selection.categories)}."
        )
    return replace(found, cases=tuple(kept))


def narrowed(session: Session, tests: CaseSet, selection: Selection) -> Selection:
    """Narrow a selection to the evaluations of a test set's cases.

    Raises:
        ReviewerError: The run holds none of them.
    """
    keys = cases.evaluations_of(session, tests, replace(selection, limit=None))
    if not keys:
        raise ReviewerError(
            f"The chosen run holds no case of {tests.title}; let a bot answer it with --bot NAME."
        )
    return replace(selection, keys=tuple(keys))


def followers(project: Path, job: Job) -> list[int]:
    """Give the jobs that score what a bot's job has just answered."""
    if job.kind != "bot" or job.state != "done":
        return []
    with opened(project) as session:
        return [x.key for x in following.waiting(session, job.key)]


def told(project: Path, done: list[Job], *, quiet: bool) -> dict[str, Any]:
    """Compare a bot's run with the one before, and give its part of the document."""
    answered = [job for job in done if job.kind == "bot" and job.state == "done"]
    if not answered:
        return {}
    with opened(project) as session:
        session.blind = False
        run = following.target(session, answered[-1].key)
        if run is None:
            return {}
        before = following.before(session, run)
        found = comparing.compare(session, Side(before), Side(run)) if before else None
    if found is not None and not quiet:
        print_comparison(found)
    return {
        "run": run,
        "score_sets": [],
        "summary": None,
        "reports": None,
        "comparison": found.to_json() if found is not None else None,
    }
