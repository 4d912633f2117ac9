"""Two runs or two judges side by side."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

import typer

from reviewer.cli import console
from reviewer.cli.console import clean, number, opened, out, signed, table
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import ReviewerError
from reviewer.domain.wording import DASH, in_percent
from reviewer.services.comparing import comparing
from reviewer.services.comparing.comparison import Comparison, Side, conversations_of
from reviewer.services.comparing.comparison_words import judges_sentences, lagging_sentences
from reviewer.stats.paired import Shift
from reviewer.stats.paired_shares import McNemar

SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    """Which two sides."""

    project: ProjectArgument
    run: Annotated[
        list[str],
        typer.Option("--run", metavar="NAME", help="Twice: A, then B; once with two judges."),
    ] = field(default_factory=list)
    judge: Annotated[
        list[str],
        typer.Option(
            "--judge", metavar="NAME[@VERSION]", help="Twice: whose scores count on A and on B."
        ),
    ] = field(default_factory=list)
    metric: Annotated[
        list[str], typer.Option("--metric", metavar="NAME", help="Only this; may be repeated.")
    ] = field(default_factory=list)
    level: Annotated[
        float, typer.Option("--level", min=0.5, max=0.9999, help="Of every interval.")
    ] = 0.95
    json: JsonOption = False


@takes(CompareOptions)
def compare_sides(options: CompareOptions) -> int:
    """Compare two runs on the same cases, or two judges on the same responses."""
    with opened(options.project, tells=True) as session:
        a, b = _sides(options, session.run_names())
        found = comparing.compare(
            session, a, b, metrics=tuple(options.metric), level=options.level
        )
    if options.json:
        console.write(found.to_json())
    else:
        print_comparison(found)
    return DONE


def _sides(options: CompareOptions, runs: tuple[str, ...]) -> tuple[Side, Side]:
    named, judges = options.run, options.judge
    if len(judges) not in (0, 2) or len(named) > 2:
        raise ReviewerError("Name two runs with --run, or two judges with --judge.")
    if len(named) < 2 and not judges:
        raise ReviewerError("Name two runs with --run, or two judges with --judge.")
    if not runs:
        raise ReviewerError("The project holds no run yet; import evaluation results first.")
    first = named[0] if named else runs[-1]
    second = named[1] if len(named) == 2 else first
    a, b = judges or (None, None)
    return Side(first, a), Side(second, b)


def print_comparison(found: Comparison) -> None:
    """Print what two sides can be told apart by."""
    out(f"A: {found.before.title}")
    out(f"B: {found.after.title}")
    out(
        f"{found.n:,} shared cases; {found.only_before:,} only in A, {found.only_after:,} only "
        "in B."
    )
    if found.clusters is not None and conversations_of(found):
        out(f"They come from {conversations_of(found):,} conversations, which are what counts.")
    table(
        f"Metrics, B − A ({found.scores.words}; off people {found.people.words})",
        ("metric", "n>", "A>", "B>", "difference>", "interval", "p>", "A off people>",
         "B off people>", "difference>", "interval"),
        [
            (
                name, f"{x.shift.n:,}", number(x.before_mean), number(x.after_mean),
                signed(x.shift.difference), _interval(x.shift), number(x.shift.p, 4),
                number(x.before_error), number(x.after_error), signed(x.errors.difference),
                _interval(x.errors),
            )
            for name, x in found.metrics.items()
        ],
    )  # fmt: skip
    for sentence in (*_scored_by(found), judges_sentences(found, "A", "B")):
        if sentence:
            out(clean(sentence))
    overall = found.overall
    if overall is not None and overall.shift.difference is not None:
        out(
            f"Overall: {number(overall.before_mean)} → {number(overall.after_mean)}, "
            f"{signed(overall.shift.difference)} ({_interval(overall.shift)}, "
            f"n {overall.shift.n:,}, p {number(overall.shift.p, 4)})."
        )
    _print_flips(found)
    _print_rest(found)


def _print_rest(found: Comparison) -> None:
    """Print what lags behind on either side, and the change of latency and cost."""
    for text in lagging_sentences(found, "A", "B"):
        out(clean(f"Mind, {text}"))
    for name, shift, digits in (
        ("latency in ms", found.latency, 0),
        ("cost in $", found.cost, 5),
    ):
        if shift.n:
            out(
                f"Mean {name}, B − A: {signed(shift.difference, digits)} "
                f"({_interval(shift, digits)}, n {shift.n:,})."
            )


def _scored_by(found: Comparison) -> Iterator[str]:
    """Say whose scores are compared where they are of one version, the metrics of it together."""
    versions: dict[str, list[str]] = {}
    for name, x in found.metrics.items():
        if not x.unlike:
            versions.setdefault(x.after_scorer or "nobody", []).append(name)
    for scorer, names in versions.items():
        yield f"{', '.join(names)}: by {scorer} on both sides."
    if any(x.shift.n < found.n for x in found.metrics.values()):
        yield "n counts the shared cases that both sides scored."


def _print_flips(found: Comparison) -> None:
    flips = found.flips
    if flips.reason is not None:
        out(f"No pass rate: {flips.reason}.")
        return
    test = flips.test
    out(
        f"Pass rate: {_percent(flips.before_rate)} → {_percent(flips.after_rate)} "
        f"({_points(test)}, n {test.n:,}, McNemar mid-p {number(test.mid, 4)})."
    )
    for title, keys in (
        ("fixed", flips.fixed),
        ("broken", flips.broken),
        ("both wrong", flips.both_wrong),
    ):
        names = ", ".join(found.ids[key] for key in keys[:SHOWN])
        more = ", …" if len(keys) > SHOWN else ""
        out(f"{len(keys):,} {title}{': ' + names + more if names else ''}.")


def _percent(share: float | None) -> str:
    return DASH if share is None else in_percent(share)


def _points(test: McNemar) -> str:
    if test.difference is None:
        return DASH
    change = f"{signed(100 * test.difference, 1)} points"
    if test.low is None or test.high is None:
        return change
    return f"{change}, {signed(100 * test.low, 1)} to {signed(100 * test.high, 1)}"


def _interval(shift: Shift, digits: int = 2) -> str:
    if shift.low is None or shift.high is None:
        return DASH
    return f"{signed(shift.low, digits)} to {signed(shift.high, digits)}"
