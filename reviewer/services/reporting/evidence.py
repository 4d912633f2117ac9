"""What stands behind a report's figures, gathered from columns and from a few cases by key."""

import hashlib
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Final

import numpy as np
from msgspec import UNSET, structs

from reviewer.domain.evaluation import CAUSE_TITLES
from reviewer.domain.run import Scope
from reviewer.domain.wording import brief, score_words
from reviewer.reports.cases import ScoredCase
from reviewer.reports.evidence import (
    BareCategory,
    CauseCount,
    Change,
    CountingJudge,
    Evidence,
    Measured,
    NotCounted,
    Origin,
    OverTime,
    Period,
)
from reviewer.reports.report import Wanted
from reviewer.services.adjudicating import causes
from reviewer.services.adjudicating.decisions import Cause
from reviewer.services.adjudicating.next_steps import bare_categories
from reviewer.services.audits import trend
from reviewer.services.computer.versions import version
from reviewer.services.figures import run_records
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.figure_settings import options_of
from reviewer.services.figures.figure_table import FigureTable
from reviewer.services.figures.human_columns import Flags
from reviewer.services.figures.human_scores import Choice
from reviewer.services.figures.request import Choices, look_back
from reviewer.services.figures.statistics_document import StatsDocument
from reviewer.services.figures.statistics_gaps import Frame
from reviewer.services.project import project_days
from reviewer.services.reporting import packet
from reviewer.services.reporting.cases import ReadCases
from reviewer.services.reporting.told_cases import CaseTeller
from reviewer.stats.clustering import Quantity, share_of
from reviewer.store import figures
from reviewer.store.project import Project

PROMPT: Final = 6
"""Characters of a prompt's hash that tell it from others."""


def gather(
    read: ReadCases,
    wanted: Wanted,
    document: StatsDocument,
    choices: Choices,
    cases: Sequence[ScoredCase],
) -> Evidence:
    """Gather what stands behind the figures of a scope, while its project is open.

    Args:
        read: its columns, and its cases by key.
        wanted: what the report is about.
        document: its figures.
        choices: how they were made.
        cases: all of it, in the order of the columns.
    """
    table = read.table
    labelled = np.logical_or.reduce([x.has_human for x in table.metrics.values()])
    teller = CaseTeller(read, document)
    best, worst = teller.best_and_worst(wanted.top)
    bare = bare_categories([x.case.category for x in cases], labelled)
    return Evidence(
        measured=_measured(table, document, choices, labelled),
        origin=_origin(read.project, wanted, document, choices),
        differing=teller.differing(),
        causes=tuple(_causes(read.project, table)),
        over_time=tuple(_over_time(read.project, Frame(table, choices), document, cases)),
        best=best,
        worst=worst,
        bare=tuple(BareCategory(*one) for one in bare),
        not_counted=tuple(_not_counted(document)),
    )


def _measured(
    table: FigureTable, document: StatsDocument, choices: Choices, labelled: Flags
) -> Measured:
    dated = table.dates[table.dates != figures.UNDATED]
    first, last = (
        (project_days.day_of(int(edge), choices.zone) for edge in (dated.min(), dated.max()))
        if dated.size
        else (None, None)
    )
    people = {int(key) for one in table.metrics.values() for key in np.unique(one.people.labelers)}
    seen = np.logical_or.reduce([x.has_human & ~x.human.all_blind for x in table.metrics.values()])
    ways = table.selection.ways[labelled]
    return Measured(
        responses=int(table.keys.size),
        first=first,
        last=last,
        judges=tuple(_judges(document)),
        labelled=int(np.count_nonzero(labelled)),
        labelers=len(people),
        blind=int(np.count_nonzero(labelled & ~seen)),
        drawn=int(np.count_nonzero(ways > Choice.UNKNOWN)),
        chosen=int(np.count_nonzero(ways == Choice.CONVENIENCE)),
        unknown=int(np.count_nonzero(ways == Choice.UNKNOWN)),
    )


def _judges(document: StatsDocument) -> Iterator[CountingJudge]:
    found: dict[str, list[tuple[str, RunRecord]]] = {}
    for name, record in document.records:
        if record.version is not None and record.reason is None:
            found.setdefault(record.version.name, []).append((name, record))
    for name, mine in found.items():
        counts: Counter[str] = Counter()
        for metric, record in mine:
            counts[metric] += record.n
        blocks = [document.metrics[metric] for metric in counts]
        yield CountingJudge(
            name=name,
            prompts=tuple(dict.fromkeys(filter(None, (_prompt(record) for _, record in mine)))),
            fewest=min(counts.values()),
            most=max(counts.values()),
            metrics=tuple(block.title for block in blocks),
            is_judge=any(block.is_labelled for block in blocks),
        )


