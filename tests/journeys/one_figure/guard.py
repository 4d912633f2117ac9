"""Everything that the guard reads, read once: projects, expected figures, and what is shown."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pytest

from tests.journeys.one_figure import surfaces_commands as commands
from tests.journeys.one_figure import surfaces_window as window
from tests.journeys.one_figure.desk import Desk, opened
from tests.journeys.one_figure.expected import Answers, Figures, Kept, Wanted
from tests.journeys.one_figure.project import Project, imported, keeping
from tests.journeys.one_figure.seen import Found, agrees, told, written
from tests.journeys.one_figure.world import BLIND, LEADS, Files, build

EPS = 1e-9
HOLDS: dict[str, Callable[[float, float], bool]] = {
    ">=": lambda x, y: x >= y - EPS,
    ">": lambda x, y: x > y + EPS,
    "<=": lambda x, y: x <= y + EPS,
    "<": lambda x, y: x < y - EPS,
    "=": lambda x, y: abs(x - y) <= EPS,
}
COMMANDS: dict[str, Callable[[Project], Found]] = {
    "stats --json": commands.stats_document,
    "stats": commands.stats_printed,
    "runs --json": commands.runs_document,
    "runs": commands.runs_printed,
    "report.json": commands.report_json,
    "report.md": commands.report_markdown,
    "report.html": commands.report_page,
    "check": commands.checks,
    "compare": commands.compared,
    "disagreements": commands.disagreements,
    "consensus": commands.consensus,
    "insights": commands.insights,
}
WINDOW: dict[str, Callable[[Desk], Found]] = {
    "card": window.cards,
    "queue row": window.queue,
    "filter": window.filters,
    "live panel": window.live,
    "Audit as it opens": window.audit_as_it_opens,
    "Audit table": window.audit_table,
    "Audit verdict": window.audit_verdict,
    "Audit list": window.audit_cases,
    "Audit pass and fail": window.audit_passing,
    "Audit insights": window.audit_insights,
    "Audit over time": window.audit_weeks,
    "Runs": window.runs_list,
    "Trend": window.runs_trend,
    "Targets": window.runs_targets,
    "A against B": window.runs_compared,
}
HIDDEN: dict[str, Callable[[Desk], Found]] = {"live panel": window.live}
"""What a blind labeler is shown while some of their own answers do not count yet."""


_METRIC = ("accuracy auto", "accuracy human", "accuracy kappa", "overall auto", "overall human")
SHOWS = {
    "stats --json": (*_METRIC, "accuracy bias", "pass people", "accuracy coverage"),
    "stats": (*_METRIC, "accuracy bias", "pass people", "accuracy corrected"),
    "runs --json": ("autumn evaluations", "spring pass judge"),
    "runs": ("autumn evaluations", "spring pass judge"),
    "report.json": ("accuracy auto", "overall auto", "pass judge"),
    "report.md": ("accuracy auto", "accuracy human", "accuracy kappa", "tone gap", "pass judge"),
    "report.html": ("accuracy auto", "accuracy human", "accuracy kappa", "pass people"),
    "check": ("pass judge", "tone gap size", "accuracy kappa", "overall auto", "tone n_human"),
    "compare": ("compared accuracy a", "compared accuracy off people b", "compared pass b"),
    "disagreements": ("rows", "autumn c20 accuracy gap"),
    "consensus": ("autumn c34 accuracy agreed",),
    "insights": ("pets accuracy n",),
    "card": ("autumn c16 accuracy gap", "autumn c20 quality auto"),
    "queue row": ("autumn c16 overall gap",),
    "live panel": (*_METRIC, "tone band", "topic kappa"),
    "Audit as it opens": (*_METRIC, "tone band"),
    "Audit table": (*_METRIC, "tone band", "tone corrected"),
    "Audit verdict": ("accuracy kappa", "accuracy same", "accuracy scorer"),
    "Audit list": ("autumn c20 accuracy gap",),
    "Audit pass and fail": ("pass judge", "pass people"),
    "Audit insights": ("pets accuracy n",),
    "Runs": ("autumn pass judge",),
    "Trend": ("spring overall auto", "autumn accuracy auto"),
    "Targets": ("accuracy auto",),
    "A against B": ("compared accuracy a", "compared pass b"),
}
"""Figures that a surface cannot be without, so that none is green for want of a figure."""
_FOLDERS: list[Path] = []


def _folder() -> Path:
    made = Path(tempfile.mkdtemp(prefix="one-figure-"))
    _FOLDERS.append(made)
    return made


def forget() -> None:
    """Let go of every project."""
    for kept in (base, project, expected, corrected, on_screen, commands.stats_told):
        kept.cache_clear()
    while _FOLDERS:
        shutil.rmtree(_FOLDERS.pop(), ignore_errors=True)


@cache
def files() -> Files:
    """Give the files of the project, made as of today."""
    return build(datetime.now(UTC).date())


@cache
def base() -> Path:
    """Give the project, imported once."""
    return imported(files(), _folder())


@cache
def project(kept: Kept) -> Project:
    """Give a copy that keeps a set of options."""
    return keeping(base(), kept, _folder())


@cache
def expected(kept: Kept, *, blind: bool = False) -> Figures:
    """Give every figure that any surface may show."""
    answers = Answers(files(), kept, blind=blind)
    made = answers.of_metrics() | answers.runs() | answers.disagreements()
    made |= answers.compared() | answers.slices() | answers.weeks("accuracy") | answers.agreed()
    for what, sign, value in window.FILTERS:
        for name in ("accuracy", "quality"):
            mark, holds = float(value), HOLDS[sign]
            made[f"{what}:{name}{sign}{value}"] = answers.found(
                name, what, lambda x, mark=mark, holds=holds: holds(x, mark)
            )
    if "label_combine=consensus" in kept.options:
        made |= _weighed(kept, made)
    return made


def _weighed(kept: Kept, made: Figures) -> Figures:
    """Take what a consensus of many labelers decides from the document of `stats`.

    Only accuracy has labelers enough to be weighed; the oracle does not weigh people.
    """
    made_of = project(kept)
    told_by = commands.stats_document(made_of) | commands.disagreements(made_of)
    moved = ("accuracy ", "overall ", "pass people", "rows")
    free = Wanted(None, free=True)
    return {
        name: Wanted(told_by[name]) if name in told_by else free
        for name in made
        if name.startswith(moved) or " accuracy " in name or "overall gap" in name
    } | {name: free for name in made if ":accuracy" in name or name.endswith("agreed")}


def expected_gaps(kept: Kept) -> Figures:
    """Give the figures of `stats`, less those that an option leaves to the program."""
    answers = Answers(files(), kept)
    made = answers.of_metrics() | answers.passing()
    free: tuple[str, ...] = ()
    if "derived_labels=count" in kept.options:
        tabled = ("same", "kappa", "pairs", "bias", "table n", "no majority")
        free = tuple(f"completion {what}" for what in tabled)
    if "label_combine=consensus" in kept.options:
        free = tuple(x for x in made if x.startswith(("accuracy", "overall", "pass people")))
    return made | dict.fromkeys(free, Wanted(None, free=True))


@cache
def corrected(kept: Kept) -> Figures:
    """Give corrected means and rates as `stats --json` has them, for all others to agree with."""
    told_by = commands.stats_told(project(kept))
    made = {
        f"{name} corrected": Wanted(block["corrected"]["mean"])
        for name, block in told_by["metrics"].items()
    }
    return made | {"pass corrected": Wanted(told_by["pass"]["corrected"]["mean"])}


@cache
def on_screen(kept: Kept, *, blind: bool = False) -> dict[str, Found | Exception]:
    """Open the window once, and read every surface of it."""
    made = project(kept)
    readers = HIDDEN if blind else WINDOW
    labeler = BLIND if blind else LEADS[0]
    found: dict[str, Found | Exception] = {}
    with opened(made.path, made.folder, labeler=labeler, blind=blind) as desk:
        for name, read in readers.items():
            try:
                found[name] = read(desk)
            except Exception as error:  # noqa: BLE001  # the other surfaces are still to be read
                found[name] = error
    return found


def red(surface: str, kept: Kept, found: Found, wanted: Figures) -> list[str]:
    """List the figures that are not as expected, a line each."""
    lost = [x for x in SHOWS.get(surface, ()) if x not in found]
    return [f"{surface} | {x} | {kept.name} | expected a figure | found none" for x in lost] + [
        f"{surface} | {name} | {kept.name} | expected {told(wanted.get(name))} | "
        f"found {written(shown)}"
        for name, shown in found.items()
        if name not in wanted or not agrees(wanted[name], shown)
    ]


def hold(wrong: Sequence[str]) -> None:
    """Fail with a line for each figure that differs.

    Raises:
        Failed: One does.
    """
    if wrong:
        lines = "\n".join(wrong)
        pytest.fail(f"{len(wrong)} figures differ:\n{lines}", pytrace=False)
