"""A validation of the judge: its countdown, planned looks, what counts, its verdict in words.

Who looks after every answer and stops at the first verdict is wrong up to one time in four. Few
looks, each at a stricter level, keep the error that is promised (`stats.planning`).
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.wording import counted, level_percent, listed, percent, two
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.project.session import Session
from reviewer.services.queues.recipes import AGREE
from reviewer.stats.intervals import Interval
from reviewer.stats.planning import PlannedLooks
from reviewer.store import exclusions, queues
from reviewer.store.queues import QueueRow

Reason = Literal["excluded", "other rubric", "no auto", "seen", "not applicable", "skipped"]
Counts = Mapping[Reason, int]
WORDS: dict[Reason, str] = {
    "excluded": "excluded",
    "other rubric": "of another rubric",
    "no auto": "without an auto score",
    "seen": "answered in sight of the auto scores",
    "not applicable": "not applicable",
    "skipped": "skipped",
}
ADVICE: dict[Reason, str] = {
    "excluded": "Validate again: the next draw leaves out what is excluded.",
    "other rubric": "Validate one rubric at a time.",
    "no auto": "Let the judge score them, then look again.",
    "seen": "Validate again, and give every answer before auto scores are shown (R).",
    "not applicable": "Validate again on responses that the metrics apply to.",
    "skipped": "Answer what was skipped: it stands at the end of the queue.",
}
_ORDER: tuple[Reason, ...] = tuple(WORDS)


class NotCounted:
    """What of a queue's draw counts for nothing.

    Attributes:
        whole: Evaluations that count on no metric, by the reason.
        metrics: By metric, further evaluations that do not count on it alone.
    """

    def __init__(
        self,
        session: Session,
        queue: int,
        table: FigureTable,
        among: Collection[int] | None = None,
    ) -> None:
        """Go through what a queue drew, or some of it, beside the table of its figures."""
        conn = session.project.conn
        drawn = queues.answers_of_queue(conn, queue)
        if among is not None:
            drawn = {key: answers for key, answers in drawn.items() if key in set(among)}
        gone = exclusions.of(conn, list(drawn))
        places = {key: at for at, key in enumerate(table.keys.tolist())}
        labelled = [one for one in table.metrics.values() if one.metric.is_labelled]
        self.whole: Counter[Reason] = Counter()
        self.metrics: dict[str, Counter[Reason]] = {one.metric.name: Counter() for one in labelled}
        for key, answers in drawn.items():
            at = places.get(key)
            if key in gone or at is None:
                self.whole["excluded" if key in gone else "other rubric"] += 1
                continue
            found = {
                one.metric.name: _reason(one, at, answers.get(one.metric.name, ""))
                for one in labelled
            }
            lacking = {name: why for name, why in found.items() if why is not None}
            if lacking and len(lacking) == len(found):
                self.whole[min(lacking.values(), key=_ORDER.index)] += 1
                continue
            for name, why in lacking.items():
                self.metrics[name][why] += 1


def _reason(table: MetricTable, at: int, answered: str) -> Reason | None:
    if table.both[at]:
        return None
    if table.has_human[at]:
        return "no auto"
    if answered == "label":
        return "seen"
    return "not applicable" if answered else "skipped"


def not_counted_sentence(counts: Counts) -> str:
    """Say how many do not count and why; empty where all do."""
    parts = [f"{counts[why]:,} {WORDS[why]}" for why in _ORDER if counts.get(why)]
    verb = "does" if sum(counts.values()) == 1 else "do"
    if len(parts) < 2:
        return f"{parts[0]} {verb} not count" if parts else ""
    return f"{sum(counts.values()):,} {verb} not count: {listed(parts)}"


def advice(counts: Counts) -> str:
    """Say what to do about the commonest reason; empty where everything counts."""
    found = [why for why in _ORDER if counts.get(why)]
    return ADVICE[max(found, key=lambda why: counts[why])] if found else ""


Verdict = Literal["reaches", "misses", "too close to call", "cannot be told"]
MORE = "Validate the judge on more responses."
_WORDS: dict[Verdict, str] = {
    "reaches": f"reaches {percent(AGREE)}",
    "misses": f"falls short of {percent(AGREE)}",
    "too close to call": "is too close to call",
    "cannot be told": "has too few answers",
}


@dataclass(frozen=True, slots=True)
class Countdown:
    """A validation that still waits for answers."""

    queue: str
    total: int
    done: int
    skipped: int
    seconds_left: float | None
    looks: PlannedLooks = field(default_factory=PlannedLooks)

    @property
    def left(self) -> int:
        """Count the answers to go."""
        return self.total - self.done

    @property
    def ahead(self) -> int:
        """Count the answers that keep the verdict back: what is skipped does so only alone."""
        return self.left - (self.skipped if self.done else 0)

    @property
    def sentence(self) -> str:
        """Say how far it is."""
        aside = f", {self.skipped} of them skipped" if self.skipped else ""
        return f"{counted(self.left, 'answer')} to go of {self.total:,}{aside}."


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """Judge and people on one metric of a validation.

    Attributes:
        n: Evaluations with both.
        percent: Share of equal answers; None with its reason.
        kappa_name: `kappa_quadratic` on ordered scales, else `kappa`.
        catch_rate: Share of what people fail that the judge fails too.
        n_failed: What people fail.
        undefined: Reasons by `percent`, `kappa`, `catch_rate`, and `…_interval` of each.
        uncounted: Further evaluations that do not count on this metric, by the reason.
    """

    metric: str
    title: str
    n: int
    verdict: Verdict
    percent: float | None
    percent_interval: Interval | None
    kappa_name: str
    kappa: float | None
    kappa_interval: Interval | None
    kappa_word: str | None
    catch_rate: float | None
    catch_interval: Interval | None
    n_failed: int
    undefined: Mapping[str, str] = field(default_factory=dict)
    uncounted: Counts = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Say it all in one line."""
        without = not_counted_sentence(self.uncounted)
        if self.percent is None:
            reason = self.undefined["percent"]
            return f"{self.title}: {reason}{f'; {without}' if without else ''}."
        parts = [
            f"{self.title} {_WORDS[self.verdict]}: equal in {percent(self.percent)}"
            f"{_between(self.percent_interval, percent)} of {self.n:,}"
        ]
        if self.kappa is not None:
            parts.append(f"kappa {two(self.kappa)}{_between(self.kappa_interval, two)}")
        if self.catch_rate is not None:
            parts.append(
                f"it catches {percent(self.catch_rate)}"
                f"{_between(self.catch_interval, percent)} of {counted(self.n_failed, 'fail')}"
            )
        return "; ".join(filter(None, (*parts, without))) + "."


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst disagreements: an evaluation and metric with both answers."""

    key: int
    id: str
    title: str
    metric: str
    heading: str
    human: Value
    auto: Value
    gap: float | None


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict over a queue whose answers are all in.

    Attributes:
        n: Evaluations that count: with an answer and an auto score on a metric.
        skipped: Answers that were skipped in the end, repeats too.
        worst: By the size of the gap relative to the scale; only what the labeler may see.
        left_out: Runs of another rubric, whose evaluations do not count here.
        uncounted: Evaluations that were drawn and count for nothing, by the reason.
        looks: After how many answers it is looked at, and the level of each look.
        ahead: Answers to go: the verdict is then of a planned look before the last.
        looked: The look that this is, in answers.
    """

    queue: str
    people: tuple[str, ...]
    n: int
    skipped: int
    verdict: Verdict
    metrics: tuple[MetricVerdict, ...]
    worst: tuple[Worst, ...]
    left_out: tuple[str, ...] = ()
    uncounted: Counts = field(default_factory=dict)
    looks: PlannedLooks = field(default_factory=PlannedLooks)
    ahead: int = 0
    looked: int = 0

    @property
    def is_decided(self) -> bool:
        """Tell whether there is a verdict, so that nothing is gained by going on."""
        return self.verdict in ("reaches", "misses")

    @property
    def note(self) -> str:
        """Say in a line what a planned look before the last came to."""
        told = _WORDS[self.verdict]
        following = self.looks.next_look(self.looked)
        rest = "" if self.is_decided or following is None else f"; the next look is at {following}"
        return f"After {self.looked:,} answers the judge {told}{rest}."

    @property
    def sentence(self) -> str:
        """Give the whole verdict as people repeat it."""
        by = {
            "reaches": f"The judge reaches {percent(AGREE)} agreement",
            "misses": f"The judge falls short of {percent(AGREE)} agreement",
            "too close to call": f"It is too close to call whether {percent(AGREE)} is reached",
            "cannot be told": "There are too few answers for a verdict",
        }[self.verdict]
        who = listed(self.people)
        without = not_counted_sentence(self.uncounted)
        aside = self.skipped - self.uncounted.get("skipped", 0)
        more = f"{counted(aside, 'further answer')} skipped" if aside > 0 else ""
        rest = "".join(f"; {one}" for one in (without, more) if one)
        head = f"{by} ({counted(self.n, 'evaluation')} by {who}{rest})."
        ahead = f"{counted(self.ahead, 'answer')} to go." if self.ahead else ""
        parts = (head, *(x.sentence for x in self.metrics), sentence(self.looks), ahead)
        return " ".join(filter(None, (*parts, self.advice)))

    @property
    def advice(self) -> str:
        """Say what to do next where too little counts; empty where there is a verdict."""
        if self.verdict != "cannot be told" or self.ahead:
            return ""
        counts = Counter(self.uncounted)
        for one in self.metrics:
            counts.update(one.uncounted)
        return advice(counts) or MORE


