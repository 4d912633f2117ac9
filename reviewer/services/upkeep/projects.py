"""Projects as a whole: the demo and the examples, and the list of runs."""

import contextlib
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any, Final

import numpy as np
from msgspec.structs import asdict

from reviewer import paths
from reviewer.domain.errors import Progress, ProjectError
from reviewer.domain.rubric import Metric, Rubric
from reviewer.domain.run import Run, Scope
from reviewer.services.computer.settings import Settings
from reviewer.services.figures import run_records
from reviewer.services.figures.auto_columns import RunRecord
from reviewer.services.figures.figure_settings import kept_options
from reviewer.services.figures.figure_table import FigureTable, Loader
from reviewer.services.figures.statistics_document import record_json
from reviewer.services.figures.statistics_pass import passing_share
from reviewer.services.project import project_days, ready_metrics, rubrics
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import figures, reading
from reviewer.store.project import SUFFIX, Project
from reviewer.store.scoping import Condition, counted

SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")


class RunSummary(Run, frozen=True, kw_only=True):
    """A run as listed: counts, dates, judges and the judge's pass rate.

    All of them are of the evaluations that count. The dates are the first and the last day on
    which something was scored, in the project's time zone.

    Attributes:
        records: Whose scores count, by metric, of what anything scored.
    """

    first: str | None
    last: str | None
    scorers: tuple[str, ...]
    pass_rate: float | None
    records: tuple[tuple[Metric, RunRecord], ...] = ()

    @property
    def judged_by(self) -> str:
        """Say whose scores count and on how many, empty where nothing was scored."""
        return run_records.together([(metric.heading, one) for metric, one in self.records])

    def to_json(self) -> dict[str, Any]:
        """Give the run's entry of the command line's document."""
        return {
            "name": self.name,
            "evaluations": self.evaluations,
            "labelled": self.labelled,
            "imported_at": self.imported_at,
            "first": self.first,
            "last": self.last,
            "source": self.source,
            "rubric": self.rubric,
            "scorers": list(self.scorers),
            "pass_rate": self.pass_rate,
            "excluded": self.excluded,
        }


def make_demo(path: Path | None, system: str | None, progress: Progress) -> Path:
    """Make the demo project, or the example of one system, and give its file.

    Without a path a fresh file in the data folder is made. An example's dates are moved by whole
    weeks, so that it ends within the last days however late it is made.

    Raises:
        ProjectError: The file exists already or cannot be written, or no such system.
    """
    if system is not None and system not in SYSTEMS:
        raise ProjectError(f"There is no system {system!r}; there are: {', '.join(SYSTEMS)}.")
    target = path or _fresh(system or "demo")
    if target.exists():
        raise ProjectError(f"{target} exists already; open it or choose another name.")
    try:
        maker = Settings().name_given
        with tempfile.TemporaryDirectory() as folder:
            for files, rubric in _parts(system, Path(folder)):
                importing.run(target, ImportRequest(files, rubric=rubric, maker=maker), progress)
        from reviewer.services.bots import bots

        bots.add_examples(target, system)
    except BaseException:
        # a read-only disk refuses even this, and its own sentence is the one to show
        with contextlib.suppress(OSError):
            for part in ("", "-wal", "-shm"):
                target.with_name(target.name + part).unlink(missing_ok=True)
        raise
    return target


def _parts(system: str | None, folder: Path) -> list[tuple[tuple[Path, ...], str | Path]]:
    resources = paths.resources()
    if system is not None:
        text = (resources / "examples" / f"{system}.jsonl").read_text(encoding="utf-8")
        moved = folder / f"{system}.jsonl"
        moved.write_text(moved_to(text, project_days.today(UTC)), encoding="utf-8")
        rubric = folder / f"{system}.toml"
        rubric.write_text(rubrics.to_toml(example_rubric(system)), encoding="utf-8")
        return [((moved,), rubric)]
    demo = resources / "demo"
    return [
        # the newest run's rubric is the project's, so the main one comes last
        ((demo / "opening-lines.jsonl",), demo / "opening-lines.toml"),
        ((demo / "guest-response.jsonl",), "guest-response"),
    ]


