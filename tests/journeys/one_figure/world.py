"""A project in which every rule of counting matters, as the files that a person would import.

Two runs of one rubric. The newest, "autumn", has excluded, decided, tied, derived, hidden, undated
and old responses, and what was judged again; "spring" has the same cases before it. Dates are so
many days before today, because the look-back of six months ends today.
"""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

Record = dict[str, Any]
LEVELS = "levels = [{value = 1}, {value = 2}, {value = 3}, {value = 4}, {value = 5}]"
RUBRIC = f"""
name = "helpline"
pass_rule = "every"

[targets]
pass_rate = ">= 0.6"
accuracy = "> 3.0"

[[metrics]]
name = "accuracy"
weight = 2
pass_at = 3
{LEVELS}

[[metrics]]
name = "tone"
{LEVELS}

[[metrics]]
name = "resolved"
scale = "binary"
pass_at = 1

[[metrics]]
name = "quality"
scale = "range"
min = 0
max = 10
weight = 0.5

[[metrics]]
name = "repetition"
higher_is_better = false
weight = 0
pass_at = 3
{LEVELS}

[[metrics]]
name = "completion"
fallback = "min(accuracy, tone)"
{LEVELS}

[[metrics]]
name = "care"
derived = "mean(accuracy, tone)"
{LEVELS}

[[metrics]]
name = "topic"
scale = "categorical"
values = ["billing", "booking", "other"]
"""
OLDER, NEWEST = "spring", "autumn"
LONG_AGO = 300
"""Days before today that lie outside six months, and inside twelve."""
TOPICS = ("billing", "booking", "other")
JUDGED = ("accuracy", "tone", "resolved", "quality", "repetition", "topic")
PEOPLE = ("ann", "bob", "cy", "dee")
LEADS = ("lea", "max")
BLIND = "ann"
HALF_DONE = (32, 34)
"""Who has not yet answered everything, and where; these are hidden from them."""


@dataclass
class Files:
    """The files in the order in which they are imported, each with its records."""

    today: date
    rubric: str = RUBRIC
    imports: dict[str, list[Record]] = field(default_factory=dict)

    def write(self, folder: Path) -> list[Path]:
        """Write rubric and files, and give the files' paths."""
        (folder / "helpline.toml").write_text(self.rubric, encoding="utf-8")
        made = []
        for name, records in self.imports.items():
            path = folder / f"{name}.jsonl"
            text = "".join(json.dumps(record) + "\n" for record in records)
            path.write_text(text, encoding="utf-8")
            made.append(path)
        return made


def build(today: date) -> Files:
    """Give the whole project: two runs, and what came later."""
    chance = random.Random(537)  # noqa: S311  # the same numbers every time
    before = [_evaluation(OLDER, n, today, chance) for n in range(1, 25)]
    after = [_evaluation(NEWEST, n, today, chance) for n in range(1, 41)]
    for records in (before, after):
        for record in records:
            _label(record, _number(record), today, chance)
    _leave_out(before, {4: "double", 11: "test"})
    _leave_out(after, {9: "double", 21: "test", 33: "test"})
    _decide(after, today)
    _change_minds(after, today)
    _date_oddly(after, today)
    _choose_oddly(after)
    for records in (before, after):
        _judge_a_few_again(records, today)
    files = Files(today)
    files.imports = {OLDER: before, NEWEST: after, "later": _judged_later(after, today)}
    return files


def moment(today: date, days_ago: float) -> str:
    """Write noon so many days before today, or a fraction of a day later."""
    noon = datetime.combine(today, time(12), UTC) - timedelta(days=days_ago)
    return noon.isoformat().replace("+00:00", "Z")


def _number(record: Record) -> int:
    return int(record["id"][1:])


def _by_number(records: list[Record], number: int) -> Record:
    return next(record for record in records if _number(record) == number)


def _evaluation(run: str, number: int, today: date, chance: random.Random) -> Record:
    days = 2 * number + (120 if run == OLDER else 0)
    values: dict[str, Any] = {
        "accuracy": chance.choice((2, 3, 3, 4, 4, 5)),
        "tone": chance.choice((4, 4, 5, 5)),
        "resolved": chance.choice((0, 1, 1, 1)),
        "quality": chance.choice((2.5, 5.0, 6.5, 8.0, 9.5)),
        "repetition": chance.choice((1, 1, 2, 2, 3, 4)),
        "topic": chance.choice(TOPICS),
    }
    if number % 12 == 11:
        values["accuracy"] = 2.5 if number % 24 == 11 else 3.5
    at = moment(today, days - 1)
    return {
        "id": f"c{number:02}",
        "run": run,
        "category": ("fees", "rooms", "pets")[number % 3],
        "input": f"Question {number}?",
        "response": f"Answer {number} of {run}.",
        "latency_ms": 100.0 + number,
        "cost_usd": 0.001,
        "evaluated_at": moment(today, days),
        "cluster": f"talk {number // 3}",
        "scores": [
            _failed(name, at)
            if (number == 10 and name == "accuracy") or number == 22
            else {"metric": name, "value": value, "scorer": "vera", "scorer_version": "1"}
            | {"at": at, "reasoning": "so"}
            for name, value in values.items()
        ],
        "labels": [],
    }


