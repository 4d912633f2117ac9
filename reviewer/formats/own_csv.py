"""Write and read evaluations and labels as CSV, without losing anything.

Evaluations: one row each. Scores and labels have columns of their own to be read and filtered by
people; what those cannot carry (times, comments, a history, a judge's raw reply) stands as JSON in
the columns `scores` and `labels`, and there only for the rows that need it. Labels: one row an
entry of the history.
"""

from collections.abc import Iterator, Sequence

from reviewer.domain.entries import current_labels
from reviewer.formats import delimited
from reviewer.formats.delimited import Dialect
from reviewer.formats.incoming import BadRow, Fields, Incoming, LabelRow, Record, Refused, Source
from reviewer.formats.native_signs import KEYS
from reviewer.formats.own_columns import (
    LABEL_COLUMNS,
    TEXT_KEYS,
    UNKNOWN,
    Columns,
    LabelColumn,
    ScoreColumn,
    from_cell,
    is_labels,
    label_column,
    parsed_label,
    parsed_score,
    score_column,
    to_cell,
    to_line,
    unguarded,
)
from reviewer.formats.paths import Json
from reviewer.formats.record_shape import checked

_KNOWN = frozenset(KEYS)
_SCORE_KEYS = frozenset({"metric", "value", "reasoning", "scorer", "scorer_version"})
_LABEL_KEYS = frozenset({"metric", "labeler", "value", "blind"})
_KNOWN_OF_LABELS = frozenset(LABEL_COLUMNS[:-1])


def header_line(columns: Columns) -> str:
    """Write the header of a CSV of evaluations."""
    return to_line(columns.header())


def record_line(record: Fields, columns: Columns) -> str:
    """Write one evaluation as one row (with line breaks where its texts have some).

    Args:
        record: The keys of the native format, `scores` and `labels` among them.
        columns: The columns of this file; they must cover all keys, scorers and labelers.
    """
    cells = [_cell(record, "id"), _cell(record, "run")]
    for key in columns.keys:
        if key in record:
            cells.append(to_cell(record[key], text=key in TEXT_KEYS))
        else:
            cells.append(_rest(record) if key == UNKNOWN else "")
    scores, labels = record.get("scores"), record.get("labels")
    shown, scores_are_plain = _score_cells(scores or (), columns)
    said, labels_are_plain = _label_cells(labels or (), columns)
    cells += shown
    cells += said
    cells.append("" if "scores" not in record or scores_are_plain else to_cell(scores))
    cells.append("" if "labels" not in record or labels_are_plain else to_cell(labels))
    return to_line(cells)


def _score_cells(entries: Sequence[Fields], columns: Columns) -> tuple[list[str], bool]:
    """Give what the score columns show, and whether they alone carry these scores exactly.

    They show the last score without a turn of each scorer version. They carry scores that stand
    in the columns' order and have no other keys.
    """
    places = columns.places_of_scores
    cells = [""] * (2 * len(places))
    plain, last = bool(entries), -1
    for entry in entries:
        get = entry.get
        value = get("value")
        at = places.get(score_column(entry), -1)
        plain = plain and at > last and entry.keys() <= _SCORE_KEYS and None not in entry.values()
        last = at
        if at >= 0 and value is not None and get("turn") is None:
            reasoning = get("reasoning")
            cells[2 * at] = to_cell(value)
            cells[2 * at + 1] = "" if reasoning is None else to_cell(reasoning, text=True)
    return cells, plain


def _label_cells(entries: Sequence[Fields], columns: Columns) -> tuple[list[str], bool]:
    """Give what the label columns show (R7), and whether they alone carry these labels exactly."""
    places = columns.places_of_labels
    cells = [""] * (2 * len(places))
    plain, last = bool(entries), -1
    for entry in entries:
        at = places.get(label_column(entry), -1)
        plain = plain and at > last and entry.keys() <= _LABEL_KEYS and None not in entry.values()
        last = at
    for column, (value, blind) in _shown_labels(entries).items():
        place = places.get(column, -1)
        if place >= 0:
            cells[2 * place : 2 * place + 2] = value, blind
    return cells, plain


def labels_header_line() -> str:
    """Write the header of a CSV of labels."""
    return to_line(LABEL_COLUMNS)


def label_line(entry: Fields) -> str:
    """Write one entry of the label history, with `run` and `id`, as one row."""
    cells = [_cell(entry, key) for key in LABEL_COLUMNS[:-1]]
    rest = {key: value for key, value in entry.items() if key not in _KNOWN_OF_LABELS}
    return to_line([*cells, to_cell(rest) if rest else ""])


def _cell(record: Fields, key: str) -> str:
    return to_cell(record[key], text=key in TEXT_KEYS) if key in record else ""


def _rest(record: Fields) -> str:
    rest = {key: value for key, value in record.items() if key not in _KNOWN}
    return to_cell(rest) if rest else ""


def _shown_scores(entries: Sequence[Fields]) -> dict[ScoreColumn, tuple[str, str]]:
    """Give what the score columns show: of each scorer version the last score without a turn."""
    shown: dict[ScoreColumn, tuple[str, str]] = {}
    for entry in entries:
        if entry.get("turn") is None and entry.get("value") is not None:
            reasoning = entry.get("reasoning")
            why = to_cell(reasoning, text=True) if reasoning is not None else ""
            shown[score_column(entry)] = to_cell(entry["value"]), why
    return shown


