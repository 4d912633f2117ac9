"""Apply a mapping to the rows of a table: fields, scores, labels and entries of each row."""

from collections.abc import Callable, Iterator
from collections.abc import Mapping as Values
from dataclasses import dataclass
from functools import partial
from itertools import product

from reviewer.domain.evaluation import Value
from reviewer.formats import cells
from reviewer.formats.cells import CellError
from reviewer.formats.habits import Dates, Decimal
from reviewer.formats.incoming import Fields, Refused
from reviewer.formats.mapping import FieldRule, LabelRule, Mapping, ScoreRule, Split
from reviewer.formats.paths import (
    Json,
    Row,
    as_text,
    fields_of,
    fill,
    find,
    is_many,
    is_template,
    located,
    parsed,
    steps_of,
)
from reviewer.formats.remains import VARIABLES, Remains, blocks_of
from reviewer.formats.turns import split_dialog, to_turns

_LISTS = ("tags", "expected_keywords", "expected_tools", "tools_used")
_NUMBERS = ("latency_ms", "cost_usd", "tokens_in", "tokens_out")
_TIMES = ("occurred_at", "evaluated_at")
_TRUTHS = ("template_matched", "direct_substitution")
_OBJECTS = ("sources", "expected_sources", "feedback", "meta")


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
        self._file = file
        self._fields = [_Field(*one, mapping, texts=texts) for one in mapping.fields.given()]
        self._remains = Remains(mapping)
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
        if self._mapping.run is not None:
            found.fields["run"] = fill(self._mapping.run, row, variables)
        if self._mapping.fields.id is None:
            found.fields["id"] = as_text(variables["number"])
        for field in self._fields:
            try:
                value = field.value(row, variables)
            except CellError as error:
                raw = field.raw(row, variables)
                found.refused.append(field.refused(raw, error))
                # kept beside, so that nothing which needs it is scored
                found.fields.setdefault("unreadable", {})[field.name] = raw
                continue
            if value is not None:
                found.fields[field.name] = value
        if self._mapping.split is not None:
            self._split(self._mapping.split, row, found)
        if self._mapping.candidates:
            found.fields["candidates"] = self._candidates(row)
            if not found.fields.keys() & {"input", "messages"}:
                found.fields |= _asked(found.fields["candidates"])
        self._entries.add(row, variables, found)
        self._keep(row, found.fields)
        return found

    def _keep(self, row: Row, fields: Fields) -> None:
        """Put what the mapping does not name under `meta`, so that nothing is lost."""
        kept, meta = self._remains.of(row), fields.get("meta")
        if kept or meta:
            fields["meta"] = {**kept, **(meta if isinstance(meta, dict) else {})}

    def _split(self, split: Split, row: Row, found: Found) -> None:
        text = find(row, split.text)
        if cells.is_blank(text):
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
            told = _opened(find(row, candidate.response))
            talk = to_turns(told) if isinstance(told, list) and told else ""
            answer |= {"messages": talk} if isinstance(talk, list) else {"response": as_text(told)}
            model = find(row, candidate.model) if candidate.model is not None else None
            answer |= {} if cells.is_blank(model) else {"model": as_text(model)}
            made.append(answer)
        return made


def _asked(candidates: list[Fields]) -> Fields:
    """Give what was asked last in the conversations that are compared."""
    turns = [turn for one in candidates for turn in one.get("messages", ())]
    said: Json = next((x["content"] for x in reversed(turns) if x["role"] == "user"), [])
    parts = [x.get("text", "") if isinstance(x, dict) else as_text(x)
             for x in (said if isinstance(said, list) else [said])]  # fmt: skip
    return {"input": as_text(parts)} if parts else {}


def _turns(raw: Json) -> Json:
    turns = to_turns(raw)
    if isinstance(turns, str):
        raise CellError(turns)
    return turns


def _number(raw: Json, decimal: Decimal | None) -> int | float:
    number = raw if isinstance(raw, int | float) else cells.number_of(as_text(raw), decimal)
    if number is None:
        raise CellError("a number is expected")
    return number


def _opened(raw: Json) -> Json:
    return parsed(raw) if isinstance(raw, str) else raw


def _truth(raw: Json) -> Json:
    return cells.looks_like(raw) if isinstance(raw, str) else raw


