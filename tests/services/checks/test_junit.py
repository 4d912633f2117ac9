"""What is written as JUnit XML is what was checked, whatever runs and metrics are called."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from reviewer.domain.errors import ProjectError
from reviewer.services.checks import junit, words
from reviewer.services.checks.check import held, held_by_interval
from reviewer.services.checks.checking import Checked
from reviewer.services.checks.words import Subject
from reviewer.stats.clustering import Quantity

RATE = Quantity(0.85, 100, 0.76, 0.91)
GOOD = held("min-pass-rate", RATE, 0.8)
BAD = held("max-gap accuracy", Quantity(0.5, 40), 0.3, side="most")
OPEN = held_by_interval("min-corrected-pass-rate", RATE, 0.8)
HOSTILE = "a<b>&\"c'd ]]> <!-- \u202e é 漢 \U0001f600"
FORBIDDEN = "\x00 \x1b[31m \x0b \ud800 \uffff \ufffe"


def read(found: Checked) -> ET.Element:
    text = junit.document(found)
    return ET.fromstring(text.encode("utf-8"))  # noqa: S314 - written a line above


def cases(root: ET.Element) -> dict[str, ET.Element]:
    return {case.attrib["name"]: case for case in root.iter("testcase")}


def properties(element: ET.Element) -> dict[str, str]:
    found = element.findall("properties/property")
    return {one.attrib["name"]: one.attrib["value"] for one in found}


def test_every_check_is_a_test_case_of_one_suite() -> None:
    found = Checked((GOOD, BAD, OPEN), Subject(runs=("v7",), n=120))
    root = read(found)
    (suite,) = root.findall("testsuite")
    assert suite.attrib == {
        "name": "reviewer check", "tests": "3", "failures": "2", "errors": "0", "skipped": "0",
    }  # fmt: skip
    assert properties(suite) == {"runs": "v7", "judges": "", "n": "120"}
    assert suite.findtext("system-out") == found.sentence
    assert {case.attrib["classname"] for case in suite.iter("testcase")} == {"reviewer.check"}
    assert list(cases(root)) == ["min-pass-rate", "max-gap accuracy", "min-corrected-pass-rate"]


def test_what_does_not_hold_is_a_failure_with_its_sentence() -> None:
    found = cases(read(Checked((GOOD, BAD, OPEN), Subject())))
    assert found["min-pass-rate"].find("failure") is None
    assert found["min-pass-rate"].findtext("system-out") == words.line(GOOD)
    for check, message in (
        (BAD, "0.5 is above the most that is allowed, 0.3"),
        (OPEN, "0.8 lies inside the interval, 0.76 to 0.91"),
    ):
        failure = found[check.name].find("failure")
        assert failure is not None
        assert failure.attrib == {"message": message, "type": check.state}
        assert failure.text == words.line(check)


def test_values_are_properties_to_full_precision() -> None:
    third = held("min-score overall", Quantity(1 / 3, 3), 0.1)
    assert properties(cases(read(Checked((third,), Subject())))["min-score overall"]) == {
        "value": repr(1 / 3), "limit": "0.1", "n": "3", "state": "holds",
    }  # fmt: skip


def test_any_name_comes_back() -> None:
    check = held(f"max-gap {HOSTILE}", Quantity(1.0, 9), 0.5, side="most")
    root = read(Checked((check,), Subject(runs=(HOSTILE,))))
    assert list(cases(root)) == [f"max-gap {HOSTILE}"]
    suite = root.find("testsuite")
    assert suite is not None
    assert properties(suite)["runs"] == HOSTILE
    assert f"Run {HOSTILE} (" in (suite.findtext("system-out") or "")


def test_what_xml_cannot_say_is_replaced() -> None:
    check = held(f"max-gap {FORBIDDEN}", Quantity(1.0, 9), 0.5, side="most")
    (name,) = cases(read(Checked((check,), Subject(runs=(FORBIDDEN,)))))
    assert name == "max-gap � �[31m � � � �"


def test_a_file_that_cannot_be_written_is_named_and_left_as_it_was(tmp_path: Path) -> None:
    found = Checked((GOOD,), Subject())
    with pytest.raises(ProjectError, match="nowhere does not exist"):
        junit.write(tmp_path / "nowhere" / "x.xml", found)
    folder = tmp_path / "x.xml"
    folder.mkdir()
    with pytest.raises(ProjectError, match=r"x\.xml could not be written"):
        junit.write(folder, found)
    assert [x.name for x in tmp_path.iterdir()] == ["x.xml"]
    file = tmp_path / "y.xml"
    file.write_text("before")
    junit.write(file, found)
    assert file.read_text("utf-8") == junit.document(found)
