"""Parts of the figures that several documents have, as JSON objects."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reviewer.services.figures.statistics_blocks import (
    Correction,
    GoldenBlock,
    GroupTable,
    LabelerPair,
)
from reviewer.stats.golden_set import NO_FAIL, NO_PASS
from reviewer.stats.intervals import Interval

Json = dict[str, Any]


def corrected_json(found: Correction) -> Json:
    """Give a corrected estimate; `reason` stands there where something is missing."""
    made: Json = {
        "mean": found.mean,
        "low": found.low,
        "high": found.high,
        "method": found.method,
        "n": found.n,
        "n_excluded": found.n_excluded,
        "target": found.target,
    }
    notes = {"reason": found.reason, "because": found.because, "note": found.note}
    return made | {name: text for name, text in notes.items() if text}


def intervals_json(found: Mapping[str, Interval]) -> Json:
    """Give intervals as pairs of numbers."""
    return {name: [interval.low, interval.high] for name, interval in found.items()}


def golden_json(block: GoldenBlock) -> Json:
    """Give what a golden set says of the pass rate."""
    found = block.counts
    rates = {"catch_rate": found.catch_rate, "specificity": found.keep_rate}
    reasons = {"catch_rate": NO_FAIL, "specificity": NO_PASS}
    return {
        "set": block.name,
        "n": found.fails + found.passes,
        "n_failed": found.fails,
        "n_caught": found.caught,
        "n_passed": found.passes,
        "n_kept": found.kept,
        **rates,
        "n_auto": block.judged,
        "n_auto_passed": block.judged_pass,
        "corrected": corrected_json(block.corrected),
        "sentence": block.sentence,
        "undefined": {name: reasons[name] for name, rate in rates.items() if rate is None},
    }


def pair_json(pair: LabelerPair) -> Json:
    """Give one pair of people on one metric."""
    return {
        "a": pair.a,
        "b": pair.b,
        "metric": pair.metric,
        "n": pair.n,
        **pair.figures,
        "intervals": intervals_json(pair.intervals),
        "undefined": dict(pair.undefined),
    }


def groups_json(table: GroupTable) -> Json:
    """Give correlation by group: every group, the mean over the used ones, the means compared."""
    return {
        "field": table.field,
        "metrics": {
            name: {
                "n_used": found.n_used,
                "n_skipped": found.n_skipped,
                "mean": dict(found.mean),
                "undefined": dict(found.undefined),
                "between": asdict(found.between),
                "groups": [asdict(x) for x in found.groups],
            }
            for name, found in table.metrics.items()
        },
    }
