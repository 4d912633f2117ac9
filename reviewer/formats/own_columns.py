"""The columns of Reviewer's own CSV and how a cell carries any value exactly.

A cell holds a text as it is, everything else as JSON; a text that would be read as something else
is put in JSON's quotes. A blank cell is an absent key. What a spreadsheet would run as a formula
gets one leading apostrophe, which the reader takes off again.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from reviewer.domain.record import (
    ANALYSIS,
    ANALYSIS_KEYS,
    LABEL,
    LABEL_KEYS,
    OF_EVALUATION,
    RECORD,
    RECORD_KEYS,
    TEXT_KINDS,
    UNKNOWN,
    UNSURE,
)
from reviewer.domain.run import ScorerVersion, aspects, aspects_of, in_name
from reviewer.formats.incoming import Fields
from reviewer.formats.paths import Json

TEXT_KEYS = frozenset(
    field.name
    for field in (*RECORD.fields, *LABEL.fields, *ANALYSIS.fields)
    if field.kind in TEXT_KINDS
)
"""Keys whose values are texts, which stay unquoted even where they look like numbers."""
_RARE = ("of", "uid", "restores")
_PLAIN_KEYS = tuple(key for key in LABEL_KEYS if key not in _RARE)
LABEL_COLUMNS = ("run", "id", *_PLAIN_KEYS, UNSURE, *ANALYSIS_KEYS, UNKNOWN)
"""The columns of our label history, but for those of the evaluation; rare keys in the last."""
_ENTRIES = ("scores", "labels")
_DANGEROUS = frozenset("=+-@'\t\r")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_DOUBTFUL = '"{[+-.0123456789tfn'
_DOUBTFUL_TEXT = '"n'
_JSON = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(", ", ": "))
_PREFIXES = ("score:", "reasoning:", "label:", "blind:")
_PLAIN = " !#$&'()*+,/;=?[]^`{|}<>~\"\\"


_MORE_THAN_A_NAME = re.compile(r"[%:@]| .*[=\"\[{]", re.DOTALL)
"""What has to be escaped in a name, so that nothing in it seems to tell versions apart."""
_MAKES_VERSIONS = ("model", "prompt_hash", "parameters")


class ScoreColumn(NamedTuple):
    """The pair of columns of one metric by one scorer version.

    Attributes:
        apart: What tells the version from others of the same name, as its full name does.
    """

    metric: str
    scorer: str | None = None
    version: str | None = None
    apart: str = ""

    @property
    def suffix(self) -> str:
        """Give METRIC, METRIC@SCORER or METRIC@SCORER@VERSION, with what tells it apart."""
        parts = [_escaped_alone(self.metric)]
        if self.scorer is not None or self.version is not None:
            parts.append(_escaped_alone(self.scorer or ""))
        if self.version is not None:
            parts.append(_escaped_alone(self.version))
        return " ".join(filter(None, ("@".join(parts), _escaped(self.apart))))

    @property
    def base(self) -> "ScoreColumn":
        """Give the column without what tells its version from others."""
        return self._replace(apart="")

    @property
    def unsplit(self) -> "ScoreColumn":
        """Give the column whose last name only looks as if it told versions apart."""
        if not self.apart:
            return self
        last = "metric" if self.scorer is None else "scorer"
        last = last if self.version is None else "version"
        return self.base._replace(**{last: f"{getattr(self, last)} {self.apart}"})


class LabelColumn(NamedTuple):
    """The pair of columns of one metric by one labeler."""

    metric: str
    labeler: str

    @property
    def suffix(self) -> str:
        """Give METRIC:LABELER."""
        return f"{_escaped(self.metric)}:{_escaped(self.labeler)}"


Aspects = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Columns:
    """The columns of one CSV of evaluations, known before the first row is written.

    Attributes:
        keys: The keys beside `id`, `run`, `scores` and `labels` that have a column.
        scores: The metrics and scorers, in their order.
        labels: The metrics and labelers, in their order.
        apart: What the full names of versions tell, by everything that makes them.
    """

    keys: tuple[str, ...] = tuple(
        key for key in RECORD_KEYS if key not in ("id", "run", *_ENTRIES)
    )
    scores: tuple[ScoreColumn, ...] = ()
    labels: tuple[LabelColumn, ...] = ()
    apart: dict[Aspects, str] = field(default_factory=dict)

    @classmethod
    def of(cls, records: Iterable[Fields], versions: Iterable[ScorerVersion] = ()) -> "Columns":
        """Find the columns that records need, in the order of their first appearance.

        Args:
            records: What is to be written, or some of it that needs every column.
            versions: Of which the scores are, with their full names.
        """
        named = cls(apart={frozenset(aspects(x).items()): x.apart for x in versions if x.apart})
        keys: set[str] = set()
        scores: dict[ScoreColumn, None] = {}
        labels: dict[LabelColumn, None] = {}
        for record in records:
            keys |= record.keys()
            scores |= dict.fromkeys(map(named.of_score, record.get("scores") or ()))
            labels |= dict.fromkeys(map(label_column, record.get("labels") or ()))
        known = tuple(key for key in cls.keys if key in keys)
        if keys - set(RECORD_KEYS):
            known += (UNKNOWN,)
        return cls(known, tuple(scores), tuple(labels), named.apart)

    def of_score(self, entry: Fields) -> ScoreColumn:
        """Give the column that a score belongs to."""
        column = _plain_column(entry)
        if self.apart and any(name in entry for name in _MAKES_VERSIONS):
            apart = self.apart.get(frozenset(aspects_of(entry).items()))
            return column._replace(apart=apart) if apart else column
        return column

    @cached_property
    def places_of_scores(self) -> dict[tuple[str, str | None, str | None, str], int]:
        """Give the place of each score column among them; an equal tuple finds it, too."""
        return {column: at for at, column in enumerate(self.scores)}

    @cached_property
    def places_of_labels(self) -> dict[tuple[str, str], int]:
        """Give the place of each label column among them; an equal tuple finds it, too."""
        return {column: at for at, column in enumerate(self.labels)}

    @cached_property
    def writers(self) -> tuple[tuple[str, Callable[[Json], str]], ...]:
        """Give the keys of a record that have a column, and what writes a cell of it."""
        keys = ("id", "run", *self.keys)
        return tuple((key, to_text_cell if key in TEXT_KEYS else to_cell) for key in keys)

    def header(self) -> list[str]:
        """Give the names of the columns."""
        names = ["id", "run", *self.keys]
        for score in self.scores:
            names += [f"score:{score.suffix}", f"reasoning:{score.suffix}"]
        for label in self.labels:
            names += [f"label:{label.suffix}", f"blind:{label.suffix}"]
        return [*names, *_ENTRIES]


def _plain_column(entry: Fields) -> ScoreColumn:
    scorer, version = entry.get("scorer"), entry.get("scorer_version")
    # beside a version an empty name is read as none
    return ScoreColumn(entry["metric"], scorer or (None if version else scorer), version)


def label_column(entry: Fields) -> LabelColumn:
    """Give the column that a label belongs to."""
    return LabelColumn(entry["metric"], entry["labeler"])


def _escaped(name: str) -> str:
    """Keep a name apart from the signs around it, and blanks at its ends from being trimmed."""
    if name != name.strip():
        return quote(name, safe="")
    return quote(name, safe=_PLAIN) if re.search(r"[%:@]", name) else name


def _escaped_alone(name: str) -> str:
    return quote(name, safe=_PLAIN.strip()) if _MORE_THAN_A_NAME.search(name) else _escaped(name)


@lru_cache(maxsize=1024)
def parsed_score(suffix: str) -> ScoreColumn:
    """Read what follows `score:` in a column's name."""
    *parts, last = suffix.split("@")
    name, apart = _divided(last)
    metric, *rest = map(unquote, (*parts, name))
    scorer = rest[0] if rest and (rest[0] or len(rest) == 1) else None
    return ScoreColumn(metric, scorer, rest[1] if len(rest) > 1 else None, apart)


