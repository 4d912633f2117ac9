"""The window that a scope puts on every figure; the look-back of deviations is another matter."""

from dataclasses import dataclass
from datetime import tzinfo

import numpy as np

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.services.figures.human_columns import Flags, Floats, Ints
from reviewer.services.project import project_days
from reviewer.services.project.figure_rules import overall_rule, verdict_rule
from reviewer.stats.deviations import DeviationOptions
from reviewer.stats.window import Window
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition, among


def bounded(project: Project, scope: Scope, within: Condition) -> Condition:
    """Narrow a condition to the evaluations that the window of a scope lets in, if it has one.

    Those are in it that are themselves, or by any of their scores; which counts for a metric is
    told with its columns.
    """
    found = project_days.asked_window(project, scope)
    if found is None:
        return within
    columns = figures.read_evaluations(project, within)
    by_chat = scope.dates == "chat"
    dates = figures.read_chat_dates(project, within) if by_chat else columns.dates
    keys = np.frombuffer(columns.keys, np.int64)
    inside = project_days.inside(np.frombuffer(dates, np.int64), *found)
    if not by_chat:
        scored = np.array(figures.scored_times(project), dtype=np.int64).reshape(-1, 2)
        fresh = scored[project_days.inside(scored[:, 1], *found), 0]
        inside = inside | np.isin(keys, fresh)
    return among(within, keys[inside].tolist())


@dataclass(frozen=True, slots=True, eq=False)
class AskedWindow:
    """A window that is taken to the metrics of n evaluations, one after the other.

    Attributes:
        parts: What overall and verdicts are made of.
        outside: Shape (n,), true where one of these was scored outside the window.
    """

    span: Window
    zone: tzinfo
    parts: frozenset[str]
    outside: Flags

    @classmethod
    def of(
        cls, project: Project, scope: Scope, rubric: Rubric, options: DeviationOptions, n: int
    ) -> "AskedWindow | None":
        """Read a scope's window, None where it asks for none."""
        found = project_days.asked_window(project, scope)
        if found is None:
            return None
        rules = overall_rule(rubric, options), verdict_rule(rubric, options)
        parts = frozenset(part.name for rule in rules for part in rule.parts)
        return cls(*found, parts, np.zeros(n, dtype=np.bool_))

    def inside(self, moments: Ints) -> Flags:
        """Tell which evaluations lie inside, by the moments at which they count for a metric."""
        return project_days.inside(moments, self.span, self.zone)

    def kept(self, metric: str, auto: Floats, inside: Flags) -> Floats:
        """Take out a metric's auto scores outside, and remember where overalls lose a part."""
        if metric in self.parts:
            np.logical_or(self.outside, ~inside & np.isfinite(auto), out=self.outside)
        return np.where(inside, auto, np.nan)
