"""A check says what it is of, and calls no partial run green (R31)."""

from typing import Any

import pytest

from tests.journeys.scored import (
    METRIC,
    ONE,
    TONE,
    accuracy,
    imported,
    judge,
    label,
    record,
    score,
)
from tests.journeys.shell import Document, Shell
from tests.servers.model_server import Answer, model_server

TWO = ONE + TONE.replace("levels", "pass_at = 3\nlevels", 1)
KEYS = {"name", "value", "limit", "n", "low", "high", "coverage", "people", "corrected", "state",
        "ok"}  # fmt: skip


def checked(shell: Shell, *arguments: str, code: int = 0) -> Document:
    """The one check that was asked for."""
    (found,) = shell.document("check", "p.review", *arguments, code=code)["checks"]
    one: Document = found
    assert KEYS <= set(one) <= KEYS | {"reason"}
    assert one["ok"] == (one["state"] == "holds") == (code == 0)
    return one


def labelled_run(*, judge_passes: int = 90, n: int = 100, labels: int = 60) -> list[Document]:
    """A run whose judge passes so many; people fail every fifth of what it passes."""
    made = []
    for number in range(n):
        auto = 4 if number % n < judge_passes else 2
        people = 2 if auto == 2 or number % 5 == 0 else 4
        chosen: Document = {"selection_reason": "random", "selection_prob": labels / n}
        given = [label(people, **chosen)] if number * 7 % n < labels else []
        made.append(record(number, score(auto), labels=given))
    return made


