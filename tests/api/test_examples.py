"""The examples in the docstrings of `reviewer.api` are run, with a real server as the model."""

import doctest
from pathlib import Path
from types import ModuleType

import pytest

from reviewer.api import agent_rubric, guest_response
from tests.servers.model_server import model_server


@pytest.mark.parametrize("module", [agent_rubric, guest_response])
def test_examples(module: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.chdir(tmp_path)
    with model_server() as model:
        found = doctest.testmod(module, extraglobs={"address": model.url})
    assert found.attempted >= 5
    assert found.failed == 0
