"""Validate the judge: a countdown of answers, and in the end a verdict with its evidence."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from reviewer.domain.run import Scope
from reviewer.services.figures import figure_table
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.request import Choices, Covered, choices, covered
from reviewer.services.figures.statistics_agreement import evidence_of, judge_human
from reviewer.services.figures.statistics_pass import metric_pass_fail
from reviewer.services.listing import listing
from reviewer.services.project.session import Session
from reviewer.services.queues import pools, validation_values, working
from reviewer.services.queues.recipes import AGREE
from reviewer.services.queues.validation_values import (
    Countdown,
    MetricVerdict,
    Validation,
    Verdict,
    Worst,
)
from reviewer.stats.intervals import Interval, IntervalPolicy
from reviewer.stats.reasons import NO_MARK_OF_METRIC
from reviewer.store import figures, queues
from reviewer.store.queues import QueueRow
from reviewer.store.scoping import only

FEW = "an interval needs 10 answers"
WORST = 10
EQUAL = 1e-9


def validation(session: Session, queue: QueueRow) -> Validation | Countdown:
    """Give the verdict over a queue, or the countdown until there may be one.

    While answers are missing the verdict is that of the last planned look, over the answers that
    were there then. Only the labels that the queue's people gave on the evaluations it drew count;
    of a blind queue only those given blind. What is skipped at the end is left out.

    Raises:
        ReviewerError: Evaluations of the queue are gone.
    """
    waiting = countdown(session, queue)
    table, found = _read(session, queue)
    if not waiting.ahead:
        return _judged(session, queue, waiting, (table, found), waiting.looks.at[-1])
    done = validation_values.answered(session, queue, table)
    look = validation_values.reached(waiting.looks, len(done))
    if look is None:
        return waiting
    part = _read(session, queue, done[:look])
    return _judged(session, queue, waiting, part, look)


def _read(
    session: Session, queue: QueueRow, keys: Sequence[int] | None = None
) -> tuple[FigureTable, Covered]:
    """Read the answers of a queue's people on what it drew, or on some of it."""
    project = session.project
    people = working.people(session, queue)
    scope = Scope(
        runs=queues.runs_of_queue(project, queue.key), labelers=people, blind_only=queue.blind
    )
    with figures.snapshot(project):
        found = covered(project, scope)
        within = queues.within_queue(queue.key, found.within)
        if keys is not None:
            within = only(within, keys)
        options = kept_options(project, found.rubric)
        table = figure_table.load(
            project, scope, rubric=found.rubric, within=within, options=options
        )
    return table, found


def _judged(
    session: Session,
    queue: QueueRow,
    waiting: Countdown,
    read: tuple[FigureTable, Covered],
    look: int,
) -> Validation:
    """Judge by the answers of a planned look."""
    table, found = read
    among = table.keys.tolist() if waiting.ahead else None
    without = validation_values.NotCounted(session, queue.key, table, among)
    made_by = choices(
        session.project,
        Scope(),
        table.rubric,
        policy=IntervalPolicy(level=waiting.looks.level_each),
    )
    metrics = tuple(
        replace(_metric(one, table, made_by), uncounted=without.metrics[one.metric.name])
        for one in table.metrics.values()
        if one.metric.is_labelled and (one.has_auto.any() or one.has_human.any())
    )
    answered = np.zeros(table.keys.size, dtype=np.bool_)
    for one in table.metrics.values():
        if one.metric.is_labelled:
            answered |= one.both
    return Validation(
        queue=queue.name,
        people=working.people(session, queue),
        n=int(answered.sum()),
        skipped=0 if waiting.ahead else waiting.left,
        verdict=_together(metrics),
        metrics=metrics,
        worst=_worst(session, table),
        left_out=found.left_out,
        uncounted=without.whole,
        looks=waiting.looks,
        ahead=waiting.ahead,
        looked=look,
    )


def of_queue(session: Session, name: str) -> Validation | Countdown:
    """Give the verdict over a queue by its name.

    Raises:
        ReviewerError: There is no such queue.
    """
    return validation(session, working.find(session, name))


def look_reached(session: Session, queue: QueueRow) -> int:
    """Give the last planned look that the answers there are allow; 0 before the first."""
    waiting = countdown(session, queue)
    return validation_values.reached(waiting.looks, waiting.done) or 0


