"""The figures of `stats` as values, and the JSON document that the command line prints of them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date
from pathlib import Path
from typing import Self

from msgspec import UNSET

from reviewer.domain.run import Scope, ScorerVersion
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.statistics_blocks import (
    GapBlock,
    GoldenBlock,
    GroupTable,
    Json,
    LabelerPair,
    MetricBlock,
    PassBlock,
    RunBlock,
    RunMetric,
    Staleness,
    TrustBlock,
    corrected_json,
    golden_json,
    groups_json,
    intervals_json,
    pair_json,
)
from reviewer.services.figures.trust_words import headline, reasons, told
from reviewer.stats.agreement import Agreement
from reviewer.stats.catalogue import FIGURES
from reviewer.stats.deviations import DeviationOptions, Window
from reviewer.stats.rates import OF_VERDICTS
from reviewer.stats.trust import Finding

SCHEMA = 1
NO_SCORER = "nothing scored this metric"


@dataclass(frozen=True, slots=True)
class StatsDocument:
    """Every figure of a scope.

    Attributes:
        project: The project file.
        as_of: The last day of the window.
        span: The days of the window, and `look_back` how it is said where it bounds means of
            labelled evaluations, deviations and band alone.
        runs: The runs that it covers.
        left_out: Those that it does not: see `Covered`.
        by_run: The main figures of each run, where several are pooled.
        metrics: By name, in the rubric's order; only those that the scope lists.
        satisfaction: The overall score, over the whole rubric.
        labelers: Every pair of people and metric with at least one evaluation in common.
        records: By metric whose scores count in each run.
        groups: Correlation by group, where it was asked for.
    """

    project: Path
    rubric: str
    time_zone: str
    preset: str
    options: DeviationOptions
    as_of: date
    level: float
    scope: Scope
    runs: tuple[str, ...]
    left_out: tuple[str, ...]
    span: Window
    look_back: str
    metrics: Mapping[str, MetricBlock]
    satisfaction: GapBlock
    passing: PassBlock
    labelers: tuple[LabelerPair, ...] = ()
    stale: tuple[Staleness, ...] = ()
    records: tuple[tuple[str, RunRecord], ...] = ()
    groups: GroupTable | None = None
    by_run: tuple[RunBlock, ...] = ()

    def with_parts(
        self,
        groups: GroupTable | None,
        stale: tuple[Staleness, ...],
        by_run: tuple[RunBlock, ...] = (),
    ) -> Self:
        """Give the document with groups, what lags behind, and each run's figures."""
        return replace(self, groups=groups, stale=stale, by_run=by_run)

    def with_golden(self, golden: GoldenBlock) -> Self:
        """Give the document with a golden set, which corrects where the labels cannot."""
        passing = replace(self.passing, golden=golden)
        if not passing.corrected.n and golden.corrected.mean is not None:
            passing = replace(passing, corrected=golden.corrected)
        return replace(self, passing=passing)

    def to_json(self) -> Json:
        """Give the document; every number is finite, every null has its reason beside it."""
        found: Json = {
            "schema": SCHEMA,
            "project": str(self.project),
            "rubric": self.rubric,
            "time_zone": self.time_zone,
            "preset": self.preset,
            "options": asdict(self.options),
            "as_of": self.as_of.isoformat(),
            "level": self.level,
            "filters": filters_json(self.scope, self.runs, self.left_out),
            "window": self.window_json(),
            "record": [record_json(name, x) for name, x in self.records],
            "stale": [x.to_json() for x in self.stale],
            "metrics": {name: metric_json(x) for name, x in self.metrics.items()},
            "satisfaction": satisfaction_json(self.satisfaction),
            "trust": {"headline": headline(self.labelled)},
            "pass": pass_json(self.passing),
            "labelers": [pair_json(x) for x in self.labelers],
        }
        if self.by_run:
            found["runs"] = {one.name: run_json(one) for one in self.by_run}
        if self.groups is not None:
            found["groups"] = groups_json(self.groups)
        return found

    @property
    def labelled(self) -> tuple[MetricBlock, ...]:
        """Give the metrics that people are asked for."""
        return tuple(block for block in self.metrics.values() if block.is_labelled)

    def window_json(self) -> Json:
        """Give the days of the window, what it bounds, and how that is said."""
        start, asked = self.span.start, self.scope.window_months is not UNSET
        bounds = "everything" if asked else "deviations"
        days = {} if start is None else {"from": start.isoformat()}
        return {
            **days,
            "to": self.span.end.isoformat(),
            "bounds": "nothing" if start is None else bounds,
            "words": self.look_back,
        }


