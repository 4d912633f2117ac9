"""Real result files, each read through its mapping and held against what is known of it."""

import csv
import gzip
import io
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from reviewer.formats.incoming import BadRow, Incoming, LabelRow, RawRow, Record
from reviewer.formats.mapping import read_mapping
from reviewer.formats.proposals import propose
from reviewer.formats.sniffing import sniff
from reviewer.formats.streams import open_stream
from reviewer.formats.tables import raw_rows, read_table

MAPPINGS = Path(__file__).resolve().parents[1] / "mappings"
TRIVIA = "UMass-Meta-LLM-Eval+llm_eval/results/TriviaQA_Judges_w_HumanJudgement_V1.csv.gz"
LLMBAR = "princeton-nlp+LLMBar/Dataset/LLMBar/Natural/evaluators/GPT-4/CoT/result.json"
RECIPES = "dmg-illc+JUDGE-BENCH/data/recipe_crowd_sourcing_data/meta_evaluation_recipes.json"
ALPACA = "tatsu-lab+alpaca_eval/results/alpaca-7b/alpaca_eval_cot_gpt4_turbo_fn/annotations.json"
RED_TEAM = (
    "K11-Software-Solutions+llm-testing-hub/session3_promptfoo_testresults/"
    "report_my-red-team-configuration.csv"
)
DOCCANO = "doccano+doccano/backend/data_export/pipeline/examples"
LM_EVAL = "generated/lm-eval-0.4.13"


@dataclass
class Expected:
    """What is known of a file: counts of what comes out, and how often a value occurs."""

    file: str
    mapping: str
    records: int = 0
    scores: int = 0
    labels: int = 0
    label_rows: int = 0
    refused: int = 0
    means: dict[tuple[str, str], float] = field(default_factory=dict)
    """mean by metric and scorer"""


FILES = [
    Expected("derived/summeval_long.csv.gz", "summeval_long", 1200, 14400, 38400),
    Expected(
        "DAMO-NLP-SG+LLM_summeval/model_output_annotations/M10_outputs_annotations.jsonl.gz",
        "summeval_crowd", 100, 400, 1200,
    ),
    Expected("derived/fed_long.csv", "fed_long", label_rows=23750),
    Expected("DSincerity+FED_Replication/fed_data.json", "fed_turns", 375, labels=16875),
    Expected("DSincerity+FED_Replication/fed_data.json", "fed_dialogs", 125, labels=6875),
    Expected("DSincerity+FED_Replication/turn_level_FU_scores.jsonl", "fed_scores", 375, 6750),
    Expected(
        "DSincerity+FED_Replication/turn_level_FU_scores.jsonl", "fed_turn_scores", 375, 3000
    ),
    Expected(
        "DSincerity+FED_Replication/dialog_level_FU_scores.jsonl", "fed_dialog_scores", 125, 1250
    ),
    Expected(
        "gyuhyeonseo+G-EVAL/results/geval4_rel_eng_eng.json", "g_eval", 20, 20, 100
    ),
    Expected(
        "gyuhyeonseo+G-EVAL/results/geval4_rel_eng_eng.json", "g_eval_published", 20, 20, 20,
        means={("relevance", "gpt-4-0125-preview"): 3.67},
    ),
    Expected(
        TRIVIA, "triviaqa_judges", 3600, 39415, 3600,
        means={("correct", "GPT-4"): 0.7121, ("correct", "Llama-70B"): 0.783},
    ),
    Expected(LLMBAR, "llmbar", 100, 200, 100),
    Expected(LLMBAR, "llmbar_orders", 100, 200, 500),
    Expected(RECIPES, "judge_bench_recipes", 52, labels=6336),
    Expected(
        "dmg-illc+JUDGE-BENCH/data/dices/dices_350_crowdsourced.json", "judge_bench_dices", 350,
        labels=350 * 123,
    ),
    Expected(
        "explodinggradients+ragas/docs/_static/annotated_data.json", "ragas", 21, 21, 21,
        means={("helpfulness", "ragas"): 0.4286},
    ),
    Expected(
        "explodinggradients+ragas/docs/_static/edited_chain_runs.json", "ragas", 18, 18, 18,
        means={("answer_correctness", "ragas"): 0.7222},
    ),
    Expected("eugeneyan+align-app/public/data/fib50.csv", "align_app", 50, labels=18),
    Expected(
        "prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json.gz", "prometheus",
        320, 960,
    ),
    Expected(
        "prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json.gz",
        "prometheus_repeats", 320, 960, 960,
    ),
    Expected(ALPACA, "alpaca_eval", 200, 200),
    Expected(RED_TEAM, "promptfoo_red_team", 41, 41),
    Expected("generated/promptfoo-0.121.20/out_open.csv", "promptfoo_csv_first", 12, 48),
    Expected("generated/promptfoo-0.121.20/out_open.csv", "promptfoo_csv_second", 12, 48),
    Expected(
        "ai-evals-course+recipe-chatbot/homeworks/hw5/reference_files/labeled_traces.jsonl",
        "recipe_traces", 96, labels=192,
    ),
    Expected(f"{DOCCANO}/text_classification/example.jsonl", "doccano_classes", 3, labels=3),
    Expected(f"{DOCCANO}/text_classification/example.csv", "doccano_classes", 3, labels=3),
    Expected(f"{DOCCANO}/sequence_to_sequence/example.jsonl", "doccano_sequences", 3),
    Expected("lm-sys+FastChat/data/dummy_conversation.json", "sharegpt", 500),
    Expected(
        "sierra-research+tau-bench/historical_trajectories/gpt-4o-airline.json.gz", "tau_bench",
        100, 100, means={("reward", "tau-bench"): 0.43},
    ),
    Expected(
        f"{LM_EVAL}/canned-llama-7b/samples_selfinstruct_local_2026-11-20T21-17-01.906165.jsonl",
        "lm_eval_chat", 120, 120,
        means={("exact_match", "lm-eval strict"): 0.016667,
               ("exact_match", "lm-eval first-line"): 0.0},
    ),
    Expected(
        f"{LM_EVAL}/qdpv68r5/samples_cola_local_2026-11-20T21-16-40.220108.jsonl",
        "lm_eval_choices", 60, 120,
        means={("acc", "lm-eval"): 0.416667, ("acc_norm", "lm-eval"): 0.533333},
    ),
    Expected(
        "generated/openai-evals-3.0.1/cola_open.jsonl", "openai_evals", 20, 20,
        means={("match", "match"): 0.0},
    ),
    Expected(
        "generated/deepeval-4.3.1/test_run_20261120_211815.json", "deepeval", 12, 24,
        means={("Word Overlap", "deepeval"): 0.4658, ("Length [custom]", "deepeval"): 0.875},
    ),
    Expected(
        "generated/deepeval-4.3.1/conv_test_run_20261120_212003.json", "deepeval_conversations",
        4, 4, means={("Conversation Completeness", "deepeval"): 0.825},
    ),
]  # fmt: skip


