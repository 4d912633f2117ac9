"""A report's figures and its system's tables as templates name them: plain values."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final

from reviewer.domain.rubric import Metric
from reviewer.domain.values import as_number
from reviewer.reports.systems.guest_patterns import FailurePattern
from reviewer.reports.systems.guest_response import GuestResult
from reviewer.reports.systems.guest_targets import Target, count_targets
from reviewer.reports.systems.operations import LatencyFigures, Operations
from reviewer.services.reporting import target_words
from reviewer.services.reporting.building import Report
from reviewer.services.reporting.rows import Fields


def fields(report: Report) -> Fields:
    """Give everything that a template may name."""
    run, found, figures = report.run, report.found, report.figures
    return {
        "made_at": report.moment.strftime("%Y-%m-%d %H:%M UTC"),
        "timestamp": report.timestamp,
        "project": report.project.path.name,
        "rubric": {
            "name": report.rubric.name,
            "version": str(report.rubric.version),
            "description": report.rubric.description,
        },
        "runs": list(found.runs),
        "left_out": list(found.left_out),
        "filters": list(_filters(report)),
        "total_cases": run.total_cases,
        "passed": run.passed,
        "failed": run.failed,
        "incomplete": run.incomplete,
        "pass_rate": run.pass_rate,
        "has_rule": report.rubric.pass_rule != "none",
        "fail_rate": None if run.pass_rate is None else 1 - run.pass_rate,
        "gate": _gate(report, run.targets),
        "averages": [_average(report, name) for name in run.averages],
        "operations": _operations(run.operations),
        "targets": [_target(report, target) for target in run.targets],
        "targets_counted": count_targets(run.targets),
        "patterns": [_pattern(pattern) for pattern in run.patterns if pattern.n],
        "look": _look(report),
        "top": report.wanted.top,
        "best": [_case(report, result) for result in run.best],
        "worst": [_case(report, result) for result in run.worst],
        "people": None if figures is None else _people(report, figures),
        "stale": _stale(report),
        "tables": of_system(report),
        "system": report.system,
    }


def _stale(report: Report) -> list[str]:
    if report.figures is None:
        return [entry.text for entry in report.found.lagging]
    return [entry["text"] for entry in report.figures["stale"]]


def _filters(report: Report) -> Iterator[str]:
    scope = report.wanted.scope
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
    if report.wanted.passing is not None:
        yield f"pass mark {report.wanted.passing:g}"


def _gate(report: Report, targets: Iterable[Target]) -> Fields | None:
    """Give the least pass rate that the rubric wants, and whether the judge's reaches it."""
    found = next((x for x in targets if x.name == "pass_rate"), None)
    if found is None:
        return None
    said = {
        "met": "is reached",
        "missed": "is not reached",
        "too few": "cannot be told yet: too few cases",
    }
    return {
        "wanted": found.wanted,
        "value": found.value,
        "n": found.n,
        "interval": None if found.low is None else [found.low, found.high],
        "result": found.result,
        "words": said[found.result],
        "corrected": None if report.figures is None else report.figures["pass"]["corrected"],
    }


def title_of(report: Report, name: str) -> str:
    """Give a metric's heading, or a figure's name in words."""
    metric = report.rubric.by_name.get(name)
    if metric is not None:
        return metric.heading
    return target_words.title_of(name)


def _average(report: Report, name: str) -> Fields:
    metric = report.rubric.by_name.get(name)
    top = _top(metric) if metric else _overall_top(report)
    n = sum(
        (x.overall if metric is None else x.scored.value(name)) is not None
        for x in report.run.results
    )
    return {
        "name": name,
        "title": title_of(report, name),
        "value": report.run.averages[name],
        "n": n,
        "top": top,
        "unit": metric.unit if metric else None,
        "scorer": report.found.scorers.get(name),
    }


def _top(metric: Metric) -> float | None:
    return metric.bounds[1] if metric.bounds else None


def _overall_top(report: Report) -> float | None:
    tops = {_top(metric) for metric in report.rubric.overall_metrics if metric.weight}
    return tops.pop() if len(tops) == 1 else 1.0


def _operations(found: Operations) -> Fields:
    return {
        "latency": _latency(found.latency),
        "warm": _latency(found.warm),
        "cold": _latency(found.cold),
        "cache_p95": found.cache_effect_p95,
        "cache_p99": found.cache_effect_p99,
        "total_cost": found.total_cost,
        "average_cost": found.average_cost,
        "n_cost": found.n_cost,
        "template_match": found.template_match.value,
        "n_template": found.template_match.n,
        "direct_substitution": found.direct_substitution.value,
        "n_direct": found.direct_substitution.n,
    }


