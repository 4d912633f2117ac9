"""What is odd in rubrics and labels, through the command line: defined, or refused in words."""

from typing import Any

import pytest

from tests.journeys.shell import Shell, lines

LEVELS = "levels = [{value = 1}, {value = 2}, {value = 3}, {value = 4}, {value = 5}]"


def rubric(*metrics: str) -> str:
    return 'name = "odd"\n' + "".join(f"[[metrics]]\n{metric}\n" for metric in metrics)


def record(
    number: int, labels: list[tuple[str, int]], value: int | None = None, **more: Any
) -> dict[str, Any]:
    auto = number % 5 + 1 if value is None else value
    return {
        "id": f"e{number}",
        "response": "r",
        "scores": [{"metric": "a", "value": auto, "scorer": "judge"}],
        "labels": [{"metric": "a", "labeler": who, "value": value} for who, value in labels],
        **more,
    }


def imported(shell: Shell, toml: str, *records: dict[str, Any]) -> int:
    (shell.folder / "odd.toml").write_text(toml, encoding="utf-8")
    (shell.folder / "odd.jsonl").write_bytes(lines(*records).encode())
    return shell.run("import", "p.review", "odd.jsonl", "--rubric", "odd.toml")


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (f'name = "a"\nweight = -1\n{LEVELS}', "weight"),
        (f'name = "a"\nweight = nan\n{LEVELS}', "weight"),
        ('name = "a"\nlevels = []', "levels"),
        ('name = "a"\nscale = "range"\nmin = 5\nmax = 1', "min"),
    ],
)
def test_rubrics_that_mean_nothing_are_refused(shell: Shell, metric: str, words: str) -> None:
    assert imported(shell, rubric(metric), record(1, [])) == 2
    assert words in shell.err
    assert "Traceback" not in shell.err


def test_weights_that_are_all_zero_leave_the_overall_undefined(shell: Shell) -> None:
    made = [record(n, [("ann", n % 4 + 1)]) for n in range(12)]
    assert imported(shell, rubric(f'name = "a"\nweight = 0\n{LEVELS}'), *made) == 0
    found = shell.document("stats", "p.review")
    assert found["satisfaction"]["auto_mean"] is None
    assert found["satisfaction"]["undefined"]["auto_mean"]
    assert found["metrics"]["a"]["auto_mean"] is not None


def test_one_class_one_labeler_and_no_overlap_have_their_reasons(shell: Shell) -> None:
    made = [record(n, [("ann", 4)]) for n in range(10)]
    made += [record(10 + n, [("bo", 4)]) for n in range(10)]
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), *made) == 0
    people = shell.document("stats", "p.review")["metrics"]["a"]["agreement"]["human_human"]
    assert (people["n"], people["labelers"], people["kappa"]) == (0, 2, None)
    assert people["undefined"]["kappa"].startswith("no overlap")
    alone = shell.document("stats", "p.review", "--labeler", "ann")["metrics"]["a"]["agreement"]
    assert alone["human_human"]["undefined"]["kappa"] == "fewer than two labelers"
    # the people gave one score only: kappa is 0, rank correlation is nothing
    assert alone["judge_human"]["kappa"] == 0
    assert alone["judge_human"]["undefined"]["spearman"] == "one side gave one score only"


def test_the_same_label_twice_counts_once(shell: Shell) -> None:
    made = record(1, [("ann", 4), ("ann", 4)])
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), made) == 0
    found = shell.document("stats", "p.review")["metrics"]["a"]
    assert (found["n_human"], found["human_mean"]) == (1, 4)


def test_future_dates_lie_outside_the_window_and_in_the_mean(shell: Shell) -> None:
    made = [
        record(1, [("ann", 4)], evaluated_at="2026-01-05T00:00:00Z"),
        record(2, [("ann", 4)], evaluated_at="2999-01-05T00:00:00Z"),
    ]
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), *made) == 0
    found = shell.document("stats", "p.review", "--as-of", "2026-01-06")["metrics"]["a"]
    assert (found["n_auto"], found["n_human"], found["n_labelled"]) == (2, 2, 1)


def test_a_field_that_no_record_has_is_said(shell: Shell) -> None:
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), record(1, [("ann", 4)])) == 0
    assert shell.run("stats", "p.review", "--group-by", "colour") == 2
    assert "No evaluation in scope has a field 'colour'" in shell.err


def test_a_thousand_metrics(shell: Shell) -> None:
    names = [f"m{n:04}" for n in range(1000)]
    made = {
        "id": "wide",
        "response": "r",
        "scores": [{"metric": x, "value": 3, "scorer": "judge"} for x in names],
        "labels": [{"metric": x, "labeler": "ann", "value": 4} for x in names[::2]],
    }
    toml = rubric(*(f'name = "{x}"\n{LEVELS}' for x in names))
    assert imported(shell, toml, made) == 0
    found = shell.document("stats", "p.review")["metrics"]
    assert list(found) == names
    assert sum(x["n_human"] for x in found.values()) == 500


def test_what_cannot_be_computed_is_said_in_words(shell: Shell) -> None:
    given = [{"metric": "a", "labeler": "ann", "value": 4}]
    unscored = [{"id": f"u{n}", "response": "r", "labels": given} for n in range(3)]
    made = [record(n, []) for n in range(12)]
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), *made, *unscored) == 0
    assert shell.run("stats", "p.review") == 0
    assert "No corrected mean of a: no overlap: no judged evaluation is labelled" in shell.out
    assert "Agreement on a: no overlap: no evaluation has both." in shell.out


def test_everyone_giving_the_same_score_is_said_in_words(shell: Shell) -> None:
    made = [record(n, [("ann", 3)], value=3) for n in range(12)]
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), *made) == 0
    assert shell.run("stats", "p.review") == 0
    assert "a: Everyone gave the same score: agreement 100 %" in shell.out


def test_one_class_that_dominates_is_said_with_both_rates(shell: Shell) -> None:
    pairs = [(4, 4)] * 90 + [(4, 1)] * 5 + [(1, 4)] * 5
    made = [record(n, [("ann", human)], value=auto) for n, (auto, human) in enumerate(pairs)]
    assert imported(shell, rubric(f'name = "a"\n{LEVELS}'), *made) == 0
    assert shell.run("stats", "p.review") == 0
    assert (
        "a: One class dominates: 90 % are the same, yet kappa is \u22120.05. Where people gave 4 "
        "(n = 95) the judge gave the same in 95 %, elsewhere (n = 5) in 0 %."
    ) in shell.out
    found = shell.document("stats", "p.review")["metrics"]["a"]["agreement"]["judge_human"]
    assert found["note"].startswith("One class dominates")
    assert found["words"]["kappa"] == "may be poor"
