"""Where evaluations belong: their runs, categories, models and tags, without any text."""

from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from reviewer.store.project import Project

_SPAN = 20_000


@dataclass(frozen=True, slots=True)
class EvaluationFields:
    """Columns of one length, keys ascending; a field that is not there is None."""

    keys: "array[int]" = field(default_factory=lambda: array("q"))
    runs: "array[int]" = field(default_factory=lambda: array("q"))
    categories: list[str | None] = field(default_factory=list)
    models: list[str | None] = field(default_factory=list)


def read_categories(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> EvaluationFields:
    """Read runs and categories from the first key to the last; models are left empty.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = EvaluationFields()
    for first, last in _spans(*span):
        go_on()
        for key, run, category in project.conn.execute(
            "SELECT id, run, category FROM evaluations WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ):
            columns.keys.append(key)
            columns.runs.append(run)
            columns.categories.append(category)
    return columns


def read_fields(
    project: Project, span: tuple[int, int], go_on: Callable[[], None]
) -> EvaluationFields:
    """Read runs, categories and models from the first key to the last.

    `go_on` is called now and then; it may raise to stop reading.
    """
    columns = EvaluationFields()
    for first, last in _spans(*span):
        go_on()
        for key, run, category, model in project.conn.execute(
            "SELECT id, run, category, model FROM evaluations "
            "WHERE id BETWEEN ? AND ? ORDER BY id",
            (first, last),
        ):
            columns.keys.append(key)
            columns.runs.append(run)
            columns.categories.append(category)
            columns.models.append(model)
    return columns


def read_tags(project: Project, go_on: Callable[[], None]) -> tuple["array[int]", list[str]]:
    """Read which evaluation has which tag: keys and tags, one row a pair, by tag."""
    keys, tags = array("q"), list[str]()
    rows = project.conn.execute("SELECT evaluation, tag FROM tags ORDER BY tag, evaluation")
    for block in iter(lambda: rows.fetchmany(_SPAN), []):
        go_on()
        for key, tag in block:
            keys.append(key)
            tags.append(tag)
    return keys, tags


def run_names(project: Project) -> dict[int, str]:
    """Give the names of runs by their keys, in the order of import."""
    return dict(project.conn.execute("SELECT id, name FROM runs ORDER BY id"))


def _spans(low: int, high: int) -> Iterator[tuple[int, int]]:
    for first in range(low, high + 1, _SPAN):
        yield first, min(first + _SPAN - 1, high)
