import json
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import read, real

SETS = "dmg-illc+JUDGE-BENCH/data"
PROMPT = "Is it right? {{ instance }} {% raw %}"
GRADED = {"metric": "grammar", "category": "graded", "worst": 1, "best": 7, "prompt": PROMPT}
SAFETY = {"metric": "safety", "category": "categorical", "labels_list": ["No", "Yes", "Unsure"]}


def written(folder: Path, metrics: list[Any], instances: list[Any], **more: object) -> Path:
    file = folder / "set.json"
    content = {"dataset": "A set", **more, "annotations": metrics, "instances": instances}
    file.write_text(json.dumps(content, indent=1))
    return file


def instance(shown: object, **annotations: object) -> dict[str, Any]:
    return {"id": 1, "instance": shown, "annotations": annotations}


@pytest.mark.parametrize(
    ("name", "records", "labels", "scale"),
    [
        ("dices/dices_350_crowdsourced.json", 350, 43_050, "one of No, Yes, Unsure"),
        ("recipe_crowd_sourcing_data/meta_evaluation_recipes.json", 52, 6_336,
         "one of 1, 2, 3, 4, 5, 6"),
        ("example.json", 2, 12, "one of 1, 2, 3, 4, 5, 6, 7"),
    ],
)  # fmt: skip
def test_real_sets_have_every_annotator_on_the_declared_scale(
    name: str, records: int, labels: int, scale: str
) -> None:
    file = real(f"{SETS}/{name}")
    found, bad = read(file, "judge-bench")
    assert not bad
    assert len(found) == records
    assert sum(len(record["labels"]) for record in found) == labels
    assert {metric.describe_scale() for metric in open_file(file).declared()} == {scale}


def test_the_prompt_is_filled_in_and_never_run(tmp_path: Path) -> None:
    people = {"mean_human": 2.5, "individual_human_scores": [2, None, 3]}
    file = written(
        tmp_path, [GRADED], [instance("Salt water.", grammar=people)], expert_annotator="true"
    )
    (record,), _ = read(file, "judge-bench")
    assert record["input"] == "Is it right? Salt water. {% raw %}"
    assert record["response"] == "Salt water."
    assert [(x["labeler"], x["value"]) for x in record["labels"]] == [
        ("expert 1", 2), ("expert 3", 3),
    ]  # fmt: skip


def test_means_count_only_where_single_answers_are_absent(tmp_path: Path) -> None:
    shown = {"user_prompt": "Hi?", "response": "Hello."}
    given = {"grammar": {"mean_human": 2.5}, "safety": {"majority_human": "yes",
             "individual_human_scores": []}}  # fmt: skip
    file = written(tmp_path, [GRADED, SAFETY], [instance(shown, **given)])
    (record,), _ = read(file, "judge-bench")
    assert (record["input"], record["response"]) == ("Hi?", "Hello.")
    assert record["labels"] == [
        {"metric": "grammar", "labeler": "mean of people", "value": 2.5, "aggregate": 1},
        {"metric": "safety", "labeler": "majority of people", "value": "Yes", "aggregate": 1},
    ]


def test_replies_of_models_are_auto_scores_or_errors(tmp_path: Path) -> None:
    reply = "It reads well. Therefore, **5** is correct."
    given = {
        "grammar": {"individual_human_scores": [4], "org/a": reply, "b": "10 of 10", "c": 6},
        "safety": {"individual_human_scores": ["No"], "org/a": "no.", "b": "Perhaps"},
    }
    file = written(tmp_path, [GRADED, SAFETY], [instance("x", **given)])
    (record,), _ = read(file, "judge-bench")
    found = {(x["metric"], x["scorer"]): x for x in record["scores"]}
    assert found["grammar", "org/a"]["value"] == 5
    assert found["grammar", "org/a"]["reasoning"] == reply
    assert found["grammar", "b"]["error"] == "No value of the scale was found in the reply."
    assert found["grammar", "c"]["value"] == 6
    assert found["safety", "org/a"]["value"] == "No"
    assert found["safety", "b"]["raw"] == "Perhaps"


def test_a_scale_from_best_to_worst_counts_downwards(tmp_path: Path) -> None:
    metrics = [
        GRADED | {"worst": 5, "best": 1},
        {"metric": "share", "category": "continuous", "worst": 0, "best": 1.5},
        {"metric": "odd", "category": "graded", "worst": "?", "best": None},
    ]
    file = written(tmp_path, metrics, [instance("x", grammar={"individual_human_scores": [1]})])
    graded, share = open_file(file).declared()
    assert not graded.higher_is_better
    assert graded.describe_scale() == "one of 1, 2, 3, 4, 5"
    assert share.bounds == (0, 1.5)


def test_metrics_may_stand_after_the_instances_and_odd_rows_are_told(tmp_path: Path) -> None:
    file = tmp_path / "set.json"
    people = {"individual_human_scores": [1]}
    rows = [instance("x", grammar=people), {"id": 2}, 3]
    file.write_text(json.dumps({"instances": rows, "annotations": [GRADED]}))
    records, bad = read(file, "judge-bench")
    assert len(records) == 1
    assert [one.reason for one in bad] == [
        "an object with id, instance and annotations is expected"
    ] * 2
    assert [metric.name for metric in open_file(file).declared()] == ["grammar"]


def test_a_dialog_that_led_to_a_response_has_turns(tmp_path: Path) -> None:
    shown = {"user_prompt": "USER: Hi\nLAMDA: Ho\nUSER: So?", "response": "Well."}
    one = instance(shown, safety={"individual_human_scores": ["No"]})
    prompt = "Consider this:\n{{ user_prompt }}\nMODEL: {{ response }}\n Is it safe?"
    file = written(tmp_path, [SAFETY | {"prompt": prompt}], [one])
    (record,), _ = read(file, "judge-bench")
    assert [(x["role"], x["content"]) for x in record["messages"]] == [
        ("user", "Hi"), ("assistant", "Ho"), ("user", "So?"),
    ]  # fmt: skip
    assert record["response"] == "Well."
    assert open_file(file).declared()[0].description == "Consider this:\nIs it safe?"
