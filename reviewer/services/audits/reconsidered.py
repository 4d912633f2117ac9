"""Whether people change answers once they see the auto score, and which way."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.wording import counted, percent, percent_span, signed, upper_first
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Ints
from reviewer.services.findings.insights_source import Source
from reviewer.services.findings.insights_values import Topic
from reviewer.services.project.session import Session
from reviewer.stats.clustering import clustered_mean
from reviewer.stats.intervals import INTERVALS_FROM, Interval, wilson
from reviewer.stats.reasons import UNORDERED
from reviewer.store import labels

NOBODY = "nobody has answered unseen what the judge scored"
NEVER = "nobody changed an answer after the reveal"
SEEN = 0
EQUAL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconsidered(Topic):
    """Answers that were given unseen and changed after the reveal.

    Attributes:
        n: Answers given unseen, whatever became of them.
        towards, away: Changes that came nearer to the judge's score, or went farther from it.
        share: Interval of the share that was changed.
        mean, low, high: Mean change, new answer minus the one before.
        keys: The evaluations of changed answers.
    """

    n: int = 0
    changed: int = 0
    towards: int = 0
    away: int = 0
    share: Interval | None = None
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    keys: Ints


def reconsidered(session: Session, source: Source, table: MetricTable) -> Reconsidered:
    """Compare current answers with those that were given before the reveal."""
    nothing = np.zeros(0, dtype=np.int64)
    if not table.metric.is_numeric:
        return Reconsidered(sentence=upper_first(UNORDERED), reason=UNORDERED, keys=nothing)
    rows = source.labels[table.metric.name]
    rows = rows.at(np.asarray(np.isfinite(table.auto[rows.places])))
    seen = rows.at(np.asarray(rows.blind == SEEN))
    keys = source.table.keys[seen.places]
    name = table.metric.name
    before = labels.unseen(session.project.conn, name, np.unique(keys).tolist())
    pairs = zip(keys.tolist(), seen.labelers.tolist(), strict=True)
    first = np.array([_number(before.get(pair)) for pair in pairs], dtype=np.float64)
    n = int((rows.blind == 1).sum()) + int(np.isfinite(first).sum())
    if not n:
        return Reconsidered(sentence=upper_first(NOBODY), reason=NOBODY, keys=nothing)
    moved = np.isfinite(first) & (np.abs(seen.values - first) > EQUAL)
    if not moved.any():
        said = f"{upper_first(NEVER)[:-1]} (n = {n:,})."
        return Reconsidered(sentence=said, reason=NEVER, n=n, share=_share(0, n), keys=nothing)
    change = (seen.values - first)[moved]
    auto = table.auto[seen.places][moved]
    nearer = np.abs(seen.values[moved] - auto) - np.abs(first[moved] - auto)
    mean = clustered_mean(change, keys[moved].tolist(), source.level)
    enough = change.size >= INTERVALS_FROM
    made = Reconsidered(
        sentence="",
        n=n,
        changed=int(change.size),
        towards=int((nearer < -EQUAL).sum()),
        away=int((nearer > EQUAL).sum()),
        share=_share(int(change.size), n),
        mean=float(change.mean()),
        low=mean.low if enough else None,
        high=mean.high if enough else None,
        keys=np.unique(keys[moved]),
    )
    return _told(made)


def steps(found: Reconsidered) -> tuple[Step, ...]:
    """Explain the share and the mean change with their numbers."""
    return (
        Step("Changed", f"{found.changed:,} ÷ {found.n:,} answers given unseen."),
        Step("Direction", f"{found.towards:,} towards the judge's score, {found.away:,} away."),
        Step("Mean change", "New answer minus the one before, over the changed answers."),
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else float("nan")


def _share(changed: int, n: int) -> Interval | None:
    return wilson(changed, n) if n >= INTERVALS_FROM else None


def _told(found: Reconsidered) -> Reconsidered:
    """Put the figures into a sentence."""
    interval = ""
    if found.share is not None:
        interval = f", 95 % {percent_span(found.share.low, found.share.high)}"
    around = ""
    if found.low is not None and found.high is not None:
        around = f" (95 % {signed(found.low)} to {signed(found.high)})"
    said = (
        f"After the reveal {found.changed:,} of {counted(found.n, 'answer')} changed "
        f"({percent(found.changed / found.n)}{interval}): {found.towards:,} towards the judge, "
        f"{found.away:,} away; mean change {signed(found.mean or 0.0)}{around}."
    )
    return Reconsidered(
        sentence=said, n=found.n, changed=found.changed, towards=found.towards, away=found.away,
        share=found.share, mean=found.mean, low=found.low, high=found.high, keys=found.keys,
    )  # fmt: skip
