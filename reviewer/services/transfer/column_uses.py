"""What each column of a table is used for, as a person may change it.

What a list of columns cannot say (templates, joins, patterns) stays in the mapping untouched and
is edited as text.
"""

from collections.abc import Mapping as Values
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

import tomli_w
from pydantic import BaseModel

from reviewer.domain import toml_text
from reviewer.formats import mapping as mapping_format
from reviewer.formats import questions
from reviewer.formats.mapping import Mapping

AnyMapping = Mapping
"""The type of a mapping, for the window, which does not know the formats."""
Block = dict[str, Any]


class Use(StrEnum):
    """What a column is for."""

    KEEP = "keep"
    FIELD = "field"
    SCORE = "score"
    REASONING = "reasoning"
    SCORER = "scorer"
    LABEL = "label"
    COMMENT = "comment"
    METRIC = "metric"
    LABELER = "labeler"


FIELDS: tuple[str, ...] = tuple(mapping_format.Fields.model_fields)
"""The fields of an evaluation that a column can become."""


class Habit(NamedTuple):
    """How people write numbers or dates: a key of the mapping, its title and its choices."""

    key: str
    title: str
    choices: tuple[tuple[str, str], ...]
    """what the mapping says, empty for nothing, and the same in words"""


HABITS: tuple[Habit, ...] = (
    Habit(
        "decimal",
        "Numbers",
        (
            ("", "as programs write them: 1000.5"),
            (",", f"{questions.HABITS['decimal-comma']}: 1.000,5"),
            (".", f"{questions.HABITS['decimal-point']}: 1,000.5"),
        ),
    ),
    Habit(
        "dates",
        "Dates",
        (
            ("", "as programs write them: 2026-10-01"),
            ("day-first", f"{questions.HABITS['day-first']}: 01.10.2026"),
            ("month-first", f"{questions.HABITS['month-first']}: 10/01/2026"),
        ),
    ),
)
"""What a person may say of all columns."""


_BESIDE = {Use.REASONING: "reasoning", Use.SCORER: "scorer_column"}
_BESIDE_LABEL = {Use.COMMENT: "comment", Use.LABELER: "labeler_column"}


@dataclass(frozen=True, slots=True)
class ColumnUse:
    """One column and its use.

    Attributes:
        column: The column's name or path in the file.
        use: What it is for.
        name: The field for a FIELD; the metric for the others, empty where a column names it.
        labeler: Who labelled, for a LABEL without a column of labelers.
    """

    column: str
    use: Use = Use.KEEP
    name: str = ""
    labeler: str = ""


def narrowed(mapping: BaseModel | None) -> AnyMapping | None:
    """Give a plan's mapping as what this module edits, None where the format needs none."""
    return mapping if isinstance(mapping, Mapping) else None


def read(file: Path) -> Mapping:
    """Read a mapping that somebody kept.

    Raises:
        FormatError: It cannot be read, or breaks a rule.
    """
    return mapping_format.read_mapping(file)


def to_text(mapping: Mapping) -> str:
    """Write a mapping as the TOML file that people keep."""
    return mapping.to_toml()


def from_text(text: str) -> Mapping:
    """Read a mapping from TOML text.

    Raises:
        FormatError: The text breaks a rule; the sentence names the field.
    """
    return mapping_format.mapping_of(text)


def uses(mapping: Mapping, columns: Sequence[str]) -> tuple[ColumnUse, ...]:
    """Tell for each column what the mapping takes it for."""
    document = toml_text.document(mapping.to_toml())
    found: dict[str, ColumnUse] = {}
    for name, rule in document.get("fields", {}).items():
        column = _plain_source(rule)
        if column is not None:
            found[column] = ColumnUse(column, Use.FIELD, name)
    for block in _expanded(document.get("scores", ())):
        _find(found, block, Use.SCORE, _BESIDE)
    for block in _expanded(document.get("labels", ())):
        _find(found, block, Use.LABEL, _BESIDE_LABEL)
    return tuple(found.get(column, ColumnUse(column)) for column in columns)


def habits(mapping: Mapping) -> dict[str, str]:
    """Give what a mapping says of how numbers and dates are written, empty for nothing."""
    return {habit.key: getattr(mapping, habit.key) or "" for habit in HABITS}


