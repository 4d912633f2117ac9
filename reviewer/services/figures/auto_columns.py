"""The auto scores that count, as columns: in each run those of the scorer version of record."""

from dataclasses import dataclass, replace

import numpy as np

from reviewer.domain.errors import ReviewerError
from reviewer.domain.rubric import Metric
from reviewer.domain.run import Scope, ScorerVersion
from reviewer.services.figures.column_memory import Columns, EvaluationKeys, places_of
from reviewer.services.figures.human_columns import Floats, Ints
from reviewer.store import figures, of_record
from reviewer.store.of_record import fitting, meant

NO_WHOLE_SET = "no whole set of scores yet"
TAKEN_BACK = "the scores of the version of record were taken back; name another one"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Whose scores count for a metric in a run.

    Attributes:
        run: The run's name.
        version: The scorer version, None where none counts.
        n: Evaluations in scope that it scored.
        of: Evaluations in scope.
        by: Who named it, None where the first import or job fixed it.
        at: When that was.
        with_repeats: Whether what it says again counts too.
        is_of_record: False where a filter chose it.
        not_counted: Other versions that scored in scope, each with how many it scored.
    """

    run: str
    version: ScorerVersion | None
    n: int
    of: int
    by: str | None = None
    at: str | None = None
    with_repeats: bool = False
    is_of_record: bool = True
    not_counted: tuple[tuple[ScorerVersion, int], ...] = ()

    def by_set(self, key: int) -> "RunRecord":
        """Let another version that scored in scope count instead, if it did."""
        found = {version.key: (version, n) for version, n in self.not_counted}
        chosen = found.pop(key, None)
        if chosen is None:
            return self
        before = () if self.version is None else ((self.version, self.n),)
        return replace(
            self,
            version=chosen[0],
            n=chosen[1],
            by=None,
            at=None,
            is_of_record=False,
            not_counted=(*before, *found.values()),
        )

    @property
    def is_scored(self) -> bool:
        """Tell whether anything scored the metric there, or may count."""
        return self.version is not None or bool(self.not_counted)

    @property
    def reason(self) -> str | None:
        """Say why nothing counts although something was scored, None where something does."""
        if self.n or not self.not_counted:
            return None
        return NO_WHOLE_SET if self.version is None else TAKEN_BACK


@dataclass(frozen=True, slots=True)
class AutoColumn:
    """One metric's scores that count over a scope, NaN where there is none.

    Attributes:
        score_set: The one that counts in every run; None where they differ or there is none.
        others: Names of versions that scored in scope and do not count.
    """

    values: Floats
    dates: Ints
    scorer: str | None
    score_set: int | None
    others: tuple[str, ...]
    records: tuple[RunRecord, ...]


class AutoScores:
    """Reads the auto scores of one metric after the other."""

    def __init__(self, columns: Columns, scope: Scope, found: EvaluationKeys) -> None:
        """Look up which versions there are, and which count."""
        project = columns.project
        self.metric_keys = figures.metric_keys(project)
        self._columns = columns
        self._scope = scope
        self._found = found
        self._versions = {x.key: x for x in figures.scorer_versions(project)}
        self._records = of_record.every(project.conn)
        names = {key: name_version for key, name_version, _ in figures.run_places(project)}
        self._runs = {key: names[key] for key in sorted(found.runs)}
        keys = found.keys
        self._places: dict[int, Ints | slice] = {
            run: slice(None) if mine.size == keys.size else places_of(keys, mine)[0]
            for run, mine in found.runs.items()
        }

    def read(self, metric: Metric, number: int) -> AutoColumn:
        """Read the scores of a metric by the project's own number of it.

        Raises:
            ReviewerError: The scope's scorer names several versions.
        """
        keys = self._found.keys
        columns = {
            x: self._columns.scores(metric, number, x).at(keys) for x in self._columns.sets(number)
        }
        named = self._named(columns)
        records = tuple(self._of_run(run, number, columns, named) for run in self._runs)
        chosen = {x.version.key for x in records if x.version is not None}
        counting = {x.version.key for x in records if x.version is not None and x.n} or chosen
        values, dates = np.full(keys.size, np.nan), self._found.dates
        for run, record in zip(self._runs, records, strict=True):
            if record.version is not None and record.n:
                place, column = self._places[run], columns[record.version.key]
                if isinstance(place, slice):
                    values = column
                else:
                    values[place] = column[place]
                dates = self._dated(dates, number, record.version.key, run)
        only = next(iter(counting)) if len(counting) == 1 else None
        others = {x.key: x.name for record in records for x, _ in record.not_counted}
        return AutoColumn(
            values=values,
            dates=dates,
            scorer=None if only is None else self._versions[only].name,
            score_set=only,
            others=tuple(
                name_version for key, name_version in sorted(others.items()) if key != only
            ),
            records=records,
        )

    def check_scorer(self) -> None:
        """Hold the scope's scorer to those that are there.

        Raises:
            ReviewerError: There is none of that name.
        """
        wanted = self._scope.scorer
        if wanted is not None and not any(x.is_called(wanted) for x in self._versions.values()):
            there = ", ".join(sorted({x.name for x in self._versions.values()})) or "none"
            raise ReviewerError(
                f"There is no scorer {wanted!r} in this project; there are: {there}."
            )

    def _named(self, columns: dict[int, Floats]) -> list[int] | None:
        """Give which of the sets that scored in scope the scope's scorer means."""
        if self._scope.scorer is None:
            return None
        used = [x for x, one in columns.items() if np.isfinite(one).any()]
        return fitting(self._scope.scorer, used, versions=self._versions)

    def _of_run(
        self, run: int, number: int, columns: dict[int, Floats], named: list[int] | None
    ) -> RunRecord:
        place = self._places[run]
        counts = {x: int(np.isfinite(one[place]).sum()) for x, one in columns.items()}
        used = [x for x, n in counts.items() if n]
        record = self._records.get((run, number))
        chosen = standing = None if record is None else record.score_set
        if named is not None:
            chosen = meant(named, versions=self._versions, standing=standing)
            if not named and self._scope.only_scorer:
                chosen = None
        told = record if chosen == standing else None
        return RunRecord(
            run=self._runs[run],
            version=None if chosen is None else self._versions[chosen],
            n=0 if chosen is None else counts.get(chosen, 0),
            of=self._found.runs[run].size,
            by=None if told is None else told.labeler,
            at=None if told is None else told.at,
            with_repeats=told is not None and told.with_repeats,
            is_of_record=chosen == standing,
            not_counted=tuple((self._versions[x], counts[x]) for x in used if x != chosen),
        )

    def _dated(self, dates: Ints, number: int, score_set: int, run: int) -> Ints:
        """Put the times of a version's scores in the place of the evaluations' own dates."""
        if self._scope.dates == "chat":
            return dates
        keys, times = self._columns.score_dates(number, score_set)
        if not keys.size:
            return dates
        at, there = places_of(keys, self._found.runs[run])
        if not there.any():
            return dates
        made = dates.copy() if dates is self._found.dates else dates
        place = self._places[run]
        where = np.flatnonzero(there) if isinstance(place, slice) else place[there]
        made[where] = times[at[there]]
        return made
