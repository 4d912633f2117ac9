"""Where people and judge, or people among themselves, differ on one metric, and how that stands.

Columns hold every case of the scope; what a list shows of a case is read as it comes in sight.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from reviewer.domain.evaluation import Value
from reviewer.domain.rubric import Metric
from reviewer.services.adjudicating.decisions import CAUSES, Cause, cause_of
from reviewer.services.audits.auditing import Audit
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.listing import listing
from reviewer.services.project.figure_rules import value_of
from reviewer.services.project.session import Session
from reviewer.store import deciding, figures

EQUAL = 1e-9
NO_CAUSE = -1


class Standing(StrEnum):
    """How a disagreement stands; those that wait for the lead come first."""

    ANSWERED = "answered"
    OUTDATED = "newer labels"
    DISPUTED = "disputed"
    OPEN = "open"
    ASKED = "asked"
    DECIDED = "adjudicated"


STANDINGS = tuple(Standing)
EXPLAINED = {
    Standing.ANSWERED: "Whoever was asked gave another label or a comment since.",
    Standing.OUTDATED: "Decided before newer labels; the decision still counts.",
    Standing.DISPUTED: "Labelers differ, and nobody has decided.",
    Standing.OPEN: "People and judge differ, and nobody has decided.",
    Standing.ASKED: "Sent back to a labeler with a question.",
    Standing.DECIDED: "A lead has decided the value.",
}


class Order(StrEnum):
    """What a list of disagreements is sorted by."""

    GAP = "gap"
    SPREAD = "spread"
    CONFIDENCE = "confidence"
    DATE = "date"
    STATE = "state"
    AUTO = "auto"
    HUMAN = "human"
    GIVEN = "given"


@dataclass(frozen=True, slots=True, eq=False)
class Disputes:
    """The cases of one metric in columns of one length, by their evaluations' keys.

    Attributes:
        auto: NaN where the judge gave nothing.
        human: The decided value where there is one; NaN where nobody gave any.
        spread: Highest minus lowest label, 0 with one label or none.
        dates: Microseconds since 1970.
        standings: Places in `STANDINGS`.
        causes: Places in `CAUSES`, `NO_CAUSE` without one.
        differs: False where a case is there only for its decision, cause or question.
        left_out: Cases that the labeler may not see yet.
        ranks: Where each case stood in the list that was handed in; None for what differs.
    """

    metric: Metric
    score_set: int | None
    metric_key: int
    keys: Ints
    auto: Floats
    human: Floats
    spread: Floats
    dates: Ints
    standings: Ints
    causes: Ints
    differs: Flags
    left_out: int
    ranks: Ints | None = None
    confidence: dict[int, float] = field(default_factory=dict)

    @property
    def gaps(self) -> Floats:
        """Give human minus auto."""
        return self.human - self.auto

    @property
    def numeric(self) -> bool:
        """Tell whether gaps and spreads are numbers to show."""
        return self.metric.is_numeric

    def wanted(self, standing: Standing | None = None, cause: Cause | None = None) -> Flags:
        """Tell which cases a filter by state and cause leaves; without any, all."""
        found = np.ones(self.keys.size, dtype=np.bool_)
        if standing is not None:
            found &= self.standings == STANDINGS.index(standing)
        if cause is not None:
            found &= self.causes == CAUSES.index(cause)
        return found

    def among(self, keys: Sequence[int]) -> Flags:
        """Tell which cases are of some evaluations."""
        return np.asarray(np.isin(self.keys, np.asarray(keys, dtype=np.int64)))

    def in_order(self, wanted: Flags, by: Order, *, descending: bool) -> Ints:
        """Give the positions of the wanted cases in an order; ties by gap, unknown ones last."""
        places = np.flatnonzero(wanted)
        values = self._values(by)[places]
        size = np.abs(self.gaps[places]) if self.numeric else np.zeros(places.size)
        size = np.round(np.nan_to_num(size), 9)
        values = np.round(-values if descending else values, 9)
        # NaN sorts last in either direction
        return np.asarray(places[np.lexsort((places, -size, values))])

    def _values(self, by: Order) -> Floats:
        plain: dict[Order, Floats | Ints] = {
            Order.SPREAD: self.spread,
            Order.STATE: self.standings,
            Order.AUTO: self.auto,
            Order.HUMAN: self.human,
        }
        match by:
            case Order.GAP:
                found = np.abs(self.gaps) if self.numeric else np.ones(self.keys.size)
            case Order.DATE:
                found = np.where(self.dates == figures.UNDATED, np.nan, self.dates)
            case Order.GIVEN if self.ranks is not None:
                found = self.ranks.astype(np.float64)
            case Order.CONFIDENCE:
                sure = [self.confidence.get(key, np.nan) for key in self.keys.tolist()]
                found = np.array(sure, dtype=np.float64)
            case _:
                found = plain.get(by, np.zeros(self.keys.size)).astype(np.float64)
        return np.asarray(found)

    def counts(self) -> dict[Cause, int]:
        """Count the cases by cause."""
        found = np.bincount(self.causes[self.causes >= 0], minlength=len(CAUSES))
        return dict(zip(CAUSES, found.tolist(), strict=True))

    def standing_counts(self) -> dict[Standing, int]:
        """Count the cases by how they stand."""
        found = np.bincount(self.standings, minlength=len(STANDINGS))
        return dict(zip(STANDINGS, found.tolist(), strict=True))

    def place_of(self, key: int) -> int | None:
        """Find a case by its evaluation."""
        place = int(np.searchsorted(self.keys, key))
        return place if place < self.keys.size and self.keys[place] == key else None


@dataclass(frozen=True, slots=True)
class DisputeRow:
    """What a list shows of one case; `standing` and `cause` are None for agreeing responses."""

    key: int
    id: str
    title: str
    run: str
    auto: Value | None
    human: Value | None
    gap: float | None
    spread: float | None
    confidence: float | None
    standing: Standing | None
    cause: Cause | None


def of_metric(session: Session, audit: Audit, metric: str) -> Disputes:
    """Find the disagreements of a metric in the scope of an audit; a few milliseconds."""
    return _disputes(session, audit, metric, everything=False)


def of_responses(session: Session, audit: Audit, metric: str, keys: Sequence[int]) -> Disputes:
    """Give any responses of the scope, such as those of a cell, in the same columns."""
    whole = _disputes(session, audit, metric, everything=True)
    found = _only(whole, whole.among(keys))
    places = {key: place for place, key in enumerate(keys)}
    return replace(
        found, ranks=np.array([places[key] for key in found.keys.tolist()], dtype=np.int64)
    )


def _disputes(session: Session, audit: Audit, metric: str, *, everything: bool) -> Disputes:
    table = audit.frame.table
    columns = table.metrics[metric]
    number = figures.metric_keys(session.project).get(metric, -1)
    spread = columns.spreads
    differs = (np.abs(columns.human.score - columns.auto) > EQUAL) | (spread > EQUAL)
    said = _Said.of(session, number)
    there = differs | np.isin(table.keys, said.keys)
    if everything:
        there = np.ones(table.keys.size, dtype=np.bool_)
    places = np.flatnonzero(there & audit.seen)
    keys = table.keys[places]
    return Disputes(
        metric=audit.rubric.by_name[metric],
        score_set=columns.score_set,
        metric_key=number,
        keys=keys,
        auto=columns.auto[places],
        human=columns.human.score[places],
        spread=spread[places],
        dates=columns.dates[places],
        standings=said.standings(keys, spread[places]),
        causes=said.causes_of(keys),
        differs=differs[places],
        left_out=int((there & ~audit.seen).sum()),
    )


def restated(session: Session, audit: Audit, before: Disputes) -> Disputes:
    """Read again how the same cases stand, after a decision, a cause or a question."""
    said = _Said.of(session, before.metric_key)
    human = before.human.copy()
    scope = audit.request.scope
    if scope.decisions and not scope.labelers and not scope.blind_only:
        _put(human, before.keys, {
            key: _number(before.metric, value) for key, (value, _) in said.decided.items()
        })  # fmt: skip
    differs = (np.abs(human - before.auto) > EQUAL) | (before.spread > EQUAL)
    return replace(
        before,
        human=human,
        standings=said.standings(before.keys, before.spread),
        causes=said.causes_of(before.keys),
        differs=differs,
    )


def _only(whole: Disputes, wanted: Flags) -> Disputes:
    return replace(
        whole,
        keys=whole.keys[wanted],
        auto=whole.auto[wanted],
        human=whole.human[wanted],
        spread=whole.spread[wanted],
        dates=whole.dates[wanted],
        standings=whole.standings[wanted],
        causes=whole.causes[wanted],
        differs=whole.differs[wanted],
        left_out=0,
    )


def load_confidence(session: Session, disputes: Disputes) -> bool:
    """Read how sure the judge was, for sorting by it; tells whether it said so anywhere."""
    if disputes.score_set is not None and not disputes.confidence:
        disputes.confidence.update(
            deciding.confidences(
                session.project.conn,
                metric=disputes.metric_key,
                score_set=disputes.score_set,
                keys=disputes.keys.tolist(),
            )
        )
    return bool(disputes.confidence)


def rows(session: Session, disputes: Disputes, keys: Sequence[int]) -> list[DisputeRow]:
    """Read what a list shows of about 128 cases, in the order of the keys.

    Evaluations that are gone, because an import was undone, are left out.
    """
    found = []
    for row in listing.rows(session, keys):
        place = disputes.place_of(row.key)
        if place is not None and not row.hidden:
            gap, spread = float(disputes.gaps[place]), float(disputes.spread[place])
            cause = int(disputes.causes[place])
            agreed = not disputes.differs[place]
            standing = STANDINGS[int(disputes.standings[place])]
            found.append(
                DisputeRow(
                    key=row.key,
                    id=row.id,
                    title=row.title,
                    run=row.run,
                    auto=value_of(disputes.metric, float(disputes.auto[place])),
                    human=value_of(disputes.metric, float(disputes.human[place])),
                    gap=gap if disputes.numeric and np.isfinite(gap) else None,
                    spread=spread if disputes.numeric else None,
                    confidence=disputes.confidence.get(row.key),
                    standing=None if agreed and standing is Standing.OPEN else standing,
                    cause=None if cause == NO_CAUSE else CAUSES[cause],
                )
            )
    return found


@dataclass(frozen=True, slots=True)
class _Said:
    """What leads said about a metric, by evaluation."""

    decided: dict[int, tuple[Value, bool]]
    causes: dict[int, Cause | None]
    asked: dict[int, bool]

    @classmethod
    def of(cls, session: Session, metric: int) -> "_Said":
        conn = session.project.conn
        return cls(
            decided=deciding.decisions(conn, metric),
            causes={
                x.mark.evaluation: cause_of(x.mark.value) for x in deciding.causes(conn, metric)
            },
            asked={x.mark.evaluation: x.answered for x in deciding.questions(conn, metric)},
        )

    @property
    def keys(self) -> Ints:
        return np.array(sorted({*self.decided, *self.causes, *self.asked}), dtype=np.int64)

    def standings(self, keys: Ints, spread: Floats) -> Ints:
        number = {standing: place for place, standing in enumerate(STANDINGS)}
        found = np.where(spread > EQUAL, number[Standing.DISPUTED], number[Standing.OPEN])
        found = found.astype(np.int64)
        _put(found, keys, {
            key: number[Standing.ANSWERED if answered else Standing.ASKED]
            for key, answered in self.asked.items()
        })  # fmt: skip
        _put(found, keys, {
            key: number[Standing.OUTDATED if newer else Standing.DECIDED]
            for key, (_, newer) in self.decided.items()
        })  # fmt: skip
        return found

    def causes_of(self, keys: Ints) -> Ints:
        found = np.full(keys.size, NO_CAUSE, dtype=np.int64)
        _put(
            found, keys, {key: CAUSES.index(x) for key, x in self.causes.items() if x is not None}
        )
        return found


def _put(column: Ints | Floats, keys: Ints, values: Mapping[int, float]) -> None:
    """Put a value beside each of some keys, as far as they are there."""
    if keys.size and values:
        wanted = np.array(list(values), dtype=np.int64)
        places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        there = keys[places] == wanted
        column[places[there]] = np.array(list(values.values()), dtype=column.dtype)[there]


def _number(metric: Metric, value: Value) -> float:
    if isinstance(value, str):
        return float(metric.values.index(value)) if value in metric.values else float("nan")
    return float(value)