def _failed(metric: str, at: str) -> Record:
    return {
        "metric": metric, "value": None, "error": "no score in the reply", "scorer": "vera",
        "scorer_version": "1", "at": at,
    }  # fmt: skip


def _auto(record: Record, metric: str) -> Any:
    return next(x["value"] for x in record["scores"] if x["metric"] == metric)


def _label(record: Record, number: int, today: date, chance: random.Random) -> None:
    """Let one to three people answer all metrics, and one a few."""
    people = _who(number)
    for order, who in enumerate(people):
        at = moment(today, 1 + (number % 5) + (len(people) - order) / 10)
        record["labels"] += [
            {"metric": metric, "labeler": who, "value": value, "at": at}
            | {"blind": number % 7 != 1, "selection_reason": "random", "selection_prob": 0.5}
            for metric, value in _opinion(record, order, chance).items()
            if _answers(who, number, metric)
        ]


def _who(number: int) -> list[str]:
    """Name who labels an evaluation; some have nobody."""
    if number > 36 or number % 8 == 7:
        return []
    people = ["ann", "bob"] if number % 3 == 0 else [PEOPLE[number % 2]]
    return people + ["cy"] * (number % 6 == 0) + ["dee"] * (number % 10 == 1)


def _answers(who: str, number: int, metric: str) -> bool:
    if who == "dee":
        return metric in ("accuracy", "tone")
    if who == BLIND:
        return number not in HALF_DONE or metric not in ("resolved", "topic")
    return metric != "completion" or number % 5 > 2


def _opinion(record: Record, order: int, chance: random.Random) -> Record:
    """Give what somebody thinks: mostly the judge's word or a step beneath it, seldom above."""
    steps = (-2, -1, -1, 0, 0, 1) if order == 0 else (-1, 0, 0, 1, 2)
    found: Record = {}
    for metric in ("accuracy", "tone", "repetition"):
        auto = _auto(record, metric) or 3
        # nobody finds the tone worse than the judge does: its band leaves the scale
        step = chance.choice((0, 1, 1) if metric == "tone" else steps)
        found[metric] = min(5, max(1, round(auto) + step))
    found["resolved"] = chance.choice((0, 1, 1)) if order else int(_auto(record, "resolved") or 0)
    found["quality"] = chance.choice((2.0, 4.0, 5.5, 7.0, 9.0))
    found["completion"] = min(found["accuracy"], found["tone"], 4)
    same = chance.random() < 0.6
    found["topic"] = (_auto(record, "topic") or "other") if same else chance.choice(TOPICS)
    return found


def _leave_out(records: list[Record], reasons: dict[int, str]) -> None:
    """Exclude evaluations that would move every figure."""
    for number, reason in reasons.items():
        record = _by_number(records, number)
        record["excluded"] = {"reason": reason}
        for score in record["scores"]:
            score["value"] = {"resolved": 1, "quality": 10, "topic": "other"}.get(
                score["metric"], 5
            )
        record["labels"] = [
            {"metric": name, "labeler": who, "value": value, "at": record["evaluated_at"]}
            | {"blind": True, "selection_reason": "random", "selection_prob": 0.5}
            for name, value in (("accuracy", 1), ("tone", 1), ("quality", 0), ("resolved", 0),
                                ("repetition", 5), ("topic", "billing"))
            for who in ("ann", "bob")
        ]  # fmt: skip


def _add(record: Record, **entry: Any) -> None:
    drawn = {"kind": "label", "blind": False, "selection_reason": "random"}
    drawn |= {"selection_prob": 0.5}
    record["labels"].append(drawn | entry)


def _decide(records: list[Record], today: date) -> None:
    """Let leads decide: over a tie, before newer labels, one after the other, and in vain.

    What ends a label, or only comments, ends no decision (R7).
    """
    decided = {"kind": "adjudication"}
    entries: tuple[tuple[int, str, float | None, float, Record], ...] = (
        (12, "lea", 4, 0.5, decided),
        (14, "lea", 1, 0.9, decided),
        (14, "bob", 5, 0.2, {}),
        (16, "lea", 2, 0.8, decided),
        (16, "max", 5, 0.7, decided),
        (16, "max", None, 0.6, {"kind": "comment", "comment": "See the page."}),
        (20, "lea", 1, 0.6, decided),
        (20, "lea", 5, 0.3, {}),
        (20, "lea", None, 0.2, {"kind": "withdrawn", "of": "label"}),
        (24, "max", 1, 0.6, decided),
        (24, "max", None, 0.5, {"kind": "withdrawn"}),
        (32, "lea", 5, 0.6, decided),
        (32, "lea", None, 0.5, decided),
    )
    for number, who, value, days, more in entries:
        _add(
            _by_number(records, number), metric="accuracy", labeler=who, value=value,
            at=moment(today, days), **more,
        )  # fmt: skip


