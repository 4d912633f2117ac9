"""What is open on the Runs page follows judges, endpoints, prices and bots from anywhere."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.domain.judging import Judge, Price
from reviewer.gui.runs.launch_pane import LaunchPane
from reviewer.gui.runs.monitor_section import MonitorSection
from reviewer.gui.runs.page import RunsPage
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.gui.jobs.conftest import Desk

Act = Callable[[Session], None]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def page(desk: Desk, settle: Callable[[], None]) -> RunsPage:
    desk.window.show_page("runs")
    found = desk.window.page
    assert isinstance(found, RunsPage)
    settle()
    desk.wait(found.launch.form.isEnabled)
    found.launch.form.metrics.choose("accuracy")
    return found


@pytest.fixture(params=["here", "elsewhere"])
def act(request: pytest.FixtureRequest, desk: Desk) -> Callable[[Act], None]:
    """Do something in this window, or in another one on the same file."""

    def here(what: Act) -> None:
        assert desk.window.session is not None
        what(desk.window.session)

    def elsewhere(what: Act) -> None:
        with closing(Session.open(desk.path)) as session:
            what(session)

    return here if request.param == "here" else elsewhere


def dearer(session: Session) -> None:
    judges.keep_price(session, Price(model="m", input_per_million=1e6, output_per_million=1e6))


def another(session: Session) -> None:
    (judge,) = judges.every(session)
    judges.keep(session, replace(judge, name="second"))


def fewer(session: Session) -> None:
    judges.remove_judge(session, "second")


def cost(pane: LaunchPane) -> float:
    words = pane.estimate.text()
    return float(words.partition("$")[2].partition(" ")[0].replace(",", "")) if "$" in words else 0


def names(pane: LaunchPane) -> list[str]:
    combo = pane.form.judge
    return [combo.itemText(place) for place in range(combo.count())]


def test_the_estimate_follows_a_price(
    page: RunsPage, desk: Desk, act: Callable[[Act], None]
) -> None:
    desk.wait(lambda: 0 < cost(page.launch) < 100)
    act(dearer)
    desk.wait(lambda: cost(page.launch) > 1000)


def test_the_lists_of_judges_follow(
    page: RunsPage, desk: Desk, act: Callable[[Act], None]
) -> None:
    shown = page.sections.bring(MonitorSection)
    act(another)
    desk.wait(lambda: any("second" in name for name in names(page.launch)))
    desk.wait(lambda: shown.form.judge.findData("second") >= 0)
    act(fewer)
    desk.wait(lambda: not any("second" in name for name in names(page.launch)))
    desk.wait(lambda: shown.form.judge.findData("second") < 0)


def test_another_program_is_followed_too(page: RunsPage, desk: Desk) -> None:
    desk.wait(lambda: 0 < cost(page.launch) < 100)
    words = ("judges", str(desk.path), "add", "third", "--endpoint", "near", "--model", "m",
             "--price", "1000000,1000000")  # fmt: skip
    subprocess.run([sys.executable, "-m", "reviewer", *words], check=True, cwd=ROOT, timeout=120)
    desk.wait(lambda: any("third" in name for name in names(page.launch)))
    desk.wait(lambda: cost(page.launch) > 1000)


def test_a_judges_change_shows_in_the_pane(page: RunsPage, desk: Desk) -> None:
    def moved(session: Session) -> None:
        judges.keep(session, Judge(name="careful", endpoint="near", model="unknown"))

    desk.wait(lambda: cost(page.launch) > 0)
    with closing(Session.open(desk.path)) as session:
        moved(session)
    desk.wait(lambda: "$" not in page.launch.estimate.text())