def _prompt(record: RunRecord) -> str:
    return "" if record.version is None else (record.version.prompt_hash or "")[:PROMPT]


def _causes(project: Project, table: FigureTable) -> Iterator[CauseCount]:
    by_name = table.rubric.by_name
    counts: dict[Cause, Counter[str]] = {}
    for metric, found in causes.named(project, by_name, set(table.keys.tolist())).items():
        for cause, keys in found.items():
            counts.setdefault(cause, Counter())[by_name[metric].heading] += len(keys)
    n = sum(one.total() for one in counts.values())
    for kind, mine in sorted(counts.items(), key=lambda one: -one[1].total()):
        hits = np.arange(n) < mine.total()
        yield CauseCount(
            title=CAUSE_TITLES[kind],
            n=mine.total(),
            share=share_of(hits, np.ones(n, dtype=np.bool_)),
            metrics=tuple(mine.most_common()),
        )


def _over_time(
    project: Project, frame: Frame, document: StatsDocument, cases: Sequence[ScoredCase]
) -> Iterator[OverTime]:
    names, codes = np.unique([x.case.run for x in cases], return_inverse=True)
    rows = {str(name): np.flatnonzero(codes == at) for at, name in enumerate(names)}
    for block in document.metrics.values():
        metric = frame.table.metrics[block.name].metric
        # what follows from people's labels moves with them
        if not (metric.is_labelled or metric.derived):
            continue
        found = trend.marked(project, frame, trend.trend(frame, block.name), rows)
        weeks = [x for x in found.weeks if x.auto_mean is not None or x.human.value is not None]
        if len(weeks) > 1:
            yield OverTime(
                metric=block.name,
                title=block.title,
                bounds=metric.bounds,
                periods=tuple(
                    Period(
                        week.start,
                        # all that was judged is no sample
                        Quantity(week.auto_mean, week.n_auto),
                        Quantity(week.human.value, week.n_human, week.human.low, week.human.high),
                    )
                    for week in weeks
                ),
                changes=tuple(Change(mark.since, mark.title) for mark in found.marks),
            )


def _not_counted(document: StatsDocument) -> Iterator[NotCounted]:
    for words, names in run_records.not_counting(document.records).items():
        yield NotCounted(words, tuple(document.metrics[name].title for name in names))


def _origin(project: Project, wanted: Wanted, document: StatsDocument, choices: Choices) -> Origin:
    usual, mine = asdict(options_of(choices.preset)), asdict(document.options)
    # as it will be said of this day, whenever that is
    dated = structs.replace(wanted.scope, as_of=document.as_of)
    words = document.look_back and look_back(document.options, document.as_of)
    proof = packet.figures_json(replace(document, scope=dated, look_back=words))
    filters = [*filter_words(dated), *_making_words(wanted)]
    marked = [] if wanted.passing is None else ["--passing-score", brief(wanted.passing)]
    name = project.path.name
    # a packet holds every metric of the rubric, under its own pass mark
    proves = not marked and not wanted.scope.metrics
    return Origin(
        version=version(),
        report=shlex.join(["reviewer", "report", name, "report.html", *filters, *marked]),
        packet=shlex.join(["reviewer", "packet", name, "audit.zip", *filters]) if proves else "",
        sha256=hashlib.sha256(proof).hexdigest(),
        preset=choices.preset,
        as_of=document.as_of,
        time_zone=document.time_zone,
        level=document.level,
        seed=choices.policy.seed,
        options=(
            *(
                (option, _option_words(value))
                for option, value in mine.items()
                if option != "of_metrics" and value != usual.get(option)
            ),
            *((f"{of}:{one}", brief(limit)) for of, one, limit in document.options.of_metrics),
        ),
    )


def _option_words(value: object) -> str:
    return score_words(value) if isinstance(value, int | float) else str(value)


def _making_words(wanted: Wanted) -> Iterator[str]:
    if wanted.preset is not None:
        yield from ("--preset", wanted.preset)
    for name, value in wanted.options:
        yield from ("--option", f"{name}={value}")


def filter_words(scope: Scope) -> Iterator[str]:
    """Give a scope as the words of a command line."""
    several = {
        "--run": ("all",) if scope.every_run else scope.runs,
        "--metric": scope.metrics,
        "--labeler": scope.labelers,
        "--category": scope.categories,
        "--tag": scope.tags,
        "--where": tuple(f"{name}={value}" for name, value in scope.where),
    }
    for option, values in several.items():
        for value in values:
            yield from (option, value)
    if scope.scorer:
        yield from ("--scorer", scope.scorer)
    if scope.blind_only:
        yield "--blind-only"
    if scope.window_months is not UNSET:
        yield from ("--window-months", str(scope.window_months or "none"))
    if scope.as_of is not None:
        yield from ("--as-of", scope.as_of.isoformat())
