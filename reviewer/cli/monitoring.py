"""Watch production: sample new records, score them, and tell the status."""

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated

import typer

from reviewer.cli import console
from reviewer.cli.console import number, opened, out, percent, reporting, say, stoppable, table
from reviewer.cli.options import JsonOption, ProjectArgument, takes
from reviewer.cli.table import DONE
from reviewer.domain.errors import CancelledError, Progress, ReviewerError
from reviewer.domain.monitoring import Monitor, window_of
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.looking import Looked, Watch
from reviewer.services.monitoring.view import View
from reviewer.services.project.session import Session

PRODUCTION = "production"
STRIP = 12
"""Past windows that are printed."""
_TICK = 0.1


@dataclass(frozen=True, kw_only=True)
class MonitorOptions:
    """What is watched, how much of it, and who scores it; what is not given stays as it was."""

    project: ProjectArgument
    watch: Annotated[
        Path | None,
        typer.Option(
            "--watch", metavar="DIR", help="Import files that arrive here; each of them once."
        ),
    ] = None
    once: Annotated[bool, typer.Option("--once", help="Look once and end, as for cron.")] = False
    sample_rate: Annotated[
        float | None,
        typer.Option("--sample-rate", metavar="SHARE", help="Of the records; at first 0.01."),
    ] = None
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Of the sample; at first 0.")
    ] = None
    window: Annotated[
        str | None,
        typer.Option(
            "--window", metavar="all|N|Nd", help="All samples, the newest N, or those of N days."
        ),
    ] = None
    rubric: Annotated[
        str | None,
        typer.Option("--rubric", metavar="NAME", help="Whose runs; default: agent-rubric."),
    ] = None
    run: Annotated[
        list[str],
        typer.Option(
            "--run",
            metavar="NAME",
            help="Only this run; may be repeated. all: every run, also of test cases. "
            "production: all but runs of test cases, as at first.",
        ),
    ] = field(default_factory=list)
    judge: Annotated[
        str | None,
        typer.Option(
            "--judge",
            metavar="NAME|none",
            help="Who scores the samples; none: the scores of the records, or scorers.",
        ),
    ] = None
    max_cost: Annotated[
        float | None,
        typer.Option("--max-cost", metavar="USD", help="What the judge may cost in all."),
    ] = None
    json: JsonOption = False


@takes(MonitorOptions)
def watch_production(options: MonitorOptions) -> int:
    """Sample and score new records, and tell pass rate and status, until Ctrl-C or once."""
    with opened(options.project, tells=True) as session:
        session.sees_all = True
        monitor = looking.keep(session, _settings(session, options))
        watch = Watch.of(replace(monitor, folder=monitor.folder if options.watch else None))
        problem = (_once if options.once else _until_stopped)(session, monitor, watch)
        if options.json:
            console.write(_whole(session, monitor).to_json())
        elif options.once:
            found = _whole(session, monitor)
            settings, tally = found.monitor, found.tally
            out(f"Monitor of {settings.rubric}: {tally.words}")
            if tally.total:
                over = window_of(settings.window).words
                out(f"{tally.sentence[0].upper()}{tally.sentence[1:]} over {over}.")
                out(f"Average score {number(tally.average)}.")
            else:
                out(f"{found.reason[0].upper()}{found.reason[1:]}.")
            out(
                f"{found.sampled:,} sampled (rate {settings.rate:g}, seed {settings.seed}), "
                f"{found.waiting:,} without a verdict."
            )
            if found.sampled and found.runs.words:
                out(f"Sampled is {found.runs.words}.")
            for sentence in found.stale:
                out(sentence)
            table(
                "Past windows",
                ("when", "n>", "pass rate>", "status"),
                [
                    (x.name, f"{x.tally.total:,}", percent(x.tally.rate), x.tally.words)
                    for x in found.strip[-STRIP:]
                ],
            )
    if problem:
        # what is there was told all the same
        raise ReviewerError(problem)
    return DONE


def _settings(session: Session, options: MonitorOptions) -> Monitor:
    now = looking.settings_of(session, options.rubric)
    judge = now.judge if options.judge is None else options.judge
    return replace(
        now,
        folder=str(options.watch) if options.watch else now.folder,
        rate=now.rate if options.sample_rate is None else options.sample_rate,
        seed=now.seed if options.seed is None else options.seed,
        window=str(window_of(now.window if options.window is None else options.window)),
        runs=_runs(session, options.run) if options.run else now.runs,
        judge=None if judge == "none" else judge,
        max_cost=now.max_cost if options.max_cost is None else options.max_cost,
    )


def _runs(session: Session, named: list[str]) -> tuple[str, ...]:
    """Read the runs; what a run is called goes before what the word means else."""
    if named == [PRODUCTION] and PRODUCTION not in session.run_names():
        return ()
    return tuple(dict.fromkeys(named))


def _once(session: Session, monitor: Monitor, watch: Watch) -> str:
    looking.settle(session, watch)
    with reporting("Looking") as progress:
        looked = watch.look(session, monitor.rubric, progress)
    _tell(looked)
    return looked.problem


def _until_stopped(session: Session, monitor: Monitor, watch: Watch) -> str:
    where = f" {watch.folder.path}" if watch.folder else " for new records"
    say(f"Watching{where}; Ctrl-C ends it.")
    told = problem = ""
    with stoppable(_Quiet()) as progress:
        while not progress.cancelled:
            try:
                looked = watch.look(session, monitor.rubric, progress)
            except CancelledError:
                break
            except ReviewerError as error:
                # another program may hold the file for a while
                problem = _say_new(str(error), problem)
            else:
                _tell(looked)
                problem = _say_new(looked.problem, problem)
                view = looked.view
                why = view.reason or view.tally.sentence
                told = _say_new(f"{view.tally.words}: {why}.", told)
            _wait(progress)
    return ""


def _wait(progress: Progress) -> None:
    until = time.monotonic() + looking.EVERY_SECONDS
    while not progress.cancelled and time.monotonic() < until:
        time.sleep(_TICK)


def _say_new(sentence: str, told: str) -> str:
    if sentence and sentence != told:
        say(sentence)
    return sentence


def _tell(looked: Looked) -> None:
    for sentence in (*looked.fed.sentences, looked.change):
        if sentence:
            say(sentence)


class _Quiet:
    def show(self, done: int, total: int | None, note: str) -> None:
        """Show nothing: a watch has no end to come nearer to."""

    def close(self) -> None:
        """Have nothing to close."""


def _whole(session: Session, monitor: Monitor) -> View:
    found = looking.shown(session, monitor.rubric, every=True)
    if found is None:
        raise ReviewerError(f"The monitor for the rubric {monitor.rubric!r} went away.")
    return found
