"""What comes of a job's calls, on disk before the next is asked, and how a job ends."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reviewer.domain.evaluation import Evaluation
from reviewer.domain.job import Attempt, AttemptState
from reviewer.domain.progress import Progress
from reviewer.domain.values import now_text
from reviewer.domain.wording import counted, fixed
from reviewer.scoring.judging.replies import Verdict
from reviewer.services.judging.judging import Fields, Hearing
from reviewer.store import jobs, new_scores
from reviewer.store.jobs import Counts, Reply
from reviewer.store.project import Project

TELL_EVERY = 0.1


class Teller:
    """Pass on how far a job is, a few times a second.

    Attributes:
        counts: Of the whole job, what was done before included.
    """

    def __init__(
        self,
        progress: Progress,
        counts: Counts,
        total: int,
        heard: Callable[[Mapping[str, float]], None] = lambda _: None,
    ) -> None:
        """Start from what a job had done before; `heard` gets the counts before each report."""
        self.counts = counts
        self._heard = heard
        self._progress = progress
        self._total = total
        self._last = 0.0
        self._untold = False

    def tell(self, more: Counts, *, at_once: bool = False) -> None:
        """Add what happened, and say so where it is time."""
        self.counts.add(more)
        self._untold = True
        if at_once or time.monotonic() - self._last >= TELL_EVERY:
            self.catch_up()

    def catch_up(self) -> None:
        """Say what was not said yet, as more may be long in coming."""
        if self._untold:
            self._untold = False
            self._last = time.monotonic()
            self._heard(took(self.counts))
            self._progress.advance(
                self.counts.done + self.counts.failed, self._total, note(self.counts)
            )


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
            if cache_key is not None or not self._has(item, score):
                new_scores.add(conn, row, self.job)
            jobs.keep(conn, self.job, [(attempt, item.metric)])
            jobs.count(conn, self.job, counts)
        self.teller.tell(counts)

    def _has(self, item: Item, score: Fields) -> bool:
        """Tell whether a reply from the cache was stored already: it is no second opinion."""
        return new_scores.has_reply(
            self.project.conn,
            item.score_set,
            evaluation=item.evaluation.key,
            metric=item.metric,
            score=score,
        )

    def failed(
        self, item: Item, kind: str, sentence: str, *, counts: Counts, raw: str | None = None
    ) -> None:
        """Keep a failure with the raw reply, never a score."""
        counts.failed = 1
        self._settle(item, self._attempt(item, "failed", kind, sentence, raw), counts)

    def taken(self, counts: Counts) -> None:
        """Keep what calls took that came to nothing."""
        with self.project.write() as conn:
            jobs.count(conn, self.job, counts)
        self.teller.tell(counts)

    def excluded(self, item: Item, sentence: str) -> None:
        """Keep why an evaluation is not judged."""
        self._settle(item, self._attempt(item, "excluded", "excluded", sentence), Counts(done=1))

    def _settle(self, item: Item, attempt: Attempt, counts: Counts) -> None:
        with self.project.write() as conn:
            jobs.keep(conn, self.job, [(attempt, item.metric)])
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
