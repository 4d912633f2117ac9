"""Auto scores and labels as they were read last, for whoever reads many scopes of one project.

The human side of every metric is made of them: which entries count, and what they make together.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import TypeVar

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope
from reviewer.services.figures import human_columns
from reviewer.services.figures.human_columns import (
    Entries,
    Flags,
    Floats,
    HumanColumns,
    Ints,
    LabelArrays,
    People,
    numbers,
)
from reviewer.services.figures.selection import Selection, selection_of
from reviewer.services.project.figure_rules import scale_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import Hidden, hidden_now
from reviewer.stats.consensus import Votes, dawid_skene, why_not_weighed
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS
from reviewer.stats.values import Scale
from reviewer.store import exclusions, figures, labelers, run_details, tags, watching
from reviewer.store.figures import LabelColumns
from reviewer.store.project import Project
from reviewer.store.scoping import Condition

SCOPES = 8
"""Scopes whose evaluations are kept."""
FEW = 100
"""Evaluations with newer labels that are read one by one."""
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumn:
    """Every score of one metric by one scorer version; keys ascend."""

    keys: Ints
    values: Floats

    def at(self, keys: Ints) -> Floats:
        """Give the scores of evaluations, NaN where there is none."""
        if self.keys.size == keys.size and np.array_equal(self.keys, keys):
            return self.values
        found = np.full(keys.size, np.nan)
        places, inside = places_of(self.keys, keys)
        found[inside] = self.values[places[inside]]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class EvaluationKeys:
    """The evaluations of a scope; keys ascend, and dates are their own, whatever scored them.

    Attributes:
        runs: The keys of each run's evaluations by the run's key.
    """

    keys: Ints
    dates: Ints
    runs: dict[int, Ints]

    def among(self, wanted: Ints) -> "EvaluationKeys":
        """Give those of the evaluations that are wanted."""
        there = np.isin(self.keys, wanted)
        runs = {run: keys[np.isin(keys, wanted)] for run, keys in self.runs.items()}
        return EvaluationKeys(self.keys[there], self.dates[there], runs)


@dataclass(slots=True)
class ColumnMemory:
    """What was read of a project, for as long as it is open.

    It may be used from several threads: what it hands out is never changed, and every column is
    kept with the state of the file that it was read from.
    """

    scores: dict[tuple[Hashable, ...], ScoreColumn] = field(default_factory=dict)
    dates: dict[tuple[Hashable, ...], tuple[Ints, Ints]] = field(default_factory=dict)
    sets: dict[Hashable, list[int]] = field(default_factory=dict)
    evaluations: dict[Hashable, EvaluationKeys] = field(default_factory=dict)
    labels: dict[bool, tuple[Hashable, int, LabelColumns]] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def look(self, project: Project) -> "Columns":
        """Give the columns as of the snapshot that the project is read in."""
        sight = watching.look(project)
        running = figures.running_score_sets(project)
        return Columns(project, self, (*sight.content, running), sight.seq, running)


def memory_of(session: Session) -> ColumnMemory:
    """Give the memory that is kept beside an open session, made at the first call."""
    found = session.kept.setdefault("columns", ColumnMemory())
    return found if isinstance(found, ColumnMemory) else ColumnMemory()


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one state of the file; what the memory knows is not read again.

    Attributes:
        content: What changes with every import, score set and hidden evaluation.
        seq: The newest number of the order of changes.
        running: Score sets that are still being filled; their scores are never kept.
    """

    project: Project
    memory: ColumnMemory
    content: Hashable
    seq: int
    running: frozenset[int]

    def evaluations(self, scope: Scope, within: Condition) -> EvaluationKeys:
        """Give the evaluations of a scope; `within` is its condition."""
        moving = bool(scope.filter or scope.tags)
        since = self.seq if moving else exclusions.stamp(self.project.conn)
        key = (self.content, since, within, scope.dates)
        found = self.memory.evaluations.get(key)
        if found is None:
            columns = figures.read_evaluations(self.project, within)
            dates = columns.dates
            if scope.dates == "chat":
                dates = figures.read_chat_dates(self.project, within)
            found = EvaluationKeys(
                np.frombuffer(columns.keys, np.int64),
                np.frombuffer(dates, np.int64),
                {run: np.frombuffer(mine, np.int64) for run, mine in columns.runs.items()},
            )
            self.memory.evaluations = _newest(self.memory.evaluations, SCOPES) | {key: found}
        return found

    def scores(self, metric: Metric, number: int, chosen: int) -> ScoreColumn:
        """Give the scores of a metric, by the metric's and the scorer version's keys."""
        if chosen in self.running:
            return read_scores(self.project, metric, number, chosen)
        key = (self.content, number, chosen, metric.scale, metric.values)
        found = self.memory.scores.get(key)
        if found is None:
            found = read_scores(self.project, metric, number, chosen)
            true = {x: one for x, one in self.memory.scores.items() if x[0] == self.content}
            self.memory.scores = true | {key: found}
        return found

    def score_dates(self, number: int, chosen: int) -> tuple[Ints, Ints]:
        """Give which evaluations' scores of a version bear a time, ascending, and these times."""
        key = (self.content, number, chosen)
        found = None if chosen in self.running else self.memory.dates.get(key)
        if found is None:
            keys, times = figures.read_score_dates(self.project, number, chosen)
            found = np.frombuffer(keys, np.int64), np.frombuffer(times, np.int64)
            true = {x: one for x, one in self.memory.dates.items() if x[0] == self.content}
            self.memory.dates = true | {key: found}
        return found

    def labels(self, scope: Scope) -> LabelColumns:
        """Give the entries that count in a scope, as `figures.read_labels` does."""
        wanted = figures.labeler_keys(self.project, scope.labelers)
        known = self.memory.labels.get(scope.blind_only)
        found = None if known is None else self._caught_up(*known, blind_only=scope.blind_only)
        if found is None:
            found = figures.read_labels(self.project, Scope(blind_only=scope.blind_only))
        self.memory.labels[scope.blind_only] = (self.content, self.seq, found)
        return _given(found, wanted) if wanted or not scope.decisions else found

    def sets(self, number: int) -> list[int]:
        """Give the score sets that scored a metric anywhere, in the order of their making."""
        key: Hashable = (self.content, number)
        if key not in self.memory.sets or self.running:
            found = figures.score_sets_present(self.project, number)
            self.memory.sets = _newest(self.memory.sets, SCOPES * 16) | {key: found}
        return self.memory.sets[key]

    def names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Read every category and every tag of the project."""
        memory = self.memory
        memory.categories = tuple(run_details.all_categories(self.project))
        memory.tags = tuple(name for name, _ in tags.every(self.project.conn))
        return memory.categories, memory.tags

    def _caught_up(
        self, content: Hashable, seq: int, labels: LabelColumns, *, blind_only: bool
    ) -> LabelColumns | None:
        """Bring earlier labels up to date where few changed; None where reading is better."""
        if content != self.content or seq > self.seq:
            return None
        if seq == self.seq:
            return labels
        touched = figures.touched_since(self.project, seq, FEW + 1)
        if len(touched) > FEW:
            return None
        kept = ~np.isin(np.frombuffer(labels.evaluations, dtype=np.int64), touched)
        found = _rows(labels, kept)
        for key in touched:
            every: frozenset[int] = frozenset()
            figures.extend(
                found,
                figures.read_labels_of(self.project, key, every, blind_only=blind_only),
            )
        return found


def _newest(known: dict[Hashable, _Kept], most: int) -> dict[Hashable, _Kept]:
    return dict(list(known.items())[-most:])


def read_scores(project: Project, metric: Metric, number: int, chosen: int) -> ScoreColumn:
    """Read the scores of a metric."""
    keys: list[Ints] = [np.zeros(0, dtype=np.int64)]
    values: list[Floats] = [np.zeros(0)]
    for some, counts, mine in figures.read_scores(project, number, chosen):
        keys.append(np.fromstring(mine, dtype=np.int64, sep=","))
        values.append(np.repeat(numbers(metric, some), counts))
    every = np.concatenate(keys)
    order = np.argsort(every, kind="stable")
    return ScoreColumn(every[order], np.concatenate(values)[order])


def places_of(keys: Ints, wanted: Ints) -> tuple[Ints, Flags]:
    """Find the positions of wanted keys among ascending keys, and which are there at all."""
    if not keys.size:
        return np.zeros(wanted.size, dtype=np.int64), np.zeros(wanted.size, dtype=np.bool_)
    places = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return places, keys[places] == wanted


def conversations(project: Project, keys: Ints) -> Ints | None:
    """Number the conversations of evaluations, None where no two share one."""
    named, names = figures.read_clusters(project)
    places, inside = places_of(keys, np.frombuffer(named, dtype=np.int64))
    _, codes = np.unique(np.array(names, dtype=np.str_)[inside], return_inverse=True)
    if codes.size == np.unique(codes).size:
        return None
    numbered: Ints = np.arange(keys.size, dtype=np.int64) + int(codes.max()) + 1
    numbered[places[inside]] = codes
    return numbered


def _given(labels: LabelColumns, wanted: frozenset[int]) -> LabelColumns:
    """Keep labels, all or those of some people, and no decision."""
    kept = np.frombuffer(labels.adjudicated, dtype=np.int8) == 0
    if wanted:
        kept &= np.isin(np.frombuffer(labels.labelers, dtype=np.int64), list(wanted))
    return _rows(labels, kept)


def _rows(labels: LabelColumns, kept: Flags) -> LabelColumns:
    some = LabelColumns()
    flags = kept.tolist()
    for name in LabelColumns.__annotations__:
        getattr(some, name).extend(compress(getattr(labels, name), flags))
    return some


@dataclass(frozen=True, slots=True)
class HeldBack:
    """One labeler's answers on some evaluations, which count in no figure yet."""

    labeler: int
    evaluations: Ints