_MEASURED: Final[dict[str, tuple[str, ...]]] = {
    "harness": ("retrieval_precision", "retrieval_recall", "retrieval_ndcg", "user_feedback"),
}
"""Ready metrics of which a system's example has scores, beside those of its rubric."""


def example_rubric(system: str) -> Rubric:
    """Give an example's rubric: the shipped one, with the metrics that its records show."""
    rubric = rubrics.shipped()[system]
    more = map(ready_metrics.metric_of, _MEASURED.get(system, ()))
    return replace(rubric, metrics=(*rubric.metrics, *more))


_DATED = re.compile(r'("(?:at|occurred_at|evaluated_at)": ")(\d{4}-\d\d-\d\d)(?=T)')
_WEEK = timedelta(days=7)


def moved_to(text: str, today: date) -> str:
    """Move all times of records by whole weeks, so that the newest lies in the week before today.

    Figures look back half a year: records that stay where they are would leave their window.
    """
    days = {date.fromisoformat(found[1]) for found in _DATED.findall(text)}
    weeks = (today - timedelta(days=1) - max(days, default=today)) // _WEEK

    def move(found: re.Match[str]) -> str:
        return f"{found[1]}{date.fromisoformat(found[2]) + weeks * _WEEK}"

    return _DATED.sub(move, text)


def _fresh(name: str) -> Path:
    folder = paths.data_folder()
    stamp = datetime.now(UTC).strftime("%Y-%m-%d")
    target, number = folder / f"{name} {stamp}{SUFFIX}", 1
    while target.exists():
        number += 1
        target = folder / f"{name} {stamp} {number}{SUFFIX}"
    return target


def document(runs: Sequence[RunSummary]) -> dict[str, Any]:
    """Give the document of `reviewer runs --json`, without its schema."""
    records = [(metric, one) for run in runs for metric, one in run.records]
    return {
        "runs": [run.to_json() for run in runs],
        "record": [record_json(metric.name, one) for metric, one in records],
    }


def list_runs(project: Project) -> tuple[RunSummary, ...]:
    """Give the project's runs in the order of their import."""
    with figures.snapshot(project):
        rubrics = reading.rubrics(project.conn)
        of_run = reading.run_rubrics(project.conn)
        loader = Loader(project)
        return tuple(
            _summary(loader, run, rubrics[of_run[run.key]])
            for run in reading.runs(project.conn)
            if run.evaluations or run.excluded
        )


def _summary(loader: Loader, run: Run, rubric: Rubric) -> RunSummary:
    within = counted(Scope(), [run.key])
    options = kept_options(loader.project, rubric)
    table = loader.load(Scope(), rubric=rubric, within=within, options=options)
    first, last = _span(table, project_days.zone_of(project_days.zone_name(loader.project)))
    return RunSummary(
        **asdict(run),
        first=first,
        last=last,
        scorers=_scorers(loader.project, rubric, within),
        pass_rate=_pass_rate(table),
        records=tuple(
            (x.metric, one) for x in table.metrics.values() for one in x.records if one.is_scored
        ),
    )


def _span(table: FigureTable, zone: tzinfo) -> tuple[str | None, str | None]:
    """Give the first and the last day on which something was scored, else of its own date."""
    scored = [(x.dates, x.has_auto) for x in table.metrics.values()]
    bare = ~np.logical_or.reduce([there for _, there in scored])
    dates = np.concatenate([x[there] for x, there in [*scored, (table.dates, bare)]])
    dated = dates[dates != figures.UNDATED]
    if not dated.size:
        return None, None
    first, last = (project_days.day_of(int(x), zone) for x in (dated.min(), dated.max()))
    return None if first is None else str(first), None if last is None else str(last)


def _scorers(project: Project, rubric: Rubric, within: Condition) -> tuple[str, ...]:
    keys = figures.metric_keys(project)
    names = {version.key: version.name for version in figures.scorer_versions(project)}
    used = {
        names[score_set]
        for metric in rubric.metrics
        if metric.name in keys
        for score_set in figures.score_sets_in_use(project, keys[metric.name], within)
    }
    return tuple(sorted(name for name in used if name))


def _pass_rate(table: FigureTable) -> float | None:
    """Give the judge's pass rate over the evaluations that have a verdict."""
    if table.rubric.pass_rule == "none":
        return None
    return passing_share(table.auto_verdicts()).rate
