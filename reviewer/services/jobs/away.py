"""What workers beside this process do of a job: batches of scorers, calls of judges and bots.

Plain data goes there and comes back. A worker knows no project: what was paid for is looked up,
and what came is kept, by the process that has the job. Its keys are those of its own environment.
"""

import asyncio
import contextlib
import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Generic, NamedTuple, TypeVar

from reviewer.domain.errors import ReviewerError
from reviewer.domain.judging import Endpoint
from reviewer.scoring.bots.kind import Answering, BotAnswer, BotCase
from reviewer.scoring.calling import (
    ONCE,
    Asked,
    Caller,
    CallError,
    Exchange,
    FailureKind,
    Found,
    Question,
    Received,
)
from reviewer.scoring.packages.scorers import FunctionBot
from reviewer.scoring.scorer import Case, Outcome, Rule
from reviewer.services.bots import bots
from reviewer.services.bots.bots import BotKit
from reviewer.services.calls import clients
from reviewer.services.computer import plugins, secrets
from reviewer.services.computer.packaged import Packaged
from reviewer.services.jobs import scorers
from reviewer.services.jobs.control import LOOK_EVERY, TRIES

LOST: Final = "A worker was lost before what it was asked for came back."
ENDED: Final = (
    "A process of the workers ended and took the others with it; what was done until then is "
    "kept, so the job can go on with --resume."
)
READY: Final = 4
"""Scorers' parameters, judges and bots that a worker keeps ready for the next batch or call."""
AHEAD: Final = 2
"""Batches a worker, so that none waits for this process."""


@dataclass(frozen=True, slots=True)
class Workers:
    """What does the work of jobs in place of this process.

    Attributes:
        executor: Its futures end with `LostError` where a worker was lost; nothing is repeated
            by itself, as it may be paid for.
        width: How many things they do at the same time.
        look: Is called again and again while they work; raises where nobody works any more.
    """

    executor: Executor
    width: int
    look: Callable[[], None] = lambda: None


class LostError(ReviewerError):
    """Report a worker that was lost before what it did came back."""


class Named(NamedTuple):
    """A scorer as a worker finds it, with the version that it must be of and its parameters."""

    name: str
    version: str
    parameters: str


def named(scorer: scorers.AnyScorer, parameters: Any) -> Named:  # noqa: ANN401  # JSON
    """Name a scorer to a worker."""
    return Named(scorer.name, scorer.version, json.dumps(dict(parameters)))


Outcomes = list[list[Outcome]]
"""What scorers gave, by scorer and case."""


class Batch(NamedTuple):
    """What scorers gave of some cases, and how long it took."""

    outcomes: Outcomes
    seconds: float


def outcomes(rules: Sequence[Rule], cases: Sequence[Case]) -> Outcomes:
    """Score cases by each rule."""
    return [[rule(case) for case in cases] for rule in rules]


