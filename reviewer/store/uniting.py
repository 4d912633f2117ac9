"""Which scores, labels and marks of a file are not in the project yet.

An entry of a number that is here is the same one, whatever else it says; without one the same is
what says the same. Equal ones count as often as they come.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from reviewer.domain.entries import label_identity, mark_identity
from reviewer.store.rows import Fields

Identity = Callable[[Fields], tuple[Any, ...]]


class Uniting:
    """The entries of one import, beside those that are stored."""

    def __init__(self, of_scores: Identity) -> None:
        """Begin with no entry met; scores are told apart by what is handed in."""
        self._identities = {
            "scores": of_scores, "labels": label_identity, "marks": mark_identity,
        }  # fmt: skip
        self._met: set[int] = set()
        self._elsewhere: dict[str, str] = {}
        """Numbers that entries have in the file, and those that the same ones have here."""

    def new(
        self, key: int, name: str, known: Sequence[Fields], given: Sequence[Fields], *, waits: bool
    ) -> list[Fields]:
        """Give the entries of an evaluation that are not stored yet.

        Args:
            key: The evaluation.
            name: `scores`, `labels` or `marks`.
            known: What is stored.
            given: What the file has.
            waits: Whether what is new is stored only after the whole file.
        """
        if not given:
            return []
        identity = self._identities[name]
        came = {x["uid"] for x in given if "uid" in x} & {x["uid"] for x in known if "uid" in x}
        present: dict[tuple[Any, ...], list[str | None]] = defaultdict(list)
        for entry in known:
            if entry.get("uid") not in came:
                present[identity(entry)].append(entry.get("uid"))
        found, met = [], list[int]()
        for entry in given:
            if entry.get("uid") in came:
                continue
            this = identity(entry)
            signs = {hash((key, name, x)) for x in (this, entry.get("uid")) if x and waits}
            if present[this]:
                self._is_here(entry, present[this].pop(0))
            elif not signs & self._met:
                found.append(entry)
                met.extend(signs)
        self._met.update(met)
        return [self._named(entry) for entry in found]

    def _is_here(self, entry: Fields, uid: str | None) -> None:
        """Remember the number here of an entry that has another one in the file."""
        if uid is not None and entry.get("uid") not in (None, uid):
            self._elsewhere[entry["uid"]] = uid

    def _named(self, entry: Fields) -> Fields:
        """Let an entry restore by the number that the restored one has here."""
        uid = self._elsewhere.get(entry.get("restores") or "")
        return entry if uid is None else {**entry, "restores": uid}
