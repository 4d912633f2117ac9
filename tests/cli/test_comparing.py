"""`reviewer compare`: two runs, and two judges, against counts made by hand and scipy."""

import json
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from reviewer.cli.main import main
from reviewer.domain.errors import Silent
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest

A = [5, 4, 2, 1, 3, 5, 2, 4]
B = [5, 5, 4, 1, 2, 5, 4, 3]
HUMAN = [5, 5, 4, 1, 1, 5, None, None]


def record(case: int, run: str, value: int, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{run}-{case}", "case": f"case {case}", "run": run, "input": f"Q {case}",
        "response": f"{run} answers {case}", "latency_ms": 100.0 + value,
        "cost_usd": 0.001 * value,
        "scores": [
            {"metric": m, "value": value if m == "accuracy" else 5, "scorer": "judge one"}
            for m in ("relevance", "accuracy", "safety")
        ],
    } | more  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = [record(n, "v1", value) for n, value in enumerate(A)]
    rows += [record(n, "v2", value) for n, value in enumerate(B)]
    rows += [record(99, "v2", 3)]
    for n, human in enumerate(HUMAN):
        if human is not None:
            label = {"metric": "accuracy", "labeler": "p", "value": human}
            rows[n]["labels"] = rows[len(A) + n]["labels"] = [label]
    for n, row in enumerate(rows[: len(A)]):
        row["scores"].append({"metric": "accuracy", "value": B[n], "scorer": "judge two"})
    file = tmp_path / "r.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows))
    path = tmp_path / "p.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    return path


def compared(project: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["compare", str(project), *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_two_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--run", "v1", "--run", "v2"]
    found = compared(project, capsys, *words, "--judge", "judge one", "--judge", "judge one")
    assert (found["n"], found["only_a"], found["only_b"]) == (8, 0, 1)
    accuracy = found["metrics"]["accuracy"]
    test = stats.ttest_rel(B, A)
    # five figures are told together: three metrics, the overall and the pass rate
    assert found["together"] == {"figures": 5, "level_each": pytest.approx(0.99)}
    assert accuracy["level"] == pytest.approx(0.99)
    interval = test.confidence_interval(0.99)
    assert accuracy["difference"] == pytest.approx(sum(B) / 8 - sum(A) / 8)
    assert accuracy["interval"] == pytest.approx([interval.low, interval.high])
    assert accuracy["p"] == pytest.approx(test.pvalue)
    assert accuracy["people"]["n"] == 6
    assert accuracy["people"]["error_a"] == pytest.approx((0 + 1 + 2 + 0 + 2 + 0) / 6)
    assert accuracy["people"]["error_b"] == pytest.approx(1 / 6)
    verdicts = found["pass"]
    assert verdicts["fixed"] == ["v2-2", "v2-6"]
    assert verdicts["broken"] == ["v2-4"]
    assert verdicts["both_wrong"] == ["v2-3"]
    assert verdicts["test"] == "McNemar mid-p"
    assert verdicts["p_exact"] == pytest.approx(stats.binomtest(1, 3).pvalue)
    mid = 2 * stats.binom.cdf(1, 3, 0.5) - stats.binom.pmf(1, 3, 0.5)
    assert verdicts["p"] == verdicts["p_mid"] == pytest.approx(mid)
    assert found["overall"]["difference"] == pytest.approx(accuracy["difference"] / 3)
    assert found["conversations"] is None
    # nothing changed on it: no width is claimed
    safety = found["metrics"]["safety"]
    assert (safety["difference"], safety["interval"], safety["p"]) == (0, [None, None], 1)
    assert "the same on every evaluation" in safety["reason"]
    assert (verdicts["rate_a"], verdicts["rate_b"]) == (5 / 8, 6 / 8)
    assert found["latency_ms"]["difference"] == pytest.approx(accuracy["difference"])
    assert found["cost_usd"]["n"] == 8
    assert found["a"]["latency_ms"]["p95"] is not None


def test_two_judges(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--run", "v1", "--judge", "judge one", "--judge", "judge two"]
    found = compared(project, capsys, *words, "--metric", "accuracy")
    assert found["n"] == 8
    assert list(found["metrics"]) == ["accuracy"]
    assert found["metrics"]["accuracy"]["people"]["error_b"] == pytest.approx(1 / 6)
    assert found["latency_ms"]["difference"] == 0


def test_in_words(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", str(project), "--run", "v1", "--run", "v2"]) == 0
    said = capsys.readouterr().out
    assert "8 shared cases; 0 only in A, 1 only in B." in said
    assert "Mean cost in $, B − A" in said
    assert "Metrics, B − A (95 % over 5 figures: each at 99 %" in said
    assert "McNemar mid-p 0.6250" in said
    assert "Overall: " in said
    assert "relevance, accuracy, safety: by judge one on both sides." in said
    assert "n counts the shared cases" not in said
    judges = ["--judge", "judge one", "--judge", "judge two"]
    assert main(["compare", str(project), "--run", "v1", *judges]) == 0
    said = capsys.readouterr().out
    assert "Both sides are the same responses: every difference is the judge's." in said


def test_another_judge_is_said_once(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = ["compare", str(project), "--run", "v1", "--run", "v2"]
    judges = ["--judge", "judge two", "--judge", "judge one", "--metric", "accuracy"]
    assert main([*runs, *judges]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("judge two → judge one") == 1
    assert (
        "A and B were not scored alike, so that these are neither better nor worse: Accuracy "
        "(another judge: judge two → judge one). How much is the judge's is not known: no answer "
        "is the same on both sides."
    ) in said
    found = compared(project, capsys, *runs[2:], *judges)
    unlike = "another judge: judge two → judge one"
    assert found["metrics"]["accuracy"]["unlike"] == unlike
    # judge two scored nothing else, so that the overall is made of other parts, too
    assert found["unlike"] == f"{unlike}; scores of Relevance and Safety on one side alone"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--run", "v1"], "Name two runs with --run"),
        (["--run", "v1", "--run", "v1"], "Both sides are the same"),
        (["--run", "v1", "--run", "v3"], "There is no run 'v3'"),
        (["--run", "v1", "--run", "v2", "--metric", "x"], "no metric 'x'"),
        (["--judge", "judge one", "--judge", "nobody"], "nobody"),
    ],
)
def test_wrong_use(
    project: Path, capsys: pytest.CaptureFixture[str], words: list[str], sentence: str
) -> None:
    assert main(["compare", str(project), *words]) == 2
    assert sentence in capsys.readouterr().err
