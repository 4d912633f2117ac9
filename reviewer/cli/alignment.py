"""Judges held to people: the halves of the labels, the leaderboard, and examples for prompts."""

from dataclasses import dataclass
from typing import Any, Literal

from reviewer.cli import console
from reviewer.cli.console import clean, interval, number, out, percent, say, signed, table
from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import DASH, fixed, plain
from reviewer.services.aligning import examples, splitting
from reviewer.services.aligning.comparing import Wanted, compare_judges
from reviewer.services.aligning.leaderboard import JudgeRow, Leaderboard
from reviewer.services.aligning.standing import Standing, ends, title_of
from reviewer.services.project.session import Session
from reviewer.stats.ceiling import Reach

FREE = "free"


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """What is asked about judges and people.

    Attributes:
        part: `dev` shows no held-out figure and is no look.
        seed: Of the division, where it is made now, and of every interval.
    """

    action: Literal["split", "leaderboard", "examples"]
    run: str | None
    metrics: tuple[str, ...]
    statistic: str | None
    part: Literal["dev", "held_out"] | None
    seed: int | None
    level: float
    json: bool


def align(session: Session, asked: Alignment) -> None:
    """Divide the labels, compare judges, or offer examples."""
    session.sees_all = True
    match asked.action:
        case "split":
            made = splitting.ensure(session, asked.seed)
            say(made.sentence)
            if made.added:
                say(f"{made.added:,} of them were divided just now; each keeps its half for ever.")
            if asked.json:
                console.write(_sizes(made) | {"added": made.added})
        case "leaderboard":
            _leaderboard(session, asked)
        case "examples":
            _examples(session, asked)


def _sizes(made: splitting.Split) -> dict[str, Any]:
    return {"seed": made.seed, "dev": made.dev, "held_out": made.held_out}


def _leaderboard(session: Session, asked: Alignment) -> None:
    boards = compare_judges(
        session,
        Wanted(
            run=asked.run,
            metrics=asked.metrics or None,
            statistic=asked.statistic,
            level=asked.level,
            seed=asked.seed or 0,
            look=asked.part != "dev",
        ),
    )
    if asked.json:
        console.write(
            {
                "run": next(iter(boards.values())).run if boards else asked.run,
                "level": asked.level,
                "seed": asked.seed or 0,
                "split": _sizes(splitting.ensure(session)),
                "metrics": {name: board.to_json() for name, board in boards.items()},
            }
        )
        return
    if not boards:
        out("No judge scored a metric that people label in this run.")
    for board in boards.values():
        _print(board)


def _print(board: Leaderboard) -> None:
    table(
        f"{board.title} on {board.run}: {title_of(board.statistic)}",
        ("judge", "held out>", "n>", "in words", "bias>", "dev>", "per 1,000>", "median ms>",
         "flips>", "", "why not"),
        [*(_row(row) for row in board.rows), _people(board.people)],
    )  # fmt: skip
    out(clean(board.held_out_line))
    out(clean(board.sentence))
    if board.worn:
        out(board.worn)


def _row(row: JudgeRow) -> tuple[str, ...]:
    held_out, usage = row.held_out, row.usage
    return (
        row.name,
        _figure(held_out),
        f"{held_out.n if held_out else row.held_out_n:,}",
        held_out.word if held_out else "",
        _bias(held_out or row.dev),
        _figure(row.dev),
        _price(usage.per_1000),
        number(usage.latency_ms, 0),
        DASH if usage.flips.rate is None else percent(usage.flips.rate),
        row.mark,
        row.reason or "",
    )


def _people(people: Reach) -> tuple[str, ...]:
    around = interval(ends(people.intervals.get("people")))
    return (
        "people among themselves",
        f"{number(people.people)} {around}".strip(),
        f"{people.n:,}",
        *[""] * 7,
        people.undefined.get("people", ""),
    )


def _figure(standing: Standing | None) -> str:
    if standing is None:
        return DASH
    return f"{number(standing.value)} {interval(ends(standing.interval))}".strip()


def _bias(standing: Standing) -> str:
    found = standing.bias_interval
    if found is None:
        return signed(standing.bias)
    return f"{signed(standing.bias)} [{signed(found.low)}, {signed(found.high)}]"


def _price(dollars: float | None) -> str:
    if dollars is None:
        return DASH
    return f"${fixed(dollars)}" if dollars else FREE


def _examples(session: Session, asked: Alignment) -> None:
    if len(asked.metrics) != 1:
        raise ReviewerError("Name the metric that the examples are for, once, with --metric.")
    found = examples.suggest(session, asked.metrics[0], run=asked.run)
    if asked.json:
        console.write(
            {
                "metric": asked.metrics[0],
                "examples": [
                    {"id": x.id, "query": x.query, "response": x.response, "score": x.score,
                     "reasoning": x.reasoning, "auto": x.auto, "gap": x.gap,
                     "decided": x.decided, "cause": x.cause}
                    for x in found
                ],
            }
        )  # fmt: skip
        return
    if not found:
        out("No response of the dev half is labelled and scored otherwise by the judge.")
    table(
        "Responses on which judge and people differ, none of them held out",
        ("id", "people>", "judge>", "why", "cause", "question"),
        [
            (
                x.id,
                str(x.score),
                x.auto if isinstance(x.auto, str) else plain(float(x.auto)),
                x.reasoning[:120],
                x.cause or "",
                " ".join(x.query.split())[:60],
            )
            for x in found
        ],
    )