def _change_minds(records: list[Record], today: date) -> None:
    """Let people withdraw, change and drop answers, and bring a mean of a panel."""
    changes: tuple[tuple[int, str, float | None, float, str], ...] = (
        (25, "dee", 4, 0.9, "label"),
        (25, "dee", None, 0.4, "not_applicable"),
        (26, "cy", 5, 0.9, "label"),
        (26, "cy", None, 0.4, "withdrawn"),
        (27, "ann", 1, 0.9, "label"),
        (27, "ann", 4, 0.4, "label"),
    )
    for number, who, value, days, kind in changes:
        _add(
            _by_number(records, number), metric="accuracy", labeler=who, value=value,
            kind=kind, at=moment(today, days),
        )  # fmt: skip
    for number, mean in ((13, 3.67), (28, 4)):
        _add(
            _by_number(records, number), metric="accuracy", labeler="panel", value=mean,
            aggregate=3, blind=True, at=moment(today, 0.4),
        )  # fmt: skip
    same = next(x for x in _by_number(records, 13)["labels"] if x["metric"] == "accuracy")
    _add(
        _by_number(records, 13), metric="accuracy", labeler="cy", value=same["value"],
        blind=True, at=moment(today, 0.4),
    )  # fmt: skip
    _add(_by_number(records, 29), metric="accuracy", labeler="cy", value=2, blind=True)
    _add(
        _by_number(records, 37), metric="repetition", labeler="cy", value=5, blind=True,
        at=moment(today, 0.4),
    )  # fmt: skip


def _date_oddly(records: list[Record], today: date) -> None:
    """Take dates away, and put evaluation, chat and scores on different sides of the window."""
    old = moment(today, LONG_AGO)
    for number in (6, 18):
        record = _by_number(records, number)
        del record["evaluated_at"]
        for score in record["scores"]:
            del score["at"]
    for number in (5, 17, 29):
        record = _by_number(records, number)
        record["evaluated_at"] = old
        for score in record["scores"]:
            score["at"] = old
    _by_number(records, 8)["occurred_at"] = _by_number(records, 8).pop("evaluated_at")
    again, late, one = (_by_number(records, number) for number in (2, 19, 30))
    again["evaluated_at"] = again["occurred_at"] = old
    for score in late["scores"]:
        score["at"] = old
    one["evaluated_at"] = old
    for score in one["scores"]:
        if score["metric"] != "repetition":
            score["at"] = old


def _choose_oddly(records: list[Record]) -> None:
    """Let some labels come from browsing, and some evaluations be drawn with a known chance."""
    ways: dict[int, Record] = {n: {"selection_reason": "browse"} for n in (1, 3, 27, 36)}
    ways |= {28: {"selection_reason": "active"}, 30: {}}
    drawn = {"selection_reason": "stratum", "selection_prob": 0.25}
    ways |= dict.fromkeys((4, 8, 14), drawn)
    for number, way in ways.items():
        for label in _by_number(records, number)["labels"]:
            del label["selection_reason"], label["selection_prob"]
            label.update(way)
    for label in _by_number(records, 12)["labels"]:
        if label["labeler"] == "bob":
            label["selection_reason"] = "browse"
            del label["selection_prob"]


def _judge_a_few_again(records: list[Record], today: date) -> None:
    """Bring a newer version of the judge beside the first in the same file, on a few."""
    for record in records[:7]:
        record["scores"].append(
            {"metric": "tone", "value": 1, "scorer": "vera", "scorer_version": "2"}
            | {"at": moment(today, 0.5), "reasoning": "sterner"}
        )


def _judged_later(records: list[Record], today: date) -> list[Record]:
    """Give a later file: another judge on all, repeats of the first, and one score it lacked."""
    made = []
    for record in records:
        scores = [
            {"metric": "resolved", "value": 0, "scorer": "otto", "scorer_version": "1"}
            | {"at": moment(today, 0.3)},
        ]
        if _number(record) % 4 == 1:
            scores.append(_again("quality", 0.5, today))
        if _number(record) == 22:
            scores.append(_again("repetition", 2, today))
        made.append(
            {name: x for name, x in record.items() if name != "labels"} | {"scores": scores}
        )
    return made


def _again(metric: str, value: float, today: date) -> Record:
    return {
        "metric": metric, "value": value, "scorer": "vera", "scorer_version": "1",
        "at": moment(today, 0.2),
    }  # fmt: skip