def _context(raw: Json) -> Json:
    return raw if isinstance(raw, dict) else as_text(raw)


_MAKERS: dict[str, Callable[[Json], Json]] = {
    "messages": _turns,
    "context": _context,
    **dict.fromkeys(_TRUTHS, _truth),
    "expected": _opened,
    **dict.fromkeys(_OBJECTS, _opened),
}


class _Field:
    """A field of a mapping made ready for many rows."""

    def __init__(self, name: str, rule: FieldRule, mapping: Mapping, *, texts: bool) -> None:
        self.name = name
        self._rule = rule
        self._sources = [(source, is_template(source)) for source in rule.source]
        self._decimal = mapping.decimal
        self._make = _maker(name, rule, mapping)
        # an empty answer is an answer; only tables cannot tell it from none
        self._may_be_empty = name == "response" and not texts
        self._is_made = bool(rule.extract or rule.map or rule.as_ or rule.skip or rule.scale)
        self._is_plain = not (self._is_made or rule.when or rule.unless or rule.combine)

    def raw(self, row: Row, variables: Values[str, Json]) -> Json:
        """Give what stands at the first of its places that holds anything."""
        for source, filled in self._sources:
            if filled and source not in row:
                value: Json = fill(source, row, variables)
            else:
                value = find(row, source)
            if not cells.is_blank(value):
                return value
        return self._rule.constant

    def value(self, row: Row, variables: Values[str, Json]) -> Json:
        """Give the field's value, None where there is none.

        Raises:
            CellError: What stands there gives none.
        """
        rule, raw = self._rule, self.raw(row, variables)
        if raw is None and self._may_be_empty:
            return next((x for x in (find(row, y) for y in rule.source) if x is not None), None)
        if cells.is_blank(raw):
            return None
        if self._is_plain:
            return self._make(raw)
        if not cells.is_meant(row, rule):
            return None
        if self._is_made:
            number = self.name in _NUMBERS
            raw = cells.value_of(raw, rule, texts=number, decimal=self._decimal)
        elif isinstance(raw, list) and rule.combine in ("first", "last"):
            raw = raw[0 if rule.combine == "first" else -1]
        return None if cells.is_blank(raw) else self._make(raw)

    def refused(self, raw: Json, error: CellError) -> Refused:
        """Say why it gives no value."""
        place = ", ".join(self._rule.source) or self.name
        return Refused(place, cells.excerpt_of(raw), f"{self.name}: {error}")


def _maker(name: str, rule: FieldRule, mapping: Mapping) -> Callable[[Json], Json]:
    if name in _LISTS:
        return partial(cells.texts_of, separator=rule.split)
    if name in _NUMBERS:
        return partial(_number, decimal=mapping.decimal)
    if name in _TIMES:
        return partial(cells.time_of, dates=mapping.dates)
    return _MAKERS.get(name, as_text)


def _needed_columns(mapping: Mapping) -> set[str]:
    """Give the columns that a table must have; of several sources any one is enough."""
    named: set[str] = set()
    for _, rule in mapping.fields.given():
        if len(rule.source) == 1:
            template = rule.source[0]
            named |= set(fields_of(template)) if is_template(template) else {template}
    for block in blocks_of(mapping):
        if len(block.value) == 1 and not is_template(block.value[0]):
            named.add(block.value[0])
    return named - VARIABLES


def _leads_in(path: str, row: Row) -> bool:
    first = steps_of(path)[:1]
    return bool(first) and first[0] in row


_SCORE_TEXTS = ("reasoning", "error", "raw", "trace", "model")
_SCORE_NUMBERS = ("confidence", "cost_usd", "latency_ms")


