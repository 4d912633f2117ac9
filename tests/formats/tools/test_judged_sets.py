import csv
import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import DATA, read, real

SUMMEVAL = "DAMO-NLP-SG+LLM_summeval"
TRIVIA = "UMass-Meta-LLM-Eval+llm_eval/results/TriviaQA_Judges_w_HumanJudgement_V1.csv.gz"
FED = "DSincerity+FED_Replication"


def test_real_summeval_has_experts_turkers_and_the_judges_beside() -> None:
    files = sorted(real(SUMMEVAL).glob("model_output_annotations/*.gz"))
    with gzip.open(DATA / "derived/summeval_long.csv.gz", "rt", newline="") as table:
        known = {(row["item_id"], row["metric"]): row for row in csv.DictReader(table)}
    other = scores = 0
    people: Counter[str] = Counter()
    for file in files:
        records, bad = read(file, "summeval")
        assert not bad
        for record in records:
            people.update(label["labeler"].split()[0] for label in record["labels"])
            for score in record["scores"]:
                judge = f"{score['scorer']}_{score['scorer_version']}_score"
                told = known[record["id"], score["metric"]][judge]
                scores += 1
                other += float(told) != score["value"]
    assert people == {"expert": 14_400, "turker": 24_000}
    # two replies have no score; in twenty the published rules take another number
    assert (scores, other) == (14_398, 20)
    assert {x.describe_scale() for x in open_file(files[0]).declared()} == {"one of 1, 2, 3, 4, 5"}


def test_summeval_alone_has_people_only(tmp_path: Path) -> None:
    row = {
        "id": "d", "decoded": "Short.", "text": "Long.", "model_id": "M1", "references": ["S"],
        "expert_annotations": [{"fluency": 2}], "turker_annotations": [{"fluency": 3}],
    }  # fmt: skip
    file = tmp_path / "annotations.jsonl"
    file.write_text(json.dumps(row) + "\n" + json.dumps(row | {"model_id": "M2"}) + "\n")
    (first, second), bad = read(file, "summeval")
    assert not bad
    assert (first["id"], second["id"], first["case"]) == ("d|M1", "d|M2", "d")
    assert {(x["labeler"], x["value"]) for x in first["labels"]} == {
        ("expert 1", 2),
        ("turker 1", 3),
    }
    assert "scores" not in first


def test_real_g_eval_results_have_the_mean_of_twenty_replies() -> None:
    records, bad = read(real("gyuhyeonseo+G-EVAL/results/geval4_rel_eng_eng.json"), "g-eval")
    assert not bad
    scores = [score for record in records for score in record["scores"]]
    assert {score["metric"] for score in scores} == {"relevance"}
    assert [x["value"] for x in scores[:5]] == pytest.approx([3.95, 3.55, 2.15, 4.85, 2.1])
    people = [x for r in records for x in r["labels"] if x["metric"] == "relevance"]
    assert [x["value"] for x in people[:5]] == pytest.approx(
        [2.6667, 5.0, 4.0, 4.3333, 3.0], abs=5e-5
    )
    assert {label["aggregate"] for label in people} == {3}


def test_real_fed_dialogs_have_turns_and_what_does_not_apply() -> None:
    records, bad = read(real(f"{FED}/fed_data.json"), "fed")
    assert not bad
    labels = [label for record in records for label in record["labels"]]
    assert (len(records), len(labels)) == (500, 375 * 9 * 5 + 125 * 11 * 5)
    none = Counter(x["metric"] for x in labels if x.get("kind") == "not_applicable")
    assert (none["Error recovery"], none["Correct"]) == (154, 6)
    assert records[0]["messages"][0] == {"role": "user", "content": "Hi!"}
    assert records[0]["response"] == "It's probably boring, isn't it?"
    assert sum("response" not in record for record in records) == 125


@pytest.mark.parametrize(("level", "records"), [("turn", 375), ("dialog", 125)])
def test_real_fed_scores_stand_over_several_lines(level: str, records: int) -> None:
    found, bad = read(real(f"{FED}/{level}_level_FU_scores.jsonl"), "fed-scores")
    assert not bad
    assert len({record["id"] for record in found}) == records
    assert {score["scorer"] for record in found for score in record["scores"]} == {"FED"}


def test_real_trivia_answers_have_eleven_judges_and_one_person() -> None:
    records, bad = read(real(TRIVIA), "trivia-judges")
    assert not bad
    given = [(x, record["labels"][0]) for record in records for x in record.get("scores", ())]
    table = Counter((x["value"], y["value"]) for x, y in given if x["scorer"] == "GPT-4")
    agreed, differed = (True, True), (True, False)
    assert (table[agreed], table[differed]) == (2374, 186)
    assert (table[False, True], table[False, False]) == (132, 903)
    judges = Counter(score["scorer"] for score, _ in given)
    assert (len(judges), judges["Llama-70B"], judges["Mistral-7B"]) == (11, 3465, 3595)


def agent(**more: object) -> dict[str, Any]:
    return {"benchmark": "webarena", "task_id": "t.1", "model_name": "m", "annotator_name": " H",
            "trajectory_success": "Successful", "trajectory_side_effect": "No",
            "trajectory_optimality": "2. Suboptimal", "trajectory_looping": "Unsure",
            "exp_name": "e", **more}  # fmt: skip


def test_annotators_of_agents_have_rows_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "annotations.csv"
    with file.open("w", newline="") as target:
        writer = csv.DictWriter(target, agent())
        writer.writeheader()
        writer.writerows([agent(), agent(annotator_name="K", trajectory_success="Unsuccessful")])
    (record,), bad = read(file, "agent-reward-bench")
    assert not bad
    assert record["id"] == "webarena|t.1|m"
    assert [(x["metric"], x["labeler"], x["value"], x.get("kind")) for x in record["labels"]] == [
        ("success", "H", True, None),
        ("side_effect", "H", False, None),
        ("optimality", "H", 2, None),
        ("looping", "H", None, "not_applicable"),
        ("success", "K", False, None),
        ("side_effect", "K", False, None),
        ("optimality", "K", 2, None),
        ("looping", "K", None, "not_applicable"),
    ]
