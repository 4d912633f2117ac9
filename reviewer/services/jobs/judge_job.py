"""A job of a judge: many questions at once, within a budget, each reply kept before it is read."""

import asyncio
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import NamedTuple
from weakref import WeakValueDictionary

from reviewer.domain.evaluation import Evaluation, now_text
from reviewer.domain.judging import Attempt, AttemptState, Endpoint, JobPlan
from reviewer.domain.rubric import Rubric
from reviewer.scoring.calling import (
    STOPS_ALL,
    Asked,
    Caller,
    CallError,
    Exchange,
    Question,
    Received,
    ReplyError,
)
from reviewer.scoring.judging.prechecks import excluded
from reviewer.scoring.judging.prompts import PromptError
from reviewer.scoring.judging.replies import Verdict
from reviewer.services.jobs.control import TRIES, Budget, Crew, Ending, Teller
from reviewer.services.judging.prompts import Fields, Hearing, cache_key, hearings
from reviewer.store import jobs, new_scores, reading
from reviewer.store.jobs import Counts, Reply
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class Item:
    """One call to be made.

    Attributes:
        metric: The number of the metric in the project.
        score_set: The number of the score set.
    """

    evaluation: Evaluation
    hearing: Hearing
    metric: int
    score_set: int
    repeat: int


class Problem(NamedTuple):
    """Why an attempt came to no score: the kind, a sentence, and the reply if there was one."""

    kind: str
    sentence: str
    raw: str | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """Where one job's results go: score, attempt, counts and paid reply in one transaction."""

    project: Project
    job: int
    teller: Teller

    def scored(
        self,
        item: Item,
        reply: Reply,
        read: tuple[Verdict, Fields],
        *,
        counts: Counts,
        cache_key: str | None = None,
    ) -> None:
        """Keep a score, and under `cache_key` the reply that was just paid for."""
        score = item.hearing.score(item.evaluation, reply, read, repeat=item.repeat)
        counts.done = 1
        # made before the lock is taken, which people who label wait for
        row = new_scores.row(item.evaluation.key, item.metric, item.score_set, score)
        attempt = self._attempt(item, "done")
        with self.project.write() as conn:
            if cache_key is not None:
                jobs.keep_reply(conn, cache_key, reply)
                jobs.forget_unread(conn, cache_key)
            # a reply from the cache that was stored already is no second opinion
            if cache_key is not None or not new_scores.has_reply(
                conn,
                item.score_set,
                evaluation=item.evaluation.key,
                metric=item.metric,
                score=score,
            ):
                new_scores.add(conn, row, self.job)
            jobs.keep(conn, self.job, [(attempt, item.metric)])
            jobs.count(conn, self.job, counts)
        self.teller.tell(counts)

    def received(self, cache_key: str, reply: Received) -> None:
        """Keep a reply as it came, until it is read and its score kept."""
        jobs.keep_unread(self.project, cache_key, Reply(**asdict(reply)))

    def failed(self, item: Item, why: Problem, *, counts: Counts, cache_key: str = "") -> None:
        """Keep a failure with the raw reply, never a score."""
        counts.failed = 1
        attempt = self._attempt(item, "failed", *why)
        self.taken(counts, [(attempt, item.metric)], cache_key=cache_key)

    def excluded(self, item: Item, sentence: str) -> None:
        """Keep why an evaluation is not judged."""
        attempt = self._attempt(item, "excluded", "excluded", sentence)
        self.taken(Counts(done=1), [(attempt, item.metric)])

    def taken(
        self,
        counts: Counts,
        attempts: Sequence[tuple[Attempt, int]] = (),
        *,
        cache_key: str = "",
    ) -> None:
        """Keep what calls took, and the attempts that came to no score."""
        with self.project.write() as conn:
            jobs.forget_unread(conn, cache_key)
            jobs.keep(conn, self.job, attempts)
            jobs.count(conn, self.job, counts)
        self.teller.tell(counts)

    def _attempt(
        self,
        item: Item,
        state: AttemptState,
        kind: str | None = None,
        sentence: str | None = None,
        raw: str | None = None,
    ) -> Attempt:
        return Attempt(
            evaluation=item.evaluation.key,
            metric=item.hearing.metric.name,
            repeat=item.repeat,
            state=state,
            kind=kind,
            sentence=sentence,
            raw=raw,
            at=now_text(),
        )


Read = tuple[Verdict, Fields]


