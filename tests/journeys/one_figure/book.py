"""What stands in the imported files, by the rules of counting alone (R3, R6 to R9, R22).

Plain Python over the lines of the files; nothing of the program is used.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any

Record = dict[str, Any]
Version = tuple[str, str]
"""Scorer and its version."""
NEVER = ""
"""Sorts before every moment: an entry without time is the earliest."""


@dataclass
class Evaluation:
    """One response of a run, with everything that any file brought for it."""

    run: str
    id: str
    record: Record
    scores: list[Record] = field(default_factory=list)
    labels: list[Record] = field(default_factory=list)

    @property
    def case(self) -> str:
        return str(self.record.get("case", self.id))

    @property
    def is_excluded(self) -> bool:
        return bool(self.record.get("excluded"))


@dataclass
class Opinion:
    """A person's label or a lead's decision that counts."""

    who: str
    value: Any
    at: str
    entry: Record


class Book:
    """Every evaluation by run, and the version of record of each run and metric."""

    def __init__(self, files: Iterable[Sequence[Record]]) -> None:
        self.runs: dict[str, dict[str, Evaluation]] = {}
        self.record: dict[tuple[str, str], Version] = {}
        for records in files:
            for record in records:
                self._take(record)
            self._fix(records)

    def _take(self, record: Record) -> None:
        run = self.runs.setdefault(record["run"], {})
        one = run.setdefault(
            str(record["id"]), Evaluation(record["run"], str(record["id"]), record)
        )
        known = [_score_key(x) for x in one.scores]
        one.scores += [x for x in record.get("scores", ()) if _score_key(x) not in known]
        told = [_label_key(x) for x in one.labels]
        one.labels += [x for x in record.get("labels", ()) if _label_key(x) not in told]

    def _fix(self, records: Sequence[Record]) -> None:
        """Fix the record of what has none: the version that scored most, then the earlier one."""
        counts: dict[tuple[str, str], Counter[Version]] = {}
        for record in records:
            scored = {
                (x["metric"], version_of(x)): None
                for x in record.get("scores", ())
                if x.get("value") is not None
            }
            for metric, version in scored:
                counts.setdefault((record["run"], metric), Counter())[version] += 1
        for place, found in counts.items():
            # a Counter keeps the order of first sight, and max takes the first of equals
            self.record.setdefault(place, max(found, key=found.__getitem__))

    def counted(self, run: str) -> list[Evaluation]:
        """Give a run's evaluations that figures count, in the order of arrival."""
        return [x for x in self.runs[run].values() if not x.is_excluded]

    def score(self, one: Evaluation, metric: str) -> Record | None:
        """Give the score of record: the first value of that version."""
        wanted = self.record.get((one.run, metric))
        found = (
            x
            for x in one.scores
            if x["metric"] == metric and version_of(x) == wanted and x.get("value") is not None
        )
        return next(found, None)

    def day(self, one: Evaluation, metric: str) -> date | None:
        """Give the date of an evaluation for a metric (R6)."""
        score = self.score(one, metric) or {}
        text = score.get("at") or one.record.get("evaluated_at") or one.record.get("occurred_at")
        return day_of(text)

    def versions(self, run: str, metric: str) -> Counter[Version]:
        """Count the evaluations that each version scored, excluded ones left out."""
        return Counter(
            version
            for one in self.counted(run)
            for version in {
                version_of(x)
                for x in one.scores
                if x["metric"] == metric and x.get("value") is not None
            }
        )


def day_of(text: str | None) -> date | None:
    """Give the calendar date of a moment in UTC."""
    if not text:
        return None
    return datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(UTC).date()


def version_of(score: Record) -> Version:
    """Name the scorer version of a score."""
    return str(score.get("scorer", "")), str(score.get("scorer_version", ""))


def opinions(one: Evaluation, metric: str, *, without: str = "") -> list[Opinion]:
    """Give the labels that count, in the order of people; `without` leaves one person out."""
    found = []
    for who, entry in _latest(one, metric, decisions=False).items():
        if who != without and entry.get("kind", "label") == "label":
            found.append(Opinion(who, entry["value"], entry.get("at") or NEVER, entry))
    return found


def decision(one: Evaluation, metric: str) -> Opinion | None:
    """Give the latest decision that nobody took back."""
    found = [
        Opinion(who, entry["value"], entry.get("at") or NEVER, entry)
        for who, entry in _latest(one, metric, decisions=True).items()
        if entry.get("kind") == "adjudication" and entry.get("value") is not None
    ]
    order = {id(entry): place for place, entry in enumerate(one.labels)}
    return max(found, key=lambda x: (x.at, order[id(x.entry)]), default=None)


def _latest(one: Evaluation, metric: str, *, decisions: bool) -> dict[str, Record]:
    """Give everybody's current entry of one of the two streams."""
    latest: dict[str, Record] = {}
    for entry in one.labels:
        kind = entry.get("kind", "label")
        if entry["metric"] != metric or kind == "comment":
            continue
        if not _belongs(entry, kind, decisions=decisions):
            continue
        before = latest.get(entry["labeler"])
        if before is None or (entry.get("at") or NEVER) >= (before.get("at") or NEVER):
            latest[entry["labeler"]] = entry
    return latest


def _belongs(entry: Record, kind: str, *, decisions: bool) -> bool:
    if kind == "withdrawn":
        ended = entry.get("of")
        return ended is None or (ended == "adjudication") == decisions
    return (kind == "adjudication") == decisions


def _score_key(score: Record) -> tuple[Any, ...]:
    return score["metric"], version_of(score), score.get("turn"), score.get("at")


def _label_key(label: Record) -> tuple[Any, ...]:
    return tuple(label.get(x) for x in ("metric", "labeler", "turn", "at", "kind", "value"))
