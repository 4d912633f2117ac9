"""`reviewer evaluate` with bots and test sets: real commands, servers and processes."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.domain.evaluation import Evaluation
from reviewer.paths import resources
from reviewer.services.project.session import Session
from reviewer.services.upkeep import projects
from reviewer.store import reading
from tests.servers.bot_server import bot_server
from tests.servers.model_server import Answer, model_server

Capture = pytest.CaptureFixture[str]
TESTS = "faq-bot questions"
NINE = (
    "exact_match", "keyword_recall", "answer_length", "politeness", "latency_ms", "relevance",
    "faithfulness", "safety", "robustness",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    return projects.make_demo(tmp_path / "f.review", "faq-bot", Silent())


def told(capsys: Capture, *words: str | Path, code: int = 0) -> Any:
    assert main([*map(str, words), "--json"]) == code
    return json.loads(capsys.readouterr().out)


def of_run(project: Path, run: str) -> dict[str, Evaluation]:
    session = Session.open(project)
    try:
        rows = session.project.conn.execute(
            "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run WHERE r.name = ?", (run,)
        ).fetchall()
        found = reading.evaluations(session.project.conn, [key for (key,) in rows])
        return {x.id: x for x in found}
    finally:
        session.close()


def beside(evaluation: Evaluation) -> Any:
    return evaluation.rest["meta"]


def add(project: Path, name: str, *words: str | Path) -> None:
    assert main(["judges", str(project), "add-bot", name, *map(str, words)]) == 0


def test_strict_match_of_an_faq_table(project: Path, capsys: Capture) -> None:
    add(project, "faq", resources() / "examples" / "faq.csv")
    found = told(capsys, "evaluate", project, "--bot", "faq", "--tests", TESTS)
    assert found["run"] == "faq 1"
    assert [x["kind"] for x in found["jobs"]] == ["bot", "scorer"]
    scorers = {x["scorer"] for x in found["score_sets"]}
    assert scorers >= {"exact_match", "keyword_recall", "answer_length", "politeness", "latency"}
    compared = found["comparison"]
    assert (compared["a"]["run"], compared["b"]["run"]) == ("full context", "faq 1")
    assert compared["n"] == 26
    evaluations = of_run(project, "faq 1")
    first = evaluations["hours"]
    matched = beside(first)["matched"]
    assert (matched["row"], matched["similarity"]) == (1, 1.0)
    assert first.response == first.expected
    assert first.latency_ms is not None
    assert beside(first)["test_set"] == TESTS
    scored = told(capsys, "tests", project, "results", "--metric", "exact_match")
    assert scored["cases"]["hours"]["faq 1"]["overall"] == 1


def test_strict_match_as_published(tmp_path: Path, project: Path, capsys: Capture) -> None:
    table = tmp_path / "faq.csv"
    table.write_text("question,answer\nHow do I pay?,By card.\nHow do I park here?,Behind.\n")
    cases = tmp_path / "q.jsonl"
    cases.write_text(
        '{"id": "a", "input": "how do I PARK?"}\n{"id": "b", "input": "zzz"}\n'
        '{"id": "c", "input": "how do i"}\n'
    )
    add(project, "faq", table)
    told(capsys, "evaluate", project, "--bot", "faq", "--tests", cases, code=1)
    found = of_run(project, "faq 1")
    parked = beside(found["a"])["matched"]
    assert parked["row"] == 2
    assert parked["similarity"] == pytest.approx(4 / (4 * 5) ** 0.5)
    assert parked["shared"] == ["do", "how", "i", "park"]
    assert found["b"].response == "By card.", "nothing in common: the first row, as published"
    assert beside(found["b"])["matched"]["similarity"] == 0
    assert beside(found["c"])["matched"]["row"] == 1


def test_full_context_and_chat_with_tokens_and_cost(project: Path, capsys: Capture) -> None:
    document = resources() / "examples" / "faq-document.md"
    with model_server(Answer("From nine to seven.", tokens=(1000, 10))) as model:
        shared = ["--endpoint", "near", "--url", model.url, "--model", "m"]
        assert main(["judges", str(project), "add", "j", *shared, "--price", "2,10"]) == 0
        add(project, "whole", document, *shared)
        add(project, "plain", *shared)
        for bot in ("whole", "plain"):
            found = told(
                capsys, "evaluate", project, "--bot", bot, "--tests", TESTS,
                "--tag", "plain", "--limit", "3",
            )  # fmt: skip
            assert found["jobs"][0]["done"] == 3
        prompts = [json.dumps(x["messages"]) for x in model.requests]
    assert all("Larkfield" in x for x in prompts[:3])
    assert all("Larkfield" not in x for x in prompts[3:])
    for run in ("whole 1", "plain 1"):
        (answer, *_) = of_run(project, run).values()
        assert answer.response == "From nine to seven."
        assert (answer.tokens_in, answer.tokens_out) == (1000, 10)
        assert answer.cost_usd == pytest.approx((1000 * 2 + 10 * 10) / 1e6)
        assert answer.latency_ms is not None


def test_a_judge_scores_what_a_bot_answers(project: Path, capsys: Capture) -> None:
    with model_server() as model:
        words = ["--endpoint", "near", "--url", model.url, "--model", "m"]
        assert main(["judges", str(project), "add", "careful", *words]) == 0
        found = told(
            capsys, "evaluate", project, "--bot", "strict", "--tests", TESTS, "--limit", "2",
            "--judge", "careful", "--metric", "relevance", "--metric", "exact_match",
            code=1,
        )  # fmt: skip
    assert [x["kind"] for x in found["jobs"]] == ["bot", "scorer", "judge"]
    assert {x["scorer"] for x in found["score_sets"]} == {"exact_match", "careful"}
    assert found["comparison"]["metrics"]["relevance"]["n"] == 2


def test_a_limit_needs_the_price_of_the_judge_that_follows(project: Path, capsys: Capture) -> None:
    with model_server(Answer("no", status=401)) as model:
        words = ["--endpoint", "near", "--url", model.url, "--model", "m"]
        assert main(["judges", str(project), "add", "careful", *words]) == 0
        words = ["evaluate", str(project), "--bot", "strict", "--judge", "careful"]
        words += ["--tests", TESTS, "--max-cost", "1"]
        assert main(words) == 2
        assert "What the model m costs is not known" in capsys.readouterr().err
        assert main([*words, "--model", "gpt-4o", "--dry-run"]) == 0
        # nor can one be given to a job that stands still
        assert main(["evaluate", str(project), "--judge", "careful"]) == 2
        assert "did not accept the key" in capsys.readouterr().err
        assert main(["evaluate", str(project), "--resume", "--max-cost", "1"]) == 2
        assert "What the model m costs is not known" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((200, b'{"out": [{"text": "Hello."}]}'), None),
        ((500, b"out of order"), "status 500: out of order"),
        ((200, b"<html>"), "something other than JSON: <html>"),
        ((200, b'{"out": []}'), "has no '0' on the path 'out.0.text'"),
    ],
)
def test_an_http_address(
    project: Path, capsys: Capture, tmp_path: Path, reply: tuple[int, bytes], words: str | None
) -> None:
    settings = tmp_path / "web.json"
    with bot_server(lambda _: reply) as (url, asked):
        settings.write_text(json.dumps(
            {"kind": "http", "url": url, "path": "out.0.text",
             "body": {"q": "{{ question }}", "id": "{{ id }}"}}
        ))  # fmt: skip
        add(project, "web", settings)
        words_of: list[str | Path] = [
            "evaluate",
            project,
            "--bot",
            "web",
            "--tests",
            TESTS,
            "--limit",
            "2",
        ]
        found = told(capsys, *words_of, code=0 if words is None else 1)
    assert {x["id"] for x in asked} == {"hours", "hours-misspelt"}
    assert asked[0]["q"]
    answers = of_run(project, "web 1")
    assert len(answers) == 2
    if words is None:
        assert {x.response for x in answers.values()} == {"Hello."}
        assert all(x.latency_ms for x in answers.values())
    else:
        assert found["jobs"][0]["failed"] == 2
        assert all(words in str(x.error) for x in answers.values())


def test_an_address_that_is_slow(project: Path, capsys: Capture, tmp_path: Path) -> None:
    settings = tmp_path / "web.json"
    with bot_server(lambda _: (200, b"{}"), delay=1.5) as (url, _):
        settings.write_text(json.dumps(
            {"kind": "http", "url": url, "path": "a", "body": {"q": "x"}, "timeout_s": 0.2}
        ))  # fmt: skip
        add(project, "web", settings)
        words = ["--bot", "web", "--tests", TESTS, "--limit", "1"]
        told(capsys, "evaluate", project, *words, code=1)
    (answer,) = of_run(project, "web 1").values()
    assert answer.error == "The bot gave no reply within 0.2 s."


HANGS = "import time; time.sleep(600)"
GARBAGE = "print('<<< not json')"
ANSWERS = (
    "import json, sys; case = json.load(sys.stdin); "
    "json.dump({'response': case['question'][::-1], 'cost_usd': 0.25, 'tokens_in': 3}, sys.stdout)"
)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (HANGS, "gave no answer within 0.3 s; it was ended"),
        (GARBAGE, "printed no JSON"),
        ("import sys; sys.exit('broken')", "ended with 1: broken"),
        ("print('{}')", "gave no response"),
    ],
)
def test_a_command_that_fails(
    project: Path, capsys: Capture, tmp_path: Path, source: str, words: str
) -> None:
    limit = 0.3 if source == HANGS else 60
    settings = tmp_path / "mine.json"
    settings.write_text(json.dumps(
        {"kind": "command", "words": [sys.executable, "-c", source], "timeout_s": limit}
    ))  # fmt: skip
    add(project, "mine", settings)
    words_of = ["--bot", "mine", "--tests", TESTS, "--limit", "1"]
    found = told(capsys, "evaluate", project, *words_of, code=1)
    assert (found["jobs"][0]["state"], found["jobs"][0]["failed"]) == ("done", 1)
    (answer,) = of_run(project, "mine 1").values()
    assert words in str(answer.error)
    assert answer.response is None


def test_a_command_answers_within_its_budget(
    project: Path, capsys: Capture, tmp_path: Path
) -> None:
    script = tmp_path / "mine.py"
    script.write_text(ANSWERS)
    add(project, "mine", "--command", f"{sys.executable} {script}")
    words: list[str | Path] = [
        "evaluate",
        project,
        "--bot",
        "mine",
        "--tests",
        TESTS,
        "--concurrency",
        "1",
    ]
    stopped = told(capsys, *words, "--max-cost", "0.6", code=1)
    job = stopped["jobs"][0]
    assert (job["state"], job["done"], job["cost_usd"]) == ("paused", 2, 0.5)
    assert "Stopped at the budget of $0.6" in job["sentence"]
    assert "mine 1" not in of_run(project, "mine 1")


ONCE = """
import json, os, sys, time
case = json.load(sys.stdin)
with open(sys.argv[1], "a") as log:
    log.write(case["id"] + "\\n")
