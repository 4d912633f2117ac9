"""What people reach among themselves on a metric, and a judge in their place."""

from typing import Final

import numpy as np

from reviewer.services.audits.ceiling import ONE_LABELER, shared
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.human_columns import Flags, Floats
from reviewer.services.figures.statistics_agreement import human_human
from reviewer.services.findings.insights_source import Source
from reviewer.services.project.figure_rules import scale_of
from reviewer.stats.ceiling import Name, Reach, reach, units_of
from reviewer.stats.intervals import IntervalPolicy

SAME_FORMULA: Final[dict[str, Name]] = {
    "percent": "percent",
    "kappa": "kappa",
    "kappa_quadratic": "kappa_quadratic",
    # on exact values quadratic kappa is the concordance that ICC(A,1) estimates
    "icc": "kappa_quadratic",
}
NO_FORMULA = "judge and people are compared by percent, κ, quadratic κ and ICC only"


class People:
    """Labels of several people on the same responses, which no judge is needed for."""

    def __init__(self, source: Source, table: MetricTable, policy: IntervalPolicy) -> None:
        """Gather the responses that two people or more labelled."""
        self._whole: FigureTable = source.table
        self._table = table
        self._policy = policy
        rows = source.labels[table.metric.name]
        self._alone = np.unique(rows.labelers).size < 2
        self._shared = shared(rows)

    def among(self, name: str) -> Reach:
        """Give a statistic of people among themselves, with its interval."""
        formula = SAME_FORMULA.get(name)
        if self._alone:
            return Reach(_FIRST, 0, 0, None, None, None, {}, {"people": ONE_LABELER})
        if formula is not None:
            return self._reach(np.ones(self._whole.keys.size, dtype=np.bool_), None, formula)
        found, _ = human_human(
            self._table, self._whole.labelers, self._policy, self._whole.clusters, 0
        )
        interval = found.intervals.get(name)
        value: float | None = getattr(found, name)
        return Reach(
            _FIRST,
            found.n,
            0,
            value,
            None,
            None,
            {} if interval is None else {"people": interval},
            {} if value is not None else {"people": found.undefined.get(name, NO_FORMULA)},
        )

    def beside(self, auto: Floats, kept: Flags, name: str) -> Reach | None:
        """Compare a judge with one more person on the responses kept; None without a formula."""
        formula = SAME_FORMULA.get(name)
        if formula is None or self._alone:
            return None
        found = self._reach(kept & np.isfinite(auto), auto, formula)
        return found if found.n else None

    def _reach(self, kept: Flags, auto: Floats | None, name: Name) -> Reach:
        there = kept[self._shared.places]
        places = self._shared.places[there]
        groups = [
            group for group, one in zip(self._shared.groups, there.tolist(), strict=True) if one
        ]
        judge = None if auto is None else auto[places]
        clusters = self._whole.clusters
        return reach(
            units_of(groups, judge, scale_of(self._table.metric)),
            name,
            self._policy,
            None if clusters is None else clusters[places],
        )


_FIRST: Final[Name] = "percent"
