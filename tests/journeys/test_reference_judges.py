"""Judges against people on pass or fail, on choices, and against themselves."""

from pathlib import Path
from typing import Any

import pytest

from reviewer.stats.passfail import GoldenSet, rogan_gladen
from tests.journeys.reference import (
    Block,
    Tables,
    compare,
    labelers,
    ranges,
    reference,
    yes_or_no,
)

TRIVIA = "UMass-Meta-LLM-Eval+llm_eval/results/TriviaQA_Judges_w_HumanJudgement_V1.csv"
JUDGES = (
    "Mistral-7B", "Llama-7B", "Llama-13B", "Llama3-8B", "Gemma-2B", "Llama-70B", "EM",
    "Llama3-70B", "GPT-4", "JudgeLM", "Contains",
)  # fmt: skip
G_EVAL = "gyuhyeonseo+G-EVAL/results/geval4_rel_eng_eng.json"
PROMETHEUS = "prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json"


@pytest.fixture(scope="module")
def trivia(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    tables = Tables(tmp_path_factory.mktemp("trivia"), shared_data)
    report = tables.take(f"{TRIVIA}.gz", "triviaqa_judges", yes_or_no("trivia", "correct"))
    assert (report["added"], report["labels"]) == (3600, 3600)
    return tables


def verdicts(tables: Tables, judge: str) -> Block:
    return tables.stats("--scorer", judge, "--group-by", "model")


@pytest.mark.parametrize("judge", JUDGES)
def test_verdicts_of_a_judge_against_a_person(
    shared_data: Path, trivia: Tables, judge: str
) -> None:
    expected: Block = reference(shared_data, TRIVIA, "judges", judge)
    document = verdicts(trivia, judge)
    block = document["metrics"]["correct"]
    # cells without a verdict are no verdict, neither pass nor fail
    assert block["n_auto"] == expected["n"]
    table = [[expected["tn"], expected["fp"]], [expected["fn"], expected["tp"]]]
    assert block["confusion"] == {"values": [0, 1], "table": table}
    names = {
        "n": "n", "percent": "agreement", "kappa": "cohen_kappa", "fleiss": "scott_pi",
        "ac1": "gwet_ac1", "alpha_nominal": "alpha_nominal",
    }  # fmt: skip
    compare(block["agreement"]["judge_human"], expected, names)


@pytest.mark.parametrize("judge", JUDGES)
def test_pass_and_fail_of_a_judge(shared_data: Path, trivia: Tables, judge: str) -> None:
    """Here the class that counts is fail, in the reference it is pass."""
    expected: Block = reference(shared_data, TRIVIA, "judges", judge)
    found = verdicts(trivia, judge)["pass"]
    names = {
        "n": "n", "auto_rate": "judge_pass_rate", "specificity": "tpr", "catch_rate": "tnr",
        "npv": "precision", "mcc": "mcc",
    }  # fmt: skip
    compare(found, expected, names)
    compare(
        found, {"rate": reference(shared_data, TRIVIA, "human_pass_rate")}, {"human_rate": "rate"}
    )
    of_pass = 2 * found["npv"] * found["specificity"] / (found["npv"] + found["specificity"])
    compare({"f1": of_pass}, expected, ["f1"])
    caught, missed, wrong = expected["tn"], expected["fp"], expected["fn"]
    assert found["f1"] == pytest.approx(2 * caught / (2 * caught + missed + wrong), abs=1e-12)


@pytest.mark.parametrize("judge", ["GPT-4", "Contains"])
def test_rates_of_each_model(shared_data: Path, trivia: Tables, judge: str) -> None:
    expected: Block = reference(
        shared_data, TRIVIA, "judges", judge, "adjusted_leave_one_model_out"
    )
    groups = verdicts(trivia, judge)["groups"]["metrics"]["correct"]["groups"]
    found = {group["value"]: group for group in groups}
    assert found.keys() == expected.keys()
    for model, rates in expected.items():
        compare(found[model], rates, {"n": "n", "auto_mean": "raw", "human_mean": "human"})


def golden(table: list[list[int]], without: list[list[int]]) -> GoldenSet:
    """Take tables of human by judge verdicts, fail first, less those of one model."""
    (caught, missed), (wrong, kept) = (
        [whole - part for whole, part in zip(*rows, strict=True)]
        for rows in zip(table, without, strict=True)
    )
    return GoldenSet(fails=caught + missed, caught=caught, passes=wrong + kept, kept=kept)


@pytest.mark.parametrize("judge", ["GPT-4", "Contains"])
def test_adjusted_rates_of_each_model(shared_data: Path, trivia: Tables, judge: str) -> None:
    """Judge each model by what the judge does to all the others."""
    expected = reference(shared_data, TRIVIA, "judges", judge)
    everything = verdicts(trivia, judge)["metrics"]["correct"]["confusion"]["table"]
    far = []
    for model, rates in expected["adjusted_leave_one_model_out"].items():
        block = trivia.metric("correct", "--scorer", judge, "--where", f"model={model}")
        own = block["confusion"]["table"]
        passed = sum(row[1] for row in own)
        made = rogan_gladen(golden(everything, own), judged_pass=passed, judged=block["n_auto"])
        compare({"adjusted": made.value}, rates, ["adjusted"])
        assert made.value is not None
        far.append(abs(made.value - block["human_mean"]))
    compare({"far": sum(far) / len(far)}, expected, {"far": "mae_adjusted_vs_human"})


def test_the_corrected_rate_with_its_interval(shared_data: Path) -> None:
    for case in reference(shared_data, "rogan_gladen_ci95"):
        made = rogan_gladen(
            GoldenSet(
                fails=case["m0"],
                caught=round(case["specificity"] * case["m0"]),
                passes=case["m1"],
                kept=round(case["sensitivity"] * case["m1"]),
            ),
            judged_pass=round(case["p"] * case["n"]),
            judged=case["n"],
        )
        low, high = case["ci95"]
        there = {"value": case["theta"], "low": low, "high": high}
        compare({"value": made.value, "low": made.low, "high": made.high}, there, [*there])


@pytest.mark.parametrize("judge", ["GPT-4", "ChatGPT"])
def test_choices_in_both_orders(shared_data: Path, tmp_path: Path, judge: str) -> None:
    expected: dict[str, Any] = reference(shared_data, f"LLMBar Natural {judge}/CoT")
    tables = Tables(tmp_path, shared_data)
    folder = f"princeton-nlp+LLMBar/Dataset/LLMBar/Natural/evaluators/{judge}/CoT"
    tables.take(f"{folder}/result.json", "llmbar_orders")
    gold = labelers("gold")
    given = tables.judge("preference", "--scorer", "as given", *gold)
    swapped = tables.judge("preference", "--scorer", "swapped", *gold)
    names = {"n": "n", "percent": "acc_not_swapped", "kappa": "kappa_vs_gold_not_swapped"}
    compare(given, expected, names)
    compare(swapped, expected, {"percent": "acc_swapped"})
    average = (given["percent"] + swapped["percent"]) / 2
    assert f"{average:.1%}" == expected["published"]["correct_average"]
    orders = labelers("as given", "swapped")
    names = {"percent": "positional_agreement", "kappa": "kappa_between_orders"}
    compare(tables.people("preference", *orders), expected, names)
    coded = tables.people("first_preferred", *orders)
    assert coded["kappa"] == pytest.approx(expected["published"]["kappa_agreement"], abs=1e-9)


@pytest.mark.parametrize(
    ("file", "metric"),
    [("annotated_data", "helpfulness"), ("edited_chain_runs", "answer_correctness")],
)
def test_verdicts_that_a_person_corrected(
    shared_data: Path, tmp_path: Path, file: str, metric: str
) -> None:
    name = f"explodinggradients+ragas/docs/_static/{file}.json"
    expected = reference(shared_data, name, metric)
    tables = Tables(tmp_path, shared_data)
    tables.take(name, "ragas")
    compare(
        tables.metric(metric), expected, {"auto_mean": "judge_rate", "human_mean": "human_rate"}
    )
    names = {"n": "n", "percent": "agreement", "kappa": "cohen_kappa"}
    compare(tables.judge(metric), expected, names)


def test_a_judge_asked_three_times(shared_data: Path, tmp_path: Path) -> None:
    expected = reference(shared_data, PROMETHEUS)
    tables = Tables(tmp_path, shared_data)
    tables.take(f"{PROMETHEUS}.gz", "prometheus_repeats")
    found = tables.people("score")
    assert (found["n"], found["labelers"]) == (expected["items"], expected["runs"])
    compare(found, expected, ("alpha_ordinal", "alpha_interval"))
    first = tables.stats()["labelers"][0]
    assert (first["a"], first["b"]) == ("reply 1", "reply 2")
    compare(first, expected, {"kappa_quadratic": "qwk_12"})
    for n, mean in enumerate(expected["mean"], start=1):
        reply = tables.metric("score", "--scorer", f"gpt-4@reply {n}")
        compare(reply, {"mean": mean}, {"auto_mean": "mean"})


def test_a_judge_whose_score_is_the_mean_of_twenty_replies(
    shared_data: Path, tmp_path: Path
) -> None:
    expected = reference(shared_data, G_EVAL)
    tables = Tables(tmp_path, shared_data)
    tables.take(G_EVAL, "g_eval_published", ranges("g-eval", ["relevance"], 0, 5))
    found = tables.judge("relevance")
    names = {x: x for x in ("n", "pearson", "spearman", "kendall_b", "mae")}
    compare(found, expected, names | {"sd_gap": "sd_gap_ddof1"})
    compare({"bias": -found["bias"]}, expected, {"bias": "mean_gap"})


def test_the_replies_of_a_judge_asked_three_times_open_without_a_mapping(
    shared_data: Path, tmp_path: Path
) -> None:
    expected = reference(shared_data, PROMETHEUS)
    tables = Tables(tmp_path, shared_data)
    assert tables.take(f"{PROMETHEUS}.gz")["scores"] == 960
    for n, mean in enumerate(expected["mean"], start=1):
        reply = tables.metric("score", "--scorer", f"gpt-4@reply {n}")
        compare(reply, {"mean": mean}, {"auto_mean": "mean"})


@pytest.mark.parametrize("judge", ["GPT-4", "Contains", "Llama-70B"])
def test_verdicts_open_without_a_mapping(shared_data: Path, tmp_path: Path, judge: str) -> None:
    tables = Tables(tmp_path, shared_data)
    assert tables.take(f"{TRIVIA}.gz")["labels"] == 3600
    expected = reference(shared_data, TRIVIA, "judges", judge)
    names = {"n": "n", "percent": "agreement", "kappa": "cohen_kappa", "ac1": "gwet_ac1"}
    compare(tables.judge("correct", "--scorer", judge), expected, names)
