"""Every case's results across runs, side by side, and all that is shown of test sets at once."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from reviewer.domain.case_set import CaseSet, SetEntry
from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Floats
from reviewer.services.figures.request import covered
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.services.testing import checking, sets
from reviewer.services.testing.checking import Finding
from reviewer.stats.overall_columns import OPEN, PASS
from reviewer.store import case_sets, exclusions, figures
from reviewer.store.scoping import Condition

MOST_RUNS = 12
"""The newest runs that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one run made of one case.

    Attributes:
        overall: On the rubric's range, or the chosen metric's score; None where it is undefined or
            held.
        passed: None where there is no verdict.
        failed: Whether there is an error instead of a response.
        held: Whether the labeler has not answered it yet, so that nothing of it is told.
    """

    evaluation: int
    overall: float | None = None
    passed: bool | None = None
    failed: bool = False
    held: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the cell as the command line prints it."""
        return {
            "evaluation": self.evaluation,
            "overall": self.overall,
            "passed": self.passed,
            "error": self.failed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResults:
    """A run's column.

    Attributes:
        cells: By case; cases that the run does not hold are absent.
        passed, judged: Over the cells that have a verdict.
        mean: Of the overall scores.

    Excluded evaluations have a cell and count nowhere.
    """

    run: str
    rubric: str
    cells: dict[str, Cell]
    passed: int
    judged: int
    mean: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Across:
    """A test set's results over runs, the oldest run first.

    Attributes:
        metric: The metric whose scores the cells hold, None for the overall.
        metrics: Those that can be chosen, of the newest run's rubric.
        left_out: How many older runs are not shown.
    """

    tests: CaseSet
    runs: tuple[RunResults, ...]
    metric: str | None = None
    metrics: tuple[tuple[str, str], ...] = ()
    left_out: int = 0

    def unstable(self) -> tuple[str, ...]:
        """Give the cases that pass in one run and fail in another."""
        found = []
        for case in self.tests.cases:
            verdicts = {
                run.cells[case["id"]].passed for run in self.runs if case["id"] in run.cells
            }
            if {True, False} <= verdicts:
                found.append(str(case["id"]))
        return tuple(found)


def across(session: Session, tests: CaseSet, metric: str | None = None) -> Across:
    """Read what every run that holds cases of a test set made of them.

    Args:
        session: the project; what it hides from its labeler is held back.
        tests: the cases.
        metric: whose scores are told instead of the overall; runs without it have none.
    """
    ids = [str(case["id"]) for case in tests.cases]
    by_run: dict[int, dict[str, int]] = {}
    for run, case, evaluation in case_sets.runs_with(session.project.conn, ids):
        by_run.setdefault(run, {})[case] = evaluation
    places = [(key, name) for key, name, _ in figures.run_places(session.project) if key in by_run]
    shown = places[-MOST_RUNS:]
    with figures.snapshot(session.project):
        runs = tuple(_column(session, name, by_run[key], metric) for key, name in shown)
    rubric = session.rubric_of_run(shown[-1][0]) if shown else None
    numeric = (x for x in rubric.metrics if x.is_numeric) if rubric else ()
    return Across(
        tests=tests,
        runs=runs,
        metric=metric,
        metrics=tuple((x.name, x.heading) for x in numeric),
        left_out=len(places) - len(shown),
    )


def responses(session: Session, tests: CaseSet) -> dict[str, str]:
    """Give the newest run's responses to the cases of a test set."""
    found = case_sets.runs_with(session.project.conn, [str(case["id"]) for case in tests.cases])
    newest = max((run for run, _, _ in found), default=0)
    keys = {evaluation: case for run, case, evaluation in found if run == newest}
    texts = case_sets.responses(session.project.conn, keys)
    return {keys[key]: text for key, text in texts.items()}


def _column(session: Session, run: str, cases: dict[str, int], metric: str | None) -> RunResults:
    project = session.project
    rubric = covered(project, Scope(runs=(run,))).rubric
    keys = sorted(cases.values())
    within = Condition(
        "e.id IN (SELECT value FROM json_each(?))", (f"[{','.join(map(str, keys))}]",)
    )
    options = kept_options(project, rubric)
    table = figure_table.load(
        project, Scope(runs=(run,)), rubric=rubric, within=within, options=options
    )
    overall = _values(table, metric).tolist()
    verdicts = table.auto_verdicts().tolist()
    places = {key: at for at, key in enumerate(table.keys.tolist())}
    errors = case_sets.with_error(project.conn, keys)
    hidden = hidden_among(session, keys)
    cells = {
        case: Cell(evaluation=key, held=True)
        if key in hidden
        else _cell(key, overall[places[key]], verdicts[places[key]], failed=key in errors)
        for case, key in cases.items()
        if key in places
    }
    counted = set(exclusions.included(project.conn, keys))
    counting = [cell for cell in cells.values() if cell.evaluation in counted]
    told = [cell for cell in counting if cell.passed is not None]
    known = [cell.overall for cell in counting if cell.overall is not None]
    return RunResults(
        run=run,
        rubric=rubric.name,
        cells=cells,
        passed=sum(bool(cell.passed) for cell in told),
        judged=len(told),
        mean=sum(known) / len(known) if known else None,
    )


def _cell(key: int, overall: float, verdict: int, *, failed: bool) -> Cell:
    return Cell(
        evaluation=key,
        overall=None if math.isnan(overall) else overall,
        passed=None if verdict == OPEN else verdict == PASS,
        failed=failed,
    )


def _values(table: FigureTable, metric: str | None) -> Floats:
    if metric is None:
        return table.auto_overall()
    if metric in table.metrics:
        return table.metrics[metric].auto
    return np.full(table.keys.size, np.nan)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The test sets, and one version of one of them with its results and its check.

    Attributes:
        tests: None where the project has no test set.
    """

    entries: tuple[SetEntry, ...]
    tests: CaseSet | None = None
    across: Across | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def entry(self) -> SetEntry | None:
        """Give the entry of the set that is shown."""
        name = self.tests.name if self.tests else None
        return next((x for x in self.entries if x.name == name), None)

    @property
    def is_newest(self) -> bool:
        """Tell whether the version that counts is shown, which alone can be edited."""
        entry = self.entry
        return (
            self.tests is not None
            and entry is not None
            and self.tests.version == entry.newest.version
        )


def read(
    session: Session,
    name: str | None = None,
    version: int | None = None,
    metric: str | None = None,
) -> Overview:
    """Read a test set; one that is gone gives way to the set of the newest run's rubric."""
    entries = sets.every(session)
    if not entries:
        return Overview(entries=())
    names = [entry.name for entry in entries]
    if name not in names:
        rubric = session.current_rubric().name if session.run_keys() else None
        fitting = [entry.name for entry in entries if entry.rubric == rubric]
        name, version = (fitting or names)[0], None
    entry = entries[names.index(name)]
    if version not in {x.version for x in entry.versions}:
        version = None
    tests = sets.get(session, name, version)
    return Overview(
        entries=entries,
        tests=tests,
        across=across(session, tests, metric),
        findings=checking.check(tests.cases, tests.rubric, responses(session, tests)),
    )
