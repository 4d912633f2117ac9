"""The command line as journeys use it: run in a folder of their own, output kept."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.services.project import rubrics
from reviewer.services.upkeep import projects

Document = dict[str, Any]
RESOURCES = Path(__file__).resolve().parents[2] / "resources"
SYSTEMS = ("guest-response", "agent-rubric", "harness", "faq-bot", "virtual-agent")


class Shell:
    """Runs commands in a folder of its own and keeps what they wrote."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.code = 0
        self.out = self.err = ""
        self._capsys = capsys

    def run(self, *arguments: str | Path) -> int:
        self._capsys.readouterr()
        self.code = main([str(argument) for argument in arguments])
        self.out, self.err = self._capsys.readouterr()
        return self.code

    def document(self, *arguments: str | Path, code: int = 0) -> Document:
        """What a command prints with --json: one document and nothing else."""
        assert self.run(*arguments, "--json") == code, self.err
        document: Document = json.loads(self.out)
        assert document["schema"] == 1
        return document


def lines(*records: Document) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def example_rubric(system: str) -> Path:
    """Write the rubric of a system's example into the working folder."""
    file = Path(f"{system}.toml")
    file.write_text(rubrics.to_toml(projects.example_rubric(system)), encoding="utf-8")
    return file
