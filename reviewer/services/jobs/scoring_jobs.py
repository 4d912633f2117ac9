"""Jobs that score: a judge's calls within a budget, and deterministic scorers in blocks.

A judge is asked many things at once, and each result is kept as soon as it came; a block of
scorers is on disk before the next begins.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import Evaluation, JsonValue, now_text
from reviewer.domain.judging import Attempt, AttemptState, Endpoint, JobPlan
from reviewer.domain.rubric import Metric, Rubric
from reviewer.scoring.calling import STOPS_ALL, Asked, Caller, CallError, Question, ReplyError
from reviewer.scoring.judging.prechecks import excluded
from reviewer.scoring.judging.prompts import PromptError
from reviewer.scoring.judging.replies import Verdict
from reviewer.scoring.packages.scorers import FunctionScorer
from reviewer.scoring.scorer import Case, Deterministic, Failure, Rule, ScoreOutcome, case_of
from reviewer.services.jobs import scorers
from reviewer.services.jobs.control import TRIES, Budget, Control, Crew, Ending, Teller
from reviewer.services.judging.prompts import Fields, Hearing, cache_key, hearings, passed
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

    def failed(
        self, item: Item, kind: str, sentence: str, *, counts: Counts, raw: str | None = None
    ) -> None:
        """Keep a failure with the raw reply, never a score."""
        counts.failed = 1
        self.taken(counts, [(self._attempt(item, "failed", kind, sentence, raw), item.metric)])

    def excluded(self, item: Item, sentence: str) -> None:
        """Keep why an evaluation is not judged."""
        attempt = self._attempt(item, "excluded", "excluded", sentence)
        self.taken(Counts(done=1), [(attempt, item.metric)])

    def taken(self, counts: Counts, attempts: Sequence[tuple[Attempt, int]] = ()) -> None:
        """Keep what calls took, and the attempts that came to no score."""
        with self.project.write() as conn:
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

    async def run(self) -> Ending:
        """Ask everything that is still open and tell how it ended."""
        with closing(new_scores.ScoreBook(self.results.project, self.results.job)) as book:
            items = self._items(hearings(self.plan, self.rubric), book)
            width = self.plan.concurrency or self._endpoint().concurrency
            await self.crew.work(width, lambda: self._work(items))
            return self.crew.stopped or self.crew.control.ending("scored") or Ending("done")

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
            self.results.failed(item, "prompt", str(error), counts=Counts())
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
            came = await self._ask(item, question, counts)
        finally:
            untold = isinstance(came, Asked) and None in (came.tokens_in, came.tokens_out)
            cost = None if untold else self.budget.cost(counts.tokens_in, counts.tokens_out)
            counts.cost_usd = self.budget.settle(guess, cost)
        match came:
            case Asked():
                self._take(item, came, counts=counts, key=key)
            case CallError():
                self.results.failed(item, came.kind, str(came), counts=counts)
            case None:
                self.results.taken(counts)

    def _take(self, item: Item, asked: Asked[Read], *, counts: Counts, key: str) -> None:
        if asked.value is None:
            why = asked.problem or "The reply could not be read."
            self.results.failed(item, "reply", why, counts=counts, raw=asked.raw)
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
        self, item: Item, question: Question, counts: Counts
    ) -> Asked[Read] | CallError | None:
        """Ask until there is a reply, or an error that stays; None where the job stops."""
        for number in range(1, TRIES + 1):
            await self.crew.pace.turn(self.crew.control)
            if self.crew.stops:
                return None
            try:
                asked = await self.client.ask(
                    question, lambda text: item.hearing.read(item.evaluation, text)
                )
            except CallError as error:
                _count(counts, error.replies + 1, error.tokens_in, error.tokens_out)
                last = number == TRIES
                if error.kind in STOPS_ALL or (error.kind == "unreachable" and last):
                    self.crew.stop(Ending("failed", str(error)))
                    return None
                if not error.again or last:
                    return error
                together = error.kind == "rate"
                await self.crew.rest(number, error.retry_after, together=together)
            else:
                _count(counts, asked.requests, asked.tokens_in, asked.tokens_out)
                return asked
        return None


def _count(counts: Counts, calls: int, tokens_in: int | None, tokens_out: int | None) -> None:
    counts.calls += calls
    counts.tokens_in += tokens_in or 0
    counts.tokens_out += tokens_out or 0


BLOCK = 300
"""Evaluations a transaction at most, so that a label press beside it never waits for long."""
BLOCK_SECONDS = 1.0
"""How long scoring one block should take at most."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """One metric with its scorer, ready for many cases.

    Attributes:
        key: The number of the metric.
        score_set: The number of the score set.
    """

    metric: Metric
    rule: Rule
    key: int
    score_set: int


@dataclass(slots=True)
class ScoreJob:
    """One scorers' job at work; scores that are there already with the same value stay alone."""

    project: Project
    key: int
    plan: JobPlan
    rubric: Rubric
    keys: Sequence[int]
    control: Control
    teller: Teller

    def run(self) -> Ending:
        """Score every evaluation and tell how it ended."""
        with closing(new_scores.ScoreBook(self.project, self.key)) as book:
            return self._run(self._scorings(book))

    def _run(self, scorings: Sequence[Scoring]) -> Ending:
        with self.project.write() as conn:
            # a scorer gives the same again, so a job that goes on counts from the start
            jobs.restart(conn, self.key)
        self.teller.counts = Counts()
        used = (scorers.get(name, metric) for metric, name in self.plan.scorers.items())
        is_strange = any(isinstance(x, FunctionScorer) for x in used)
        for block in self._blocks(1 if is_strange else BLOCK):
            self.control.look()
            stopped = self.control.ending("scored")
            if stopped is not None:
                return stopped
            self._score(block, scorings)
        self.teller.tell(Counts(), at_once=True)
        return Ending("done")

    def _blocks(self, size: int) -> Iterator[list[Evaluation]]:
        start = 0
        while start < len(self.keys):
            began = time.monotonic()
            yield reading.evaluations(self.project.conn, self.keys[start : start + size])
            start += size
            # whoever pauses a slow scorer does not wait for a whole block
            took = max(time.monotonic() - began, 1e-6)
            size = max(1, min(BLOCK, int(size * BLOCK_SECONDS / took)))

    def _scorings(self, book: new_scores.ScoreBook) -> list[Scoring]:
        made = []
        for name in self.plan.metrics:
            metric = self.rubric.by_name[name]
            scorer = scorers.get(self.plan.scorers[name], name)
            given = self.plan.parameters.get(name, metric.parameters)
            identity: dict[str, JsonValue] = {
                "scorer": scorer.name,
                "scorer_version": scorer.version,
            }
            if given:
                identity["parameters"] = dict(given)
            key = book.names.metric(name)
            made.append(
                Scoring(
                    metric=metric,
                    rule=scorer.prepare(given),
                    key=key,
                    score_set=book.open(key, identity, str(self.rubric.version)),
                )
            )
        return made

    def _score(self, block: Sequence[Evaluation], scorings: Sequence[Scoring]) -> None:
        at = now_text()
        cases = [(evaluation.key, case_of(evaluation)) for evaluation in block]
        failures: list[tuple[Attempt, int]] = []
        rows: list[new_scores.Row] = []
        for scoring in scorings:
            for key, case in cases:
                outcome = _outcome(scoring, case)
                if isinstance(outcome, Failure):
                    failed = Attempt(
                        evaluation=key,
                        metric=scoring.metric.name,
                        state="failed",
                        kind=outcome.kind,
                        sentence=outcome.text,
                        at=at,
                    )
                    failures.append((failed, scoring.key))
                else:
                    rows.append(_row(scoring, key, outcome, at))
        counts = Counts(done=len(rows), failed=len(failures))
        with self.project.write() as conn:
            new_scores.add_changed(conn, rows, self.key)
            jobs.keep(conn, self.key, failures)
            jobs.count(conn, self.key, counts)
        self.teller.tell(counts)


