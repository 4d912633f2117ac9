"""The version of record: one scorer version counts for a metric in a run, until a lead says else.

No job, import, stop, failure or newer date changes a figure by itself (R3). Everything here goes
through the command line, against a real server where a judge is asked.
"""

import json
import os
import signal
from functools import partial

import pytest

from tests.journeys import scored
from tests.journeys.scored import BOTH, accuracy, entry, judge, pass_rate, record, score, scores_of
from tests.journeys.shell import Shell, lines
from tests.servers.model_server import Answer, Body, model_server

imported = partial(scored.imported, rubric=BOTH)
V6, V7 = "2026-11-04 agent v6", "2026-11-18 agent v7"
NO_SET = "no whole set of scores yet"
DOLLAR = (500_000, 500_000)
"""Tokens of a reply that costs a dollar, so that a small budget ends a job."""


@pytest.fixture
def demo(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    assert shell.run("demo", "d.review", "--no-open") == 0
    return "d.review"


class TestWhatTheReviewsSaw:
    """The four reproductions: each left another figure than before."""

    def test_a_scorer_off_the_scale_is_refused(self, shell: Shell, demo: str) -> None:
        before, rate = shell.document("stats", demo, "--run", V7), pass_rate(shell, demo, V7)
        words = ["evaluate", demo, "--run", V7, "--scorer", "error_handling"]
        assert shell.run(*words, "--metric", "accuracy", "--limit", "3") == 2
        assert len(shell.err.strip().splitlines()) == 1
        assert "error_handling" in shell.err
        assert pass_rate(shell, demo, V7) == rate
        assert shell.document("stats", demo, "--run", V7) == before

    @pytest.mark.parametrize("limit", [[], ["--limit", "3"]])
    def test_an_experiment_changes_nothing(
        self, shell: Shell, demo: str, limit: list[str]
    ) -> None:
        before, rate = shell.document("stats", demo, "--run", V7), pass_rate(shell, demo, V7)
        gate = ["check", demo, "--run", V7, "--min-pass-rate", "0.8", "--json"]
        shell.run(*gate)
        held = shell.out
        with model_server(scores_of(1)) as model:
            judge(shell, demo, model.url)
            words = ["evaluate", demo, "--run", V7, "--judge", "mine", *limit]
            assert shell.run(*words) == 0, shell.err
        assert pass_rate(shell, demo, V7) == rate
        after = shell.document("stats", demo, "--run", V7)
        assert after["satisfaction"] == before["satisfaction"]
        assert after["pass"] == before["pass"]
        shell.run(*gate)
        checks = json.loads(shell.out)["checks"]
        assert checks == json.loads(held)["checks"]

    @pytest.mark.parametrize("how", ["interrupted", "over budget"])
    def test_a_job_that_was_stopped_changes_nothing(
        self, shell: Shell, demo: str, how: str
    ) -> None:
        def script(number: int, _body: Body) -> Answer:
            if how == "interrupted" and number == 6:
                os.kill(os.getpid(), signal.SIGINT)
            # what follows is answered after the signal was seen
            delay = 0.0 if number < 6 else 0.5
            return Answer('{"score": 1, "reasoning": "So."}', tokens=DOLLAR, delay=delay)

        before, rate = shell.document("stats", demo, "--run", V6), pass_rate(shell, demo, V6)
        with model_server(script) as model:
            judge(shell, demo, model.url)
            words = ["evaluate", demo, "--run", V6, "--judge", "mine", "--concurrency", "1"]
            budget = ["--max-cost", "5"] if how == "over budget" else []
            assert shell.run(*words, *budget) != 0
            assert model.requests
        assert pass_rate(shell, demo, V6) == rate
        after = shell.document("stats", demo, "--run", V6)
        assert after["satisfaction"] == before["satisfaction"]
        assert after["pass"] == before["pass"]

    def test_a_gate_stays_red(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        made = [record(n, input=f"Question {n}?", context="") for n in range(12)]
        (shell.folder / "guest.jsonl").write_text(lines(*made), encoding="utf-8")
        words = ["import", "p.review", "guest.jsonl", "--rubric", "guest-response"]
        assert shell.run(*words) == 0

        def script(_number: int, body: Body) -> Answer:
            bad = any(f"Question {n}?" in str(body["messages"]) for n in (8, 9, 10, 11))
            return Answer(f'{{"score": {2 if bad else 5}, "reasoning": "So."}}')

        gate = ["check", "p.review", "--min-pass-rate", "0.8"]
        with model_server(script) as model:
            judge(shell, "p.review", model.url)
            whole = ["evaluate", "p.review", "--judge", "mine"]
            assert shell.run(*whole) == 0
            assert pass_rate(shell, "p.review", "one") == 0.667
            assert shell.run(*gate) == 1
            assert shell.run(*whole, "--model", "gpt-4o", "--limit", "1") == 0
            assert shell.run(*gate) == 1
            # all of it comes from the cache
            assert shell.run(*whole) == 0
        assert shell.run(*gate) == 1
        assert pass_rate(shell, "p.review", "one") == 0.667
        told = shell.document(*gate, code=1)["checks"][0]
        assert (round(told["value"], 3), told["n"]) == (0.667, 12)

    def test_a_parameter_does_not_stick(self, shell: Shell) -> None:
        made = {
            "id": "basis", "run": "one", "input": "What is the basis?",
            "response": "The total basis for your property is $442,300, which includes the land "
            "and building components.",
            "expected_keywords": ["basis", "depreciation", "442300", "land", "building"],
            "expected_tools": ["query_database"], "tools_used": ["query_database"],
        }  # fmt: skip
        (shell.folder / "h.jsonl").write_text(lines(made), encoding="utf-8")
        assert shell.run("import", "p.review", "h.jsonl", "--rubric", "harness") == 0
        assert shell.run("evaluate", "p.review") == 0

        def figures(*arguments: str) -> tuple[float, float]:
            told = shell.document("stats", "p.review", *arguments)
            quality = told["metrics"]["response_quality"]["auto_mean"]
            return round(quality, 9), round(told["satisfaction"]["auto_mean"], 9)

        assert figures() == (0.8, 0.92)
        trial = ["evaluate", "p.review", "--scorer", "response_quality"]
        assert shell.run(*trial, "--parameter", "normalize_numbers=false") == 0
        assert figures() == (0.8, 0.92)
        assert shell.run("evaluate", "p.review") == 0
        assert shell.run("evaluate", "p.review", "--no-cache") == 0
        assert figures() == (0.8, 0.92)
        told = shell.document("stats", "p.review")["metrics"]["response_quality"]
        other = "response_quality@1 normalize_numbers=false"
        assert other in told["other_scorers"]
        assert told["scorer"] != other
        assert figures("--scorer", other) == (0.6, 0.84)
        assert figures("--scorer", told["scorer"]) == (0.8, 0.92)


class TestWhatFixesTheRecord:
    def test_the_version_that_scored_most_of_the_first_import(self, shell: Shell) -> None:
        made = [record(n, score(4)) for n in range(10)]
        for one in made[:3]:
            one["scores"].insert(0, score(1, version="2", at="2026-11-20T08:00:00Z"))
        imported(shell, "first", *made)
        told = accuracy(shell)
        assert (told["scorer"], told["n_auto"], told["auto_mean"]) == ("vera@1", 10, 4.0)
        found = entry(shell)
        assert (found["run"], found["scorer"], found["version"]) == ("one", "vera", "1")
        assert (found["n"], found["of"]) == (10, 10)
        (other,) = found["not_counted"]
        assert (other["scorer"], other["version"], other["n"]) == ("vera", "2", 3)
        assert {"by", "at"} <= set(found)

    def test_the_earlier_in_the_file_where_both_scored_as_many(self, shell: Shell) -> None:
        made = [record(n, score(2, version="2"), score(4, version="1")) for n in range(5)]
        imported(shell, "first", *made)
        assert accuracy(shell)["scorer"] == "vera@2"

    def test_a_larger_and_newer_import_changes_nothing(self, shell: Shell) -> None:
        imported(
            shell, "first", *(record(n, score(4) if n < 6 else score(None)) for n in range(9))
        )
        later = [record(n, score(1, version="2", at="2026-11-21T08:00:00Z")) for n in range(9)]
        imported(shell, "later", *later)
        told = accuracy(shell)
        assert (told["scorer"], told["n_auto"], told["auto_mean"]) == ("vera@1", 6, 4.0)
        assert told["other_scorers"] == ["vera@2"]
        assert (entry(shell)["n"], entry(shell)["of"]) == (6, 9)
        assert shell.run("stats", "p.review") == 0
        assert "vera@1 on 6 of 9" in shell.out

    def test_scores_of_that_version_count_where_there_was_none(self, shell: Shell) -> None:
        imported(shell, "first", *(record(n, *([score(4)] if n < 6 else [])) for n in range(9)))
        imported(
            shell, "later", *(record(n, score(2, at="2026-11-21T08:00:00Z")) for n in range(9))
        )
        told = accuracy(shell)
        assert (told["n_auto"], told["auto_mean"]) == (9, (6 * 4 + 3 * 2) / 9)

    def test_each_run_and_metric_has_its_own(self, shell: Shell) -> None:
        tone = {"metric": "tone", "scorer": "otto", "scorer_version": "7", "value": 5}
        imported(shell, "first", *(record(n, score(4), tone) for n in range(4)))
        imported(
            shell, "second", *(record(n, score(3, version="2"), tone, run="two") for n in range(4))
        )
        told = shell.document("stats", "p.review", "--run", "one", "--run", "two")
        assert told["metrics"]["accuracy"]["scorer"] is None
        assert told["metrics"]["tone"]["scorer"] == "otto@7"
        assert any(
            (x["what"], x["reason"]) == ("metrics.accuracy", "judge_versions")
            for x in told["stale"]
        )
        names = {(x["run"], x["metric"]): x["version"] for x in told["record"]}
        assert (names["one", "accuracy"], names["two", "accuracy"]) == ("1", "2")

    def test_documents_of_runs_and_check_name_it_too(self, shell: Shell) -> None:
        imported(shell, "first", *(record(n, score(4)) for n in range(4)))
        expected = entry(shell)
        for told in (
            shell.document("runs", "p.review"),
            shell.document("check", "p.review", "--min-pass-rate", "0.5"),
        ):
            found = [x for x in told["record"] if x["metric"] == "accuracy"]
            assert found == [expected]

    def test_an_overall_is_made_of_the_record_only(self, shell: Shell) -> None:
        tone = {"metric": "tone", "scorer": "vera", "scorer_version": "2", "value": 1}
        made = [record(n, score(4), tone | {"scorer_version": "1", "value": 5}) for n in range(4)]
        imported(shell, "first", *made)
        imported(shell, "later", *(record(n, score(1, version="2"), tone) for n in range(4)))
        told = shell.document("stats", "p.review")
        assert told["satisfaction"]["auto_mean"] == 4.5
        # another version for one call, for what it scored; the rest keeps its record
        imported(shell, "third", *(record(n, score(2, version="3")) for n in range(4)))
        told = shell.document("stats", "p.review", "--scorer", "vera@3")
        assert told["metrics"]["accuracy"]["auto_mean"] == 2.0
        assert told["metrics"]["tone"]["auto_mean"] == 5.0
        assert told["satisfaction"]["auto_mean"] == 3.5

    def test_a_first_job_that_was_stopped_fixes_none(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        imported(shell, "first", *(record(n, input=f"Question {n}?") for n in range(8)))

        def script(number: int, _body: Body) -> Answer:
            if number == 3:
                os.kill(os.getpid(), signal.SIGINT)
            delay = 0.5 if 3 <= number < 8 else 0.0
            return Answer('{"score": 4, "reasoning": "So."}', delay=delay)

        with model_server(script) as model:
            judge(shell, "p.review", model.url)
            words = ["evaluate", "p.review", "--judge", "mine", "--metric", "accuracy"]
            assert shell.run(*words, "--concurrency", "1") != 0
            told = accuracy(shell)
            assert (told["auto_mean"], told["scorer"]) == (None, None)
            assert NO_SET in str(told)
            shown = accuracy(shell, "--scorer", "mine")
            assert 0 < shown["n_auto"] < 8
            assert shown["auto_mean"] == 4.0
            assert shell.run("check", "p.review", "--min-score", "accuracy:1") == 1
            # what goes on to its end is a whole set
            assert shell.run("evaluate", "p.review", "--resume") == 0
        assert (accuracy(shell)["n_auto"], accuracy(shell)["auto_mean"]) == (8, 4.0)

    def test_single_failures_of_a_whole_job_count(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        imported(shell, "first", *(record(n, input=f"Question {n}?") for n in range(6)))

        def script(_number: int, body: Body) -> Answer:
            bad = "Question 2?" in str(body["messages"])
            return Answer("no idea" if bad else '{"score": 4, "reasoning": "So."}')

        with model_server(script) as model:
            judge(shell, "p.review", model.url)
            shell.run("evaluate", "p.review", "--judge", "mine", "--metric", "accuracy")
        found = entry(shell)
        assert (found["scorer"], found["n"], found["of"]) == ("mine", 5, 6)


def test_a_project_that_is_exported_and_imported_says_the_same(shell: Shell) -> None:
    """The record is of the project; an export says what was scored, in the order it came."""
    made = [record(n, score(4), score(1, version="2")) for n in range(4)]
    imported(shell, "first", *made)
    assert shell.run("export", "p.review", "whole.jsonl") == 0
    assert shell.run("import", "q.review", "whole.jsonl", "--rubric", "desk.toml") == 0
    told = shell.document("stats", "q.review")["metrics"]["accuracy"]
    assert (told["scorer"], told["auto_mean"]) == ("vera@1", 4.0)