def _between(interval: Interval | None, write: Callable[[float], str]) -> str:
    if interval is None:
        return ""
    return f" ({write(interval.low)} to {write(interval.high)})"


AFTER: Final = (20, 30, 50)
"""Answers after which a validation is looked at, and after the last one."""


def planned(total: int, drawn: int) -> PlannedLooks:
    """Plan the looks at a validation.

    Where several people answer the same evaluation, or somebody the same one twice, it is looked
    at once, in the end: until then nobody knows whose answers are missing.

    Args:
        total: Answers that the queue waits for.
        drawn: Evaluations that it drew.
    """
    last = max(drawn, 1)
    # a look just before the last would only make both stricter
    between = tuple(at for at in AFTER if 5 * at <= 4 * last) if total == drawn else ()
    return PlannedLooks((*between, last))


def answered(session: Session, queue: QueueRow, table: FigureTable) -> tuple[int, ...]:
    """Give the evaluations whose every metric is answered, in the order of their last answers."""
    drawn: Mapping[int, Mapping[str, str]] = queues.answers_of_queue(
        session.project.conn, queue.key
    )
    labelled = [one for one in table.metrics.values() if one.metric.is_labelled]
    names = {one.metric.name for one in labelled}
    last = np.max([one.human.times for one in labelled], axis=0) if labelled else table.keys
    times = dict(zip(table.keys.tolist(), last.tolist(), strict=True))
    done = [key for key, found in drawn.items() if names <= found.keys() and key in times]
    return tuple(sorted(done, key=lambda key: (times[key], key)))


def reached(looks: PlannedLooks, n: int) -> int | None:
    """Give the last planned look that so many answers allow; None before the first."""
    return max((at for at in looks.at if at <= n), default=None)


def sentence(looks: PlannedLooks) -> str:
    """Say when a validation is looked at, and at what level."""
    each = level_percent(looks.level_each)
    if len(looks.at) == 1:
        return f"Looked at once, after {looks.at[0]:,} answers, at {each}."
    after = listed([f"{at:,}" for at in looks.at])
    return f"Looked at after {after} answers; each at {each}."