def _shown_labels(entries: Sequence[Fields]) -> dict[LabelColumn, tuple[str, str]]:
    """Give what the label columns show: each labeler's current value (R7)."""
    whole = [entry for entry in entries if entry.get("turn") is None]
    return {
        label_column(x): (to_cell(x["value"]), to_cell(x["blind"]) if "blind" in x else "")
        for x in current_labels(whole).values()
        if x.get("value") is not None
    }


def _score_entry(column: ScoreColumn, value: str, reasoning: str) -> Fields:
    entry: Fields = {"metric": column.metric, "value": from_cell(value)}
    if reasoning:
        entry["reasoning"] = from_cell(reasoning, text=True)
    if column.scorer is not None:
        entry["scorer"] = column.scorer
    if column.version is not None:
        entry["scorer_version"] = column.version
    return entry


def _label_entry(column: LabelColumn, value: str, blind: str) -> Fields:
    entry: Fields = {"metric": column.metric, "labeler": column.labeler, "value": from_cell(value)}
    if blind:
        entry["blind"] = from_cell(blind)
    return entry


def read(source: Source) -> Iterator[Incoming]:
    """Read a CSV that Reviewer wrote; scores and labels that were edited in it are told apart.

    Raises:
        FormatError: The file is empty or its compression is damaged.
    """
    for row in delimited.rows(source, Dialect()):
        if isinstance(row, BadRow):
            yield row
            continue
        cells = {name: unguarded(cell) for name, cell in row.cells.items() if cell}
        yield (
            _label_row(cells, row.line) if is_labels(list(row.cells)) else _record(cells, row.line)
        )


def _label_row(cells: dict[str, str], line: int) -> Incoming:
    entry = {k: from_cell(cells[k], text=k in TEXT_KEYS) for k in LABEL_COLUMNS[:-1] if k in cells}
    rest = from_cell(cells[UNKNOWN]) if UNKNOWN in cells else {}
    if isinstance(rest, dict):
        entry |= rest
    entry.setdefault("labeler", "")
    item = checked(entry, line)
    if isinstance(item, Record):
        return BadRow(line, "metric", None, "a label needs id, metric and labeler")
    return item


def _record(cells: dict[str, str], line: int) -> Incoming:
    fields: Fields = {}
    for key in KEYS:
        if key in ("scores", "labels"):
            _entries(fields, cells, key)
        elif key in cells:
            fields[key] = from_cell(cells[key], text=key in TEXT_KEYS)
    refused = _edited(fields, cells)
    rest = from_cell(cells[UNKNOWN]) if UNKNOWN in cells else {}
    if isinstance(rest, dict):
        fields |= rest
    item = checked(fields, line)
    if isinstance(item, Record | LabelRow):
        item.refused[:0] = refused
    return item


def _entries(fields: Fields, cells: dict[str, str], key: str) -> None:
    if key in cells:
        fields[key] = from_cell(cells[key])
        return
    found = _scores_in(cells) if key == "scores" else _labels_in(cells)
    if found:
        fields[key] = found


def _scores_in(cells: dict[str, str]) -> list[Fields]:
    suffixes = [name[6:] for name in cells if name.startswith("score:")]
    return [
        _score_entry(
            parsed_score(suffix), cells[f"score:{suffix}"], cells.get(f"reasoning:{suffix}", "")
        )
        for suffix in suffixes
    ]


def _labels_in(cells: dict[str, str]) -> list[Fields]:
    suffixes = [name[6:] for name in cells if name.startswith("label:")]
    return [
        _label_entry(
            parsed_label(suffix), cells[f"label:{suffix}"], cells.get(f"blind:{suffix}", "")
        )
        for suffix in suffixes
    ]


def _edited(fields: Fields, cells: dict[str, str]) -> list[Refused]:
    """Find cells that say something else than the JSON beside them, which was edited elsewhere."""
    refused: list[Refused] = []
    if "scores" in cells and _sound(fields["scores"], "metric"):
        shown = {f"score:{c.suffix}": v for c, (v, _) in _shown_scores(fields["scores"]).items()}
        refused += _differences("score:", "scores", shown, cells)
    if "labels" in cells and _sound(fields["labels"], "metric", "labeler"):
        said = {f"label:{c.suffix}": v for c, (v, _) in _shown_labels(fields["labels"]).items()}
        refused += _differences("label:", "labels", said, cells)
    return refused


def _sound(entries: Json, *keys: str) -> bool:
    return isinstance(entries, list) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(key), str) for key in keys)
        for entry in entries
    )


def _differences(
    prefix: str, column: str, shown: dict[str, str], cells: dict[str, str]
) -> list[Refused]:
    names = {name for name in (*shown, *cells) if name.startswith(prefix)}
    return [
        Refused(
            name,
            cells.get(name),
            f"the column {column} of this row says {shown.get(name) or 'nothing'}; "
            f"clear its cell in {column} for the change to count",
        )
        for name in sorted(names)
        if cells.get(name, "") != shown.get(name, "")
    ]