class Entries:
    """The scores and labels of a mapping, ready for many rows.

    Args:
        mapping: How columns become scores and labels.
        texts: True for tables, whose cells are all texts.
    """

    def __init__(self, mapping: Mapping, *, texts: bool) -> None:
        self._mapping = mapping
        self._texts = texts
        self._scores = [_Scores(rule, mapping.dates) for rule in mapping.scores]
        self._labels = [(rule, _named(rule, rule.labeler)) for rule in mapping.labels]

    def add(self, row: Row, variables: Values[str, Json], found: Found) -> None:
        """Add a row's auto scores and labels; cells that hold no value are reported."""
        scores = self._scores_of(row, variables, found.refused)
        if scores:
            found.fields["scores"] = scores
        labels = self._labels_of(row, variables, found.refused)
        if labels:
            found.fields["labels"] = labels

    def _scores_of(
        self, row: Row, variables: Values[str, Json], refused: list[Refused]
    ) -> list[Fields]:
        made: list[Fields] = []
        for block in self._scores:
            rule = block.rule
            if not cells.is_meant(row, rule):
                continue
            for metric, scorer in block.named or _expanded(rule, rule.scorer, row):
                names = {**variables, "metric": metric, "other": scorer, "scorer": scorer}
                for at, value in self._values(rule, row, names, refused):
                    entry = block.score(row, at, value)
                    if entry is not None:
                        made.append(entry)
        return made

    def _labels_of(
        self, row: Row, variables: Values[str, Json], refused: list[Refused]
    ) -> list[Fields]:
        made: list[Fields] = []
        for rule, named in self._labels:
            if not cells.is_meant(row, rule):
                continue
            for metric, labeler in named or _expanded(rule, rule.labeler, row):
                names = {**variables, "metric": metric, "other": labeler, "labeler": labeler}
                for at, value in self._values(rule, row, names, refused):
                    if value is not None:
                        made.append(_label(rule, row, at, value, self._mapping.dates))
        return made

    def _values(
        self,
        rule: ScoreRule | LabelRule,
        row: Row,
        variables: dict[str, Json],
        refused: list[Refused],
    ) -> Iterator[tuple[dict[str, Json], Value | None]]:
        """Give each value that the rule's path stands for, with its number and metric."""
        raw, place = _value_at(row, rule, variables)
        values: list[Value | None] = []
        for number, one in enumerate(raw):
            try:
                values.append(self._value(one, rule))
            except CellError as error:
                where = place.replace("[]", f"[{number}]", 1)
                metric = _metric_of(rule, row, {**variables, "n": number + 1})
                refused.append(Refused(where, cells.excerpt_of(one), str(error), metric))
                values.append(None)
        if rule.combine is not None:
            filled = [x for x in values if x is not None and not is_remark(x, rule)]
            values = [cells.combined(filled, rule.combine)]
        for number, value in enumerate(values, start=1):
            given = {**variables, "n": number}
            given["metric"] = _metric_of(rule, row, given)
            yield given, value

    def _value(self, raw: Json, rule: ScoreRule | LabelRule) -> Value | None:
        if is_remark(raw, rule):
            return as_text(raw).strip()
        return cells.value_of(
            raw,
            rule,
            texts=self._texts,
            scale=self._mapping.scale,
            decimal=self._mapping.decimal,
        )


class _Scores:
    """A block of scores made ready for many rows."""

    def __init__(self, rule: ScoreRule, dates: Dates | None) -> None:
        self.rule = rule
        self.named = _named(rule, rule.scorer)
        self._dates = dates
        places = ((name, getattr(rule, name)) for name in (*_SCORE_TEXTS, *_SCORE_NUMBERS))
        given = [(name, path) for name, path in places if path is not None]
        self._texts = [x for x in given if x[0] in _SCORE_TEXTS]
        self._numbers = [x for x in given if x[0] in _SCORE_NUMBERS]

    def score(self, row: Row, variables: Values[str, Json], value: Value | None) -> Fields | None:
        """Give the score that a row has beside a value, None where there is none."""
        rule, at = self.rule, int(variables["n"]) - 1
        entry: Fields = {}
        if value is not None and is_remark(value, rule):
            entry["error"] = as_text(value)
            value = None
        for name, path in self._texts:
            if name not in entry:
                entry[name] = as_text(_beside(row, path, variables, at))
        if value is None and not entry.get("error"):
            return None
        if rule.examples is not None:
            examples = _beside(row, rule.examples, variables, at)
            if not cells.is_blank(examples):
                entry["examples"] = cells.texts_of(examples, "\n")
        for name, path in self._numbers:
            entry[name] = cells.number_of(as_text(_beside(row, path, variables, at)))
        self._sign(entry, row, variables, at)
        if rule.at is not None:
            _set_time(entry, _beside(row, rule.at, variables, at), self._dates)
        kept = {key: part for key, part in entry.items() if part not in (None, "", [])}
        return {"metric": variables["metric"], "value": value, **kept}

    def _sign(self, entry: Fields, row: Row, variables: Values[str, Json], at: int) -> None:
        rule = self.rule
        if rule.scorer:
            entry["scorer"] = fill(variables["scorer"], row, variables)
        elif rule.scorer_column is not None:
            entry["scorer"] = as_text(_beside(row, rule.scorer_column, variables, at))
        if rule.scorer_version:
            entry["scorer_version"] = fill(rule.scorer_version, row, variables)