def read(folder: Path, file: str, mapping: str) -> list[Incoming]:
    path = folder / file
    if not path.exists():
        pytest.skip(f"needs {file} in ../shared/data")
    return _read(path, mapping)


@cache
def _read(path: Path, mapping: str) -> list[Incoming]:
    with open_stream(path) as source:
        return list(read_table(source, sniff(path), read_mapping(MAPPINGS / f"{mapping}.toml")))


def records(items: list[Incoming]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def entries(items: list[Incoming], key: str) -> Iterator[dict[str, Any]]:
    for record in records(items):
        yield from record.fields.get(key, ())


@pytest.mark.parametrize("known", FILES, ids=lambda known: f"{known.mapping}-{known.records}")
def test_everything_in_the_file_arrives(shared_data: Path, known: Expected) -> None:
    items = read(shared_data, known.file, known.mapping)
    assert [item for item in items if isinstance(item, BadRow)] == []
    assert len(records(items)) == known.records
    assert len({record.fields["id"] for record in records(items)}) == known.records
    assert sum(isinstance(item, LabelRow) for item in items) == known.label_rows
    scores, labels = list(entries(items, "scores")), list(entries(items, "labels"))
    assert (len(scores), len(labels)) == (known.scores, known.labels)
    refused = [one for item in items if not isinstance(item, BadRow) for one in item.refused]
    assert len(refused) == known.refused
    for (metric, scorer), mean in known.means.items():
        values = [s["value"] for s in scores if (s["metric"], s["scorer"]) == (metric, scorer)]
        assert fmean(values) == pytest.approx(mean, abs=5e-5)


def test_summeval_has_the_experts_means_of_the_reference(shared_data: Path) -> None:
    items = read(shared_data, "derived/summeval_long.csv.gz", "summeval_long")
    for metric, mean in (("coherence", 3.3531), ("consistency", 4.5533), ("fluency", 4.6081)):
        values = [
            label["value"]
            for label in entries(items, "labels")
            if label["metric"] == metric and label["labeler"].startswith("expert")
        ]
        assert len(values) == 3600
        assert fmean(values) == pytest.approx(mean, abs=5e-5)
    first = records(items)[0].fields
    assert first["scores"][0]["reasoning"].endswith("Final score: 4.")
    assert first["id"].endswith("|M8")


def test_summeval_replies_are_joined_and_their_scores_found_in_prose(shared_data: Path) -> None:
    table = gzip.decompress((shared_data / "derived/summeval_long.csv.gz").read_bytes()).decode()
    known = {
        (row["item_id"], row["metric"]): row
        for row in csv.DictReader(io.StringIO(table, newline=""))
    }
    same = compared = silent = 0
    folder = shared_data / "DAMO-NLP-SG+LLM_summeval/model_output_annotations"
    for path in sorted(folder.glob("*.jsonl.gz")):
        items = read(folder, path.name, "summeval_annotations")
        silent += sum(len(record.refused) for record in records(items))
        for record in records(items):
            for score in record.fields["scores"]:
                row = known[record.fields["id"], score["metric"]]
                assert score["reasoning"] == row["gpt-4-0314_rts_reason"]
                compared += 1
                same += float(row["gpt-4-0314_rts_score"]) == score["value"]
            experts = [x for x in record.fields["labels"] if x["labeler"].startswith("expert")]
            for label in experts:
                column = label["labeler"].replace(" ", "_")
                assert known[record.fields["id"], label["metric"]][column] == str(label["value"])
    # two replies give no score at all; in a dozen the published rules take another number
    assert (compared, silent) == (4798, 2)
    assert same >= compared - 20


def test_fed_labels_are_the_same_from_both_files(shared_data: Path) -> None:
    from_dialogs = Counter(
        (record.fields["id"], label["metric"], label["labeler"], label["value"], label.get("kind"))
        for mapping in ("fed_turns", "fed_dialogs")
        for record in records(
            read(shared_data, "DSincerity+FED_Replication/fed_data.json", mapping)
        )
        for label in record.fields["labels"]
    )
    from_table = Counter(
        (row.fields["id"], row.fields["metric"], row.fields["labeler"], row.fields["value"],
         row.fields.get("kind"))
        for row in read(shared_data, "derived/fed_long.csv", "fed_long")
        if isinstance(row, LabelRow)
    )  # fmt: skip
    assert from_dialogs == from_table
    not_applicable = Counter(
        metric for _, metric, _, _, kind in from_dialogs.elements() if kind == "not_applicable"
    )
    assert not_applicable["Error recovery"] == 154
    assert not_applicable["Correct"] == 6


def test_fed_dialogs_become_turns(shared_data: Path) -> None:
    first, *_ = records(read(shared_data, "DSincerity+FED_Replication/fed_data.json", "fed_turns"))
    assert first.fields["messages"][:2] == [
        {"role": "user", "content": "Hi!"},
        {"role": "assistant", "content": "Hi! What's up?"},
    ]
    assert first.fields["response"] == "It's probably boring, isn't it?"
    assert first.fields["model"] == "Meena"


def test_g_eval_scores_are_means_of_twenty_replies(shared_data: Path) -> None:
    items = read(shared_data, "gyuhyeonseo+G-EVAL/results/geval4_rel_eng_eng.json", "g_eval")
    means = [score["value"] for score in entries(items, "scores")]
    assert means[:5] == pytest.approx([3.95, 3.55, 2.15, 4.85, 2.1])
    people = [x["value"] for x in entries(items, "labels") if x["metric"] == "relevance"]
    assert people[:5] == pytest.approx([2.6667, 5.0, 4.0, 4.3333, 3.0], abs=5e-5)


def test_trivia_verdicts_agree_as_published(shared_data: Path) -> None:
    table: Counter[tuple[bool, bool]] = Counter()
    for record in records(read(shared_data, TRIVIA, "triviaqa_judges")):
        human = record.fields["labels"][0]["value"]
        scores = record.fields.get("scores", ())
        judge = [score["value"] for score in scores if score["scorer"] == "GPT-4"]
        table.update((value, human) for value in judge)
    assert table[True, True] == 2374
    assert table[True, False] == 186
    assert table[False, True] == 132
    assert table[False, False] == 903


def test_llmbar_choices_agree_as_published(shared_data: Path) -> None:
    right: Counter[str] = Counter()
    for record in records(read(shared_data, LLMBAR, "llmbar")):
        gold = record.fields["labels"][0]["value"]
        assert gold in {candidate["id"] for candidate in record.fields["candidates"]}
        right.update(s["scorer"] for s in record.fields["scores"] if s["value"] == gold)
    assert (right["judge"] + right["judge, swapped"]) / 200 == pytest.approx(0.945)


def test_ragas_people_agree_as_published(shared_data: Path) -> None:
    file = "explodinggradients+ragas/docs/_static/annotated_data.json"
    found = records(read(shared_data, file, "ragas"))
    assert fmean(record.fields["labels"][0]["value"] for record in found) == pytest.approx(
        0.4762, abs=5e-5
    )
    same = [r.fields["labels"][0]["value"] == r.fields["scores"][0]["value"] for r in found]
    assert fmean(same) == pytest.approx(0.7619, abs=5e-5)


def test_judge_bench_has_every_annotator(shared_data: Path) -> None:
    items = read(shared_data, RECIPES, "judge_bench_recipes")
    grammar = [
        [x["value"] for x in r.fields["labels"] if x["metric"] == "grammar"]
        for r in records(items)
    ]
    assert {len(values) for values in grammar} <= set(range(15, 89))
    assert fmean(grammar[0]) == pytest.approx(2.944, abs=5e-4)


def test_prometheus_scores_three_times_and_the_parts_are_cut_out(shared_data: Path) -> None:
    file = "prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json.gz"
    items = read(shared_data, file, "prometheus")
    for number, mean in ((1, 4.1406), (2, 4.1688), (3, 4.1281)):
        version = f"reply {number}"
        values = [x["value"] for x in entries(items, "scores") if x["scorer_version"] == version]
        assert fmean(values) == pytest.approx(mean, abs=5e-5)
    assert all({"input", "response", "expected"} <= r.fields.keys() for r in records(items))
    assert not any("###" in r.fields["response"] for r in records(items))


def test_invisible_characters_of_a_red_team_survive(shared_data: Path) -> None:
    items = records(read(shared_data, RED_TEAM, "promptfoo_red_team"))
    assert any("\U000e0041" in record.fields["input"] for record in items)
    assert Counter(record.fields["scores"][0]["value"] for record in items)[True] > 0


def test_tau_bench_keeps_tool_calls_and_silent_turns(shared_data: Path) -> None:
    file = "sierra-research+tau-bench/historical_trajectories/gpt-4o-airline.json.gz"
    turns = [
        turn
        for r in records(read(shared_data, file, "tau_bench"))
        for turn in r.fields["messages"]
    ]
    assert len(turns) == 2658
    assert Counter(turn["role"] for turn in turns) == {
        "system": 100, "user": 757, "assistant": 1229, "tool": 572,
    }  # fmt: skip
    assert sum(turn["content"] is None for turn in turns) == 530
    calls = [call for turn in turns for call in turn.get("tool_calls", ())]
    assert len(calls) == 572
    assert all(isinstance(call["arguments"], dict) for call in calls)


def test_recipe_traces_keep_their_speakers(shared_data: Path) -> None:
    file = "ai-evals-course+recipe-chatbot/homeworks/hw5/reference_files/labeled_traces.jsonl"
    items = records(read(shared_data, file, "recipe_traces"))
    names = {turn.get("name") for record in items for turn in record.fields["messages"]}
    assert "agent" in names
    assert {label["metric"] for label in entries(list(items), "labels")} == {
        "last_success_state", "first_failure_state",
    }  # fmt: skip


@pytest.mark.parametrize(
    "file",
    [
        "derived/summeval_long.csv.gz",
        "derived/fed_long.csv",
        "eugeneyan+align-app/public/data/fib50.csv",
        "DAMO-NLP-SG+LLM_summeval/model_output_annotations/M10_outputs_annotations.jsonl.gz",
        "DSincerity+FED_Replication/fed_data.json",
        RECIPES,
        "lm-sys+FastChat/data/dummy_conversation.json",
    ],
)
def test_the_proposal_alone_is_enough(shared_data: Path, file: str) -> None:
    path = shared_data / file
    known = sniff(path)
    with open_stream(path) as source:
        rows = [row for _, row in zip(range(50), raw_rows(source, known), strict=False)]
    found = propose(
        [row.values for row in rows if isinstance(row, RawRow)],
        texts=known.shape == "table",
        records=known.records,
    )
    assert found.unambiguous, found.questions
    with open_stream(path) as source:
        items = list(read_table(source, known, found.mapping))
    assert items
    assert not [item for item in items if isinstance(item, BadRow)]


def test_every_mapping_file_is_used() -> None:
    used = {known.mapping for known in FILES} | {"summeval_annotations", "swe_agent"}
    assert used == {path.stem for path in MAPPINGS.glob("*.toml")}


def test_one_conversation_in_one_file(shared_data: Path) -> None:
    (path,) = shared_data.glob("SWE-agent+SWE-agent/**/*.traj")
    (record,) = records(read(path.parent, path.name, "swe_agent"))
    raw = json.loads(path.read_text())
    assert len(record.fields["messages"]) == len(raw["history"])
    assert record.fields["scores"] == [
        {"metric": "exit_status", "value": "submitted", "scorer": "swe-agent"}
    ]