def record_json(metric: str, found: RunRecord) -> Json:
    """Give whose scores count for a metric in a run, and whose do not."""
    made: Json = {
        "run": found.run,
        "metric": metric,
        **_version_json(found.version),
        "n": found.n,
        "of": found.of,
        "by": found.by,
        "at": found.at,
        "with_repeats": found.with_repeats,
        "of_record": found.is_of_record,
        "not_counted": [
            _undefined_json(_version_json(x) | {"n": n}) for x, n in found.not_counted
        ],
    }
    if found.reason:
        made["reason"] = found.reason
    return _undefined_json(made)


def _version_json(version: ScorerVersion | None) -> Json:
    if version is None:
        return {"scorer": None, "version": None, "name": None}
    return {"scorer": version.scorer, "version": version.version, "name": version.name}


def _undefined_json(made: Json) -> Json:
    """Say why a name or a time is missing."""
    why = {
        "scorer": made.get("reason"),
        "name": made.get("reason"),
        "version": made.get("reason") or "the scorer names no version",
        "by": "an import or a job fixed it" if made.get("at") else "a filter chose it",
        "at": "a filter chose it" if made.get("name") else made.get("reason"),
    }
    missing = {name: why[name] for name in why if name in made and made[name] is None}
    return made | ({"undefined": missing} if missing else {})


def filters_json(scope: Scope, runs: tuple[str, ...], left_out: tuple[str, ...]) -> Json:
    """Give the filters as they were asked for, the runs covered, and those left out."""
    months = scope.window_months
    return {
        "run": list(scope.runs),
        "all_runs": scope.every_run,
        "covers": list(runs),
        "metric": list(scope.metrics),
        "labeler": list(scope.labelers),
        "category": list(scope.categories),
        "tag": list(scope.tags),
        "scorer": scope.scorer,
        "blind_only": scope.blind_only,
        "as_of": scope.as_of.isoformat() if scope.as_of else None,
        "window_months": None if months is UNSET else months or "none",
        "where": [f"{name}={value}" for name, value in scope.where],
        "left_out": list(left_out),
    }


def gap_json(block: GapBlock) -> Json:
    """Give the keys from `n_auto` to `adjusted_mean`."""
    found = block.deviations
    return {
        "n_auto": block.n_auto,
        "n_labelled": found.n_labelled,
        "n_chosen": block.n_chosen,
        "n_human": block.n_human,
        "n_blind": block.n_blind,
        "auto_mean": block.auto_mean,
        "human_mean": block.human_mean,
        "gap_mean": found.gap_mean,
        "n_higher": found.n_higher if block.ordered else None,
        "n_lower": found.n_lower if block.ordered else None,
        "n_equal": found.n_equal,
        "upper_deviation": found.upper,
        "lower_deviation": found.lower,
        "error_band": block.band,
        "deviation_status": found.status,
        "adjusted_mean": block.adjusted_mean,
        "intervals": intervals_json(block.intervals),
        "shown": {
            "band": block.shown_band.to_json(),
            "adjusted": block.shown_adjusted.to_json(),
        },
    }


def metric_json(block: MetricBlock) -> Json:
    """Give one metric's part of the document."""
    return {
        "scorer": block.scorer,
        "other_scorers": list(block.other_scorers),
        **gap_json(block.gaps),
        "n_derived": block.n_derived,
        "capped": block.gaps.capped,
        "leaning": block.leaning.to_json(),
        "corrected": corrected_json(block.corrected),
        "agreement": {
            "judge_human": judge_human_json(block),
            "human_human": agreement_json(block.human_human),
        },
        "trust": trust_json(block),
        "confusion": {
            "values": list(block.confusion.values),
            "table": [list(row) for row in block.confusion.table],
        },
        "undefined": dict(block.gaps.undefined)
        | ({} if block.scorer is not None else {"scorer": NO_SCORER}),
    }


def trust_json(block: MetricBlock) -> Json:
    """Give whether to rely on a metric's judge, why, and both as it is said."""
    said, found = told(block), block.trust
    made: Json = {
        "state": said.state,
        "reasons": list(reasons(found)),
        "title": block.title,
        "words": said.words,
        "text": said.text,
        "next": said.next,
        "level": found.trust.level,
        "findings": {one.name: _finding_json(one) for one in found.trust.findings},
    }
    if found.reached is not None:
        reached = found.reached
        made["agreement"] = {
            "name": reached.name,
            "n": reached.n,
            "judge": reached.judge,
            "people": reached.people,
            "share": reached.share,
            "intervals": intervals_json(reached.intervals),
            # why there is no interval stands among the findings
            "undefined": {x: why for x, why in reached.undefined.items() if x != "interval"},
        }
    return made


FEW = "too few for an interval"


