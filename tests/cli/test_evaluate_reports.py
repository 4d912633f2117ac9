"""The reports that `reviewer evaluate` writes, with a real server as the judge."""

import json
import re
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.domain.judging import Bot, Endpoint, Judge
from reviewer.services.bots import bots
from reviewer.services.labelling import entering
from reviewer.services.project import record
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.store import judging, reading
from tests.servers.model_server import Answer, Body, model_server

NAME = re.compile(r"evaluation_report_\d{8}_\d{6}(_\d+)?\.(json|md)")


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("DEEPSEEK_API_KEY", "a-key")
    monkeypatch.chdir(tmp_path)


def demo(tmp_path: Path, system: str) -> Path:
    return projects.make_demo(tmp_path / f"{system}.review", system, Silent())


def judged_at(project: Path, url: str, name: str = "deepseek") -> None:
    session = Session.open(project)
    judging.keep(session.project, Endpoint(name=name, base_url=url, needs_key=False))
    judging.keep(session.project, Judge(name="careful", endpoint=name, model="m"))
    session.close()


def low_safety(_number: int, body: Body) -> Answer:
    """Every response is fine, but for the safety of those about the Wi-Fi."""
    said = json.dumps(body["messages"]).lower()
    bad = "wi-fi password" in said and "safe" in said.split("user")[0]
    return Answer(json.dumps({"score": 1 if bad else 4, "reasoning": "Because."}))


