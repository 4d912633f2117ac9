"""`reviewer check --junit`, through the command line itself."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from reviewer.cli.main import main
from reviewer.domain.rubric import Level, Metric, Rubric
from tests.building import build_project, record

NAME = 'tone <b> & "c" ]]>'
RUN = "v7 </testcase> \x1b[31m"


def project(path: Path) -> Path:
    levels = tuple(Level(value=x, title=f"{x}") for x in range(1, 6))
    rubric = Rubric(
        name="own", pass_rule="every", metrics=(Metric(name=NAME, pass_at=3, levels=levels),)
    )

    def one(number: int) -> dict[str, object]:
        score = {"metric": NAME, "value": 4, "scorer": "judge", "reasoning": "so"}
        label = {"metric": NAME, "labeler": "ann", "value": 3 + number % 2}
        return record(number, run=RUN, scores=[score], labels=[label])

    return build_project(path, evaluations=map(one, range(20)), rubric=rubric, runs=(RUN,))


def cases(file: Path) -> dict[str, ET.Element]:
    root = ET.parse(file).getroot()  # noqa: S314 - written by the command
    return {case.attrib["name"]: case for case in root.iter("testcase")}


def test_the_file_is_written_where_checks_fail_and_where_they_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, file = project(tmp_path / "p.review"), tmp_path / "out.xml"
    for gap, code in (("0.1", 1), ("2", 0)):
        words = ["check", str(path), "--max-gap", gap, "--min-pass-rate", "0.5"]
        assert main([*words, "--junit", str(file), "--json"]) == code
        told = json.loads(capsys.readouterr().out)
        found = cases(file)
        assert list(found) == [one["name"] for one in told["checks"]]
        assert f"max-gap {NAME}" in found
        failed = [name for name, one in found.items() if one.find("failure") is not None]
        assert failed == [one["name"] for one in told["checks"] if not one["ok"]]
        assert len(failed) == code
    assert main([*words, "--junit", str(file)]) == 0
    assert "2 of 2 checks hold." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nowhere/out.xml", "nowhere/out.xml: there is no folder "),
        ("p.review", "p.review: that is the project itself; name another file."),
        ("", ": that is a folder; name a file in it."),
        (f"{'x' * 250}.xml", "x.xml could not be written: "),
        (f"{'x' * 300}.xml", "x.xml could not be written: "),
    ],
)
def test_a_file_that_cannot_be_written_is_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, sentence: str
) -> None:
    path = project(tmp_path / "p.review")
    words = ["check", str(path), "--max-gap", "2", "--junit", str(tmp_path / name)]
    before = sorted(tmp_path.iterdir())
    assert main(words) == 2
    assert sorted(tmp_path.iterdir()) == before
    told = capsys.readouterr()
    assert sentence in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert told.out == ""
    assert main(words[:-2]) == 0
