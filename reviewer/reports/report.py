"""A report: what was asked for, the figures of its run, the system's own part, and people's."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.reports.cases import Lagging, RunCases
from reviewer.reports.document import Fields
from reviewer.reports.own_part import OwnPart
from reviewer.reports.people import People, people_of
from reviewer.reports.run_report import (
    BEST_AND_WORST,
    Result,
    RunReport,
    run_report,
)
from reviewer.reports.systems import agent_rubric, faq_bot, harness, virtual_agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a report is about.

    Attributes:
        only: Of the scope, the evaluations that are asked for; None for all.
        sets: Score sets that count instead of those that do by themselves, by metric.
        passing: A pass mark in place of the rubric's.
        top: How many of the best and of the worst are told.
        people: Whether the figures of people's labels are part of it.
    """

    scope: Scope
    only: Collection[int] | None = None
    sets: Mapping[str, int] | None = None
    passing: float | None = None
    top: int = BEST_AND_WORST
    people: bool = True

    @property
    def filters(self) -> Iterator[str]:
        """Say what bounds the report."""
        scope = self.scope
        named = {
            "metric": scope.metrics,
            "labeler": scope.labelers,
            "category": scope.categories,
            "tag": scope.tags,
            "judge": (scope.scorer,) if scope.scorer else (),
            "where": tuple(f"{name}={value}" for name, value in scope.where),
        }
        yield from (f"{name}: {', '.join(values)}" for name, values in named.items() if values)
        if scope.blind_only:
            yield "blind labels only"
        if isinstance(scope.window_months, int):
            months = f"{scope.window_months} months"
            yield f"last {months}" if scope.as_of is None else f"{months} to {scope.as_of}"
        if self.passing is not None:
            yield f"pass mark {self.passing:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report's figures, from which every kind of file is written.

    Whatever holds the text of every response is read while it is written; until then the project
    is open, and read as of one moment.

    Attributes:
        project: The name of the file.
        run: Its results are without texts, but for the best and the worst.
        figures: The document of `stats`, None where people's figures were not asked for.
        moment: When the report was made.
    """

    project: str
    wanted: Wanted
    found: RunCases
    run: RunReport
    own: OwnPart
    figures: Fields | None
    people: People | None
    moment: datetime

    @property
    def rubric(self) -> Rubric:
        """Give the rubric with the pass mark that was asked for."""
        return self.found.rubric

    @property
    def timestamp(self) -> str:
        """Give the moment as the documents have it."""
        return self.moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def lagging(self) -> tuple[Lagging, ...]:
        """Give what the report mixes and what lags behind, as people's figures say it if any."""
        if self.figures is None:
            return self.found.lagging
        return tuple(Lagging(**entry) for entry in self.figures["stale"])

    @property
    def has_rule(self) -> bool:
        """Tell whether responses pass or fail."""
        return self.rubric.pass_rule != "none"


_SYSTEMS: Final = {
    "agent-rubric": agent_rubric.own_part,
    "harness": harness.own_part,
    "faq-bot": faq_bot.own_part,
    "virtual-agent": virtual_agent.own_part,
}


def report_of(
    project: str,
    wanted: Wanted,
    found: RunCases,
    figures: Fields | None,
    moment: datetime,
) -> Report:
    """Work out a report.

    Args:
        project: the name of the file.
        wanted: what it is about.
        found: its cases.
        figures: the document of `stats`; None without people's figures.
        moment: when it is made.

    Raises:
        RubricError: a target of the rubric is no comparison.
    """
    run = run_report(found, wanted.top)
    told = sorted({result.scored.case.key for result in (*run.best, *run.worst)})
    whole = {scored.case.key: scored for scored in found.whole.read(told)}

    def read(results: tuple[Result, ...]) -> tuple[Result, ...]:
        return tuple(replace(x, scored=whole[x.scored.case.key]) for x in results)

    make = _SYSTEMS.get(found.rubric.name)
    return Report(
        project=project,
        wanted=wanted,
        found=found,
        run=replace(run, best=read(run.best), worst=read(run.worst)),
        own=make(found) if make else OwnPart({}),
        figures=figures,
        people=None if figures is None else people_of(figures, found.rubric),
        moment=moment,
    )
