"""Work out the main figures of an audit packet again, with nothing but Python 3.9 or newer.

    python3 recompute.py                  the files beside this one
    python3 recompute.py PACKET.zip       a packet as it was written (or the folder of one)

Every file is held to its checksum. Then the figures are worked out from records, labels, rubric
and options alone and compared with figures.json to nine digits. Exit code 0: all are equal;
1: one differs; 2: a file is damaged or missing. No other program, library or network is needed.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path
from statistics import median
from typing import IO, Any, NamedTuple, Optional

Json = dict[str, Any]
Number = Optional[float]
NEEDED = ("figures.json", "judges.json", "labels.jsonl", "options.json", "records.jsonl",
          "rubric.json")  # fmt: skip
UNREADABLE = (OSError, zipfile.BadZipFile, NotImplementedError)
EQUAL, UNDATED = 1e-9, -(2**62)
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
CONVENIENCE, UNKNOWN, ACTIVE, STRATUM, RANDOM = range(-1, 4)
WAYS = {"random": RANDOM, "stratum": STRATUM, "browse": CONVENIENCE, "search": CONVENIENCE,
        "disputed": CONVENIENCE}  # fmt: skip
REDONE = "census, human_only, ppi, ppi++, post_stratified"
MEANS = ("auto_mean", "human_mean", "gap_mean", "adjusted_mean")
DEVIATIONS = ("upper_deviation", "lower_deviation", "error_band")
OF_LABELS = (*MEANS[1:], *DEVIATIONS, "bias", "n_higher", "n_lower", "n_equal", "n_labelled",
             "n_chosen")  # fmt: skip
CELL = "a cell of the table"
RECENT = "the order of the newest gaps is known to the project alone"
NOT_REDONE = "labels drawn by strata or with probabilities of their own are not corrected here"
CONSENSUS = "a consensus weighs people by their confusions, which is not redone here"


class DamagedError(Exception):
    """Say what is wrong with a packet's files."""


class Packet:
    """The files of a packet, from its zip or from the folder where it was unpacked."""

    def __init__(self, place: Path) -> None:
        """Open a packet; nothing of it is ever unpacked or run."""
        self._folder = place if place.is_dir() else None
        try:
            self._zip = None if self._folder else zipfile.ZipFile(place)
        except UNREADABLE as error:
            raise DamagedError(f"{place} is no zip file that can be read: {error}") from error

    def check(self) -> int:
        """Hold every file to the manifest and give how many there are."""
        told: dict[str, Json] = {x["name"]: x for x in self.json("manifest.json")["files"]}
        missing = [name for name in NEEDED if name not in told]
        if missing:
            raise DamagedError(f"manifest.json does not name {missing[0]}")
        for name, entry in told.items():
            if name.startswith("/") or "\\" in name or ".." in name.split("/"):
                raise DamagedError(f"manifest.json names a file outside of the packet: {name!r}")
            size, digest = 0, hashlib.sha256()
            for piece in self._pieces(name):
                size += len(piece)
                digest.update(piece)
            if (size, digest.hexdigest()) != (entry["bytes"], entry["sha256"]):
                raise DamagedError(f"{name} is not the file that manifest.json names")
        if self._zip is not None and sorted(self._zip.namelist()) != sorted(
            [*told, "manifest.json"]
        ):
            raise DamagedError("the zip holds other files than manifest.json names")
        return len(told)

    def json(self, name: str) -> Any:  # noqa: ANN401 - a JSON value is anything
        """Read a file that is one JSON value."""
        return _read(b"".join(self._pieces(name)), name)

    def lines(self, name: str) -> Iterator[Json]:
        """Read a file of one JSON object a line."""
        rest = b""
        for piece in self._pieces(name):
            *whole, rest = (rest + piece).split(b"\n")
            yield from (_read(line, name) for line in whole)
        if rest:
            yield _read(rest, name)

    def _pieces(self, name: str) -> Iterator[bytes]:
        try:
            with self._opened(name) as file:
                while piece := file.read(1 << 20):
                    yield piece
        except (*UNREADABLE, KeyError, RuntimeError, EOFError, zlib.error) as error:
            raise DamagedError(f"{name} cannot be read: {error}") from error

    def _opened(self, name: str) -> IO[bytes]:
        if self._zip is not None:
            return self._zip.open(name)
        return (self._folder or Path()).joinpath(name).open("rb")


