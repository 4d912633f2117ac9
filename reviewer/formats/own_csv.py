"""Write and read evaluations and labels as CSV, without losing anything.

Evaluations: one row each. Scores and labels have columns of their own to be read and filtered by
people; what those cannot carry (times, comments, a history, a judge's raw reply) stands as JSON in
the columns `scores` and `labels`, and there only for the rows that need it. Labels: one row an
entry of the history.
"""

from collections.abc import Callable, Collection, Iterator, Sequence

from reviewer.domain.entries import current_labels
from reviewer.domain.record import RECORD_KEYS, UNKNOWN
from reviewer.domain.run import aspects_of
from reviewer.formats import delimited
from reviewer.formats.delimited import Dialect, TableRow
from reviewer.formats.format import Format, Look, Sniffed
from reviewer.formats.incoming import BadRow, Fields, Incoming, LabelRow, Record, Refused, Source
from reviewer.formats.mapping import Mapping
from reviewer.formats.own_columns import (
    LABEL_COLUMNS,
    TEXT_KEYS,
    Columns,
    LabelColumn,
    ScoreColumn,
    ScoreHeading,
    from_cell,
    is_labels,
    is_ours,
    label_column,
    parsed_label,
    score_headings,
    to_cell,
    to_line,
    to_text_cell,
    unguarded,
)
from reviewer.formats.paths import Json
from reviewer.formats.record import as_given, checked
from reviewer.formats.writing import TABLES, About, Chunks, Column, Rows, Writer, put_each

_KNOWN = frozenset(RECORD_KEYS)
_SCORE_KEYS = frozenset({"metric", "value", "reasoning", "scorer", "scorer_version"})
_LABEL_KEYS = frozenset({"metric", "labeler", "value", "blind"})
UNTOLD = (
    "several versions have this name, and the column alone does not say which of them gave it; "
    "put the score into the column scores"
)


def header_line(columns: Columns) -> str:
    """Write the header of a CSV of evaluations."""
    return to_line(columns.header())


def record_line(record: Fields, columns: Columns) -> str:
    """Write one evaluation as one row (with line breaks where its texts have some)."""
    return to_line(record_cells(record, columns))


def record_cells(record: Fields, columns: Columns) -> list[str]:
    """Give the cells of one evaluation's row.

    Args:
        record: The keys of the native format, `scores` and `labels` among them.
        columns: The columns of this file; they must cover all keys, scorers and labelers.
    """
    cells = [
        write(record[key]) if key in record else _rest(record) if key == UNKNOWN else ""
        for key, write in columns.writers
    ]
    scores, labels = record.get("scores"), record.get("labels")
    shown, scores_are_plain = _score_cells(scores or (), columns)
    said, labels_are_plain = _label_cells(labels or (), columns)
    cells += shown
    cells += said
    cells += [
        "" if "scores" not in record or scores_are_plain else to_cell(scores),
        "" if "labels" not in record or labels_are_plain else to_cell(labels),
    ]
    return cells


def _score_cells(entries: Sequence[Fields], columns: Columns) -> tuple[list[str], bool]:
    """Give what the score columns show, and whether they alone carry these scores exactly.

    They show the first score without turn and error of each scorer version, which counts. They
    carry scores that stand in the columns' order and have no other keys.
    """
    places = columns.places_of_scores
    cells = [""] * (2 * len(places))
    plain, last = bool(entries), -1
    for entry in entries:
        get = entry.get
        value = get("value")
        at = -1
        if not columns.apart:
            # a tuple is found as the column that is equal to it, and made in less time
            at = places.get((entry["metric"], get("scorer"), get("scorer_version"), ""), -1)
        if at < 0:
            at = places.get(columns.of_score(entry), -1)
            plain = plain and get("scorer") != ""
        is_plain = _SCORE_KEYS.issuperset(entry) and None not in entry.values()
        plain = plain and at > last and is_plain
        last = at
        is_shown = value is not None if is_plain else _is_shown(entry)
        if is_shown and at >= 0 and not cells[2 * at]:
            reasoning = get("reasoning")
            cells[2 * at] = repr(value) if value.__class__ is int else to_cell(value)
            if reasoning is not None:
                cells[2 * at + 1] = to_text_cell(reasoning)
    return cells, plain


