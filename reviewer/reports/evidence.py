"""What stands behind a report's figures: who labelled, cases with their texts, what is missing.

Plain values that `services.reporting` gathers; sections and documents are told from them.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date

from reviewer.domain.evaluation import Value
from reviewer.reports.document import Fields
from reviewer.stats.clustering import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingJudge:
    """A scorer or judge whose scores count, and for which metrics.

    Attributes:
        prompts: the beginnings of its prompts' hashes, one a metric or one for all.
        fewest, most: on how many responses it scored its metrics.
        metrics: their headings.
        is_judge: whether people are asked for any of them, too.
    """

    name: str
    prompts: tuple[str, ...]
    fewest: int
    most: int
    metrics: tuple[str, ...]
    is_judge: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was measured, by whom, how chosen and how blind.

    Attributes:
        first, last: the days of the responses, None where none has a date.
        labelled: responses with a label or decision that counts.
        labelers: people who labelled them.
        blind: those whose every entry is known to be given blind.
        drawn, chosen, unknown: how they were chosen: by chance, by somebody, nobody knows.
    """

    responses: int
    first: date | None
    last: date | None
    judges: tuple[CountingJudge, ...]
    labelled: int
    labelers: int
    blind: int
    drawn: int
    chosen: int
    unknown: int

    def to_json(self) -> Fields:
        """Give it as documents have it."""
        found = asdict(self) | {"judges": [asdict(x) for x in self.judges]}
        days = {"first": self.first, "last": self.last}
        return found | {name: None if day is None else str(day) for name, day in days.items()}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text, and whether a person highlighted it."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What judge and people say of one metric of a response.

    Attributes:
        top: the end of the scale, None for values without an order.
        judge: the judge's value, None without one.
        people: each person's value, the decision left out.
        human: what figures count for people: the decision, else the mean.
        decided: the value that a lead decided.
        comments: what people wrote, the decision's first.
        cause: why they differ, in words.
    """

    metric: str
    title: str
    top: float | None
    judge: Value | None
    reasoning: str
    people: tuple[Value, ...] = ()
    human: Value | None = None
    decided: Value | None = None
    comments: tuple[str, ...] = ()
    cause: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldCase:
    """A response as a report tells it.

    Attributes:
        question: what was asked last before the response.
        turns: of its conversation, 0 for a single question.
        response: as pieces, of a long one the part with the highlights; empty without one.
        judge, people: the overall by the judge, and with people's labels; None without.
        top: the end of the overall's scale.
        passed: people's verdict, None where they gave none.
        judged: the judge's verdict, None without one.
        opinions: of the metrics that it is told for.
    """

    key: int
    id: str
    run: str
    category: str | None
    question: str
    turns: int
    response: tuple[Piece, ...]
    opinions: tuple[Opinion, ...]
    judge: float | None = None
    people: float | None = None
    top: float | None = None
    passed: bool | None = None
    judged: bool | None = None

    def to_json(self) -> Fields:
        """Give the case as documents have it: the response as one text, highlights apart."""
        found = asdict(self)
        del found["key"]
        return found | {
            "response": "".join(x.text for x in self.response) if self.response else None,
            "highlights": [x.text for x in self.response if x.marked],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CauseCount:
    """How often one cause was named where people and judge differ.

    Attributes:
        share: of all cases with a cause, with its interval.
        metrics: headings with how often it was named there, the most first.
    """

    title: str
    n: int
    share: Quantity
    metrics: tuple[tuple[str, int], ...]

    def to_json(self) -> Fields:
        """Give it as documents have it."""
        return {
            "cause": self.title,
            "n": self.n,
            "share": self.share.value,
            "low": self.share.low,
            "high": self.share.high,
            "of": self.share.n,
            "metrics": dict(self.metrics),
        }


@dataclass(frozen=True, slots=True)
class Period:
    """One period of a metric: its first day, and the means of judge and people in it."""

    start: date
    judge: Quantity
    people: Quantity


@dataclass(frozen=True, slots=True)
class Change:
    """What changed on a day: another run, judge or prompt."""

    day: date
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverTime:
    """A metric over periods of a week."""

    metric: str
    title: str
    bounds: tuple[float, float] | None
    periods: tuple[Period, ...]
    changes: tuple[Change, ...] = ()

    def to_json(self) -> Fields:
        """Give it as documents have it."""
        return {
            "metric": self.metric,
            "weeks": [
                {
                    "from": str(one.start),
                    **{
                        side: {"mean": x.value, "n": x.n, "low": x.low, "high": x.high}
                        for side, x in (("judge", one.judge), ("people", one.people))
                    },
                }
                for one in self.periods
            ],
            "changes": [{"day": str(x.day), "what": x.words} for x in self.changes],
        }


@dataclass(frozen=True, slots=True)
class BareCategory:
    """A category of which too little is labelled to say anything."""

    name: str
    n: int
    labelled: int


@dataclass(frozen=True, slots=True)
class NotCounted:
    """Scores that are there and do not count, in words, with the headings of their metrics."""

    words: str
    metrics: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """How a report was made, and how it is made again.

    Attributes:
        version: of the program.
        report, packet: the command lines of the report, and of a packet that proves its figures;
            empty where a packet holds others.
        sha256: of the packet's file of figures.
        options: those that differ from the preset, with their values.
    """

    version: str
    report: str
    packet: str
    sha256: str
    preset: str
    as_of: date
    time_zone: str
    level: float
    seed: int
    options: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> Fields:
        """Give it as documents have it."""
        return asdict(self) | {"as_of": str(self.as_of), "options": dict(self.options)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What stands behind the figures of people.

    Attributes:
        differing: where people and judge differ most; metrics not to be relied on come first.
        causes: why they differ, the most frequent first.
        best, worst: by people first; where too few are labelled, by the judge.
        bare: categories with few labels or none.
    """

    measured: Measured
    origin: Origin
    differing: tuple[ToldCase, ...] = ()
    causes: tuple[CauseCount, ...] = ()
    over_time: tuple[OverTime, ...] = ()
    best: tuple[ToldCase, ...] = ()
    worst: tuple[ToldCase, ...] = ()
    bare: tuple[BareCategory, ...] = ()
    not_counted: tuple[NotCounted, ...] = ()

    def to_json(self) -> Fields:
        """Give all of it by the keys of the document."""
        return {
            "measured": self.measured.to_json(),
            "where_people_differ": _each(self.differing),
            "causes": _each(self.causes),
            "over_time": _each(self.over_time),
            "best_by_people": _each(self.best),
            "worst_by_people": _each(self.worst),
            "missing": {
                "unlabelled": self.measured.responses - self.measured.labelled,
                "categories": [asdict(x) for x in self.bare],
                "not_counted": [asdict(x) for x in self.not_counted],
            },
            "made": self.origin.to_json(),
        }


def _each(found: Sequence[ToldCase | CauseCount | OverTime]) -> list[Fields]:
    return [one.to_json() for one in found]