def countdown(session: Session, queue: QueueRow) -> Countdown:
    """Count the answers that a queue still waits for, of all its people, repeats too."""
    found = working.progress(session, queue)
    spans = [one.seconds_left for one in found]
    known = [span for span in spans if span is not None]
    total = sum(one.total for one in found) + pools.free_answers(session, queue)
    drawn = pools.drawn(queue) or len(queues.answers_of_queue(session.project.conn, queue.key))
    return Countdown(
        queue=queue.name,
        total=total,
        done=sum(one.done for one in found),
        skipped=sum(one.skipped for one in found),
        seconds_left=max(known) if len(known) == len(spans) and known else None,
        looks=validation_values.planned(total, drawn),
    )


def _metric(table: MetricTable, whole: FigureTable, made_by: Choices) -> MetricVerdict:
    evidence = evidence_of(whole, table, made_by.options.counting)
    found = judge_human(whole, table, evidence, made_by)
    name = table.metric.kind.coefficient
    kappa, same = found[name], found["percent"]
    kappa_interval = found.intervals.get(name)
    percent_interval = found.intervals.get("percent")
    caught, n_failed = metric_pass_fail(whole, table, made_by)
    undefined = {
        "percent": found.undefined.get("percent"),
        "kappa": found.undefined.get(name),
        "catch_rate": NO_MARK_OF_METRIC if caught is None else caught.undefined.get("catch_rate"),
    }
    interval = caught.intervals.get("catch_rate") if caught else None
    for what, value, there in (
        ("percent", same, percent_interval),
        ("kappa", kappa, kappa_interval),
        ("catch_rate", caught["catch_rate"] if caught else None, interval),
    ):
        if value is not None and there is None:
            why = found.without_interval.get(name) if what == "kappa" else None
            undefined[f"{what}_interval"] = why or FEW
    return MetricVerdict(
        metric=table.metric.name,
        title=table.metric.heading,
        n=found.n_table,
        verdict=_verdict(percent_interval),
        percent=same,
        percent_interval=percent_interval,
        kappa_name=name,
        kappa=kappa,
        kappa_interval=kappa_interval,
        kappa_word=found.figure(name).word or None,
        catch_rate=caught["catch_rate"] if caught else None,
        catch_interval=interval,
        n_failed=n_failed,
        undefined={what: why for what, why in undefined.items() if why},
    )


def _verdict(interval: Interval | None) -> Verdict:
    if interval is None:
        return "cannot be told"
    low, high = round(interval.low, 9), round(interval.high, 9)
    if low >= AGREE:
        return "reaches"
    return "misses" if high < AGREE else "too close to call"


def _together(metrics: tuple[MetricVerdict, ...]) -> Verdict:
    """Give the worst of the metrics' verdicts; one that cannot be told says nothing."""
    found = {one.verdict for one in metrics}
    order: tuple[Verdict, ...] = ("misses", "too close to call", "reaches")
    return next((one for one in order if one in found), "cannot be told")


def _worst(session: Session, table: FigureTable) -> tuple[Worst, ...]:
    found: list[tuple[float, int, MetricTable, int]] = []
    for one in table.metrics.values():
        if not one.metric.is_labelled:
            continue
        gaps = np.abs(one.human.score - one.auto)
        low, high = one.metric.bounds or (0.0, 1.0)
        extent = 1.0 if not one.metric.is_numeric else high - low
        sizes = gaps / extent if one.metric.is_numeric else (gaps > EQUAL).astype(np.float64)
        places = np.flatnonzero(np.nan_to_num(gaps) > EQUAL)
        found.extend((float(sizes[at]), int(table.keys[at]), one, int(at)) for at in places)
    found.sort(key=lambda entry: (-entry[0], entry[1]))
    rows = {
        row.key: row
        for row in listing.rows(session, list(dict.fromkeys(key for _, key, _, _ in found)))
        if not row.hidden
    }
    made = []
    for _, key, one, at in found:
        if key not in rows:
            continue
        human, auto = float(one.human.score[at]), float(one.auto[at])
        made.append(
            Worst(
                key=key,
                id=rows[key].id,
                title=rows[key].title,
                metric=one.metric.name,
                heading=one.metric.heading,
                human=one.metric.kind.value_of(human),
                auto=one.metric.kind.value_of(auto),
                gap=human - auto if one.metric.is_numeric else None,
            )
        )
    return tuple(made[:WORST])
