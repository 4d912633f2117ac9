"""Apply a mapping to the rows of a table: fields, scores and labels out of each row."""

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Values
from dataclasses import dataclass
from itertools import product

from reviewer.formats import cells
from reviewer.formats.cells import CellError
from reviewer.formats.entries import Entries
from reviewer.formats.incoming import Fields, Refused
from reviewer.formats.mapping import FieldRule, LabelRule, Mapping, ScoreRule
from reviewer.formats.paths import (
    Json,
    Row,
    as_text,
    fields_of,
    fill,
    find,
    is_template,
    parsed,
    plain_name,
    steps_of,
)
from reviewer.formats.turns import split_dialog, to_turns

_LISTS = ("tags", "expected_keywords", "expected_tools", "tools_used")
_NUMBERS = ("latency_ms", "cost_usd", "tokens_in", "tokens_out")
_TIMES = ("occurred_at", "evaluated_at")
_OBJECTS = ("sources", "expected_sources", "feedback", "meta")
_COLUMNS = ("metric_column", "metrics_in", "reasoning", "comment", "scorer_column",
            "labeler_column", "blind_column", "at", "raw", "error", "model",
            "confidence", "cost_usd", "latency_ms")  # fmt: skip
_VARIABLES = {"metric", "scorer", "labeler", "n", "index", "number", "file", "key"}


@dataclass
class Found:
    """What one row gave."""

    fields: Fields
    refused: list[Refused]


class Extractor:
    """A mapping made ready for many rows.

    Args:
        mapping: How columns become fields.
        texts: True for tables, whose cells are all texts.
        file: The file's name without suffixes, for `{file}`.
    """

    def __init__(self, mapping: Mapping, *, texts: bool, file: str) -> None:
        self._mapping = mapping
        self._texts = texts
        self._file = file
        self._used = _top_columns(mapping)
        self._needed = _needed_columns(mapping)
        self._entries = Entries(mapping, texts=texts)

    def wanted(self, row: Row) -> bool:
        """Tell whether the mapping takes this row at all."""
        return not self._mapping.only or cells.holds(row, self._mapping.only)

    def missing(self, row: Row) -> set[str]:
        """Give the columns of a table that the mapping names and the row has not."""
        return {name for name in self._needed if name not in row and not _leads_in(name, row)}

    def row(self, row: Row, index: int, key: str | None) -> Found:
        """Take everything that the mapping names out of a row.

        Args:
            row: The row's columns or keys.
            index: Its number from 0 among the rows taken.
            key: What `*` in the path to the records stood for.
        """
        variables: dict[str, Json] = {"index": index, "number": index + 1, "file": self._file}
        if key is not None:
            variables["key"] = key
        found = Found({}, [])
        self._fields(row, variables, found)
        scores = self._entries.scores(row, variables, found.refused)
        if scores:
            found.fields["scores"] = scores
        labels = self._entries.labels(row, variables, found.refused)
        if labels:
            found.fields["labels"] = labels
        self._keep(row, found.fields)
        return found

    def _fields(self, row: Row, variables: Values[str, Json], found: Found) -> None:
        if self._mapping.run is not None:
            found.fields["run"] = fill(self._mapping.run, row, variables)
        if self._mapping.fields.id is None:
            found.fields["id"] = as_text(variables["number"])
        for name, rule in self._mapping.fields.given():
            try:
                value = self._field(name, rule, row, variables)
            except CellError as error:
                found.refused.append(
                    _refused(name, rule, _first_filled(row, rule, variables), error)
                )
                continue
            if value is not None:
                found.fields[name] = value
        self._split(row, found)
        if self._mapping.candidates:
            found.fields["candidates"] = self._candidates(row)

    def _field(self, name: str, rule: FieldRule, row: Row, variables: Values[str, Json]) -> Json:
        raw = _first_filled(row, rule, variables)
        if cells.is_blank(raw) or (rule.when and not cells.holds(row, rule.when)):
            return None
        if rule.extract or rule.map or rule.as_ or rule.skip or rule.scale:
            raw = cells.value_of(raw, rule, texts=name in _NUMBERS)
        elif isinstance(raw, list) and rule.combine in ("first", "last"):
            raw = raw[0 if rule.combine == "first" else -1]
        return None if cells.is_blank(raw) else _as_field(name, raw, rule.split)

    def _split(self, row: Row, found: Found) -> None:
        split = self._mapping.split
        text = find(row, split.text) if split is not None else None
        if split is None or cells.is_blank(text):
            return
        turns = split_dialog(as_text(text), split.prefixes)
        if isinstance(turns, str):
            found.refused.append(Refused(split.text, cells.excerpt_of(text), turns))
        else:
            found.fields["messages"] = turns

    def _candidates(self, row: Row) -> list[Fields]:
        made = []
        for candidate in self._mapping.candidates:
            answer: Fields = {"id": candidate.id}
            answer["response"] = as_text(find(row, candidate.response))
            if candidate.model is not None and not cells.is_blank(find(row, candidate.model)):
                answer["model"] = as_text(find(row, candidate.model))
            made.append(answer)
        return made

    def _keep(self, row: Row, fields: Fields) -> None:
        """Put what the mapping does not name under `meta`, so that nothing is lost."""
        keep = self._mapping.keep
        if keep == "none":
            return
        if isinstance(keep, tuple):
            kept = {path: find(row, path) for path in keep}
        elif keep == "all":
            kept = dict(row)
        else:
            kept = {name: value for name, value in row.items() if name not in self._used}
        kept = {name: value for name, value in kept.items() if not cells.is_blank(value)}
        meta = fields.get("meta")
        if kept or meta:
            fields["meta"] = {**kept, **(meta if isinstance(meta, dict) else {})}


