"""What a plan can name in a project, and the plan to begin with."""

from dataclasses import dataclass

from reviewer.services.assigning import recipes
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.project.session import Session
from reviewer.store import figures


@dataclass(frozen=True, slots=True)
class Offered:
    """Metrics (name and title), judges and runs that a plan can name."""

    metrics: tuple[tuple[str, str], ...]
    judges: tuple[str, ...]
    runs: tuple[str, ...]


def offered(session: Session) -> Offered:
    """Give what a plan can name."""
    metrics: dict[str, str] = {}
    for run in reversed(session.run_keys()):
        for metric in session.rubric_of_run(run).labelled_metrics:
            metrics.setdefault(metric.name, metric.heading)
    versions = figures.scorer_versions(session.project)
    return Offered(
        metrics=tuple(metrics.items()),
        judges=tuple(dict.fromkeys(x.name for x in versions)),
        runs=session.run_names()[::-1],
    )


def first_plan(session: Session) -> QueuePlan:
    """Give the plan that a form begins with: random evaluations for all labelers."""
    people = [x.name for x in session.labelers() if x.role == "labeler"]
    return QueuePlan(
        name=recipes.free_name(session, "Queue"),
        sampling=Sampling.RANDOM,
        n=50,
        labelers=tuple(people) or (session.labeler.name,),
    )
