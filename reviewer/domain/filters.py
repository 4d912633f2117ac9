"""The filter language of queues, window and command line: read into a tree and written back."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """Text that the evaluation holds; a phrase word for word, else a word by its beginning."""

    text: str
    phrase: bool = False


@dataclass(frozen=True, slots=True)
class Term:
    """A comparison of one field, such as `category:policies` or `auto:accuracy<3`.

    `metric` is None where the field takes none; `op` is ":" or a comparison; a quoted value is
    taken literally.
    """

    field: str
    op: str
    value: str
    metric: str | None = None
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Not:
    """What does not match the part."""

    part: "Filter"


@dataclass(frozen=True, slots=True)
class All:
    """What matches every part; with no parts, everything."""

    parts: tuple["Filter", ...] = ()


@dataclass(frozen=True, slots=True)
class Either:
    """What matches at least one part."""

    parts: tuple["Filter", ...]


Filter = Words | Term | Not | All | Either


def parse(text: str) -> Filter:
    """Read a filter expression.

    Raises:
        FilterError: The expression cannot be understood; the sentence names the position.
    """
    raise NotImplementedError


def to_text(tree: Filter) -> str:
    """Write a filter so that `parse` reads the same tree."""
    raise NotImplementedError


def needs_sight(tree: Filter) -> bool:
    """Tell whether a filter reads auto scores, other people's labels or gaps (off while blind)."""
    raise NotImplementedError