def _divided(last: str) -> tuple[str, str]:
    """Divide a name from what tells a version apart."""
    for blank in re.finditer(" ", last):
        apart = unquote(last[blank.end() :])
        if in_name(apart) is not None:
            return last[: blank.start()], apart
    return last, ""


@dataclass(frozen=True)
class ScoreHeading:
    """A column of scores in a file that is read.

    Attributes:
        told: What it tells of its version, as names spell it.
        is_one_of: Whether other columns hold scores of the same name.
    """

    name: str
    column: ScoreColumn
    told: Aspects
    is_one_of: bool

    def holds(self, entry: Fields, made: Aspects) -> bool:
        """Tell whether a score may stand in it; `made` is everything that makes its version."""
        whose = _plain_column(entry)
        return whose == self.column.unsplit or (whose == self.column.base and self.told <= made)


def score_headings(names: Iterable[str]) -> tuple[ScoreHeading, ...]:
    """Give the columns of scores among a file's, those that tell most of a version first."""
    columns = {name: parsed_score(name[6:]) for name in names if name.startswith("score:")}
    counts = Counter(column.base for column in columns.values())
    found = [
        ScoreHeading(
            name,
            column,
            frozenset((in_name(column.apart) or {}).items()),
            is_one_of=bool(column.apart) and counts[column.base] > 1,
        )
        for name, column in columns.items()
    ]
    return tuple(sorted(found, key=lambda heading: -len(heading.told)))