def is_remark(value: Json, rule: ScoreRule | LabelRule) -> bool:
    """Tell whether a value says that there is none."""
    patterns = rule.not_applicable
    return bool(patterns) and cells.matches_any(as_text(value).strip(), patterns)


def _label(
    rule: LabelRule,
    row: Row,
    variables: Values[str, Json],
    value: Value,
    dates: Dates | None,
) -> Fields:
    at = int(variables["n"]) - 1
    if rule.labeler:
        labeler = fill(variables["labeler"], row, variables) or ""
    else:
        labeler = as_text(_beside(row, rule.labeler_column, variables, at)).strip()
    entry: Fields = {"metric": variables["metric"], "labeler": labeler, "value": value}
    comment = as_text(_beside(row, rule.comment, variables, at))
    if comment:
        entry["comment"] = comment
    if rule.at is not None:
        _set_time(entry, _beside(row, rule.at, variables, at), dates)
    blind = as_text(_beside(row, rule.blind_column, variables, at)).lower()
    if rule.blind is not None or blind in ("true", "false"):
        entry["blind"] = rule.blind if rule.blind is not None else blind == "true"
    if is_remark(value, rule):
        said = " ".join(filter(None, (as_text(value), comment)))
        entry |= {"value": None, "kind": "not_applicable", "comment": said}
    elif rule.kind is not None:
        entry["kind"] = rule.kind
    if rule.aggregate is not None:
        entry["aggregate"] = rule.aggregate
    elif rule.several and rule.several in labeler:
        entry["aggregate"] = labeler.count(rule.several) + 1
    return entry


def _named(rule: ScoreRule | LabelRule, others: tuple[str, ...]) -> list[tuple[str, str]]:
    """Give each metric with each scorer or labeler, none where only a row tells the metrics."""
    if rule.metrics_in is not None:
        return []
    return list(product(rule.metric or ("",), others or ("",)))


def _expanded(
    rule: ScoreRule | LabelRule, others: tuple[str, ...], row: Row
) -> Iterator[tuple[str, str]]:
    """Give each metric that a row names with each scorer or labeler."""
    named = _opened(find(row, rule.metrics_in or ""))
    return product(map(str, named if isinstance(named, dict | list) else ()), others or ("",))


def _value_at(
    row: Row, rule: ScoreRule | LabelRule, variables: dict[str, Json]
) -> tuple[list[Json], str]:
    """Give the values at the first of the rule's paths that holds any, and that path."""
    path = ""
    for template in rule.value:
        path = located(template, variables, row)
        found = find(row, path)
        many = path not in row and is_many(path)
        values = found if many and isinstance(found, list) else [found]
        if not all(map(cells.is_blank, values)):
            return values, path
    return [None], path


def _beside(row: Row, path: str | None, variables: Values[str, Json], at: int) -> Json:
    """Give what stands beside the value number `at`, or for all of them."""
    if path is None:
        return None
    name = located(path, variables, row)
    if name in row:
        return row[name]
    found = find(row, name)
    if not is_many(name):
        return found
    return found[at] if isinstance(found, list) and at < len(found) else None


def _metric_of(rule: ScoreRule | LabelRule, row: Row, variables: Values[str, Json]) -> str:
    if rule.metric_column is not None:
        return as_text(
            _beside(row, rule.metric_column, variables, int(variables["n"]) - 1)
        ).strip()
    name = str(variables["metric"])
    return name if rule.metrics_in is not None else fill(name, row, variables) or ""


def _set_time(entry: Fields, raw: object, dates: Dates | None) -> None:
    """Set the time; one that is none stays as it is, for the check of records to refuse."""
    if not cells.is_blank(raw):
        try:
            entry["at"] = cells.time_of(raw, dates)
        except CellError:
            entry["at"] = as_text(raw)
