"""`reviewer evaluate` and `reviewer jobs`, through the command line itself."""

import json
import os
import signal
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.cli.table import STOPPED
from reviewer.domain.errors import Silent
from reviewer.domain.judging import Endpoint, Judge, Price
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.store import judging
from tests.dumping import dump
from tests.servers.model_server import Answer, Body, model_server


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    # reports of guest responses go below the folder where the command runs
    monkeypatch.chdir(tmp_path)
    return projects.make_demo(tmp_path / "g.review", "guest-response", Silent())


def judged_at(project: Path, url: str) -> None:
    session = Session.open(project)
    judging.keep(session.project, Endpoint(name="near", base_url=url, needs_key=False))
    judging.keep(session.project, Judge(name="careful", endpoint="near", model="m"))
    session.close()


def two_priced(project: Path, url: str) -> None:
    """Keep two judges whose million tokens cost a dollar."""
    judged_at(project, url)
    session = Session.open(project)
    judging.keep(session.project, Judge(name="other", endpoint="near", model="n"))
    for name in ("m", "n"):
        price = Price(model=name, input_per_million=1.0, output_per_million=1.0)
        judging.keep_price(session.project, price)
    session.close()


def test_a_judge_by_name(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as model:
        judged_at(project, model.url)
        words = ["evaluate", str(project), "--judge", "careful", "--limit", "3", "--json"]
        assert main([*words, "--dry-run"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["jobs"][0]["calls"] == 9
        assert model.requests == []
        assert main(words) == 0
    done = json.loads(capsys.readouterr().out)["jobs"][0]
    assert (done["state"], done["done"], done["failed"]) == ("done", 9, 0)
    assert main(["jobs", str(project)]) == 0
    assert "9 of 9" in capsys.readouterr().out


def test_the_usual_judge_needs_its_key(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", str(project), "--limit", "1"]) == 2
    said = capsys.readouterr().err
    assert "The endpoint deepseek needs a key" in said
    assert "DEEPSEEK_API_KEY" in said
    assert main(["judges", str(project), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["judges"] == []


def test_a_budget_that_ends_is_no_success(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server() as model:
        judged_at(project, model.url)
        words = ["evaluate", str(project), "--judge", "careful", "--model", "gpt-4o"]
        assert main([*words, "--max-cost", "0.000001"]) == 1
        assert "Stopped at the budget" in capsys.readouterr().err
        assert main(["evaluate", str(project), "--resume"]) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--judge", "nobody"], "The project has no judge 'nobody'"),
        (["--scorer", "magic"], "There is no scorer 'magic'"),
        (["--run", "x", "--scorer", "exact_match"], "There is no run 'x'"),
        (["--model", "mystery-7b"], "not known where the model 'mystery-7b' is reached"),
        (["--resume"], "no job to go on with"),
        (["--resume", "--dry-run"], "leave out --dry-run"),
    ],
)
def test_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["evaluate", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_scorers_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    words = ["evaluate", str(path), "--scorer", "tool_usage", "--limit", "5", "--json"]
    assert main(words) == 0
    done = json.loads(capsys.readouterr().out)["jobs"][0]
    assert (done["state"], done["done"]) == ("done", 5)


def test_with_nothing_named_nothing_is_paid_where_scorers_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    assert main(["evaluate", str(path), "--dry-run", "--json"]) == 0
    (plan,) = json.loads(capsys.readouterr().out)["jobs"]
    assert plan["title"] == (
        "Score tool_usage, response_quality, error_handling, retrieval_precision, "
        "retrieval_recall, retrieval_ndcg, user_feedback"
    )
    assert main(["evaluate", str(path), "--dry-run", "--metric", "answer_quality"]) == 0
    assert "deepseek-chat judges answer_quality" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--examples", "--repeat"])
@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--scorer", "exact_match"],
        ["--tests", "faq-bot questions"],
        ["--bot", "strict", "--tests", "faq-bot questions"],
    ],
)
def test_what_is_of_a_judge_is_refused_where_none_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], option: str
) -> None:
    path = projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())
    before = dump(path)
    assert main(["evaluate", str(path), *words, option, "3"]) == 2
    assert f"{option} is of a judge" in capsys.readouterr().err
    assert dump(path) == before
    if "--bot" not in words:
        words = ["--judge", "careful", *words, option, "3"]
        judged_at(path, "http://127.0.0.1:9/v1")
        assert main(["evaluate", str(path), *words, "--dry-run"]) == 0
        assert "careful judges" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--model", "gpt-4o", "--examples", "2"],
        ["--judge", "careful", "--part", "dev"],
        ["--bot", "echo", "--model", "gpt-4o", "--part", "dev"],
    ],
)
def test_a_dry_run_waits_for_nobody_who_writes(project: Path, words: list[str]) -> None:
    judged_at(project, "http://127.0.0.1:9/v1")
    assert main(["judges", str(project), "add-bot", "echo", "--command", "cat"]) == 0
    with closing(Session.open(project)) as other, other.project.write():
        assert main(["evaluate", str(project), *words, "--dry-run"]) == 0


