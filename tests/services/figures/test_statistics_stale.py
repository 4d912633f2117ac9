"""Every change that makes figures stale is counted and said, and nothing else is."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge
from reviewer.services.figures import judge_details
from reviewer.services.figures.statistics import StatsRequest, compute
from reviewer.services.judging import prompts
from reviewer.services.project import rubrics
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import judging
from reviewer.store.project import Project
from tests.building import build_project
from tests.services.figure_projects import SIMPLE, again, case, label, score

FIRST, SECOND, THIRD = (f"2026-07-0{n}T12:00:00Z" for n in (1, 2, 3))
MADE = {"scorer": "careful", "scorer_version": "1", "model": "m-1",
        "prompt_hash": "aaaaaaaaaaaa", "parameters": {"temperature": 0.0}}  # fmt: skip

TEXT = "[system]\nYou judge.\n[user]\nScore {{ response }}."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "stale.review"


def made(value: int, **changed: Any) -> dict[str, Any]:
    return score("a", value, **({**MADE, "at": FIRST} | changed))


def stale(path: Path) -> list[tuple[str, str, int]]:
    return [(x["what"], x["reason"], x["n"]) for x in again(path)["stale"]]


def texts(path: Path) -> list[str]:
    return [x["text"] for x in again(path)["stale"]]


def keep_judge(path: Path, **changed: Any) -> str:
    """Keep the judge with a prompt of its own, and give the prompt's hash."""
    with Project.open(path) as project:
        session = Session.open(path)
        kept = prompts.save(session, session.current_rubric(), "a", TEXT)
        session.close()
        judging.keep(project, Endpoint(name="near"))
        judging.keep(project, Judge(**({"name": "careful", "endpoint": "near", "model": "m-1"}
                                       | changed)))  # fmt: skip
    return kept.hash


def test_a_judge_that_is_as_it_was_makes_nothing_stale(path: Path) -> None:
    build_project(path, evaluations=[case(1, [made(3)], [label("a", 3)])], rubric=SIMPLE)
    assert stale(path) == []
    mark = keep_judge(path)
    build_project(
        path.with_name("b.review"),
        evaluations=[case(1, [made(3, prompt_hash=mark)], [label("a", 3)])],
        rubric=SIMPLE,
    )
    keep_judge(path.with_name("b.review"))
    assert stale(path.with_name("b.review")) == []


@pytest.mark.parametrize(
    ("changed", "reason", "words"),
    [
        ({"model": "m-2"}, "model", "were made by m-1; the judge careful now asks m-2."),
        (
            {"temperature": 0.7},
            "parameters",
            "were made with temperature 0; the judge careful now has temperature 0.7.",
        ),
        (
            {"max_tokens": 99},
            "parameters",
            "were made with max_tokens unset; the judge careful now has max_tokens 99.",
        ),
    ],
)
def test_a_judge_that_was_edited_makes_its_scores_stale(
    path: Path, changed: dict[str, Any], reason: str, words: str
) -> None:
    mark = keep_judge(_built(path, prompt_hash=_mark(path)), **changed)
    assert mark == _mark(path)
    assert stale(path) == [("metrics.a", reason, 2)]
    assert texts(path) == [f"2 scores of A {words}"]


def _mark(path: Path) -> str:
    other = build_project(path.with_name(f"of {path.name}"), rubric=SIMPLE, evaluations=[])
    mark = keep_judge(other)
    other.unlink()
    return mark


def _built(path: Path, **changed: Any) -> Path:
    cases = [case(n, [made(3, **changed)], [label("a", 3)]) for n in (1, 2)]
    return build_project(path, evaluations=cases, rubric=SIMPLE)


