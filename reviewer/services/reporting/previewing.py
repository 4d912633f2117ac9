"""The beginning of a report before it is written, as whoever looks may see it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from reviewer.domain.errors import Progress
from reviewer.reports import fields, rendering
from reviewer.reports.document import as_json
from reviewer.reports.rendering import Kind
from reviewer.services.figures.request import covered
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_among
from reviewer.services.reporting.making import KINDS, ReportRequest, build, kind_of, rendered
from reviewer.store import figures

MOST_SHOWN: Final = 60_000
"""Characters of a Markdown or JSON report that a preview shows."""


@dataclass(frozen=True, slots=True)
class Previewed:
    """The beginning of a report, before it is written.

    Attributes:
        text: laid out as for print where `is_laid_out`, else as the file will begin.
        keys: the evaluations whose scores it tells one by one.
        hidden: how many evaluations of it are hidden from the labeler; then there is no text.
    """

    text: str
    is_laid_out: bool = False
    keys: tuple[int, ...] = ()
    hidden: int = 0


def preview(
    session: Session, suffix: str, request: ReportRequest, progress: Progress | None = None
) -> Previewed:
    """Show a report as it will be, unless some of what it tells is hidden from the labeler.

    A page for a browser is shown as it is printed.

    Raises:
        ReviewerError: A filter or template is wrong, or there is no run yet.
        CancelledError: Nobody waits for it any more.
    """
    kind = kind_of(f"report{suffix}", request)
    project = session.project
    with figures.snapshot(project):
        within = covered(project, request.scope).within
        every = np.frombuffer(figures.read_evaluations(project, within).keys, np.int64)
        hidden = () if session.sees_all else hidden_among(session, every.tolist())
        if hidden:
            return Previewed("", hidden=len(hidden))
        if kind is not None:
            rendering.template(kind, request.template)
        made = build(project, request.wanted, progress=progress)
        behind = made.evidence
        told = () if behind is None else (*behind.differing, *behind.best, *behind.worst)
        keys = tuple(dict.fromkeys(one.key for one in told))
        if kind is None:
            return Previewed(_beginning(as_json(fields.document(made))), keys=keys)
        shown: Kind = "pdf" if kind == "html" and request.template is None else kind
        text = rendered(made, shown, request.template or rendering.GENERAL)
    laid_out = shown == "pdf"
    return Previewed(text if laid_out else text[:MOST_SHOWN], laid_out, keys)


def _beginning(pieces: Iterator[str]) -> str:
    found, size = list[str](), 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size >= MOST_SHOWN:
            found.append("\n…")
            break
    return "".join(found)


def templates(suffix: str) -> tuple[str, ...]:
    """Give the templates that ship for a form, the general one left out; none for JSON."""
    kind = KINDS.get(suffix)
    return tuple(x for x in rendering.shipped(kind) if x != rendering.GENERAL) if kind else ()