def _latency(found: LatencyFigures) -> Fields:
    return dict(found.to_json())


def _target(report: Report, target: Target) -> Fields:
    return {"title": title_of(report, target.name), **target.to_json()}


def _pattern(pattern: FailurePattern) -> Fields:
    more = pattern.count - LISTED
    return {
        "name": pattern.name,
        "title": pattern.title,
        "count": pattern.count,
        "n": pattern.n,
        "share": pattern.share,
        "advice": _advice(pattern),
        "responses": list(pattern.responses[:LISTED]),
        "more": max(more, 0),
    }


def _advice(pattern: FailurePattern) -> str:
    """Give what to do, without the name of the pattern that stands beside it."""
    return _without(pattern.advice, f"{pattern.title.capitalize()}: ")


def _without(text: str, beginning: str) -> str:
    left = text.removeprefix(beginning)
    return left[:1].upper() + left[1:]


def _look(report: Report) -> Fields | None:
    look = report.run.where_to_look
    if look is None:
        return None
    return {
        "text": _without(look.text, "Where to look: "),
        "title": title_of(report, look.metric),
        "failures": look.metric_failures,
        "failed": [
            {"title": name.replace("_", " "), "ids": list(ids[:LISTED]), "n": len(ids)}
            for name, ids in look.failed.items()
        ],
    }


def _case(report: Report, result: GuestResult) -> Fields:
    case = result.scored.case
    scores = []
    for name, score in result.scored.scores.items():
        metric = report.rubric.by_name.get(name)
        if metric is None or score.value is None:
            continue
        number, top = as_number(score.value), _top(metric)
        scores.append(
            {
                "name": name,
                "title": metric.heading,
                "value": score.value if number is None else f"{number:.4g}",
                "top": None if top is None else f"{top:g}",
                "reasoning": score.reasoning,
            }
        )
    order = {name: place for place, name in enumerate(report.rubric.by_name)}
    return {
        "id": case.id,
        "run": case.run,
        "category": case.category,
        "query": case.question,
        "response": case.response,
        "overall": result.overall,
        "top": _overall_top(report),
        "passed": result.passed,
        "scores": sorted(scores, key=lambda x: order[str(x["name"])]),
    }


def _people(report: Report, figures: Mapping[str, Any]) -> Fields:
    """Give the figures of people's labels: agreement, adjusted and corrected figures."""
    rows = [
        _metric(report.rubric.by_name[name], block) for name, block in figures["metrics"].items()
    ]
    verdicts = figures["pass"]
    return {
        "metrics": [row for row in rows if row["n_human"]],
        "pass": verdicts if verdicts["n_human"] else None,
        "labelled": max((row["n_human"] for row in rows), default=0),
        "notes": list(dict.fromkeys(row["note"] for row in rows if row["note"])),
        "level": figures["level"],
        "preset": figures["preset"],
        "since": figures["window"]["words"],
        "runs": list(_runs(report, figures)),
    }


def _runs(report: Report, figures: Mapping[str, Any]) -> Iterator[Fields]:
    """Give the figures of each run, metric by metric, where several are pooled."""
    for run, found in figures.get("runs", {}).items():
        rates = found["pass"]
        for name, block in found["metrics"].items():
            metric = report.rubric.by_name[name]
            kappa = "kappa" if metric.scale == "categorical" else "kappa_quadratic"
            yield {
                "run": run,
                "title": metric.heading,
                "kappa": block[kappa],
                "kappa_interval": block["intervals"].get(kappa),
                "kappa_reason": block["undefined"].get(kappa, ""),
                "auto_rate": rates["auto_rate"],
                **{key: block[key] for key in _OF_A_RUN},
            }


_OF_A_RUN = (
    "n", "n_auto", "auto_mean", "n_labelled", "human_mean", "gap_mean", "shown", "corrected",
)  # fmt: skip


