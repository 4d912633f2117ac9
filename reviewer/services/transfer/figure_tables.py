"""The figures' columns of everything an export covers, rubric by rubric."""

from collections.abc import Iterator

from reviewer.domain.scope import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.store import figures, reading
from reviewer.store.project import Project
from reviewer.store.scoping import counted


def tables(project: Project, scope: Scope) -> Iterator[FigureTable]:
    """Give the columns of the runs of each rubric, in the order of import.

    Raises:
        ReviewerError: The scope names a run, labeler or scorer that is not there.
    """
    rubrics = reading.rubrics(project.conn)
    runs = [run for run in figures.run_places(project) if not scope.runs or run[1] in scope.runs]
    for key in dict.fromkeys(rubric for _, _, rubric in runs):
        yield figure_table.load(
            project,
            scope,
            rubric=rubrics[key],
            within=counted(scope, [run for run, _, rubric in runs if rubric == key]),
            options=kept_options(project, rubrics[key]),
        )
