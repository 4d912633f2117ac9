"""Which evaluation belongs to which segment: category, tag, run, model, language, length."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

import numpy as np

from reviewer.domain.language import language_name
from reviewer.services.audits.texts import NO_TEXT, TextColumns, TextFacts
from reviewer.services.figures.human_columns import Ints
from reviewer.services.project.session import Session
from reviewer.store import evaluation_fields

Dimension = Literal["category", "tag", "run", "model", "language", "length"]
TITLES: Final[dict[Dimension, str]] = {
    "category": "Category",
    "tag": "Tag",
    "run": "Run",
    "model": "Model",
    "language": "Language",
    "length": "Characters",
}
GOLD: Final = "gold"
"""The tag of evaluations with known answers, which nobody who labels may see."""
_QUARTERS: Final = (0.25, 0.5, 0.75)
NO_CHOICE: Final[dict[Dimension, str]] = {
    "category": "all evaluations are of one category or of none",
    "tag": "no evaluation has a tag",
    "run": "there is one run only",
    "model": "all evaluations are of one model or of none",
    "language": "all responses are of one language or of none that is known",
    "length": "all responses are of one length",
}


@dataclass(frozen=True, slots=True, eq=False)
class Grouping:
    """The segments of one dimension.

    Attributes:
        names: What each segment is called.
        rows: Positions of evaluations among the keys that were asked for.
        groups: The segment of each, below the number of names; a row may occur with several.
        reason: Why there are no segments, None where there are.
    """

    dimension: Dimension
    names: tuple[str, ...]
    rows: Ints
    groups: Ints
    reason: str | None = None


def read(
    session: Session, keys: Ints, facts: TextFacts, go_on: Callable[[], None]
) -> tuple[Grouping, ...]:
    """Read the segments of evaluations, by ascending keys; call it beside the window."""
    if not keys.size:
        return tuple(_none(dimension) for dimension in TITLES)
    project = session.project
    fields = evaluation_fields.read_fields(project, (int(keys[0]), int(keys[-1])), go_on)
    there = np.frombuffer(fields.keys, dtype=np.int64)
    rows = np.searchsorted(keys, there)
    rows = np.minimum(rows, keys.size - 1)
    inside = keys[rows] == there
    places, rows = np.flatnonzero(inside), rows[inside]
    runs = evaluation_fields.run_names(project)
    texts = facts.read(project, keys, go_on)
    picked = places.tolist()
    return (
        _of(
            "category",
            rows,
            [fields.categories[at] or "without category" for at in picked],
        ),
        _tags(session, keys, go_on),
        _of("run", rows, [runs.get(fields.runs[at], "") for at in picked]),
        _of("model", rows, [fields.models[at] or "without model" for at in picked]),
        _of("language", np.arange(keys.size), [language_name(x) for x in texts.languages]),
        _lengths(texts),
    )


def _none(dimension: Dimension) -> Grouping:
    nobody = np.zeros(0, dtype=np.int64)
    return Grouping(dimension, (), nobody, nobody, NO_CHOICE[dimension])


def _of(dimension: Dimension, rows: Ints, values: Sequence[str]) -> Grouping:
    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(x, len(numbers)) for x in values], dtype=np.int64)
    if len(numbers) < 2:
        return _none(dimension)
    return Grouping(dimension, tuple(numbers), rows, groups)


def _tags(session: Session, keys: Ints, go_on: Callable[[], None]) -> Grouping:
    found, tags = evaluation_fields.read_tags(session.project, go_on)
    there = np.frombuffer(found, dtype=np.int64)
    rows = np.minimum(np.searchsorted(keys, there), keys.size - 1)
    inside = keys[rows] == there
    if session.blind:
        inside &= np.array([tag != GOLD for tag in tags], dtype=np.bool_)
    named = [tags[at] for at in np.flatnonzero(inside).tolist()]
    numbers: dict[str, int] = {}
    groups = np.array([numbers.setdefault(tag, len(numbers)) for tag in named], dtype=np.int64)
    if not numbers:
        return _none("tag")
    return Grouping("tag", tuple(numbers), rows[inside], groups)


def _lengths(texts: TextColumns) -> Grouping:
    """Cut responses into quarters by length; equal lengths stay together."""
    rows = np.flatnonzero(texts.lengths != NO_TEXT)
    lengths = texts.lengths[rows]
    if not lengths.size:
        return _none("length")
    edges = np.unique(np.quantile(lengths, _QUARTERS, method="inverted_cdf")).astype(np.int64)
    edges = edges[edges < lengths.max()]
    if not edges.size:
        return _none("length")
    groups = np.searchsorted(edges, lengths, side="left")
    return Grouping("length", _spans(edges.tolist()), rows, groups)


def _spans(edges: Sequence[int]) -> tuple[str, ...]:
    between = [f"{low + 1:,} – {high:,}" for low, high in pairwise(edges)]
    return (f"up to {edges[0]:,}", *between, f"over {edges[-1]:,}")
