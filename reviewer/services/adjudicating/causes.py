"""Why judge and people differ: the causes that leads have named, by metric."""

from collections.abc import Container, Mapping
from dataclasses import dataclass

import numpy as np

from reviewer.services.adjudicating.decisions import CAUSES, Cause, cause_of
from reviewer.services.audits.auditing import EQUAL, Audit
from reviewer.services.figures.human_columns import Ints
from reviewer.services.project.session import Session
from reviewer.store import deciding
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True, eq=False)
class CausesOf:
    """The causes named on one metric.

    Attributes:
        keys: The evaluations of each cause, in the order of the causes; only causes that occur.
        apart: On how many judge and people differ.
        explained: How many of those have a cause.
    """

    metric: str
    title: str
    keys: Mapping[Cause, Ints]
    apart: int
    explained: int

    @property
    def n(self) -> int:
        """Count what has a cause, also where judge and people do not differ any more."""
        return sum(found.size for found in self.keys.values())


def named(
    project: Project, metrics: Container[str], among: Container[int]
) -> dict[str, dict[Cause, list[int]]]:
    """Give the evaluations of each cause by metric, of some metrics and evaluations alone."""
    found: dict[str, dict[Cause, list[int]]] = {}
    for entry in deciding.causes(project.conn):
        mark = entry.mark
        cause = cause_of(mark.value)
        if cause is not None and mark.metric in metrics and mark.evaluation in among:
            found.setdefault(mark.metric or "", {}).setdefault(cause, []).append(mark.evaluation)
    return found


def by_metric(session: Session, audit: Audit) -> tuple[CausesOf, ...]:
    """Collect the causes of a scope's metrics, those with none left out; in the rubric's order.

    What the labeler may not see yet is not counted.
    """
    seen = set(audit.frame.table.keys[audit.seen].tolist())
    found = named(session.project, audit.pairs, seen)
    return tuple(_of(audit, name, found[name]) for name in audit.pairs if name in found)


def _of(audit: Audit, metric: str, named: Mapping[Cause, list[int]]) -> CausesOf:
    pairs = audit.pairs[metric]
    apart = pairs.keys[pairs.seen & pairs.counted & (np.abs(pairs.gaps) > EQUAL)]
    keys = {x: np.array(sorted(named[x]), dtype=np.int64) for x in CAUSES if x in named}
    every = np.concatenate(list(keys.values()))
    return CausesOf(
        metric=metric,
        title=audit.document.metrics[metric].title,
        keys=keys,
        apart=int(apart.size),
        explained=int(np.isin(apart, every).sum()),
    )
