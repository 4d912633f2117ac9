"""Which rubric an import uses: the one named, the project's, or one proposed from the files."""

from collections.abc import Iterable
from pathlib import Path

from reviewer.domain.errors import CancelledError, RubricError
from reviewer.domain.progress import Progress
from reviewer.domain.record import run_name
from reviewer.domain.rubric import TIE, Rubric
from reviewer.domain.values import Value
from reviewer.formats.incoming import Fields, Record
from reviewer.services.project import rubrics
from reviewer.services.project.rubrics import MetricSample
from reviewer.services.transfer.admission import NAMED
from reviewer.services.transfer.file_plans import Opened
from reviewer.store.project import Project

PREVIEW = 50


def named(project: Project | None, rubric: str | Path | Rubric) -> Rubric:
    """Give the rubric that was asked for: one of the project's, a shipped one, or a file.

    Raises:
        RubricError: There is none of that name, or the file breaks a rule.
    """
    if isinstance(rubric, Rubric):
        return rubric
    if isinstance(rubric, Path):
        return rubrics.load(rubric)
    own = rubrics.names(project) if project else ()
    if project and rubric in own:
        return rubrics.current(project, rubric)
    shipped = rubrics.shipped()
    if rubric in shipped:
        return shipped[rubric]
    if Path(rubric).suffix == ".toml" or Path(rubric).is_file():
        return rubrics.load(Path(rubric))
    known = ", ".join(dict.fromkeys((*own, *shipped)))
    raise RubricError(f"There is no rubric {rubric!r}; there are: {known}; or name a TOML file.")


def proposed(files: Iterable[Opened], progress: Progress, limit: int | None = None) -> Rubric:
    """Propose a rubric from all scores and labels of the files, in one pass over them.

    Raises:
        RubricError: There is no score and no label.
        CancelledError: The user stopped it.
    """
    samples: dict[str, MetricSample] = {}
    name = ""
    for opened in files:
        name = name or run_name(opened.file.name)
        with opened.items() as (source, items):
            for count, item in enumerate(items):
                if limit is not None and count >= limit:
                    break
                if count % 2000 == 0:
                    _report(progress, source.position(), source.size)
                if isinstance(item, Record):
                    _see_record(samples, item.fields)
                elif hasattr(item, "fields"):
                    _see(samples, item.fields["metric"], item.fields.get("value"))
    # a shipped name on other texts would mislead
    return rubrics.propose(samples, f"{name} (proposed)" if name in rubrics.shipped() else name)


def told(proposal: Rubric) -> str:
    """Say which rubric was proposed, and the scales of its first metrics."""
    metrics = proposal.metrics[:NAMED]
    scales = "; ".join(f"{metric.name}: {metric.describe_scale()}" for metric in metrics)
    more = len(proposal.metrics) - len(metrics)
    rest = f"; and {more:,} more metrics" if more else ""
    return f"The rubric {proposal.name} was proposed: {scales}{rest}."


def _report(progress: Progress, done: int, total: int) -> None:
    if progress.cancelled:
        raise CancelledError("The import was stopped; nothing was stored.")
    progress.advance(done, total, "looking for metrics and their scales")


def _see_record(samples: dict[str, MetricSample], fields: Fields) -> None:
    for score in fields.get("scores") or ():
        _see(samples, score["metric"], score.get("value"))
    for label in fields.get("labels") or ():
        if not label.get("aggregate"):
            _see(samples, label["metric"], label.get("value"))
    for candidate in fields.get("candidates") or ():
        for entry in (*(fields.get("scores") or ()), *(fields.get("labels") or ())):
            if isinstance(entry.get("value"), str):
                samples[entry["metric"]].texts |= {candidate["id"], TIE}


def _see(samples: dict[str, MetricSample], metric: str, value: Value | None) -> None:
    sample = samples.get(metric)
    if sample is None:
        sample = samples[metric] = MetricSample()
    if value is not None:
        sample.see(value)


def fitting(rubric: Rubric) -> tuple[str, ...]:
    """Give the shipped rubrics that have all metrics of a rubric."""
    return rubrics.fitting(set(rubric.by_name))
