"""What a mapping leaves of a row: columns that it does not name, and the rest of half-read ones.

A path takes what it leads to and no more: of a list the other elements stay, of an object the
other keys, also where it is JSON in a text.
"""

from collections.abc import Iterator
from itertools import product

from reviewer.formats import cells
from reviewer.formats.mapping import LabelRule, Mapping, ScoreRule
from reviewer.formats.paths import (
    EACH_ELEMENT,
    EACH_VALUE,
    Row,
    Steps,
    fields_of,
    find,
    is_template,
    located,
    plain_name,
    rest_of,
    steps_of,
)

_COLUMNS = ("metric_column", "reasoning", "examples", "comment", "scorer_column",
            "labeler_column", "blind_column", "at", "raw", "trace", "error", "model",
            "confidence", "cost_usd", "latency_ms")  # fmt: skip
VARIABLES = {"metric", "scorer", "labeler", "n", "index", "number", "file", "key"}
"""What stands in braces for no column."""


class Remains:
    """Knows which parts of a row a mapping takes."""

    def __init__(self, mapping: Mapping) -> None:
        """Gather the paths that lead into a row."""
        self._keep = mapping.keep
        self._whole = {name for join in mapping.join for name in join.name}
        self._inside: dict[str, set[Steps]] = {}
        for path in _plain_paths(mapping):
            inner = {part for part in fields_of(path) if part not in VARIABLES}
            for part in inner if is_template(path) else {path}:
                self._whole.add(part)
                self._take(steps_of(part))
        for block in blocks_of(mapping):
            self._whole |= set(_names(block))
            for steps in _steps(block):
                self._take(steps)

    def _take(self, steps: Steps) -> None:
        if len(steps) == 1 and isinstance(steps[0], str):
            self._whole.add(steps[0])
        elif steps and isinstance(steps[0], str):
            self._inside.setdefault(steps[0], set()).add(steps[1:])

    def of(self, row: Row) -> Row:
        """Give what is kept of a row beside what the mapping takes."""
        if self._keep == "none":
            return {}
        if isinstance(self._keep, tuple):
            kept = {path: find(row, path) for path in self._keep}
        elif self._keep == "all":
            kept = dict(row)
        else:
            kept = {name: value for name, value in row.items() if name not in self._whole}
            for name in self._inside.keys() & kept.keys():
                kept[name] = rest_of(kept[name], self._inside[name])
        return {name: value for name, value in kept.items() if not cells.is_blank(value)}


def blocks_of(mapping: Mapping) -> tuple[ScoreRule | LabelRule, ...]:
    """Give the blocks of scores and labels."""
    return (*mapping.scores, *mapping.labels)


def _plain_paths(mapping: Mapping) -> Iterator[str]:
    for _, rule in mapping.fields.given():
        yield from rule.source
    if mapping.split is not None:
        yield mapping.split.text
    for candidate in mapping.candidates:
        yield from filter(None, (candidate.response, candidate.model))


def _paths(block: ScoreRule | LabelRule) -> list[str]:
    return [*block.value, *filter(None, (getattr(block, name, None) for name in _COLUMNS))]


def _others(block: ScoreRule | LabelRule) -> tuple[str, ...]:
    return (block.scorer if isinstance(block, ScoreRule) else block.labeler) or ("",)


def _names(block: ScoreRule | LabelRule) -> Iterator[str]:
    """Give the columns that a block may name as a whole."""
    for path, metric, other in product(_paths(block), block.metric or ("",), _others(block)):
        yield path
        yield plain_name(path, {"metric": metric, "scorer": other, "labeler": other})


def _steps(block: ScoreRule | LabelRule) -> Iterator[Steps]:
    """Give where the paths of a block lead; what stands for any metric leads into every value."""
    if block.metrics_in is not None:
        # a list names metrics, an object holds their values
        yield (*steps_of(block.metrics_in), EACH_ELEMENT)
    for path, metric, other in product(_paths(block), block.metric or (None,), _others(block)):
        known = {"scorer": other, "labeler": other} | ({"metric": metric} if metric else {})
        steps = steps_of(located(path, known, {}))
        yield tuple(EACH_VALUE if "{" in str(step) else step for step in steps)
