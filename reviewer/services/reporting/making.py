"""Make the report of a scope: gather what it is made of, and write HTML, Markdown or JSON."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.scope import Scope
from reviewer.reports import fields, rendering
from reviewer.reports.document import as_json
from reviewer.reports.rendering import Kind
from reviewer.reports.report import Report, Wanted, report_of
from reviewer.reports.run_report import BEST_AND_WORST
from reviewer.services.figures import statistics
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.reporting import cases, writing
from reviewer.services.reporting.writing import Written
from reviewer.store import figures
from reviewer.store.project import Project

_KINDS: Final[dict[str, Kind]] = {".html": "html", ".htm": "html", ".md": "md", ".markdown": "md"}


def make(
    project: Project,
    to: Path,
    scope: Scope,
    *,
    template: str | None = None,
    top: int = BEST_AND_WORST,
) -> Written:
    """Write a report; the file is whole or not there.

    Args:
        project: the project.
        to: the file, whose suffix says what kind of report it is.
        scope: what the report is about.
        template: the name of one that ships, or a file; None for the usual one.
        top: how many of the best and of the worst are told.

    Raises:
        ReviewerError: The suffix stands for no report, a filter or template is wrong, or the file
            cannot be written.
    """
    suffix = to.suffix.lower()
    _check(project, to, suffix, template)
    kind = _KINDS.get(suffix)
    with figures.snapshot(project):
        if kind is not None:
            # a template that is not there is told before anything is worked out
            rendering.template(kind, template)
        made = build(project, Wanted(scope=scope, top=top))
        if kind is None:
            return writing.write(to, as_json(fields.document(made)))
        return writing.write(to, [rendered(made, kind, template)])


def _check(project: Project, to: Path, suffix: str, template: str | None) -> None:
    if suffix == ".pdf":
        raise ReviewerError(
            "PDF reports are not written yet; write an HTML report, open it in a browser and "
            "print it."
        )
    if suffix != ".json" and suffix not in _KINDS:
        raise ReviewerError(
            f"The suffix of {to.name} says no kind of report; use .html, .md or .json."
        )
    if suffix == ".json" and template is not None:
        raise ReviewerError("A JSON report has fixed fields and takes no --template.")
    if to.resolve() == project.path.resolve():
        raise ReviewerError(f"{to} is the project itself; name another file for the report.")


def build(project: Project, wanted: Wanted, moment: datetime | None = None) -> Report:
    """Work out the report of a scope.

    Raises:
        ReviewerError: The scope names something that is not there, the pass mark is off the
            scale, or a target of the rubric is no comparison.
    """
    found = cases.read(project, wanted)
    figures = None
    if wanted.people:
        figures = statistics.compute(project, StatsRequest(scope=wanted.scope)).to_json()
    return report_of(project.path.name, wanted, found, figures, moment or datetime.now(UTC))


def rendered(report: Report, kind: Kind = "md", template: str | None = None) -> str:
    """Give a report as Markdown or HTML; without a template in the form of its system."""
    found = rendering.template(kind, template, report.rubric.name)
    return rendering.render(kind, found, fields.named(report, kind))
