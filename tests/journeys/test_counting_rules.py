"""Which run, which dates, and that what is excluded is in no figure (R2, R6, R35)."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.journeys.scored import (
    ONE,
    TONE,
    accuracy,
    imported,
    judge,
    label,
    record,
    score,
)
from tests.journeys.shell import Document, Shell, lines
from tests.servers.model_server import Answer, model_server

TWO = ONE + TONE.replace("levels", "pass_at = 3\nlevels", 1)
TODAY = datetime.now(UTC).date()


def ago(days: int, clock: str = "12:00:00Z") -> str:
    return f"{(TODAY - timedelta(days=days)).isoformat()}T{clock}"


def exported(shell: Shell, what: str) -> list[dict[str, str]]:
    assert shell.run("export", "p.review", "out.csv", "--what", what) == 0, shell.err
    text = (shell.folder / "out.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text)))


def reported(shell: Shell, *arguments: str) -> Document:
    assert shell.run("report", "p.review", "out.json", *arguments) == 0, shell.err
    found: Document = json.loads((shell.folder / "out.json").read_text(encoding="utf-8"))
    return found


class TestTheNewestRun:
    """Commands that are told of no run mean the newest (R2)."""

    @pytest.fixture(autouse=True)
    def _two_runs(self, shell: Shell) -> None:
        imported(shell, "old", *(record(n, score(1), run="old") for n in range(6)))
        imported(shell, "new", *(record(n, score(4), run="new") for n in range(3)))

    def test_statistics_cover_it_and_name_what_they_leave_out(self, shell: Shell) -> None:
        told = shell.document("stats", "p.review")
        assert told["metrics"]["accuracy"]["n_auto"] == 3
        assert (told["pass"]["auto_rate"], told["pass"]["n_auto"]) == (1.0, 3)
        assert told["filters"]["left_out"] == ["old"]
        assert shell.run("stats", "p.review") == 0
        assert "old" in shell.out

    def test_so_do_report_and_check(self, shell: Shell) -> None:
        told = reported(shell)
        assert (told["total_cases"], told["pass_rate"], told["runs"]) == (3, 1.0, ["new"])
        check = shell.document("check", "p.review", "--min-pass-rate", "0.9")["checks"][0]
        assert (check["value"], check["n"]) == (1.0, 3)

    def test_a_run_that_is_named_wins(self, shell: Shell) -> None:
        assert accuracy(shell, "--run", "old")["auto_mean"] == 1.0
        both = accuracy(shell, "--run", "old", "--run", "new")
        assert (both["n_auto"], both["auto_mean"]) == (9, 2.0)

    def test_all_pools_the_runs_of_its_rubric(self, shell: Shell) -> None:
        assert accuracy(shell, "--run", "all")["n_auto"] == 9
        (shell.folder / "other.toml").write_text(ONE.replace("desk", "other"), encoding="utf-8")
        (shell.folder / "third.jsonl").write_text(
            lines(*(record(n, score(5), run="third") for n in range(2))), encoding="utf-8"
        )
        words = ["import", "p.review", "third.jsonl", "--rubric", "other.toml"]
        assert shell.run(*words) == 0, shell.err
        assert accuracy(shell)["n_auto"] == 2
        told = shell.document("stats", "p.review", "--run", "all")
        assert told["rubric"] == "other"
        assert told["metrics"]["accuracy"]["n_auto"] == 2
        assert set(told["filters"]["left_out"]) == {"old", "new"}

    def test_lists_and_exports_cover_the_project(self, shell: Shell) -> None:
        assert [x["name"] for x in shell.document("runs", "p.review")["runs"]] == ["old", "new"]
        assert len(exported(shell, "evaluations")) == 9

    def test_a_run_that_was_launched_is_the_newest(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        words = ["judges", "p.review", "add-bot", "echo", "--command", "cat"]
        assert shell.run(*words) == 0, shell.err
        shell.run("evaluate", "p.review", "--run", "old", "--bot", "echo")
        names = [x["name"] for x in shell.document("runs", "p.review")["runs"]]
        assert len(names) == 3
        told = shell.document("stats", "p.review")
        assert set(told["filters"]["left_out"]) == set(names[:2])
        assert told["metrics"]["accuracy"]["n_auto"] == 0


class TestDates:
    """What is judged today counts today, whenever the chat was (R6)."""

    def test_old_chats_judged_and_labelled_today_count(
        self, shell: Shell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
        labels = [label(3, at=ago(0))]
        made = [record(n, occurred_at=ago(260 + n), labels=labels) for n in range(6)]
        imported(shell, "hist", *made)
        with model_server(Answer('{"score": 4, "reasoning": "So."}')) as model:
            judge(shell, "p.review", model.url)
            assert shell.run("evaluate", "p.review", "--judge", "mine") == 0, shell.err
        told = accuracy(shell)
        assert (told["n_labelled"], told["gap_mean"]) == (6, -1.0)
        (run,) = shell.document("runs", "p.review")["runs"]
        assert (run["first"][:10], run["last"][:10]) == (TODAY.isoformat(), TODAY.isoformat())

    @pytest.mark.parametrize(
        ("fields", "at", "inside"),
        [
            ({"evaluated_at": ago(300)}, ago(10), True),
            ({"evaluated_at": ago(10)}, ago(300), False),
            ({"evaluated_at": ago(10), "occurred_at": ago(300)}, None, True),
            ({"evaluated_at": ago(300), "occurred_at": ago(10)}, None, False),
            ({"occurred_at": ago(300)}, None, False),
            ({}, None, True),
        ],
    )
    def test_the_score_then_the_evaluation_then_the_chat(
        self, shell: Shell, fields: Document, at: str | None, inside: bool
    ) -> None:
        dated = {} if at is None else {"at": at}
        imported(shell, "one", record(1, score(4, **dated), labels=[label(3)], **fields))
        told = accuracy(shell)
        assert (told["n_auto"], told["n_human"], told["n_labelled"]) == (1, 1, int(inside))
        assert told["auto_mean"] == 4.0
        asked = accuracy(shell, "--window-months", "6")
        assert asked["n_auto"] == int(inside)

    def test_without_any_date_it_lies_in_every_window(self, shell: Shell) -> None:
        imported(shell, "one", record(1, score(4), labels=[label(3)]))
        told = accuracy(shell, "--as-of", "2001-01-01", "--window-months", "1")
        assert (told["n_auto"], told["n_labelled"]) == (1, 1)
        assert accuracy(shell, "--as-of", "2001-01-01")["n_labelled"] == 1

    def test_a_version_that_does_not_count_dates_nothing(self, shell: Shell) -> None:
        imported(
            shell, "first",
            record(1, score(4, at=ago(300)), labels=[label(3)], evaluated_at=ago(300)),
        )  # fmt: skip
        again = score(2, version="2", at=ago(1))
        imported(shell, "later", record(1, again, evaluated_at=ago(300)))
        assert accuracy(shell)["n_labelled"] == 0

    def test_one_metric_judged_again_does_not_carry_the_others_along(self, shell: Shell) -> None:
        scores = [score(4, at=ago(1)), score(4, "tone", at=ago(300))]
        labels = [label(3), label(3, "tone")]
        imported(shell, "one", record(1, *scores, labels=labels), rubric=TWO)
        told = shell.document("stats", "p.review")
        assert told["metrics"]["accuracy"]["n_labelled"] == 1
        assert told["metrics"]["tone"]["n_labelled"] == 0
        # the oldest of its parts
        assert told["satisfaction"]["n_labelled"] == 0

    @pytest.mark.parametrize(
        ("at", "as_of", "inside"),
        [
            ("2026-02-28T00:00:00Z", "2026-08-31", True),
            ("2026-02-27T23:59:59Z", "2026-08-31", False),
            ("2026-08-31T23:59:59Z", "2026-08-31", True),
            ("2026-09-01T00:00:00Z", "2026-08-31", False),
            # by the project's zone, UTC, never by that of the text
            ("2026-08-31T22:30:00-05:00", "2026-08-31", False),
            ("2026-02-27T22:30:00-05:00", "2026-08-31", True),
        ],
    )
    def test_both_ends_belong_to_the_window(
        self, shell: Shell, at: str, as_of: str, inside: bool
    ) -> None:
        imported(shell, "one", record(1, score(4, at=at), labels=[label(3)]))
        told = accuracy(shell, "--as-of", as_of)
        assert (told["n_labelled"], told["n_auto"]) == (int(inside), 1)


class TestExcluded:
    """Excluded evaluations enter no figure of any command, and no export loses them (R35)."""

    @pytest.fixture(autouse=True)
    def _one_is_excluded(self, shell: Shell) -> None:
        def guest(number: int, *values: int | None, **more: Any) -> Document:
            names = ("relevance", "accuracy", "safety")
            scores = [score(x, m) for x, m in zip(values, names, strict=False) if x is not None]
            return record(number, *scores, **more)

        people = [label(x, m) for x, m in ((1, "relevance"), (1, "accuracy"), (1, "safety"))]
        made = [
            guest(1, 5, 5, 5, latency_ms=100, cost_usd=0.1),
            guest(2, 5, 5, None),
            guest(3, None, 1, None),
            record(4, *(score(None, m) for m in ("relevance", "accuracy", "safety"))),
            guest(5, 3, 4, 5, labels=[label(4, "accuracy")]),
            guest(6, 5, 4, 5, excluded={"reason": "dup"}, labels=people, latency_ms=9000,
                  cost_usd=9.0),
        ]  # fmt: skip
        (shell.folder / "g.jsonl").write_text(lines(*made), encoding="utf-8")
        words = ["import", "p.review", "g.jsonl", "--rubric", "guest-response"]
        assert shell.run(*words) == 0, shell.err

    def test_one_run_has_one_pass_rate(self, shell: Shell) -> None:
        (run,) = shell.document("runs", "p.review")["runs"]
        told = shell.document("stats", "p.review")["pass"]
        assert (told["auto_rate"], told["n_auto"]) == (pytest.approx(2 / 3), 3)
        assert run["pass_rate"] == pytest.approx(2 / 3)
        assert reported(shell)["pass_rate"] == pytest.approx(2 / 3)
        check = shell.document("check", "p.review", "--min-pass-rate", "0.7", code=1)["checks"][0]
        assert (check["value"], check["n"]) == (pytest.approx(2 / 3), 3)
        assert shell.run("runs", "p.review") == 0
        assert "66.7 %" in shell.out

    def test_it_is_in_no_count(self, shell: Shell) -> None:
        (run,) = shell.document("runs", "p.review")["runs"]
        assert (run["evaluations"], run["labelled"]) == (5, 1)
        told = reported(shell, "--top", "9")
        assert told["total_cases"] == 5
        listed = {x["id"] for x in (*told["best_cases"], *told["worst_cases"])}
        assert "e006" not in listed
        assert told["performance"]["avg_latency_ms"] == 100
        assert told["performance"]["avg_cost_usd"] == pytest.approx(0.1)
        words = ["check", "p.review", "--max-avg-cost", "1", "--max-latency", "average:500"]
        assert all(x["ok"] for x in shell.document(*words)["checks"])

    def test_it_is_in_no_comparison(self, shell: Shell) -> None:
        made = [record(n, score(5, "accuracy"), run="two") for n in range(1, 7)]
        imported(shell, "two", *made)
        told = shell.document("compare", "p.review", "--run", "one", "--run", "two")
        assert (told["n"], told["metrics"]["accuracy"]["n"]) == (5, 4)

    def test_it_is_no_disagreement(self, shell: Shell) -> None:
        assert {x["id"] for x in exported(shell, "disagreements")} <= {"e005"}

    def test_it_is_no_sample_of_the_monitor(self, shell: Shell) -> None:
        words = ["monitor", "p.review", "--once", "--sample-rate", "1", "--window", "all"]
        told = shell.document(*words)
        assert "e006" not in json.dumps(told)

    def test_exports_keep_it_marked(self, shell: Shell) -> None:
        assert shell.run("export", "p.review", "all.jsonl") == 0
        text = (shell.folder / "all.jsonl").read_text(encoding="utf-8")
        found = {x["id"]: x for x in map(json.loads, text.splitlines())}
        assert found["e006"]["excluded"]["reason"] == "dup"
        assert "e006" in {x["id"] for x in exported(shell, "labels")}
