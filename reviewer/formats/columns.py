"""Look at the columns of a table's first rows: what kind of values they hold, and how many."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from reviewer.domain.values import Value
from reviewer.formats.cells import is_blank, looks_like
from reviewer.formats.paths import Json, Row, parsed, quoted, steps_of

_DEEPEST = 4
_FEW = 12
_LONG = 40
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_OTHER = re.compile(r"[^a-z0-9]+")


@dataclass
class Column:
    """One column, or one key inside nested objects, over the first rows.

    Attributes:
        path: How a mapping names it.
        values: Its filled values, numbers read as such.
        rows: How many rows were looked at.
        is_flat: True where the path is a plain name, whatever dots it has.
    """

    path: str
    rows: int = 0
    is_flat: bool = True
    values: list[Json] = field(default_factory=list)

    @property
    def words(self) -> tuple[str, ...]:
        """Give the last step of its name as lower-case words."""
        return words_of(self.last)

    @property
    def last(self) -> str:
        """Give the last step of its name; a table's column has one step only."""
        if self.is_flat:
            return self.path
        step = steps_of(self.path)[-1]
        return step if isinstance(step, str) else self.path

    @property
    def name(self) -> str:
        """Give the words with underscores between them."""
        return "_".join(self.words)

    @property
    def all_words(self) -> frozenset[str]:
        """Give the words of its whole path."""
        return frozenset(words_of(self.path))

    @property
    def distinct(self) -> int:
        """Count its different values."""
        return len({repr(value) for value in self.values})

    @property
    def is_unique(self) -> bool:
        """Tell whether no two rows have the same value and none has nothing."""
        return len(self.values) == self.rows == self.distinct

    @property
    def is_numeric(self) -> bool:
        """Tell whether all values are numbers or yes and no."""
        return bool(self.values) and all(isinstance(v, int | float) for v in self.values)

    @property
    def is_boolean(self) -> bool:
        """Tell whether all values are yes or no."""
        return bool(self.values) and all(isinstance(v, bool) for v in self.values)

    @property
    def is_text(self) -> bool:
        """Tell whether all values are texts."""
        return bool(self.values) and all(isinstance(v, str) for v in self.values)

    @property
    def is_list(self) -> bool:
        """Tell whether all values are lists."""
        return bool(self.values) and all(isinstance(v, list) for v in self.values)

    @property
    def is_long(self) -> bool:
        """Tell whether its texts are something to read rather than names."""
        texts = [value for value in self.values if isinstance(value, str)]
        return bool(texts) and sum(map(len, texts)) / len(texts) >= _LONG

    @property
    def has_few_values(self) -> bool:
        """Tell whether it looks like a scale or a set of categories rather than a measure."""
        short = all(not isinstance(v, str) or len(v) <= 40 for v in self.values)
        return short and self.distinct <= min(_FEW, max(2, len(self.values) // 2 + 1))

    @property
    def examples(self) -> str:
        """Give a few of its values for a sentence."""
        seen = dict.fromkeys(str(value)[:20] for value in self.values)
        return ", ".join(list(seen)[:4])


def words_of(name: str) -> tuple[str, ...]:
    """Cut a name into its lower-case words: `GPT4Score_1` gives gpt4, score, 1."""
    lowered = _CAMEL.sub("_", name).lower()
    return tuple(word for word in _OTHER.split(lowered) if word)


def columns_of(rows: Sequence[Row], *, texts: bool) -> list[Column]:
    """Give the columns of rows, with one for each key inside objects.

    Args:
        rows: The first rows of a file.
        texts: True for tables, whose numbers are still texts.
    """
    found: dict[str, Column] = {}
    for row in rows:
        for path, value in _leaves(row, ""):
            column = found.setdefault(path, Column(path, len(rows), path in row))
            if not is_blank(value):
                column.values.append(_seen(value) if texts else value)
    return list(found.values())


def _seen(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    opened = parsed(value)
    return looks_like(opened) if isinstance(opened, str) else opened


def _leaves(row: Row, prefix: str) -> Iterable[tuple[str, Json]]:
    for key, value in row.items():
        path = f"{prefix}.{quoted(key)}" if prefix else key
        if isinstance(value, dict) and value and path.count(".") < _DEEPEST:
            yield from _leaves(value, path if prefix else quoted(key))
        else:
            yield path, value


def is_value_list(values: Sequence[Json]) -> bool:
    """Tell whether lists hold single values only, of which one at least is no long text."""
    inner = [one for value in values for one in value]
    short = (not isinstance(one, str) or len(one) <= 40 for one in inner)
    scalar = all(isinstance(one, Value | None) for one in inner)
    return bool(inner) and scalar and any(short)