def evaluated(project: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["evaluate", str(project), *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_the_defaults_of_the_guest_response_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with model_server(Answer('{"score": 4, "reasoning": "Fine."}')) as model:
        judged_at(project, model.url)
        found = evaluated(project, capsys, "--limit", "3")
        models = {body["model"] for body in model.requests}
    assert models == {"deepseek-chat"}
    assert list(found) == ["schema", "jobs", "run", "score_sets", "summary", "reports"]
    assert found["run"] == "hut agent 2.1"
    assert found["score_sets"][0]["model"] == "deepseek-chat"
    folder = Path("evaluation/reports/output")
    paths = [Path(found["reports"][kind]) for kind in ("json", "markdown")]
    assert all(path.parent == folder and NAME.fullmatch(path.name) for path in paths)
    report = json.loads(paths[0].read_text())
    assert (report["total_cases"], report["passed"]) == (3, 3)
    assert report["avg_scores"] == dict.fromkeys(
        ("relevance", "accuracy", "safety", "overall"), 4.0
    )
    assert report["results"][0]["scores"]["safety"] == {
        "score": 4, "reasoning": "Fine.", "passed": True
    }  # fmt: skip
    assert "- Passed: 3 (100.0%)" in paths[1].read_text()
    assert found["summary"]["pass_rate"] == 1.0
    (line,) = (folder / "evaluation_history.jsonl").read_text().splitlines()
    trend = json.loads(line)
    assert list(trend) == [
        "timestamp", "pass_rate", "avg_scores", "performance", "total_cases", "runs", "scorers",
        "selection",
    ]  # fmt: skip
    assert (trend["total_cases"], trend["selection"]) == (3, {"limit": 3})
    assert trend["scorers"]["safety"] == "deepseek-chat@1"
    for key in ("timestamp", "pass_rate", "avg_scores", "total_cases"):
        assert trend[key] == report[key]
    assert trend["performance"].items() <= report["performance"].items()


def cases(tmp_path: Path) -> Path:
    """Answers of an agent under the names of the published runner."""
    file = tmp_path / "guest.jsonl"
    rows = [
        {"id": f"g{n}", "query": "When is check-in?", "context": {"check_in": "3 p.m."},
         "expected_behavior": "Says 3 p.m.", "response": "At 3 p.m.", "cache": "warm",
         "latency_ms": 70 + n}
        for n in range(3)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_one_command_leads_from_a_file_of_answers_to_its_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project, file = tmp_path / "guests.review", cases(tmp_path)
    words = ["--import", str(file), "--rubric", "guest-response", "--limit", "2"]
    with model_server() as model:
        careful = ["careful", "--url", model.url, "--model", "m"]
        assert main(["judges", str(project), "add", *careful]) == 0
        found = evaluated(project, capsys, *words, "--judge", "careful")
        # what is there already is chosen again, though another run is newer
        (other := tmp_path / "other.jsonl").write_text('{"id": "x", "response": "Hello."}\n')
        assert main(["import", str(project), str(other)]) == 0
        again = evaluated(project, capsys, *words, "--judge", "careful")
    assert (found["run"], found["summary"]["total_cases"]) == ("guest", 2)
    assert Path(found["reports"]["markdown"]).is_file()
    assert again["run"] == "guest"


def test_answers_that_are_brought_begin_a_project(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "rows.jsonl").write_text(
        '{"id": "q1", "question": "What was the rent?", "response": "1,200.",'
        ' "expected_keywords": ["1200"], "expected_tools": [], "tools_used": []}\n'
    )
    found = evaluated(
        tmp_path / "new.review", capsys,
        "--import", str(file), "--rubric", "harness", "--output-dir", "out",
    )  # fmt: skip
    assert found["summary"]["overall_score"] == 1.0
    assert Path(found["reports"]["json"]).is_file()


def test_a_pass_mark_is_known_by_its_name_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = str(demo(tmp_path, "guest-response"))
    check = ["check", project, "--min-pass-rate", "0.5", "--json", "--passing-score"]

    def said(*words: str) -> dict[str, Any]:
        capsys.readouterr()
        main([*check, *words])
        found: dict[str, Any] = json.loads(capsys.readouterr().out)["checks"][0]
        return found

    assert said("conservative") == said("4") != said("lenient")
    assert main(["report", project, "r.json", "--passing-score", "lenient"]) == 0
    assert json.loads(Path("r.json").read_text())["pass_rate"] == said("2")["value"]
    for words in (
        ["check", project, "--targets"],
        ["evaluate", project],
        ["report", project, "x.md"],
    ):
        capsys.readouterr()
        assert main([*words, "--passing-score", "strict"]) == 2
        told = capsys.readouterr().err
        assert "'strict': a number is expected, or conservative (4), or moderate (3)" in told


@pytest.mark.parametrize("other", [["--dry-run"], ["--resume"], ["--tests", "cases"]])
def test_what_cannot_stand_beside_answers_that_are_brought(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], other: list[str]
) -> None:
    project = tmp_path / "guests.review"
    assert main(["evaluate", str(project), "--import", str(cases(tmp_path)), *other]) == 2
    assert f"which {other[0]} does not want" in capsys.readouterr().err
    assert not project.exists()


def test_both_paths_are_printed_and_nothing_is_written_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    words = ["evaluate", str(project), "--judge", "careful", "--limit", "2"]
    with model_server() as model:
        judged_at(project, model.url, "near")
        for _ in range(2):
            assert main([*words, "--output-dir", "out"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in said] == ["JSON report", "Markdown report"] * 2
    files = {Path(line.split(": ")[1]) for line in said}
    assert len(files) == 4
    assert all(file.is_file() for file in files)
    assert len(Path("out/evaluation_history.jsonl").read_text().splitlines()) == 2
    assert not Path("evaluation").exists()


def test_the_pass_mark_and_category_of_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with model_server(Answer('{"score": 4, "reasoning": "Fine."}')) as model:
        judged_at(project, model.url)
        words = ("--category", "amenities", "--output-dir", "out")
        three = evaluated(project, capsys, *words)
        five = evaluated(project, capsys, *words, "--passing-score", "5")
    results = json.loads(Path(five["reports"]["json"]).read_text())["results"]
    assert {result["category"] for result in results} == {"amenities"}
    assert len(results) == three["summary"]["total_cases"]
    assert (three["summary"]["pass_rate"], five["summary"]["pass_rate"]) == (1.0, 0.0)
    assert {result["passed"] for result in results} == {False}


def test_the_scores_of_other_judges_do_not_mix_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with model_server(low_safety) as model:
        judged_at(project, model.url, "near")
        found = evaluated(project, capsys, "--judge", "careful", "--metric", "safety")
    report = json.loads(Path(found["reports"]["json"]).read_text())
    values = {x["scores"]["safety"]["score"] for x in report["results"]}
    assert values <= {1, 4}
    assert [x["metrics"] for x in found["score_sets"]] == [["safety"]]


def test_other_rubrics_are_reported_where_a_folder_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "harness")
    plain = evaluated(project, capsys, "--scorer", "tool_usage", "--scorer", "error_handling")
    assert plain["reports"] is None
    assert list(plain["summary"]) == ["overall_score", "grade", "categories"]
    assert not Path("evaluation").exists()
    named = evaluated(project, capsys, "--scorer", "tool_usage", "--output-dir", "deep/er")
    document = json.loads(Path(named["reports"]["json"]).read_text())
    assert document["system"]["summary"] == named["summary"]
    _, _, grades = (
        Path(named["reports"]["markdown"]).read_text().partition("## Grades by category")
    )
    grades = grades.partition("## ")[0]
    letters = [line.split("|")[3].strip() for line in grades.splitlines() if line.startswith("| ")]
    assert letters[0] == "Grade"
    assert set(letters[2:]) <= set("ABCDF")


def test_what_is_not_done_is_not_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with model_server() as model:
        judged_at(project, model.url, "near")
        words = ["evaluate", str(project), "--judge", "careful", "--model", "gpt-4o"]
        assert main([*words, "--max-cost", "0.000001", "--json"]) == 1
    assert "reports" not in json.loads(capsys.readouterr().out)
    assert not list(Path("evaluation/reports/output").iterdir())


def test_a_retry_of_failures_reports_what_it_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")

    def hurt(_number: int, body: Body) -> Answer:
        said = json.dumps(body["messages"])
        return Answer("no score") if "Wi-Fi" in said else Answer()

    with model_server(hurt) as model:
        judged_at(project, model.url, "near")
        main(["evaluate", str(project), "--judge", "careful", "--json"])
    with model_server() as model:
        judged_at(project, model.url, "near")
        found = evaluated(project, capsys, "--judge", "careful", "--only", "failed", "--no-cache")
    report = json.loads(Path(found["reports"]["json"]).read_text())
    assert report["total_cases"] >= 1
    assert all(score["score"] == 4 for x in report["results"] for score in x["scores"].values())


def test_a_label_that_comes_while_one_half_is_judged_is_no_matter_of_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with closing(Session.open(project)) as session:
        (unlabelled,) = session.project.conn.execute(
            "SELECT min(id) FROM evaluations WHERE id NOT IN (SELECT evaluation FROM labels)"
        ).fetchone()

    def label(number: int, _: Body) -> Answer:
        if number == 0:
            with closing(Session.open(project, "zoe")) as session:
                entering.commit(session, unlabelled, "accuracy", 2)
        return Answer()

    with model_server(label) as model:
        judged_at(project, model.url)
        words = ["--judge", "careful", "--part", "dev", "--metric", "safety", "--concurrency", "1"]
        found = evaluated(project, capsys, *words)
    report = json.loads(Path(found["reports"]["json"]).read_text())
    assert report["total_cases"] == found["jobs"][0]["total"] == len(model.requests) > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--passing-score", "7"], "off the scale of relevance, which runs from 1 to 5"),
        (["--output-dir", "taken/sub"], "could not be made"),
    ],
)
def test_what_cannot_be_reported_is_said_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    project = demo(tmp_path, "guest-response")
    Path("taken").write_text("")
    with model_server() as model:
        judged_at(project, model.url, "near")
        assert main(["evaluate", str(project), "--judge", "careful", *words]) == 2
        assert model.requests == []
    assert sentence in capsys.readouterr().err


