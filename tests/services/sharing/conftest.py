"""Teams, each in a database of its own."""

import itertools
from pathlib import Path

import pytest

from tests.servers.postgres import Server
from tests.services.sharing.sharing_projects import Team, make_team

_NUMBERS = itertools.count(1)


@pytest.fixture
def team(postgres: Server, tmp_path: Path) -> Team:
    return make_team(postgres, tmp_path, f"team_{next(_NUMBERS)}")
