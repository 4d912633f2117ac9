"""`reviewer package` and `reviewer merge`."""

import json
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.progress import Silent
from reviewer.services.assigning import making, profiles
from reviewer.services.assigning.plans import QueuePlan, Sampling
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects


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
