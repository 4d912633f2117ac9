"""Segments: texts and their facts, what belongs to which, their figures, and what they say."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal, get_args

import numpy as np

from reviewer.domain.wording import counted, percent, plain, two, upper_first
from reviewer.scoring.language import LOOKED_AT, UNKNOWN, language_name, language_of
from reviewer.services.figures.human_columns import Ints
from reviewer.services.project.session import Session
from reviewer.stats.clustering import Quantity
from reviewer.stats.rates import RATES
from reviewer.stats.segments import SHOWN_FROM
from reviewer.store import evaluation_columns
from reviewer.store.project import Project

NO_TEXT = evaluation_columns.NO_RESPONSE
"""The length of a response that is not there."""


@dataclass(frozen=True, slots=True, eq=False)
class TextColumns:
    """What is known of the responses of n evaluations, in the order they were asked for.

    Attributes:
        lengths: Characters, `NO_TEXT` where there is no response.
        languages: Codes of ISO 639-1, `unknown` where the text gives none away.
    """

    lengths: Ints
    languages: tuple[str, ...]


def _nothing() -> None:
    """Go on."""


class TextFacts:
    """Remembers languages by evaluation and revision, so that each text is looked at once.

    One for an open project; it holds no connection and may be handed to work beside the window.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._known: dict[int, tuple[int, str]] = {}

    def read(
        self, project: Project, keys: Ints, go_on: Callable[[], None] = _nothing
    ) -> TextColumns:
        """Give lengths and languages of evaluations, by ascending keys.

        `go_on` is called now and then; it may raise to stop.
        """
        if not keys.size:
            return TextColumns(np.zeros(0, dtype=np.int64), ())
        lengths, revisions = _sizes(project, keys, go_on)
        known = dict(self._known)
        wanted = [
            key
            for key, revision, length in zip(
                keys.tolist(), revisions.tolist(), lengths.tolist(), strict=True
            )
            if length > 0 and known.get(key, _NOBODY)[0] != revision
        ]
        told = dict(zip(keys.tolist(), revisions.tolist(), strict=True))
        for block in evaluation_columns.read_beginnings(project, wanted, LOOKED_AT):
            go_on()
            for key, text in block:
                known[key] = (told[key], language_of(text))
        self._known = known
        return TextColumns(lengths, tuple(known.get(key, _NOBODY)[1] for key in keys.tolist()))


_NOBODY = (0, UNKNOWN)


def _sizes(project: Project, keys: Ints, go_on: Callable[[], None]) -> tuple[Ints, Ints]:
    found = evaluation_columns.read_sizes(project, (int(keys[0]), int(keys[-1])), go_on)
    there = np.frombuffer(found.keys, dtype=np.int64)
    lengths = np.full(keys.size, NO_TEXT, dtype=np.int64)
    revisions = np.zeros(keys.size, dtype=np.int64)
    if there.size:
        places = np.minimum(np.searchsorted(there, keys), there.size - 1)
        same = there[places] == keys
        lengths[same] = np.frombuffer(found.lengths, dtype=np.int64)[places[same]]
        revisions[same] = np.frombuffer(found.revisions, dtype=np.int64)[places[same]]
    return lengths, revisions


