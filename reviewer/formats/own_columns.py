"""The columns of Reviewer's own CSV and how a cell carries any value exactly.

A cell holds a text as it is, everything else as JSON; a text that would be read as something else
is put in JSON's quotes. A blank cell is an absent key. What a spreadsheet would run as a formula
gets one leading apostrophe, which the reader takes off again.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote, unquote

from reviewer.formats.incoming import Fields
from reviewer.formats.native_signs import KEYS, LABEL_KEYS
from reviewer.formats.paths import Json

TEXT_KEYS = frozenset(
    {"id", "run", "case", "category", "complexity", "input", "response", "expected", "error",
     "model", "occurred_at", "evaluated_at", "cache", "cluster", "metric", "labeler", "comment",
     "at", "kind", "rubric_version", "selection_reason", "judge_version"}
)  # fmt: skip
"""Keys whose values are texts, which stay unquoted even where they look like numbers."""
UNKNOWN = "other"
"""The column for keys that the format does not know."""
LABEL_COLUMNS = (*(key for key in LABEL_KEYS if key not in ("of", "uid", "restores")), UNKNOWN)
"""The columns of our label history; rare keys stand in the last one."""
_ENTRIES = ("scores", "labels")
_DANGEROUS = frozenset("=+-@'\t\r")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_DOUBTFUL = '"{[+-.0123456789tfn'
_DOUBTFUL_TEXT = '"n'
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(", ", ": "))
_PREFIXES = ("score:", "reasoning:", "label:", "blind:")
_PLAIN = " !#$&'()*+,/;=?[]^`{|}<>~\"\\"


class ScoreColumn(NamedTuple):
    """The pair of columns of one metric by one scorer version."""

    metric: str
    scorer: str | None = None
    version: str | None = None

    @property
    def suffix(self) -> str:
        """Give METRIC, METRIC@SCORER or METRIC@SCORER@VERSION."""
        parts = [_escaped(self.metric)]
        if self.scorer is not None or self.version is not None:
            parts.append(_escaped(self.scorer or ""))
        if self.version is not None:
            parts.append(_escaped(self.version))
        return "@".join(parts)


class LabelColumn(NamedTuple):
    """The pair of columns of one metric by one labeler."""

    metric: str
    labeler: str

    @property
    def suffix(self) -> str:
        """Give METRIC:LABELER."""
        return f"{_escaped(self.metric)}:{_escaped(self.labeler)}"


@dataclass(frozen=True)
class Columns:
    """The columns of one CSV of evaluations, known before the first row is written.

    Attributes:
        keys: The keys beside `id`, `run`, `scores` and `labels` that have a column.
        scores: The metrics and scorers, in their order.
        labels: The metrics and labelers, in their order.
    """

    keys: tuple[str, ...] = tuple(key for key in KEYS if key not in ("id", "run", *_ENTRIES))
    scores: tuple[ScoreColumn, ...] = ()
    labels: tuple[LabelColumn, ...] = ()

    @classmethod
    def of(cls, records: Iterable[Fields]) -> "Columns":
        """Find the columns that records need, in the order of their first appearance."""
        keys: set[str] = set()
        scores: dict[ScoreColumn, None] = {}
        labels: dict[LabelColumn, None] = {}
        for record in records:
            keys |= record.keys()
            scores |= dict.fromkeys(map(score_column, record.get("scores") or ()))
            labels |= dict.fromkeys(map(label_column, record.get("labels") or ()))
        named = tuple(key for key in cls.keys if key in keys)
        if keys - set(KEYS):
            named += (UNKNOWN,)
        return cls(named, tuple(scores), tuple(labels))

    @cached_property
    def places_of_scores(self) -> dict[ScoreColumn, int]:
        """Give the place of each score column among them."""
        return {column: at for at, column in enumerate(self.scores)}

    @cached_property
    def places_of_labels(self) -> dict[LabelColumn, int]:
        """Give the place of each label column among them."""
        return {column: at for at, column in enumerate(self.labels)}

    def header(self) -> list[str]:
        """Give the names of the columns."""
        names = ["id", "run", *self.keys]
        for score in self.scores:
            names += [f"score:{score.suffix}", f"reasoning:{score.suffix}"]
        for label in self.labels:
            names += [f"label:{label.suffix}", f"blind:{label.suffix}"]
        return [*names, *_ENTRIES]


def score_column(entry: Fields) -> ScoreColumn:
    """Give the column that a score belongs to."""
    return ScoreColumn(entry["metric"], entry.get("scorer"), entry.get("scorer_version"))


def label_column(entry: Fields) -> LabelColumn:
    """Give the column that a label belongs to."""
    return LabelColumn(entry["metric"], entry["labeler"])


def _escaped(name: str) -> str:
    """Keep a name apart from the signs around it, and blanks at its ends from being trimmed."""
    if name != name.strip():
        return quote(name, safe="")
    return quote(name, safe=_PLAIN) if re.search(r"[%:@]", name) else name


@lru_cache(maxsize=1024)
def parsed_score(suffix: str) -> ScoreColumn:
    """Read what follows `score:` in a column's name."""
    metric, *rest = (unquote(part) for part in suffix.split("@"))
    scorer = rest[0] if rest and (rest[0] or len(rest) == 1) else None
    return ScoreColumn(metric, scorer, rest[1] if len(rest) > 1 else None)


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
    names = list(header)
    known = [name for name in LABEL_COLUMNS if name in names]
    return names == known and {"id", "metric", "labeler", "value", "kind"} <= set(names)


def is_evaluations(header: Sequence[str]) -> bool:
    """Tell whether a header is that of our evaluations."""
    names = list(header)
    if names[:2] != ["id", "run"] or not set(_ENTRIES) <= set(names):
        return False
    return all(name in (*KEYS, UNKNOWN) or name.startswith(_PREFIXES) for name in names)


def to_cell(value: Json, *, text: bool = False) -> str:
    """Write a value so that `from_cell` gives it back exactly.

    Args:
        value: What JSON can say.
        text: True for keys whose values are texts.
    """
    if isinstance(value, str):
        # most texts can be nothing else, as their first sign tells
        if value and (
            value[0] not in (_DOUBTFUL_TEXT if text else _DOUBTFUL)
            or from_cell(value, text=text) == value
        ):
            return value
    elif isinstance(value, bool):
        return "true" if value else "false"
    elif isinstance(value, int | float):
        return repr(value)
    return _JSON.encode(value)


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
    except ValueError:
        return cell


def guarded(cell: str) -> str:
    """Keep a spreadsheet from running a cell as a formula."""
    if cell[:1] in _DANGEROUS and cell and not _NUMBER.fullmatch(cell):
        return "'" + cell
    return cell


def unguarded(cell: str) -> str:
    """Take off the apostrophe that `guarded` put there."""
    return cell[1:] if cell[:1] == "'" else cell


def to_line(cells: Iterable[str]) -> str:
    """Write cells as one line of CSV with its line end."""
    return ",".join([_written(cell) if cell else "" for cell in cells]) + "\n"


def _written(cell: str) -> str:
    if cell[0] in _DANGEROUS:
        cell = guarded(cell)
    # four looks for one sign each are faster than one for any of them
    if "," in cell or '"' in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell
