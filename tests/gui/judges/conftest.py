"""The window on a demo project whose judge is a server of the test's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from reviewer.domain.judging import Endpoint, Judge
from reviewer.gui.window import MainWindow
from reviewer.services.computer.settings import Settings
from reviewer.services.judging import judges
from reviewer.services.project.session import Session
from tests.servers.model_server import Answer, Model, model_server

REPLY = '{"score": 2, "reasoning": "The pool is not in the context."}'


@pytest.fixture
def model() -> Iterator[Model]:
    with model_server(Answer(REPLY, thinking="Hm, the pool.")) as made:
        yield made


@pytest.fixture
def session(window: MainWindow, settings: Settings, project: Path, model: Model) -> Session:
    settings.set("labeler", "ann")
    window.open_project(project)
    assert window.session is not None
    near = Endpoint(name="near", base_url=model.url, needs_key=False)
    judges.keep_endpoint(window.session, near)
    judges.keep(window.session, Judge(name="careful", endpoint="near", model="m"))
    return window.session
