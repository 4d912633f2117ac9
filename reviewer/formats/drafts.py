"""A mapping in the making: what of a file's columns is taken for what, and what is to be asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reviewer.formats.columns import Column
from reviewer.formats.paths import quoted
from reviewer.formats.questions import Answers, Question

REMARKS = "[!-+.0-9]*"
"""Fits every text that does not begin as a number does."""


@dataclass
class Draft:
    """A mapping in the making.

    Attributes:
        columns: All columns of the first rows.
        rows: How many rows these are.
        answers: What people said of columns.
        used: The paths that are taken for something.
        questions: What cannot be told.
        judges: Rows like this are of judges, where both they and people are named in a column.
        givers: Metric and giver of columns that are called after both, such as `tone_anna`, by
            their paths.
    """

    columns: list[Column]
    rows: int
    answers: Answers
    fields: dict[str, Any] = field(default_factory=dict)
    scores: list[dict[str, Any]] = field(default_factory=list)
    labels: list[dict[str, Any]] = field(default_factory=list)
    candidates: list[dict[str, Any]] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    questions: list[Question] = field(default_factory=list)
    givers: dict[str, tuple[str, str]] = field(default_factory=dict)
    split: dict[str, str] | None = None
    metric_column: str | None = None
    labeler_column: str | None = None
    scorer_column: str | None = None
    judges: dict[str, Any] = field(default_factory=dict)
    layout: str = "wide"

    def free(self) -> list[Column]:
        """Give the columns that are not yet taken for anything."""
        return [column for column in self.columns if column.path not in self.used]

    def named(self, names: Sequence[str]) -> Column | None:
        """Find the first of the names among the columns not yet used, filled ones only."""
        for name in names:
            for column in self.free():
                if column.name == name and column.values:
                    return column
        return None

    def use(self, name: str, column: Column) -> None:
        """Take a column for a field."""
        self.fields[name] = column.path
        self.used.add(column.path)

    def block(self, column: Column, value: str, metric: str) -> dict[str, Any]:
        """Begin a score or label whose values a column holds."""
        block: dict[str, Any] = {"value": value}
        if self.metric_column is not None:
            block["metric_column"] = self.metric_column
        else:
            block["metric"] = metric
        if _remarks(column) or (_numbers(column) and self._has_remarks_beside(column)):
            block["not_applicable"] = [REMARKS]
        self.used.add(column.path)
        return block

    def _has_remarks_beside(self, column: Column) -> bool:
        """Tell whether texts stand among the numbers of a value beside, in the same object."""
        place = "" if column.is_flat else column.path.rpartition(".")[0]
        return bool(place) and any(
            _remarks(other) for other in self.columns if other.path.startswith(f"{place}.")
        )


def _remarks(column: Column) -> bool:
    return column.has_remarks or column.has_inner_remarks


def _numbers(column: Column) -> bool:
    inner = [x for v in column.values if isinstance(v, list) for x in v]
    return bool(column.numbers) or any(isinstance(x, int | float) for x in inner)


def gathered(blocks: list[dict[str, Any]], columns: Sequence[Column]) -> list[dict[str, Any]]:
    """Make one block of those that differ in the metric alone, where one object holds them.

    Where nothing else stands in the object, each key that it ever has is a metric.
    """
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for block in blocks:
        name = block.get("metric")
        single = name[0] if isinstance(name, list) and len(name) == 1 else name
        pattern = None
        if isinstance(single, str):
            head, found, tail = block["value"].rpartition(f".{quoted(single)}")
            pattern = f"{head}.{{metric}}{tail}" if found else None
        rest = {k: v for k, v in block.items() if k not in ("metric", "value", "reasoning")}
        groups.setdefault((pattern or block["value"], repr(rest)), []).append(block)
    made: list[dict[str, Any]] = []
    for (pattern, _), members in groups.items():
        if len(members) < 2:
            made += members
            continue
        rest = {k: v for k, v in members[0].items() if k not in ("metric", "value", "reasoning")}
        parent = pattern.partition(".{metric}")[0]
        names = [x["metric"][0] if isinstance(x["metric"], list) else x["metric"] for x in members]
        others = {_key_in(parent, column.path) for column in columns} - {None, *names}
        whole = {"metrics_in": parent} if not others else {"metric": names}
        made.append({**whole, "value": pattern, **rest})
    return made


def _key_in(parent: str, path: str) -> str | None:
    """Give the key of an object through which a path goes."""
    head, found, rest = path.partition(f"{parent}.")
    if head or not found:
        return None
    return rest[1:].partition('"')[0] if rest.startswith('"') else rest.partition(".")[0]
