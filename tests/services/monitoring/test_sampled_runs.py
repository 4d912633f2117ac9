"""Test cases apart from production: which runs a monitor samples."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import ReviewerError
from reviewer.domain.monitoring import EVERY_RUN, Monitor
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.view import View
from reviewer.services.testing import sets
from tests.services.monitoring.production import imported, keep, look, opened, record, write

PRODUCTION, TESTS = ("monday", "tuesday"), "nightly"


def add_run(path: Path, run: str, names: list[str], value: float = 1.0) -> Path:
    file = path.with_name(f"{run}.jsonl")
    return imported(path, write(file, (record(x, value, run=run) for x in names)))


def add_tests(path: Path, names: list[str]) -> None:
    file = path.with_name("tests.jsonl")
    file.write_text("".join(json.dumps({"id": x, "input": f"{x}?"}) + "\n" for x in names))
    session = opened(path)
    sets.add_file(session, file, name="nightly tests")
    session.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two runs of production pass; the nightly run of test cases fails."""
    path = tmp_path / "p.review"
    for run in PRODUCTION:
        add_run(path, run, [f"{run} {k}" for k in range(20)])
    cases = [f"case {k}" for k in range(30)]
    add_run(path, TESTS, cases, 0.0)
    add_tests(path, [*cases, "case that nobody ran"])
    return path


def seen(path: Path, **settings: Any) -> View:
    keep(path, **settings)
    return look(path).view


def test_test_cases_do_not_mix_with_production_by_themselves(path: Path) -> None:
    found = seen(path)
    assert (found.tally.passed, found.tally.total, found.status) == (40, 40, "healthy")
    assert (found.runs.runs, found.runs.left_out) == (PRODUCTION, (TESTS,))
    assert found.runs.words == "production alone, without the test cases of nightly"
    assert (found.sampled, found.waiting) == (40, 0)


def test_runs_can_be_named_and_all_of_them(path: Path) -> None:
    one = seen(path, runs=("tuesday",))
    assert (one.tally.total, one.runs.words) == (20, "the run tuesday alone")
    tests = seen(path, runs=(TESTS,))
    assert (tests.tally.passed, tests.tally.total) == (0, 30)
    assert tests.runs.words == "the run nightly alone, of test cases"
    every = seen(path, runs=EVERY_RUN)
    assert (every.tally.passed, every.tally.total) == (40, 70)
    assert every.runs.words == "every run, also of test cases: nightly"
    # what was sampled meanwhile is kept aside
    assert seen(path).tally.total == 40


def test_a_run_that_becomes_one_of_test_cases_is_left_out(path: Path) -> None:
    assert seen(path).tally.total == 40
    add_tests(path, [f"tuesday {k}" for k in range(20)])
    found = look(path).view
    assert (found.tally.total, found.runs.left_out) == (20, ("tuesday", TESTS))


def test_a_run_with_other_cases_beside_is_production(path: Path) -> None:
    add_run(path, TESTS, ["a question of somebody"])
    assert seen(path).runs.left_out == ()


def test_without_test_cases_every_run_is_sampled_and_nothing_is_said(tmp_path: Path) -> None:
    path = add_run(tmp_path / "p.review", "monday", ["a", "b"])
    found = seen(path)
    assert (found.tally.total, found.runs.words) == (2, "")


def test_a_run_that_is_not_there_is_refused_when_it_is_named(path: Path) -> None:
    with pytest.raises(ReviewerError, match="no run 'friday' with the rubric agent-rubric"):
        keep(path, runs=("friday",))
    assert Monitor().runs == ()


def test_of_test_cases_alone_the_monitor_says_why_it_has_nothing(tmp_path: Path) -> None:
    path = add_run(tmp_path / "p.review", TESTS, ["a", "b"])
    add_tests(path, ["a", "b"])
    found = seen(path)
    assert found.reason == (
        "no record is sampled yet: production alone, without the test cases of nightly"
    )


def test_settings_of_earlier_versions_are_of_production(path: Path) -> None:
    keep(path, window="7d")
    session = opened(path)
    with session.project.write() as conn:
        body = json.loads(conn.execute("SELECT body FROM monitors").fetchone()[0])
        del body["runs"]
        conn.execute("UPDATE monitors SET body = ?", (json.dumps(body),))
    assert looking.settings_of(session, "agent-rubric") == Monitor(rate=1.0, window="7d")
    session.close()
