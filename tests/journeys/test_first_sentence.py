"""The first sentence of Trust, `stats`, report and gate is one."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.run import Scope
from reviewer.services.audits import auditing
from reviewer.services.figures import trust_words
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session, for_leads
from reviewer.services.upkeep import projects
from tests.journeys.shell import Shell

SYSTEMS = (None, "agent-rubric", "faq-bot", "guest-response", "harness", "virtual-agent")


@pytest.fixture(scope="module", params=SYSTEMS, ids=str)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("first")
    return projects.make_demo(folder / "example.review", request.param, Silent())


def test_everybody_says_the_same_first(example: Path, tmp_path: Path, shell: Shell) -> None:
    with closing(Session.open(example, "lead")) as session:
        lead = for_leads(session)
        audit = auditing.refine(lead, auditing.compute(lead, StatsRequest(scope=Scope())))
        first = trust_words.headline(audit.document.labelled)
        rows = {x.name: trust_words.told(x) for x in audit.document.labelled}
    assert shell.document("stats", example)["trust"]["headline"] == first
    assert shell.run("stats", example) == 0
    assert first in shell.out.splitlines()[:6]
    for suffix in (".md", ".html"):
        file = tmp_path / f"report{suffix}"
        assert shell.run("report", example, file) == 0, shell.err
        assert first in file.read_text("utf-8")
    checked = shell.document("check", example, "--min-labels", "0")
    assert checked["trust"]["headline"] == first
    assert checked["sentence"].endswith(first)
    for name, found in checked["trust"]["metrics"].items():
        assert found["state"] == rows[name].state
