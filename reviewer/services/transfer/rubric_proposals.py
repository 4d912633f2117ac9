"""Propose a rubric for files: from their scores and labels, or as one that ships."""

import copy
from collections.abc import Iterable, Sequence
from pathlib import Path

from reviewer.domain.errors import CancelledError, FormatError, Progress
from reviewer.domain.evaluation import Value
from reviewer.domain.record import run_name
from reviewer.domain.rubric import TIE, Metric, Rubric
from reviewer.formats.columns import names_in
from reviewer.formats.incoming import BadRow, Fields, Record
from reviewer.services.project import rubrics
from reviewer.services.project.rubrics import MetricSample
from reviewer.services.transfer.admission import NAMED, Admission, RefusedShare
from reviewer.services.transfer.file_plans import Opened
from reviewer.services.transfer.import_report import STOPPED, RejectedRow

LOOKING = "looking for metrics and their scales"


def proposed_rubric(
    files: Iterable[Opened],
    name: str,
    progress: Progress,
    limit: int | None = None,
    first: list[Fields] | None = None,
) -> Rubric:
    """Propose a rubric from all scores and labels of the files, in one pass over them.

    Args:
        files: What is imported.
        name: What it is to be called.
        progress: Hears how far it is.
        limit: How many rows of each file are read; None for all.
        first: Takes what was read of scores and labels, a record an entry.

    Raises:
        RubricError: There is no score and no label.
        FormatError: There is no row that can be used.
        CancelledError: The user stopped it.
    """
    samples: dict[str, MetricSample] = {}
    declared: dict[str, Metric] = {}
    refused: RejectedRow | None = None
    is_used = False
    for opened in files:
        declared |= {metric.name: metric for metric in opened.declared()}
        with opened.items(progress, whole=limit is None) as (source, items):
            for count, item in enumerate(items):
                if limit is not None and count >= limit:
                    break
                if count % 16 == 0 and progress.cancelled:
                    raise CancelledError(STOPPED)
                if count % 2000 == 0:
                    progress.advance(source.position(), source.size, LOOKING)
                is_used = is_used or not isinstance(item, BadRow)
                if isinstance(item, BadRow):
                    refused = refused or opened.rejected(item.line, count + 1, item)
                elif isinstance(item, Record):
                    _see_record(samples, item.fields)
                    _keep(first, item.fields)
                else:
                    _see(samples, item.fields["metric"], item.fields.get("value"))
                    _keep(first, {"labels": [item.fields]})
    if refused is not None and not is_used:
        raise FormatError(f"Nothing in {refused.file} can be imported. First: {refused.sentence}.")
    # a shipped name on other texts would mislead
    name = f"{name} (proposed)" if name in rubrics.shipped() else name
    return rubrics.propose(samples, name, declared)


_NO_NAMES = {"standard input"}.union(
    names_in(
        "data dataset result results output outputs export annotations annotation samples sample "
        "test tests eval evals evaluation evaluations score scores label labels record records "
        "train dev file report log logs input table sheet1 stdin responses judgments tmp"
    )
)


def rubric_name(opened: Opened, project: Path | None) -> str:
    """Name a proposed rubric after what was evaluated, where the file tells, else after the file.

    Where that name says nothing, it is what people call it: the project, else the folder.
    """
    told, file = opened.subject(), opened.file
    if told:
        return told
    names = [run_name(file.name), project.stem if project else "", file.absolute().parent.name]
    telling = (name for name in names if name and name.lower() not in _NO_NAMES)
    return next(telling, "proposed")


def proposal_sentence(proposal: Rubric) -> str:
    """Say which rubric was proposed, and the scales of its first metrics."""
    metrics = proposal.metrics[:NAMED]
    scales = "; ".join(f"{metric.name}: {_scale_words(metric)}" for metric in metrics)
    more = len(proposal.metrics) - len(metrics)
    rest = f"; and {more:,} more metrics" if more else ""
    return f"The rubric {proposal.name} was proposed: {scales}{rest}."


LONGEST = 60
"""Letters of the words of a scale that a sentence has room for."""


def _scale_words(metric: Metric) -> str:
    """Describe a scale, by the number and the first of its words where these are long."""
    words = metric.describe_scale()
    if len(words) <= LONGEST or not metric.values:
        return words
    first = " ".join(str(metric.values[0]).split())[: LONGEST // 2]
    return f"one of {len(metric.values)} texts, such as {first!r}…"


def _keep(first: list[Fields] | None, fields: Fields) -> None:
    if first is not None:
        names = ("scores", "labels")
        first.append({name: [dict(x) for x in fields.get(name) or ()] for name in names})


def unfit(rubric: Rubric, first: Sequence[Fields]) -> tuple[RefusedShare, ...]:
    """Tell of which of its metrics a rubric would refuse values in the first rows."""
    admission = Admission(rubric)
    for fields in copy.deepcopy(list(first)):
        admission.record(fields, [])
    return tuple(x for x in admission.shares.refused if x.metric in rubric.by_name)


def _see_record(samples: dict[str, MetricSample], fields: Fields) -> None:
    for score in fields.get("scores") or ():
        _see(samples, score["metric"], score.get("value"))
    for label in fields.get("labels") or ():
        averaged = bool(label.get("aggregate"))
        _see(samples, label["metric"], label.get("value"), averaged=averaged)
    for candidate in fields.get("candidates") or ():
        for entry in (*(fields.get("scores") or ()), *(fields.get("labels") or ())):
            if isinstance(entry.get("value"), str):
                samples[entry["metric"]].texts |= {candidate["id"], TIE}


def _see(
    samples: dict[str, MetricSample], metric: str, value: Value | None, *, averaged: bool = False
) -> None:
    sample = samples.get(metric)
    if sample is None:
        sample = samples[metric] = MetricSample()
    if value is not None:
        sample.see(value, averaged=averaged)


def recognised(files: Iterable[Opened]) -> Rubric | None:
    """Give the shipped rubric whose results the files are, None where they do not tell."""
    told = {one.proposal.rubric if one.proposal else "" for one in files}
    return rubrics.shipped().get(told.pop()) if len(told) == 1 else None


def fitting_rubrics(rubric: Rubric) -> tuple[str, ...]:
    """Give the shipped rubrics that have all metrics of a rubric."""
    return rubrics.fitting(set(rubric.by_name))


def shipped_alike(rubric: Rubric) -> str | None:
    """Name the shipped rubric with all metrics of a rubric that weighs no others."""
    for name in fitting_rubrics(rubric):
        counting = (x for x in rubrics.shipped()[name].metrics if x.weight and x.derived is None)
        if rubric.by_name.keys() >= {metric.name for metric in counting}:
            return name
    return None
