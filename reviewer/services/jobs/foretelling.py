"""What a wish would take, told before anything is asked."""

from dataclasses import dataclass, replace

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import JobPlan
from reviewer.domain.wording import counted, fixed
from reviewer.services.aligning import splitting
from reviewer.services.calls import prices, selecting
from reviewer.services.jobs import estimating, launching, planning, scorer_parameters
from reviewer.services.jobs.estimating import Estimate
from reviewer.services.jobs.launching import Wish
from reviewer.services.jobs.scorer_parameters import Misfit
from reviewer.services.judging import prompts
from reviewer.services.project.session import Session

UNHELD = "The model's price is not known, so nothing can be held to the limit."


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a wish would take.

    Attributes:
        evaluations: How many are selected.
        problem: Why it cannot be launched, empty where it can.
        warning: What may be unexpected once it is launched.
        misfit: The parameter of a scorer that the problem is about.
    """

    evaluations: int
    sentence: str
    problem: str = ""
    warning: str = ""
    misfit: Misfit | None = None


def forecast(session: Session, wish: Wish) -> Forecast:
    """Say what a wish would take, from its first evaluations; writes nothing.

    Call it beside the window.
    """
    with splitting.foreseen(session):
        return _forecast(session, wish)


def _forecast(session: Session, wish: Wish) -> Forecast:
    try:
        made = launching.plan(session, wish)
        if made.kind == "judge":
            guess = estimating.estimate(session, made)
            return Forecast(
                guess.evaluations,
                _with_prompt(made, _sentence(guess)),
                _nothing(guess.evaluations),
                _warning(guess, wish) or _not_newest(session, made),
            )
        if made.kind == "bot":
            return _answering(session, wish, made)
        count = len(selecting.selected(session, made.selection))
    except ReviewerError as error:
        return Forecast(0, "", str(error), misfit=scorer_parameters.misfit(error))
    scores = counted(count * len(made.metrics), "score")
    sentence = f"{counted(count, 'evaluation')} · {scores} · no calls, no cost."
    return Forecast(count, sentence, _nothing(count))


def _answering(session: Session, wish: Wish, made: JobPlan) -> Forecast:
    """Say what a bot's answers would take, and what judging them would take besides."""
    guess = estimating.estimate(session, made)
    count = guess.evaluations
    things = counted(count, "evaluation")
    parts = [things, counted(guess.calls, "answer"), *_price(guess.cost_usd)]
    parts.append(f"a new run “{made.target_run}”")
    said = [" · ".join(parts) + "."]
    cost = guess.cost_usd
    if wish.then:
        judged = _judged(session, wish)
        said.append(_then(wish, judged))
        cost = (
            None
            if judged is None
            else (None if cost is None or judged.cost_usd is None else cost + judged.cost_usd)
        )
    if wish.then and wish.max_cost is not None:
        said.append(f"The limit of ${fixed(wish.max_cost)} holds for both together.")
    warning = ""
    if wish.max_cost is not None and prices.unknown(session.project, made) is not None:
        warning = UNHELD
    elif wish.max_cost is not None and cost is not None and cost > wish.max_cost:
        warning = f"It would stop at ${fixed(wish.max_cost)}, before everything is done."
    return Forecast(count, " ".join(said), _nothing(count), warning)


def _judged(session: Session, wish: Wish) -> Estimate | None:
    """Guess what judging the new run takes by what judging the answers at hand would take."""
    if wish.tests:
        return None
    plan = planning.judging_plan(session, wish.then, wish.selection)
    return estimating.estimate(session, replace(plan, use_cache=False))


def _then(wish: Wish, judged: Estimate | None) -> str:
    if judged is None:
        return f"What {wish.then} takes to judge them is not in this figure."
    tokens = judged.tokens_in + judged.tokens_out
    parts = [
        f"about {counted(judged.calls, 'call')}",
        f"{tokens:,} tokens",
        *_price(judged.cost_usd),
    ]
    if judged.cost_usd is None:
        parts.append("price not known")
    like = "if its answers are as long as those at hand"
    return f"{wish.then} then judges it: {' · '.join(parts)}, {like}."


def _price(dollars: float | None) -> tuple[str, ...]:
    return () if not dollars else (f"about ${fixed(dollars, 4)}",)


def _warning(guess: Estimate, wish: Wish) -> str:
    """Say what the limit will do, where there is one."""
    if wish.max_cost is None or not guess.calls:
        return ""
    if guess.cost_usd is None:
        return UNHELD
    if guess.cost_usd > wish.max_cost:
        return f"It would stop at ${fixed(wish.max_cost)}, before everything is judged."
    return ""


def _with_prompt(made: JobPlan, sentence: str) -> str:
    """Say which version of a single prompt is asked with."""
    if len(made.prompts) != 1:
        return sentence
    return f"{sentence.removesuffix('.')} · {prompts.title(made.prompts[0])}."


def _not_newest(session: Session, made: JobPlan) -> str:
    """Say that a prompt is an older version, which figures will tell, too."""
    rubric = selecting.rubric_of(session, made.selection)
    for one in made.prompts:
        newest = prompts.versions(session, rubric, one.metric)[0]
        if prompts.is_kept(one) and newest.version > one.version:
            return f"It asks with {prompts.title(one)}; v{newest.version} is newer."
    return ""


def _nothing(count: int) -> str:
    return "" if count else "Nothing is selected, so there is nothing to evaluate."


def _sentence(guess: Estimate) -> str:
    """Say what a judge's job would take, its time too."""
    span = guess.seconds
    if span < 90:
        time = f"{max(round(span), 1)} s"
    elif span < 5400:
        time = f"{fixed(span / 60, 0)} min"
    else:
        time = f"{fixed(span / 3600, 1)} h"
    return f"{guess.sentence.removesuffix('.')} · about {time}." if guess.calls else guess.sentence
