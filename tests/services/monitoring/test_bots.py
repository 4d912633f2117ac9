"""Bots side by side: means of every metric, and which is ahead beyond chance."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.monitoring import bots
from reviewer.services.monitoring.bots import Bots
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.services.upkeep import projects
from tests.services.monitoring.production import write


def answer(bot: str, number: int, **values: float) -> dict[str, Any]:
    scores = [{"metric": x, "value": y, "scorer": "code"} for x, y in values.items()]
    return {
        "id": f"{bot} {number}", "case": f"q{number}", "run": bot, "input": f"Question {number}?",
        "response": "Yes.", "scores": scores,
    }  # fmt: skip


def beside(tmp_path: Path, rows: list[dict[str, Any]]) -> Bots:
    path = tmp_path / "p.review"
    file = write(tmp_path / "r.jsonl", rows)
    importing.run(path, ImportRequest(files=(file,), rubric="faq-bot"), Silent())
    session = Session.open(path, "lead")
    found = bots.beside(session, session.run_names()[-1])
    session.close()
    assert found is not None
    return found


def test_the_example_has_every_metric_of_both_bots(tmp_path: Path) -> None:
    session = Session.open(projects.make_demo(tmp_path / "f.review", "faq-bot", Silent()), "lead")
    found = bots.beside(session, "strict match")
    session.close()
    assert found is not None
    assert [x.name for x in found.bots] == ["strict match", "full context"]
    assert len(found.metrics) == 9
    strict, full = (x.figures for x in found.bots)
    assert (strict["relevance"].standing, full["relevance"].standing) == ("", "best")
    assert (strict["safety"].standing, full["safety"].standing) == ("ahead", "")
    assert strict["safety"].told.startswith("Best mean, not told apart from full context (+0.04")
    # of a plain measure nobody can say which is better
    assert {x["latency"].standing for x in (strict, full)} == {""}
    assert (full["robustness"].mean.n, len(full["robustness"].keys)) == (25, 25)


@pytest.mark.parametrize(("n", "standing"), [(30, "best"), (9, "ahead")])
def test_the_best_is_ahead_of_all_others_beyond_chance(
    tmp_path: Path, n: int, standing: str
) -> None:
    rows = [
        answer(bot, k, relevance=base + k % 2)
        for bot, base in (("a", 1), ("b", 3), ("c", 4))
        for k in range(n)
    ]
    found = beside(tmp_path, rows)
    standings = [x.figures["relevance"].standing for x in found.bots]
    assert standings == ["", "", standing]
    assert [x.figures["relevance"].mean.value for x in found.bots] == pytest.approx(
        [1 + (n // 2) / n, 3 + (n // 2) / n, 4 + (n // 2) / n]
    )


def test_a_best_mean_that_two_bots_share_is_nobodys(tmp_path: Path) -> None:
    rows = [
        answer(bot, k, relevance=4, safety=mine)
        for bot, mine in (("a", 3), ("b", 3), ("c", 2))
        for k in range(9)
    ]
    figures = [x.figures for x in beside(tmp_path, rows).bots]
    assert {x[name].standing for x in figures for name in ("relevance", "safety")} == {""}


def test_what_two_judges_scored_is_not_told_apart(tmp_path: Path) -> None:
    rows = [
        answer(bot, k, relevance=base + k % 2) for bot, base in (("a", 1), ("b", 4))
        for k in range(30)
    ]  # fmt: skip
    for row in rows[30:]:
        row["scores"][0]["scorer"] = "other"
    figure = beside(tmp_path, rows).bots[1].figures["relevance"]
    assert figure.standing == "ahead"
    assert figure.told == "Best mean, not told apart from a (another judge: code → other)"


def test_a_run_of_several_models_is_a_bot_each(tmp_path: Path) -> None:
    rows = [
        answer("both", 2 * k + place, relevance=1 + place) | {"model": model, "case": f"q{k}"}
        for k in range(12)
        for place, model in enumerate(("small", "large"))
    ]
    found = beside(tmp_path, rows)
    assert [(x.name, x.run, x.n) for x in found.bots] == [
        ("small", "both", 12), ("large", "both", 12),
    ]  # fmt: skip
    small, large = (x.figures["relevance"] for x in found.bots)
    assert (small.mean.value, large.mean.value) == (1, 2)
    assert not set(small.keys) & set(large.keys)
    # metrics that nothing scored take no row
    assert [x.name for x in found.metrics] == ["relevance"]


def test_bots_of_older_runs_are_left_out_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots, "MOST", 2)
    found = beside(tmp_path, [answer(bot, 1, relevance=3) for bot in "abcd"])
    assert ([x.name for x in found.bots], found.left_out) == (["c", "d"], 2)


def test_another_rubric_has_no_bots(tmp_path: Path) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    session = Session.open(path, "lead")
    assert bots.beside(session, session.run_names()[0]) is None
    assert bots.beside(session, "nowhere") is None
    session.close()
