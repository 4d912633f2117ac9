"""A judge's name comes with model, prompt and parameters."""

import json
from contextlib import closing
from pathlib import Path

from reviewer.domain.errors import Silent
from reviewer.services.audits import auditing, judge_words
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging

JUDGE = {
    "metric": "safety", "value": 4, "scorer": "judge", "scorer_version": "2",
    "model": "a-model", "prompt_hash": "5f0c1e9a7b42", "parameters": {"temperature": 0},
}  # fmt: skip


def project(tmp_path: Path, *scores: dict[str, object]) -> Path:
    file = tmp_path / "one.jsonl"
    lines = [
        {"id": f"c-{n}", "input": "?", "response": "!", "scores": [score]}
        for n, score in enumerate(scores)
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    return path


def test_a_judge_is_told_with_what_decides_its_scores(tmp_path: Path) -> None:
    with closing(Session.open(project(tmp_path, JUDGE), "ann")) as session:
        session.blind = False
        audit = auditing.compute(session, StatsRequest())
        told = "judge@2 · a-model · prompt 5f0c1e9a · temperature 0"
        assert judge_words.of_metric(session, audit, "safety") == told
        assert judge_words.by_name(session) == {"judge@2": told}
        assert judge_words.of_metric(session, audit, "relevance") == ""
        with session.project.write() as conn:
            conn.execute(
                "INSERT INTO prompts VALUES (1, 'guest-response', 'safety', '5f0c1e9a7b42', 3, "
                "'', '', '', 1)"
            )
        assert judging.prompt_numbers(session.project.conn) == {"5f0c1e9a7b42": 3}
        assert "prompt v3 (5f0c1e9a)" in judge_words.of_metric(session, audit, "safety")


def test_several_prompts_of_one_version_are_told_apart(tmp_path: Path) -> None:
    other = {**JUDGE, "prompt_hash": "aaaabbbbcccc"}
    plain = {"metric": "safety", "value": 3, "scorer": "a-model"}
    with closing(Session.open(project(tmp_path, JUDGE, other, plain), "ann")) as session:
        assert judge_words.by_name(session) == {
            "judge@2 prompt=5f0c1e9a7b42": (
                "judge@2 prompt=5f0c1e9a7b42 · a-model · prompt 5f0c1e9a · temperature 0"
            ),
            "judge@2 prompt=aaaabbbbcccc": (
                "judge@2 prompt=aaaabbbbcccc · a-model · prompt aaaabbbb · temperature 0"
            ),
            "a-model": "a-model",
        }
