"""Targets and failure patterns in words, as the Runs page lists them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from reviewer.reports.wording import figure, percent, signs
from reviewer.services.project.insights_words import counted
from reviewer.services.reporting.targets import Performed

TITLES: Final = {
    "avg_cost_usd": "Average cost",
    "avg_latency_ms": "Average latency",
    "p95_latency_ms": "Latency p95",
    "percent": "Same verdict as people",
    "kappa": "Kappa of verdicts with people",
}
"""What figures are called beside metrics."""
_WORDS: Final = {"met": "✓ met", "missed": "✗ missed", "too few": "? too few"}


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One target as a line.

    Attributes:
        sentence: It stands alone, with n.
    """

    name: str
    title: str
    wanted: str
    value: str
    n: str
    result: Literal["met", "missed", "too few"]
    words: str
    sentence: str


@dataclass(frozen=True, slots=True)
class PatternRow:
    """One failure pattern as a line.

    Attributes:
        keys: The evaluations that show it, as far as their scores may be seen.
        hidden: How many more show it.
        sentence: It stands alone, with n.
    """

    title: str
    count: str
    share: str
    advice: str
    keys: Sequence[int]
    hidden: int
    sentence: str


def title_of(name: str) -> str:
    """Give the words for a figure that is no metric."""
    return TITLES.get(name, name.replace("_", " ").capitalize())


def target_rows(found: Performed) -> list[TargetRow]:
    """Give a line a target, in the rubric's order."""
    rows = []
    for target in found.targets:
        title = found.titles.get(target.name) or title_of(target.name)
        value, wanted = _spaced(figure(target.value, target.name)), signs(target.wanted)
        rows.append(
            TargetRow(
                name=target.name,
                title=title,
                wanted=wanted,
                value=value,
                n=f"{target.n:,}",
                result=target.result,
                words=_WORDS[target.result],
                sentence=f"{title} {value} (n {target.n:,}); the target {wanted} is "
                f"{'not to be told: too few' if target.result == 'too few' else target.result}.",
            )
        )
    return rows


def pattern_rows(found: Performed) -> list[PatternRow]:
    """Give a line a pattern that any evaluation shows."""
    return [
        PatternRow(
            title=pattern.title,
            count=f"{len(pattern.keys):,} of {pattern.n:,}",
            share=_spaced(percent(pattern.share)),
            advice=pattern.advice,
            keys=tuple(key for key in pattern.keys if key not in pattern.hidden),
            hidden=len(pattern.hidden),
            sentence=f"{pattern.title.capitalize()} ({pattern.limit}) in {len(pattern.keys):,} of "
            f"{counted(pattern.n, 'response')}, {_spaced(percent(pattern.share))}.",
        )
        for pattern in found.patterns
        if pattern.keys
    ]


def counted_targets(found: Performed) -> str:
    """Count the targets in one line: 5 met, 2 missed, 1 too few."""
    results = [target.result for target in found.targets]
    return ", ".join(f"{results.count(x)} {x}" for x in ("met", "missed", "too few"))


def _spaced(text: str) -> str:
    """Write as the window does: a space before the sign, a long dash where nothing is."""
    return text.replace("%", " %").replace("–", "—")
