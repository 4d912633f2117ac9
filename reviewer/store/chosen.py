"""Which score set stands as the auto scores of a metric: one rule for screen and figures."""

from reviewer.domain.run import ScorerVersion
from reviewer.store import figures
from reviewer.store.project import Project
from reviewer.store.scoping import Condition


def chosen_score_set(
    project: Project, run: int, metric: str, scorer: str | None = None
) -> ScorerVersion | None:
    """Give the score set that counts for a metric in a run, None where nothing scored it.

    It is the only one, else the one with the newest score in the run. `scorer` (NAME or
    NAME@VERSION) leaves out all others.
    """
    key = figures.metric_keys(project).get(metric)
    if key is None:
        return None
    used = figures.score_sets_in_use(project, key, Condition("e.run = ?", (run,)))
    if not used:
        return None
    versions = {version.key: version for version in figures.scorer_versions(project)}
    return next(
        (
            versions[key]
            for key in used
            if scorer in (None, versions[key].scorer, versions[key].name)
        ),
        None,
    )
