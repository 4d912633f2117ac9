"""A rubric's targets over a scope, from columns: no text is read."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from reviewer.domain.scope import Scope
from reviewer.scoring.summaries.guest_response import operation_figures
from reviewer.scoring.summaries.guest_targets import Target, judge_targets
from reviewer.scoring.summaries.operations import Operations
from reviewer.services.audits.auditing import hidden_among
from reviewer.services.evaluating.sides import run_columns
from reviewer.services.figures import figure_table
from reviewer.services.figures.covered import Covered, covered
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.people_columns import HeldBack
from reviewer.services.project.session import Session
from reviewer.services.reporting import patterns
from reviewer.services.reporting.patterns import KeyedPattern
from reviewer.services.reporting.verdicts import score_figures
from reviewer.services.tallying.live_loading import held_back
from reviewer.store import figures
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class Performed:
    """How a scope stands: its rubric's targets, and how its responses came about.

    Attributes:
        titles: Headings of the metrics that targets name.
        look: Where to look first, empty unless the pass rate is low.
    """

    rubric: str
    targets: tuple[Target, ...]
    operations: Operations
    patterns: tuple[KeyedPattern, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    look: str = ""


def of_run(session: Session, run: str) -> Performed:
    """Hold a run to its rubric's targets, as the active labeler may see it.

    Raises:
        ReviewerError: There is no such run, or a target is no comparison.
    """
    held = held_back(session.project, session.labeler.name) if session.blind else None
    found = of_scope(session.project, Scope(runs=(run,)), held)
    judged = {key for pattern in found.patterns if pattern.judged for key in pattern.keys}
    hidden = hidden_among(session, judged)
    return replace(
        found,
        patterns=tuple(
            replace(x, hidden=hidden.intersection(x.keys)) if x.judged else x
            for x in found.patterns
        ),
    )


def of_scope(project: Project, scope: Scope, held: HeldBack | None = None) -> Performed:
    """Hold a scope to its rubric's targets, without the answers that are held back.

    Raises:
        ReviewerError: The scope names something that is not there, or a target is no comparison.
    """
    with figures.snapshot(project):
        found = covered(project, scope)
        table = figure_table.load(
            project,
            scope,
            rubric=found.rubric,
            within=found.within,
            options=kept_options(project, found.rubric),
            held=held,
        )
        return of_table(project, found, table)


def of_table(project: Project, found: Covered, table: FigureTable) -> Performed:
    """Hold columns that were read already to their rubric's targets.

    Raises:
        ReviewerError: A target is no comparison.
    """
    columns = run_columns(project, found)
    performed = columns.operations
    known = operation_figures(performed) | score_figures(table)
    rubric = table.rubric
    rate = known["pass_rate"].value if "pass_rate" in known else None
    return Performed(
        rubric=rubric.name,
        targets=judge_targets(rubric.targets, known),
        operations=performed,
        patterns=patterns.of_columns(table, columns),
        titles={name: metric.heading for name, metric in rubric.by_name.items()},
        look=patterns.look_first(table, rate),
    )
