"""Which score set stands as the auto scores of a metric: one rule for screen and figures."""

from collections.abc import Mapping, Sequence

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import ScorerVersion
from reviewer.store import figures, of_record
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


def chosen_score_set(
    project: Project, run: int, metric: str, scorer: str | None = None
) -> ScorerVersion | None:
    """Give the score set that counts for a metric in a run, None where none does.

    It is the one of record, or the one that `scorer` names, if that scored the metric in the run.

    Raises:
        ReviewerError: `scorer` names several versions, and that of record is not among them.
    """
    key = figures.metric_keys(project).get(metric)
    if key is None:
        return None
    versions = {version.key: version for version in figures.scorer_versions(project)}
    record = of_record.find(project.conn, run, key)
    standing = None if record is None else record.score_set
    if scorer is None:
        return None if standing is None else versions[standing]
    used = figures.score_sets_in_use(project, key, Condition("e.run = ?", (run,)))
    named = fitting(scorer, used, versions=versions)
    found = meant(named, versions=versions, standing=standing)
    return None if found is None else versions[found]


def fitting(
    scorer: str, used: Sequence[int], *, versions: Mapping[int, ScorerVersion]
) -> list[int]:
    """Give which of the score sets in use a name means: those of that full name, else all.

    Args:
        scorer: NAME, NAME@VERSION or the full name.
        used: The score sets that scored a metric in scope.
        versions: Every score set.
    """
    exact = [x for x in used if versions[x].name == scorer]
    return exact or [x for x in used if versions[x].is_called(scorer)]


def meant(
    named: Sequence[int], *, versions: Mapping[int, ScorerVersion], standing: int | None
) -> int | None:
    """Give the score set that counts where a name means some, the one that stands if none.

    Args:
        named: The score sets that the name means.
        versions: Every score set.
        standing: The one of record, None where there is none.

    Raises:
        ReviewerError: There are several, and the one of record is not among them.
    """
    if not named or standing in named:
        return standing
    if len(named) > 1:
        there = ", ".join(versions[x].name for x in named)
        raise ReviewerError(
            f"{versions[named[0]].scorer} has several versions there: {there}. Name one in full."
        )
    return named[0]