@lru_cache(maxsize=4096)
def parsed_label(suffix: str) -> LabelColumn:
    """Read what follows `label:` in a column's name."""
    metric, _, labeler = suffix.partition(":")
    return LabelColumn(unquote(metric), unquote(labeler))


def is_ours(header: Sequence[str]) -> bool:
    """Tell whether a header is of a CSV that Reviewer wrote: evaluations or labels."""
    return is_evaluations(header) or is_labels(header)


def is_labels(header: Sequence[str]) -> bool:
    """Tell whether a header is that of our label history."""
    names = [name for name in header if not name.startswith(OF_EVALUATION)]
    known = [name for name in LABEL_COLUMNS if name in names]
    return names == known and {"id", "metric", "labeler", "value", "kind"} <= set(names)


def is_evaluations(header: Sequence[str]) -> bool:
    """Tell whether a header is that of our evaluations."""
    names = list(header)
    if names[:2] != ["id", "run"] or not set(_ENTRIES) <= set(names):
        return False
    return all(name in (*RECORD_KEYS, UNKNOWN) or name.startswith(_PREFIXES) for name in names)


def to_cell(value: Json, *, text: bool = False) -> str:
    """Write a value so that `from_cell` gives it back exactly.

    Args:
        value: What JSON can say.
        text: True for keys whose values are texts.
    """
    # the class of a value is known in the least time
    kind = value.__class__
    if isinstance(value, str):
        # most texts can be nothing else, as their first sign tells
        if value and (
            value[0] not in (_DOUBTFUL_TEXT if text else _DOUBTFUL)
            or from_cell(value, text=text) == value
        ):
            return value
    elif kind is int or kind is float:
        return repr(value)
    elif kind is bool:
        return "true" if value else "false"
    return _JSON.encode(value)


def to_text_cell(value: Json) -> str:
    """Write the value of a key whose values are texts."""
    # this is asked of nearly every cell, and the first sign of a text tells nearly always
    if value.__class__ is str and value[:1] not in _DOUBTFUL_TEXT:
        return value
    return to_cell(value, text=True)


def from_cell(cell: str, *, text: bool = False) -> Json:
    """Read a cell that is not blank; `text` as it was for `to_cell`."""
    if cell == "null":
        return None
    if text:
        return _json(cell) if cell[:1] == '"' == cell[-1:] and len(cell) > 1 else cell
    if cell[:1] in '"{[' or cell in ("true", "false") or _NUMBER.fullmatch(cell):
        return _json(cell)
    return cell


def _json(cell: str) -> Json:
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        return cell


def guarded(cell: str) -> str:
    """Keep a spreadsheet from running a cell as a formula."""
    if cell[:1] in _DANGEROUS and cell and not _NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def unguarded(cell: str) -> str:
    """Take off the apostrophe that `guarded` put there."""
    return cell[1:] if cell[:1] == "'" else cell


_RUNS = re.compile("\0[=+\\-@'\t\r]")
"""A cell that may be run as a formula, in a row of cells with a zero byte before each."""


def to_line(cells: Iterable[str]) -> str:
    """Write cells as one line of CSV with its line end."""
    row = list(cells)
    # to look through all cells at once takes less time than to look at each for every sign
    whole = "\0".join(("", *row))
    if _RUNS.search(whole):
        row = [guarded(cell) for cell in row]
    if "\n" in whole or "\r" in whole:
        row = [
            '"' + cell.replace('"', '""') + '"'
            if "," in cell or '"' in cell or "\n" in cell or "\r" in cell
            else cell
            for cell in row
        ]
    else:
        row = [
            '"' + cell.replace('"', '""') + '"' if "," in cell or '"' in cell else cell
            for cell in row
        ]
    return ",".join(row) + "\n"
