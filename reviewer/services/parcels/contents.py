"""What goes into a work package, and how its texts are told apart from changed ones."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from reviewer.store.records import Stored

Fields = dict[str, Any]

TEXTS: Final = ("input", "messages", "response", "candidates", "context", "expected")
_SHOWN: Final = (
    "id", "run", "case", "category", "complexity", "tags", *TEXTS, "expected_keywords",
    "expected_tools", "tools_used", "error", "latency_ms", "cost_usd", "tokens_in", "tokens_out",
    "model", "occurred_at", "evaluated_at", "sources", "expected_sources", "template_matched",
    "direct_substitution", "cache", "cluster",
)  # fmt: skip
"""What a blind labeler may see; whatever else a record holds could tell the judge's opinion."""
GOLD: Final = "gold"
_TELLING: Final = frozenset({"judge_version", "selection_reason", "selection_prob"})
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
    gone = ("labels", "marks", "excluded")
    kept = {
        key: value
        for key, value in fields.items()
        if key not in gone and (key in _SHOWN or not blind)
    }
    brought = set(stored.as_it_came.get("tags") or ())
    tags = [
        tag for tag in fields.get("tags") or () if tag != GOLD and (tag in brought or not blind)
    ]
    kept.pop("tags", None)
    if tags:
        kept["tags"] = tags
    gone_of_labels = _TELLING if blind else frozenset[str]()
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
    """Name the texts of a record: what a labeler read."""
    said = json.dumps([fields.get(key) for key in TEXTS], sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(said.encode(errors="surrogatepass")).hexdigest()
