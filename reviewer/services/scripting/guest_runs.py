"""The guest-response evaluation from a script: one response judged, or a run and its report."""

import asyncio
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ReviewerError, Silent
from reviewer.domain.evaluation import as_number
from reviewer.domain.judging import Selection
from reviewer.domain.rubric import Metric, Rubric
from reviewer.reports import fields
from reviewer.reports.document import as_json, plain
from reviewer.reports.report import GUEST_RESPONSE, with_pass_mark
from reviewer.scoring.judging.prompts import check
from reviewer.services.calls import selecting
from reviewer.services.jobs import planning, running
from reviewer.services.jobs.control import Control
from reviewer.services.judging import judges
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.services.scripting import outside
from reviewer.services.scripting.outside import judge_of
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import projects
from reviewer.stats.satisfaction import reaches

Cases = str | Path | Iterable[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRun:
    """What is judged, by what, and from which mark on it passes.

    Attributes:
        project: Where the scores are kept; None for a project that is gone afterwards.
        cases: Records, or a file of them; None for the project's newest run, or the examples that
            ship.
        base_url: Where the model is reached, if not at its provider.
    """

    model: str
    passing: float
    project: Path | None = None
    cases: Cases | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True)
class GuestResults:
    """The report of a run: the document, and the same as Markdown."""

    document: dict[str, Any]
    markdown: str
    trend: dict[str, Any]


async def run(wanted: GuestRun, *, limit: int | None, category: str | None) -> GuestResults:
    """Judge the cases and report them.

    Raises:
        ReviewerError: The cases cannot be read, nothing is selected, the judge cannot be reached
            or its key is missing; what was scored until then is kept.
    """
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        project = await asyncio.to_thread(_prepared, wanted, Path(folder))
        selection = Selection(categories=(category,) if category else (), limit=limit)
        # the job waits for its calls in an event loop of its own
        return await asyncio.to_thread(_judged, project, wanted, selection)


def _prepared(wanted: GuestRun, folder: Path) -> Path:
    project = wanted.project or folder / "evaluation.review"
    if isinstance(wanted.cases, str | Path):
        request = ImportRequest(files=(Path(wanted.cases),), rubric=GUEST_RESPONSE)
        importing.run(project, request, Silent())
    elif wanted.cases is not None:
        outside.imported(project, _import(wanted.cases, folder))
    elif wanted.project is None:
        projects.make_demo(project, GUEST_RESPONSE, Silent())
    return project


def _import(cases: Iterable[Mapping[str, Any]], folder: Path) -> ImportRequest:
    stamp = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    file = folder / "cases.jsonl"
    lines = (_line(number, case) for number, case in enumerate(cases, start=1))
    file.write_text("".join(lines), encoding="utf-8")
    return ImportRequest(files=(file,), run=f"script {stamp}", rubric=GUEST_RESPONSE)


def _line(number: int, case: Mapping[str, Any]) -> str:
    return outside.line_of({"id": f"case-{number}", **outside.in_words(case)})


def _judged(project: Path, wanted: GuestRun, selection: Selection) -> GuestResults:
    with closing(Session.open(project)) as session:
        session.sees_all = True
        with_pass_mark(selecting.rubric_of(session, selection), wanted.passing)
        key = planning.add(
            session, planning.judging_plan(session, _judge(session, wanted), selection)
        )
    job = running.run(project, key, Silent(), Control())
    if job.state != "done":
        raise ReviewerError(job.sentence or f"The evaluation is {job.state}.")
    return _reported(project, key, wanted.passing)


def _judge(session: Session, wanted: GuestRun) -> str:
    if wanted.base_url is None:
        return judges.judge_for(session, wanted.model).name
    found = judge_of(wanted.model, wanted.base_url)
    judges.keep_endpoint(session, found.endpoint)
    judges.keep(session, replace(found.judge, name=f"{wanted.model} at api"))
    return f"{wanted.model} at api"


def _reported(project: Path, key: int, passing: float) -> GuestResults:
    with closing(Session.open(project)) as session:
        session.sees_all = True
        made = making.build_evaluated(session, [key], passing=passing)
        if made is None:
            raise ReviewerError("Nothing was scored, so there is nothing to report.")
        return GuestResults(
            plain(fields.document(made)), making.rendered(made), fields.trend_line(made)
        )


def write(results: GuestResults, folder: Path | None = None) -> dict[str, str]:
    """Write a report as JSON and Markdown, and the trend line beside it.

    Raises:
        ProjectError: The folder cannot be made or written, or the disk is full.
    """
    place = folder or making.OUTPUT
    texts = (as_json(results.document), [results.markdown])
    first, second = making.write_pair(place, datetime.now(UTC), texts)
    making.remember(place, results.trend)
    return {"json": str(first.file), "markdown": str(second.file)}


Context = str | Mapping[str, Any]
Found = tuple[float, str, bool]
"""Score, reasoning, and whether it passes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """What is asked about a response, of whom, and from which score on it passes."""

    metric: str
    template: str
    model: str
    passing: float
    base_url: str | None = None


def prompt_of(metric: str) -> str:
    """Give the text of the prompt that ships for a property of guest responses."""
    return outside.prompt_of(GUEST_RESPONSE, metric)


def judged_now(asking: Asking, query: str, response: str, context: Context) -> Found:
    """Judge a response where no event loop runs.

    Raises:
        ReviewerError: One runs already, or as `judged`.
    """
    found: Found = outside.run(judged(asking, query, response, context))
    return found


async def judged(asking: Asking, query: str, response: str, context: Context) -> Found:
    """Judge a response.

    Raises:
        ReviewerError: The judge cannot be reached, its key is missing, its reply is no score, or
            the template is wrong.
    """
    rubric = rubrics.shipped()[GUEST_RESPONSE]
    metric = _metric(rubric, asking.metric)
    check(asking.template)
    judge = outside.judge_of(asking.model, asking.base_url)
    given = context if isinstance(context, str) else dict(context)
    case = {"input": query, "response": response, "context": given or None}
    (score,) = await outside.judged(
        outside.evaluation_of(case), rubric, [metric], judge, {asking.metric: asking.template}
    )
    value = as_number(score.value)
    if value is None:
        raise ReviewerError(f"The judge's reply is no score: {score.error}")
    return value, score.reasoning or "", reaches(value, asking.passing)


def _metric(rubric: Rubric, name: str) -> Metric:
    """Give a metric of the rubric, or one of that name with the same five levels."""
    known = rubric.by_name.get(name)
    if known is not None:
        return known
    return replace(rubric.metrics[0], name=name, title="", description="")
