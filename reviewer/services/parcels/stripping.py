"""Records without what others said, as whoever labels blind may have them."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from reviewer.services.project import sight
from reviewer.store.records import Stored

Fields = dict[str, Any]
TELLING: Final = frozenset({"judge_version", "selection_reason", "selection_prob"})
"""What a label says of the judge and of how its evaluation was drawn."""


def stripped(stored: Stored, labeler: str, *, blind: bool, repeat: bool) -> Fields:
    """Give a record without what others said, and where blind without what any judge said.

    Args:
        stored: the record.
        labeler: whose own labels stay.
        blind: whether scores, the end users' feedback, tags that were given here and whatever is
            not known go, too.
        repeat: whether the labeler answers once more, so that their first answers go as well.
    """
    fields = stored.fields
    kept = sight.seen_fields(fields) if blind else dict(fields)
    for gone in ("labels", "marks", "excluded"):
        kept.pop(gone, None)
    brought = set(stored.as_it_came.get("tags") or ())
    tags = [
        tag
        for tag in fields.get("tags") or ()
        if tag != sight.GOLD and (tag in brought or not blind)
    ]
    kept.pop("tags", None)
    if tags:
        kept["tags"] = tags
    gone_of_labels = TELLING if blind else frozenset[str]()
    own = [
        {key: value for key, value in label.items() if key not in gone_of_labels}
        for label in fields.get("labels") or ()
        if label["labeler"] == labeler and label.get("kind") != "adjudication"
    ]
    if own and not repeat:
        kept["labels"] = own
    return {key: kept[key] for key in _ordered(fields, kept)}


def _ordered(fields: Mapping[str, Any], kept: Mapping[str, Any]) -> list[str]:
    return [key for key in fields if key in kept]


def mark_of(fields: Mapping[str, Any]) -> str:
    """Name the texts of a record: what a labeler read, blind or not."""
    texts = [sight.bare(key, fields.get(key)) for key in sight.TEXTS]
    return hashlib.sha256(
        json.dumps(texts, sort_keys=True, ensure_ascii=False).encode(errors="surrogatepass")
    ).hexdigest()
