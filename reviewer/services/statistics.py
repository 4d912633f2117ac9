"""Every figure of a scope in one document: what `reviewer stats` prints and the pages read."""

from dataclasses import dataclass

from reviewer.domain.scope import Scope
from reviewer.services.statistics_document import StatsDocument
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsRequest:
    """What to compute, over which evaluations, and how.

    Attributes:
        preset: `published` or `recommended`.
        options: Names and values that differ from the preset.
        group_by: A field of the record, such as `category`, to correlate within.
        level: The level of every interval.
        seed: The seed of every resampled interval.
    """

    scope: Scope = Scope()
    preset: str = "published"
    options: tuple[tuple[str, str], ...] = ()
    group_by: str | None = None
    level: float = 0.95
    seed: int = 0


def compute(project: Project, request: StatsRequest) -> StatsDocument:
    """Compute the document of a scope.

    Raises:
        ReviewerError: A run, labeler, scorer, option or field of the request does not exist.
    """
    raise NotImplementedError