def held_back(project: Project, hidden: Hidden) -> HeldBack | None:
    """Give what a labeler's own answers are held back on; None where nothing is."""
    person = None if hidden.nothing else labelers.find(project.conn, hidden.labeler)
    if person is None:
        return None
    return HeldBack(person.key, np.array(hidden.begun(project), dtype=np.int64))


def held_now(session: Session) -> HeldBack | None:
    """Give what is held back from the active labeler; None where nothing is hidden."""
    return held_back(session.project, hidden_now(session))


@dataclass(frozen=True, slots=True)
class PeopleSide:
    """What people say of one metric.

    Attributes:
        human: The human scores.
        people: Single labels, for people among themselves.
        held_back: How many answers were left out because their evaluations are still hidden.
        not_weighed: Why the scores are means although their consensus was asked for.
    """

    human: HumanColumns
    people: People
    held_back: int = 0
    not_weighed: str | None = None


class PeopleColumns:
    """Makes the human side of one metric after the other.

    Attributes:
        held: Answers left out by evaluation and metric, since nobody may see their figures yet.
    """

    def __init__(
        self,
        keys: Ints,
        labels: figures.LabelColumns,
        held: HeldBack | None,
        options: DeviationOptions,
    ) -> None:
        """Take the entries of all metrics, and the evaluations (ascending keys) to place them."""
        self._size = keys.size
        self._combine = options.label_combine
        self._of_metric = np.frombuffer(labels.metrics, dtype=np.int64)
        evaluations = np.frombuffer(labels.evaluations, dtype=np.int64)
        self._positions, inside = places_of(keys, evaluations)
        self._held = np.zeros(inside.size, dtype=np.bool_)
        if held is not None:
            mine = np.frombuffer(labels.labelers, dtype=np.int64) == held.labeler
            given = np.frombuffer(labels.adjudicated, dtype=np.int8) == 0
            self._held = inside & mine & given & np.isin(evaluations, held.evaluations)
        self._counted = inside & ~self._held
        self._arrays = LabelArrays(labels, np.flatnonzero(self._counted))
        self.held: dict[int, Counter[str]] = {}

    def selection(self, metrics: Sequence[int]) -> Selection:
        """Give how the evaluations were chosen whose labels on some metrics count."""
        rows = np.flatnonzero(self._counted & np.isin(self._of_metric, metrics))
        ways, drawn = self._arrays.ways(rows), self._arrays.drawn[rows]
        return selection_of(self._size, self._positions[rows], ways, drawn)

    def of(self, metric: Metric, number: int, inside: Flags | None = None) -> PeopleSide:
        """Combine the entries of a metric, by the metric's key, of all evaluations or of some."""
        own = self._of_metric == number
        if inside is not None and inside.size:
            own &= inside[self._positions]
        for evaluation in self._arrays.evaluations[own & self._held].tolist():
            self.held.setdefault(evaluation, Counter())[metric.name] += 1
        rows = np.flatnonzero(own & self._counted)
        entries = Entries(metric, self._arrays, rows, self._positions[rows])
        people, why = entries.people(), None
        if self._combine == "consensus":
            human = entries.human(self._size, "mean")
            human, why = by_consensus(human, people, metric, entries.decided())
        else:
            human = entries.human(self._size, self._combine)
        return PeopleSide(human, people, int((own & self._held).sum()), why)