def with_uses(
    mapping: Mapping, wanted: Sequence[ColumnUse], written: Values[str, str] | None = None
) -> Mapping:
    """Give the mapping in which these columns are used so, and everything else stays.

    Args:
        mapping: What is changed.
        wanted: The columns with their uses.
        written: How numbers and dates are written, as `habits` gives it; None for as it was.

    Raises:
        FormatError: The uses make no sound mapping; the sentence names what is missing.
    """
    document = toml_text.document(mapping.to_toml())
    for key, told in (written or {}).items():
        document[key] = told
        if not told:
            del document[key]
    columns = {use.column for use in wanted}
    fields = {
        name: rule
        for name, rule in document.get("fields", {}).items()
        if _plain_source(rule) not in columns
    }
    for use in wanted:
        if use.use is Use.FIELD:
            old = document.get("fields", {}).get(use.name)
            fields[use.name] = old if _plain_source(old) == use.column else use.column
    document["fields"] = fields
    scores, labels = document.get("scores", ()), document.get("labels", ())
    both = {str(x.get("value")) for x in scores} & {str(x.get("value")) for x in labels}
    divided = [use for use in wanted if use.column in both and use.use in (Use.SCORE, Use.LABEL)]
    document["scores"] = _blocks(scores, wanted, Use.SCORE, _BESIDE, divided)
    document["labels"] = _blocks(labels, wanted, Use.LABEL, _BESIDE_LABEL, divided)
    return from_text(tomli_w.dumps(document))


def _plain_source(rule: object) -> str | None:
    if isinstance(rule, str):
        return rule
    source = rule.get("from") if isinstance(rule, dict) else None
    if isinstance(source, list) and len(source) == 1:
        return str(source[0])
    return source if isinstance(source, str) else None


def _expanded(blocks: Sequence[Block]) -> list[Block]:
    """Repeat a block that names several metrics, one each, with its templates filled in."""
    result = []
    for block in blocks:
        metric = block.get("metric")
        metrics = metric if isinstance(metric, list) else [metric]
        result += [_filled(block, name) for name in metrics]
    return result


def _filled(block: Block, metric: str | None) -> Block:
    if metric is None:
        return block
    filled = {
        key: value.replace("{metric}", metric) if isinstance(value, str) else value
        for key, value in block.items()
    }
    return filled | {"metric": metric}


def _find(found: dict[str, ColumnUse], block: Block, main: Use, beside: dict[Use, str]) -> None:
    value, metric = block.get("value"), block.get("metric", "")
    if not isinstance(value, str):
        return
    labeler = block.get("labeler", "") if main is Use.LABEL else ""
    found[value] = ColumnUse(value, main, metric, labeler if isinstance(labeler, str) else "")
    if "metric_column" in block:
        found[block["metric_column"]] = ColumnUse(block["metric_column"], Use.METRIC)
    for use, key in beside.items():
        if isinstance(block.get(key), str):
            found[block[key]] = ColumnUse(block[key], use, metric)


def _blocks(
    blocks: Sequence[Block],
    wanted: Sequence[ColumnUse],
    main: Use,
    beside: dict[Use, str],
    divided: Sequence[ColumnUse],
) -> list[Block]:
    """Give the blocks of one kind; a `divided` column, of people and judges, has both."""
    columns = {use.column for use in wanted}
    old = _expanded(blocks)
    kept = [block for block in old if block.get("value") not in columns]
    by_value = {block["value"]: block for block in old if isinstance(block.get("value"), str)}
    metric_column = next((use.column for use in wanted if use.use is Use.METRIC), None)
    result = list(kept)
    for use in wanted:
        if use.use is main:
            block = _without(by_value.get(use.column, {"value": use.column}), beside)
            _name_metric(block, use, metric_column)
            for other in wanted:
                if other.use in beside and other.name in ("", use.name):
                    block[beside[other.use]] = other.column
            _name_labeler(block, use)
            result.append(block)
        elif use in divided and use.column in by_value:
            block = dict(by_value[use.column])
            _name_metric(block, use, metric_column)
            result.append(block)
    return result


def _without(block: Block, beside: dict[Use, str]) -> Block:
    return {key: value for key, value in block.items() if key not in beside.values()}


def _name_metric(block: Block, use: ColumnUse, metric_column: str | None) -> None:
    for key in ("metric", "metric_column"):
        block.pop(key, None)
    if "metrics_in" in block:
        return
    if not use.name and metric_column is not None:
        block["metric_column"] = metric_column
    else:
        block["metric"] = use.name or use.column


def _name_labeler(block: Block, use: ColumnUse) -> None:
    if use.use is not Use.LABEL:
        return
    block.pop("labeler", None)
    if "labeler_column" not in block:
        block["labeler"] = use.labeler or "labeler 1"


def suggested(column: str, use: Use) -> ColumnUse:
    """Give a use with the name its column suggests: "accuracy" for "accuracy_score"."""
    plain = ColumnUse(column, use)
    if use in (Use.SCORE, Use.LABEL):
        words = column.lower().replace(" ", "_")
        for ending in ("_score", "_rating", "_label", "_value", "score_", "human_", "auto_"):
            words = words.removesuffix(ending).removeprefix(ending)
        return replace(plain, name=words or column)
    return plain
