"""Auto scores and labels as they were read last, for whoever reads many scopes of one project."""

from dataclasses import dataclass, field

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.scope import DateBasis, Scope
from reviewer.services.human_columns import Flags, Floats, Ints, numbers
from reviewer.store import figures, run_details, watching
from reviewer.store.figures import LabelColumns
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


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


@dataclass(slots=True)
class ColumnMemory:
    """What was read of a project; read anew where the file has moved on since.

    It may be used from several threads: what it hands out is never changed.
    """

    _content: tuple[object, ...] = ()
    _seq: int = -1
    _scores: dict[tuple[object, ...], ScoreColumn] = field(default_factory=dict)
    _labels: dict[bool, LabelColumns] = field(default_factory=dict)
    _sets: dict[tuple[int, Condition], list[int]] = field(default_factory=dict)
    _evaluations: tuple[tuple[Condition, DateBasis], tuple[Ints, Ints]] | None = None
    _categories: tuple[str, ...] | None = None

    def begin(self, project: Project) -> None:
        """Forget what is no longer true; call it inside a snapshot, before anything else."""
        sight = watching.look(project)
        if sight.content != self._content:
            self._content, self._scores, self._sets = sight.content, {}, {}
            self._categories, self._seq = None, -1
        if sight.seq != self._seq:
            self._seq, self._labels, self._evaluations = sight.seq, {}, None

    def evaluations(
        self, project: Project, within: Condition, basis: DateBasis = "evaluation"
    ) -> tuple[Ints, Ints]:
        """Give keys and dates of the evaluations within a condition, as of the snapshot."""
        known = self._evaluations
        if known is None or known[0] != (within, basis):
            found = figures.read_evaluations(project, within)
            dates = found.dates
            if basis == "chat":
                dates = figures.read_chat_dates(project, within)
            columns = (np.frombuffer(found.keys, dtype=np.int64), np.frombuffer(dates, np.int64))
            known = self._evaluations = ((within, basis), columns)
        return known[1]

    def scores(self, project: Project, metric: Metric, number: int, chosen: int) -> ScoreColumn:
        """Give the scores of a metric, by the metric's and the scorer version's keys."""
        key = (number, chosen, metric.scale, metric.values)
        known, found = self._scores, self._scores.get(key)
        if found is None:
            found = known[key] = read_scores(project, metric, number, chosen)
        return found

    def labels(self, project: Project, scope: Scope) -> LabelColumns:
        """Give the entries that count in a scope, as `figures.read_labels` does."""
        wanted = figures.labeler_keys(project, scope.labelers)
        known, found = self._labels, self._labels.get(scope.blind_only)
        if found is None:
            found = figures.read_labels(project, Scope(blind_only=scope.blind_only))
            known[scope.blind_only] = found
        if wanted or not scope.decisions:
            return _given(found, wanted)
        return found

    def sets(self, project: Project, number: int, within: Condition) -> list[int]:
        """Give the score sets of a metric, as `figures.score_sets_in_use` does."""
        known, key = self._sets, (number, within)
        if key not in known:
            known[key] = figures.score_sets_in_use(project, number, within)
        return known[key]

    @property
    def known_categories(self) -> tuple[str, ...]:
        """Give the categories as far as they were read."""
        return self._categories or ()

    def categories(self, project: Project) -> tuple[str, ...]:
        """Give every category of the project."""
        found = self._categories
        if found is None:
            found = self._categories = tuple(run_details.all_categories(project))
        return found


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


def _given(labels: LabelColumns, wanted: frozenset[int]) -> LabelColumns:
    """Keep labels, all or those of some people, and no decision."""
    kept = np.frombuffer(labels.adjudicated, dtype=np.int8) == 0
    if wanted:
        kept &= np.isin(np.frombuffer(labels.labelers, dtype=np.int64), list(wanted))
    rows = np.flatnonzero(kept).tolist()
    some = LabelColumns()
    for name in LabelColumns.__annotations__:
        whole, part = getattr(labels, name), getattr(some, name)
        part.extend(whole[row] for row in rows)
    return some