Dimension = Literal["category", "tag", "run", "model", "language", "length"]
TITLES: Final[dict[Dimension, str]] = {
    "category": "Category",
    "tag": "Tag",
    "run": "Run",
    "model": "Model",
    "language": "Language",
    "length": "Characters",
}
GOLD: Final = "gold"
"""The tag of evaluations with known answers, which nobody who labels may see."""
_QUARTERS: Final = (0.25, 0.5, 0.75)
NO_CHOICE: Final[dict[Dimension, str]] = {
    "category": "all evaluations are of one category or of none",
    "tag": "no evaluation has a tag",
    "run": "there is one run only",
    "model": "all evaluations are of one model or of none",
    "language": "all responses are of one language or of none that is known",
    "length": "all responses are of one length",
}


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The segments of one dimension.

    Attributes:
        names: What each segment is called.
        rows: Positions of evaluations among the keys that were asked for.
        groups: The segment of each, below the number of names; a row may occur with several.
        reason: Why there are no segments, None where there are.
    """

    dimension: Dimension
    names: tuple[str, ...]
    rows: Ints
    groups: Ints
    reason: str | None = None


def read(
    session: Session, keys: Ints, facts: TextFacts, go_on: Callable[[], None]
) -> tuple[Grouping, ...]:
    """Read the segments of evaluations, by ascending keys; call it beside the window."""
    if not keys.size:
        return tuple(_none(dimension) for dimension in TITLES)
    project = session.project
    fields = evaluation_columns.read_fields(project, (int(keys[0]), int(keys[-1])), go_on)
    there = np.frombuffer(fields.keys, dtype=np.int64)
    rows = np.searchsorted(keys, there)
    rows = np.minimum(rows, keys.size - 1)
    inside = keys[rows] == there
    places, rows = np.flatnonzero(inside), rows[inside]
    runs = evaluation_columns.run_names(project)
    texts = facts.read(project, keys, go_on)
    picked = places.tolist()
    return (
        _of(
            "category",
            rows,
            [fields.categories[at] or "without category" for at in picked],
        ),
        _tags(session, keys, go_on),
        _of("run", rows, [runs.get(fields.runs[at], "") for at in picked]),
        _of("model", rows, [fields.models[at] or "without model" for at in picked]),
        _of("language", np.arange(keys.size), [language_name(x) for x in texts.languages]),
        _lengths(texts),
    )


def _none(dimension: Dimension) -> Grouping:
    nobody = np.zeros(0, dtype=np.int64)
    return Grouping(dimension, (), nobody, nobody, NO_CHOICE[dimension])


def _of(dimension: Dimension, rows: Ints, values: Sequence[str]) -> Grouping:
    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(x, len(numbers)) for x in values], dtype=np.int64)
    if len(numbers) < 2:
        return _none(dimension)
    return Grouping(dimension, tuple(numbers), rows, groups)


def _tags(session: Session, keys: Ints, go_on: Callable[[], None]) -> Grouping:
    found, tags = evaluation_columns.read_tags(session.project, go_on)
    there = np.frombuffer(found, dtype=np.int64)
    rows = np.minimum(np.searchsorted(keys, there), keys.size - 1)
    inside = keys[rows] == there
    if session.blind:
        inside &= np.array([tag != GOLD for tag in tags], dtype=np.bool_)
    named = [tags[at] for at in np.flatnonzero(inside).tolist()]
    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(tag, len(numbers)) for tag in named], dtype=np.int64)
    if not numbers:
        return _none("tag")
    return Grouping("tag", tuple(numbers), rows[inside], groups)


def _lengths(texts: TextColumns) -> Grouping:
    """Cut responses into quarters by length; equal lengths stay together."""
    rows = np.flatnonzero(texts.lengths != NO_TEXT)
    lengths = texts.lengths[rows]
    if not lengths.size:
        return _none("length")
    edges = np.unique(np.quantile(lengths, _QUARTERS, method="inverted_cdf")).astype(np.int64)
    edges = edges[edges < lengths.max()]
    if not edges.size:
        return _none("length")
    groups = np.searchsorted(edges, lengths, side="left")
    return Grouping("length", _spans(edges.tolist()), rows, groups)


def _spans(edges: Sequence[int]) -> tuple[str, ...]:
    between = [f"{low + 1:,} – {high:,}" for low, high in pairwise(edges)]
    return (f"up to {edges[0]:,}", *between, f"over {edges[-1]:,}")


Measure = Literal["gap", "agreement", "catch"]
Counted = Literal["gap", "agreement", "catch", "judge", "people"]
"""A figure of a segment; the last two are pass rates, which are not tested."""
COUNTED: Final[dict[Counted, str]] = {
    "gap": "Mean gap",
    "agreement": "Same level",
    "catch": RATES["catch_rate"].title,
    "judge": "Judge's pass rate",
    "people": "People's pass rate",
}
MEASURES: Final[dict[Measure, str]] = {name: COUNTED[name] for name in get_args(Measure)}
FALSE_SHARE: Final = 0.05
EXACT_UP_TO: Final = 2_000
FEW: Final = f"fewer than {SHOWN_FROM}"
UNWEIGHTED: Final = (
    "Evaluations were drawn with different chances; segments are compared as they were labelled, "
    "without weights."
)


@dataclass(frozen=True, slots=True)
class Estimate(Quantity):
    """One figure of a segment.

    Attributes:
        n: Evaluations behind it, also where it is not shown; the ends are of it alone.
        all_low, all_high: Interval that holds for all figures of the screen at once.
        adjusted: The p value of its distance from the rest, adjusted for all of the screen.
        worse: Whether it is worse than the rest, whatever chance may have done.
        reason: Why there is no value or no test.
    """

    all_low: float | None = None
    all_high: float | None = None
    adjusted: float | None = None
    worse: bool = False

    @property
    def is_worse(self) -> bool:
        """Tell whether it may be called worse than the rest."""
        return self.differs and self.worse

    @property
    def differs(self) -> bool:
        """Tell whether it may be called different from the rest."""
        return self.adjusted is not None and self.adjusted <= FALSE_SHARE


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment's figures; rates of passes are given without a test."""

    dimension: Dimension
    place: int
    name: str
    evaluations: int
    gap: Estimate
    agreement: Estimate
    catch: Estimate
    judge_passes: Estimate
    people_pass: Estimate

    @property
    def title(self) -> str:
        """Name the segment with its dimension."""
        return f"{TITLES[self.dimension]} {self.name}"

    @property
    def differs(self) -> bool:
        """Tell whether any figure may be called different from the rest."""
        return self.gap.differs or self.agreement.differs or self.catch.differs

    @property
    def is_small(self) -> bool:
        """Tell whether it has too few labelled evaluations to say anything."""
        return self.labelled < SHOWN_FROM

    def of(self, figure: Counted) -> Estimate:
        """Give one figure."""
        named: dict[Counted, Estimate] = {
            "gap": self.gap,
            "agreement": self.agreement,
            "catch": self.catch,
            "judge": self.judge_passes,
            "people": self.people_pass,
        }
        return named[figure]

    @property
    def labelled(self) -> int:
        """Count the labelled evaluations."""
        return max(self.gap.n, self.agreement.n)


