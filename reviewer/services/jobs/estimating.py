"""What a plan or a wish is likely to take, told before anything is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from reviewer.domain.case_set import Fields, question_of
from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation
from reviewer.domain.judging import Endpoint, Following, JobPlan, Judge
from reviewer.domain.rubric import Rubric
from reviewer.domain.wording import counted, fixed
from reviewer.scoring.judging.prechecks import excluded
from reviewer.scoring.scorer import case_of
from reviewer.services.aligning import splitting
from reviewer.services.bots import bots
from reviewer.services.calls import prices, selecting
from reviewer.services.jobs import launching, planning, scorers
from reviewer.services.jobs.bot_job import WIDTH
from reviewer.services.jobs.control import USUAL_REPLY, Budget
from reviewer.services.jobs.launching import Wish
from reviewer.services.jobs.scorers import Misfit
from reviewer.services.judging import judges, prompts
from reviewer.services.judging.prompts import cache_key, hearings
from reviewer.services.project.session import Session
from reviewer.store import jobs, judging, reading

SAMPLE = 200
"""Evaluations that an estimate looks at; the others are taken to be like them."""
USUAL_SECONDS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a job is likely to take.

    Attributes:
        evaluations: How many are selected.
        calls: To be sent; what is in the cache and what is excluded is not among them.
        cost_usd: None where the model's price is not known.
        seconds: With calls of the usual length.
        at_once: Calls that are under way together, 0 where nothing is paid.
    """

    evaluations: int
    calls: int
    cached: int
    excluded: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    seconds: float
    at_once: int = 0

    @property
    def risk(self) -> str:
        """Say what a crash costs; empty where nothing is paid."""
        most = min(self.calls, self.at_once)
        if not most:
            return ""
        return (
            f"at a crash at most {counted(most, 'call')} {'is' if most == 1 else 'are'} paid again"
        )

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        price = "price not known" if self.cost_usd is None else f"about ${fixed(self.cost_usd, 4)}"
        parts = [
            counted(self.evaluations, "evaluation"),
            counted(self.calls, "call"),
            f"about {self.tokens_in + self.tokens_out:,} tokens",
            price,
        ]
        if self.cached:
            parts.append(f"{counted(self.cached, 'reply', 'replies')} from the cache")
        if self.excluded:
            parts.append(f"{counted(self.excluded, 'score')} excluded by the rubric's pre-checks")
        if self.risk:
            parts.append(self.risk)
        return " · ".join(parts) + "."


def estimate(session: Session, plan: JobPlan) -> Estimate:
    """Say what a judge's or a bot's job is likely to take, from its first evaluations.

    Raises:
        ReviewerError: The plan cannot be carried out; the sentence says why.
    """
    if plan.kind == "bot":
        return _answers(session, plan)
    keys = selecting.selected(session, plan.selection)
    rubric = selecting.rubric_of(session, plan.selection)
    asked = hearings(plan, rubric) if plan.kind == "judge" else {}
    conn = session.project.conn
    seen = calls = cached = out = tokens = 0
    budget = Budget(price=None)
    for key in keys[:SAMPLE]:
        evaluation = reading.evaluation(conn, key)
        if evaluation is None:
            continue
        seen += 1
        if excluded(rubric, evaluation) is not None:
            out += len(asked) * plan.repeats
            continue
        for hearing in asked.values():
            question = hearing.question(evaluation)
            size = budget.tokens(len(question.prompt) + len(question.system))
            for repeat in range(plan.repeats):
                name = cache_key(
                    plan.endpoint or Endpoint(name=""), question, repeat, only_job=None
                )
                if plan.use_cache and jobs.find_reply(conn, name) is not None:
                    cached += 1
                else:
                    calls, tokens = calls + 1, tokens + size
    share = len(keys) / seen if seen else 0.0
    return _scaled(
        session, plan, len(keys), [round(x * share) for x in (calls, cached, out, tokens)]
    )


def unasked(session: Session, plan: JobPlan) -> str:
    """Say that a judge would be shown answers to no question; empty where that is not so."""
    if plan.kind != "judge":
        return ""
    keys = selecting.selected(session, plan.selection)[:SAMPLE]
    seen = [x for key in keys if (x := reading.evaluation(session.project.conn, key)) is not None]
    if not seen or any(case_of(x).question or x.messages for x in seen):
        return ""
    return (
        f"None of the {counted(len(seen), 'evaluation')} looked at has a question (input), so the "
        "judge is shown answers to nothing."
    )


Foretold = tuple[JobPlan, Estimate]


def followed(session: Session, plan: JobPlan) -> list[Foretold]:
    """Say what judging a bot's answers will take: a call for each case, metric and repeat.

    How long the answers are is guessed; a judge of a model that nobody keeps yet is placed.

    Raises:
        ReviewerError: A judge or the rubric is not there.
    """
    if plan.kind != "bot" or plan.then is None or not plan.then.judges:
        return []
    cases = bots.of_plan(session, plan)
    rubric = session.rubric(bots.rubric_of(session, plan))
    return [_follower(session, plan, rubric, name, cases) for name in plan.then.judges]


