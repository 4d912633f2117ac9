"""The keys of the native format in their order, shared by whoever reads, stores or writes them."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

RECORD_KEYS = (
    "id", "run", "case", "category", "complexity", "tags", "input", "messages", "response",
    "candidates", "expected", "expected_keywords", "expected_tools", "tools_used", "context",
    "error", "latency_ms", "cost_usd", "tokens_in", "tokens_out", "model", "occurred_at",
    "evaluated_at", "scores", "labels", "sources", "expected_sources", "feedback",
    "template_matched", "direct_substitution", "cache", "cluster", "marks", "excluded",
    "meta",
)  # fmt: skip
SCORE_KEYS = (
    "metric", "value", "reasoning", "examples", "scorer", "scorer_version", "error", "at", "raw",
    "trace", "passed", "confidence", "turn", "model", "prompt_hash", "parameters", "cost_usd",
    "latency_ms", "tokens_in", "tokens_out", "meta",
)  # fmt: skip
LABEL_KEYS = (
    "metric", "labeler", "value", "comment", "at", "blind", "kind", "of", "turn", "seconds",
    "rubric_version", "aggregate", "selection_reason", "selection_prob", "judge_version", "uid",
    "restores",
)  # fmt: skip
EXCLUSION_KEYS = ("reason", "by", "at")
MARK_KEYS = (
    "kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value", "uid", "restores",
)  # fmt: skip

SUFFIXES = re.compile(r"(?i)(\.(jsonl|ndjson|json|csv|tsv|txt|yaml|yml|eval|zip))?(\.gz)?$")

Json = Any
"""Anything that JSON can say."""

Stray = tuple[str | None, str, Any]
"""An unknown key: the known key it followed (None at the start), its name and its value."""


def strays(keys: Iterable[tuple[str, Any]], known: frozenset[str]) -> list[Stray]:
    """Collect the unknown keys of an object with the place where each stood."""
    found: list[Stray] = []
    before: str | None = None
    for key, value in keys:
        if key in known:
            before = key
        else:
            found.append((before, key, value))
    return found


def in_order(
    fields: dict[str, Any], order: tuple[str, ...], unknown: Iterable[Stray] = ()
) -> dict[str, Any]:
    """Put the known keys into the format's order and the unknown ones back where they stood."""
    if not unknown:
        return {key: fields[key] for key in order if key in fields}
    return dict(_with_strays(fields, order, list(unknown)))


def _with_strays(
    fields: dict[str, Any], order: tuple[str, ...], unknown: list[Stray]
) -> Iterator[tuple[str, Any]]:
    yield from ((key, value) for before, key, value in unknown if before is None)
    for known in order:
        if known in fields:
            yield known, fields[known]
        yield from ((key, value) for before, key, value in unknown if before == known)


def run_name(file_name: str) -> str:
    """Name the run of a file's records that name none: the file's name without suffixes."""
    return SUFFIXES.sub("", file_name, count=1) or file_name