def _read(text: bytes, name: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except ValueError as error:
        raise DamagedError(f"{name} holds what is no JSON: {error}") from error


def moment(text: str | None) -> int | None:
    """Give the microseconds since 1970 in UTC of an ISO 8601 time; without a zone it is UTC."""
    if not text:
        return None
    # Python before 3.11 reads neither Z nor any number of decimals
    plain = re.sub(r"[Zz]$", "+00:00", text)
    plain = re.sub(r"[.,](\d+)", lambda x: "." + (x[1] + "000000")[:6], plain)
    for form in (text, plain):
        with suppress(ValueError):
            found = datetime.fromisoformat(form)
            found = found if found.tzinfo else found.replace(tzinfo=timezone.utc)
            return (found - EPOCH) // timedelta(microseconds=1)
    return None


class Entry(NamedTuple):
    """A label or decision of one person that counts."""

    value: float
    decided: bool
    place: tuple[int, int]
    reason: str | None
    chance: Number

    def way(self, *, for_agreement: bool = False) -> int:
        """Tell how the evaluation came to be labelled, the plainest draw highest."""
        if self.reason == "active":
            return ACTIVE if self.chance else CONVENIENCE if for_agreement else UNKNOWN
        return WAYS.get(self.reason or "", UNKNOWN)


class Human(NamedTuple):
    """What people say of a metric of one evaluation."""

    score: Number = None
    n: int = 0
    way: int = CONVENIENCE
    chance: Number = None
    time: int = UNDATED
    labels: tuple[float, ...] = ()


class Metric:
    """One metric of the rubric: its scale, its mark, and what it follows from."""

    def __init__(self, told: Json) -> None:
        """Read the keys of a metric."""
        self.name, self.scale = told["name"], told["scale"]
        self.weight, self.mark = told["weight"], told["pass_at"]
        self.higher, self.values = told["higher_is_better"], list(told["values"])
        self.numeric = self.scale != "categorical"
        levels = sorted(float(x["value"]) for x in told["levels"]) if self.numeric else []
        grid = [0.0, 1.0] if self.scale == "binary" else levels
        if not self.numeric:
            grid = [float(at) for at in range(len(self.values))]
        ends = (told["min"], told["max"]) if self.scale == "range" else (*grid[:1], *grid[-1:])
        self.grid = [] if self.scale == "measure" else grid
        is_open = not self.numeric or self.scale == "measure" or None in ends or len(ends) < 2
        self.bounds = None if is_open else (float(ends[0]), float(ends[1]))
        rule = (told["fallback"] or told["derived"] or "").strip()
        found = re.fullmatch(r"(min|max|mean)\s*\((.+)\)", rule)
        self.way = found[1] if found else ""
        self.parts = [x.strip() for x in found[2].split(",")] if found else []
        self.is_overall = told["derived"] is not None and rule == "weighted_mean"
        self.extends = self.bounds is not None and self.bounds[0] < self.bounds[1]
        self.in_overall = told["derived"] is None and self.extends

    def number(self, value: Any) -> Number:  # noqa: ANN401 - as records have it
        """Give a value as a number, a category by its place, None off the scale."""
        if not self.numeric:
            return float(self.values.index(value)) if value in self.values else None
        return None if isinstance(value, str) or value is None else float(value)

    def nearest(self, value: float) -> tuple[int, bool]:
        """Find the place of the nearest level (ties: the lower), and whether it is another."""
        at = min(range(len(self.grid)), key=lambda x: (round(abs(self.grid[x] - value), 9), x))
        return at, round(abs(self.grid[at] - value), 9) != 0

    def reached(self, value: float) -> bool:
        """Compare a value with the pass mark on 9 decimals."""
        exact, mark = round(value, 9), round(float(self.mark), 9)
        return exact >= mark if self.higher else exact <= mark


def counted(entries: Sequence[Json], scope: Json, metric: Metric) -> list[Entry]:
    """Give what counts of a history: of everybody the latest label and the latest decision."""
    at = [moment(x.get("at")) for x in entries]
    places = [(UNDATED if t is None else t, n) for n, t in enumerate(at)]
    newest: dict[tuple[str, bool], int] = {}
    for n, entry in enumerate(entries):
        kind = entry.get("kind", "label")
        if kind == "comment" or (scope["blind_only"] and entry.get("blind") is not True):
            continue
        stream = (entry["labeler"], kind == "adjudication")
        if stream not in newest or places[n] >= places[newest[stream]]:
            newest[stream] = n
    found = []
    for (person, decided), n in newest.items():
        entry, kind = entries[n], entries[n].get("kind", "label")
        if scope["labeler"] and person not in scope["labeler"]:
            continue
        if decided and (scope["labeler"] or not scope["decisions"]):
            continue
        value = metric.number(entry.get("value"))
        ended = decided and any(
            x["labeler"] == person and places[k] > places[n] and _ends_decision(x)
            for k, x in enumerate(entries)
        )
        if value is None or ended or not (decided or kind == "label"):
            continue
        first = _restored(entries, n)
        drawn = entry if scope["blind_only"] else entries[first]
        chance = drawn.get("selection_prob") or None
        found.append(Entry(value, decided, places[first], drawn.get("selection_reason"), chance))
    return sorted(found, key=lambda x: x.place)


def _ends_decision(entry: Json) -> bool:
    kind, ended = entry.get("kind"), entry.get("of")
    return (kind == "withdrawn" and ended is None) or (
        kind == "adjudication" and entry.get("value") is None
    )


def _restored(entries: Sequence[Json], n: int) -> int:
    """Find the entry whose place an entry takes that an undo brought back."""
    entry, wanted = entries[n], entries[n].get("restores")
    for k, other in enumerate(entries if wanted else ()):
        alike = {x.get("kind") == "adjudication" for x in (entry, other)}
        if (other.get("uid"), other["labeler"]) == (wanted, entry["labeler"]) and len(alike) == 1:
            return k
    return n


def combined(metric: Metric, entries: Sequence[Entry], how: str) -> Human:
    """Make one human score: the latest decision, else what the labels say together."""
    if not entries:
        return Human()
    way = max(x.way() for x in entries)
    chance = max((x.chance for x in entries if x.chance and x.way() == way), default=None)
    decisions = [x for x in entries if x.decided]
    if decisions:
        last = decisions[-1]
        return Human(last.value, 1, way, chance, last.place[0], (last.value,))
    values = [x.value for x in entries]
    score: Number
    if not metric.numeric:
        score = mode(values)
    elif how == "latest":
        score = values[-1]
    else:
        score = float(median(values)) if how == "median" else math.fsum(values) / len(values)
    given = values[-1:] if how == "latest" else values
    return Human(score, len(values), way, chance, entries[-1].place[0], tuple(given))


def mode(values: Sequence[float]) -> Number:
    """Give the value that most people gave, None where several tie."""
    most = Counter(values).most_common(2)
    return None if len(most) == 2 and most[0][1] == most[1][1] else most[0][0]


class Evaluation:
    """Both sides of one evaluation, by metric."""

    def __init__(self, run: str, date: int) -> None:
        """Begin without scores and labels."""
        self.run, self.date = run, date
        self.autos: dict[str, Number] = {}
        self.days: dict[str, int] = {}
        self.entries: dict[str, list[Json]] = {}
        self.humans: dict[str, Human] = {}
        self.shown: dict[str, Human] = {}
        self.wholes: dict[str, Human] = {}
        self.way, self.chance = CONVENIENCE, None  # type: int, Number
        self.outside = False
        self.overall: tuple[Number, Number] = (None, None)
        self.gap_counts = False


class Book:
    """Everything that figures are made of: rubric, options, versions and both sides."""

    def __init__(self, packet: Packet) -> None:
        """Read a packet that was checked."""
        told = packet.json("options.json")
        self.scope: Json = told["scope"]
        self.options: Json = told["options"]
        self.window: Json = told["window"]
        self.rubric: Json = packet.json("rubric.json")
        self.metrics = {x["name"]: Metric(x) for x in self.rubric["metrics"]}
        self.parts = [x for x in self.metrics.values() if x.in_overall]
        self.range = self._range()
        marked = [x for x in self.metrics.values() if x.mark is not None and x.extends]
        self.marked = marked if self.rubric["pass_rule"] == "every" else self.parts
        judges = packet.json("judges.json")
        self._unbound = frozenset(judges["unbound"])
        self._versions = [self._version(x, x["version"]) for x in judges["versions"]]
        self._record = {(x["run"], x["metric"]): x for x in judges["record"]}
        conversations: Counter[str] = Counter()
        self.evaluations = self._read(packet, conversations)
        self.by_conversation = any(n > 1 for n in conversations.values())

    def _range(self) -> tuple[float, float]:
        """Give the range that the weighted metrics share, else all of them, else 0 to 1."""
        for some in ([x for x in self.parts if x.weight], self.parts):
            ends = {x.bounds for x in some if x.bounds}
            if len(ends) == 1:
                return ends.pop()
        return 0.0, 1.0

    def _read(self, packet: Packet, conversations: Counter[str]) -> list[Evaluation]:
        found: dict[tuple[str, str], Evaluation] = {}
        for record in packet.lines("records.jsonl"):
            if record.get("excluded"):
                continue
            named = ("evaluated_at", "occurred_at")[self.scope["dates"] == "chat" :]
            times = (moment(record.get(x)) for x in named)
            date = next((x for x in times if x is not None), UNDATED)
            if record.get("cluster") is not None:
                conversations[str(record["cluster"])] += 1
            one = found[record["run"], str(record["id"])] = Evaluation(record["run"], date)
            self._judge(one, record.get("scores") or ())
        for label in packet.lines("labels.jsonl"):
            place = (label["run"], str(label["id"]))
            if place in found and label.get("turn") is None:
                found[place].entries.setdefault(label["metric"], []).append(label)
        for one in found.values():
            self._settle(one)
        return list(found.values())

    def _version(self, told: Json, version: str | None) -> tuple[Any, ...]:
        made = told.get("parameters")
        if isinstance(made, dict):
            made = _alike({x: y for x, y in made.items() if x not in self._unbound})
        text = json.dumps(made, sort_keys=True) if made else ""
        own = (told.get(x) or None for x in ("model", "prompt_hash"))
        return (told.get("scorer") or "", version or None, *own, text)

    def _judge(self, one: Evaluation, scores: Sequence[Json]) -> None:
        """Take the scores of the version of record; its repeats only where they count."""
        given: dict[str, list[Json]] = {}
        for score in scores:
            entry = self._record.get((one.run, score["metric"]))
            wanted = entry and entry["version"]
            if wanted is None or score.get("turn") is not None or score.get("error"):
                continue
            mine = self._version(score, score.get("scorer_version"))
            if score.get("value") is not None and mine == self._versions[wanted]:
                given.setdefault(score["metric"], []).append(score)
        for name, metric in self.metrics.items():
            every = given.get(name, [])[:1]
            if every and self._record[one.run, name]["with_repeats"]:
                every = sorted(given[name], key=lambda x: moment(x.get("at")) or UNDATED)
            values = [metric.number(x["value"]) for x in every]
            one.autos[name] = self._of_repeats(metric, [x for x in values if x is not None])
            times = [x for x in (moment(x.get("at")) for x in every[-1:]) if x is not None]
            by_chat = self.scope["dates"] == "chat"
            one.days[name] = times[0] if times and not by_chat else one.date

    def _of_repeats(self, metric: Metric, values: list[float]) -> Number:
        policy = self.rubric["repeat_policy"]
        if len(values) < 2 or policy == "newest":
            return values[-1] if values else None
        if metric.scale in ("binary", "categorical"):
            most = max(Counter(values).values())
            return next(x for x in reversed(values) if values.count(x) == most)
        return float(median(values)) if policy == "median" else math.fsum(values) / len(values)

    def inside(self, time: int) -> bool:
        """Tell whether a moment lies in the window; no date lies in every one."""
        start, end = self.window["from_micros"], self.window["before_micros"]
        return time == UNDATED or ((start is None or time >= start) and time < end)

    def _settle(self, one: Evaluation) -> None:
        """Work out the human side, and what follows from other metrics."""
        every: list[Entry] = []
        how = self.options["label_combine"]
        for name, metric in self.metrics.items():
            found = counted(one.entries.get(name, ()), self.scope, metric)
            every += found
            if self.window["bounds_everything"] and not self.inside(one.days[name]):
                if one.autos[name] is not None and metric in (*self.parts, *self.marked):
                    one.outside = True
                one.autos[name], found = None, []
            one.humans[name] = combined(metric, found, "mean" if how == "consensus" else how)
        one.shown, one.wholes = dict(one.humans), dict(one.humans)
        ways = [(x.way(for_agreement=True), x.chance) for x in every]
        one.way = max((way for way, _ in ways), default=CONVENIENCE)
        known = [p for way, p in ways if p and (way > UNKNOWN or one.way <= UNKNOWN)]
        one.chance = min(known, default=None)
        for metric in self.metrics.values():
            if metric.parts and all(x in self.metrics for x in metric.parts):
                self._derive(one, metric)
        one.overall, mixed = self._overall(one)
        whole = None not in one.overall
        one.gap_counts = whole and not (mixed and self.options["exclude_mixed"])
        for metric in self.metrics.values():
            if metric.is_overall and any(x.weight for x in self.parts):
                self._be_overall(one, metric)

    def _derive(self, one: Evaluation, metric: Metric) -> None:
        """Put what follows from other metrics where a metric has no value of its own."""
        name, parts = metric.name, [one.shown[x] for x in metric.parts]
        if one.autos[name] is None:
            autos = [one.autos[x] for x in metric.parts]
            one.autos[name] = _made(metric.way, autos)
            one.days[name] = self._oldest(one, metric.parts)
        score = _made(metric.way, [x.score for x in parts])
        if score is not None and not one.humans[name].n:
            one.shown[name] = Human(
                score, min(x.n for x in parts), min(x.way for x in parts),
                min((x.chance for x in parts if x.chance), default=None),
                max(x.time for x in parts), (score,),
            )  # fmt: skip
            if self.options["derived_labels"] == "count":
                one.humans[name] = one.wholes[name] = one.shown[name]

    def _oldest(self, one: Evaluation, parts: Sequence[str]) -> int:
        times = [one.days[x] for x in parts if one.autos[x] is not None]
        return min((x for x in times if x != UNDATED), default=one.date)

    def mean(self, values: dict[str, Number], missing: str) -> Number:
        """Give the weighted mean of the overall's parts, brought to one range."""
        low, high = self.range
        total = weight = 0.0
        for part in self.parts:
            value = values[part.name]
            if value is None:
                if part.weight and missing == "null":
                    return None
                continue
            first, last = part.bounds or self.range
            turned = value if part.higher else first + last - value
            if (first, last) != self.range:
                if self.options["rescale"] == "ratio":
                    turned = turned * high / last
                else:
                    turned = low + (turned - first) * (high - low) / (last - first)
            total, weight = total + part.weight * turned, weight + part.weight
        return total / weight if weight else None

    def _overall(self, one: Evaluation) -> tuple[tuple[Number, Number], bool]:
        autos: dict[str, Number] = {x.name: one.autos[x.name] for x in self.parts}
        labelled = mixed = False
        merged = dict(autos)
        for part in self.parts:
            score = one.humans[part.name].score
            if score is not None and (part.weight or not self.options["require_weighted_label"]):
                labelled, merged[part.name] = True, score
                mixed |= bool(part.weight) and autos[part.name] is None
        if one.outside or not self.parts:
            return (None, None), False
        rule = self.rubric["missing"]
        return (self.mean(autos, rule), self.mean(merged, rule) if labelled else None), mixed

    def _be_overall(self, one: Evaluation, metric: Metric) -> None:
        """Let the metric that is the overall under another name have its scores."""
        auto, human = one.overall
        weighted = [x.name for x in self.parts if x.weight]
        one.autos[metric.name], one.days[metric.name] = auto, self.overall_day(one)
        there = [x for x in (one.humans[y.name] for y in self.parts) if x.n]
        chances = [x.chance for x in there if x.chance]
        own = Human()
        if one.gap_counts and human is not None:
            way, chance = min(x.way for x in there), min(chances, default=None)
            own = Human(human, 1, way, chance, labels=(human,))
        scores: dict[str, Number] = {x.name: one.humans[x.name].score for x in self.parts}
        parts = [one.humans[x] for x in weighted]
        whole = self.mean(scores, "null")
        made = Human()
        if whole is not None and not one.outside and parts:
            made = Human(whole, 1, min(x.way for x in parts),
                         min((x.chance for x in parts if x.chance), default=None))  # fmt: skip
        one.humans[metric.name], one.wholes[metric.name] = own, made

    def overall_day(self, one: Evaluation) -> int:
        """Give the moment by which the window bounds the overall."""
        if self.options["window_date"] == "label":
            return max((one.humans[x.name].time for x in self.parts), default=UNDATED)
        return self._oldest(one, [x.name for x in self.parts])

    def verdict(self, one: Evaluation, *, people: bool) -> bool | None:
        """Tell whether a side passes; None where it lacks what the rule needs."""
        values = {x.name: one.humans[x.name].score if people else one.autos[x.name]
                  for x in self.marked}  # fmt: skip
        if one.outside or self.rubric["pass_rule"] == "none":
            return None
        if self.rubric["pass_rule"] == "overall":
            if people and any(x.weight and values[x.name] is None for x in self.marked):
                return None
            value = self.mean(values, self.rubric["missing"])
            return None if value is None else round(value, 9) >= round(self.rubric["pass_at"], 9)
        there = [x.reached(v) for x in self.marked if (v := values[x.name]) is not None]
        if not all(there):
            return False
        return True if there and len(there) == len(self.marked) else None


def _made(way: str, values: Sequence[Number]) -> Number:
    there = [x for x in values if x is not None]
    if len(there) < len(values):
        return None
    if way == "mean":
        return sum(there) / len(there)
    return min(there) if way == "min" else max(there)


def _alike(value: Any) -> Any:  # noqa: ANN401 - a JSON value is anything
    """Spell a value as any equal one: whole numbers without a point."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, dict):
        return {name: _alike(x) for name, x in value.items()}
    return [_alike(x) for x in value] if isinstance(value, list) else value


class Figures:
    """The figures of some evaluations of a book."""

    def __init__(self, book: Book, some: Sequence[Evaluation]) -> None:
        """Take the evaluations; which of them chance drew is asked of all of them together."""
        self.book, self.some = book, some
        self.has_drawn = any(x.way > UNKNOWN for x in some)

    def left_out(self, one: Evaluation, rule: str) -> bool:
        """Tell whether an evaluation does not count, since somebody chose it."""
        return rule != "all" and self.has_drawn and one.way == CONVENIENCE

    def gaps(self, metric: Metric) -> Json:
        """Give numbers, means and mean gap of a metric, or of the overall under its name."""
        if metric.is_overall:
            return self.satisfaction()
        name, book = metric.name, self.book
        by_label = book.options["window_date"] == "label"
        rows = [
            (x, x.autos[name], x.humans[name].score)
            for x in self.some
            if book.inside(x.humans[name].time if by_label else x.days[name])
        ]
        autos = [y for x in self.some if (y := x.autos[name]) is not None]
        n_human = sum(x.humans[name].n > 0 for x in self.some)
        found = self._gaps(rows, autos, n_human)
        if not metric.numeric:
            found.update(dict.fromkeys((*MEANS, "n_higher", "n_lower", *DEVIATIONS)))
            found["error_band"] = 0.0
        return found

    def satisfaction(self) -> Json:
        """Give the same of the overall."""
        book = self.book
        rows = [
            (x, *x.overall) for x in self.some if x.gap_counts and book.inside(book.overall_day(x))
        ]
        autos = [y for x in self.some if (y := x.overall[0]) is not None]
        n_human = sum(x.overall[1] is not None for x in self.some)
        found = self._gaps(rows, autos, n_human)
        weighted = [x for x in book.parts if x.weight]
        if book.options["composite_band"] == "metrics" and weighted:
            bands = [x.weight * self.gaps(x)["error_band"] for x in weighted]
            found["error_band"] = band = math.fsum(bands) / math.fsum(x.weight for x in weighted)
            found["adjusted_mean"] = found["auto_mean"] + band if autos else None
        return found

    def _gaps(
        self,
        rows: Sequence[tuple[Evaluation, Number, Number]],
        autos: Sequence[float],
        n_human: int,
    ) -> Json:
        options = self.book.options
        rule = "all" if options["band_selection"] == "all" else options["selection"]
        both = [(x, a, h) for x, a, h in rows if a is not None and h is not None]
        used = [(a, h) for x, a, h in both if not self.left_out(x, rule)]
        auto_mean, found = _mean(autos), deviations([h - a for a, h in used], options)
        return {
            "n_auto": len(autos),
            "n_human": n_human,
            "n_labelled": len(used),
            "n_chosen": len(both) - len(used),
            "auto_mean": auto_mean,
            "human_mean": _mean([h for _, h in used]),
            "gap_mean": _mean([h - a for a, h in used]),
            **found,
            "adjusted_mean": None if auto_mean is None else auto_mean + found["error_band"],
        }

    def agreement(self, metric: Metric) -> Json:
        """Give n, share of equal answers, both kappas and bias, and the table behind them."""
        name, options = metric.name, self.book.options
        both = [x for x in self.some if x.autos[name] is not None and x.humans[name].n]
        rows = [x for x in both if not self.left_out(x, options["selection"])]
        autos = [x.autos[name] or 0.0 for x in rows]
        levels = [metric.nearest(x)[0] for x in autos] if metric.grid else []
        judged = Counter(
            metric.nearest(y)[0]
            for x in self.some
            if metric.grid and (y := x.autos[name]) is not None
        )
        weights = self.weights(rows, levels, judged)
        size = len(metric.grid)
        table = [[0.0] * size for _ in range(size)]
        n_table = 0
        for at, one in enumerate(rows):
            given = list(one.humans[name].labels)
            if len(given) > 1 and options["label_table"] == "majority":
                most = mode(given)
                given = [] if most is None else [most]
            placed = [metric.nearest(x) for x in given] if metric.grid else []
            known = [place for place, moved in placed if not moved]
            n_table += bool(known)
            for place in known:
                table[place][levels[at]] += weights[at] / len(known)
        gaps = [(x.humans[name].score or 0.0) - y for x, y in zip(rows, autos)]
        ordered = metric.numeric and metric.scale != "measure"
        return {
            "n": len(rows),
            "n_table": n_table,
            "n_chosen": len(both) - len(rows),
            "percent": _percent(table) if n_table else None,
            "kappa": _kappa(table, metric.grid, 0) if n_table > 1 else None,
            "kappa_quadratic": _kappa(table, metric.grid, 2) if n_table > 1 and ordered else None,
            "bias": _mean(gaps, weights) if len(rows) > 1 and ordered else None,
            "table": table,
        }

    def weights(
        self, rows: Sequence[Evaluation], levels: Sequence[int], judged: Counter[int]
    ) -> list[float]:
        """Give what each evaluation counts: 1 over the chance it was drawn with, n in all."""
        plain = [1.0] * len(rows)
        bare = any(x.way == CONVENIENCE and not x.chance for x in rows)
        if not self.has_drawn or (self.book.options["selection"] == "all" and bare):
            return plain
        worth = [1 / x.chance if x.chance and x.way != UNKNOWN else 0.0 for x in rows]
        by_level = [n for n, x in enumerate(rows) if x.way == STRATUM and not worth[n]]
        labelled = Counter(levels[n] for n in by_level) if levels else Counter()
        for n in by_level if levels else ():
            worth[n] = judged[levels[n]] / labelled[levels[n]]
        known = [x for x in worth if x]
        if not known or max(known) == min(known):
            return plain
        scale = len(known) / math.fsum(known)
        return [round(x * scale, 12) if x else 1.0 for x in worth]

    def passing(self) -> Json:
        """Give the pass rates of judge and people, and the judge's as a classifier."""
        book, rule = self.book, self.book.options["selection"]
        sides = [(x, book.verdict(x, people=False), book.verdict(x, people=True))
                 for x in self.some]  # fmt: skip
        autos = [a for _, a, _ in sides if a is not None]
        humans = [h for _, _, h in sides if h is not None]
        both = [(x, a, h) for x, a, h in sides if a is not None and h is not None]
        used = [(x, a, h) for x, a, h in both if not self.left_out(x, rule)]
        rows = [x for x, _, _ in used]
        judged = Counter(int(x) for x in autos)
        weights = self.weights(rows, [int(a) for _, a, _ in used], judged)
        cells = {(a, h): 0.0 for a in (False, True) for h in (False, True)}
        for (_, a, h), weight in zip(used, weights):
            cells[a, h] += weight
        found: Json = {
            "n_auto": len(autos),
            "n_human": len(humans),
            "n": len(used),
            "n_chosen": len(both) - len(used),
            "auto_rate": _mean(autos),
            "human_rate": _mean(humans),
            "catch_rate": _share(cells[False, False], cells[True, False]),
            "specificity": _share(cells[True, True], cells[False, True]),
            "precision": _share(cells[False, False], cells[False, True]),
            "npv": _share(cells[True, True], cells[True, False]),
        }
        bare = {int(x) for x in autos} - {int(a) for _, a, _ in used}
        drawn = self.has_drawn and any(x.way == STRATUM for x in rows)
        mixed = rule == "all" and any(x.way == CONVENIENCE and not x.chance for x in rows)
        if drawn and not mixed and used and bare:
            # a verdict that nobody labelled stands for nothing known
            found.update(catch_rate=None, specificity=None)
        return found

    def corrected_mean(self, metric: Metric) -> Corrected:
        """Estimate the mean that people would give to every evaluation of a metric."""
        if not metric.numeric:
            return Corrected(None, "none", 0)
        sides = [(x.autos[metric.name], x.wholes[metric.name].score, x.wholes[metric.name])
                 for x in self.some]  # fmt: skip
        autos = [a for a, _, _ in sides if a is not None]
        if metric.scale == "binary" and all(x in (0.0, 1.0) for x in autos):
            return corrected(sides, is_rate=True)
        return corrected(sides, is_rate=False, bounds=metric.bounds)

    def corrected_rate(self) -> Corrected:
        """Estimate the pass rate that people would give."""
        book = self.book
        sides = []
        for one in self.some:
            auto, human = (book.verdict(one, people=x) for x in (False, True))
            mine = [one.humans[x.name] for x in book.marked]
            way = max((x.way for x in mine), default=CONVENIENCE)
            chances = [x.chance for x in mine if x.way == way and x.chance]
            sides.append((
                None if auto is None else float(auto),
                None if human is None else float(human),
                Human(way=way, chance=max(chances, default=None)),
            ))  # fmt: skip
        return corrected(sides, is_rate=True)


def deviations(gaps: Sequence[float], options: Json) -> Json:
    """Give both deviations and the error band of gaps, by the published rule and its options."""
    up = sorted((x for x in gaps if x > options["tie_eps"]), reverse=True)
    low = sorted(x for x in gaps if x < -options["tie_eps"])
    upper, lower = (_deviation(side, len(gaps), options) for side in (up, low))
    population = [*up, *low] if options["band_population"] == "discordant" else gaps
    mean, limit = _mean(population) or 0.0, _limit(options["band_rule"], options)
    there = [x for x in (upper, lower) if x is not None]
    counts: dict[str, int] = {"labelled": len(gaps), "sum": len(up) + len(low)}
    gate, one_sided = options["band_gate"], options["one_sided"]
    band = 0.0
    if len(gaps) < options["min_labelled"]:
        pass
    elif gate in counts:
        band = mean if counts[gate] >= limit else 0.0
    elif min(len(up), len(low)) >= limit:
        band = mean
    elif gate == "any" and one_sided == "mean_gap":
        band = mean if max(len(up), len(low)) >= limit else 0.0
    elif one_sided == "own_side" and len(there) == 1:
        band = there[0]
    return {
        "n_higher": len(up),
        "n_lower": len(low),
        "n_equal": len(gaps) - len(up) - len(low),
        "upper_deviation": upper,
        "lower_deviation": lower,
        "error_band": band,
    }


def _deviation(side: list[float], labelled: int, options: Json) -> Number:
    """Give the mean of the larger (or smaller) share of one side, furthest first in `side`."""
    share, of = options["top_num"] * len(side), options["top_den"]
    ways = {"ceil": -(-share // of), "floor": share // of, "half_up": (2 * share + of) // (2 * of)}
    kept = ways[options["top_rounding"]]
    enough = len(side) >= _limit(options["deviation_rule"], options)
    if labelled < options["min_labelled"] or not kept or not enough:
        return None
    some = side[:kept] if options["top_which"] == "largest" else side[-kept:]
    by = {"kept": kept, "side": len(side), "labelled": labelled}
    found: float = math.fsum(some) / by[options["deviation_denominator"]]
    return found


def _limit(rule: str, options: Json) -> int:
    return int(options["min_records"]) + (rule == "gt")


class Corrected(NamedTuple):
    """A corrected mean or rate; `skipped` says why it is not redone."""

    mean: Number
    method: str
    n: int
    skipped: str = ""


Side = tuple[Number, Number, Human]


def corrected(
    sides: Sequence[Side], *, is_rate: bool, bounds: tuple[float, float] | None = None
) -> Corrected:
    """Estimate what people would give to everything from what they gave to some of it."""
    autos = [a for a, _, _ in sides if a is not None]
    labelled = [
        (a or 0.0, h, x) for a, h, x in sides if h is not None and (a is not None or not autos)
    ]
    n_all = len(autos) or len(sides)
    is_census = bool(labelled) and len(labelled) == n_all
    ways = [x.way for _, _, x in labelled]
    usable = {RANDOM, ACTIVE} | ({STRATUM} if autos else set())
    strata = any(x.way == STRATUM and (x.chance or not is_rate) for _, _, x in labelled)
    if not is_census and ((strata and autos) or ACTIVE in ways):
        return Corrected(None, "", 0, NOT_REDONE)
    used = [(a, h) for a, h, x in labelled if is_census or x.way in usable]
    if len(used) < 10:
        return Corrected(None, "none", len(used) if is_census or used else 0)
    value: Number
    if is_rate and autos:
        value, method = _post_stratified(used, autos), "post_stratified"
    else:
        value, method = _regression(used, autos, n_all)
    method = "census" if is_census else method
    if value is not None and bounds is not None:
        value = min(max(value, bounds[0]), bounds[1])
    return Corrected(value, method if value is not None else "none", len(used))


def _post_stratified(used: Sequence[tuple[float, float]], autos: Sequence[float]) -> Number:
    total = 0.0
    for verdict in (0.0, 1.0):
        share = sum(x == verdict for x in autos) / len(autos)
        given = [h for a, h in used if a == verdict]
        if share and not given:
            return None
        total += share * (math.fsum(given) / len(given)) if share else 0.0
    return total


def _regression(
    used: Sequence[tuple[float, float]], autos: Sequence[float], n_all: int
) -> tuple[float, str]:
    n = len(used)
    auto, human = (math.fsum(x) / n for x in zip(*used))
    if not autos or n >= n_all:
        return human, "human_only"
    spread = math.fsum((a - auto) ** 2 for a, _ in used)
    moved = math.fsum(autos) / len(autos) - auto
    if n < 30 or spread <= 1e-24 * n * max(auto**2, 1e-200):
        return human + moved, "ppi"
    return human + math.fsum((a - auto) * (h - human) for a, h in used) / spread * moved, "ppi++"


def _mean(values: Sequence[float], weights: Sequence[float] | None = None) -> Number:
    if not values:
        return None
    if weights is None:
        return math.fsum(values) / len(values)
    return math.fsum(x * y for x, y in zip(values, weights)) / math.fsum(weights)


def _share(part: float, rest: float) -> Number:
    return part / (part + rest) if part + rest else None


def _percent(table: Sequence[Sequence[float]]) -> Number:
    total = math.fsum(map(math.fsum, table))
    return math.fsum(table[x][x] for x in range(len(table))) / total if total else None


def _kappa(table: Sequence[Sequence[float]], values: Sequence[float], power: int) -> Number:
    size = range(len(table))
    rows = [math.fsum(x) for x in table]
    columns = [math.fsum(table[y][x] for y in size) for x in size]
    apart = [[float(x != y) if not power else abs(values[x] - values[y]) ** power for y in size]
             for x in size]  # fmt: skip
    seen = math.fsum(apart[x][y] * table[x][y] for x in size for y in size)
    chance = math.fsum(apart[x][y] * rows[x] * columns[y] for x in size for y in size)
    return 1 - math.fsum(rows) * seen / chance if chance else None


class Comparison:
    """What was worked out beside what the packet says, line by line."""

    def __init__(self, *, by_conversation: bool) -> None:
        """Begin with nothing compared."""
        self.by_conversation = by_conversation
        self.lines: list[tuple[str, str, str, str, str]] = []
        self.compared = self.different = self.skipped = 0

    def hold(self, place: str, name: str, mine: Number, theirs: Any) -> None:  # noqa: ANN401
        """Compare a figure to nine digits; a figure that neither has is equal, too."""
        is_number = isinstance(theirs, (int, float)) and not isinstance(theirs, bool)
        same = mine is theirs is None or (
            mine is not None
            and is_number
            and math.isclose(mine, theirs, rel_tol=EQUAL, abs_tol=EQUAL)
        )
        self.compared += 1
        self.different += not same
        self.lines.append((place, name, _told(mine), _told(theirs), "" if same else "DIFFERENT"))

    def skip(self, place: str, name: str, theirs: Any, why: str) -> None:  # noqa: ANN401
        """Say that a figure is not worked out again, and why."""
        self.skipped += 1
        self.lines.append((place, name, "", _told(theirs), f"not redone: {why}"))

    def block(self, place: str, mine: Json, theirs: Json, without: dict[str, str]) -> None:
        """Compare every figure of a block that the packet has, `without` some for a reason."""
        for name, value in mine.items():
            if name in without and name in theirs:
                self.skip(place, name, theirs[name], without[name])
            elif name in theirs:
                self.hold(place, name, value, theirs[name])

    def estimate(self, place: str, mine: Corrected, theirs: Json, why: str = "") -> None:
        """Compare a corrected estimate, where its method is one that is redone."""
        name, said = "corrected", theirs.get("mean")
        why = why or mine.skipped
        if not why and said is None and mine.mean is not None and self.by_conversation:
            # one that all evaluations share forbids an estimate
            why = theirs.get("reason") or "the packet has none"
        if not why and said is not None and theirs["method"] not in REDONE.split(", "):
            why = f"method {theirs.get('method')}; redone are {REDONE}"
        if why:
            self.skip(place, name, said, why)
            return
        self.hold(place, f"{name} ({theirs['method']})", mine.mean, said)
        self.hold(place, f"{name}: n", mine.n, theirs["n"])
        if mine.method != theirs["method"]:
            self.hold(place, f"{name}: method is {mine.method}", None, 0)


def _told(value: Any) -> str:  # noqa: ANN401 - as documents have it
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.9f}"
    return f"{value:,}" if isinstance(value, int) else clean(repr(value))[:18]


def compare(book: Book, told: Json) -> Comparison:
    """Work out every main figure and hold it to the document of figures."""
    found = Comparison(by_conversation=book.by_conversation)
    weighed = book.options["label_combine"] == "consensus"
    without = dict.fromkeys(OF_LABELS, CONSENSUS) if weighed else {}
    if book.options["top_which"] == "recent":
        without = dict.fromkeys((*DEVIATIONS, "adjusted_mean"), RECENT) | without
    figures = Figures(book, book.evaluations)
    for name, block in told["metrics"].items():
        metric, table = book.metrics[name], block["confusion"]["table"]
        found.block(name, figures.gaps(metric), block, without)
        agreement, place = figures.agreement(metric), f"{name}, judge and people"
        found.block(place, agreement, block["agreement"]["judge_human"], without)
        cells = [x for row in agreement["table"] for x in row]
        theirs = [x for row in table for x in row]
        found.hold(place, "cells of the table", len(cells), len(theirs))
        for mine, cell in zip(cells, theirs):
            found.hold(place, CELL, mine, cell)
        why = CONSENSUS if weighed else ""
        found.estimate(name, figures.corrected_mean(metric), block["corrected"], why)
    found.block("overall", figures.satisfaction(), told["satisfaction"], without)
    _pass(found, "pass and fail", figures, told["pass"])
    if book.scope["scorer"] and "runs" in told:
        found.skip("each run", "all", None, "with --scorer, runs alone may count other versions")
    for run, block in ({} if book.scope["scorer"] else told.get("runs", {})).items():
        own = Figures(book, [x for x in book.evaluations if x.run == run])
        for name, theirs in block["metrics"].items():
            metric, place = book.metrics[name], f"{name} of {run}"
            found.block(place, own.gaps(metric), theirs, without)
            some = own.agreement(metric)
            found.block(place, {x: some[x] for x in ("n", "kappa", "kappa_quadratic")}, theirs, {})
        _pass(found, f"pass and fail of {run}", own, block["pass"])
    return found


def _pass(found: Comparison, place: str, figures: Figures, theirs: Json) -> None:
    if figures.book.options["label_combine"] == "consensus":
        found.skip(place, "pass and fail", None, CONSENSUS)
        return
    found.block(place, figures.passing(), theirs, {})
    found.estimate(place, figures.corrected_rate(), theirs["corrected"])


def clean(text: str) -> str:
    """Make text from files harmless on a terminal, on one line."""
    return "".join(x if x.isprintable() else "\u00b7" for x in " ".join(text.split()))


def shown(found: Comparison, options: Json) -> Iterator[str]:
    """Give the table line by line; cells of tables only where one differs."""
    yield f"{'':34} {'figure':26} {'worked out':>18} {'figures.json':>18}"
    for place, name, mine, theirs, note in found.lines:
        if name != CELL or note:
            line = f"{clean(place)[:34]:34} {name:26} {mine:>18} {theirs:>18} {clean(note)}"
            yield line.rstrip()
    equal = found.compared - found.different
    yield (
        f"{found.compared:,} figures compared (as of {options['as_of']}): {equal:,} are equal "
        f"to nine digits, {found.different:,} differ; {found.skipped:,} were not redone."
    )
    yield (
        "Never redone: intervals, other coefficients, pairs of labelers, trust. "
        f"Corrected estimates are redone by: {REDONE}."
    )


def main(words: Sequence[str]) -> int:
    """Check a packet, work out its figures, and print how they compare."""
    # texts of records go to any terminal
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    place = Path(words[0]) if words else Path(__file__).resolve().parent
    try:
        packet = Packet(place)
        files = packet.check()
        sys.stdout.write(f"{files} files are those that manifest.json names.\n")
        book = Book(packet)
        found = compare(book, packet.json("figures.json"))
        lines = list(shown(found, packet.json("options.json")))
    except DamagedError as error:
        sys.stdout.write(f"The packet is damaged: {clean(str(error))}.\n")
        return 2
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        sys.stdout.write(f"The packet is damaged: a file lacks what it should hold: {error!r}.\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 1 if found.different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