def _finding_json(one: Finding) -> Json:
    """Give one of the three figures beside its limit; without an interval with the reason."""
    made: Json = {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n": one.n,
        "limit": one.limit,
        "place": one.place,
    }
    if one.low is None or one.high is None:
        return made | {"reason": one.why or FEW}
    return made | ({"reason": one.why} if one.why else {})


def satisfaction_json(block: GapBlock) -> Json:
    """Give the overall's part of the document."""
    return {
        **gap_json(block),
        "coverage_mean": block.coverage_mean,
        "undefined": dict(block.undefined),
    }


def run_json(run: RunBlock) -> Json:
    """Give the main figures of a run that is pooled with others."""
    return {
        "metrics": {name: _run_metric(one) for name, one in run.metrics.items()},
        "pass": pass_json(run.passing),
    }


def _run_metric(one: RunMetric) -> Json:
    gaps, agreement = gap_json(one.gaps), one.judge_human
    kappas = ("kappa", "kappa_quadratic")
    found: Json = {
        "scorer": one.scorer,
        **{name: gaps[name] for name in _RUN_FIGURES},
        "corrected": corrected_json(one.corrected),
        "n": agreement.n,
        **{name: agreement[name] for name in kappas},
        "intervals": intervals_json(
            {x: agreement.intervals[x] for x in kappas if x in agreement.intervals}
        ),
    }
    reasons = {"scorer": NO_SCORER, **agreement.undefined, **one.gaps.undefined}
    found["undefined"] = {name: reasons[name] for name, value in found.items() if value is None}
    return found


_RUN_FIGURES = (
    "n_auto", "n_labelled", "n_human", "auto_mean", "human_mean", "gap_mean", "error_band",
    "deviation_status", "adjusted_mean", "shown",
)  # fmt: skip


_MAIN = ("percent", "kappa", "kappa_quadratic", "bias")


def judge_human_json(block: MetricBlock) -> Json:
    """Give the agreement of judge and people, and what decisions change in it."""
    made = agreement_json(block.judge_human, selected=True)
    made["alt_test"] = alt_json(block.trust)
    if made["alt_test"] is None:
        made["undefined"]["alt_test"] = block.trust.alternative.reason
    if block.undecided is not None:
        found = block.undecided.found
        made["without_decisions"] = {
            "n_decisions": block.undecided.n,
            "n": found.n,
            **{name: found[name] for name in _MAIN},
            "intervals": {
                name: ends
                for name, ends in intervals_json(found.intervals).items()
                if name in _MAIN
            },
            "undefined": {name: why for name, why in found.undefined.items() if name in _MAIN},
        }
    return made


def alt_json(block: TrustBlock) -> Json | None:
    """Give the alternative annotator test, None where too few labelers remain."""
    found = block.alternative
    if found.omega is None:
        return None
    made: Json = {
        "omega": found.omega,
        "rho": found.rho,
        "epsilon": found.epsilon,
        "q": found.q,
        "score": found.score,
        "labelers": len(found.held),
        "left_out": list(block.left_out),
        "passed": found.passed,
    }
    return made | ({"note": found.note} if found.note else {})


def agreement_json(found: Agreement, *, selected: bool = False) -> Json:
    """Give an agreement block; `labelers` only where it is about several people.

    `selected` where what was chosen is left out.
    """
    made: Json = {"n": found.n, "n_table": found.n_table}
    if selected:
        made |= {"n_chosen": found.n_chosen, "n_unknown": found.n_unknown}
    if found.labelers is not None:
        made["labelers"] = found.labelers
    made["n_no_majority"] = found.n_no_majority
    made["n_rounded"] = found.n_rounded
    made["n_off_level"] = found.n_off_level
    made |= {name: found[name] for name in FIGURES}
    made["limits"] = list(found.limits) if found.limits else None
    made["intervals"] = intervals_json(found.intervals)
    if found.without_interval:
        made["without_interval"] = dict(found.without_interval)
    made["words"] = found.wordings()
    made["undefined"] = dict(found.undefined)
    return made | ({"note": found.note} if found.note else {})


def pass_json(block: PassBlock) -> Json:
    """Give the pass and fail part of the document."""
    found = block.figures
    made: Json = {
        "n": found.n,
        "auto_rate": block.auto_rate,
        "human_rate": block.human_rate,
        "corrected": corrected_json(block.corrected),
        **{name: found[name] for name in OF_VERDICTS},
        "n_auto": block.n_auto,
        "n_human": block.n_human,
        "n_chosen": block.n_chosen,
        "intervals": intervals_json(block.intervals),
        "undefined": dict(block.undefined),
    }
    if block.note:
        made["note"] = block.note
    if block.golden is not None:
        made["golden"] = golden_json(block.golden)
    return made
