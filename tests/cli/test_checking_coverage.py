"""`reviewer check` is green for nothing less than the whole of what it is about."""

import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.upkeep import projects
from reviewer.store.project import Project
from tests.building import RUBRIC, build_project, record
from tests.services.monitoring import production

NAMES = ("relevance", "accuracy", "safety")


def checked(
    project: Path, capsys: pytest.CaptureFixture[str], *words: str, code: int
) -> dict[str, Any]:
    assert main(["check", str(project), *words, "--json"]) == code
    found = json.loads(capsys.readouterr().out)["checks"]
    assert len(found) == 1
    one: dict[str, Any] = found[0]
    return one


def scores(value: int, names: tuple[str, ...] = NAMES) -> list[dict[str, Any]]:
    return [{"metric": x, "value": value, "scorer": "judge", "reasoning": "so"} for x in names]


def labels(value: int) -> list[dict[str, Any]]:
    return [
        {"metric": x, "labeler": "ann", "value": value, "selection_reason": "random"}
        for x in NAMES
    ]


@pytest.mark.parametrize("names", [(), ("relevance", "safety")])
def test_a_partial_run_is_not_green(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: tuple[str, ...]
) -> None:
    """One failing score is a verdict, and yet nine tenths are not ten."""
    records = [record(n, scores=scores(5)) for n in range(9)]
    records.append(record(9, scores=scores(1, names)))
    path = build_project(tmp_path / "p.review", evaluations=records)
    found = checked(path, capsys, "--min-pass-rate", "0.5", code=1)
    assert (found["value"], found["coverage"]) == (0.9 if names else 1, 0.9)
    assert found["reason"].startswith("only 90.0 % of the evaluations are scored")
    words = ("--min-pass-rate", "0.5", "--min-coverage", "0.9")
    assert checked(path, capsys, *words, code=0)["state"] == "holds"


def test_what_people_say_stands_beside_the_judges_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record(n, scores=scores(5), labels=labels(5 if n % 2 else 1)) for n in range(40)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    assert main(["stats", str(path), "--json"]) == 0
    passing = json.loads(capsys.readouterr().out)["pass"]
    found = checked(path, capsys, "--min-pass-rate", "0.9", code=0)
    assert (found["value"], found["low"], found["high"]) == (
        1, *passing["intervals"]["auto_rate"],
    )  # fmt: skip
    ends = passing["intervals"]["human_rate"]
    assert found["people"] == {"value": 0.5, "n": 40, "low": ends[0], "high": ends[1]}
    corrected = passing["corrected"]
    assert found["corrected"] == {
        "value": corrected["mean"], "n": 40, "low": corrected["low"], "high": corrected["high"],
    }  # fmt: skip
    assert main(["check", str(path), "--min-pass-rate", "0.9"]) == 0
    line, *_, ticket = capsys.readouterr().out.splitlines()
    assert line.startswith("min-pass-rate: holds; 1 [0.912")
    assert "n 40, covering 100 %, by judge; limit 0.9; people 0.5 [" in line
    assert "; corrected 0.5 [" in line
    assert "Run agent v7 (40 responses, scored by judge): 1 of 1 checks hold: " in ticket
    around = f"{100 * corrected['low']:.1f} – {100 * corrected['high']:.1f} %"
    assert f"The corrected pass rate is 50.0 % (95 % interval {around}), from 40 " in ticket


@pytest.mark.parametrize(("least", "state"), [(0.3, "holds"), (0.5, "cannot_be_said"),
                                               (0.8, "fails")])  # fmt: skip