def _label_cells(entries: Sequence[Fields], columns: Columns) -> tuple[list[str], bool]:
    """Give what the label columns show (R7), and whether they alone carry these labels exactly."""
    places = columns.places_of_labels
    cells = [""] * (2 * len(places))
    # where nobody said anything twice, everything is current
    plain = alone = bool(entries)
    last = -1
    for entry in entries:
        # a tuple is found as the column that is equal to it, and made in less time
        at = places.get((entry["metric"], entry["labeler"]), -1)
        alone = alone and at > last and "kind" not in entry and "turn" not in entry
        plain = alone and plain and entry.keys() <= _LABEL_KEYS and None not in entry.values()
        last = at
        if alone and entry.get("value") is not None:
            cells[2 * at] = to_cell(entry["value"])
            cells[2 * at + 1] = to_cell(entry["blind"]) if "blind" in entry else ""
    if alone or not entries:
        return cells, plain
    cells = [""] * (2 * len(places))
    for column, (value, blind) in _shown_labels(entries).items():
        place = places.get(column, -1)
        if place >= 0:
            cells[2 * place : 2 * place + 2] = value, blind
    return cells, plain


def _rest(record: Fields) -> str:
    rest = {key: value for key, value in record.items() if key not in _KNOWN}
    return to_cell(rest) if rest else ""


def _is_shown(entry: Fields) -> bool:
    get = entry.get
    return get("value") is not None and get("turn") is None and not get("error")


def _shown_scores(entries: Sequence[Fields], headings: Sequence[ScoreHeading]) -> dict[str, str]:
    """Give what the score columns show: of each scorer version the first that counts."""
    shown: dict[str, str] = {}
    for entry in filter(_is_shown, entries):
        made = frozenset(aspects_of(entry).items())
        name = next((x.name for x in headings if x.holds(entry, made)), None)
        shown.setdefault(name or _missing(entry), to_cell(entry["value"]))
    return shown


def _shown_before(entries: Sequence[Fields], headings: Sequence[ScoreHeading]) -> dict[str, str]:
    """Give what they showed in older files: of each scorer and version the last score."""
    names = {heading.column.unsplit: heading.name for heading in headings}
    return {
        names.get(Columns().of_score(entry)) or _missing(entry): to_cell(entry["value"])
        for entry in entries
        if entry.get("turn") is None and entry.get("value") is not None
    }


def _missing(entry: Fields) -> str:
    return f"score:{Columns().of_score(entry).suffix}"


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
    yield from items(delimited.rows(source, Dialect()), plain=unguarded)


def items(
    rows: Iterator[TableRow | BadRow], *, plain: Callable[[str], str] = str
) -> Iterator[Incoming]:
    """Give what rows with our columns hold.

    Args:
        rows: From a CSV or a sheet.
        plain: Gives a cell without what guards it from being run as a formula.
    """
    headings: tuple[ScoreHeading, ...] | None = None
    for row in rows:
        if isinstance(row, BadRow):
            yield row
            continue
        cells = {name: plain(cell) for name, cell in row.cells.items() if cell}
        if headings is None:
            headings = score_headings(row.cells)
        if is_labels(list(row.cells)):
            yield _label_row(cells, row.line)
        else:
            yield _record(cells, row.line, headings)


def _label_row(cells: dict[str, str], line: int) -> Incoming:
    entry = {k: from_cell(cells[k], text=k in TEXT_KEYS) for k in LABEL_COLUMNS[:-1] if k in cells}
    rest = from_cell(cells[UNKNOWN]) if UNKNOWN in cells else {}
    if isinstance(rest, dict):
        entry |= rest
    entry = as_given(entry)
    entry.setdefault("labeler", "")
    item = checked(entry, line)
    if isinstance(item, Record):
        return BadRow(line, "metric", None, "a label needs id, metric and labeler")
    return item


def _record(cells: dict[str, str], line: int, headings: Sequence[ScoreHeading]) -> Incoming:
    fields: Fields = {}
    untold = () if "scores" in cells else [x for x in headings if x.is_one_of and x.name in cells]
    for key in RECORD_KEYS:
        if key in cells:
            fields[key] = from_cell(cells[key], text=key in TEXT_KEYS)
        elif key == "scores":
            _put(fields, key, _scores_in(cells, [x for x in headings if x not in untold]))
        elif key == "labels":
            _put(fields, key, _labels_in(cells))
    refused = [Refused(x.name, cells[x.name], UNTOLD) for x in untold]
    refused += _edited(fields, cells, headings)
    rest = from_cell(cells[UNKNOWN]) if UNKNOWN in cells else {}
    if isinstance(rest, dict):
        fields |= rest
    item = checked(fields, line)
    if isinstance(item, Record | LabelRow):
        item.refused[:0] = refused
    return item


