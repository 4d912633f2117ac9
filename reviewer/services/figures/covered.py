"""What a scope covers: the runs of one rubric, and their evaluations."""

from dataclasses import dataclass

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures.filtered import found_by
from reviewer.services.figures.statistics_options import bounded
from reviewer.services.project.session import Session
from reviewer.store import figures, reading
from reviewer.store.project import Project
from reviewer.store.scoping import Condition, counted, narrowed


@dataclass(frozen=True, slots=True)
class Covered:
    """The runs that figures cover.

    Attributes:
        left_out: The other runs: all of the project where none is named, else those of other
            rubrics among the named ones.
        within: The condition on evaluations.
    """

    rubric: Rubric
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    within: Condition


def covered(project: Project, scope: Scope) -> Covered:
    """Find the runs of a scope: the newest, the named ones, or all of the newest one's rubric.

    Named runs of another rubric than the last of them are left out.

    Raises:
        ReviewerError: The scope names a run or metric that is not there, its filter cannot be
            understood, or there is no run.
    """
    runs = figures.run_places(project)
    if not runs:
        raise ReviewerError(
            f"{project.path.name} holds no run yet; import evaluation results first."
        )
    known = {name for _, name, _ in runs}
    for name in scope.runs:
        if name not in known:
            there = ", ".join(sorted(known))
            raise ReviewerError(f"There is no run {name!r} in this project; there are: {there}.")
    named = [run for run in runs if not scope.runs or run[1] in scope.runs]
    asked = named if scope.runs or scope.every_run else runs[-1:]
    rubric_key = asked[-1][2]
    rubric = reading.rubrics(project.conn)[rubric_key]
    _check_metrics(rubric, scope)
    mine = [run for run in asked if run[2] == rubric_key]
    within = counted(scope, [key for key, _, _ in mine])
    if scope.filter:
        viewer = Session.onlooker(project, scope.viewer)
        within = narrowed(within, found_by(viewer, scope.filter))
    within = bounded(project, scope, within)
    return Covered(
        rubric=rubric,
        runs=tuple(name for _, name, _ in mine),
        left_out=tuple(run[1] for run in named if run not in mine),
        within=within,
    )


def _check_metrics(rubric: Rubric, scope: Scope) -> None:
    unknown = [name for name in scope.metrics if name not in rubric.by_name]
    if unknown:
        there = ", ".join(rubric.by_name)
        raise ReviewerError(
            f"The rubric {rubric.name} has no metric {unknown[0]!r}; it has: {there}."
        )
