"""Whose scores count: `reviewer judges PROJECT record`."""

from dataclasses import dataclass
from typing import Any

from reviewer.cli import console
from reviewer.cli.console import clean, say
from reviewer.cli.printing import out, table
from reviewer.cli.sessions import be_known
from reviewer.domain.errors import ReviewerError
from reviewer.services.project import conversion, record
from reviewer.services.project.record import Change, Standing
from reviewer.services.project.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Naming:
    """The version that is to count, and where; without one, what counts is told."""

    version: str | None
    runs: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    with_repeats: bool = False
    undo: bool = False
    json: bool = False


def manage(session: Session, wish: Naming) -> None:
    """Name a version of record, take that back, or tell what counts.

    Raises:
        ReviewerError: The version, a run or a metric is not there, or nothing can go back.
    """
    be_known(session)
    told = _changed(session, wish)
    if told:
        say(told)
    runs = wish.runs or ((record.ALL_RUNS,) if not told else ())
    standing = record.standing(session, runs)
    history = record.history(session)
    converted = conversion.told(session)
    if wish.json:
        found = {"record": [_fields(x) for x in standing], "history": _history(history)}
        more = {"text": told} if told else {}
        console.write(found | more | ({"converted": converted} if converted else {}))
    elif not told:
        _print(standing, history)
        for sentence in converted:
            out(clean(sentence))


def _changed(session: Session, wish: Naming) -> str:
    if wish.undo:
        if wish.version:
            raise ReviewerError("--undo takes back what was named last; leave out the version.")
        return record.take_back(session, runs=wish.runs, metrics=wish.metrics)
    if wish.version is None:
        if wish.with_repeats:
            raise ReviewerError("Name the version whose repeats are to count.")
        return ""
    return record.name(
        session,
        wish.version,
        runs=wish.runs,
        metrics=wish.metrics,
        with_repeats=wish.with_repeats,
    )


def _print(standing: tuple[Standing, ...], history: tuple[Change, ...]) -> None:
    table(
        "Whose scores count",
        ("run", "metric", "version", "since", "named by", "does not count"),
        [
            (
                x.run, x.metric, _version(x), x.at or "", x.by or "",
                ", ".join(other.name for other in x.others),
            )
            for x in standing
        ],
    )  # fmt: skip
    named = [x for x in history if x.kind != "fixed"]
    if named:
        table(
            "What leads changed",
            ("when", "who", "run", "metric", "version"),
            [(x.at, x.by or "", x.run, x.metric, f"{_undone(x)}{_said(x)}") for x in named],
        )


def _version(found: Standing) -> str:
    if found.version is None:
        return "none yet"
    return f"{found.version.name}, with its repeats" if found.with_repeats else found.version.name


def _said(change: Change) -> str:
    if change.version is None:
        return "nothing"
    return f"{change.version}, with its repeats" if change.with_repeats else change.version


def _undone(change: Change) -> str:
    return "taken back: " if change.kind == "undone" else ""


def _history(changes: tuple[Change, ...]) -> list[dict[str, object]]:
    return [
        {
            "run": x.run,
            "metric": x.metric,
            "version": x.version,
            "with_repeats": x.with_repeats,
            "kind": x.kind,
            "by": x.by,
            "at": x.at,
        }
        for x in changes
    ]


def _fields(found: record.Standing) -> dict[str, Any]:
    return {
        "run": found.run,
        "metric": found.metric,
        "scorer": found.version.scorer if found.version else None,
        "version": found.version.version if found.version else None,
        "name": found.version.name if found.version else None,
        "with_repeats": found.with_repeats,
        "by": found.by,
        "at": found.at,
        "others": [x.name for x in found.others],
    }
