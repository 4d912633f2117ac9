"""`reviewer package` and `reviewer merge`."""

import json
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.upkeep import projects
from tests.building import build_project, next_undo


@pytest.fixture
def project(tmp_path: Path) -> Path:
    path = projects.make_demo(tmp_path / "g.review", "guest-response", Silent())
    session = Session.open(path, "Lead")
    profiles.add(session, "Ann")
    plan = QueuePlan(name="Pool", sampling=Sampling.RANDOM, n=5, labelers=("Ann",))
    making.create(session, plan)
    session.close()
    return path


def test_there_and_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = project.with_name("ann.review")
    words = ["--queue", "Pool", "--labeler", "ann", "--blind", "--json"]
    assert main(["package", str(project), str(to), *words]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["evaluations"], told["labeler"], told["blind"]) == (5, "Ann", True)
    assert main(["merge", str(project), str(to), "--dry-run"]) == 0
    assert "0 new entries of Ann for Pool" in capsys.readouterr().out
    assert main(["merge", str(project), str(to), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["packages"][0]["labels"] == 0


def test_wrong_use(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["merge", str(project), str(project)]) == 2
    assert "but no work package" in capsys.readouterr().err
    words = ["--queue", "Pool", "--labeler", "Bob"]
    assert main(["package", str(project), "x.review", *words]) == 2
    assert "'Bob' has no part in Pool" in capsys.readouterr().err


def test_one_bad_file_holds_up_no_other(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = project.with_name("ann.review")
    # the queue is blind, and so is its package without a word
    assert main(["package", str(project), str(to), "--queue", "Pool", "--labeler", "Ann"]) == 0
    assert "(blind, without auto scores)" in capsys.readouterr().out
    session = Session.open(to)
    (key,) = session.project.conn.execute("SELECT min(id) FROM evaluations").fetchone()
    entering.commit(session, key, "safety", 4)
    session.close()
    assert main(["merge", str(project), str(project), "no.review", str(to)]) == 2
    told = capsys.readouterr()
    assert "1 new entry of Ann for Pool" in told.out
    assert "but no work package" in told.err
    assert "no.review" in told.err


def test_the_lead_merges_where_the_settings_name_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = build_project(tmp_path / "team.review", evaluations=3)
    session = Session.open(project, "Boss")
    profiles.change(session, "Boss", role="lead")
    profiles.add(session, "Ann")
    making.create(session, QueuePlan(name="All", labelers=("Ann",)))
    session.close()
    to = tmp_path / "ann.review"
    assert main(["package", str(project), str(to), "--queue", "All", "--labeler", "Ann"]) == 0
    package = Session.open(to)
    (key,) = package.project.conn.execute("SELECT min(id) FROM evaluations").fetchone()
    entering.commit(package, key, "safety", 4)
    package.close()
    assert main(["merge", str(project), str(to)]) == 0
    assert "1 new entry of Ann for All" in capsys.readouterr().out
    session = Session.open(project, "Boss")
    assert {person.name for person in session.labelers()} == {"Ann", "Boss"}
    assert next_undo(session) == "import of ann.jsonl"
    session.close()
