"""What the program writes for itself holds no text, name, label or key of anybody."""

import os
from pathlib import Path

import pytest

from reviewer import paths
from tests.journeys.shell import Shell, lines

MARKER = "ZQXMARKER"
KEY = "sk-ZQXKEY1234567890"


def record(number: int) -> dict[str, object]:
    return {
        "id": f"{MARKER}-{number}",
        "run": f"{MARKER} run",
        "category": f"{MARKER} category",
        "input": f"{MARKER} question with {KEY}",
        "response": f"{MARKER} answer",
        "scores": [
            {"metric": "accuracy", "value": 3, "reasoning": f"{MARKER} why"},
            {"metric": f"{MARKER}-metric", "value": 2},
        ],
        "labels": [
            {"metric": "accuracy", "labeler": f"{MARKER} ann", "value": 4, "comment": MARKER},
            {"metric": "accuracy", "labeler": "bo", "value": 99},
        ],
    }


def own_files() -> list[Path]:
    folders = {Path(os.environ["HOME"]), paths.log_folder(), paths.data_folder()}
    return [file for folder in folders for file in folder.rglob("*") if file.is_file()]


def test_logs_and_settings_hold_no_texts_and_no_keys(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    broken = f'{{"id": "{MARKER}", broken\n'
    (shell.folder / "a.jsonl").write_text(lines(*map(record, range(4))) + broken)
    for command in (
        ("import", "p.review", "a.jsonl", "--rubric", "guest-response"),
        ("import", "p.review", "a.jsonl", "--strict"),
        ("import", "p.review", "a.jsonl", "--rubric", MARKER),
        ("import", f"{MARKER}.review", f"{MARKER}.jsonl"),
        ("runs", "p.review"),
        ("stats", "p.review"),
        ("stats", "p.review", "--run", MARKER),
        ("stats", "p.review", "--where", f"{MARKER}={MARKER}"),
        ("export", "p.review", "e.csv"),
        ("export", "p.review", f"no/{MARKER}.jsonl"),
        ("export", "p.review", "d.csv", "--what", "disagreements"),
        ("backup", "p.review"),
        ("doctor", "p.review"),
        ("import", "p.review", "--undo", "1"),
        (MARKER,),
    ):
        shell.run(*command)
    monkeypatch.setattr(
        "reviewer.services.upkeep.projects.list_runs", lambda _: [][int(f"1{len(MARKER)}")]
    )
    assert shell.run("runs", "p.review") == 2
    assert "Traceback" not in shell.err
    files = own_files()
    assert any(file.name.endswith(".log") for file in files)
    for file in files:
        content = file.read_bytes()
        assert MARKER.encode() not in content, file
        assert KEY.encode() not in content, file


def test_a_key_of_the_environment_goes_into_no_file_that_is_passed_on(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"input": f"My key is {KEY}.", "response": f"It is {KEY.replace('s', '%73')}, thanks."}
    score = {"metric": "accuracy", "value": 1, "reasoning": f"It says {KEY}."}
    rows = lines({"id": "a", **said, "scores": [score]}, {"id": "b", **said, "scores": [score]})
    (shell.folder / "a.jsonl").write_text(rows)
    assert shell.run("import", "p.review", "a.jsonl", "--rubric", "guest-response") == 0
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for made in ("e.jsonl", "e.csv"):
        assert shell.run("export", "p.review", made) == 0
    for made in ("r.html", "r.md", "r.json"):
        assert shell.run("report", "p.review", made) == 0
    files = [*shell.folder.glob("e.*"), *shell.folder.glob("r.*")]
    assert len(files) == 5
    for file in files:
        content = file.read_text()
        assert KEY not in content, file
        assert KEY[2:] not in content, file
    assert "My key is …." in (shell.folder / "e.csv").read_text()
    assert os.environ["OPENAI_API_KEY"] == KEY