NOBODY = PeopleSide(human_columns.NOBODY, human_columns.NO_PEOPLE)
"""The human side of no evaluation."""


def by_consensus(
    human: HumanColumns, people: People, metric: Metric, decided: Ints
) -> tuple[HumanColumns, str | None]:
    """Put the consensus after Dawid and Skene in place of the mean; decisions stay.

    Where several values are equally probable the mean stays as well.

    Returns:
        The columns, and why they are unchanged, None where they are not.
    """
    scale = scale_of(metric)
    if scale is None:
        return human, NO_LEVELS
    votes, items = votes_of(people, scale)
    why = why_not_weighed(votes)
    if why is not None:
        return human, why
    found = dawid_skene(votes).consensus.values
    settled = np.array([value is not None for value in found], dtype=np.bool_)
    settled &= ~np.isin(items, decided)
    values = np.array([scale.values[value or 0] for value in found], dtype=np.float64)
    score = human.score.copy()
    score[items[settled]] = values[settled]
    return replace(human, score=score), None


def votes_of(people: People, scale: Scale) -> tuple[Votes, Ints]:
    """Give single labels on the scale as votes, and the position of each item voted on."""
    at, off = places(people.values, scale)
    kept = ~(off | people.averaged)
    items, item = np.unique(people.positions[kept], return_inverse=True)
    labelers, labeler = np.unique(people.labelers[kept], return_inverse=True)
    return Votes(
        np.asarray(item, dtype=np.intp),
        np.asarray(labeler, dtype=np.intp),
        np.asarray(at[kept], dtype=np.intp),
        int(items.size),
        int(labelers.size),
        len(scale.values),
    ), items
