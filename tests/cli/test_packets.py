"""`reviewer packet`, through the command line itself."""

import hashlib
import json
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import LabelError, Silent
from reviewer.services.computer.settings import Settings
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.queues import profiles
from reviewer.services.reporting import packet
from reviewer.services.upkeep import projects
from tests.services.reporting.handed_out import checked, contents


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return projects.make_demo(tmp_path / "g.review", "guest-response", Silent())


def test_the_document_is_that_of_stats(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["--run", "all", "--as-of", "2026-11-21", "--option", "label_table=majority"]
    chosen += ["--preset", "published", "--level", "0.9", "--seed", "3"]
    assert main(["packet", str(project), str(tmp_path / "a.zip"), *chosen, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    file = Path(told["file"])
    assert told["schema"] == 1
    assert told["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert main(["stats", str(project), *chosen, "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    del stats["project"]
    assert json.loads(contents(file)["figures.json"]) == stats
    code, said = checked(file, tmp_path / "x")
    assert code == 0, said


def test_it_says_what_was_written(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["packet", str(project), str(tmp_path / "a.zip")]) == 0
    assert "24 evaluations and 123 entries of labels, " in capsys.readouterr().out
    assert main(["packet", str(project), str(tmp_path / "a.zip")]) == 2
    assert "a.zip exists already; choose another name." in capsys.readouterr().err


def test_wrong_use_is_a_sentence(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, said in (
        (["a.zip", "--metric", "safety"], "Leave --metric out."),
        (["a.zip", "--level", "2"], "--level 2.0: a number from 0.5 to below 1 is expected."),
        (["a.txt"], "a.txt should end in .zip."),
    ):
        assert main(["packet", str(project), str(tmp_path / words[0]), *words[1:]]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "a.zip").exists()


def test_labelers_are_refused(
    project: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # whoever labels here labels in no other test
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with closing(Session.open(project, "lea")) as session:
        profiles.add(session, "bo")
    Settings().set("labeler", "bo")
    assert main(["packet", str(project), str(tmp_path / "a.zip")]) == 2
    said = "leads run it, as bo labels blind in g.review. If you lead it, choose your name"
    assert said in capsys.readouterr().err
    with (
        closing(Session.open(project, "bo")) as session,
        pytest.raises(LabelError, match=r"Ask them for it; .* choose your name under"),
    ):
        packet.make(session, tmp_path / "a.zip", StatsRequest(), Silent())
    assert not (tmp_path / "a.zip").exists()


def test_a_script_that_named_nobody_acts_as_the_lead(project: Path, tmp_path: Path) -> None:
    with closing(Session.open(project, "lea")) as session:
        # the name that the window offers is nobody's choice
        assert Settings().labeler in {x.name for x in session.labelers()}
    assert main(["packet", str(project), str(tmp_path / "a.zip")]) == 0
