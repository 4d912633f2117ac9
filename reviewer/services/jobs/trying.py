"""Try an endpoint, a prompt or a bot once, or a wish on five evaluations; nothing is stored."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from reviewer.domain.case_set import question_of
from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.evaluation import Evaluation, Value
from reviewer.domain.judging import Bot, Endpoint, Selection
from reviewer.domain.wording import fixed
from reviewer.scoring.bots.kind import BotAnswer, BotCase
from reviewer.scoring.calling import Asked, Question
from reviewer.scoring.judging.replies import Verdict
from reviewer.scoring.scorer import Failure, case_of
from reviewer.services.aligning import splitting
from reviewer.services.bots import bots
from reviewer.services.calls import clients, prices, selecting
from reviewer.services.computer import secrets
from reviewer.services.jobs import launching, planning, scorers
from reviewer.services.jobs.launching import Wish
from reviewer.services.judging.prompts import Fields, hearings
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden, hidden_among
from reviewer.store import labels, reading

Found = TypeVar("Found")
Answered = BotAnswer
"""What a bot said to one question, or why it said nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one question.

    Attributes:
        asked: The reply, and why it is no score where it is none.
    """

    asked: Asked[Any]
    value: Value | None
    reasoning: str
    cost_usd: float | None


def endpoint(session: Session, judge_name: str) -> str:
    """Ask a judge's model for a word and say how it went.

    Raises:
        ReviewerError: The judge or its endpoint is not there, or there was no reply.
    """
    judge, place = planning.placed(session, judge_name)
    question = Question(
        model=judge.model,
        prompt="Reply with the word ready.",
        # parameters may bring a limit of their own, and are tested, too
        max_tokens=None if judge.extra else 20,
        extra=judge.extra,
    )
    asked = _asked(place, question, str)
    said = " ".join(asked.raw.split())[:80]
    return (
        f"{judge.model} at {place.name} answered in {fixed(asked.latency_ms, 0)} ms: {said!r} "
        f"({asked.tokens_in or 0} tokens in, {asked.tokens_out or 0} out)."
    )


def prompt(
    session: Session,
    judge_name: str,
    evaluation: int,
    metric: str,
    text: str,
    examples: Sequence[int] = (),
) -> Tried:
    """Let a judge score one evaluation with a prompt that need not be kept yet.

    `examples` are evaluations that it is shown with the scores of people.

    Raises:
        ReviewerError: Something is not there, the prompt is wrong, or there was no reply.
    """
    judge, place = planning.placed(session, judge_name)
    plan = planning.judging_plan(
        session, judge_name, Selection(keys=(evaluation,)), metrics=(metric,)
    )
    if examples:
        plan = planning.with_examples(session, plan, {metric: examples})
    plan = planning.with_prompts(session, plan, {metric: text})
    hearing = hearings(plan, session.rubric_of(evaluation))[metric]
    found = reading.evaluation(session.project.conn, evaluation)
    if found is None:
        raise ReviewerError("The evaluation is not there any more.")
    question = hearing.question(found)
    asked: Asked[tuple[Verdict, Fields]] = _asked(
        place, question, lambda reply: hearing.read(found, reply)
    )
    verdict = asked.value[0] if asked.value else Verdict(value=None)
    price = prices.price_of(session.project, judge.model)
    return Tried(
        asked=asked,
        value=verdict.value,
        reasoning=verdict.reasoning,
        cost_usd=price.cost(asked.tokens_in, asked.tokens_out) if price else None,
    )


def bot(session: Session, tried: Bot, question: str, *, in_view: bool = False) -> Answered:
    """Let a bot answer one question; it need not be kept yet.

    `in_view` means that whoever asks has its command or address before their eyes.

    Raises:
        ReviewerError: A setting is wrong, its endpoint is not there, or its key is missing.
    """
    if in_view:
        bots.confirm(tried)

    async def asking() -> BotAnswer:
        async with AsyncExitStack() as stack:
            answering = await bots.ready(session, tried, stack)
            return await answering.answer(BotCase(id="a question", question=question))

    return asyncio.run(asking())


def _asked(place: Endpoint, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
    async def asking() -> Asked[Found]:
        async with clients.client(place, secrets.key_of(place)) as client:
            found: Asked[Found] = await client.ask(question, read)
            return found

    return asyncio.run(asking())


FIVE = 5
Thing = TypeVar("Thing")


@dataclass(frozen=True, slots=True)
class Try:
    """What came of one evaluation and metric; `metric` is empty for a bot's answer.

    Attributes:
        said: The reasoning, a bot's answer, or why there is none.
        worked: Whether there is a value or an answer.
        people: What people gave it, as they wrote it.
        cost_usd: None where nothing was paid, or the price is not known.
    """

    key: int
    id: str
    metric: str
    value: Value | None
    said: str
    worked: bool = True
    people: tuple[Value, ...] = ()
    cost_usd: float | None = None


def try_five(
    session: Session, wish: Wish, progress: Progress, *, hidden: Hidden | None = None
) -> tuple[Try, ...]:
    """Try a wish on five evaluations that lie evenly in its selection.

    None of them is held out, and none hidden from who asks.

    Args:
        session: the project; call it beside the window, as models are asked one after the other.
        wish: what is to be tried.
        progress: may cancel between two calls.
        hidden: what is hidden from who asks; None for what the session says.

    Raises:
        ReviewerError: Nothing is selected, or the wish makes no sense.
        CancelledError: Somebody cancelled.
    """
    plan = launching.plan(session, replace(wish, repeats=1))
    if wish.tests:
        return _of_tests(session, wish, progress)
    selected = selecting.selected(session, plan.selection)
    if not selected:
        raise ReviewerError("Nothing is selected, so there is nothing to try.")
    free = splitting.not_held_out(session, selected)
    unseen = hidden_among(session, free, hidden)
    keys = _spread([key for key in free if key not in unseen])
    if not keys and len(free):
        raise ReviewerError("Everything selected is hidden from you until you have answered it.")
    if not keys:
        raise ReviewerError(
            "Everything selected is held out: try on the development half, or on what is not "
            "labelled."
        )
    asked = [(key, metric) for key in keys for metric in plan.metrics or ("",)]
    if wish.kind == "bot":
        asked = [(key, "") for key in keys]
    texts = {x.metric: x.text for x in plan.prompts}
    return tuple(
        _one(session, wish, key, metric, texts) for key, metric in _followed(asked, progress)
    )


def _followed(things: Sequence[Thing], progress: Progress) -> Iterator[Thing]:
    """Go through things to be tried, one after the other, as long as somebody waits."""
    for place, thing in enumerate(things):
        if progress.cancelled:
            raise CancelledError("The try was stopped.")
        progress.advance(place, len(things))
        yield thing


def _of_tests(session: Session, wish: Wish, progress: Progress) -> tuple[Try, ...]:
    """Let a bot answer five cases of a test set, which no evaluation belongs to."""
    tests = launching.tests_of(session, wish).cases
    tried = bots.find(session, wish.bot)
    return tuple(
        _answered(
            Try(0, str(tests[place]["id"]), "", None, ""),
            bot(session, tried, question_of(tests[place])),
        )
        for place in _followed(_spread(range(len(tests))), progress)
    )


def _answered(base: Try, answered: Answered) -> Try:
    return replace(
        base, said=answered.response or answered.error or "",
        worked=answered.response is not None, cost_usd=answered.cost_usd,
    )  # fmt: skip


def _one(session: Session, wish: Wish, key: int, metric: str, texts: Mapping[str, str]) -> Try:
    evaluation = reading.evaluation(session.project.conn, key)
    if evaluation is None:
        raise ReviewerError("An evaluation is not there any more.")
    given = (x.label for x in labels.current(session.project.conn, key))
    people = tuple(x.value for x in given if x.metric == metric and x.value is not None)
    base = Try(key, evaluation.id, metric, None, "", people=people)
    try:
        match wish.kind:
            case "judge":
                tried = prompt(
                    session, wish.judge, key, metric, texts[metric], wish.examples.get(metric, ())
                )
                problem = tried.asked.problem
                return replace(
                    base, value=tried.value, said=problem or tried.reasoning,
                    worked=problem is None,
                    cost_usd=tried.cost_usd,
                )  # fmt: skip
            case "bot":
                question = evaluation.input or ""
                return _answered(base, bot(session, bots.find(session, wish.bot), question))
            case "scorer":
                return _scored(session, wish, base, evaluation)
    except ReviewerError as error:
        return replace(base, said=str(error), worked=False)


def _scored(session: Session, wish: Wish, base: Try, evaluation: Evaluation) -> Try:
    plan = launching.plan(session, replace(wish, metrics=(base.metric,)))
    given = plan.parameters.get(
        base.metric, session.rubric_of(base.key).by_name[base.metric].parameters
    )
    outcome = scorers.get(plan.scorers[base.metric]).score(case_of(evaluation), given)
    if isinstance(outcome, Failure):
        return replace(base, said=outcome.text, worked=False)
    return replace(base, value=outcome.value, said=outcome.reasoning or "")


def _spread(keys: Sequence[int]) -> list[int]:
    if len(keys) <= FIVE:
        return list(keys)
    return [keys[(2 * place + 1) * len(keys) // (2 * FIVE)] for place in range(FIVE)]
