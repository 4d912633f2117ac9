"""A window that is asked for is one set for every figure; looking back bounds gaps alone."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, UnsetType

from reviewer.cli.main import main
from reviewer.domain.run import Scope
from reviewer.reports.report import Wanted
from reviewer.services.reporting import cases
from reviewer.services.transfer import disagreements
from reviewer.store.project import Project
from tests.building import build_project
from tests.services.figure_projects import AS_OF, SIMPLE, again, case, label, score

IN, OLD, LATER = "2026-08-01T12:00:00Z", "2026-01-10T12:00:00Z", "2026-09-02T12:00:00Z"


def records() -> list[dict[str, Any]]:
    """Twelve evaluations inside six months, fifteen before, one after; all labelled by two."""
    found = []
    for number in range(28):
        at = IN if number < 12 else OLD if number < 27 else LATER
        auto = 1 + number % 5
        labels = [label("a", min(auto + 1, 5), who, selection_reason="random") for who in "xy"]
        found.append(case(number, [score("a", auto)], labels, evaluated_at=at, category=at[:4]))
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("window")
    return build_project(folder / "p.review", evaluations=records(), rubric=SIMPLE)


def counted(path: Path, months: int | UnsetType | None) -> dict[str, Any]:
    document = again(
        path, scope=Scope(as_of=AS_OF, window_months=months), group_by="category"
    )  # fmt: skip
    block = document["metrics"]["a"]
    return {
        "labelled": block["n_labelled"],
        "auto": block["n_auto"],
        "human": block["n_human"],
        "agreement": block["agreement"]["judge_human"]["n"],
        "among people": block["agreement"]["human_human"]["n"],
        "confusion": round(sum(map(sum, block["confusion"]["table"]))),
        "corrected": block["corrected"]["n"],
        "pass": (document["pass"]["n_auto"], document["pass"]["n_human"]),
        "overall": document["satisfaction"]["n_auto"],
        "pairs": document["labelers"][0]["n"],
        "groups": sum(x["n_auto"] for x in document["groups"]["metrics"]["a"]["groups"]),
        "bounds": document["window"]["bounds"],
        "words": document["window"]["words"],
        "filter": document["filters"]["window_months"],
    }


def test_a_window_that_is_asked_for_bounds_everything(path: Path) -> None:
    found = counted(path, 6)
    assert (found.pop("bounds"), found.pop("words"), found.pop("filter")) == ("everything", "", 6)
    assert found.pop("pass") == (12, 12)
    assert set(found.values()) == {12}


def test_looking_back_bounds_gaps_and_nothing_else(path: Path) -> None:
    found = counted(path, UNSET)
    assert (found.pop("labelled"), found.pop("bounds")) == (12, "deviations")
    assert (found.pop("words"), found.pop("filter")) == ("6 months to 2026-08-31", None)
    assert found.pop("pass") == (28, 28)
    assert set(found.values()) == {28}


def test_no_bound_at_all_can_be_asked_for(path: Path) -> None:
    found = counted(path, None)
    # what lies after the day stays outside
    assert (found.pop("labelled"), found.pop("bounds")) == (27, "nothing")
    assert (found.pop("words"), found.pop("filter")) == (f"up to {AS_OF}", "none")
    assert found.pop("pass") == (28, 28)
    assert set(found.values()) == {28}


def test_reports_checks_and_disagreements_are_of_the_same_set(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scope = Scope(as_of=AS_OF, window_months=6)
    with Project.open(path) as project:
        assert len(cases.read(project, Wanted(scope=scope)).cases) == 12
        differing = [x for x in records()[:12] if x["scores"][0]["value"] < 5]
        assert len(list(disagreements.find(project, scope))) == len(differing)
    words = ("--as-of", str(AS_OF), "--window-months", "6", "--min-labels", "12", "--json")
    assert main(["check", str(path), *words, "--min-pass-rate", "0", "--max-gap", "1"]) == 0
    found = json.loads(capsys.readouterr().out)["checks"]
    assert {x["n"] for x in found} == {12}
    assert {x["coverage"] for x in found} == {1, None}


def test_the_window_goes_by_the_day_of_the_chat_where_that_is_chosen(tmp_path: Path) -> None:
    cases = [
        case(1, [score("a", 3)], evaluated_at=IN, occurred_at=OLD),
        case(2, [score("a", 3)], evaluated_at=IN, occurred_at=IN),
    ]
    path = build_project(tmp_path / "p.review", evaluations=cases, rubric=SIMPLE)
    scope = Scope(as_of=AS_OF, window_months=6)
    assert again(path, scope=scope)["metrics"]["a"]["n_auto"] == 2
    chat = Scope(as_of=AS_OF, window_months=6, dates="chat")
    assert again(path, scope=chat)["metrics"]["a"]["n_auto"] == 1
