"""The demo, the examples and the list of runs."""

import errno
import json
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from reviewer.domain.errors import ProjectError, Silent
from reviewer.services.audits import auditing, trend
from reviewer.services.figures import judge_details
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.jobs import launching
from reviewer.services.listing import listing
from reviewer.services.project import reading, rubrics
from reviewer.services.project.session import Session, set_blind
from reviewer.services.queues import recipes
from reviewer.services.upkeep import projects
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record


def test_the_demo_has_two_runs_of_the_guest_agent(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "demo.review", None, Silent())
    with Project.open(path) as project:
        runs = projects.list_runs(project)
        assert rubrics.names(project)[0] == "guest-response"
    assert [run.name for run in runs[-2:]] == ["2026-11-04 agent v6", "2026-11-18 agent v7"]
    assert sum(run.evaluations for run in runs) >= 120
    assert all(run.labelled for run in runs)


@pytest.mark.parametrize("system", projects.SYSTEMS)
def test_every_system_has_an_example(tmp_path: Path, system: str) -> None:
    path = projects.make_demo(tmp_path / "example.review", system, Silent())
    with Project.open(path) as project:
        runs = projects.list_runs(project)
        assert {run.rubric for run in runs} == {system}
        rejected = project.conn.execute("SELECT counts ->> 'rejected_values' FROM imports")
        assert rejected.fetchall() == [(0,)]
    assert len(runs) == 2
    assert sum(run.evaluations for run in runs) >= 40


def test_an_example_ends_in_the_week_before_it_is_made() -> None:
    text = '{"id": "a", "at": "2026-11-04T08:00:00Z", "evaluated_at": "2026-10-28T08:00:00Z"}'
    for today, newest in (
        (date(2026, 11, 5), "2026-11-04"),
        (date(2026, 11, 11), "2026-11-04"),
        (date(2026, 11, 12), "2026-11-11"),
        (date(2031, 1, 1), "2030-12-25"),
        (date(2026, 11, 4), "2026-10-28"),
    ):
        found = json.loads(projects.moved_to(text, today))
        assert found["at"] == f"{newest}T08:00:00Z"
        earlier = date.fromisoformat(newest) - timedelta(days=7)
        assert found["evaluated_at"] == f"{earlier}T08:00:00Z"
    assert projects.moved_to('{"id": "a"}', date(2031, 1, 1)) == '{"id": "a"}'


def test_the_virtual_agent_shows_deviations_and_has_ten_to_label(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "v.review", "virtual-agent", Silent())
    with closing(Session.open(path, "lead")) as session:
        found = auditing.compute(session, StatsRequest())
        gaps = {name: block.gaps for name, block in found.document.metrics.items()}
        sides = {
            name: (one.deviations.upper is not None, one.deviations.lower is not None)
            for name, one in gaps.items()
        }
        assert sides["context_retention"] == (True, True)
        assert sides["truthfulness"] == (False, True)
        assert sides["conciseness"] == (True, False)
        assert sides["coherence"] == (False, False)
        assert sides["user_satisfaction"] == (True, True)
        assert gaps["user_satisfaction"].shown_adjusted.value is not None
        weeks = trend.trend(found.frame, "user_satisfaction").weeks
        assert sum(week.human.value is not None for week in weeks) >= 6
        # what follows from the other metrics is asked of no judge
        offered = [x.name for x in launching.choices(session, "va 6.2").metrics]
        assert "request_completion" in offered
        assert "user_satisfaction" not in offered
        name, _ = recipes.begin_recent(session)
        listed = listing.build(session, queue=name)
        assert len(listing.enter(session, listed).ids) == 10


def test_a_demo_replaces_nothing(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "demo.review", "harness", Silent())
    with pytest.raises(ProjectError, match="exists already"):
        projects.make_demo(path, None, Silent())
    with pytest.raises(ProjectError, match="no system 'x'; there are: guest-response"):
        projects.make_demo(tmp_path / "other.review", "x", Silent())


def test_a_disk_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path), missing_ok)

    monkeypatch.setattr("os.access", lambda *_: False)
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(ProjectError, match="cannot be written; choose another one"):
        projects.make_demo(tmp_path / "demo.review", None, Silent())


def test_demos_without_a_path_are_fresh_files() -> None:
    one = projects.make_demo(None, "harness", Silent())
    two = projects.make_demo(None, "harness", Silent())
    assert one != two
    assert one.is_file()


def test_runs_are_listed_with_their_pass_rate(tmp_path: Path) -> None:
    label = {"metric": "accuracy", "labeler": "ann", "value": 3}
    good = [{"metric": name, "value": 4, "scorer": "j", "scorer_version": "2"}
            for name in ("relevance", "accuracy", "safety")]  # fmt: skip
    path = build_project(
        tmp_path / "p.review",
        evaluations=[record(1, scores=good, labels=[label]),
                     record(2, scores=[{**good[0], "value": 2}, *good[1:]]),
                     record(3, scores=good[:1])],
        rubric=RUBRIC,
    )  # fmt: skip
    with Project.open(path) as project:
        document = projects.document(projects.list_runs(project))
    (run,) = document["runs"]
    assert run.pop("imported_at")
    record_of = {(x["metric"], x["scorer"], x["version"]): x["n"] for x in document["record"]}
    assert record_of == {
        ("relevance", "j", "2"): 3,
        ("accuracy", "j", "2"): 2,
        ("safety", "j", "2"): 2,
    }
    assert run == {
        "name": "agent v7", "evaluations": 3, "labelled": 1, "first": "2026-11-02",
        "last": "2026-11-04", "source": "built.jsonl", "rubric": "guest", "scorers": ["j@2"],
        "pass_rate": 0.5, "excluded": 0,
    }  # fmt: skip


def test_the_demo_tells_the_prompt_of_every_score_that_counts(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "d.review", None, Silent())
    told = []
    with closing(Session.open(path)) as session:
        set_blind(session, blind=False)
        for key in listing.build(session, filter_text="category:amenities").ids:
            view = reading.view(session, key)
            told += [
                x for x in judge_details.details(session, view) if dict(x.facts).get("prompt")
            ]
    assert len(told) > 60
    assert {x.prompt_name for x in told} == {"the one that ships"}
    assert all(x.prompt.startswith("[system]") for x in told)
