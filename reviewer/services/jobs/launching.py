"""What can be launched on a run, what somebody wishes of it, and the job that is made of that.

Judges and bots are those of the project and those that installed packages bring, of which nothing
is loaded to be offered. A name of the project hides a package's.
"""

from dataclasses import dataclass, field, replace
from typing import Any

from reviewer.domain.case_set import CaseSet
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import JsonValue
from reviewer.domain.judging import (
    Bot,
    Endpoint,
    Following,
    Job,
    JobKind,
    JobPlan,
    Judge,
    Selection,
)
from reviewer.domain.rubric import Metric
from reviewer.scoring.registry import SCORERS
from reviewer.services.calls import clients, selecting
from reviewer.services.computer import plugins, secrets
from reviewer.services.computer.plugins import Offer
from reviewer.services.computer.secrets import KeyState
from reviewer.services.jobs import planning, scorers
from reviewer.services.jobs.scorers import Parameter
from reviewer.services.judging import prompts
from reviewer.services.project.session import Session
from reviewer.services.testing import sets
from reviewer.store import jobs, judging
from reviewer.store import run_details as stored


@dataclass(frozen=True, slots=True)
class JudgeOffer:
    """A judge with its endpoint, None where that is gone.

    Attributes:
        key: Where the endpoint's key is; None where nobody looked.
        package: That brings it, empty for a judge of the project.
    """

    judge: Judge
    endpoint: Endpoint | None
    package: str = ""
    key: KeyState | None = None

    @property
    def title(self) -> str:
        """Name the judge with its package, or with its model where that says more."""
        name, beside = self.judge.name, self.package or self.judge.model
        return name if name == beside else f"{name} · {beside}"


@dataclass(frozen=True, slots=True)
class BotOffer:
    """A bot; `package` as for judges."""

    bot: Bot
    package: str = ""

    @property
    def title(self) -> str:
        """Name the bot with its package or kind."""
        return f"{self.bot.name} · {self.package or self.bot.kind.replace('_', ' ')}"


def judges(session: Session) -> tuple[JudgeOffer, ...]:
    """Give the judges by name, those of packages last."""
    there = {x.name: x for x in judging.every(session.project.conn, Endpoint)}
    own = judging.every(session.project.conn, Judge)
    known = {x.name for x in own}
    brought = (x for x in plugins.offers("judge") if x.name not in known)
    return (
        *(JudgeOffer(x, there.get(x.endpoint)) for x in own),
        *(JudgeOffer(*clients.stand_in(x.name, x.package), x.package) for x in brought),
    )


def bots(session: Session) -> tuple[BotOffer, ...]:
    """Give the bots by name, those of packages last."""
    own = judging.every(session.project.conn, Bot)
    known = {x.name for x in own}
    brought = (x for x in plugins.offers("bot") if x.name not in known)
    return (
        *(BotOffer(x) for x in own),
        *(
            BotOffer(Bot(name=x.name, kind="package", settings={"entry": x.name}), x.package)
            for x in brought
        ),
    )


@dataclass(frozen=True, slots=True)
class ScorerChoice:
    """A deterministic scorer as it is offered.

    Attributes:
        parameters: Those that it knows.
        package: That brings it; which parameters it knows is not known then.
    """

    name: str
    title: str
    help: str
    parameters: tuple[Parameter, ...] = ()
    package: str = ""


