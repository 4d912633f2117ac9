"""Records of real files with a marker wherever judge, people or a tool may say something."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from reviewer.domain.errors import ReviewerError
from reviewer.domain.record import RECORD, Shape
from reviewer.formats.incoming import Record
from reviewer.services.transfer.file_plans import open_file

MARK = "ZQX"
"""Every planted text begins with it and goes on with where it was planted."""
LEAD, BLIND = "lea", "bo"
_FEW = 2
_SAID = ("scores", "labels", "marks", "excluded", "feedback")
_DIGITS = re.compile(r"\d+")


def real_records(folder: Path) -> Iterator[dict[str, Any]]:
    """Give the first records of every file below a folder that opens, each file a run.

    Of files that differ in a number of their place only, one is enough.
    """
    alike = set()
    for file in sorted(folder.rglob("*")):
        place = _DIGITS.sub("", str(file.relative_to(folder)))
        if not file.is_file() or place in alike:
            continue
        try:
            opened = open_file(file)
            with opened.items() as (_, items):
                records = [x.fields for x in islice(items, 40) if isinstance(x, Record)]
        except ReviewerError:
            continue
        if records:
            alike.add(place)
        for fields in records[:_FEW]:
            yield fields | {"run": f"{file.parent.name} {file.name}"}


def planted(fields: dict[str, Any]) -> dict[str, Any]:
    """Give a record with what its file calls further fields, and all that is said of it, marked.

    Scores, labels, marks and the exclusion are of the rubric guest-response.
    """
    bare = {key: value for key, value in fields.items() if key not in _SAID}
    found: dict[str, Any] = _marked(RECORD, bare, "record")
    found["meta"] = _replaced(fields.get("meta") or {}, "meta") | _unknown("meta")
    found["feedback"] = [{"value": "down", "comment": f"{MARK} feedback"}]
    found["scores"] = [_score(name) for name in ("accuracy", "relevance", "safety")]
    found["labels"] = [
        _said("labels", labeler=LEAD, metric="accuracy", value=2),
        _said("labels", labeler="cy", metric="safety", value=1, selection_reason="disputed"),
        _said("labels", labeler=LEAD, metric="accuracy", value=2, kind="adjudication"),
    ]
    found["marks"] = [
        _said("marks", kind=kind, labeler=LEAD, at="2026-11-02T10:00:00Z", metric="accuracy")
        for kind in ("flag", "cause", "highlight", "unsure", "question")
    ]
    if len(str(fields["id"])) % 2:
        found["excluded"] = {"reason": f"{MARK} exclusion", "by": LEAD} | _unknown("exclusion")
    return found


def _score(metric: str) -> dict[str, Any]:
    return {
        "metric": metric, "value": 2, "scorer": "judge", "at": "2026-11-01",
        "reasoning": f"{MARK} reasoning", "examples": [f"{MARK} example"],
        "raw": f"{MARK} raw reply", "trace": f"{MARK} trace", "prompt_hash": f"{MARK} prompt",
        "meta": {"claims": [f"{MARK} claim"]},
    } | _unknown("score")  # fmt: skip


def _said(where: str, **fields: Any) -> dict[str, Any]:
    words = "note" if where == "marks" else "comment"
    return fields | {words: f"{MARK} {where} {words}"} | _unknown(where)


def _unknown(where: str) -> dict[str, Any]:
    return {"zqx_own": f"{MARK} unknown in {where}", "zqx_deep": [{"b": {"c": f"{MARK} {where}"}}]}


def _marked(shape: Shape, value: dict[str, Any], where: str) -> dict[str, Any]:
    """Mark what the format does not know in an object, and in the objects inside of it."""
    known = {x.name: x.of for x in shape.fields}
    found = {}
    for key, one in value.items():
        of = known.get(key)
        if key not in known:
            found[key] = _replaced(one, key)
        elif of is not None and isinstance(one, list):
            found[key] = [
                _marked(of, x, f"{where} {key}") if isinstance(x, dict) else x for x in one
            ]
        else:
            found[key] = one
    return found | _unknown(where)


def _replaced(value: Any, where: str) -> Any:
    match value:
        case dict():
            return {key: _replaced(x, where) for key, x in value.items()}
        case list():
            return [_replaced(x, where) for x in value]
    return f"{MARK} {where}"
