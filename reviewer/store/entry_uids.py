"""Which number an entry from a file gets: its own, else the one that follows from its content."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from reviewer.domain import uids
from reviewer.domain.uids import Uid

Fields = dict[str, Any]
Kind = Literal["label", "mark", "exclusion", "tag"]
_OF_MARKS = ("kind", "labeler", "at", "metric", "turn", "start", "end", "note", "value")
_OF_EXCLUSIONS = ("reason", "by", "at")


class EntryUids:
    """Numbers the entries of one evaluation, none twice."""

    def __init__(self, run: str, name: str, taken: Iterable[Uid] = ()) -> None:
        """Begin with those that are `taken` already; an evaluation is named by run and id."""
        self._place = (run, name)
        self._taken = set(taken)

    @classmethod
    def beside(cls, run: str, name: str, known: Iterable[Fields]) -> Self:
        """Number new entries of an evaluation apart from those that it has."""
        taken = (uids.from_text(entry.get("uid") or "") for entry in known)
        return cls(run, name, [uid for uid in taken if uid is not None])

    def of_label(self, label: Fields) -> Uid:
        """Give a label's number."""
        get, kind = label.get, label.get("kind") or "label"
        says = get("comment") if kind == "comment" else get("value")
        return self._own(label) or self.following(
            "label", label["metric"], label["labeler"], get("turn"), get("at"), kind, get("of"),
            says,
        )  # fmt: skip

    def of_mark(self, mark: Fields) -> Uid:
        """Give a mark's number."""
        return self._own(mark) or self.following("mark", *(mark.get(key) for key in _OF_MARKS))

    def of_exclusion(self, excluded: Fields) -> Uid:
        """Give an exclusion's number."""
        return self.following("exclusion", *(excluded.get(key) for key in _OF_EXCLUSIONS))

    def following(self, kind: Kind, *content: object) -> Uid:
        """Give the number that follows from content; exact repeats are counted."""
        parts = [int(x) if isinstance(x, bool) else x for x in content]
        count = 0
        while (found := uids.of_content(kind, *self._place, *parts, count)) in self._taken:
            count += 1
        self._taken.add(found)
        return found

    def _own(self, entry: Fields) -> Uid | None:
        given = entry.get("uid")
        found = None if given is None else uids.from_text(given)
        if found is None or found in self._taken:
            return None
        self._taken.add(found)
        return found


def restored(entry: Fields) -> Uid | None:
    """Give the number of the entry that an entry of a file restores."""
    named = entry.get("restores")
    return None if named is None else uids.from_text(named)
