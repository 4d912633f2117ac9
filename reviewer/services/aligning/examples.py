"""Few-shot examples for a judge: responses of the dev half on which it and people differ."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.evaluation import CAUSE_TITLES, Label, Value
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.scoring.judging.prompts import shown
from reviewer.services.adjudicating.decisions import Cause, cause_of
from reviewer.services.aligning import splitting
from reviewer.services.figures.column_memory import memory_of
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import Loader, MetricTable
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.services.figures.request import covered
from reviewer.services.project.figure_rules import scale_of, scale_values
from reviewer.services.project.session import Session
from reviewer.store import deciding, figures, labels, reading, splits

UNFIT: tuple[Cause, ...] = ("human_slip", "data_broken")
"""Causes of a difference that teaches a judge nothing."""
OFFERED = 8
EQUAL = 1e-9
Shot = tuple[str, str, float | int | str, str]
"""An example as a job keeps it: query, response, score and reasoning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """A response of the dev half that could be shown to a judge.

    Attributes:
        key: Of the evaluation.
        score: What people gave.
        auto: What the judge gave.
        gap: Human minus auto; None for categories.
        reasoning: Why people gave it, in their own words; empty where nobody said.
        decided: Whether a lead decided it.
        cause: Why judge and people differ, in words; None where nobody recorded it.
    """

    key: int
    id: str
    category: str | None
    query: str
    response: str
    score: Value
    auto: Value
    gap: float | None
    reasoning: str
    decided: bool
    cause: str | None


def suggest(
    session: Session,
    metric: str,
    *,
    run: str | None = None,
    scorer: str | None = None,
    most: int = OFFERED,
    also: Sequence[int] = (),
) -> tuple[Suggestion, ...]:
    """Offer examples, in turn from each level that people gave, the most telling first.

    Nothing of the held-out half is offered, nor what shares a question or an answer with it.

    Args:
        session: The project.
        metric: What the judge is to learn.
        run: Whose responses; the newest run without one.
        scorer: NAME or NAME@VERSION of the judge to learn from; the one whose scores count.
        most: How many at most.
        also: Cases that were chosen before: offered first, whatever the judge gives them now.

    Raises:
        ReviewerError: The run, metric or scorer is not there.
    """
    splitting.ensure(session)
    found = _Dev.read(session, metric, run, scorer)
    offered: list[Suggestion] = []
    for place in dict.fromkeys((*found.places(also), *_in_turn(found))):
        if len(offered) >= max(most, len(also)):
            break
        one = found.suggestion(place)
        if one is not None:
            offered.append(one)
    return tuple(offered)


def shots(session: Session, metric: str, keys: Sequence[int]) -> tuple[Shot, ...]:
    """Give examples as a job keeps them.

    Raises:
        ReviewerError: One belongs to the held-out half, or people gave it no score.
    """
    splitting.ensure(session)
    parts = splits.parts_of(session.project.conn, keys)
    names = {number: title for number, title, _ in figures.run_places(session.project)}
    runs: dict[int, _Dev] = {}
    made = []
    for key in keys:
        run, name, _ = session.place(key)
        if parts.get(key) != "dev" or splits.shares_a_text(session.project.conn, key):
            raise ReviewerError(
                f"{name} cannot be an example: only labelled responses that are not held out can."
            )
        if run not in runs:
            runs[run] = _Dev.read(session, metric, names[run], None)
        dev = runs[run]
        place = int(np.searchsorted(dev.keys, key))
        found = dev.suggestion(place) if dev.has(place, key) else None
        if found is None:
            raise ReviewerError(f"{name} cannot be an example: people gave no common score.")
        made.append((found.query, found.response, found.score, found.reasoning))
    return tuple(made)