def test_the_corrected_rate_holds_fails_or_cannot_be_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], least: float, state: str
) -> None:
    records = [record(n, scores=scores(5), labels=labels(5 if n % 2 else 1)) for n in range(40)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    words = ("--min-corrected-pass-rate", str(least))
    found = checked(path, capsys, *words, code=0 if state == "holds" else 1)
    assert (found["state"], found["ok"]) == (state, state == "holds")


def test_few_labels_cannot_say(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(n, scores=scores(5), labels=labels(5) if n < 2 else []) for n in range(40)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    found = checked(path, capsys, "--min-corrected-pass-rate", "0.1", code=1)
    assert (found["value"], found["state"]) == (None, "cannot_be_said")
    assert "2 of the 10 labels that a corrected pass rate needs" in found["reason"]


def test_the_lower_end_can_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [record(n, scores=scores(5 if n else 1)) for n in range(40)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    assert checked(path, capsys, "--min-pass-rate", "0.9", code=0)["low"] < 0.9
    found = checked(path, capsys, "--min-pass-rate", "0.9", "--lower", code=1)
    assert found["reason"].startswith("the lower end 0.87")
    score = checked(path, capsys, "--min-score", "accuracy:4.8", "--lower", code=1)
    assert score["low"] < 4.8 < score["value"]
    gap = [record(n, scores=scores(3), labels=labels(3 + n % 2)) for n in range(40)]
    path = build_project(tmp_path / "q.review", evaluations=gap)
    words = ("--metric", "accuracy", "--max-gap", "0.5")
    assert checked(path, capsys, *words, code=0)["high"] > 0.5
    checked(path, capsys, *words, "--upper", code=1)


def test_a_figure_without_an_interval_has_no_end_that_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record(n, scores=scores(5), latency_ms=5.0) for n in range(9)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    for words in (("--min-pass-rate", "0.1", "--lower"), ("--max-latency", "p95:9", "--upper")):
        found = checked(path, capsys, *words, code=1)
        assert found["reason"] == "it has no interval, whose end would count"


def test_another_pass_mark_is_that_of_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record(n, scores=scores(3 + n % 2)) for n in range(10)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    assert checked(path, capsys, "--min-pass-rate", "1", code=0)["value"] == 1
    words = ("--min-pass-rate", "0.5", "--passing-score", "4")
    assert checked(path, capsys, *words, code=0)["value"] == 0.5
    assert main(["check", str(path), "--min-pass-rate", "1", "--passing-score", "9"]) == 2
    assert "is off the scale of relevance" in capsys.readouterr().err


def test_one_pass_mark_does_not_fit_two_ranges(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toml = tmp_path / "r.toml"
    toml.write_text(
        'name = "two"\npass_rule = "every"\n'
        '[[metrics]]\nname = "a"\nscale = "range"\nmin = 0\nmax = 5\npass_at = 1\n'
        '[[metrics]]\nname = "b"\nscale = "range"\nmin = 0\nmax = 1\npass_at = 1\n'
    )
    rows = tmp_path / "r.jsonl"
    rows.write_text('{"id": "1", "response": "x", "scores": [{"metric": "a", "value": 1}]}\n')
    path = tmp_path / "p.review"
    assert main(["import", str(path), str(rows), "--rubric", str(toml)]) == 0
    assert main(["check", str(path), "--min-pass-rate", "1", "--passing-score", "1"]) == 2
    assert "One pass mark does not fit metrics on different ranges" in capsys.readouterr().err


def test_the_sample_of_a_sampled_run_is_all_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [production.record(str(k), 1.0 if k < 30 else None) for k in range(100)]
    path = production.imported(tmp_path / "p.review", production.write(tmp_path / "r.jsonl", rows))
    words = ("--min-pass-rate", "0.5")
    assert checked(path, capsys, *words, code=1)["coverage"] == 0.3
    production.keep(path)
    with Project.open(path) as project, project.write() as conn:
        conn.execute(
            "INSERT INTO monitor_samples(monitor, evaluation, at) "
            "SELECT 1, id, '2026-01-01' FROM evaluations WHERE id <= 20"
        )
    assert checked(path, capsys, *words, code=0)["coverage"] == 1


def test_what_judges_are_kept_from_is_not_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of the virtual agent's chats some are too short to be judged, and are no gap in a run."""
    path = projects.make_demo(tmp_path / "va.review", "virtual-agent", Silent())
    words = ("--metric", "coherence", "--min-score", "coherence:1")
    found = checked(path, capsys, *words, code=0)
    with Project.open(path) as project:
        (every,) = project.conn.execute(
            "SELECT count(*) FROM visible_evaluations WHERE run = (SELECT max(id) FROM runs)"
        ).fetchone()
    assert found["n"] < every
    assert found["coverage"] == 1


def evaluated(path: Path, *words: str) -> None:
    assert main(["evaluate", str(path), "--scorer", "tool_usage", *words]) == 0


def test_a_check_can_be_bound_to_what_a_job_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    evaluated(path, "--limit", "3")
    evaluated(path, "--run", "assistant 1.3")
    capsys.readouterr()
    score = ("--min-score", "tool_usage:0")
    assert checked(path, capsys, *score, "--evaluated", "1", code=0)["n"] == 3
    assert checked(path, capsys, *score, "--evaluated", "last", code=0)["n"] == 25
    bound = checked(path, capsys, "--min-pass-rate", "0.1", "--evaluated", "1", code=0)
    assert (bound["n"], bound["coverage"]) == (3, 1)
    for words, said in (
        (("--evaluated", "9"), "The project has no job 9"),
        (("--evaluated", "first"), "the number of a job, or last, is expected"),
        (("--evaluated", "1", "--run", "assistant 1.3"), "it evaluated assistant 1.4, not"),
    ):
        assert main(["check", str(path), *score, *words]) == 2
        assert said in capsys.readouterr().err


def test_the_sentence_names_who_scored_what_the_job_planned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    evaluated(path, "--limit", "3", "--parameter", "partial_credit=false", "--no-cache")
    check = ("check", str(path), "--min-score", "tool_usage:0", "--json")
    capsys.readouterr()
    main([*check, "--evaluated", "last"])
    found = json.loads(capsys.readouterr().out)
    (record,) = [x for x in found["record"] if x["metric"] == "tool_usage"]
    assert (record["n"], record["of_record"]) == (3, False)
    assert record["name"] in found["sentence"]
    main([*check])
    assert record["name"] not in json.loads(capsys.readouterr().out)["sentence"]


def test_planned_ones_without_a_score_fail(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    evaluated(path)
    with Project.open(path) as project, project.write() as conn:
        conn.execute(
            "DELETE FROM scores WHERE score_set = (SELECT max(id) FROM score_sets) "
            "AND evaluation = (SELECT max(evaluation) FROM scores)"
        )
    capsys.readouterr()
    found = checked(path, capsys, "--min-pass-rate", "0.1", "--evaluated", "last", code=1)
    assert found["coverage"] == 24 / 25


def test_coverage_alone_is_a_check_of_every_metric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [record(n, scores=scores(5, NAMES[: 2 + n % 2])) for n in range(10)]
    path = build_project(tmp_path / "p.review", evaluations=records)
    assert main(["check", str(path), "--min-coverage", "0.6", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["checks"]
    assert [x["name"] for x in found] == [f"min-coverage {x.name}" for x in RUBRIC.metrics]
    assert [x["value"] for x in found] == [1, 1, 0.5]
