"""What the window shows of two sides and more: quick figures first, the rest as it is read.

In the window A is the run in view and B the one that it is held against: B is before, A is after.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from reviewer.domain.errors import LabelError, Progress, ReviewerError
from reviewer.domain.evaluation import Evaluation, Score
from reviewer.services.audits.auditing import seen_of
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Comparison, Side, SideColumns
from reviewer.services.figures import run_records
from reviewer.services.figures.human_columns import Flags
from reviewer.services.project import reading as view
from reviewer.services.project.session import Session
from reviewer.store import figures, reading

ALONE = (
    "There is nothing to hold {run} against: it is the only run, and one judge scored it. Import "
    "or make another run, or judge this one again."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which sides are asked for.

    Attributes:
        a, b: The sides; without a run in `b` another judge on A's own run is taken.
        also: Further sides that A is held against.
    """

    a: Side
    b: Side
    also: tuple[Side, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SideBySide:
    """Sides compared.

    Attributes:
        found: B before, A after.
        also: Further sides before, A after.
        scorers: By run, everything that scored it, the chosen first.
        judged: Whose scores count on the side before and after, and on how many.
        seen: Which of the shared cases the active labeler may see on both sides.
    """

    found: Comparison
    also: tuple[Comparison, ...]
    scorers: Mapping[str, tuple[str, ...]]
    judged: tuple[str, str]
    seen: Flags

    def seen_among(self, keys: tuple[int, ...]) -> list[int]:
        """Leave out what the active labeler may not see yet."""
        wanted = np.array(keys, dtype=np.int64)
        places = np.searchsorted(self.found.keys[1], wanted)
        return [int(key) for key in wanted[self.seen[places]]]

    def before(self, key: int) -> int:
        """Give the evaluation of B that answers the same case as one of A."""
        before, after = self.found.keys
        return int(before[int(after.searchsorted(key))])


@dataclass(frozen=True, slots=True)
class SideOfCase:
    """One side of a case.

    Attributes:
        scores: By metric title, the score in words.
        reasoning: Of the metric in view.
    """

    title: str
    id: str
    response: str
    scores: Mapping[str, str] = field(default_factory=dict)
    reasoning: str = ""


@dataclass(frozen=True, slots=True)
class CaseOnBoth:
    """A case with the answers of both sides."""

    question: str
    b: SideOfCase
    a: SideOfCase


def read(session: Session, wanted: Wanted, progress: Progress) -> SideBySide:
    """Compare sides by their scores; `with_judge` and `with_operations` add the rest.

    Raises:
        ReviewerError: Something is not there, or there is nothing to compare with.
        CancelledError: Nobody waits for it any more.
    """
    reader = comparing.seen_by(session, progress)
    with figures.snapshot(session.project):
        first = reader.read(wanted.a)
        scorers = {wanted.a.run: scorers_of(first)}
        b = wanted.b if wanted.b.run else _another(wanted.a, scorers[wanted.a.run])
        found = comparing.figured(reader, b, wanted.a)
        also = tuple(
            comparing.figured(reader, side, wanted.a)
            for side in wanted.also
            if side not in (wanted.a, b)
        )
        for side in (b, *wanted.also):
            scorers.setdefault(side.run, scorers_of(reader.read(side)))
        before, after = (seen_of(session, keys) for keys in found.keys)
        judged = judged_by(reader.read(b)), judged_by(first)
    return SideBySide(found=found, also=also, scorers=scorers, judged=judged, seen=before & after)


def with_judge(session: Session, found: Comparison, progress: Progress) -> Comparison:
    """Add how much of each change is the judge, and what lags behind."""
    with figures.snapshot(session.project):
        return comparing.split(comparing.seen_by(session, progress), found)


def with_operations(session: Session, found: Comparison, progress: Progress) -> Comparison:
    """Add latency, cost, cache and templates of both sides."""
    with figures.snapshot(session.project):
        return comparing.operated(comparing.seen_by(session, progress), found)


def scorers_of(side: SideColumns) -> tuple[str, ...]:
    """Give everything that scored a side's run, the chosen first."""
    every = side.table.metrics.values()
    chosen = (x.scorer for x in every if x.scorer)
    return tuple(dict.fromkeys((*chosen, *(name for x in every for name in x.other_scorers))))


def judged_by(side: SideColumns) -> str:
    """Say whose scores of a side count and on how many, empty where nothing scored it."""
    scored = [
        (table.metric.heading, one)
        for table in side.table.metrics.values()
        for one in table.records
        if one.is_scored
    ]
    return run_records.together(scored)


def on_both(session: Session, shown: SideBySide, key: int, metric: str | None) -> CaseOnBoth:
    """Read a case on both sides as far as the active labeler may see it.

    Raises:
        LabelError: An evaluation is gone, or hidden until the labeler has answered it.
    """
    if not shown.seen_among((key,)):
        raise LabelError("This response is hidden until you have answered it.")
    conn = session.project.conn
    before, after = (reading.evaluation(conn, x) for x in (shown.before(key), key))
    if before is None or after is None:
        raise LabelError("This response is gone; its import may have been undone.")
    found = shown.found
    before_scorers = {name: pair.before_scorer for name, pair in found.metrics.items()}
    after_scorers = {name: pair.after_scorer for name, pair in found.metrics.items()}
    titles = {name: pair.metric.heading for name, pair in found.metrics.items()}

    def side(one: Side, evaluation: Evaluation, scorers: Mapping[str, str | None]) -> SideOfCase:
        scores = {
            name: view.counted(session, evaluation.key, name, scorer)
            for name, scorer in scorers.items()
        }
        in_view = scores.get(metric or "")
        return SideOfCase(
            title=one.title,
            id=evaluation.id,
            response=evaluation.answer,
            scores={
                titles[name]: _words(score)
                for name, score in scores.items()
                if metric is None or name == metric
            },
            reasoning=(in_view.reasoning or "") if in_view is not None else "",
        )

    return CaseOnBoth(
        question=after.title,
        b=side(found.before, before, before_scorers),
        a=side(found.after, after, after_scorers),
    )


def _words(score: Score | None) -> str:
    if score is None or score.value is None:
        return "—"
    return f"{score.value:g}" if isinstance(score.value, int | float) else score.value


def _another(a: Side, scorers: tuple[str, ...]) -> Side:
    """Take another judge on the same run where there is no other run."""
    others = [name for name in scorers if name != a.scorer]
    if len(scorers) < 2 or not others:
        raise ReviewerError(ALONE.format(run=a.run))
    return Side(a.run, others[-1] if a.scorer is None else others[0])
