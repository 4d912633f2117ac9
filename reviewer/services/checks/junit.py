"""Checks as JUnit XML, the form in which CI systems read what held and what did not."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree as ET

from reviewer.domain.errors import ReviewerError
from reviewer.services.checks import words
from reviewer.services.checks.check import Check
from reviewer.services.checks.checking import Checked
from reviewer.services.computer import whole_files
from reviewer.services.project.session import Session
from reviewer.services.reporting import making
from reviewer.stats.clustering import Quantity

CLASS: Final = "reviewer.check"
_FORBIDDEN: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 has no way to write, not even escaped."""
_REPLACED: Final = "\ufffd"


def refuse(to: Path, session: Session) -> None:
    """Refuse a place that cannot be written to, before anything is worked out.

    Raises:
        ReviewerError: The file is the project or a folder, or its folder is not there or closed.
    """
    try:
        itself = to.resolve() == session.project.path.resolve()
        folder, there = to.is_dir(), to.parent.is_dir()
    except OSError as error:
        raise whole_files.not_written(to, error) from error
    if itself:
        raise ReviewerError(f"--junit {to}: that is the project itself; name another file.")
    if folder:
        raise ReviewerError(f"--junit {to}: that is a folder; name a file in it.")
    if not there:
        raise ReviewerError(f"--junit {to}: there is no folder {to.parent}; make it first.")


def write(to: Path, found: Checked) -> None:
    """Write the checks, whole or not at all.

    Raises:
        ProjectError: The folder is not there or cannot be written, or the disk is full.
    """
    making.write(to, [document(found)])


def document(found: Checked) -> str:
    """Give the checks as a suite of test cases."""
    failed = sum(not check.ok for check in found.checks)
    counts = {"tests": f"{len(found.checks)}", "failures": f"{failed}", "errors": "0"}
    root = ET.Element("testsuites", counts)
    suite = ET.SubElement(root, "testsuite", {"name": "reviewer check", **counts, "skipped": "0"})
    of = found.subject
    _properties(suite, {"runs": ", ".join(of.runs), "judges": ", ".join(of.judges), "n": of.n})
    for check in found.checks:
        _case(suite, check)
    _text(ET.SubElement(suite, "system-out"), found.sentence)
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _case(suite: ET.Element, check: Check) -> None:
    case = ET.SubElement(
        suite, "testcase", {"classname": CLASS, "name": _allowed(check.name), "time": "0"}
    )
    beside = {"people": check.people, "corrected": check.corrected}
    figures = _ends(Quantity(None, check.n, check.low, check.high)) | {
        f"{who}_{name}": x
        for who, one in beside.items()
        if one is not None
        for name, x in ({"value": one.value} | _ends(one)).items()
    }
    _properties(
        case,
        {"value": check.value, "limit": check.limit, "coverage": check.coverage}
        | figures
        | {"state": check.state, "judge": check.judge or None},
    )
    if check.ok:
        _text(ET.SubElement(case, "system-out"), words.line(check))
        return
    message = words.why(check) or words.STATES[check.state]
    failure = {"message": _allowed(message), "type": check.state}
    _text(ET.SubElement(case, "failure", failure), words.line(check))


def _ends(figure: Quantity) -> dict[str, float | str | None]:
    return {"n": figure.n, "low": figure.low, "high": figure.high}


def _properties(element: ET.Element, given: Mapping[str, float | str | None]) -> None:
    """Write names and values; what there is none of is left out."""
    there = ET.SubElement(element, "properties")
    for name, value in given.items():
        if value is not None:
            ET.SubElement(there, "property", {"name": name, "value": _allowed(f"{value}")})


def _text(element: ET.Element, text: str) -> None:
    element.text = _allowed(text)


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub(_REPLACED, text)
