"""Which of a record's labels count: two streams of each person, the label and the decision.

Of a stream the entry with the latest time counts, without a time the earliest, and of equal times
the later in the list. `withdrawn` ends the label, and without `of`, as in files from before, the
decision too; an `adjudication` without a value ends the decision; a `comment` ends nothing. What
an undo brought back (`restores`) takes the place of the entry that it names among everybody's.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from reviewer.domain.evaluation import to_micros
from reviewer.domain.record import MARK_KEYS

Fields = dict[str, Any]
Thing = tuple[str, str, int | None]
"""What entries of one person are about: metric, labeler and turn."""
Place = tuple[int, int]
"""What entries are ordered by: the moment, and the place in the list."""

NO_TIME = -(2**62)
IDENTIFYING = frozenset({"uid", "restores"})
"""Keys that say which entry it is, and nothing else."""
_OF_MARKS = tuple(key for key in MARK_KEYS if key not in IDENTIFYING)


def label_identity(label: Fields) -> tuple[Any, ...]:
    """Give what a label must share with another to be the same entry, where no `uid` tells."""
    kind = label.get("kind") or "label"
    says = label.get("comment") if kind == "comment" else label.get("value")
    return (label["metric"], label["labeler"], label.get("turn"), label.get("at"), kind,
            label.get("of"), "restores" in label, str(says))  # fmt: skip


def mark_identity(mark: Fields) -> tuple[Any, ...]:
    """Give what a mark must share with another to be the same entry, where no `uid` tells."""
    return tuple(str(mark.get(name)) for name in _OF_MARKS)


def thing(label: Fields) -> Thing:
    """Give what a label is about, and whose it is."""
    return label["metric"], label["labeler"], label.get("turn")


def moment(entry: Fields) -> int:
    """Give an entry's time as a number; a missing one is the earliest."""
    at = entry.get("at")
    found = to_micros(at) if isinstance(at, str) else None
    return NO_TIME if found is None else found


def current_labels(labels: Iterable[Fields]) -> dict[Thing, Fields]:
    """Give each labeler's current entry, `not_applicable` and `withdrawn` ones too."""
    newest: dict[Thing, Fields] = {}
    for _, label in _in_order(labels):
        if label.get("kind") not in ("adjudication", "comment"):
            newest[thing(label)] = label
    return newest


def decisions(labels: Iterable[Fields]) -> dict[tuple[str, int | None], Fields]:
    """Give the decision that counts, by metric and turn, in the order in which they were made."""
    labels = list(labels)
    if not any(label.get("kind") == "adjudication" for label in labels):
        return {}
    entries = list(_in_order(labels))
    places = {
        (thing(label), label["uid"]): place
        for place, label in entries
        if label.get("kind") == "adjudication" and "uid" in label
    }
    standing: dict[tuple[str, int | None], dict[str, tuple[Place, Fields]]] = {}
    for place, label in entries:
        kind, about = label.get("kind"), (label["metric"], label.get("turn"))
        if kind == "adjudication" and label.get("value") is not None:
            taken = places.get((thing(label), label.get("restores")), place)
            standing.setdefault(about, {})[label["labeler"]] = (taken, label)
        elif kind == "adjudication" or (kind == "withdrawn" and label.get("of") is None):
            people = standing.get(about, {})
            people.pop(label["labeler"], None)
            if not people:
                standing.pop(about, None)
    return {
        about: max(people.values(), key=lambda x: x[0])[1] for about, people in standing.items()
    }


def _in_order(labels: Iterable[Fields]) -> Iterator[tuple[Place, Fields]]:
    found = [((moment(label), at), label) for at, label in enumerate(labels)]
    found.sort(key=lambda x: x[0])
    yield from found
