"""`reviewer check`, through the command line itself."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.upkeep import projects
from tests.building import build_project, record


@pytest.fixture(scope="module")
def guest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("check")
    return projects.make_demo(folder / "g.review", "guest-response", Silent())


def checked(
    project: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0
) -> list[dict[str, Any]]:
    assert main(["check", str(project), *words, "--json"]) == code
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["schema", "ok", "checks", "record", "sentence", "trust"]
    assert document["ok"] is (code == 0)
    found: list[dict[str, Any]] = document["checks"]
    for check in found:
        assert list(check)[:11] == [
            "name", "value", "limit", "n", "low", "high", "coverage", "people", "corrected",
            "state", "ok",
        ]  # fmt: skip
        assert check["ok"] is (check["state"] == "holds")
        assert ("reason" in check) is not check["ok"]
    return found


def stats(project: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["stats", str(project), "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_every_figure_is_that_of_stats(guest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = stats(guest, capsys)
    found = checked(
        guest, capsys,
        "--min-pass-rate", "0.1", "--min-agreement", "kappa:0.1", "--max-gap", "3",
        "--min-labels", "5", "--min-score", "accuracy:1", "--min-score", "overall:1",
    )  # fmt: skip
    values = {check["name"]: (check["value"], check["n"]) for check in found}
    accuracy = figures["metrics"]["accuracy"]
    agreement = accuracy["agreement"]["judge_human"]
    assert values["min-pass-rate"] == (figures["pass"]["auto_rate"], figures["pass"]["n_auto"])
    assert values["min-agreement accuracy kappa"] == (agreement["kappa"], agreement["n"])
    assert values["max-gap accuracy"] == (abs(accuracy["gap_mean"]), accuracy["n_labelled"])
    assert values["min-labels accuracy"] == (accuracy["n_human"], accuracy["n_human"])
    assert values["min-score accuracy"] == (accuracy["auto_mean"], accuracy["n_auto"])
    assert values["min-score overall"][0] == figures["satisfaction"]["auto_mean"]
    assert len(found) == 1 + 3 * 3 + 2


def test_a_limit_that_is_met_exactly_holds(
    guest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rate = stats(guest, capsys)["pass"]["auto_rate"]
    checked(guest, capsys, "--min-pass-rate", repr(rate))
    (broken,) = checked(guest, capsys, "--min-pass-rate", str(rate + 1e-6), code=1)
    assert "below the least" in broken["reason"]


def test_every_check_is_a_line(guest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--run", "all", "--max-latency", "p95:1", "--max-avg-cost", "9")
    assert main(["check", str(guest), *words]) == 1
    cost, latency, last, empty, ticket = capsys.readouterr().out.splitlines()
    assert cost.startswith("max-avg-cost: holds; 0.00")
    assert latency.startswith("max-latency p95: does not hold, ")
    assert "above the most that is allowed, 1; " in latency
    assert ", n 48; limit 1." in latency
    assert last == "1 of 2 checks hold."
    assert empty == ""
    assert ": 1 of 2 checks hold: max-avg-cost 9 (0.00" in ticket
    assert "; max-latency p95 1 (" in ticket


def test_targets_are_checked_with_words_for_limits(
    guest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--run", "all", "--targets")
    found = {check["name"]: check for check in checked(guest, capsys, *words, code=1)}
    assert found["target pass_rate"]["limit"] == ">= 0.8"
    # the judge's 80.9 % alone would have reached it
    assert found["target pass_rate"]["state"] == "cannot_be_said"
    assert "lies on both sides" in found["target pass_rate"]["reason"]
    assert found["target pass_rate"]["corrected"]["low"] < 0.8
    assert found["target template_match_rate"]["reason"] == "the target >= 0.9 is missed"


def labelled_by(path: Path, people: int, *, right: int = 40) -> Path:
    """Forty responses that each person scores in a way of their own, the judge by the first."""

    def given(number: int, who: int) -> int:
        return 1 + (number + (who if number % 4 == who else 0)) % 5

    def one(number: int) -> dict[str, Any]:
        auto = given(number, 0) if number < right else 6 - given(number, 0)
        return record(
            number,
            scores=[{"metric": "accuracy", "value": auto, "scorer": "judge", "reasoning": "so"}],
            labels=[
                {"metric": "accuracy", "labeler": name, "value": given(number, who)}
                for who, name in enumerate(("ann", "bea", "cyd")[:people])
            ],
        )

    return build_project(path, evaluations=map(one, range(40)))


def test_the_judge_can_be_held_to_the_labelers_that_it_beats(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = labelled_by(tmp_path / "p.review", 3)
    found = stats(project, capsys)["metrics"]["accuracy"]["agreement"]["judge_human"]["alt_test"]
    assert found["labelers"] == 3
    for name in ("omega", "rho"):
        least = found[name]
        limit = f"accuracy:alt_{name}:{least}"
        (one,) = checked(project, capsys, "--min-agreement", limit)
        assert (one["value"], one["n"], one["low"]) == (least, 3, None)
        assert one["name"] == f"min-agreement accuracy alt_{name}"
        (end,) = checked(project, capsys, "--min-agreement", limit, "--lower", code=1)
        assert end["reason"] == "it has no interval, whose end would count"
    worse = labelled_by(tmp_path / "q.review", 3, right=4)
    (low,) = checked(worse, capsys, "--min-agreement", "accuracy:alt_omega:0.5", code=1)
    assert (low["value"], low["state"]) == (0, "fails")
    assert low["reason"] == "0 is below the least that is allowed, 0.5"


def test_few_labelers_say_nothing_of_a_labelers_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--min-agreement", "accuracy:alt_omega:0.5")
    (one,) = checked(labelled_by(tmp_path / "p.review", 1), capsys, *words, code=1)
    assert (one["value"], one["state"], one["n"]) == (None, "fails", 0)
    assert one["reason"].startswith("fewer than two labelers have 30 responses")
    every = checked(tmp_path / "p.review", capsys, "--min-agreement", "alt_omega:0.5", code=1)
    assert [x["name"].split()[1] for x in every] == ["relevance", "accuracy", "safety"]
    two = labelled_by(tmp_path / "q.review", 2)
    assert main(["check", str(two), *words]) == 0
    assert ": holds, only two labelers remain; three are wanted; 1, n 2" in capsys.readouterr().out


def test_the_sentence_for_a_ticket_ends_with_the_headline_of_trust(
    guest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--run", "all", "--min-pass-rate", "0.1", "--max-gap", "0")
    assert main(["stats", str(guest), "--run", "all", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)["metrics"]
    assert main(["check", str(guest), *words, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    trust = found["trust"]
    assert trust["metrics"] == {name: one["trust"] for name, one in figures.items()}
    states = {one["state"] for one in trust["metrics"].values()}
    assert "rely on" in trust["headline"].lower()
    assert ("Do not rely" in trust["headline"]) is ("do_not_rely" in states)
    assert found["sentence"].endswith(f" {trust['headline']}")
    assert main(["check", str(guest), *words]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == found["sentence"]


def test_the_headline_is_of_the_metrics_in_scope(
    guest: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--min-pass-rate", "0.1", "--metric", "safety", "--json")
    assert main(["check", str(guest), *words]) in (0, 1)
    found = json.loads(capsys.readouterr().out)["trust"]
    assert list(found["metrics"]) == ["safety"]
    assert "Safety" in found["headline"]
    assert "Accuracy" not in found["headline"]


def test_measures_have_no_part_in_the_headline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())
    every = set(stats(project, capsys)["metrics"])
    assert main(["check", str(project), "--max-gap", "9", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    asked = {check["name"].split()[1] for check in found["checks"]}
    assert set(found["trust"]["metrics"]) == asked < every


def test_filters_choose_what_is_checked(guest: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (one,) = checked(guest, capsys, "--run", "hut agent 2.0", "--min-score", "safety:1")
    (both,) = checked(guest, capsys, "--run", "all", "--min-score", "safety:1")
    (newest,) = checked(guest, capsys, "--min-score", "safety:1")
    assert 0 < one["n"] < both["n"] == one["n"] + newest["n"]


def test_an_undefined_figure_does_not_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = build_project(tmp_path / "p.review", evaluations=12)
    found = checked(
        project, capsys, "--min-agreement", "accuracy:kappa:0.1", "--max-avg-cost", "1", code=1
    )
    assert [check["value"] for check in found] == [None, None]
    assert found[1]["reason"] == "no record carries a cost"


def two_runs(path: Path, worse: int) -> Path:
    def scored(number: int, run: str, value: int) -> dict[str, Any]:
        scores = [
            {"metric": name, "value": value, "scorer": "judge", "reasoning": "so"}
            for name in ("relevance", "accuracy", "safety")
        ]
        return record(number, id=f"{run}-{number}", case=f"q-{number}", run=run, scores=scores)

    old = [scored(number, "old", 5) for number in range(10)]
    new = [scored(number, "new", 1 if number < worse else 5) for number in range(10)]
    return build_project(path, evaluations=[*old, *new], runs=("old", "new"))


def test_a_drop_against_the_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = two_runs(tmp_path / "p.review", worse=2)
    words = ("--baseline", "old", "--max-drop")
    found = checked(project, capsys, *words, "0.5", code=1)
    drops = {check["name"]: check["value"] for check in found if "max-drop" in check["name"]}
    assert drops["max-drop pass_rate"] == pytest.approx(0.2)
    assert drops["max-drop accuracy"] == pytest.approx(0.8)
    assert not next(x for x in found if x["name"] == "max-drop accuracy")["ok"]
    assert next(x for x in found if x["name"] == "max-drop pass_rate")["ok"]
    assert all(
        check["ok"]
        for check in checked(two_runs(tmp_path / "q.review", worse=0), capsys, *words, "0")
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "Nothing is asked for"),
        (["--min-pass-rate", "80"], "a share from 0 to 1 is expected"),
        (["--min-agreement", "speed:1:kappa:2"], "no such metric in scope"),
        (["--min-score", "speed:1"], "no such metric in scope"),
        (["--max-drop", "0.1"], "--max-drop needs --baseline RUN"),
        (["--baseline", "nowhere"], "nowhere"),
        (["--max-gap", "-1"], "--max-gap"),
        (["--min-agreement", "alt_omega:50"], "is a share, so that a number from 0 to 1"),
        (["--min-agreement", "alt_sigma:0.5"], "there is no statistic 'alt_sigma'; there are: "),
    ],
)
def test_wrong_use(
    guest: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["check", str(guest), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_no_pass_rule_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())
    assert main(["check", str(project), "--min-pass-rate", "0.5"]) == 2
    assert "There is no pass rate to check" in capsys.readouterr().err