@dataclass(slots=True)
class JudgeJob:
    """One judge's job at work, in one thread with a connection of its own."""

    plan: JobPlan
    rubric: Rubric
    keys: Sequence[int]
    client: Caller
    budget: Budget
    crew: Crew
    results: Results
    _asking: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary)
    _series: str = ""

    async def run(self) -> Ending:
        """Ask everything that is still open and tell how it ended."""
        self._series = jobs.series(self.results.project, self.results.job)
        with closing(new_scores.ScoreBook(self.results.project, self.results.job)) as book:
            items = self._items(hearings(self.plan, self.rubric), book)
            width = self.plan.concurrency or self._endpoint().concurrency
            await self.crew.work(width, lambda: self._work(items))
            stopped = self.crew.stopped or self.crew.control.ending("scored")
            return stopped or Ending("done", self.budget.losses())

    def _endpoint(self) -> Endpoint:
        return self.plan.endpoint or Endpoint(name="")

    def _items(self, asked: dict[str, Hearing], book: new_scores.ScoreBook) -> Iterator[Item]:
        conn = self.results.project.conn
        settled = jobs.settled(conn, self.results.job)
        version = str(self.rubric.version)
        keys = {name: book.names.metric(name) for name in asked}
        places = {
            name: (keys[name], book.open(keys[name], x.identity(), version))
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
            if self.crew.stops:
                return
            await self._one(item)

    async def _one(self, item: Item) -> None:
        why = excluded(self.rubric, item.evaluation)
        if why is not None:
            self.results.excluded(item, why)
            return
        try:
            question = item.hearing.question(item.evaluation)
        except PromptError as error:
            self.results.failed(item, Problem("prompt", str(error)), counts=Counts())
            return
        only_job = None if self.plan.use_cache else self.results.job
        key = cache_key(self._endpoint(), question, item.repeat, only_job=only_job)
        # what is being asked already is waited for, as it need not be paid twice
        async with self._asking.setdefault(key, asyncio.Lock()):
            if not self.crew.stops and not self._known(item, key):
                await self._pay(item, question, key)

    def _known(self, item: Item, key: str) -> bool:
        """Take a reply that was paid for; one that cannot be read on today's scale is none."""
        paid = jobs.find_reply(self.results.project.conn, key)
        if paid is None:
            return False
        try:
            read = item.hearing.read(item.evaluation, paid.text)
        except ReplyError:
            return False
        self.results.scored(item, paid, read, counts=Counts(cached=1))
        return True

    async def _pay(self, item: Item, question: Question, key: str) -> None:
        guess = self.budget.guess(len(question.prompt) + len(question.system))
        more = " Raise it to go on; what was scored until then is kept."
        if not await self.crew.room(self.budget, guess, more):
            return
        counts = Counts()
        came: Asked[Read] | CallError | None = None
        self.budget.promise(guess)
        try:
            came = await self._ask(item, question, counts, key, guess)
        finally:
            untold = isinstance(came, Asked) and None in (came.tokens_in, came.tokens_out)
            cost = None if untold else self.budget.cost(counts.tokens_in, counts.tokens_out)
            counts.cost_usd = self.budget.settle(guess, cost)
        match came:
            case Asked():
                self._take(item, came, counts=counts, key=key)
            case CallError():
                why = Problem(came.kind, str(came))
                self.results.failed(item, why, counts=counts, cache_key=key)
            case None:
                self.results.taken(counts, cache_key=key)

    def _take(self, item: Item, asked: Asked[Read], *, counts: Counts, key: str) -> None:
        if asked.value is None:
            why = Problem("reply", asked.problem or "The reply could not be read.", asked.raw)
            self.results.failed(item, why, counts=counts, cache_key=key)
            return
        reply = Reply(
            text=asked.raw,
            trace=asked.trace,
            tokens_in=asked.tokens_in,
            tokens_out=asked.tokens_out,
            cost_usd=self.budget.cost(asked.tokens_in, asked.tokens_out),
            latency_ms=asked.latency_ms,
        )
        self.results.scored(item, reply, asked.value, counts=counts, cache_key=key)

    async def _ask(
        self, item: Item, question: Question, counts: Counts, key: str, guess: float
    ) -> Asked[Read] | CallError | None:
        """Ask until there is a reply, or an error that stays; None where the job stops."""
        ended = 0
        came: CallError | None = None
        for number in range(1, TRIES + 1):
            await self.crew.pace.turn(self.crew.control)
            if self.crew.stops:
                break
            try:
                asked = await self.client.ask(
                    question,
                    partial(item.hearing.read, item.evaluation),
                    self._exchange(key, ended),
                )
            except CallError as error:
                came = error
                ended += error.ended
                counts.calls += 1
                if error.kind == "lost":
                    self.results.taken(Counts(cost_usd=self.budget.lose(guess)))
                last = number == TRIES
                if error.kind in STOPS_ALL or (error.kind == "unreachable" and last):
                    self.crew.stop(Ending("failed", str(error)))
                    break
                if not error.again or last:
                    break
                together = error.kind == "rate"
                await self.crew.rest(number, error.retry_after, together=together)
            else:
                _count(counts, asked.requests, asked.tokens_in, asked.tokens_out)
                return asked
        if came is not None:
            # the next try takes over what came, so it is counted once
            _count(counts, came.replies, came.tokens_in, came.tokens_out)
        return None if self.crew.stops else came

    def _exchange(self, key: str, ended: int) -> Exchange:
        """Say what was kept of a question, and how its next call is known to the provider."""
        unread = jobs.find_unread(self.results.project.conn, key)
        return Exchange(
            name=call_name(self._series, key, ended),
            came=None if unread is None else _received(unread),
            keep=partial(self.results.received, key),
        )


def call_name(series: str, key: str, ended: int) -> str:
    """Name a call to providers that answer each name only once.

    A crash changes none of what it is made of, so the same call goes out under the same name.

    Args:
        series: of the job.
        key: what decides the reply.
        ended: how many calls of it the provider has turned down since the job went on.
    """
    return hashlib.sha256(f"{series} {key} {ended}".encode()).hexdigest()


def _received(reply: Reply) -> Received:
    fields = asdict(reply)
    del fields["cost_usd"]
    return Received(**fields)


def _count(counts: Counts, calls: int, tokens_in: int | None, tokens_out: int | None) -> None:
    counts.calls += calls
    counts.tokens_in += tokens_in or 0
    counts.tokens_out += tokens_out or 0
