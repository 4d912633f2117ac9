"""Entries as a hub has them, and as a record has them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final
from uuid import UUID

from reviewer.domain import uids
from reviewer.domain.evaluation import to_micros
from reviewer.formats.incoming import BadRow, Record
from reviewer.formats.record import checked
from reviewer.hub.reading import PulledEntry
from reviewer.hub.writing import Entry
from reviewer.services.parcels.stripping import TELLING
from reviewer.store.shares import Made

Fields = dict[str, Any]
Place = tuple[str, str]
LONGEST: Final = 1_000_000
"""Bytes of an entry; the hub takes none that is longer."""
_COLUMNS: Final = frozenset({"metric", "labeler", "kind", "turn", "uid"})
_TABLES: Final = {"label": "labels", "mark": "marks"}


def outgoing(made: Made, text: int) -> Entry | None:
    """Give an entry, given beside a text, as the hub takes it; None where none can hold it."""
    fields, get = made.fields, made.fields.get
    hidden = TELLING if made.sort == "label" else frozenset[str]()
    body = {x: y for x, y in fields.items() if x not in _COLUMNS and x not in hidden}
    telling = {x: fields[x] for x in hidden if x in fields}
    found = Entry(
        UUID(bytes=made.person), UUID(bytes=made.uid), made.run, made.name, made.sort,
        get("kind") or "label", get("metric"), get("turn"), to_micros(get("at")), text_of(body),
        text_of(telling) if telling else None, text,
    )  # fmt: skip
    texts = (made.run, made.name, found.kind, found.metric or "")
    fits = is_sayable(*texts) and len(found.body.encode()) <= LONGEST
    return found if fits else None


def incoming(
    pulled: Iterable[PulledEntry], names: Mapping[UUID, str]
) -> tuple[dict[Place, Fields], list[str]]:
    """Give entries as records have them, by run and id, and what cannot be used of them."""
    lines: dict[Place, Fields] = {}
    for one in pulled:
        fields = _fields(one, names)
        if fields.get("kind") != "comment" or "comment" in fields:  # else it was forgotten
            line = lines.setdefault((one.run, one.name), {"labels": [], "marks": []})
            line[_TABLES.get(one.sort, "marks")].append(fields)
    refused: list[str] = []
    for place, line in lines.items():
        found = checked({"id": place[1], "response": "", **line}, 0)
        if isinstance(found, Record):
            lines[place] = {x: found.fields.get(x) or [] for x in ("labels", "marks")}
            refused += [f"{'/'.join(place)}, {x.field}: {x.reason}." for x in found.refused]
        else:
            lines[place] = {"labels": [], "marks": []}
            reason = found.reason if isinstance(found, BadRow) else "no entry of an evaluation"
            refused.append(f"{'/'.join(place)}: {reason}.")
    return lines, refused


def _fields(one: PulledEntry, names: Mapping[UUID, str]) -> Fields:
    try:
        body = json.loads(one.body)
        telling = json.loads(one.telling) if one.telling else {}
    except ValueError:
        return {"kind": one.kind, "labeler": names.get(one.person, "")}
    # what has a column is what the hub has looked at, whatever the text says beside it
    own = {x: y for x, y in {**telling, **body}.items() if x not in _COLUMNS}
    about: Fields = {"labeler": names[one.person], "uid": uids.text_of(one.id.bytes)}
    if one.metric is not None:
        about["metric"] = one.metric
    if one.turn is not None:
        about["turn"] = one.turn
    if one.sort != "label" or one.kind != "label":
        about["kind"] = one.kind
    return own | about


def text_of(value: object) -> str:
    """Write a JSON value; a zero byte, which no text of a database may hold, is spelled out."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def is_sayable(*texts: str) -> bool:
    """Tell whether a database can hold texts as they are."""
    return not any("\0" in text for text in texts)