def test_a_newer_prompt_makes_scores_stale_and_both_versions_are_named(path: Path) -> None:
    keep_judge(_built(path, prompt_hash=_mark(path)))
    assert stale(path) == []
    session = Session.open(path)
    prompts.save(session, session.current_rubric(), "a", TEXT + " Be strict.")
    session.close()
    assert stale(path) == [("metrics.a", "prompt_hash", 2)]
    assert texts(path) == [
        "2 scores of A were made by prompt v1; the judge careful now has prompt v2."
    ]


def test_a_judge_that_keeps_to_its_prompt_is_not_moved_by_a_newer_one(path: Path) -> None:
    mark = _mark(path)
    keep_judge(_built(path, prompt_hash=mark), prompts=(("a", mark),))
    session = Session.open(path)
    prompts.save(session, session.current_rubric(), "a", TEXT + " Be strict.")
    session.close()
    assert stale(path) == []


def test_the_prompt_that_ships_is_named_so(path: Path) -> None:
    mark = judge_details.shipped_hash(SIMPLE, "a")
    _built(path, prompt_hash=mark)
    with Project.open(path) as project:
        judging.keep(project, Judge(name="careful", endpoint="near", model="m-1"))
    assert stale(path) == []
    keep_judge(path)
    assert texts(path) == [
        "2 scores of A were made by the prompt that ships; the judge careful now has prompt v1."
    ]


def test_scores_that_do_not_say_how_they_were_made_are_not_doubted(path: Path) -> None:
    cases = [case(1, [score("a", 3, scorer="careful", at=FIRST)], [label("a", 3)])]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    keep_judge(path, model="m-9", temperature=1.0)
    assert stale(path) == []


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"model": "m-2"}, "model"),
        ({"prompt_hash": "bbbbbbbbbbbb"}, "prompt_hash"),
        ({"parameters": {"temperature": 1}}, "parameters"),
    ],
)
def test_labels_given_beside_scores_of_the_same_name_made_otherwise_are_counted(
    path: Path, changed: dict[str, Any], reason: str
) -> None:
    newer = made(4, at=THIRD, **changed)
    cases = [
        case(1, [made(3), newer], [label("a", 3, at=SECOND)]),
        case(2, [made(3), newer], [label("a", 3, at="2026-07-04T12:00:00Z")]),
        case(3, [newer], [label("a", 3, at=SECOND)]),
    ]
    build_project(path, evaluations=cases, rubric=SIMPLE)
    assert stale(path) == [("metrics.a", reason, 1)]


def test_scores_made_before_the_rubric_changed_are_counted(path: Path) -> None:
    _built(path)
    with Project.open(path) as project:
        with project.write() as conn:
            conn.execute("UPDATE score_sets SET rubric_version = '1'")
        assert stale(path) == []
        kept = rubrics.save_version(project, replace(SIMPLE, description="new"))
    assert ("metrics.a", "rubric_version", 2) in stale(path)
    assert (
        f"2 scores of A were made for version 1 of the rubric; it now has version {kept.version}."
        in texts(path)
    )


def test_scores_of_a_replaced_text_are_counted_until_they_are_made_again(
    tmp_path: Path, path: Path
) -> None:
    def bring(response: str, *scores: dict[str, Any]) -> None:
        file = tmp_path / "run.jsonl"
        row = {"id": "c-1", "input": "Q?", "response": response, "scores": list(scores)}
        file.write_text(json.dumps(row))
        importing.run(
            path,
            ImportRequest(files=(file,), rubric="guest-response", on_conflict="version"),
            Silent(),
        )

    def found() -> list[tuple[str, str, int]]:
        with Project.open(path) as project:
            document = compute(project, StatsRequest()).to_json()
        return [(x["what"], x["reason"], x["n"]) for x in document["stale"]]

    first = {"metric": "accuracy", "value": 5, "scorer": "judge", "at": FIRST}
    bring("Open at nine.", first)
    assert found() == []
    bring("Open at ten.")
    assert found() == [("metrics.accuracy", "text_changed", 1)]
    bring("Open at ten.", {**first, "value": 3, "at": SECOND})
    assert found() == []