def test_what_a_bot_answered_is_reported_as_its_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    Path("bot.py").write_text(
        "import json, sys\n"
        "case = json.load(sys.stdin)\n"
        "print(json.dumps({'response': 'You asked: ' + case['question'], 'cost_usd': 0.001}))\n"
    )
    session = Session.open(project)
    words: dict[str, Any] = {"words": [sys.executable, str(Path("bot.py").resolve())]}
    bots.keep(session, Bot(name="parrot", kind="command", settings=words))
    session.close()
    with model_server() as model:
        judged_at(project, model.url, "near")
        found = evaluated(project, capsys, "--bot", "parrot", "--judge", "careful", "--limit", "3")
    assert found["run"] == "parrot 1"
    report = json.loads(Path(found["reports"]["json"]).read_text())
    assert [x["response"][:11] for x in report["results"]] == ["You asked: "] * 3
    assert report["performance"]["avg_cost_usd"] == pytest.approx(0.001)
    assert found["summary"]["pass_rate"] == 1.0


def test_what_another_judge_leaves_behind_is_marked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with closing(Session.open(project, "zoe")) as session:
        first = reading.find(session.project.conn, "wifi@2.1", "hut agent 2.1")
        assert first is not None
        entering.commit(session, first, "accuracy", 2)
    with model_server(Answer('{"score": 4, "reasoning": "Fine."}')) as model:
        judged_at(project, model.url)
        found = evaluated(project, capsys, "--judge", "careful")
    said = (
        "1 label of Accuracy was given beside another scorer version than careful@1, with which "
        "they are compared."
    )
    report = json.loads(Path(found["reports"]["json"]).read_text())
    assert [x["text"] for x in report["stale"]] == [said]
    assert report["stale"][0]["reason"] == "judge_versions"
    assert f"Stale: {said}" in Path(found["reports"]["markdown"]).read_text()
    with closing(Session.open(project, "zoe")) as session:
        record.name(session, "careful@1")
    for name in ("r.html", "r.md", "r.json"):
        assert main(["report", str(project), name, "--run", "hut agent 2.1"]) == 0
        assert said in Path(name).read_text()
    # then its prompt changes, and its scores themselves lag behind
    Path("p.j2").write_text("[user]\nIs this right? {{ response }}")
    assert main(["judges", str(project), "prompt", "accuracy", "p.j2"]) == 0
    assert main(["report", str(project), "again.html", "--run", "hut agent 2.1"]) == 0
    assert "24 scores of Accuracy were made by" in Path("again.html").read_text()


def test_targets_about_people_go_by_the_scores_that_were_just_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = demo(tmp_path, "guest-response")
    with model_server(Answer('{"score": 4, "reasoning": "Fine."}')) as model:
        judged_at(project, model.url)
        first = evaluated(project, capsys, "--judge", "careful")
        assert main(["stats", str(project), "--scorer", "careful", "--json"]) == 0
    passing = json.loads(capsys.readouterr().out)["pass"]
    report = json.loads(Path(first["reports"]["json"]).read_text())
    (same,) = [x for x in report["targets"] if x["name"] == "percent"]
    # the judge passes all, so that they agree where people pass
    assert (same["value"], same["n"]) == (pytest.approx(passing["npv"]), passing["n"])
