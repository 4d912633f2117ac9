"""A filter that nothing can fit is refused by every command that takes it."""

from pathlib import Path

import pytest

from reviewer.cli.main import main
from tests.building import build_project, record


@pytest.fixture
def project(tmp_path: Path) -> Path:
    records = [record(n, category="policies", tags=["late"], floor=n) for n in (1, 2)]
    return build_project(tmp_path / "p.review", evaluations=records)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--category", "nosuch"], "the category 'nosuch'; there are: policies"),
        (["--tag", "nosuch"], "the tag 'nosuch'; there are: late"),
        (["--where", "foo=bar"], "has foo = bar"),
        (["--where", "category=nosuch"], "has category = nosuch"),
    ],
)
@pytest.mark.parametrize("command", ["stats", "report", "export", "check"])
def test_what_is_nowhere_is_refused(
    project: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    words: list[str],
    sentence: str,
) -> None:
    to = project.with_name("out.jsonl" if command == "export" else "out.md")
    more = {"stats": [], "check": ["--min-labels", "0"]}.get(command, [str(to)])
    assert main([command, str(project), *more, *words]) == 2
    assert sentence in capsys.readouterr().err
    assert not to.exists()


@pytest.mark.parametrize(
    "words", [["--category", "policies"], ["--tag", "late"], ["--where", "floor=2"]]
)
def test_what_there_is_passes(project: Path, words: list[str]) -> None:
    assert main(["stats", str(project), "--json", *words]) == 0
