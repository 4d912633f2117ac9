"""What the Runs page says about one run: categories, judges and scorers, imports."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from reviewer.domain.errors import ProjectError
from reviewer.domain.run import ScorerVersion
from reviewer.services.transfer.carry_offers import Offer, offers
from reviewer.store import figures
from reviewer.store import run_details as stored
from reviewer.store.figures import snapshot
from reviewer.store.project import Project


@dataclass(frozen=True, slots=True)
class CategoryCount:
    """One category of a run; its name is None for evaluations without one."""

    name: str | None
    evaluations: int
    labelled: int


@dataclass(frozen=True, slots=True)
class ScoreSet:
    """One scorer or judge in one version, with what it scored in a run.

    Attributes:
        metrics: How many scores by metric, without attempts that failed.
        failed: Attempts that ended in an error.
        newest: The time of its last score, as it came.
    """

    version: ScorerVersion
    metrics: Mapping[str, int]
    failed: int = 0
    newest: str | None = None


@dataclass(frozen=True, slots=True)
class ImportEntry:
    """An import; `undone` once it was taken back."""

    number: int
    source: str
    format: str
    undone: bool
    at: str
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunDetails:
    """Everything that the page shows of one run beside its summary.

    Attributes:
        offers: Runs whose labels fit identical texts of this one.
    """

    run: str
    categories: tuple[CategoryCount, ...]
    score_sets: tuple[ScoreSet, ...]
    imports: tuple[ImportEntry, ...]
    offers: tuple[Offer, ...] = ()


def of_run(project: Project, name: str) -> RunDetails:
    """Read the details of a run; reads all its scores, so call it beside the window.

    Raises:
        ProjectError: There is no such run (any more).
    """
    with snapshot(project):
        key = stored.run_key(project, name)
        if key is None:
            raise ProjectError(
                f"The project has no run {name!r}; its import may have been undone."
            )
        return RunDetails(
            run=name,
            categories=tuple(CategoryCount(*row) for row in stored.categories(project, key)),
            score_sets=_score_sets(project, stored.score_sets(project, key)),
            imports=tuple(_import(row) for row in stored.imports(project, key)),
            offers=offers(project, name),
        )


def _score_sets(project: Project, rows: list[stored.SetRow]) -> tuple[ScoreSet, ...]:
    # with names that tell each from the others
    versions = {x.key: x for x in figures.scorer_versions(project)}
    by_version: dict[int, list[stored.SetRow]] = {}
    for row in rows:
        by_version.setdefault(row.version.key, []).append(row)
    return tuple(
        ScoreSet(
            version=versions[group[0].version.key],
            metrics={row.metric: row.scores - row.failed for row in group},
            failed=sum(row.failed for row in group),
            newest=max((row.newest for row in group if row.newest), default=None),
        )
        for group in by_version.values()
    )


def _import(row: stored.ImportRow) -> ImportEntry:
    return ImportEntry(
        number=row.number,
        source=row.source,
        format=row.format,
        undone=row.state == "undone",
        at=row.finished_at or row.started_at,
        counts=_counts(row.counts),
    )


def _counts(text: str | None) -> dict[str, int]:
    try:
        found = json.loads(text or "{}")
    except json.JSONDecodeError:
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: count for name, count in found.items() if isinstance(count, int)}
