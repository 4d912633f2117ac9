"""The queue of what to label next, as the Plan section asks for it."""

from dataclasses import replace

from reviewer.domain.scope import Scope
from reviewer.services.assigning import offers, recipes
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.audits.plan import PlanFigures
from reviewer.services.project.session import Session

TITLE = "Most informative"


def plan_of(session: Session, found: PlanFigures, scope: Scope) -> QueuePlan:
    """Give the plan of a queue that draws as the section shows it."""
    heading = found.table.metric.heading
    return replace(
        offers.first_plan(session),
        name=recipes.free_name(session, f"{TITLE}, {heading}"),
        filter_text=filter_of(scope),
        sampling=Sampling.ACTIVE,
        n=found.wishes.n,
        seed=found.wishes.seed,
        metric=found.metric,
    )


def filter_of(scope: Scope) -> str:
    """Write runs and categories of a scope in the filter language."""
    parts = [
        f"({' OR '.join(f'{field}:{_quoted(name)}' for name in names)})"
        for field, names in (("run", scope.runs), ("category", scope.categories))
        if names
    ]
    return " ".join(parts)


def _quoted(name: str) -> str:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