@dataclass(frozen=True, slots=True, eq=False)
class SegmentTable:
    """Every segment of the chosen dimensions, worst first, small ones last.

    Attributes:
        verdicts: Whose verdicts the rates are about, or why there are none.
        tested: How many figures were tested and adjusted together.
        intervals: How many intervals hold at once.
        missing: Dimensions without segments, with the reason.
    """

    metric: str
    measure: Measure
    segments: tuple[Segment, ...]
    sentence: str
    verdicts: str
    tested: int
    intervals: int
    level: float
    missing: tuple[tuple[Dimension, str], ...] = ()
    note: str | None = None

    @property
    def correction(self) -> str:
        """Say how looking at many was corrected for."""
        if not self.tested:
            return "Nothing could be tested against the rest."
        many = counted(self.tested, "figure")
        return (
            f"{many} tested against the rest; p values adjusted together (Benjamini–Hochberg), "
            f"intervals hold at {plain(100 * self.level)} % for all {self.intervals:,} at once "
            "(Bonferroni)."
        )


def sentence_of(
    segments: Sequence[Segment],
    measure: Measure,
    reason: str | None,
    missing: Sequence[tuple[Dimension, str]],
) -> str:
    """Say which segment is worst, or why nothing can be said."""
    if not segments:
        why = "; ".join(dict.fromkeys(why for _, why in missing))
        return upper_first(f"there is nothing to compare: {why}")
    if reason is not None:
        return f"{MEASURES[measure]} cannot be compared: {reason}."
    shown = [one for one in segments if one.of(measure).value is not None]
    small = len(segments) - len(shown)
    rest = f" {counted(small, 'segment')} too small to tell." if small else ""
    if not shown:
        return f"No segment has {SHOWN_FROM} evaluations to compare yet.{rest}"
    worse = [one for one in shown if one.of(measure).is_worse]
    better = sum(one.of(measure).differs for one in shown) - len(worse)
    if better:
        rest = f" {counted(better, 'segment is', 'segments are')} better than the rest.{rest}"
    if not worse:
        return (
            f"No segment is worse than the rest for sure "
            f"({counted(len(shown), 'segment')} compared); furthest: "
            f"{told(shown[0], measure)}.{rest}"
        )
    more = f" So {_are(len(worse) - 1)}." if len(worse) > 1 else ""
    return f"{told(worse[0], measure)}, worse than the rest.{more}{rest}"


def _are(many: int) -> str:
    return "is one more" if many == 1 else f"are {many:,} more"


def told(one: Segment, measure: Counted) -> str:
    """Say a segment's figure, with n and the interval that holds for all at once."""
    figure = one.of(measure)
    if figure.value is None:
        return f"{one.title}: no {COUNTED[measure].lower()} ({figure.reason}; n = {figure.n:,})"
    between = _between(figure, measure)
    if measure == "gap":
        side = "low" if figure.value > 0 else "high"
        apart = (
            f"the judge scores {two(abs(figure.value))} too {side}"
            if round(figure.value, 2)
            else "the judge scores as people do"
        )
        return f"{one.title}: {apart} (mean gap {between}, n = {figure.n:,})"
    if measure == "agreement":
        return (
            f"{one.title}: judge and people agree on {percent(figure.value)} "
            f"({between}, n = {figure.n:,})"
        )
    if measure in ("judge", "people"):
        who = "the judge passes" if measure == "judge" else "people pass"
        alone = f"{percent(figure.low or 0.0)} to {percent(figure.high or 0.0)}"
        around = "no interval" if figure.low is None or figure.high is None else alone
        return f"{one.title}: {who} {percent(figure.value)} ({around}, n = {figure.n:,})"
    return (
        f"{one.title}: the judge catches {percent(figure.value)} of "
        f"{counted(figure.n, 'failure')} ({between})"
    )


def _between(figure: Estimate, measure: Counted) -> str:
    if figure.all_low is None or figure.all_high is None:
        return "no interval"
    if measure == "gap":
        return f"{two(figure.all_low)} to {two(figure.all_high)}"
    return f"{percent(figure.all_low)} to {percent(figure.all_high)}"
