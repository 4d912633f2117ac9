"""The human side of every metric of a scope: which entries count, and what they make together."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.services.figures import human_columns
from reviewer.services.figures.column_memory import places_of
from reviewer.services.figures.human_columns import (
    Entries,
    Flags,
    HumanColumns,
    Ints,
    LabelArrays,
    People,
)
from reviewer.services.figures.selection import Selection, selection_of
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.consensus import Votes, dawid_skene, why_not_weighed
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.pairs import places
from reviewer.stats.reasons import NO_LEVELS
from reviewer.stats.values import Scale
from reviewer.store import figures, labelers
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class HeldBack:
    """One labeler's answers on some evaluations, which count in no figure yet."""

    labeler: int
    evaluations: Ints


def held_back(project: Project, name: str) -> HeldBack | None:
    """Give what a labeler's own answers are held back on; None for somebody without a row."""
    person = labelers.find(project.conn, name)
    if person is None:
        return None
    hidden = figures.hidden_from(project, person.key)
    return HeldBack(person.key, np.frombuffer(hidden, dtype=np.int64))


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
    votes = Votes(
        np.asarray(item, dtype=np.intp),
        np.asarray(labeler, dtype=np.intp),
        np.asarray(at[kept], dtype=np.intp),
        int(items.size),
        int(labelers.size),
        len(scale.values),
    )
    return votes, items