@dataclass(frozen=True, slots=True)
class MetricChoice:
    """A metric of the run's rubric.

    Attributes:
        scorer: The name of the scorer that is meant for it, None where there is none.
        parameters: Of that scorer, as the rubric has them.
        judged: Whether a judge is asked about it unless somebody chooses otherwise.
        unfit: Names of scorers whose values mean nothing on its scale.
    """

    name: str
    heading: str
    scorer: str | None
    parameters: dict[str, JsonValue]
    judged: bool
    unfit: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Choices:
    """Everything that the launch of a job chooses from."""

    run: str
    rubric: str
    metrics: tuple[MetricChoice, ...]
    scorers: tuple[ScorerChoice, ...]
    judges: tuple[JudgeOffer, ...]
    bots: tuple[BotOffer, ...]
    tests: tuple[str, ...]
    categories: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What is to be launched.

    Attributes:
        metrics: Empty is every metric that the scorers or the judge know.
        scorers: Names of scorers by metric, where others than the rubric's are wanted.
        parameters: Of scorers by metric, in place of the rubric's.
        tests: Name of the test set that a bot answers instead of the selection.
        test_cases: Ids of its cases that are answered; empty is every one.
        examples: Evaluations by metric that the judge is shown with the scores of people.
        then: Judge that scores what a bot answered, besides the rubric's own scorers.
        prompts: Texts by metric that the judge is asked with; the others are those it is bound
            to, or the newest.
    """

    kind: JobKind
    selection: Selection
    metrics: tuple[str, ...] = ()
    scorers: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, dict[str, Any]] = field(default_factory=dict)
    judge: str = ""
    bot: str = ""
    tests: str = ""
    test_cases: tuple[str, ...] = ()
    repeats: int = 1
    max_cost: float | None = None
    concurrency: int | None = None
    use_cache: bool = True
    examples: dict[str, tuple[int, ...]] = field(default_factory=dict)
    then: str = ""
    prompts: dict[str, str] = field(default_factory=dict)


def choices(session: Session, run: str) -> Choices:
    """Give what can be launched on a run; looks into the keyring, so call it beside the window.

    Raises:
        ReviewerError: There is no such run.
    """
    rubric = selecting.rubric_of(session, Selection(runs=(run,)))
    key = stored.run_key(session.project, run)
    rows = stored.categories(session.project, key) if key is not None else ()
    return Choices(
        run=run,
        rubric=rubric.name,
        metrics=tuple(_metric(x) for x in rubric.metrics if not x.derived),
        scorers=tuple(map(_scorer, scorers.offers())),
        judges=tuple(
            replace(x, key=secrets.state(x.endpoint)) if x.endpoint is not None else x
            for x in judges(session)
        ),
        bots=bots(session),
        tests=tuple(x.name for x in sets.every(session)),
        categories=tuple(row[0] for row in rows if row[0] is not None),
    )


def plan(session: Session, wish: Wish) -> JobPlan:
    """Turn a wish into a plan.

    Raises:
        ReviewerError: Something of it is not there, or makes no sense.
    """
    match wish.kind:
        case "judge":
            made = planning.judging_plan(
                session, wish.judge, wish.selection, metrics=wish.metrics, repeats=wish.repeats
            )
            if wish.prompts:
                made = planning.with_prompts(session, made, wish.prompts)
            if any(wish.examples.values()):
                made = planning.with_examples(session, made, wish.examples)
        case "bot":
            tests = tests_of(session, wish) if wish.tests else None
            then = Following(judges=(wish.then,)) if wish.then else Following()
            planning.check_following(session, then)
            made = planning.answering_plan(
                session, wish.bot, wish.selection, tests=tests, then=then
            )
        case "scorer":
            rubric = selecting.rubric_of(session, wish.selection)
            own = {x.name: scorers.of_metric(x) for x in rubric.metrics}
            usual = {name: scorer.name for name, scorer in own.items() if scorer is not None}
            asked = wish.metrics or tuple(usual)
            found = {name: wish.scorers.get(name) or usual.get(name, "") for name in asked}
            missing = [name for name, scorer in found.items() if not scorer]
            if missing or not found:
                which = f"the metric {missing[0]}" if missing else "any metric"
                raise ReviewerError(
                    f"Choose a scorer: the rubric {rubric.name} has none for {which}."
                )
            parameters = {name: x for name, x in wish.parameters.items() if name in found}
            made = planning.scoring_by_metric(rubric, wish.selection, found, parameters)
    return replace(
        made,
        use_cache=wish.use_cache,
        max_cost=wish.max_cost if wish.kind != "scorer" else None,
        concurrency=wish.concurrency,
    )


def launch(session: Session, wish: Wish) -> Job:
    """Keep a job that does what is wished, and give it; `running.run` works on it.

    Raises:
        ReviewerError: Something of it is not there or makes no sense, or nothing is selected.
    """
    made = plan(session, wish)
    for prompt in made.prompts:
        if not prompts.is_kept(prompt):
            prompts.save(
                session, selecting.rubric_of(session, made.selection), prompt.metric, prompt.text
            )
            made = plan(session, wish)
    return jobs.get(session.project.conn, planning.add(session, made))


def tests_of(session: Session, wish: Wish) -> CaseSet:
    """Give the cases of a test set that a bot is to answer.

    Raises:
        ReviewerError: There is no such set.
    """
    found = sets.get(session, wish.tests)
    if not wish.test_cases:
        return found
    wanted = set(wish.test_cases)
    return replace(found, cases=tuple(x for x in found.cases if x["id"] in wanted))


def _scorer(offer: Offer) -> ScorerChoice:
    """Offer a scorer; that of a package is not loaded before it is wanted."""
    name, found = offer.name, SCORERS.get(offer.name)
    if found is None:
        title, words = f"{name} · {offer.package}", f"Brought by {offer.package}."
        return ScorerChoice(name, title, words, package=offer.package)
    return ScorerChoice(name, found.title, found.help, scorers.of_scorer(name))


def _metric(metric: Metric) -> MetricChoice:
    scorer = scorers.of_metric(metric)
    return MetricChoice(
        name=metric.name,
        heading=metric.heading,
        scorer=scorer.name if scorer is not None else None,
        parameters=dict(metric.parameters),
        judged=metric.judge is not None or metric.scorer is None,
        unfit=frozenset(name for name, x in SCORERS.items() if x.misfit(metric) is not None),
    )
