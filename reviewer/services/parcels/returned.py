"""What a returned work package brings beside what is here, and what needs a look, in words."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reviewer.domain.entries import current_labels, label_identity, moment
from reviewer.domain.evaluation import Value
from reviewer.domain.wording import counted
from reviewer.services.transfer.admission import Admission
from reviewer.store.amending import Uniting

Fields = dict[str, Any]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A labeler's answer here and another one in the package; the later one counts.

    Attributes:
        here, there: The values; None for "not applicable" and for an answer that was taken back,
            which `here_kind` and `there_kind` tell apart.
        uids: The numbers of both entries, where entries have them.
    """

    run: str
    id: str
    metric: str
    here: Value | None
    there: Value | None
    later: str
    here_kind: str = "label"
    there_kind: str = "label"
    uids: tuple[str, str] = ("", "")

    @property
    def words(self) -> tuple[str, str]:
        """Give both answers in words."""
        return _said(self.here, self.here_kind), _said(self.there, self.there_kind)


def answer_words(entry: Fields) -> str:
    """Say what an entry answers."""
    return _said(entry.get("value"), _kind(entry))


def _said(value: Value | None, kind: str) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return {"not_applicable": "not applicable", "withdrawn": "taken back"}.get(kind, str(value))


class Refused(NamedTuple):
    """An entry that cannot be taken; without a place where the import refused it."""

    place: Place
    sentence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a package brings, before or after it was taken in.

    Attributes:
        queue, labeler: Their names in this project, where they may have been renamed since.
        labels: Entries that are new here.
        known: Entries that were taken in before.
        marks: Skips, flags, highlights and the like that are new here.
        changed: Run and id of evaluations whose text is another one here by now; their labels are
            marked stale.
        missing: Run and id of labelled evaluations that are not here any more.
        refused: Entries that cannot be taken, as on a metric that was deleted.
        keys: By run and id, the evaluations that are here.
    """

    file: Path
    queue: str
    labeler: str
    labels: int
    known: int
    marks: int
    conflicts: tuple[Conflict, ...] = ()
    changed: tuple[Place, ...] = ()
    missing: tuple[Place, ...] = ()
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()
    keys: Mapping[Place, int] = field(default_factory=dict)

    @property
    def is_new(self) -> bool:
        """Tell whether the package brings anything that is not here yet."""
        return bool(self.labels or self.marks)

    @property
    def sentence(self) -> str:
        """Tell it in words."""
        entries = counted(self.labels, "new entry", "new entries")
        parts = [f"{entries} of {self.labeler} for {self.queue}", *self._rest()]
        return f"{self.file.name}: {', '.join(parts)}."

    def _rest(self) -> Iterator[str]:
        if self.marks:
            yield counted(self.marks, "new mark")
        for count, what in (
            (self.known, "known already"),
            (len(self.conflicts), "answered otherwise here"),
            (len(self.changed), "with a changed text"),
            (len(self.missing), "not here any more"),
            (len(self.refused), "refused"),
        ):
            if count:
                yield f"{count:,} {what}"

    def to_json(self) -> Fields:
        """Give the fields that the command line prints."""
        return {
            "file": str(self.file),
            "queue": self.queue,
            "labeler": self.labeler,
            "labels": self.labels,
            "known": self.known,
            "marks": self.marks,
            "conflicts": [
                {"run": x.run, "id": x.id, "metric": x.metric, "here": x.here, "there": x.there,
                 "later": x.later}
                for x in self.conflicts
            ],
            "changed": [{"run": run, "id": name} for run, name in self.changed],
            "missing": [{"run": run, "id": name} for run, name in self.missing],
            "refused": [one.sentence for one in self.refused],
        }  # fmt: skip


Signs = frozenset[Hashable]


def conflicts(
    here: Mapping[Place, Fields],
    there: Mapping[Place, Fields],
    labeler: str,
    repeats: Sequence[Place],
) -> Iterator[Conflict]:
    """Give answers that differ, where neither side knows the other's; repeats are meant to."""
    for place, fields in there.items():
        known = here.get(place)
        if known is None or place in repeats:
            continue
        mine, theirs = (current(x.get("labels") or (), labeler) for x in (known, fields))
        seen_there = _signs(fields["labels"])
        seen_here = _signs(known.get("labels") or ())
        for metric in theirs.keys() & mine.keys():
            a, b = mine[metric], theirs[metric]
            if _is_among(a, seen_there) or _is_among(b, seen_here) or _answer(a) == _answer(b):
                continue
            later = "here" if moment(a) > moment(b) else "there"
            values = a.get("value"), b.get("value")
            numbers = a.get("uid", ""), b.get("uid", "")
            yield Conflict(*place, metric, *values, later, _kind(a), _kind(b), numbers)


def current(entries: Sequence[Fields], labeler: str) -> dict[str, Fields]:
    """Give a labeler's newest own entry by metric."""
    mine = current_labels(x for x in entries if x["labeler"] == labeler)
    return {metric: entry for (metric, _, _), entry in mine.items()}


def end_labels_only(line: Fields, known: Fields) -> None:
    """Let what a package takes back end no decision: it holds none, so it means none.

    An older program does not say what a withdrawal ends.
    """
    there = _signs(known.get("labels") or ())
    for label in line["labels"]:
        if _kind(label) == "withdrawn" and not _is_among(label, there):
            label["of"] = "label"


def settle_sight(line: Fields, known: Fields, labeler: str, *, blind: bool, repeat: bool) -> None:
    """Set of new answers whether they were given unseen.

    Who saw the auto scores here before answered in their sight, also in a package that has none;
    and in such a package there is nothing to reveal. A repeat begins unseen again. What an undo
    brought back was given when it was given first.
    """
    there = _signs(known.get("labels") or ())
    seen = [
        moment(mark)
        for mark in known.get("marks") or ()
        if mark["kind"] == "reveal" and mark["labeler"] == labeler
    ]
    first = None if repeat or not seen else min(seen)
    given = {x["uid"]: moment(x) for x in (*(known.get("labels") or ()), *line["labels"])}
    for label in line["labels"]:
        if _kind(label) == "comment" or _is_among(label, there):
            continue
        if first is not None and first <= given.get(label.get("restores"), moment(label)):
            label["blind"] = False
        elif blind:
            label["blind"] = True


def _signs(entries: Iterable[Fields]) -> Signs:
    """Give by what labels are known again: number, and what makes one the same without it."""
    return frozenset(sign for x in entries for sign in (label_identity(x), x.get("uid")) if sign)


def _is_among(label: Fields, signs: Signs) -> bool:
    return label_identity(label) in signs or label.get("uid") in signs


def new_entries(line: Fields, known: Fields, name: str) -> list[Fields]:
    """Give the labels or marks of a line that are not here yet."""
    union = Uniting(of_scores=label_identity)
    return union.new(0, name, known.get(name) or [], line[name], waits=False)


def refused(place: Place, line: Fields, admission: Admission) -> list[Refused]:
    """Take out of a line the labels that the rubric does not let in by now, and say why."""
    found, kept = [], []
    for label in line["labels"]:
        problem = admission.label(label)
        if problem is None:
            kept.append(label)
        else:
            said = label.get("value")
            what = "" if said is None else f" {said!r}"
            words = f"the label{what} on {label['metric']} was left out: {problem[1]}."
            found.append(Refused(place, f"{place[0]}/{place[1]}: {words}"))
    line["labels"] = kept
    return found


def _answer(entry: Fields) -> tuple[str, Any]:
    return _kind(entry), entry.get("value")


def _kind(entry: Fields) -> str:
    return entry.get("kind") or "label"
