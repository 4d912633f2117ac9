"""Recipes: plans for the questions that come up again and again, and what a plan can name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from reviewer.domain.errors import QueueError
from reviewer.domain.wording import in_percent
from reviewer.services.project import project_days
from reviewer.services.project.session import Session
from reviewer.services.queues import candidates, making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.store import figures, queues

VALIDATE = "validate"
TRAINING = "training"
RECENT = "recent"
RECENTLY = 10
"""Evaluations that are labelled again and again, and days that they are drawn from."""
FEWEST, MOST = 20, 50
"""Evaluations that a validation of the judge may have; the usual number is the most."""
AGREE = 0.80
"""Share of equal answers that a judge must reach."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A question, what its queue holds, and how the plan for it is made.

    Attributes:
        title: What a queue made by it is called.
        sentence: What it is good for.
    """

    name: str
    title: str
    sentence: str
    plan: Callable[[Session, QueuePlan], dict[str, object]]


def _validate(session: Session, plan: QueuePlan) -> dict[str, object]:
    n = MOST if plan.n is None else plan.n
    if not FEWEST <= n <= MOST:
        raise QueueError(f"A validation takes {FEWEST} to {MOST} evaluations; {n} were asked for.")
    words = candidates.newest_run(session) if len(session.run_names()) > 1 else ""
    return {"sampling": Sampling.RANDOM, "n": n, "filter_text": plan.filter_text or words}


def _recent(session: Session, plan: QueuePlan) -> dict[str, object]:
    zone = project_days.zone_of(project_days.zone_name(session.project))
    return {
        "sampling": Sampling.RECENT,
        "n": plan.n or RECENTLY,
        "days": RECENTLY,
        "until": project_days.today(zone).isoformat(),
        "unlabelled": True,
        "labelers": plan.labelers or (session.labeler.name,),
    }


def _critical(_: Session, plan: QueuePlan) -> dict[str, object]:
    return {"sampling": Sampling.ALL, "filter_text": plan.filter_text or "tag:critical"}


def _edge(_: Session, plan: QueuePlan) -> dict[str, object]:
    usual = "tag:edge* OR category:edge*"
    return {"sampling": Sampling.ALL, "filter_text": plan.filter_text or usual}


def _undecided(_: Session, plan: QueuePlan) -> dict[str, object]:
    return {"sampling": Sampling.UNDECIDED, "n": plan.n or 50}


def _release(_: Session, plan: QueuePlan) -> dict[str, object]:
    return {"sampling": Sampling.RELEASE, "n": plan.n or 60}


def _training(_: Session, __: QueuePlan) -> dict[str, object]:
    return {"sampling": Sampling.GOLD}


RECIPES: tuple[Recipe, ...] = (
    Recipe(
        VALIDATE,
        "Validate the judge",
        f"{FEWEST} to {MOST} evaluations at random, answered blind; at the end it says whether "
        f"judge and people agree in {in_percent(AGREE, 0)} of them.",
        _validate,
    ),
    Recipe(
        RECENT,
        f"Random {RECENTLY} of the last {RECENTLY} days",
        f"{RECENTLY} of the evaluations of the last {RECENTLY} days, counted from today or from "
        "another day; only what was scored, is not left out and has no label of anybody yet.",
        _recent,
    ),
    Recipe(
        "critical",
        "Critical cases",
        "Every evaluation with the tag critical: what must not go wrong.",
        _critical,
    ),
    Recipe(
        "edge",
        "Edge cases",
        "Every evaluation whose tag or category begins with edge: where judges slip first.",
        _edge,
    ),
    Recipe(
        "undecided",
        "Judge undecided",
        "Where the judge's repeats differ or its score is just the pass mark: a person decides.",
        _undecided,
    ),
    Recipe(
        "release",
        "Last check before release",
        "From the newest run: a third at random, then its fails and cases on which people "
        "disagreed with the judge before.",
        _release,
    ),
    Recipe(
        TRAINING,
        "Training",
        "Evaluations with known answers for new labelers: after each one they see the decision.",
        _training,
    ),
)
BY_NAME = {recipe.name: recipe for recipe in RECIPES}


def plan_by(
    session: Session,
    recipe: str,
    *,
    n: int | None = None,
    labelers: Sequence[str] = (),
    filter_text: str = "",
    seed: int | None = None,
) -> QueuePlan:
    """Make the plan of a recipe, under a name that is free.

    Without a seed each queue of a project draws anew.

    Raises:
        QueueError: There is no such recipe, or no such number of evaluations.
    """
    known = queues.every(session.project.conn)
    found = BY_NAME.get(recipe)
    if found is None:
        raise QueueError(f"There is no recipe {recipe!r}; there are: {', '.join(BY_NAME)}.")
    if not session.run_names():
        raise QueueError("The project has no run yet; import evaluation results first.")
    made = QueuePlan(
        name=free_name(session, found.title),
        n=n,
        filter_text=filter_text,
        seed=len(known) if seed is None else seed,
        labelers=tuple(labelers),
        recipe=recipe,
    )
    fields = {name: getattr(made, name) for name in QueuePlan.__slots__}
    return QueuePlan(**fields | found.plan(session, made))


def begin_validation(session: Session) -> tuple[str, bool]:
    """Give the name of the labeler's open validation, else of a new one, and whether it is new.

    Raises:
        ReviewerError: There is nothing to validate.
    """
    return _begin(session, VALIDATE)


def begin_recent(session: Session) -> tuple[str, bool]:
    """Give the name of the labeler's open queue of recent evaluations, else of a new one.

    Raises:
        ReviewerError: Nothing of the last days was scored and is not labelled yet.
    """
    return _begin(session, RECENT)


def _begin(session: Session, recipe: str) -> tuple[str, bool]:
    """Go on with the labeler's open queue of a recipe, or make one for them alone."""
    for one in working.mine(session):
        if one.queue.recipe == recipe and working.answers_left(session, one.queue):
            return one.queue.name, False
    return making.create(session, plan_by(session, recipe)).name, True


def free_name(session: Session, title: str) -> str:
    """Give a title that no queue has yet, with a number behind it where needed."""
    taken = {row.name.casefold() for row in queues.every(session.project.conn)}
    number, name = 1, title
    while name.casefold() in taken:
        number += 1
        name = f"{title} {number}"
    return name


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
    return QueuePlan(
        name=free_name(session, "Queue"),
        sampling=Sampling.RANDOM,
        n=50,
        labelers=profiles.labelling(session),
    )
