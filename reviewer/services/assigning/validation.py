"""Validate the judge: a countdown of answers, and in the end a verdict with its evidence."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from reviewer.domain.rubric import Metric
from reviewer.domain.scope import Scope
from reviewer.domain.values import Value
from reviewer.scoring.overall import part_of
from reviewer.services.assigning import not_counted, working
from reviewer.services.assigning.recipes import AGREE
from reviewer.services.figures import figure_table
from reviewer.services.figures.covered import covered
from reviewer.services.figures.figure_table import FigureTable, MetricTable
from reviewer.services.figures.statistics_agreement import evidence_of, judge_human
from reviewer.services.figures.statistics_corrected import best_ways
from reviewer.services.figures.statistics_options import Choices, choices
from reviewer.services.figures.statistics_pass import Selected, block_of
from reviewer.services.figures.statistics_words import wording
from reviewer.services.project.figure_rules import scale_values
from reviewer.services.project.insights_words import counted, listed, percent, two
from reviewer.services.project.session import Session
from reviewer.services.queueing import queues
from reviewer.stats.intervals import Interval
from reviewer.stats.overall_columns import FAIL, verdict_columns
from reviewer.stats.passfail import PassFail
from reviewer.stats.satisfaction import OverallRule
from reviewer.store import drawing, figures
from reviewer.store.queues import QueueRow

Verdict = Literal["reaches", "misses", "too close to call", "cannot be told"]
NO_MARK = "the metric has no pass mark"
FEW = "an interval needs 10 answers"
MORE = "Validate the judge on more responses."
WORST = 10
_WORDS: dict[Verdict, str] = {
    "reaches": f"reaches {percent(AGREE)}",
    "misses": f"misses {percent(AGREE)}",
    "too close to call": "is too close to call",
    "cannot be told": "has too few answers",
}
EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class Countdown:
    """A validation that still waits for answers."""

    queue: str
    total: int
    done: int
    skipped: int
    seconds_left: float | None

    @property
    def left(self) -> int:
        """Count the answers to go."""
        return self.total - self.done

    @property
    def ahead(self) -> int:
        """Count the answers that keep the verdict back: what is skipped does so only alone."""
        return self.left - (self.skipped if self.done else 0)

    @property
    def sentence(self) -> str:
        """Say how far it is."""
        aside = f", {self.skipped} of them skipped" if self.skipped else ""
        return f"{counted(self.left, 'answer')} to go of {self.total:,}{aside}."


@dataclass(frozen=True, slots=True)
class MetricVerdict:
    """Judge and people on one metric of a validation.

    Attributes:
        n: Evaluations with both.
        percent: Share of equal answers; None with its reason.
        kappa_name: `kappa_quadratic` on ordered scales, else `kappa`.
        catch_rate: Share of what people fail that the judge fails too.
        n_failed: What people fail.
        undefined: Reasons by `percent`, `kappa`, `catch_rate`, and `…_interval` of each.
        uncounted: Further evaluations that do not count on this metric, by the reason.
    """

    metric: str
    title: str
    n: int
    verdict: Verdict
    percent: float | None
    percent_interval: Interval | None
    kappa_name: str
    kappa: float | None
    kappa_interval: Interval | None
    kappa_word: str | None
    catch_rate: float | None
    catch_interval: Interval | None
    n_failed: int
    undefined: Mapping[str, str] = field(default_factory=dict)
    uncounted: not_counted.Counts = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Say it all in one line."""
        without = not_counted.sentence(self.uncounted)
        if self.percent is None:
            reason = self.undefined["percent"]
            return f"{self.title}: {reason}{f'; {without}' if without else ''}."
        parts = [
            f"{self.title} {_WORDS[self.verdict]}: equal in {percent(self.percent)}"
            f"{_between(self.percent_interval, percent)} of {self.n:,}"
        ]
        if self.kappa is not None:
            parts.append(f"kappa {two(self.kappa)}{_between(self.kappa_interval, two)}")
        if self.catch_rate is not None:
            parts.append(
                f"it catches {percent(self.catch_rate)}"
                f"{_between(self.catch_interval, percent)} of {counted(self.n_failed, 'fail')}"
            )
        return "; ".join(filter(None, (*parts, without))) + "."


