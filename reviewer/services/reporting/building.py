"""The report of a scope: the figures of its runs, and the document in the system's own fields."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final

from reviewer.domain.rubric import Rubric
from reviewer.domain.scope import Scope
from reviewer.reports.systems.agent_rubric import agent_result, agent_summary
from reviewer.reports.systems.faq_bot import contradictions, faq_rows
from reviewer.reports.systems.guest_response import BEST_AND_WORST, GuestReport, GuestResult
from reviewer.reports.systems.harness import harness_rows, harness_summary
from reviewer.reports.systems.run_report import GUEST_RESPONSE, run_report, totals
from reviewer.reports.systems.virtual_agent import conversation_rows
from reviewer.services.figures import statistics
from reviewer.services.figures.another_rubric import under
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.figures.statistics_pass import NO_RULE
from reviewer.services.reporting import cases
from reviewer.services.reporting.cases import RunCases
from reviewer.services.reporting.rows import Fields, Rows, plain
from reviewer.services.reporting.verdicts import judged
from reviewer.store.project import Project

STAMP = "%Y-%m-%dT%H:%M:%SZ"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A report's figures.

    Whatever holds the text of every response is read from the project while it is written; until
    then the project is open, and read as of one moment.

    Attributes:
        run: Its results are without texts, but for the best and the worst.
        rubric: With the pass mark that was asked for.
        system: The system's own fields, empty where the run's are those.
        figures: The document of `stats`, None where people's figures were not asked for.
        moment: When the report was made.
    """

    project: Project
    wanted: Wanted
    found: RunCases
    rubric: Rubric
    run: GuestReport
    system: Fields
    figures: Fields | None
    moment: datetime

    @property
    def timestamp(self) -> str:
        """Give the moment as the documents have it."""
        return self.moment.strftime(STAMP)


def build(project: Project, wanted: Wanted, moment: datetime | None = None) -> Report:
    """Work out the report of a scope.

    Raises:
        ReviewerError: The scope names something that is not there, the pass mark is off the
            scale, or a target of the rubric is no comparison.
    """
    scope = wanted.scope
    found = cases.read(project, scope, only=wanted.only, sets=wanted.sets, passing=wanted.passing)
    rubric = found.rubric
    table = under(found.whole.table, rubric, found.whole.table.options)
    run = run_report(
        found.cases,
        rubric,
        judged(table, found.keys),
        figures=found.figures,
        top=wanted.top,
    )
    figures = None
    if wanted.people:
        figures = statistics.compute(project, StatsRequest(scope=scope)).to_json()
    return Report(
        project=project,
        wanted=wanted,
        found=found,
        rubric=rubric,
        run=_with_texts(run, found),
        system=fields(found),
        figures=figures,
        moment=moment or datetime.now(UTC),
    )


def _with_texts(run: GuestReport, found: RunCases) -> GuestReport:
    told = (*run.best, *run.worst)
    whole = found.whole.by_key(result.scored.case.key for result in told)

    def read(results: tuple[GuestResult, ...]) -> tuple[GuestResult, ...]:
        return tuple(replace(x, scored=whole[x.scored.case.key]) for x in results)

    return replace(run, best=read(run.best), worst=read(run.worst))


def _results(report: Report) -> Iterator[Fields]:
    results = iter(report.run.results)
    for scored in report.found.whole.read(report.found.keys):
        result = next(x for x in results if x.scored.case.key == scored.case.key)
        yield replace(result, scored=scored).to_json()


def summary(report: Report) -> Fields:
    """Give the summary in the system's own fields, without single cases."""
    return dict(system_summary(report.system) or _ruled(report, dict(totals(report.run))))


def _ruled(report: Report, made: Fields) -> Fields:
    """Leave the counts of pass and fail open where the rubric has no rule for them."""
    if report.rubric.pass_rule != "none":
        return made
    nothing = {"passed": None, "failed": None, "pass_rate": None}
    return made | nothing | {"undefined": {"pass_rate": NO_RULE}}


