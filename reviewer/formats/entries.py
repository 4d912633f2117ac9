"""Make the scores and labels that a mapping finds in a row."""

from collections.abc import Iterator
from collections.abc import Mapping as Values
from itertools import product

from reviewer.domain.values import Value
from reviewer.formats import cells
from reviewer.formats.cells import CellError
from reviewer.formats.incoming import Fields, Refused
from reviewer.formats.mapping import LabelRule, Mapping, ScoreRule
from reviewer.formats.paths import Json, Row, as_text, fill, find, is_many, located

_SCORE_TEXTS = ("reasoning", "error", "raw", "model")
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

    def scores(
        self, row: Row, variables: Values[str, Json], refused: list[Refused]
    ) -> list[Fields]:
        """Give the auto scores of a row; cells that hold no value are reported in `refused`."""
        made: list[Fields] = []
        for rule in self._mapping.scores:
            if rule.when and not cells.holds(row, rule.when):
                continue
            for names in _expanded(rule, rule.scorer or ("",), row):
                given = {**variables, **names, "scorer": names["other"]}
                for at, value in self._values(rule, row, given, refused):
                    entry = _score(rule, row, at, value)
                    made += [] if entry is None else [entry]
        return made

    def labels(
        self, row: Row, variables: Values[str, Json], refused: list[Refused]
    ) -> list[Fields]:
        """Give the labels of a row; cells that hold no value are reported in `refused`."""
        made: list[Fields] = []
        for rule in self._mapping.labels:
            if rule.when and not cells.holds(row, rule.when):
                continue
            for names in _expanded(rule, rule.labeler or ("",), row):
                given = {**variables, **names, "labeler": names["other"]}
                for at, value in self._values(rule, row, given, refused):
                    if value is not None:
                        made.append(_label(rule, row, at, value))
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
                refused.append(Refused(where, cells.excerpt_of(one), str(error)))
                values.append(None)
        if rule.combine is not None:
            filled = [value for value in values if value is not None]
            values = [cells.combined(filled, rule.combine)]
        for number, value in enumerate(values, start=1):
            given = {**variables, "n": number}
            given["metric"] = _metric_of(rule, row, given)
            yield given, value

    def _value(self, raw: Json, rule: ScoreRule | LabelRule) -> Value | None:
        if isinstance(rule, LabelRule) and cells.matches_any(as_text(raw), rule.not_applicable):
            return as_text(raw).strip()
        return cells.value_of(raw, rule, texts=self._texts, scale=self._mapping.scale)


def _score(
    rule: ScoreRule, row: Row, variables: Values[str, Json], value: Value | None
) -> Fields | None:
    at = int(variables["n"]) - 1
    entry: Fields = {"metric": variables["metric"], "value": value}
    for name in _SCORE_TEXTS:
        path = getattr(rule, name)
        if path is not None:
            entry[name] = as_text(_beside(row, path, variables, at))
    if value is None and not entry.get("error"):
        return None
    for name in _SCORE_NUMBERS:
        path = getattr(rule, name)
        if path is not None:
            entry[name] = cells.number_of(as_text(_beside(row, path, variables, at)))
    if rule.scorer:
        entry["scorer"] = fill(variables["scorer"], row, variables)
    else:
        entry["scorer"] = as_text(_beside(row, rule.scorer_column, variables, at))
    if rule.scorer_version:
        entry["scorer_version"] = fill(rule.scorer_version, row, variables)
    _set_time(entry, _beside(row, rule.at, variables, at))
    kept = {key: part for key, part in entry.items() if part is not None and part != ""}
    return {"metric": kept.pop("metric", ""), "value": value, **kept}


def _label(rule: LabelRule, row: Row, variables: Values[str, Json], value: Value) -> Fields:
    at = int(variables["n"]) - 1
    if rule.labeler:
        labeler = fill(variables["labeler"], row, variables) or ""
    else:
        labeler = as_text(_beside(row, rule.labeler_column, variables, at)).strip()
    entry: Fields = {"metric": variables["metric"], "labeler": labeler, "value": value}
    comment = as_text(_beside(row, rule.comment, variables, at))
    if comment:
        entry["comment"] = comment
    _set_time(entry, _beside(row, rule.at, variables, at))
    blind = as_text(_beside(row, rule.blind_column, variables, at)).lower()
    if rule.blind is not None or blind in ("true", "false"):
        entry["blind"] = rule.blind if rule.blind is not None else blind == "true"
    if isinstance(value, str) and cells.matches_any(value, rule.not_applicable):
        entry |= {"value": None, "kind": "not_applicable", "comment": value}
    elif rule.kind is not None:
        entry["kind"] = rule.kind
    if rule.aggregate is not None:
        entry["aggregate"] = rule.aggregate
    return entry


def _expanded(rule: ScoreRule | LabelRule, others: tuple[str, ...], row: Row) -> Iterator[Fields]:
    """Repeat a block for each metric and each scorer or labeler that it names."""
    metrics: tuple[str, ...] = rule.metric or ("",)
    if rule.metrics_in is not None:
        named = find(row, rule.metrics_in)
        metrics = tuple(str(name) for name in named) if isinstance(named, dict | list) else ()
    for metric, other in product(metrics, others):
        yield {"metric": metric, "other": other}


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
        if not all(cells.is_blank(value) for value in values):
            return values, path
    return [None], path


def _beside(row: Row, path: str | None, variables: Values[str, Json], at: int) -> Json:
    """Give what stands beside the value number `at`, or for all of them."""
    if path is None:
        return None
    name = located(path, variables, row)
    found = find(row, name)
    if name in row or not is_many(name):
        return found
    return found[at] if isinstance(found, list) and at < len(found) else None


def _metric_of(rule: ScoreRule | LabelRule, row: Row, variables: Values[str, Json]) -> str:
    if rule.metric_column is not None:
        return as_text(
            _beside(row, rule.metric_column, variables, int(variables["n"]) - 1)
        ).strip()
    name = str(variables["metric"])
    return name if rule.metrics_in is not None else fill(name, row, variables) or ""


def _set_time(entry: Fields, raw: object) -> None:
    """Set the time; one that is none stays as it is, for the check of records to refuse."""
    if cells.is_blank(raw):
        return
    try:
        entry["at"] = cells.time_of(raw)
    except CellError:
        entry["at"] = as_text(raw)