@dataclass(frozen=True, slots=True)
class Worst:
    """One of the worst disagreements: an evaluation and metric with both answers."""

    key: int
    id: str
    title: str
    metric: str
    heading: str
    human: Value
    auto: Value
    gap: float | None


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict over a queue whose answers are all in.

    Attributes:
        n: Evaluations that count: with an answer and an auto score on a metric.
        skipped: Answers that were skipped in the end, repeats too.
        worst: By the size of the gap relative to the scale; only what the labeler may see.
        left_out: Runs of another rubric, whose evaluations do not count here.
        uncounted: Evaluations that were drawn and count for nothing, by the reason.
    """

    queue: str
    people: tuple[str, ...]
    n: int
    skipped: int
    verdict: Verdict
    metrics: tuple[MetricVerdict, ...]
    worst: tuple[Worst, ...]
    left_out: tuple[str, ...] = ()
    uncounted: not_counted.Counts = field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """Give the whole verdict as people repeat it."""
        by = {
            "reaches": f"The judge reaches {percent(AGREE)} agreement",
            "misses": f"The judge misses {percent(AGREE)} agreement",
            "too close to call": f"It is too close to call whether {percent(AGREE)} is reached",
            "cannot be told": "There are too few answers for a verdict",
        }[self.verdict]
        who = listed(self.people)
        without = not_counted.sentence(self.uncounted)
        aside = self.skipped - self.uncounted.get("skipped", 0)
        more = f"{counted(aside, 'further answer')} skipped" if aside > 0 else ""
        rest = "".join(f"; {one}" for one in (without, more) if one)
        head = f"{by} ({counted(self.n, 'evaluation')} by {who}{rest})."
        return " ".join(filter(None, (head, *(x.sentence for x in self.metrics), self.advice)))

    @property
    def advice(self) -> str:
        """Say what to do next where too little counts; empty where there is a verdict."""
        if self.verdict != "cannot be told":
            return ""
        counts = Counter(self.uncounted)
        for one in self.metrics:
            counts.update(one.uncounted)
        return not_counted.advice(counts) or MORE


def validation(session: Session, queue: QueueRow) -> Validation | Countdown:
    """Give the verdict over a queue, or the countdown while answers are missing.

    Only the labels that the queue's people gave on the evaluations it drew count; of a blind queue
    only those given blind. What is skipped at the end is left out.

    Raises:
        ReviewerError: Evaluations of the queue are gone.
    """
    waiting = countdown(session, queue)
    if waiting.ahead:
        return waiting
    project = session.project
    people = working.people(session, queue)
    scope = Scope(
        runs=drawing.runs_of_queue(project, queue.key), labelers=people, blind_only=queue.blind
    )
    made_by = choices(project, scope)
    with figures.snapshot(project):
        found = covered(project, scope)
        within = drawing.within_queue(queue.key, found.within)
        combine = made_by.options.label_combine
        table = figure_table.load(
            project, scope, rubric=found.rubric, within=within, combine=combine
        )
    without = not_counted.NotCounted(session, queue.key, table)
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
        people=people,
        n=int(answered.sum()),
        skipped=waiting.left,
        verdict=_together(metrics),
        metrics=metrics,
        worst=_worst(session, table),
        left_out=found.left_out,
        uncounted=without.whole,
    )


def of_queue(session: Session, name: str) -> Validation | Countdown:
    """Give the verdict over a queue by its name.

    Raises:
        ReviewerError: There is no such queue.
    """
    return validation(session, working.find(session, name))


def countdown(session: Session, queue: QueueRow) -> Countdown:
    """Count the answers that a queue still waits for, of all its people, repeats too."""
    found = working.progress(session, queue)
    spans = [one.seconds_left for one in found]
    known = [span for span in spans if span is not None]
    return Countdown(
        queue=queue.name,
        total=sum(one.total for one in found),
        done=sum(one.done for one in found),
        skipped=sum(one.skipped for one in found),
        seconds_left=max(known) if len(known) == len(spans) and known else None,
    )


def _metric(table: MetricTable, whole: FigureTable, made_by: Choices) -> MetricVerdict:
    evidence = evidence_of(whole, table, made_by.options.counting)
    found = judge_human(whole, table, evidence, made_by)
    name = "kappa" if table.metric.scale == "categorical" else "kappa_quadratic"
    kappa: float | None = getattr(found, name)
    kappa_interval = found.intervals.get(name)
    percent_interval = found.intervals.get("percent")
    caught, n_failed = _caught(whole, table, made_by)
    undefined = {
        "percent": found.undefined.get("percent"),
        "kappa": found.undefined.get(name),
        "catch_rate": NO_MARK if caught is None else caught.undefined.get("catch_rate"),
    }
    interval = caught.intervals.get("catch_rate") if caught else None
    for what, value, there in (
        ("percent", found.percent, percent_interval),
        ("kappa", kappa, kappa_interval),
        ("catch_rate", caught.catch_rate if caught else None, interval),
    ):
        if value is not None and there is None:
            why = found.without_interval.get(name) if what == "kappa" else None
            undefined[f"{what}_interval"] = why or FEW
    return MetricVerdict(
        metric=table.metric.name,
        title=table.metric.heading,
        n=found.n_table,
        verdict=_verdict(percent_interval),
        percent=found.percent,
        percent_interval=percent_interval,
        kappa_name=name,
        kappa=kappa,
        kappa_interval=kappa_interval,
        kappa_word=wording(found, name) or None,
        catch_rate=caught.catch_rate if caught else None,
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


def _caught(
    whole: FigureTable, table: MetricTable, made_by: Choices
) -> tuple[PassFail | None, int]:
    """Work out what the judge catches, as the Audit page does, and count what people fail."""
    metric = table.metric
    if metric.pass_at is None or not metric.is_numeric:
        return None, 0
    rule = OverallRule(parts=(part_of(metric),), passing="every")
    auto, human = (
        verdict_columns({metric.name: x}, rule) for x in (table.auto, table.human.score)
    )
    ways = best_ways([table.human], whole.clusters)
    selected = Selected(whole.selection, made_by.options.selection)
    n_failed = int((human[selected.counted(auto, human)] == FAIL).sum())
    return block_of(auto, human, ways, made_by.policy, selected).figures, n_failed


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
        for row in queues.rows(session, list(dict.fromkeys(key for _, key, _, _ in found)))
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
                human=_value(one.metric, human),
                auto=_value(one.metric, auto),
                gap=human - auto if one.metric.is_numeric else None,
            )
        )
    return tuple(made[:WORST])


def _value(metric: Metric, number: float) -> Value:
    if metric.scale == "categorical":
        return scale_values(metric)[int(number)]
    return int(number) if number.is_integer() else number


def _between(interval: Interval | None, write: Callable[[float], str]) -> str:
    if interval is None:
        return ""
    return f" ({write(interval.low)} to {write(interval.high)})"