json.dump({"response": "x"}, sys.stdout)
sys.stdout.flush()
time.sleep(0.05)
"""


def test_a_killed_process_goes_on_and_asks_nothing_twice(
    project: Path, capsys: Capture, tmp_path: Path
) -> None:
    script, log = tmp_path / "once.py", tmp_path / "asked.log"
    script.write_text(ONCE)
    add(project, "mine", "--command", f"{sys.executable} {script} {log}")
    capsys.readouterr()
    words = [
        sys.executable, "-m", "reviewer", "evaluate", str(project), "--bot", "mine",
        "--tests", TESTS, "--concurrency", "1",
    ]  # fmt: skip
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        words, cwd=root, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip
    try:
        until = time.monotonic() + 60
        while _kept(project) < 5:
            assert time.monotonic() < until, "the bot did not begin to answer"
            time.sleep(0.02)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    kept = _kept(project)
    assert 5 <= kept < 26
    found = told(capsys, "evaluate", project, "--resume")
    assert [x["kind"] for x in found["jobs"]] == ["bot", "scorer"]
    assert found["jobs"][0]["done"] == 26
    asked = log.read_text().split()
    # what was under way at the kill was not kept, so that one may be asked again
    assert len(asked) - len(set(asked)) <= 1
    assert len(set(asked)) == len(of_run(project, "mine 1")) == 26


def _kept(project: Path) -> int:
    session = Session.open(project)
    try:
        return int(
            session.project.conn.execute(
                "SELECT count(*) FROM replies WHERE key LIKE 'job %'"
            ).fetchone()[0]
        )
    finally:
        session.close()


def test_the_cases_of_a_test_set_are_scored_without_a_bot(project: Path, capsys: Capture) -> None:
    words: list[str | Path] = ["evaluate", project, "--tests", TESTS, "--run", "strict match"]
    found = told(capsys, *words, "--scorer", "exact_match", "--tag", "vague")
    assert found["jobs"][0]["done"] == 3
    assert found["run"] == "strict match"


def test_a_forecast_asks_nothing(project: Path, capsys: Capture) -> None:
    words: list[str | Path] = ["evaluate", project, "--bot", "strict", "--tests", TESTS]
    found = told(capsys, *words, "--dry-run")
    assert (found["jobs"][0]["calls"], found["jobs"][0]["cost_usd"]) == (26, 0.0)
    assert of_run(project, "strict 1") == {}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--bot", "x", "--tests", TESTS], "The project has no bot 'x'"),
        (["--bot", "strict", "--tests", "x"], "The project has no test set 'x'"),
        (["--bot", "strict", "--tests", TESTS, "--judge", "x"], "has no judge 'x'"),
        (["--bot", "strict", "--tests", TESTS, "--scorer", "x"], "There is no scorer 'x'"),
        (["--bot", "strict", "--tag", "x"], "of a test set, which --tests names"),
        (["--bot", "strict", "--tests", TESTS, "--tag", "x"], "No case of"),
        (["--bot", "strict", "--tests", TESTS, "--category", "x"], "in the category x"),
    ],
)
def test_wrong_use(project: Path, capsys: Capture, words: list[str], sentence: str) -> None:
    assert main(["evaluate", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err


def test_what_a_bot_tells_of_its_answer_is_scored(
    project: Path, capsys: Capture, tmp_path: Path
) -> None:
    cases = tmp_path / "own.jsonl"
    cases.write_text(
        '{"id": "a", "query": "Where?", "expected_behavior": "Names it.", "category": "places", '
        '"expected_tools": ["look"], "expected_keywords": [900]}\n'
    )
    reply = {
        "answer": "900 Main Street", "tools_used": ["look"], "sources": [{"id": "d1"}],
        "error": "ToolExecutionError: Document not found", "template_matched": True,
        "cache": "warm", "usage": {"prompt_tokens": 3, "completion_tokens": 4}, "seen": 5,
    }  # fmt: skip
    kept = tmp_path / "asked.json"
    source = f"import sys; open({str(kept)!r}, 'w').write(sys.stdin.read()); print({reply!r})"
    source = source.replace(f"print({reply!r})", f"print({json.dumps(reply)!r})")
    add(project, "mine", "--command", f"{sys.executable} -c {shlex.quote(source)}")
    fresh = tmp_path / "fresh.review"
    assert main(["tests", str(fresh), "add", str(cases)]) == 0
    assert main(["judges", str(fresh), "add-bot", "mine", "--command",
                 f"{sys.executable} -c {shlex.quote(source)}"]) == 0  # fmt: skip
    capsys.readouterr()
    found = told(capsys, "evaluate", fresh, "--bot", "mine", "--tests", "own")
    assert {x["scorer"] for x in found["score_sets"]} == {
        "tool_usage", "response_quality", "error_handling",
    }  # fmt: skip
    asked = json.loads(kept.read_text())
    assert {key: asked[key] for key in ("input", "question", "category", "expected")} == {
        "input": "Where?", "question": "Where?", "category": "places", "expected": "Names it.",
    }  # fmt: skip
    exported = tmp_path / "out.jsonl"
    told(capsys, "export", fresh, exported)
    record = json.loads(exported.read_text())
    assert (record["tools_used"], record["sources"]) == (["look"], [{"id": "d1"}])
    assert (record["template_matched"], record["cache"]) == (True, "warm")
    assert (record["tokens_in"], record["tokens_out"], record["meta"]["seen"]) == (3, 4, 5)
    assert [(x["metric"], x["value"]) for x in record["scores"]] == [
        ("tool_usage", 1.0), ("response_quality", 1.0), ("error_handling", 0.0),
    ]  # fmt: skip


def test_a_trace_is_an_error_of_its_last_line(
    project: Path, capsys: Capture, tmp_path: Path
) -> None:
    settings = tmp_path / "mine.json"
    source = "print(end='')\nraise KeyError('x')  # Database connection refused"
    settings.write_text(json.dumps({"kind": "command", "words": [sys.executable, "-c", source]}))
    add(project, "mine", settings)
    told(capsys, "evaluate", project, "--bot", "mine", "--tests", TESTS, "--limit", "1", code=1)
    (answer,) = of_run(project, "mine 1").values()
    assert answer.error == "The command ended with 1: KeyError: 'x'"


def test_what_a_bot_tells_in_the_wrong_kind_is_said_and_not_scored(
    capsys: Capture, tmp_path: Path
) -> None:
    cases = tmp_path / "own.jsonl"
    cases.write_text('{"id": "a", "input": "Where?", "expected_tools": ["look"]}\n')
    project = tmp_path / "fresh.review"
    assert main(["tests", str(project), "add", str(cases)]) == 0
    settings = tmp_path / "mine.json"
    reply = {"response": "There.", "tools_used": [{"name": "look"}]}
    source = f"print({json.dumps(reply)!r})"
    settings.write_text(json.dumps({"kind": "command", "words": [sys.executable, "-c", source]}))
    add(project, "mine", settings)
    capsys.readouterr()
    found = told(capsys, "evaluate", project, "--bot", "mine", "--tests", "own", code=1)
    said = found["jobs"][0]["sentence"]
    assert "1 value of the replies could not be read" in said
    assert "tools_used[0]: an object was found, a text is expected" in said
    assert [x["kind"] for x in found["jobs"][1]["failures"]] == ["input"]


def test_a_dry_run_foretells_every_call_of_bot_and_judge(project: Path, capsys: Capture) -> None:
    with model_server() as model:
        words = ["--endpoint", "near", "--url", model.url, "--model", "m"]
        assert main(["judges", str(project), "add", "careful", *words]) == 0
        capsys.readouterr()
        asked: list[str | Path] = ["evaluate", project, "--bot", "strict", "--tests", TESTS]
        asked += ["--limit", "3", "--judge", "careful"]
        asked += ["--metric", "relevance", "--metric", "safety"]
        foretold = told(capsys, *asked, "--dry-run")["jobs"]
        assert model.requests == []
        done = told(capsys, *asked)["jobs"]
    assert [x["calls"] for x in foretold] == [3, 6]
    assert [x["calls"] for x in done] == [3, 6]


def written(folder: Path) -> tuple[Path, Path, Path]:
    """Write an FAQ table, a document and questions."""
    table, document, cases = folder / "faq.csv", folder / "house.md", folder / "cases.csv"
    table.write_text("question,answer\nWhen is check-in?,From three.\n")
    document.write_text("Check-in is from three.\n")
    cases.write_text("question,answer\nWhen can we check in?,From three.\n")
    return table, document, cases


def test_two_bots_are_compared_on_every_metric_in_three_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    project, report = tmp_path / "new.review", tmp_path / "report.json"
    table, document, cases = written(tmp_path)
    with model_server(Answer('{"score": 4, "reason": "Fine."}')) as model:
        add(project, "full", document, "--model", "m", "--url", model.url)
        words = ["--bot", table, "--bot", "full", "--tests", cases, "--model", "m"]
        command = ["evaluate", project, *words, "--rubric", "faq-bot"]
        assert main([*map(str, command)]) == 0
    assert main(["report", str(project), str(report), "--run", "all"]) == 0
    found = json.loads(report.read_text())
    assert found["runs"] == ["faq 1", "full 1"]
    for row in found["system"]["rows"]:
        assert row["bot"] in ("faq", "full")
        for name in NINE:
            assert row[name] is not None, name


def test_answers_that_no_rubric_would_score_are_not_asked_for(
    tmp_path: Path, capsys: Capture
) -> None:
    table, _, cases = written(tmp_path)
    project = tmp_path / "new.review"
    words = ["evaluate", project, "--bot", table, "--tests", cases]
    assert main([*map(str, words)]) == 2
    assert "name one with --rubric" in capsys.readouterr().err
    assert not project.exists()


def test_a_dry_run_keeps_no_bot_of_a_table(project: Path, tmp_path: Path, capsys: Capture) -> None:
    table, _, cases = written(tmp_path)
    words = ("--bot", table, "--tests", cases, "--dry-run")
    found = told(capsys, "evaluate", project, *words)
    assert [x["calls"] for x in found["jobs"] if x["title"].startswith("faq ")] == [1]
    assert "faq" not in [x["name"] for x in told(capsys, "judges", project)["bots"]]


def test_a_document_without_a_model_is_no_table(
    project: Path, tmp_path: Path, capsys: Capture
) -> None:
    _, document, _ = written(tmp_path)
    assert main(["judges", str(project), "add-bot", "full", str(document)]) == 2
    assert "a bot that reads a document needs a model" in capsys.readouterr().err
    words = ["add-bot", "full", str(document), "--model", "mine"]
    assert main(["judges", str(project), *words]) == 2
    assert "not known where the model 'mine' is reached" in capsys.readouterr().err
