"""What passes in one run, as its page says first."""

from reviewer.domain.run import Scope
from reviewer.services.figures.column_memory import held_now, memory_of
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import Loader
from reviewer.services.figures.request import covered
from reviewer.services.figures.statistics_blocks import PassBlock
from reviewer.services.figures.statistics_pass import pass_block
from reviewer.services.project.session import Session
from reviewer.stats.intervals import IntervalPolicy
from reviewer.store import figures


def passing_of(session: Session, run: str) -> PassBlock:
    """Work out what passes in a run: by the judge, by people, and corrected.

    Raises:
        ReviewerError: There is no such run.
    """
    scope = Scope(runs=(run,))
    with figures.snapshot(session.project):
        found = covered(session.project, scope)
        options = kept_options(session.project, found.rubric)
        table = Loader(session.project, memory_of(session)).load(
            scope,
            rubric=found.rubric,
            within=found.within,
            options=options,
            held=held_now(session),
        )
    return pass_block(table, IntervalPolicy(), options.selection)