@dataclass(slots=True)
class Batches:
    """Cases scored by workers, given back in their order.

    Attributes:
        take: Gives the next cases, as many as are asked for where there are that many.
        stops: Tells whether nothing more is wanted.
        size: Of the next batch.
    """

    workers: Workers
    wanted: tuple[Named, ...]
    take: Callable[[int], list[Case]]
    stops: Callable[[], bool]
    size: int
    resize: Callable[[int, float], int]
    _waiting: "deque[tuple[list[Case], Future[Batch]]]" = field(default_factory=deque)

    def __iter__(self) -> Iterator[tuple[list[Case], Outcomes]]:
        """Give batch after batch.

        Raises:
            ReviewerError: A worker cannot score, or the workers are gone.
        """
        try:
            self._fill()
            while self._waiting and (batch := self._first()) is not None:
                cases, _ = self._waiting.popleft()
                self.size = self.resize(len(cases), batch.seconds)
                self._fill()
                yield cases, batch.outcomes
        finally:
            for _, future in self._waiting:
                future.cancel()

    def _fill(self) -> None:
        while len(self._waiting) < AHEAD * self.workers.width and (cases := self.take(self.size)):
            self._waiting.append((cases, self._send(cases)))

    def _send(self, cases: list[Case]) -> "Future[Batch]":
        try:
            return self.workers.executor.submit(score, self.wanted, cases)
        except BrokenExecutor:
            raise ReviewerError(ENDED) from None

    def _first(self) -> Batch | None:
        """Wait for the batch whose turn it is; None where nothing more is wanted."""
        cases, future = self._waiting[0]
        for _ in range(TRIES):
            while not self.stops() and not wait([future], timeout=LOOK_EVERY).done:
                self.workers.look()
            if self.stops():
                return None
            try:
                return future.result()
            except LostError:
                future = self._send(cases)
                self._waiting[0] = cases, future
            except BrokenExecutor:
                raise ReviewerError(ENDED) from None
        raise ReviewerError(
            f"{TRIES} workers were lost one after the other while they scored {cases[0].id} to "
            f"{cases[-1].id}; what was scored until then is kept."
        )


def score(wanted: tuple[Named, ...], cases: Sequence[Case]) -> Batch:
    """Score cases on a worker.

    Raises:
        ReviewerError: A scorer is not there, or of another version.
    """
    with _told():
        began = time.perf_counter()
        given = outcomes(_rules(wanted), cases)
        return Batch(given, time.perf_counter() - began)


@lru_cache(maxsize=READY)
def _rules(wanted: tuple[Named, ...]) -> tuple[Rule, ...]:
    return tuple(_rule(one) for one in wanted)


def _rule(one: Named) -> Rule:
    scorer = scorers.get(one.name)
    _check("scorer", one.name, here=one.version, there=scorer.version)
    return scorer.prepare(json.loads(one.parameters))


class Refusal(NamedTuple):
    """A call without a reply; errors of its kind do not travel."""

    kind: FailureKind
    sentence: str
    retry_after: float | None
    replies: int
    tokens_in: int
    tokens_out: int

    @classmethod
    def of(cls, error: CallError) -> "Refusal":
        """Take down why there was no reply."""
        return cls(
            error.kind, str(error), error.retry_after, error.replies, error.tokens_in,
            error.tokens_out,
        )  # fmt: skip

    def error(self) -> CallError:
        """Give it as it was raised."""
        made = CallError(self.kind, self.sentence, self.retry_after)
        made.replies, made.tokens_in, made.tokens_out = self[-3:]
        return made


@dataclass(frozen=True, slots=True)
class AwayClient:
    """Asks an endpoint by a worker, as its own client would."""

    workers: Workers
    endpoint: Endpoint

    async def ask(
        self, question: Question, read: Callable[[str], Found], exchange: Exchange = ONCE
    ) -> Asked[Found]:
        """Ask once, or twice where the first reply cannot be read; replies are kept here.

        Raises:
            CallError: There was no reply, or the worker was lost before it came back.
            ReviewerError: No worker can ask.
        """
        package = clients.package_of(self.endpoint)
        try:
            whole = Whole(question, read, exchange.name, exchange.came)
            came, received = await _came(self.workers, ask, self.endpoint, package, whole)
        except LostError:
            raise CallError("lost", LOST) from None
        for reply in received:
            exchange.keep(reply)
        if isinstance(came, Refusal):
            raise came.error()
        return came


class Whole(NamedTuple, Generic[Found]):
    """A question with how its reply is read, and what is known of calls before this one.

    Attributes:
        name: By which a provider knows a call that is sent again.
        came: The reply that came before everything ended, which nobody has read.
    """

    question: Question
    read: Callable[[str], Found]
    name: str
    came: Received | None


