"""An open project with two judges, of which the second is nearer to people."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.services.project.session import Session
from tests.building import build_project
from tests.services.aligning.judged_projects import two_judges


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return build_project(tmp_path / "two.review", evaluations=two_judges())


@pytest.fixture
def session(project: Path) -> Iterator[Session]:
    with closing(Session.open(project, "Lead")) as opened:
        opened.blind = False
        yield opened