def _metric(metric: Metric, block: Mapping[str, Any]) -> Fields:
    agreement = block["agreement"]["judge_human"]
    kappa = "kappa" if metric.scale == "categorical" else "kappa_quadratic"
    corrected = block["corrected"]
    return {
        "title": metric.heading,
        "scorer": block["scorer"],
        **{
            name: block[name]
            for name in ("n_auto", "n_labelled", "n_human", "n_blind", "auto_mean", "human_mean",
                         "gap_mean", "adjusted_mean", "error_band", "deviation_status", "shown")
        },
        "leaning": block["leaning"]["sentence"],
        "corrected": corrected,
        "percent": agreement["percent"],
        "percent_interval": agreement["intervals"].get("percent"),
        "kappa": agreement[kappa],
        "kappa_interval": agreement["intervals"].get(kappa),
        "kappa_reason": agreement["undefined"].get(kappa, ""),
        "words": agreement["words"].get(kappa, ""),
        "n_agreement": agreement["n"],
        "note": agreement.get("note"),
        "n_table": agreement["n_table"],
        "places": _places(metric, block),
    }  # fmt: skip


def _places(metric: Metric, block: Mapping[str, Any]) -> Fields | None:
    """Place means on the scale in percent of its length, for the chart."""
    if metric.bounds is None:
        return None
    low, high = metric.bounds
    corrected = block["corrected"]
    found = {
        "auto": block["auto_mean"],
        "human": block["human_mean"],
        "corrected": corrected["mean"],
        "low": corrected["low"],
        "high": corrected["high"],
    }
    return {
        name: None if value is None else _place((value - low) / (high - low))
        for name, value in found.items()
    } | {"from": f"{low:g}", "to": f"{high:g}"}


def _place(share: float) -> float:
    """Give a place in percent; the ends of an interval may lie off the scale."""
    return round(100 * min(max(share, 0.0), 1.0), 2)


MOST_ROWS: Final = 50
LISTED: Final = 12
"""Responses that are named of many."""


def of_system(report: Report) -> list[Fields]:
    """Give the tables that a system's report has beside those of every report."""
    make = _SYSTEMS.get(report.rubric.name)
    return make(report) if make and report.system else []


def _table(
    title: str, columns: list[str], rows: list[list[str]], note: str = "", n: int | None = None
) -> Fields:
    """Make a table of at most so many rows; `n` is how many there are where fewer are given."""
    more = (len(rows) if n is None else n) - MOST_ROWS
    said = f"{more:,} more rows stand in the JSON report." if more > 0 else ""
    return {
        "title": title,
        "columns": columns,
        "rows": rows[:MOST_ROWS],
        "note": " ".join(x for x in (note, said) if x),
    }


def _agent(report: Report) -> list[Fields]:
    summary: Mapping[str, Any] = report.system["summary"]
    averages: Mapping[str, float | None] = summary.get("dimension_averages", {})
    weights = {name: metric.weight for name, metric in report.rubric.by_name.items()}
    rows = [
        [report.rubric.by_name[name].heading, f"{weights[name]:.0%}", _two(value)]
        for name, value in averages.items()
    ]
    failed = summary.get("failures", ())
    failures = [
        [
            str(result["test"].get("id", "")),
            str(result["test"].get("input", "")),
            _two(result["evaluation"]["overall_score"]),
        ]
        for result in islice(failed, MOST_ROWS)
    ]
    return [
        _table("Dimensions", ["Dimension", "Weight", "Average"], rows),
        _table("Failures", ["Test", "Input", "Score"], failures, n=len(failed)),
    ]


def _harness(report: Report) -> list[Fields]:
    summary = report.system["summary"]
    rows = [
        [name, _two(entry["score"]), entry["grade"] or "–", f"{entry['n']:,}"]
        for name, entry in summary["categories"].items()
    ]
    note = " ".join((f"Overall {report.system['shown']}.", *report.system["warnings"]))
    return [_table("Grades by category", ["Category", "Score", "Grade", "n"], rows, note)]


def _faq(report: Report) -> list[Fields]:
    found: dict[str, list[str]] = {}
    for one in report.system["contradictions"]:
        found.setdefault(one["text"], []).append(one["id"])
    rows = [[text, f"{len(ids):,}", _some(ids)] for text, ids in found.items()]
    return [_table("Where families disagree", ["What", "Responses", "Which"], rows)]


def _some(ids: list[str]) -> str:
    more = len(ids) - LISTED
    return ", ".join(ids[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _two(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


_SYSTEMS: Final[dict[str, Callable[[Report], list[Fields]]]] = {
    "agent-rubric": _agent,
    "harness": _harness,
    "faq-bot": _faq,
}
