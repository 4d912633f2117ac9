"""What a plan can name in a project, and the plan to begin with."""

from dataclasses import dataclass

from reviewer.services.assigning import recipes
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.project.session import Session
from reviewer.store import figures


@dataclass(frozen=True, slots=True)
class Offered:
    """Metrics (name and title), judges by their full names, and runs that a plan can name."""

    metrics: tuple[tuple[str, str], ...]
    judges: tuple[str, ...]
    runs: tuple[str, ...]


def offered(session: Session) -> Offered:
    """Give what a plan can name."""
    metrics: dict[str, str] = {}
    for run in reversed(session.run_keys()):
        for metric in session.rubric_of_run(run).labelled_metrics:
            metrics.setdefault(metric.name, metric.heading)
    numbers = figures.metric_keys(session.project)
    judging = {
        score_set
        for name in metrics
        for score_set in figures.score_sets_present(session.project, numbers.get(name, -1))
    }
    versions = [x for x in figures.scorer_versions(session.project) if x.key in judging]
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
