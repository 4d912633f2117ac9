"""Real files without a mapping: what is asked, and on which side everything else is taken."""

from itertools import islice
from pathlib import Path

import pytest

from reviewer.formats.incoming import RawRow
from reviewer.formats.proposals import propose
from reviewer.formats.sniffing import sniff
from reviewer.formats.streams import open_stream
from reviewer.formats.tables import raw_rows

JUDGE_BENCH = "dmg-illc+JUDGE-BENCH/data"
FILES: list[tuple[str, list[str], list[str], list[str]]] = [
    # file, the likely answers to what is asked, columns of auto scores, columns of labels
    ("DSincerity+FED_Replication/fed_data.json", [], [], ["annotations.{metric}[]"]),
    ("DSincerity+FED_Replication/turn_level_FU_scores.jsonl", ["score.*=judge"],
     ["score.{metric}"], []),
    ("gyuhyeonseo+G-EVAL/data/summeval_20sample.json", ["scores.*=mean"], [],
     ["scores.{metric}"]),
    (f"{JUDGE_BENCH}/recipe_crowd_sourcing_data/meta_evaluation_recipes.json", [], [],
     ["annotations.{metric}.individual_human_scores[]"]),
    (f"{JUDGE_BENCH}/dices/dices_350_crowdsourced.json", [], [],
     ["annotations.safety.individual_human_scores[]"]),
    ("explodinggradients+ragas/docs/_static/annotated_data.json",
     ["metric_output=beside", "is_accepted=people"], [], ["is_accepted"]),
    ("eugeneyan+align-app/public/data/fib50.csv", [], [], ["label"]),
    ("princeton-nlp+LLMBar/Dataset/LLMBar/Natural/dataset.json", ["label=people"], [],
     ["label"]),
    ("HumanSignal+label-studio-sdk/tests/custom/converter/data/test_export_json_min/"
     "chat_data.json", [], [], []),
    ("prometheus-eval+prometheus-eval/eval/benchmark/data/vicuna_eval.json.gz", [],
     ["gpt4_score[]"], []),
    ("tatsu-lab+alpaca_eval/results/alpaca-7b/alpaca_eval_cot_gpt4_turbo_fn/annotations.json",
     [], ["preference"], []),
    ("generated/deepeval-4.3.1/test_run_20261120_211815.json", [], [], []),
    ("sierra-research+tau-bench/historical_trajectories/gpt-4o-airline.json.gz",
     ["reward=judge", "info.reward_info.reward=judge", "info.reward_info.info.*=beside"],
     ["reward", "info.reward_info.reward"], []),
]  # fmt: skip


@pytest.mark.parametrize(("file", "asked", "judged", "people"), FILES, ids=lambda x: str(x)[-40:])
def test_no_value_is_taken_for_a_side_that_nothing_tells(
    shared_data: Path, file: str, asked: list[str], judged: list[str], people: list[str]
) -> None:
    path = shared_data / file
    if not path.exists():
        pytest.skip(f"needs {file} in ../shared/data")
    known = sniff(path)
    with open_stream(path) as source:
        rows = [
            row.values for row in islice(raw_rows(source, known), 200) if isinstance(row, RawRow)
        ]
    found = propose(rows, texts=known.shape == "table", records=known.records)
    assert [question.choices[0].text for question in found.questions] == asked
    assert [rule.value[0] for rule in found.mapping.scores] == judged
    assert [rule.value[0] for rule in found.mapping.labels] == people