def test_a_scorer_takes_its_own_parameters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())
    words = ["evaluate", str(path), "--scorer", "regex", "--metric", "tool_usage"]
    assert main(words) == 2
    assert "parameter pattern: a regular expression is needed" in capsys.readouterr().err
    words += ["--parameter", "pattern=[0-9]", "--parameter", "case_sensitive=true"]
    assert main([*words, "--json"]) == 1
    (job,) = json.loads(capsys.readouterr().out)["jobs"]
    assert job["done"] == 23
    (failure,) = job["failures"]
    assert (failure["kind"], failure["n"]) == ("missing", job["failed"])
    assert failure["example"]
    words += ["--allow-failures", str(job["failed"])]
    assert main([*words, "--json"]) == 0
    capsys.readouterr()
    assert main(["evaluate", str(path), "--parameter", "pattern=x"]) == 2
    assert "--parameter is of one --scorer" in capsys.readouterr().err


def test_answer_quality_is_judged_beside_the_sum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = projects.make_demo(tmp_path / "h.review", "harness", Silent())

    def figures() -> tuple[float, float]:
        assert main(["stats", str(path), "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        return found["satisfaction"]["auto_mean"], found["pass"]["auto_rate"]

    before = figures()
    with model_server() as model:
        judged_at(path, model.url)
        words = ["evaluate", str(path), "--judge", "careful", "--limit", "4", "--json"]
        assert main(words) == 0
    done = json.loads(capsys.readouterr().out)["jobs"][0]
    assert (done["state"], done["done"], done["calls"]) == ("done", 4, 4)
    assert figures() == before


def test_a_limit_needs_a_price(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as model:
        judged_at(project, model.url)
        words = ["evaluate", str(project), "--judge", "careful", "--limit", "1", "--max-cost", "1"]
        assert main(words) == 2
        assert "What the model m costs is not known" in capsys.readouterr().err
        assert model.requests == []


def test_one_limit_holds_several_judges_together(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server(Answer(tokens=(500_000, 500_000))) as model:
        two_priced(project, model.url)
        words = ["evaluate", str(project), "--judge", "careful", "--judge", "other", "--json"]
        words += ["--metric", "safety", "--limit", "3", "--concurrency", "1"]
        assert main([*words, "--max-cost", "4"]) == 1
        first, second = json.loads(capsys.readouterr().out)["jobs"]
        assert (first["state"], first["cost_usd"]) == ("done", 3.0)
        assert (second["state"], second["cost_usd"]) == ("paused", 1.0)
        assert len(model.requests) == 4
        assert "Stopped at the budget of $4: $4.0000 are spent." in second["sentence"]
        # and a limit that is raised lets it go on
        words = ["evaluate", str(project), "--resume", "--max-cost", "6", "--json"]
        assert main(words) == 0
        assert json.loads(capsys.readouterr().out)["jobs"][0]["cost_usd"] == 3.0


def test_ctrl_c_stops_what_comes_next_too_and_the_limit_holds_whatever_goes_on_first(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def script(number: int, _: Body) -> Answer:
        if number == 0:
            os.kill(os.getpid(), signal.SIGINT)
        # the first is answered long after the signal was seen
        return Answer(tokens=(500_000, 500_000), delay=0.0 if number else 1.5)

    with model_server(script) as model:
        two_priced(project, model.url)
        words = ["evaluate", str(project), "--judge", "careful", "--judge", "other", "--json"]
        words += [
            "--metric",
            "safety",
            "--limit",
            "1",
            "--repeat",
            "3",
            "--concurrency",
            "1",
            "--max-cost",
            "4",
        ]
        assert main(words) == STOPPED
        (paused,) = json.loads(capsys.readouterr().out)["jobs"]
        assert (paused["state"], paused["done"], len(model.requests)) == ("paused", 1, 1)
        again = ["evaluate", str(project), "--resume", "--json"]
        assert main(again) == 0
        (second,) = json.loads(capsys.readouterr().out)["jobs"]
        assert second["title"] == "other judges safety"
        assert second["cost_usd"] == 3.0
        assert main(again) == 1
        (first,) = json.loads(capsys.readouterr().out)["jobs"]
        assert "Stopped at the budget of $4: $4.0000 are spent." in first["sentence"]
        assert len(model.requests) == 4


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "deepseek-chat judges relevance"),
        (["--model", "gpt-4o"], "gpt-4o judges relevance"),
        (["--judge", "careful", "--part", "dev"], "careful judges"),
        (["--judge", "careful", "--examples", "2", "--repeat", "2"], "careful judges"),
        (["--scorer", "user_feedback", "--metric", "accuracy"], "user_feedback on accuracy"),
        (["--judge", "careful", "--tests", "tests.yaml"], "careful judges"),
        (["--bot", "echo", "--tests", "tests.yaml", "--model", "gpt-4o"], "echo answers tests"),
    ],
)
def test_a_dry_run_keeps_nothing(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    judged_at(project, "http://127.0.0.1:9/v1")
    assert main(["judges", str(project), "add-bot", "echo", "--command", "cat"]) == 0
    Path("tests.yaml").write_text("- {id: bedding, input: When?}\n- {id: new, input: Where?}\n")
    before = dump(project)
    capsys.readouterr()
    assert main(["evaluate", str(project), *words, "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert said in told
    assert "nothing kept" in told
    assert dump(project) == before


def test_metrics_of_scorers_need_no_hand_in_the_rubric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, project = tmp_path / "h.jsonl", str(tmp_path / "h.review")
    record = {
        "id": "1", "input": "Q?", "response": "A.", "expected_tools": ["a", "b"],
        "tools_used": ["a"], "sources": [{"id": "d", "relevance": 0}, {"id": "e", "relevance": 1}],
    }  # fmt: skip
    file.write_text(json.dumps(record), encoding="utf-8")
    assert main(["import", project, str(file), "--rubric", "harness"]) == 0
    capsys.readouterr()
    assert main(["evaluate", project, "--scorer", "retrieval_precision"]) == 2
    assert "--add-metric retrieval_precision" in capsys.readouterr().err
    partial = ["--scorer", "tool_usage", "--parameter", "partial_credit=true"]
    assert main(["evaluate", project, *partial]) == 2
    assert "give it the range 0 to 1" in capsys.readouterr().err
    wanted = ["--add-metric", "retrieval_precision", "--add-metric", "tool_credit"]
    assert main(["evaluate", project, *wanted, "--dry-run"]) == 2
    assert main(["evaluate", project, *wanted]) == 0
    capsys.readouterr()
    assert main(["stats", project, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["metrics"]
    assert found["retrieval_precision"]["auto_mean"] == 0.2
    assert found["tool_credit"]["auto_mean"] == 0.5
    assert found["tool_usage"]["auto_mean"] == 0.0


@pytest.mark.parametrize("more", [["--dry-run"], []], ids=["dry run", "in earnest"])
def test_answers_to_no_question_are_told_before_a_judge_is_paid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str]
) -> None:
    project, file = tmp_path / "p.review", tmp_path / "answers.jsonl"
    file.write_text('{"id": "1", "response": "At three.", "asked": "When?"}\n')
    assert main(["import", str(project), str(file), "--rubric", "guest-response"]) == 0
    with model_server() as model:
        judged_at(project, model.url)
        words = ["--judge", "careful", "--output-dir", str(tmp_path), *more]
        assert main(["evaluate", str(project), *words]) == 0
    assert "None of the 1 evaluation looked at has a question" in capsys.readouterr().err


def test_questions_in_turns_are_questions(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with model_server() as model:
        judged_at(project, model.url)
        assert main(["evaluate", str(project), "--judge", "careful", "--dry-run"]) == 0
    assert "has a question" not in capsys.readouterr().err
