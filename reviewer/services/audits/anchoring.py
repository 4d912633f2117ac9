"""Whether people follow the auto score: those who see it before they answer, or change after."""

from dataclasses import dataclass

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.wording import counted, percent, percent_span, signed, two, upper_first
from reviewer.services.explaining.explanations_words import Step
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.findings.insights_source import LabelRows, Source
from reviewer.services.findings.insights_values import Topic
from reviewer.services.project.figure_rules import furthest_gaps, scale_of
from reviewer.services.project.session import Session
from reviewer.stats.clustering import clustered_mean
from reviewer.stats.contrast import (
    Contrast,
    mean_contrast,
    share_contrast,
    share_variance,
    within_contrast,
)
from reviewer.stats.intervals import INTERVALS_FROM, Interval, wilson
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS, UNORDERED
from reviewer.store import labels

NO_LABELS = "nobody has labelled what the judge scored"
ALL_BLIND = "every label was given unseen: there is nothing to compare with"
ALL_SEEN = "every label was given with the auto score in sight: there is nothing to compare with"
NOBODY_KNOWS = "no label says whether its auto score was in sight"
BLIND, SEEN, UNKNOWN = 1, 0, -1


@dataclass(frozen=True, slots=True)
class Compared:
    """Labels given in sight of the auto score against those given unseen.

    Attributes:
        overall: All labels; different people may stand behind both kinds.
        within: The same people only, each against themselves.
        reason: Why there is nothing to compare.
    """

    overall: Contrast | None = None
    within: Contrast | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anchoring(Topic):
    """What sight of the auto score does to labels.

    Attributes:
        blind, seen, unknown: Labels by whether the auto score was in sight.
        people: How many gave labels of both kinds.
        agreement: Share of labels that equal the judge's score.
        gap: Mean gap.
        blind_keys, seen_keys: Evaluations with labels of each kind.
    """

    blind: int = 0
    seen: int = 0
    unknown: int = 0
    people: int = 0
    agreement: Compared = Compared()
    gap: Compared = Compared()
    blind_keys: Ints
    seen_keys: Ints

    @property
    def keys(self) -> Ints:
        """Give every evaluation that is compared."""
        return np.union1d(self.blind_keys, self.seen_keys)


@dataclass(frozen=True, slots=True, eq=False)
class _Sided:
    """Labels that are known to be given unseen or in sight, with what they share."""

    rows: LabelRows
    auto: Floats
    seen: Flags
    clusters: Ints | None
    level: float

    def means(self, values: Floats, furthest: float) -> Compared:
        """Compare means of values, which cannot be further apart than that."""
        return Compared(
            mean_contrast(values, self.seen, self.clusters, self.level).held(furthest),
            self._within(values).held(furthest),
        )

    def shares(self, hits: Flags) -> Compared:
        """Compare shares of hits."""
        return Compared(
            share_contrast(hits, self.seen, self.clusters, self.level),
            self._within(hits.astype(np.float64), share_variance(hits)).held(1.0),
        )

    def _within(self, values: Floats, least: float = 0.0) -> Contrast:
        people = self.rows.labelers
        return within_contrast(values, self.seen, people, self.clusters, self.level, least)


def anchoring(source: Source, table: MetricTable) -> Anchoring:
    """Compare labels given in sight of the auto score with those given unseen."""
    rows = source.labels[table.metric.name]
    rows = rows.at(np.asarray(np.isfinite(table.auto[rows.places])))
    counts = [int((rows.blind == kind).sum()) for kind in (BLIND, SEEN, UNKNOWN)]
    known = rows.at(np.asarray(rows.blind != UNKNOWN))
    seen = np.asarray(known.blind == SEEN)
    keys = source.table.keys
    found = {
        "blind": counts[0],
        "seen": counts[1],
        "unknown": counts[2],
        "blind_keys": np.unique(keys[known.places[~seen]]),
        "seen_keys": np.unique(keys[known.places[seen]]),
    }
    reason = _reason(*counts)
    if reason is not None:
        return Anchoring(sentence=_missing(reason, counts[2]), reason=reason, **found)  # type: ignore[arg-type]
    sided = _Sided(known, table.auto[known.places], seen, _clusters(source, known), source.level)
    agreement, gap = _agreement(table.metric, sided), _gap(table.metric, sided)
    both = np.intersect1d(known.labelers[seen], known.labelers[~seen]).size
    return Anchoring(
        sentence=_sentence(agreement, gap, both),
        people=int(both),
        agreement=agreement,
        gap=gap,
        **found,  # type: ignore[arg-type]
    )


