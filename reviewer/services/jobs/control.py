"""How a running job is paused, keeps its pace and its budget, and tells how far it is."""

import asyncio
import random
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from reviewer.domain.errors import Progress
from reviewer.domain.judging import JobState, Price, Wish
from reviewer.domain.wording import counted, fixed
from reviewer.store.jobs import Counts

TRIES = 5
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
LOOK_EVERY = 0.1


class Ending(NamedTuple):
    """The state in which a job stops, and why."""

    state: JobState
    sentence: str | None = None


@dataclass(slots=True)
class Control:
    """What its owner wishes of a job; may be set from a signal handler.

    Attributes:
        paused: Calls under way come to their end, no more are started.
        cancelled: Calls under way are dropped, too.
        wished: Tells what another process asked for.
        heard: Gets what the job took so far before each report of progress, by name.
    """

    paused: bool = False
    cancelled: bool = False
    wished: Callable[[], Wish | None] = lambda: None
    heard: Callable[[Mapping[str, float]], None] = lambda _: None

    def look(self) -> None:
        """Take over what another process asked for."""
        match self.wished():
            case "pause":
                self.paused = True
            case "cancel":
                self.cancelled = True

    @property
    def stops(self) -> bool:
        """Tell whether nothing more is to be started."""
        return self.paused or self.cancelled

    def ending(self, done: str) -> Ending | None:
        """Say how a job ends that somebody stopped; `done` is what it does, as "scored"."""
        if self.cancelled:
            return Ending("cancelled", f"Cancelled; what was {done} until then is kept.")
        return Ending("paused", "Paused.") if self.paused else None


@dataclass(slots=True)
class Pace:
    """When the next call may start: an even rate, and nothing before a provider's wish.

    Attributes:
        per_minute: Calls started in a minute at most, None without limit.
    """

    per_minute: int | None = None
    _next: float = field(default=0.0)

    async def turn(self, control: Control) -> None:
        """Wait for one's turn; a pause or cancel ends the wait."""
        at = max(self._next, time.monotonic())
        if self.per_minute:
            self._next = at + 60.0 / self.per_minute
        while not control.stops and (left := max(at, self._held) - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.1))

    _held: float = field(default=0.0)

    def hold(self, seconds: float) -> None:
        """Start nothing for some seconds, as the provider asked."""
        self._held = max(self._held, time.monotonic() + seconds)


CHARACTERS_A_TOKEN = 3.5
"""A careful guess for prices before a call; afterwards the provider's count holds."""
USUAL_REPLY = 250
"""Tokens of a judge's reply, until some have come."""


@dataclass(slots=True)
class Budget:
    """Dollars spent and promised.

    The first call under a limit goes alone, as nobody knows before it what the model's replies
    take; every further one is guessed as dear as the dearest so far for its length.

    Attributes:
        price: None where the model's price is not known; then nothing can be held to a limit.
        limit: Dollars at most.
        promised: What the calls under way were guessed to cost.
        under_way: Calls that are promised.
        dearest: What a call cost, as a multiple of its guess; None before there is one.
        usual: What it is taken to be until then; 0 where nobody can guess.
        lost: Calls whose replies were lost with their workers.
        lost_cost: What those were guessed to cost; it is among what is spent.
    """

    price: Price | None
    limit: float | None = None
    spent: float = 0.0
    promised: float = 0.0
    under_way: int = 0
    dearest: float | None = None
    usual: float = 1.0
    lost: int = 0
    lost_cost: float = 0.0

    @staticmethod
    def tokens(characters: int) -> int:
        """Guess the tokens of a text of some characters."""
        return int(characters / CHARACTERS_A_TOKEN) + 1

    def cost(self, tokens_in: int | None, tokens_out: int | None) -> float | None:
        """Give the cost of some tokens, None where they or their price are not known."""
        return self.price.cost(tokens_in, tokens_out) if self.price else None

    def guess(self, characters: int) -> float:
        """Guess what a question of some characters costs with a reply of the usual length."""
        return self.cost(self.tokens(characters), USUAL_REPLY) or 0.0

    def fits(self, guess: float) -> bool:
        """Tell whether one more call stays within the limit, those under way included."""
        if self.limit is None:
            return True
        if self.under_way and self.dearest is None and guess:
            return False
        return self.spent + self._likely(self.promised + guess) <= self.limit + 1e-12

    def promise(self, guess: float) -> None:
        """Count a call that is under way."""
        self.under_way += 1
        self.promised += guess

    def settle(self, guess: float, cost: float | None) -> float:
        """Count what a call took in place of what was guessed, and give its cost.

        Where nobody tells the cost of a reply, the likely one stands.
        """
        self.under_way -= 1
        self.promised = max(self.promised - guess, 0.0) if self.under_way else 0.0
        took = self._likely(guess) if cost is None else cost
        self.spent += took
        # a provider that counts no token tells nothing of what its calls take
        if guess and (took or self.price is None):
            self.dearest = max(self.dearest or 0.0, took / guess)
        return took

    def lose(self, guess: float) -> float:
        """Count a call that may be paid for although no reply came, and give its likely cost."""
        took = self._likely(guess)
        self.lost += 1
        self.lost_cost += took
        self.spent += took
        return took

    def losses(self) -> str | None:
        """Say what may be paid for twice, None where nothing is."""
        if not self.lost:
            return None
        # nobody knows what it costs where the price is not known
        counted_for = (
            f", so ${fixed(self.lost_cost, 4)} is counted for it" if self.lost_cost else ""
        )
        return (
            f"{counted(self.lost, 'call')} went to a worker that was lost before the reply came "
            f"back; a provider may bill that although nobody has the reply{counted_for}."
        )

    def _likely(self, guess: float) -> float:
        return guess * (self.usual if self.dearest is None else self.dearest)


