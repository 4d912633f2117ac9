"""What in a document of figures mixes versions or lags behind, as sentences.

Reasons about labels are `judge_versions`, `rubric_version`, `text_changed`, `rescored`; `model`,
`prompt_hash` and `parameters` say what was otherwise about the scores: those that labels were
given beside, or those that the judge would give today. `options` is about how figures are made.
"""

from collections.abc import Iterable, Iterator, Sequence

from reviewer.domain.rubric import Rubric
from reviewer.domain.run import ScorerVersion
from reviewer.services.figures import judge_details
from reviewer.services.figures.figure_table import MetricTable
from reviewer.services.figures.request import Choices, Covered
from reviewer.services.figures.statistics_blocks import COUNT, TITLES, Staleness
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
    "model": (
        "{n} {labels} of {title} {were} given beside scores of {scorer} by another model than "
        "those with which they are compared."
    ),
    "prompt_hash": (
        "{n} {labels} of {title} {were} given beside scores of {scorer} by another prompt than "
        "those with which they are compared."
    ),
    "parameters": (
        "{n} {labels} of {title} {were} given beside scores of {scorer} with other parameters "
        "than those with which they are compared."
    ),
}
_NOW = {
    "model": "{n} {scores} of {title} {were} made by {before}; the judge {scorer} now asks {now}.",
    "prompt_hash": (
        "{n} {scores} of {title} {were} made by {before}; the judge {scorer} now has {now}."
    ),
    "parameters": (
        "{n} {scores} of {title} {were} made with {before}; the judge {scorer} now has {now}."
    ),
}
_OLDER_RUBRIC = (
    "{n} {scores} of {title} {were} made for version {before} of the rubric; it now has version "
    "{now}."
)
_OLDER_TEXT = "{n} {scores} of {title} {were} given to an earlier text of the evaluation."


def stale(
    project: Project, covered: Covered, tables: Iterable[MetricTable], choices: Choices
) -> tuple[Staleness, ...]:
    """Say what lags behind, metric by metric, and which options differ from the preset."""
    return (*behind(project, covered, tables), *_options(choices.changed))


def behind(
    project: Project, covered: Covered, tables: Iterable[MetricTable]
) -> Iterator[Staleness]:
    """Say what lags behind, metric by metric: labels first, then scores."""
    keys = figures.metric_keys(project)
    versions = {x.key: x for x in figures.scorer_versions(project)}
    for table in tables:
        number = keys.get(table.metric.name, -1)
        yield from _differing(table)
        yield from _labels(project, covered, table, number)
        if table.score_set is not None:
            made_by = versions[table.score_set]
            yield from _scores(project, covered, table, number)
            yield from _judge(project, covered.rubric, table, made_by)
        if table.not_weighed is not None and table.people.values.size:
            yield _not_weighed(table, table.not_weighed)


def _differing(table: MetricTable) -> Iterator[Staleness]:
    """Say that the scores of one figure are of several versions, as its runs have others."""
    counts: dict[str, int] = {}
    for record in table.records:
        if record.version is not None and record.n:
            counts[record.version.name] = counts.get(record.version.name, 0) + record.n
    if len(counts) > 1:
        listed = ", ".join(f"{name} on {n:,}" for name, n in counts.items())
        text = f"{table.metric.heading} mixes the scores of several versions: {listed}."
        yield Staleness(
            f"metrics.{table.metric.name}", "judge_versions", sum(counts.values()), text
        )


def _labels(
    project: Project, covered: Covered, table: MetricTable, number: int
) -> Iterator[Staleness]:
    version, scorer = str(covered.rubric.version), None
    if table.score_set is not None and table.scorer is not None:
        scorer = (table.score_set, table.scorer)
    lag = staleness.lag(
        project, covered.within, metric=number, rubric_version=version, scorer=scorer
    )
    seen = staleness.SeenForms()
    if table.score_set is not None:
        seen = staleness.seen_forms(
            project, covered.within, metric=number, score_set=table.score_set
        )
    for reason, sentence in _SENTENCES.items():
        n = getattr(seen if hasattr(seen, reason) else lag, reason)
        if n:
            yield _told(table, reason, n, sentence, version=version)


def _scores(
    project: Project, covered: Covered, table: MetricTable, number: int
) -> Iterator[Staleness]:
    rubric = (covered.rubric.name, str(covered.rubric.version))
    lag = staleness.score_lag(
        project, covered.within, metric=number, score_set=table.score_set or -1, rubric=rubric
    )
    if lag.text_changed:
        yield _told(table, "text_changed", lag.text_changed, _OLDER_TEXT)
    if lag.rubric_version:
        yield _told(table, "rubric_version", lag.rubric_version, _OLDER_RUBRIC,
                    before=lag.made_for or "", now=rubric[1])  # fmt: skip


def _judge(
    project: Project, rubric: Rubric, table: MetricTable, made_by: ScorerVersion
) -> Iterator[Staleness]:
    n = int((table.has_auto & ~table.derived_auto).sum())
    if not n:
        return
    for x in judge_details.differences(project, rubric, table.metric.name, made_by):
        yield _told(table, x.reason, n, _NOW[x.reason], before=x.before, now=x.now,
                    scorer=made_by.scorer)  # fmt: skip


def _told(table: MetricTable, reason: str, n: int, sentence: str, **words: str) -> Staleness:
    several = {"labels": "labels", "scores": "scores", "were": "were"}
    numbers = several if n != 1 else {"labels": "label", "scores": "score", "were": "was"}
    given = {"scorer": table.scorer or "the judge", **words}
    title = table.metric.heading
    return Staleness(
        f"metrics.{table.metric.name}",
        reason,
        n,
        sentence.format(**given, **numbers, n=f"{n:,}", title=title),
        title,
        sentence.format(**given, **several, n=COUNT, title=TITLES),
    )


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
