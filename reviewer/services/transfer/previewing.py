"""The first rows of an export on screen, with what is hidden from the labeler left out."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from reviewer.services.listing import listing
from reviewer.services.project.reading import key_of
from reviewer.services.project.session import Session
from reviewer.services.project.sight import hidden_now
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.exporting import preview

LIMIT = 50
SEARCHED = 500
"""Disagreements looked at to find the ones that may be shown."""
HIDDEN = "hidden until you have scored it"
_CLOSED = ("scores", "labels", "marks")
_OPINION = ("value", "value_text", "comment")
_JUDGE = ("auto", "auto_text")


@dataclass(frozen=True, slots=True)
class Preview:
    """The first rows as a table.

    Attributes:
        left_out: Rows that may not be shown yet; the file will hold them.
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    left_out: int = 0


def preview_unseen(session: Session, request: ExportRequest, limit: int = LIMIT) -> Preview:
    """Give the first rows of an export, with what is hidden from the labeler left out.

    The file itself will hold everything: only the screen keeps to the labeler's blindness.
    """
    searched = (
        SEARCHED if request.what == "disagreements" and not hidden_now(session).nothing else limit
    )
    rows = preview(session.project, request, searched).rows
    hidden = _hidden(session, rows)
    if request.what == "disagreements":
        shown = [row for row in rows if (row["run"], row["id"]) not in hidden]
        found = Preview((), tuple(shown[:limit]), len(rows) - len(shown))
    else:
        me = session.labeler.name
        found = Preview((), tuple(_closed(row, request.what, me, hidden) for row in rows))
    return replace(found, columns=tuple(dict.fromkeys(key for row in found.rows for key in row)))


def _hidden(session: Session, rows: Iterable[dict[str, Any]]) -> set[tuple[str, str]]:
    """Give run and id of the evaluations that the labeler may not see through yet."""
    if hidden_now(session).nothing:
        return set()
    names: dict[int, tuple[str, str]] = {}
    for run, identity in dict.fromkeys((row["run"], row["id"]) for row in rows):
        key = key_of(session, f"{run}/{identity}")
        if key is not None:
            names[key] = (run, identity)
    return {names[row.key] for row in listing.rows(session, list(names)) if row.hidden}


def _closed(
    row: dict[str, Any], what: str, me: str, hidden: set[tuple[str, str]]
) -> dict[str, Any]:
    if (row["run"], row["id"]) not in hidden:
        return row
    if what == "labels":
        closed = _JUDGE if row.get("labeler") == me else (*_OPINION, *_JUDGE)
        return row | {name: HIDDEN for name in closed if row.get(name) is not None}
    return row | {name: HIDDEN for name in _CLOSED if name in row}
