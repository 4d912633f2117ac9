"""What a returned work package brings, and what needs a look, in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from reviewer.domain.values import Value

Fields = dict[str, Any]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Conflict:
    """A labeler's answer here and another one in the package; the later one counts.

    Attributes:
        here, there: The values; None for "not applicable" and for an answer that was taken back,
            which `here_kind` and `there_kind` tell apart.
    """

    run: str
    id: str
    metric: str
    here: Value | None
    there: Value | None
    later: str
    here_kind: str = "label"
    there_kind: str = "label"

    @property
    def words(self) -> tuple[str, str]:
        """Give both answers in words."""
        return _said(self.here, self.here_kind), _said(self.there, self.there_kind)


def _said(value: Value | None, kind: str) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    plain = {"not_applicable": "not applicable", "withdrawn": "taken back"}
    return plain.get(kind, str(value))


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
        entries = "1 new entry" if self.labels == 1 else f"{self.labels:,} new entries"
        parts = [f"{entries} of {self.labeler} for {self.queue}", *self._rest()]
        return f"{self.file.name}: {', '.join(parts)}."

    def _rest(self) -> Iterator[str]:
        if self.marks:
            yield "1 new mark" if self.marks == 1 else f"{self.marks:,} new marks"
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
