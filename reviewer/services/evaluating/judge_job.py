"""A job of a judge: many calls at once, each result kept as soon as it is there."""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from reviewer.domain.job import JobPlan
from reviewer.domain.judging import Endpoint
from reviewer.domain.rubric import Rubric
from reviewer.scoring.calling import STOPS_ALL, Asked, CallError, Question
from reviewer.scoring.judging.prechecks import excluded
from reviewer.scoring.judging.prompts import PromptError
from reviewer.scoring.judging.replies import Verdict
from reviewer.services.evaluating.budget import Budget
from reviewer.services.evaluating.control import TRIES, Control, Pace, wait_before
from reviewer.services.evaluating.judging import Fields, Hearing, cache_key, hearings
from reviewer.services.evaluating.outcome import Ending
from reviewer.services.evaluating.results import Item, Results
from reviewer.store import jobs, new_scores, reading, replies
from reviewer.store.jobs import Counts
from reviewer.store.replies import Reply

Found = TypeVar("Found")
Read = tuple[Verdict, Fields]
LOOK_EVERY = 0.1


class Caller(Protocol):
    """What calls a model: `scoring.llm.client.Client`."""

    async def ask(self, question: Question, read: Callable[[str], Found]) -> Asked[Found]:
        """Ask once, or twice where the first reply cannot be read; may raise `CallError`."""
        ...


@dataclass(slots=True)
class JudgeJob:
    """One judge's job at work, in one thread with a connection of its own."""

    plan: JobPlan
    rubric: Rubric
    keys: Sequence[int]
    client: Caller
    budget: Budget
    control: Control
    results: Results
    pace: Pace = field(default_factory=Pace)
    _stop: Ending | None = None
    _draw: random.Random = field(default_factory=random.Random)

    async def run(self) -> Ending:
        """Ask everything that is still open and tell how it ended."""
        book = new_scores.ScoreBook(self.results.project)
        items = self._items(hearings(self.plan, self.rubric), book)
        workers = [asyncio.create_task(self._work(items)) for _ in range(self._width())]
        try:
            await self._watch(set(workers))
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
        ending = self._ending()
        if ending.state == "done":
            book.close()
        return ending

    def _width(self) -> int:
        return max(1, self.plan.concurrency or self._endpoint().concurrency)

    def _endpoint(self) -> Endpoint:
        return self.plan.endpoint or Endpoint(name="")

    async def _watch(self, waiting: set["asyncio.Task[None]"]) -> None:
        while waiting and not self.control.cancelled:
            done, waiting = await asyncio.wait(
                waiting, timeout=LOOK_EVERY, return_when=asyncio.FIRST_EXCEPTION
            )
            self.control.look()
            self.results.teller.catch_up()
            for worker in done:
                worker.result()

    def _ending(self) -> Ending:
        if self._stop is not None:
            return self._stop
        if self.control.cancelled:
            return Ending("cancelled", "Cancelled; what was scored until then is kept.")
        return Ending("paused", "Paused.") if self.control.paused else Ending("done")

    def _items(self, asked: dict[str, Hearing], book: new_scores.ScoreBook) -> Iterator[Item]:
        conn = self.results.project.conn
        settled = jobs.settled(conn, self.results.job)
        places = {
            name: (book.names.metric(name), book.open(x.identity(), str(self.rubric.version)))
            for name, x in asked.items()
        }
        for key in self.keys:
            left = [
                (name, repeat)
                for name in asked
                for repeat in range(self.plan.repeats)
                if (key, places[name][0], repeat) not in settled
            ]
            evaluation = reading.evaluation(conn, key) if left else None
            if evaluation is not None:
                for name, repeat in left:
                    yield Item(evaluation, asked[name], *places[name], repeat)

    async def _work(self, items: Iterator[Item]) -> None:
        for item in items:
            if self._stopped:
                return
            await self._one(item)

    @property
    def _stopped(self) -> bool:
        return self.control.stops or self._stop is not None

    async def _one(self, item: Item) -> None:
        why = excluded(self.rubric, item.evaluation)
        if why is not None:
            self.results.excluded(item, why)
            return
        try:
            question = item.hearing.question(item.evaluation)
        except PromptError as error:
            self.results.failed(item, "prompt", str(error), counts=Counts())
            return
        only_job = None if self.plan.use_cache else self.results.job
        key = cache_key(self._endpoint(), question, item.repeat, only_job=only_job)
        paid = replies.find(self.results.project.conn, key)
        if paid is not None:
            read = item.hearing.read(item.evaluation, paid.text)
            self.results.scored(item, paid, read, counts=Counts(cached=1))
            return
        await self._pay(item, question, key)

    async def _pay(self, item: Item, question: Question, key: str) -> None:
        guess = self.budget.guess(len(question.prompt) + len(question.system))
        if not self.budget.fits(guess):
            self._stop = self._stop or Ending(
                "paused",
                f"Stopped at the budget of ${self.budget.limit:g}: ${self.budget.spent:.4f} are "
                "spent. Raise it to go on; what was scored until then is kept.",
            )
            return
        counts = Counts()
        asked: Asked[Read] | None = None
        self.budget.promise(guess)
        try:
            asked = await self._ask(item, question, counts)
        finally:
            took = (asked.tokens_in, asked.tokens_out) if asked else (None, None)
            cost = self.budget.settle(guess, *took)
        if asked is not None:
            counts.calls += asked.requests - 1
            counts.tokens_in, counts.tokens_out = asked.tokens_in or 0, asked.tokens_out or 0
            counts.cost_usd = cost or 0.0
            self._take(item, asked, Reply(
                text=asked.raw, trace=asked.trace, tokens_in=asked.tokens_in,
                tokens_out=asked.tokens_out, cost_usd=cost, latency_ms=asked.latency_ms,
            ), counts=counts, key=key)  # fmt: skip

    def _take(
        self, item: Item, asked: Asked[Read], reply: Reply, *, counts: Counts, key: str
    ) -> None:
        if asked.value is None:
            why = asked.problem or "The reply could not be read."
            self.results.failed(item, "reply", why, counts=counts, raw=asked.raw)
        else:
            self.results.scored(item, reply, asked.value, counts=counts, cache_key=key)

    async def _ask(self, item: Item, question: Question, counts: Counts) -> Asked[Read] | None:
        """Ask until there is a reply; None after a failure or where the job stops."""
        for number in range(1, TRIES + 1):
            await self.pace.turn(self.control)
            if self._stopped:
                return None
            counts.calls = number
            try:
                return await self.client.ask(
                    question, lambda text: item.hearing.read(item.evaluation, text)
                )
            except CallError as error:
                if error.kind in STOPS_ALL:
                    self._stop = self._stop or Ending("failed", str(error))
                    return None
                if not error.again or number == TRIES:
                    self.results.failed(item, error.kind, str(error), counts=counts)
                    return None
                await self._wait(wait_before(number, error.retry_after, self._draw), error)
        return None

    async def _wait(self, seconds: float, error: CallError) -> None:
        if error.kind == "rate":
            self.pace.hold(seconds)
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while not self._stopped and (left := end - loop.time()) > 0:
            await asyncio.sleep(min(left, LOOK_EVERY))