def _follower(
    session: Session, plan: JobPlan, rubric: Rubric, name: str, cases: Sequence[Fields]
) -> Foretold:
    then = plan.then or Following()
    kept = judging.find(session.project.conn, Judge, name) is not None
    is_new = not kept and then.model is not None
    judge = (
        judges.placed_judge(session, str(then.model)) if is_new else planning.placed(session, name)
    )
    if then.model is not None:
        judge = judge._replace(judge=replace(judge.judge, model=then.model))
    made = replace(
        planning.asking_plan(session, judge, rubric, metrics=then.metrics, repeats=then.repeats),
        concurrency=plan.concurrency,
    )
    asked = hearings(made, rubric).values()
    sample = [_as_answered(case) for case in cases[:SAMPLE]]
    questions = [hearing.question(one) for hearing in asked for one in sample]
    size = sum(Budget.tokens(len(x.prompt) + len(x.system)) for x in questions)
    calls = len(cases) * len(asked) * made.repeats
    tokens = round(size * calls / max(len(questions), 1))
    return made, _scaled(session, made, len(cases), [calls, 0, 0, tokens])


def _as_answered(case: Fields) -> Evaluation:
    """Give a case with an answer of the usual length."""
    return Evaluation(
        key=0,
        id=str(case["id"]),
        run="",
        input=question_of(case),
        response="word " * USUAL_REPLY,
        expected=case.get("expected"),
        context=case.get("context"),
    )


def _answers(session: Session, plan: JobPlan) -> Estimate:
    """Say what answering takes; what judges it is told by `followed`."""
    found = bots.of_plan(session, plan)
    settings = plan.bot.settings if plan.bot else {}
    model = settings.get("model")
    fixed = sum(len(str(settings.get(x, ""))) for x in ("system", "template", "knowledge"))
    tokens_in = tokens_out = 0
    if isinstance(model, str):
        tokens_in = sum(Budget.tokens(fixed + len(question_of(case))) for case in found)
        tokens_out = len(found) * USUAL_REPLY
    price = prices.price_of(session.project, model) if isinstance(model, str) else None
    free = plan.bot is not None and bots.kind_of(plan.bot).free
    width = plan.concurrency or WIDTH
    return Estimate(
        evaluations=len(found),
        calls=len(found),
        cached=0,
        excluded=0,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=price.cost(tokens_in, tokens_out) if price else (0.0 if free else None),
        seconds=len(found) * USUAL_SECONDS / width if model else 0.0,
        at_once=0 if free else width,
    )


def _scaled(session: Session, plan: JobPlan, evaluations: int, counted: list[int]) -> Estimate:
    calls, cached, out, tokens_in = counted
    tokens_out = calls * USUAL_REPLY
    price = prices.price_of(session.project, plan.judge.model) if plan.judge else None
    width = max(plan.concurrency or (plan.endpoint.concurrency if plan.endpoint else 1), 1)
    seconds = calls * USUAL_SECONDS / width
    if plan.endpoint is not None and plan.endpoint.per_minute:
        seconds = max(seconds, calls * 60.0 / plan.endpoint.per_minute)
    return Estimate(
        evaluations=evaluations,
        calls=calls,
        cached=cached,
        excluded=out,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        cost_usd=price.cost(tokens_in, tokens_out) if price else (None if plan.judge else 0.0),
        seconds=seconds,
        at_once=width,
    )


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
        try:
            made = launching.plan(session, wish)
            if made.kind == "judge":
                guess = estimate(session, made)
                cost = guess.cost_usd if guess.calls else 0.0
                warning = _warning(wish, cost, "judged", unknown=cost is None)
                return Forecast(
                    guess.evaluations,
                    _with_prompt(made, _sentence(guess)),
                    _nothing(guess.evaluations),
                    warning or unasked(session, made) or _not_newest(session, made),
                )
            if made.kind == "bot":
                return _answering(session, wish, made)
            count = len(selecting.selected(session, made.selection))
        except ReviewerError as error:
            return Forecast(0, "", str(error), misfit=scorers.parameter_misfit(error))
        scores = counted(count * len(made.metrics), "score")
        sentence = f"{counted(count, 'evaluation')} · {scores} · no calls, no cost."
        return Forecast(count, sentence, _nothing(count))


def _answering(session: Session, wish: Wish, made: JobPlan) -> Forecast:
    """Say what a bot's answers would take, and what judging them would take besides."""
    guess = estimate(session, made)
    count = guess.evaluations
    parts = [counted(count, "evaluation"), counted(guess.calls, "answer"), *_price(guess.cost_usd)]
    parts += [f"a new run “{made.target_run}”", *filter(None, [guess.risk])]
    said = [" · ".join(parts) + "."]
    cost = guess.cost_usd
    if wish.then:
        judged = _judged(session, wish, made)
        said.append(_then(wish, judged))
        cost = (
            None
            if judged is None
            else (None if cost is None or judged.cost_usd is None else cost + judged.cost_usd)
        )
    if wish.then and wish.max_cost is not None:
        said.append(f"The limit of ${fixed(wish.max_cost)} holds for both together.")
    unknown = prices.unknown(session.project, made) is not None
    warning = _warning(wish, cost, "done", unknown=unknown)
    return Forecast(count, " ".join(said), _nothing(count), warning)


def _judged(session: Session, wish: Wish, made: JobPlan) -> Estimate | None:
    """Guess what judging the new run takes, by the answers at hand where there are any."""
    if wish.tests:
        found = followed(session, made)
        return found[0][1] if found else None
    plan = planning.judging_plan(session, wish.then, wish.selection)
    return estimate(session, replace(plan, use_cache=False))


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


def _warning(wish: Wish, cost: float | None, done: str, *, unknown: bool) -> str:
    """Say what the limit will do, where there is one."""
    if wish.max_cost is None:
        return ""
    if unknown:
        return UNHELD
    if cost is not None and cost > wish.max_cost:
        return f"It would stop at ${fixed(wish.max_cost)}, before everything is {done}."
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