@dataclass(frozen=True, slots=True, eq=False)
class _Dev:
    """The dev half of a run on one metric."""

    session: Session
    table: MetricTable
    keys: Ints
    causes: dict[int, tuple[Cause, str]]

    @classmethod
    def read(cls, session: Session, metric: str, run: str | None, scorer: str | None) -> "_Dev":
        project = session.project
        names = session.run_names()
        scope = Scope(
            runs=(run,) if run else names[-1:],
            metrics=(metric,),
            scorer=scorer,
            filter="part:dev",
            window_months=None,
        )
        covers = covered(project, scope)
        with figures.snapshot(project):
            table = Loader(project, memory_of(session)).load(
                scope,
                rubric=covers.rubric,
                within=covers.within,
                options=kept_options(project, covers.rubric),
            )
            number = figures.metric_keys(project).get(metric, -1)
            causes = {}
            for entry in deciding.causes(project.conn, number):
                cause = cause_of(entry.mark.value)
                if cause is not None:
                    causes[entry.mark.evaluation] = (cause, entry.mark.note or "")
        return cls(session, table.metrics[metric], table.keys, causes)

    def places(self, keys: Sequence[int]) -> list[int]:
        """Give where evaluations stand that are in this half and have a common score."""
        wanted = [(int(np.searchsorted(self.keys, key)), key) for key in keys]
        return [place for place, key in wanted if self.has(place, key)]

    def has(self, place: int, key: int) -> bool:
        """Tell whether an evaluation stands at a place and people agree on its score."""
        there = place < self.keys.size and int(self.keys[place]) == key
        return there and bool(np.isfinite(self.table.human.majority[place]))

    def gaps(self) -> Floats:
        """Give what people say on the whole minus auto; for categories 1 where they differ."""
        human = self.table.human
        if not self.table.metric.is_numeric:
            differ = np.where(human.majority == self.table.auto, 0.0, 1.0)
            return np.where(np.isfinite(human.majority + self.table.auto), differ, np.nan)
        return np.asarray(human.majority - self.table.auto)

    def suggestion(self, place: int) -> Suggestion | None:
        """Read one; None where its texts are those of a held-out evaluation or are gone."""
        key, table, conn = int(self.keys[place]), self.table, self.session.project.conn
        evaluation = reading.evaluation(conn, key)
        if evaluation is None or splits.shares_a_text(conn, key):
            return None
        query, response = shown(evaluation)
        score = _value(table.metric, float(table.human.majority[place]))
        entries = [
            x.label
            for x in labels.current(conn, key)
            if x.label.metric == table.metric.name and x.label.turn is None and x.label.counts
        ]
        cause, note = self.causes.get(key, (None, ""))
        auto, gap = float(table.auto[place]), float(self.gaps()[place])
        return Suggestion(
            key=key,
            id=evaluation.id,
            category=evaluation.category,
            query=query,
            response=response,
            score=score,
            auto=_value(table.metric, auto) if np.isfinite(auto) else "—",
            gap=gap if table.metric.is_numeric and np.isfinite(gap) else None,
            reasoning=_reasoning(entries, score, note),
            decided=any(x.kind == "adjudication" for x in entries),
            cause=CAUSE_TITLES[cause] if cause else None,
        )


def _in_turn(dev: _Dev) -> Iterable[int]:
    """Give places of disagreements: one of each level that people gave, then the next of each."""
    gaps = dev.gaps()
    conn = dev.session.project.conn
    number = figures.metric_keys(dev.session.project).get(dev.table.metric.name, -1)
    decided = set(deciding.decisions(conn, number))
    explained = (
        decided
        | set(splits.commented(conn, number))
        | {key for key, (_, note) in dev.causes.items() if note}
    )

    def rank(place: int) -> tuple[bool, float, bool, int]:
        key = int(dev.keys[place])
        return (key not in decided, -abs(float(gaps[place])), key not in explained, key)

    levels: dict[float, list[int]] = defaultdict(list)
    for place in np.flatnonzero(np.abs(np.nan_to_num(gaps)) > EQUAL).tolist():
        cause = dev.causes.get(int(dev.keys[place]))
        if cause is None or cause[0] not in UNFIT:
            levels[float(dev.table.human.majority[place])].append(place)
    lanes = [sorted(places, key=rank) for _, places in sorted(levels.items())]
    lanes.sort(key=lambda lane: rank(lane[0]))
    for turn in range(max((len(lane) for lane in lanes), default=0)):
        for lane in lanes:
            if turn < len(lane):
                yield lane[turn]


def _value(metric: Metric, number: float) -> float | int | str:
    """Write a score as the rubric does."""
    if not metric.is_numeric:
        return str(metric.values[int(number)])
    scale = scale_of(metric)
    if scale is not None:
        values = scale_values(metric)
        place = int(np.argmin([abs(x - number) for x in scale.values]))
        if abs(scale.values[place] - number) < EQUAL:
            written = values[place]
            return int(written) if isinstance(written, bool) else written
    return int(number) if number == int(number) else round(number, 3)


def _reasoning(entries: Sequence[Label], score: Value, note: str) -> str:
    """Join what people wrote who gave this score: the decision first, then the cause's note."""
    given = [x for x in entries if x.value == score]
    said = [x.comment for x in given if x.kind == "adjudication"]
    said.append(note)
    said.extend(x.comment for x in given if x.kind != "adjudication")
    words = Counter(text.strip() for text in said if text and text.strip())
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in words)