def _reason(blind: int, seen: int, unknown: int) -> str | None:
    if not blind and not seen:
        return NOBODY_KNOWS if unknown else NO_LABELS
    if not seen:
        return ALL_BLIND
    return None if blind else ALL_SEEN


def _missing(reason: str, unknown: int) -> str:
    said = upper_first(reason)
    if unknown and reason != NOBODY_KNOWS:
        return f"{said[:-1]}; of {counted(unknown, 'label')} nobody knows."
    return said


def _clusters(source: Source, rows: LabelRows) -> Ints | None:
    """Give what labels share: their conversation, or their evaluation where several are on one."""
    if source.table.clusters is not None:
        return source.table.clusters[rows.places]
    return rows.places if np.unique(rows.places).size < rows.places.size else None


def _agreement(metric: Metric, sided: _Sided) -> Compared:
    scale = scale_of(metric)
    if scale is None:
        return Compared(reason=NO_LEVELS)
    mine, _ = places(sided.rows.values, scale)
    own, _ = places(sided.auto, scale)
    return sided.shares(np.asarray(mine == own))


def _gap(metric: Metric, sided: _Sided) -> Compared:
    if not metric.is_numeric:
        return Compared(reason=UNORDERED)
    return sided.means(sided.rows.values - sided.auto, furthest_gaps(metric))


def _sentence(agreement: Compared, gap: Compared, people: int) -> str:
    said = []
    if agreement.overall is not None:
        said.append(agreement_sentence(agreement.overall))
        if people and agreement.within is not None and agreement.within.low is not None:
            who = "the one person" if people == 1 else f"the {people:,} people"
            said.append(f"Within {who} who gave both kinds: {_points(agreement.within)}.")
    if gap.overall is not None:
        said.append(gap_sentence(gap.overall))
    return " ".join(said)


def agreement_sentence(found: Contrast) -> str:
    """Say the difference in agreement."""
    return (
        f"With the auto score in sight people agree with it in {percent(found.second or 0.0)} of "
        f"{counted(found.n_second, 'label')}, unseen in {percent(found.first or 0.0)} of "
        f"{found.n_first:,}: {_points(found)}{_meaning(found, 'they follow it')}."
    )


def gap_sentence(found: Contrast) -> str:
    """Say the difference in the mean gap."""
    return (
        f"Their mean gap is {signed(found.second or 0.0)} in sight and "
        f"{signed(found.first or 0.0)} unseen, a difference of {signed(found.difference or 0.0)}"
        f"{_around(found)}."
    )


def _points(found: Contrast) -> str:
    points = 100 * (found.difference or 0.0)
    if found.low is None or found.high is None:
        return f"{_whole(points)} points ({found.reason})"
    return (
        f"{_whole(points)} points (95 % {_whole(100 * found.low)} to {_whole(100 * found.high)})"
    )


def _whole(points: float) -> str:
    rounded = round(points) + 0
    return (f"+{rounded}" if rounded > 0 else f"{rounded}").replace("-", "−")


def _around(found: Contrast) -> str:
    if found.low is None or found.high is None:
        return f" ({found.reason})"
    return f" (95 % {signed(found.low)} to {signed(found.high)})"


def _meaning(found: Contrast, follows: str) -> str:
    if found.low is None or found.high is None:
        return ""
    if found.low > 0:
        return f"; {follows}"
    return "" if found.high < 0 else "; chance may explain it"


def steps(found: Compared, what: str) -> tuple[Step, ...]:
    """Explain a comparison with its numbers; `what` names the value compared."""
    made = []
    for title, one in (("All labels", found.overall), ("The same people", found.within)):
        if one is None:
            continue
        if one.difference is None or one.first is None or one.second is None:
            made.append(Step(title, upper_first(one.reason or "")))
            continue
        made.append(
            Step(
                title,
                f"{what} in sight − {what} unseen = {two(one.second)} − {two(one.first)} = "
                f"{signed(one.difference)}{_around(one)}, from {one.n_second:,} and "
                f"{one.n_first:,} labels.",
            )
        )
    return tuple(made) or (Step("Nothing to compare", upper_first(found.reason or "")),)


NOBODY = "nobody has answered unseen what the judge scored"
NEVER = "nobody changed an answer after the reveal"
GIVEN_IN_SIGHT = 0
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
    seen = rows.at(np.asarray(rows.blind == GIVEN_IN_SIGHT))
    keys = source.table.keys[seen.places]
    before = labels.unseen(session.project.conn, table.metric.name, np.unique(keys).tolist())
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


def reconsidered_steps(found: Reconsidered) -> tuple[Step, ...]:
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
