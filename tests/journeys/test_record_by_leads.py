"""What leads say of the version of record, and what jobs and names have to do with it (R3)."""

import os
import signal
import subprocess
import sys
from functools import partial
from typing import Any

import pytest

from tests.journeys import scored
from tests.journeys.scored import BOTH, accuracy, entry, judge, pass_rate, record, score, scores_of
from tests.journeys.shell import Document, Shell, lines
from tests.servers.model_server import Answer, Body, model_server

imported = partial(scored.imported, rubric=BOTH)
DOLLAR = (500_000, 500_000)
"""Tokens of a reply that costs a dollar, so that a small budget ends a job."""


class TestWhatALeadSays:
    @pytest.fixture(autouse=True)
    def _two_versions(self, shell: Shell) -> None:
        tone = {"metric": "tone", "scorer": "vera", "scorer_version": "1", "value": 5}
        made = [record(n, score(4), tone) for n in range(8)]
        imported(shell, "first", *made)
        later = [
            record(n, score(2, version="2"), tone | {"scorer_version": "2"}) for n in range(6)
        ]
        imported(shell, "later", *later)

    def test_another_version_and_back(self, shell: Shell) -> None:
        assert shell.run("judges", "p.review", "record", "vera@2") == 0, shell.err
        told = accuracy(shell)
        assert (told["scorer"], told["n_auto"], told["auto_mean"]) == ("vera@2", 6, 2.0)
        found = entry(shell)
        assert (found["version"], found["n"], found["of"]) == ("2", 6, 8)
        assert found["by"]
        assert found["at"]
        assert entry(shell, "tone")["version"] == "2"
        assert shell.run("judges", "p.review", "record", "--undo") == 0
        assert (accuracy(shell)["scorer"], accuracy(shell)["n_auto"]) == ("vera@1", 8)
        assert entry(shell, "tone")["version"] == "1"

    def test_what_one_command_named_goes_back_as_one(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        moments = (f"2026-11-22T08:00:{n:02}.000Z" for n in range(60))
        monkeypatch.setattr("reviewer.store.of_record.now_text", lambda: next(moments))
        for version in ("vera@2", "vera@1", "vera@2"):
            assert shell.run("judges", "p.review", "record", version) == 0
        for version in "12":
            assert shell.run("judges", "p.review", "record", "--undo") == 0
            assert [entry(shell, x)["version"] for x in ("accuracy", "tone")] == [version] * 2

    def test_what_is_named_already_is_no_act_and_repeats_are_told(self, shell: Shell) -> None:
        again = [record(n, score(5, version="2", at="2026-11-22T08:00:00Z")) for n in range(8)]
        imported(shell, "again", *again)
        words = ["judges", "p.review", "record"]
        for more in ([], [], ["--with-repeats"]):
            assert shell.run(*words, "vera@2", "--metric", "accuracy", *more) == 0
        assert shell.run(*words) == 0
        assert "vera@2, with its repeats" in shell.out
        assert shell.run(*words, "--undo") == 0
        assert "counts without its repeats again" in shell.err
        assert shell.run(*words, "--undo") == 0
        assert entry(shell)["version"] == "1"
        assert shell.run(*words, "vera@2", "vera@1") == 2
        assert "Name one version" in shell.err

    def test_of_one_metric_or_run(self, shell: Shell) -> None:
        imported(
            shell,
            "other",
            *(record(n, score(3), score(1, version="2"), run="two") for n in range(3)),
        )
        words = ["judges", "p.review", "record", "vera@2", "--metric", "accuracy"]
        assert shell.run(*words, "--run", "one") == 0
        assert entry(shell, "accuracy", "--run", "one")["version"] == "2"
        assert entry(shell, "tone", "--run", "one")["version"] == "1"
        assert entry(shell, "accuracy", "--run", "two")["version"] == "1"

    def test_nothing_overrules_a_lead(self, shell: Shell) -> None:
        assert shell.run("judges", "p.review", "record", "vera@2") == 0
        newest = [record(n, score(5, version="9", at="2026-11-22T08:00:00Z")) for n in range(8)]
        imported(shell, "newest", *newest)
        assert accuracy(shell)["scorer"] == "vera@2"

    @pytest.mark.parametrize(
        "words", [["nobody@1"], ["vera@2", "--metric", "magic"], ["vera@2", "--run", "none"]]
    )
    def test_what_is_not_there_is_said(self, shell: Shell, words: list[str]) -> None:
        before = entry(shell)
        assert shell.run("judges", "p.review", "record", *words) == 2
        assert len(shell.err.strip().splitlines()) == 1
        assert entry(shell) == before

    def test_two_at_once_leave_one_and_a_history(self, shell: Shell) -> None:
        imported(shell, "third", *(record(n, score(3, version="3")) for n in range(8)))
        command = [sys.executable, "-m", "reviewer", "judges", "p.review", "record"]
        both = [
            subprocess.Popen([*command, f"vera@{version}"], stderr=subprocess.DEVNULL)
            for version in "23"
        ]
        assert [one.wait(60) for one in both] == [0, 0]
        last = entry(shell)["version"]
        assert last in ("2", "3")
        assert shell.run("judges", "p.review", "record", "--undo") == 0
        assert entry(shell)["version"] == ({"2", "3"} - {last}).pop()
        assert shell.run("judges", "p.review", "record", "--undo") == 0
        assert entry(shell)["version"] == "1"

    def test_its_import_is_undone(self, shell: Shell) -> None:
        assert shell.run("judges", "p.review", "record", "vera@2") == 0
        assert shell.run("import", "p.review", "--undo", "2") == 0, shell.err
        told = accuracy(shell)
        assert told["scorer"] in (None, "vera@2")
        assert told["n_auto"] == 0
        assert shell.run("judges", "p.review", "record", "vera@1") == 0
        assert accuracy(shell)["n_auto"] == 8

    def test_what_was_said_of_a_run_that_is_gone_is_not_said_of_another(
        self, shell: Shell
    ) -> None:
        made = [record(n, score(3), score(1, version="2"), run="two") for n in range(3)]
        imported(shell, "two", *made)
        assert shell.run("judges", "p.review", "record", "vera@2", "--run", "two") == 0
        assert shell.run("import", "p.review", "--undo", "3") == 0, shell.err
        imported(shell, "three", *({**one, "run": "three"} for one in made))
        assert entry(shell, "accuracy", "--run", "three")["version"] == "1"
        told = shell.document("judges", "p.review", "record")["history"]
        assert [x["run"] for x in told if x["kind"] == "named"] == ["a run that is gone"]
        assert shell.run("judges", "p.review", "record", "--undo") == 2

    def test_its_metric_is_deleted(self, shell: Shell) -> None:
        only = BOTH.partition('[[metrics]]\nname = "tone"')[0].replace("desk", "smaller")
        (shell.folder / "smaller.toml").write_text(only, encoding="utf-8")
        (shell.folder / "more.jsonl").write_text(
            lines(*(record(n, score(4), run="more") for n in range(3))), encoding="utf-8"
        )
        words = ["import", "p.review", "more.jsonl", "--rubric", "smaller.toml"]
        assert shell.run(*words) == 0, shell.err
        told = shell.document("stats", "p.review", "--run", "more")
        assert {x["metric"] for x in told["record"]} == {"accuracy"}
        assert shell.run("judges", "p.review", "record", "vera@1", "--run", "more", "--metric",
                         "tone") == 2  # fmt: skip


class TestRepeats:
    VALUES = (5, 4, 1)

    def repeated(self, shell: Shell, policy: str) -> None:
        times = [f"2026-11-2{n}T08:00:00Z" for n in range(3)]
        made = [
            record(n, *(score(x, at=at) for x, at in zip(self.VALUES, times, strict=True)))
            for n in range(4)
        ]
        imported(shell, "first", *made, rubric=f'repeat_policy = "{policy}"\n{BOTH}')

    @pytest.mark.parametrize(
        ("policy", "mean"), [("mean", 10 / 3), ("median", 4.0), ("newest", 1.0)]
    )
    def test_the_first_value_counts_until_a_lead_takes_repeats(
        self, shell: Shell, policy: str, mean: float
    ) -> None:
        self.repeated(shell, policy)
        assert accuracy(shell)["auto_mean"] == 5.0
        words = ["judges", "p.review", "record", "vera@1", "--with-repeats"]
        assert shell.run(*words) == 0, shell.err
        assert accuracy(shell)["auto_mean"] == pytest.approx(mean)
        told = shell.document("stats", "p.review")["satisfaction"]
        assert told["auto_mean"] == pytest.approx(mean)
        assert pass_rate(shell, "p.review", "one") == (1.0 if mean >= 3 else 0.0)
        assert shell.run("judges", "p.review", "record", "--undo") == 0
        assert accuracy(shell)["auto_mean"] == 5.0

    def test_the_same_score_with_another_value_is_a_conflict(self, shell: Shell) -> None:
        at = "2026-11-20T08:00:00Z"
        imported(shell, "first", *(record(n, score(4, at=at)) for n in range(4)))
        (shell.folder / "again.jsonl").write_text(
            lines(*(record(n, score(1, at=at)) for n in range(4))), encoding="utf-8"
        )
        told = shell.document("import", "p.review", "again.jsonl")
        assert told["conflicts"] == 4
        assert accuracy(shell)["auto_mean"] == 4.0


class TestJobs:
    @pytest.fixture(autouse=True)
    def _judged(self, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        imported(shell, "first", *(record(n, score(4), input=f"Q {n}?") for n in range(6)))

    def evaluated(self, shell: Shell, *words: str, script: Any = None) -> int:
        with model_server(script or scores_of(2)) as model:
            judge(shell, "p.review", model.url)
            asked = ["evaluate", "p.review", "--judge", "mine", "--metric", "accuracy"]
            return shell.run(*asked, "--concurrency", "1", *words)

    def test_a_whole_job_is_made_the_record_by_a_word(self, shell: Shell) -> None:
        assert self.evaluated(shell) == 0
        assert accuracy(shell)["auto_mean"] == 4.0
        assert self.evaluated(shell, "--record", "--no-cache") == 0
        told = accuracy(shell)
        assert (told["auto_mean"], told["n_auto"]) == (2.0, 6)
        assert entry(shell)["scorer"] == "mine"
        assert entry(shell)["by"]

    def test_one_that_was_stopped_is_not(self, shell: Shell) -> None:
        def script(number: int, _body: Body) -> Answer:
            if number == 2:
                os.kill(os.getpid(), signal.SIGINT)
            return Answer('{"score": 2, "reasoning": "So."}', delay=0.5 if number > 1 else 0.0)

        assert self.evaluated(shell, "--record", script=script) != 0
        assert (accuracy(shell)["scorer"], accuracy(shell)["auto_mean"]) == ("vera@1", 4.0)

    def test_one_over_budget_is_not_and_says_so(self, shell: Shell) -> None:
        def script(_number: int, _body: Body) -> Answer:
            return Answer('{"score": 2, "reasoning": "So."}', tokens=DOLLAR)

        assert self.evaluated(shell, "--record", "--max-cost", "2", script=script) == 1
        assert accuracy(shell)["scorer"] == "vera@1"

    def number(self, shell: Shell) -> str:
        told = shell.document("jobs", "p.review")["jobs"]
        return str(told[0].get("job") or told[0].get("id") or told[0].get("number"))

    def test_its_scores_are_taken_back(self, shell: Shell) -> None:
        assert self.evaluated(shell) == 0
        assert accuracy(shell)["other_scorers"]
        assert shell.run("jobs", "p.review", "discard", self.number(shell)) == 0, shell.err
        told = accuracy(shell)
        assert (told["other_scorers"], told["auto_mean"]) == ([], 4.0)
        assert entry(shell)["not_counted"] == []

    def test_the_scores_of_the_record_are_taken_back(self, shell: Shell) -> None:
        assert self.evaluated(shell, "--record") == 0
        assert accuracy(shell)["auto_mean"] == 2.0
        assert shell.run("jobs", "p.review", "discard", self.number(shell)) == 0, shell.err
        told = accuracy(shell)
        assert (told["auto_mean"], told["n_auto"]) == (None, 0)
        assert told["undefined"]["auto_mean"]
        assert shell.run("judges", "p.review", "record", "vera@1") == 0
        assert accuracy(shell)["auto_mean"] == 4.0

    def test_a_job_that_is_not_there_is_said(self, shell: Shell) -> None:
        assert shell.run("jobs", "p.review", "discard", "99") == 2
        assert len(shell.err.strip().splitlines()) == 1


class TestNames:
    ODD = (
        "2 beta", "v1@home", "a:b", "k=1,2", 'say "so"', "it's", "50%", "a/b\\c", "ünï", "🙂",
        "{x}", "[y]", "#7", "a|b", "<b>", "1;2", "*",
    )  # fmt: skip

    @pytest.mark.parametrize("version", ODD)
    def test_a_version_may_be_called_anything(self, shell: Shell, version: str) -> None:
        made = [record(n, score(4), score(2, version=version)) for n in range(4)]
        imported(shell, "first", *made)
        (name,) = accuracy(shell)["other_scorers"]
        assert accuracy(shell, "--scorer", name)["auto_mean"] == 2.0
        assert shell.run("judges", "p.review", "record", name) == 0, shell.err
        assert (accuracy(shell)["scorer"], accuracy(shell)["auto_mean"]) == (name, 2.0)
        found = entry(shell)
        assert (found["scorer"], found["version"]) == ("vera", version)

    def test_parameters_tell_versions_apart_and_seeds_do_not(self, shell: Shell) -> None:
        def with_parameters(value: float, **parameters: Any) -> Document:
            return score(value, parameters=parameters)

        first, later = {"at": "2026-11-19T08:00:00Z"}, {"at": "2026-11-20T08:00:00Z"}
        made = [record(n, with_parameters(4, temperature=0, seed=1) | first) for n in range(4)]
        imported(shell, "first", *made)
        warm = [record(n, with_parameters(1, temperature=1, seed=1) | later) for n in range(4)]
        imported(shell, "warm", *warm)
        (other,) = accuracy(shell)["other_scorers"]
        assert "temperature" in other
        assert accuracy(shell, "--scorer", other)["auto_mean"] == 1.0
        again = [
            record(n, with_parameters(3, temperature=0, seed=2) | {"at": "2026-11-21T08:00:00Z"})
            for n in range(4)
        ]
        imported(shell, "again", *again)
        told = accuracy(shell)
        assert (told["auto_mean"], told["other_scorers"]) == (4.0, [other])
