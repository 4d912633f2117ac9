"""Tell Reviewer's own records from other tools' records by their keys."""

from collections.abc import Sequence
from typing import Any

from reviewer.domain.record import LABEL_KEYS as ENTRY_KEYS
from reviewer.domain.record import RECORD_KEYS

KEYS = RECORD_KEYS
"""The keys of a record in the order in which they are written."""
LABEL_KEYS = ("run", "id", *ENTRY_KEYS)
"""The keys of a single label in the order in which they are written."""
_KNOWN = frozenset(KEYS)
_SUBJECTS = ("input", "messages", "response", "candidates")
_ANSWERS = ("response", "messages", "candidates")


def is_native(rows: Sequence[Any]) -> bool:
    """Tell whether records are our own: some fit, and hardly any speaks against it.

    A row that lacks something but holds only our keys is a broken one of ours, and a broken row
    must not turn a whole file into another tool's.
    """
    own = sum(_is_record(row) or _is_label(row) for row in rows)
    foreign = sum(_is_foreign(row) for row in rows)
    return own > 0 and foreign * 10 <= own


def _is_foreign(row: Any) -> bool:  # noqa: ANN401
    if not isinstance(row, dict) or _is_record(row) or _is_label(row):
        return False
    return not row.keys() <= _KNOWN | set(LABEL_KEYS)


def _is_label(row: Any) -> bool:  # noqa: ANN401
    return isinstance(row, dict) and all(
        key in row for key in ("id", "metric", "labeler", "value")
    )


def _is_record(row: Any) -> bool:  # noqa: ANN401
    if not isinstance(row, dict) or not isinstance(row.get("id"), str | int | float):
        return False
    if not any(key in row for key in _SUBJECTS):
        return False
    entries = [*(row.get("scores") or ()), *(row.get("labels") or ())] if _has_lists(row) else None
    if entries is None or not all(isinstance(e, dict) and "metric" in e for e in entries):
        return False
    # keys beside ours: our own file with something extra, or another tool's that shares a name?
    return (
        row.keys() <= _KNOWN
        or bool(entries)
        or ("response" in row and not _has_numbers(row))
        or (any(key in row for key in _ANSWERS) and "run" in row)
    )


def _has_lists(row: dict[str, Any]) -> bool:
    return all(isinstance(row.get(key), list | None) for key in ("scores", "labels", "messages"))


def _has_numbers(row: dict[str, Any]) -> bool:
    """Tell whether unknown keys hold numbers, which may be scores."""
    return any(isinstance(row[key], int | float) for key in row.keys() - _KNOWN)
