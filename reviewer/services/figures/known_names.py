"""Filters that nothing of a project can fit are refused with what there is, not told as zeros."""

from collections.abc import Sequence
from itertools import islice
from typing import Final

from reviewer.domain.errors import ReviewerError
from reviewer.domain.run import Scope
from reviewer.store import figures, run_details, scoping, tags
from reviewer.store.project import Project

NAMED: Final = 20
"""Names that a sentence lists; a project may have thousands."""


def check(project: Project, scope: Scope) -> None:
    """Hold the categories, tags and fields of a scope to those of the project's evaluations.

    Raises:
        ReviewerError: No evaluation has one of them; the sentence says what there is.
    """
    if scope.categories:
        _among("category", scope.categories, run_details.all_categories(project))
    if scope.tags:
        _among("tag", scope.tags, [name for name, _ in tags.every(project.conn)])
    runs = [key for key, _, _ in figures.run_places(project)]
    for field, value in scope.where:
        if runs and not scoping.holds_any(
            project.conn, scoping.condition(Scope(where=((field, value),)), runs)
        ):
            raise ReviewerError(f"No evaluation of {project.path.name} has {field} = {value}.")


def _among(what: str, names: Sequence[str], there: Sequence[str]) -> None:
    for name in names:
        if name not in there:
            more = f" and {len(there) - NAMED:,} more" if len(there) > NAMED else ""
            known = ", ".join(islice(there, NAMED)) or "none"
            raise ReviewerError(
                f"No evaluation has the {what} {name!r}; there are: {known}{more}."
            )
