"""What in a document of figures mixes versions or lags behind, as sentences."""

from collections.abc import Iterable, Sequence

from reviewer.services.covered import Covered
from reviewer.services.figure_table import MetricTable
from reviewer.services.statistics_blocks import Staleness
from reviewer.services.statistics_options import Choices
from reviewer.store import figures, staleness
from reviewer.store.project import Project

_SENTENCES = {
    "judge_versions": (
        "{n} {labels} of {title} {were} given beside another scorer version than {scorer}, with "
        "which they are compared."
    ),
    "rubric_version": (
        "{n} {labels} of {title} {were} given by another version of the rubric than {version}."
    ),
    "text_changed": ("{n} {labels} of {title} {were} given to an earlier text of the evaluation."),
    "rescored": (
        "{n} {labels} of {title} {were} given before {scorer} scored the evaluation again."
    ),
}


def stale(
    project: Project, covered: Covered, tables: Iterable[MetricTable], choices: Choices
) -> tuple[Staleness, ...]:
    """Say what lags behind, metric by metric, and which options differ from the preset."""
    keys = figures.metric_keys(project)
    version = str(covered.rubric.version)
    found: list[Staleness] = []
    for table in tables:
        scorer = None
        if table.score_set is not None and table.scorer is not None:
            scorer = (table.score_set, table.scorer)
        lag = staleness.lag(
            project,
            covered.within,
            metric=keys.get(table.metric.name, -1),
            rubric_version=version,
            scorer=scorer,
        )
        for reason in _SENTENCES:
            n = getattr(lag, reason)
            if n:
                found.append(_told(table, reason, n, version))
        if table.not_weighed is not None and table.people.values.size:
            found.append(_not_weighed(table, table.not_weighed))
    return (*found, *_options(choices.changed))


def _told(table: MetricTable, reason: str, n: int, version: str) -> Staleness:
    text = _SENTENCES[reason].format(
        n=f"{n:,}",
        labels="label" if n == 1 else "labels",
        were="was" if n == 1 else "were",
        title=table.metric.heading,
        scorer=table.scorer or "the judge",
        version=version,
    )
    return Staleness(f"metrics.{table.metric.name}", reason, n, text)


def _not_weighed(table: MetricTable, why: str) -> Staleness:
    n = int(table.has_human.sum())
    text = f"{table.metric.heading} takes the mean of labels, not their consensus: {why}."
    return Staleness(f"metrics.{table.metric.name}", "options", n, text)


def _options(changed: Sequence[str]) -> tuple[Staleness, ...]:
    if not changed:
        return ()
    names = ", ".join(changed)
    text = f"These figures do not follow a preset: changed was {names}."
    return (Staleness("options", "options", len(changed), text),)