def _outcome(scoring: Scoring, case: Case) -> ScoreOutcome | Failure:
    outcome = scoring.rule(case)
    if isinstance(outcome, ScoreOutcome):
        problem = scoring.metric.score_problem(outcome.value)
        if problem is not None:
            return Failure("parameters", f"{problem}.")
    return outcome


def _row(scoring: Scoring, key: int, outcome: ScoreOutcome, at: str) -> new_scores.Row:
    place = (key, scoring.key, scoring.score_set)
    is_plain = not (outcome.examples or outcome.hits) and scoring.metric.pass_at is None
    if is_plain and outcome.reasoning and outcome.value.__class__ is not bool:
        # nothing to pack: most scorers' scores are so
        return (*place, outcome.value, outcome.reasoning, at, None)
    return new_scores.row(*place, _fields(scoring.metric, outcome, at))


def _fields(metric: Metric, outcome: ScoreOutcome, at: str) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "metric": metric.name,
        "value": outcome.value,
        "reasoning": outcome.reasoning,
        "at": at,
    }
    if outcome.examples:
        fields["examples"] = list(outcome.examples)
    if metric.pass_at is not None:
        fields["passed"] = passed(metric, outcome.value)
    if outcome.hits:
        fields["meta"] = {"hits": [[hit.start, hit.end, hit.sought] for hit in outcome.hits]}
    return fields


def check(plan: JobPlan, rubric: Rubric) -> None:
    """Hold a plan to scorers that exist and fit the scales, and to their parameters.

    Raises:
        ReviewerError: A scorer is not known, its values mean nothing on a metric's scale, or a
            parameter is wrong.
    """
    for name in plan.metrics:
        scorer, metric = scorers.get(plan.scorers.get(name, ""), name), rubric.by_name[name]
        given = plan.parameters.get(name, metric.parameters)
        problem = scorer.misfit(metric, given) if isinstance(scorer, Deterministic) else None
        problem = problem or scorer.problem(given)
        if problem is not None:
            raise ReviewerError(f"Metric {name}: {problem}.")