def ask(
    endpoint: Endpoint, package: str, whole: Whole[Found]
) -> tuple[Asked[Found] | Refusal, list[Received]]:
    """Ask an endpoint on a worker, with the key of its environment.

    Returns:
        What came of it, and the replies as they came, each of which may be paid for.

    Raises:
        ReviewerError: There is no key, or the package of a judge is not there or another.
    """
    received: list[Received] = []
    with _told():
        try:
            return asyncio.run(_asked(endpoint, package, whole, received)), received
        except CallError as error:
            return Refusal.of(error), received


async def _asked(
    endpoint: Endpoint, package: str, whole: Whole[Found], received: list[Received]
) -> Asked[Found]:
    exchange = Exchange(name=whole.name, came=whole.came, keep=received.append)
    if endpoint.kind == "package":
        _check("judge", endpoint.name, here=package, there=clients.package_of(endpoint))
        caller: Caller = _function(endpoint)
        return await caller.ask(whole.question, whole.read, exchange)
    async with clients.client(endpoint, _key(endpoint)) as client:
        asked: Asked[Found] = await client.ask(whole.question, whole.read, exchange)
        return asked


@lru_cache(maxsize=READY)
def _function(endpoint: Endpoint) -> Any:  # noqa: ANN401  # of a function
    """Give a package's judge; its process stays for the next call."""
    return clients.client(endpoint, None)


@dataclass(frozen=True, slots=True)
class AwayBot:
    """Answers by a worker, as the bot itself would."""

    workers: Workers
    kit: BotKit

    async def answer(self, case: BotCase) -> BotAnswer:
        """Answer a case.

        Raises:
            ReviewerError: No worker can.
        """
        try:
            return await _came(self.workers, answer, self.kit, case)
        except LostError:
            return BotAnswer(response=None, error=LOST, again=True, lost=True)


def answer(kit: BotKit, case: BotCase) -> BotAnswer:
    """Let a bot answer a case on a worker, with the keys of its environment.

    Raises:
        ReviewerError: A key is missing, or the bot's package or command may not be used there.
    """
    with _told():
        return asyncio.run(_answered(kit, case))


async def _answered(kit: BotKit, case: BotCase) -> BotAnswer:
    entry = kit.bot.text("entry")
    if kit.package:
        _check("bot", entry, here=kit.package, there=plugins.package_of("bot", entry))
        return await _packaged(entry).answer(case)
    async with AsyncExitStack() as stack:
        made = await bots.made(kit, stack, _key)
        return await made.answer(case)


@lru_cache(maxsize=READY)
def _packaged(entry: str) -> Answering:
    """Give a package's bot; its process stays for the next case."""
    found = plugins.find("bot", entry)
    if found is None:
        raise ReviewerError(f"No installed package brings the bot {entry!r}.")
    return FunctionBot(name=found.title, function=Packaged("bot", found))


Came = TypeVar("Came")


async def _came(workers: Workers, function: Callable[..., Came], *arguments: object) -> Came:
    """Wait for what a worker gives."""
    try:
        return await asyncio.wrap_future(workers.executor.submit(function, *arguments))
    except BrokenExecutor:
        raise ReviewerError(ENDED) from None


def _key(endpoint: Endpoint) -> str | None:
    key = secrets.from_environment(endpoint)
    if endpoint.needs_key and not key:
        raise ReviewerError(
            f"the endpoint {endpoint.name} needs a key and there is none. Set the variable "
            f"{endpoint.variable or 'that the endpoint names'} where the workers are started; "
            "keys are never sent to them."
        )
    return key


def _check(kind: plugins.Kind, name: str, *, here: str, there: str) -> None:
    """Hold what a worker has to what the job is of."""
    if here != there:
        raise ReviewerError(
            f"the {kind} {name} is of {there or 'no package'} there and of {here} here; install "
            "the same on every worker."
        )


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Say of an error that it is a worker's."""
    try:
        yield
    except ReviewerError as error:
        raise ReviewerError(f"On a worker: {error}") from None