class TestChecks:
    """A check says what it is of, and calls no partial run green (R31)."""

    def test_the_judges_rate_with_everything_beside_it(self, shell: Shell) -> None:
        imported(shell, "one", *labelled_run())
        told = shell.document("stats", "p.review")["pass"]
        found = checked(shell, "--min-pass-rate", "0.8")
        assert (found["value"], found["n"], found["coverage"]) == (0.9, 100, 1)
        assert found["low"] < 0.9 < found["high"]
        assert round(told["human_rate"], 6) in _numbers(found["people"])
        assert round(told["corrected"]["mean"], 6) in _numbers(found["corrected"])
        assert shell.run("check", "p.review", "--min-pass-rate", "0.8") == 0
        for rate in (0.9, told["human_rate"], told["corrected"]["mean"]):
            assert any(x in shell.out for x in (f"{100 * rate:.1f}", f"{rate:.3g}"))
        assert "n 100" in shell.out

    def test_a_corrected_rate_holds_fails_or_cannot_be_said(self, shell: Shell) -> None:
        imported(shell, "one", *labelled_run())
        told = shell.document("stats", "p.review")["pass"]["corrected"]
        low, high = told["low"], told["high"]
        limit = "--min-corrected-pass-rate"
        assert checked(shell, limit, f"{low - 0.01:.3f}")["state"] == "holds"
        assert checked(shell, limit, f"{high + 0.01:.3f}", code=1)["state"] == "fails"
        between = checked(shell, limit, f"{(low + high) / 2:.3f}", code=1)
        assert between["state"] == "cannot_be_said"
        assert between["reason"]

    def test_without_labels_a_corrected_rate_cannot_be_said(self, shell: Shell) -> None:
        imported(shell, "one", *(record(n, score(4)) for n in range(20)))
        found = checked(shell, "--min-corrected-pass-rate", "0.5", code=1)
        assert (found["state"], found["value"]) == ("cannot_be_said", None)

    @pytest.mark.parametrize("missing", [[], [score(None)]], ids=["no score", "an error"])
    def test_a_partial_run_is_never_green(self, shell: Shell, missing: list[Document]) -> None:
        made = [record(n, *([score(5)] if n < 9 else missing)) for n in range(10)]
        imported(shell, "one", *made)
        found = checked(shell, "--min-pass-rate", "0.5", code=1)
        assert (found["value"], found["coverage"]) == (1.0, 0.9)
        assert found["reason"]
        assert checked(shell, "--min-pass-rate", "0.5", "--min-coverage", "0.9")["ok"]
        assert not checked(
            shell, "--min-pass-rate", "0.5", "--min-coverage", "0.91", code=1
        )["ok"]  # fmt: skip

    def test_one_case_of_a_whole_job_is_partial_too(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        imported(shell, "one", *(record(n) for n in range(12)))
        with model_server(Answer('{"score": 5, "reasoning": "So."}')) as model:
            judge(shell, "p.review", model.url)
            assert shell.run("evaluate", "p.review", "--judge", "mine", "--limit", "1") == 0
            assert shell.run("check", "p.review", "--min-pass-rate", "0.8") == 1
            # what the job itself planned is whole
            words = ["check", "p.review", "--min-pass-rate", "0.8", "--evaluated", "last"]
            assert shell.run(*words) == 0, shell.out

    def test_checks_of_a_job_are_of_its_version_and_its_evaluations(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        made = [record(n, score(5), score(5, "tone")) for n in range(6)]
        imported(shell, "one", *made, rubric=TWO)

        def script(_number: int, body: Any) -> Answer:
            bad = "Question 3?" in str(body["messages"])
            return Answer(f'{{"score": {1 if bad else 4}, "reasoning": "So."}}')

        with model_server(script) as model:
            judge(shell, "p.review", model.url)
            words = ["evaluate", "p.review", "--judge", "mine", "--metric", "accuracy"]
            assert shell.run(*words, "--limit", "4") == 0, shell.err
        assert checked(shell, "--min-pass-rate", "1")["value"] == 1.0
        found = checked(shell, "--min-pass-rate", "1", "--evaluated", "last", code=1)
        assert (found["value"], found["n"]) == (0.75, 4)
        assert checked(
            shell, "--min-score", "tone:5", "--evaluated", "last"
        )["value"] == 5.0  # fmt: skip
        assert shell.run("check", "p.review", "--min-pass-rate", "1", "--evaluated", "77") == 2

    def test_planned_evaluations_without_a_score_fail(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        made = [record(n, score(5), labels=[label(5)]) for n in range(13)]
        rubric = ONE.replace("[[metrics]]", '[targets]\npass_rate = ">= 0.5"\n[[metrics]]', 1)
        imported(shell, "one", *made, rubric=rubric)

        def script(_number: int, body: Any) -> Answer:
            bad = "Question 3?" in str(body["messages"])
            return Answer("no idea" if bad else '{"score": 5, "reasoning": "So."}')

        with model_server(script) as model:
            judge(shell, "p.review", model.url)
            shell.run("evaluate", "p.review", "--judge", "mine")
        for limit in (
            ["--min-pass-rate", "0.5"], ["--min-score", "accuracy:4"],
            ["--min-score", "overall:4"], ["--max-gap", "0.5"],
            ["--min-agreement", "percent:0.5"], ["--targets"],
        ):  # fmt: skip
            assert checked(shell, *limit)["ok"], limit
            bound = checked(shell, *limit, "--evaluated", "last", code=1)
            assert (bound["state"], bound["coverage"]) == ("fails", 12 / 13)
            assert bound["reason"].startswith("only 92.3 % of the evaluations are scored")
            assert checked(shell, *limit, "--evaluated", "last", "--min-coverage", "0.92")["ok"]

    def test_the_lower_and_the_upper_end(self, shell: Shell) -> None:
        imported(shell, "one", *labelled_run())
        plain = checked(shell, "--min-pass-rate", "0.88")
        assert plain["low"] < 0.88 < plain["value"]
        assert not checked(shell, "--min-pass-rate", "0.88", "--lower", code=1)["ok"]
        assert checked(shell, "--min-pass-rate", f"{plain['low'] - 0.01:.3f}", "--lower")["ok"]
        # labels are counted, not estimated
        assert checked(shell, "--min-labels", "60", "--lower")["ok"]
        gap = abs(accuracy(shell)["gap_mean"])
        assert checked(shell, "--max-gap", f"{gap + 0.001:.6f}")["ok"]
        upper = checked(shell, "--max-gap", f"{gap + 0.001:.6f}", "--upper", code=1)
        assert upper["high"] > gap

    def test_a_missing_interval_fails(self, shell: Shell) -> None:
        made = [record(n, score(4), labels=[label(4)] if n < 3 else []) for n in range(20)]
        imported(shell, "one", *made)
        agreement = ["--min-agreement", "accuracy:percent:0.5"]
        assert checked(shell, *agreement)["ok"]
        assert not checked(shell, *agreement, "--lower", code=1)["ok"]

    def test_a_passing_score_replaces_every_mark(self, shell: Shell) -> None:
        made = [record(n, score(3 if n < 5 else 5), score(4, "tone")) for n in range(10)]
        imported(shell, "one", *made, rubric=TWO)
        assert checked(shell, "--min-pass-rate", "1")["value"] == 1.0
        strict = checked(shell, "--min-pass-rate", "0.4", "--passing-score", "4")
        assert strict["value"] == 0.5
        none = checked(shell, "--min-pass-rate", "0.4", "--passing-score", "4.5", code=1)
        assert none["value"] == 0.0
        assert shell.document("stats", "p.review")["pass"]["auto_rate"] == 1.0

    def test_a_passing_score_on_different_ranges_is_refused(self, shell: Shell) -> None:
        rubric = f'{ONE}[[metrics]]\nname = "done"\nscale = "binary"\npass_at = 1\n'
        imported(shell, "one", record(1, score(4), score(1, "done")), rubric=rubric)
        words = ["check", "p.review", "--min-pass-rate", "0.4", "--passing-score", "4"]
        assert shell.run(*words) == 2
        assert len(shell.err.strip().splitlines()) == 1

    def test_without_a_pass_rule_there_is_nothing_to_check(self, shell: Shell) -> None:
        imported(shell, "one", record(1, score(4)), rubric=f'name = "desk"\n{METRIC}')
        assert shell.run("check", "p.review", "--min-pass-rate", "0.4") == 2

    def test_limits_are_compared_on_nine_decimals(self, shell: Shell) -> None:
        made = [record(n, score(4 if n < 2 else 1)) for n in range(3)]
        imported(shell, "one", *made)
        assert checked(shell, "--min-pass-rate", "0.666666667")["ok"]
        assert not checked(shell, "--min-pass-rate", "0.66666667", code=1)["ok"]

    def test_an_agreement_is_of_every_metric_or_of_one(self, shell: Shell) -> None:
        made = [
            record(
                n, score(4), score(4, "tone"),
                labels=[label(4), label(4 if n % 2 else 2, "tone")],
            )
            for n in range(20)
        ]  # fmt: skip
        imported(shell, "one", *made, rubric=TWO)
        found = shell.document("check", "p.review", "--min-agreement", "percent:0.9", code=1)
        assert [x["ok"] for x in found["checks"]] == [True, False]
        assert checked(shell, "--min-agreement", "accuracy:percent:0.9")["value"] == 1.0
        # everyone gave the same score: there is no kappa
        undefined = checked(shell, "--min-agreement", "accuracy:kappa:0.1", code=1)
        assert undefined["value"] is None
        assert undefined["reason"]


def _numbers(told: Any) -> set[float]:
    """Give every number of a part of a document."""
    if isinstance(told, bool) or told is None:
        return set()
    if isinstance(told, int | float):
        return {round(float(told), 6)}
    parts = told.values() if isinstance(told, dict) else told if isinstance(told, list) else ()
    return {x for part in parts for x in _numbers(part)}
