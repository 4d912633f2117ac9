"""Try an endpoint, a judge or a prompt on a single evaluation, without storing anything."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import TypeVar

from reviewer.domain.errors import ReviewerError
from reviewer.domain.job import JobPlan, Selection
from reviewer.domain.judging import Bot, Endpoint, Judge
from reviewer.domain.values import JsonValue, Value
from reviewer.domain.wording import fixed
from reviewer.scoring.bots.kind import BotAnswer, BotCase
from reviewer.scoring.calling import Asked, Question
from reviewer.scoring.judging.prompts import prompt_hash, suspicious
from reviewer.scoring.judging.replies import Verdict
from reviewer.services.bots import bots
from reviewer.services.calls import clients, prices
from reviewer.services.computer import secrets
from reviewer.services.jobs import planning
from reviewer.services.judging.judging import Fields, hearings
from reviewer.services.project.session import Session
from reviewer.store import judging, reading

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What came of one question.

    Attributes:
        problem: Why the reply is no score.
        flagged: What in the response looks like instructions to the judge.
    """

    system: str
    prompt: str
    raw: str
    value: Value | None
    reasoning: str
    problem: str | None
    trace: str | None
    latency_ms: float
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    flagged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What a bot said to one question, or why it said nothing.

    Attributes:
        beside: What stands with the response, such as the matched row.
    """

    response: str | None
    error: str | None
    latency_ms: float | None
    tokens_in: int | None
    tokens_out: int | None
    cost_usd: float | None
    beside: dict[str, JsonValue]


def endpoint(session: Session, judge_name: str) -> str:
    """Ask a judge's model for a word and say how it went.

    Raises:
        ReviewerError: The judge or its endpoint is not there, or there was no reply.
    """
    judge, place = _judge(session, judge_name)
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
    judge, place = _judge(session, judge_name)
    plan = planning.judging_plan(
        session, judge_name, Selection(keys=(evaluation,)), metrics=(metric,)
    )
    if examples:
        plan = planning.with_examples(session, plan, {metric: examples})
    hearing = hearings(_with(plan, text), session.rubric_of(evaluation))[metric]
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
        system=question.system,
        prompt=question.prompt,
        raw=asked.raw,
        value=verdict.value,
        reasoning=verdict.reasoning,
        problem=asked.problem,
        trace=asked.trace,
        latency_ms=asked.latency_ms,
        tokens_in=asked.tokens_in,
        tokens_out=asked.tokens_out,
        cost_usd=price.cost(asked.tokens_in, asked.tokens_out) if price else None,
        flagged=suspicious(found),
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

    found = asyncio.run(asking())
    return Answered(
        response=found.response,
        error=found.error,
        latency_ms=found.latency_ms,
        tokens_in=found.tokens_in,
        tokens_out=found.tokens_out,
        cost_usd=found.cost_usd,
        beside=found.beside,
    )


def _judge(session: Session, name: str) -> tuple[Judge, Endpoint]:
    judge = judging.find(session.project.conn, Judge, name)
    if judge is None:
        brought, its_place = clients.brought(name)
        if brought is not None and its_place is not None:
            return brought, its_place
        raise ReviewerError(f"The project has no judge {name!r}.")
    place = judging.find(session.project.conn, Endpoint, judge.endpoint)
    if place is None:
        raise ReviewerError(f"The endpoint {judge.endpoint!r} of {name} is not there.")
    return judge, place


def _with(plan: JobPlan, text: str) -> JobPlan:
    prompts = tuple(replace(x, text=text, hash=prompt_hash(text)) for x in plan.prompts)
    return replace(plan, prompts=prompts)


def _asked(place: Endpoint, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
    async def asking() -> Asked[Found]:
        async with clients.client(place, secrets.key_of(place)) as client:
            found: Asked[Found] = await client.ask(question, read)
            return found

    return asyncio.run(asking())