def document(report: Report) -> Fields:
    """Give the JSON document with every row in it, as `streamed` does without them."""
    found: Fields = plain(streamed(report))
    return found


def streamed(report: Report) -> Fields:
    """Give the JSON document: the fields of the guest-response report, for every rubric.

    Other rubrics add their system's own fields under `system`; where people's figures are part of
    the report, they stand under `figures`. What lags behind stands under `stale`. Lists of
    responses are `Rows`.
    """
    results = Rows(len(report.run.results), lambda: _results(report))
    made: Fields = {**report.run.figures_json(report.timestamp), "results": results}
    if report.rubric.name != GUEST_RESPONSE:
        made = {
            "schema": 1,
            "rubric": report.rubric.name,
            "runs": list(report.found.runs),
            **_ruled(report, made),
            "system": report.system,
        }
    if report.figures is None:
        return made | ({"stale": _lagging(report)} if report.found.lagging else {})
    look = report.run.where_to_look
    return {
        **made,
        "project": report.project.path.name,
        "scorers": dict(report.found.scorers),
        "where_to_look": look.to_json() if look else None,
        "figures": {key: report.figures[key] for key in _FIGURES if key in report.figures},
        "stale": report.figures["stale"],
    }


def _lagging(report: Report) -> list[Fields]:
    return [asdict(entry) for entry in report.found.lagging]


_FIGURES = (
    "preset", "as_of", "level", "filters", "window", "metrics", "satisfaction", "pass",
    "labelers", "runs",
)  # fmt: skip


def fields(found: RunCases) -> Fields:
    """Give the system's own results and summary; empty for rubrics that are no system's.

    Results hold texts and are `Rows`, read when they are walked through.
    """
    make = _SYSTEMS.get(found.rubric.name)
    return make(found) if make else {}


def system_summary(system: Fields) -> Fields | None:
    """Give the summary in a system's own field names, None where it has none."""
    found: Fields | None = system.get("summary")
    return found


def _agent(found: RunCases) -> Fields:
    results = [agent_result(scored, found.rubric) for scored in found.cases]
    failures = [key for key, result in zip(found.keys, results, strict=True) if not result.passed]
    system_summary: Fields = {**replace(agent_summary(results), failures=()).to_json()}

    def read(keys: Sequence[int]) -> Iterator[Fields]:
        for scored in found.whole.read(keys):
            yield agent_result(scored, found.rubric).to_json()

    if found.keys:
        system_summary["failures"] = Rows(len(failures), lambda: read(failures))
    return {"summary": system_summary, "results": Rows(len(found.keys), lambda: read(found.keys))}


def _harness(found: RunCases) -> Fields:
    made = harness_summary(harness_rows(found.cases, found.rubric), found.rubric)

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            yield from (row.to_json() for row in harness_rows([scored], found.rubric))

    return {
        "summary": made.to_json(),
        "shown": made.overall.shown,
        "warnings": list(made.warnings),
        "rows": Rows(len(found.keys), read),
    }


def _faq(found: RunCases) -> Fields:
    said = contradictions(faq_rows(found.cases), found.rubric)

    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            yield from (row.to_json() for row in faq_rows([scored]))

    return {
        "rows": Rows(len(found.keys), read),
        "contradictions": [
            {"id": x.id, "low": x.low, "high": x.high, "text": x.text} for x in said
        ],
    }


def _virtual_agent(found: RunCases) -> Fields:
    def read() -> Iterator[Fields]:
        for scored in found.whole.read(found.keys):
            key = scored.case.key
            said, human = found.whole.labels(key), found.whole.humans(key)
            for row in conversation_rows(scored, found.rubric, said, human):
                yield row.to_json()

    return {"rows": Rows(len(found.keys) * len(found.rubric.metrics), read)}


_SYSTEMS: Final[dict[str, Callable[[RunCases], Fields]]] = {
    "agent-rubric": _agent,
    "harness": _harness,
    "faq-bot": _faq,
    "virtual-agent": _virtual_agent,
}