def _refused(name: str, rule: FieldRule, raw: Json, error: CellError) -> Refused:
    place = ", ".join(rule.source) or name
    return Refused(place, cells.excerpt_of(raw), f"{name}: {error}")


def _as_field(name: str, raw: Json, separator: str | None) -> Json:
    if name in _LISTS:
        return cells.texts_of(raw, separator)
    return _MAKERS.get(name, as_text)(raw)


def _turns(raw: Json) -> Json:
    turns = to_turns(raw)
    if isinstance(turns, str):
        raise CellError(turns)
    return turns


def _number(raw: Json) -> int | float:
    number = raw if isinstance(raw, int | float) else cells.number_of(as_text(raw))
    if number is None:
        raise CellError("a number is expected")
    return number


def _opened(raw: Json) -> Json:
    return parsed(raw) if isinstance(raw, str) else raw


def _context(raw: Json) -> Json:
    return raw if isinstance(raw, dict) else as_text(raw)


_MAKERS: dict[str, Callable[[Json], Json]] = {
    "messages": _turns,
    "context": _context,
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_TIMES, cells.time_of),
    **dict.fromkeys(_OBJECTS, _opened),
}


def _first_filled(row: Row, rule: FieldRule, variables: Values[str, Json]) -> Json:
    for source in rule.source:
        if source not in row and is_template(source):
            value: Json = fill(source, row, variables)
        else:
            value = find(row, source)
        if not cells.is_blank(value):
            return value
    return rule.constant


def _top_columns(mapping: Mapping) -> set[str]:
    """Give the columns and first keys that a mapping names, which need no second place."""
    named: set[str] = set()
    for path in _all_paths(mapping):
        inner = {part for part in fields_of(path) if part not in _VARIABLES}
        for part in inner if is_template(path) else {path}:
            first = steps_of(part)[:1]
            named |= {part, *(step for step in first if isinstance(step, str))}
    for join in mapping.join:
        named |= set(join.name)
    return named


def _needed_columns(mapping: Mapping) -> set[str]:
    """Give the columns that a table must have; of several sources any one is enough."""
    named: set[str] = set()
    for _, rule in mapping.fields.given():
        if len(rule.source) == 1:
            template = rule.source[0]
            named |= set(fields_of(template)) if is_template(template) else {template}
    for block in _blocks(mapping):
        if len(block.value) == 1 and not is_template(block.value[0]):
            named.add(block.value[0])
    return named - _VARIABLES


def _leads_in(path: str, row: Row) -> bool:
    first = steps_of(path)[:1]
    return bool(first) and first[0] in row


def _blocks(mapping: Mapping) -> tuple[ScoreRule | LabelRule, ...]:
    return (*mapping.scores, *mapping.labels)


def _all_paths(mapping: Mapping) -> Iterator[str]:
    for _, rule in mapping.fields.given():
        yield from rule.source
    if mapping.split is not None:
        yield mapping.split.text
    for candidate in mapping.candidates:
        yield from filter(None, (candidate.response, candidate.model))
    for block in _blocks(mapping):
        columns = (getattr(block, name, None) for name in _COLUMNS)
        paths = [*block.value, *filter(None, columns)]
        others = block.scorer if isinstance(block, ScoreRule) else block.labeler
        for path, metric, other in product(paths, block.metric or ("",), others or ("",)):
            yield path
            yield plain_name(path, {"metric": metric, "scorer": other, "labeler": other})
