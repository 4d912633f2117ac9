"""Why answers of a validation do not count: numbers by the reason, and what to do about it."""

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Literal

from reviewer.domain.wording import listed
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.project.session import Session
from reviewer.store import exclusions, queues

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


def sentence(counts: Counts) -> str:
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
