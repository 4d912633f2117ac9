"""Make a report file of a scope: HTML, Markdown or JSON by the suffix."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.reports import rendering
from reviewer.reports.rendering import Kind
from reviewer.reports.systems.guest_response import BEST_AND_WORST
from reviewer.services.reporting import building, writing
from reviewer.services.reporting.building import Report, Wanted
from reviewer.services.reporting.fields import fields
from reviewer.services.reporting.writing import Written
from reviewer.store import figures
from reviewer.store.project import Project

_KINDS: Final[dict[str, Kind]] = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What report to make.

    Attributes:
        template: The name of one that ships, or a file; None for the usual one.
        top: How many of the best and of the worst are told.
    """

    scope: Scope
    template: str | None = None
    top: int = BEST_AND_WORST


def make(project: Project, to: Path, request: ReportRequest) -> Written:
    """Write a report; the file is whole or not there.

    Raises:
        ReviewerError: The suffix stands for no report, a filter or template is wrong, or the file
            cannot be written.
    """
    suffix = to.suffix.lower()
    _check(project, to, suffix, request)
    with figures.snapshot(project):
        return _make(project, to, suffix, request)


def _make(project: Project, to: Path, suffix: str, request: ReportRequest) -> Written:
    template = None
    if suffix in _KINDS:
        # a template that is not there is told before anything is worked out
        template = rendering.template(_KINDS[suffix], request.template)
    made = building.build(project, Wanted(scope=request.scope, top=request.top))
    if suffix == ".json":
        return writing.write(to, writing.as_json(building.streamed(made)))
    kind = _KINDS[suffix]
    if template is None or request.template is None:
        template = rendering.template(kind, None, made.rubric.name)
    return writing.write(to, [rendering.render(kind, template, fields(made))])


def _check(project: Project, to: Path, suffix: str, request: ReportRequest) -> None:
    if suffix == ".pdf":
        raise ReviewerError(
            "PDF reports are not written yet; write an HTML report, open it in a browser and "
            "print it."
        )
    if suffix != ".json" and suffix not in _KINDS:
        raise ReviewerError(
            f"The suffix of {to.name} says no kind of report; use .html, .md or .json."
        )
    if suffix == ".json" and request.template is not None:
        raise ReviewerError("A JSON report has fixed fields and takes no --template.")
    if to.resolve() == project.path.resolve():
        raise ReviewerError(f"{to} is the project itself; name another file for the report.")


def markdown(report: Report) -> str:
    """Give a report as Markdown, in the form of its system."""
    template = rendering.template("md", None, report.rubric.name)
    return rendering.render("md", template, fields(report))
