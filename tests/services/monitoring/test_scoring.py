"""By what a monitor's samples are scored."""

from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.rubric import Metric, Rubric
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.services.monitoring.production import keep, look, write
from tests.services.strangers import install

CODE = "def warm(case):\n    return 1 if 'welcome' in case['response'] else 0\n"
ENTRIES = "[reviewer.scorers]\nwarm = strangers:warm\n"
RUBRIC = Rubric(
    name="warmth",
    pass_rule="every",
    metrics=(Metric(name="warmth", scorer="warm", scale="range", min=0.0, max=1.0, pass_at=0.5),),
)


def test_a_scorer_of_a_package_scores_what_brings_no_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, CODE, ENTRIES)
    said = ("Be welcome!", "You are welcome.", "No.")
    rows = [{"id": str(k), "input": "?", "response": x} for k, x in enumerate(said)]
    file = write(tmp_path / "r.jsonl", rows)
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric=RUBRIC), Silent())
    keep(path, rubric="warmth")
    found = look(path, rubric="warmth")
    assert found.problem == ""
    assert (found.view.tally.passed, found.view.tally.total) == (2, 3)