def wait_before(number: int, wished: float | None, draw: random.Random) -> float:
    """Give the seconds before another try: as wished, else twice as long each time, with jitter.

    Args:
        number: of tries that failed so far, from 1.
        wished: what the provider asked for.
        draw: spreads the tries of many calls.
    """
    if wished is not None:
        return min(wished, 10 * LONGEST_WAIT)
    return min(FIRST_WAIT * 2.0 ** (number - 1), LONGEST_WAIT) * (0.5 + draw.random())


async def rest(seconds: float, stopped: Callable[[], bool]) -> None:
    """Wait some seconds, or until `stopped` says that nobody waits any more."""
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while not stopped() and (left := end - loop.time()) > 0:
        await asyncio.sleep(min(left, LOOK_EVERY))


@dataclass(slots=True)
class Crew:
    """The workers of a job that asks many at once: their pace, and what stops all of them.

    Attributes:
        catch_up: Is called again and again while they work.
        stopped: How the job ends, where one of them met what stops every other one.
    """

    control: Control
    catch_up: Callable[[], None]
    pace: Pace = field(default_factory=Pace)
    stopped: Ending | None = None
    _draw: random.Random = field(default_factory=random.Random)

    @property
    def stops(self) -> bool:
        """Tell whether nothing more is to be started."""
        return self.control.stops or self.stopped is not None

    def stop(self, ending: Ending) -> None:
        """Stop all of them; what came first is told."""
        self.stopped = self.stopped or ending

    async def work(self, width: int, work: Callable[[], Coroutine[None, None, None]]) -> None:
        """Let some of them work until all are done, or a cancel drops what is under way."""
        workers = [asyncio.create_task(work()) for _ in range(max(width, 1))]
        waiting = set(workers)
        try:
            while waiting and not self.control.cancelled:
                done, waiting = await asyncio.wait(
                    waiting, timeout=LOOK_EVERY, return_when=asyncio.FIRST_EXCEPTION
                )
                self.control.look()
                self.catch_up()
                for worker in done:
                    worker.result()
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    async def room(self, budget: Budget, guess: float, more: str = "") -> bool:
        """Wait until one more call fits into a budget; False where the job stops.

        Where it never will, the job pauses and says so, with `more` behind it.
        """
        while not budget.fits(guess):
            if not budget.under_way:
                spent = f"${fixed(budget.spent, 4)} are spent."
                self.stop(
                    Ending("paused", f"Stopped at the budget of ${budget.limit:g}: {spent}{more}")
                )
            if self.stops:
                return False
            await asyncio.sleep(LOOK_EVERY / 10)
        return True

    async def rest(self, number: int, wished: float | None, *, together: bool) -> None:
        """Wait before another try, all `together` where a provider asked for it."""
        seconds = wait_before(number, wished, self._draw)
        if together:
            self.pace.hold(seconds)
        await rest(seconds, lambda: self.stops)


TELL_EVERY = 0.1


@dataclass(slots=True)
class Teller:
    """Pass on how far a job is, a few times a second.

    Attributes:
        counts: Of the whole job, what was done before included.
        heard: Gets the counts before each report.
    """

    progress: Progress
    counts: Counts
    total: int
    heard: Callable[[Mapping[str, float]], None] = lambda _: None
    _last: float = 0.0
    _untold: bool = False

    def tell(self, more: Counts, *, at_once: bool = False) -> None:
        """Add what happened, and say so where it is time."""
        self.counts.add(more)
        self._untold = True
        if at_once or time.monotonic() - self._last >= TELL_EVERY:
            self.catch_up()

    def wait(self, told: Mapping[str, float], words: str) -> None:
        """Say for what it waits, by name and in words."""
        self.heard(told)
        self.progress.advance(self.counts.done + self.counts.failed, self.total, words)

    def catch_up(self) -> None:
        """Say what was not said yet, as more may be long in coming."""
        if self._untold:
            self._untold = False
            self._last = time.monotonic()
            self.wait(took(self.counts), note(self.counts))


def took(counts: Counts) -> dict[str, float]:
    """Give what a job took so far, by name."""
    return {"failed": counts.failed, "cached": counts.cached, "cost_usd": counts.cost_usd}


def note(counts: Counts) -> str:
    """Say in a few words what a job took so far."""
    said = [counted(counts.calls, "call")]
    if counts.cached:
        said.append(f"{counts.cached:,} from the cache")
    if counts.failed:
        said.append(f"{counts.failed:,} failed")
    if counts.cost_usd:
        said.append(f"${fixed(counts.cost_usd, 4)}")
    return " · ".join(said)