def _put(fields: Fields, key: str, found: list[Fields]) -> None:
    if found:
        fields[key] = found


def _scores_in(cells: dict[str, str], headings: Sequence[ScoreHeading]) -> list[Fields]:
    columns = {heading.name: heading.column.unsplit for heading in headings}
    return [
        _score_entry(columns[name], cell, cells.get(f"reasoning:{name[6:]}", ""))
        for name, cell in cells.items()
        if name in columns
    ]


def _labels_in(cells: dict[str, str]) -> list[Fields]:
    suffixes = [name[6:] for name in cells if name.startswith("label:")]
    return [
        _label_entry(
            parsed_label(suffix), cells[f"label:{suffix}"], cells.get(f"blind:{suffix}", "")
        )
        for suffix in suffixes
    ]


def _edited(
    fields: Fields, cells: dict[str, str], headings: Sequence[ScoreHeading]
) -> list[Refused]:
    """Find cells that say something else than the JSON beside them, which was edited elsewhere."""
    refused: list[Refused] = []
    if "scores" in cells and _sound(fields["scores"], "metric", also=("scorer", "scorer_version")):
        told = {x.name for x in headings if x.is_one_of}
        now, before = (
            _differences("score:", "scores", way(fields["scores"], headings), cells, told)
            for way in (_shown_scores, _shown_before)
        )
        refused += before if len(before) < len(now) else now
    if "labels" in cells and _sound(fields["labels"], "metric", "labeler"):
        said = {f"label:{c.suffix}": v for c, (v, _) in _shown_labels(fields["labels"]).items()}
        refused += _differences("label:", "labels", said, cells)
    return refused


def _sound(entries: Json, *keys: str, also: Sequence[str] = ()) -> bool:
    return isinstance(entries, list) and all(
        isinstance(entry, dict)
        and all(isinstance(entry.get(key), str) for key in keys)
        and all(isinstance(entry.get(key) or "", str) for key in also)
        for entry in entries
    )


def _differences(
    prefix: str,
    column: str,
    shown: dict[str, str],
    cells: dict[str, str],
    there: Collection[str] = (),
) -> list[Refused]:
    """Compare; what is `there` can be changed in the JSON alone."""
    names = {name for name in (*shown, *cells) if name.startswith(prefix)}
    return [
        Refused(
            name,
            cells.get(name),
            f"the column {column} of this row says {shown.get(name) or 'nothing'}; "
            + (
                f"change it in {column} for it to count"
                if name in there
                else f"clear its cell in {column} for the change to count"
            ),
        )
        for name in sorted(names)
        if cells.get(name, "") != shown.get(name, "")
    ]


def _recognise(look: Look) -> str | None:
    return "a CSV with the columns that Reviewer exports" if is_ours(look.header) else None


def _read(source: Source, _sniffed: Sniffed, _mapping: Mapping | None) -> Iterator[Incoming]:
    return read(source)


FORMAT = Format(
    name="csv",
    title="Reviewer CSV",
    suffixes=(".csv", ".csv.gz"),
    recognised_by="a header with id, run and columns such as score:METRIC@SCORER",
    shapes=frozenset({"table"}),
    recognise=_recognise,
    read=_read,
)


def table_line(row: Fields, columns: Sequence[Column]) -> str:
    """Write a row of a table whose columns are known; a blank cell is nothing."""
    return to_line(
        "" if row[x.name] is None else to_cell(row[x.name], text=isinstance(row[x.name], str))
        for x in columns
    )


def _write(rows: Rows, about: About, out: Chunks) -> int:
    if about.what == "evaluations":
        columns = about.wide()
        out.write(header_line(columns).encode())
        return put_each((record_line(row, columns).encode() for row in rows), out)
    out.write(to_line(x.name for x in about.columns).encode())
    return put_each((table_line(row, about.columns).encode() for row in rows), out)


WRITER = Writer(
    name=FORMAT.name, title=FORMAT.title, suffixes=FORMAT.suffixes, holds=TABLES, write=_write
)
