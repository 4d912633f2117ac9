import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from reviewer.domain.errors import FormatError
from reviewer.services.transfer import importing
from reviewer.services.transfer.file_plans import open_file
from tests.formats.tools.reading import expected, means, read, real

CHAT = (
    "generated/lm-eval-0.4.13/canned-llama-7b/"
    "samples_selfinstruct_local_2026-11-20T21-17-01.906165.jsonl"
)
CHOICES = "generated/lm-eval-0.4.13/qdpv68r5/samples_cola_local_2026-11-20T21-16-40.220108.jsonl"


def line(**changed: Any) -> dict[str, Any]:
    return {
        "doc_id": 0,
        "doc": {"q": "2+2"},
        "target": "4",
        "arguments": {"gen_args_0": {"arg_0": "2+2=", "arg_1": {"until": ["."]}}},
        "resps": [["4"]],
        "filtered_resps": ["4"],
        "filter": "none",
        "metrics": ["exact_match"],
        "exact_match": 1.0,
    } | changed


def lines(tmp_path: Path, *rows: Any) -> Path:
    file = tmp_path / "samples_sums_2026-01-02T03-04-05.678.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.mark.parametrize("name", [CHAT, CHOICES])
def test_real_samples_come_whole(name: str) -> None:
    known = expected(name)
    records, bad = read(real(name), "lm-eval")
    assert not bad
    assert len({record["id"] for record in records}) == len(records) == known["lines"]
    assert len({record["case"] for record in records}) == known["docs"]
    for told, mean in known["metrics"].items():
        metric, _, chosen = told.partition(",")
        of_filter = [record for record in records if record["meta"]["filter"] == chosen]
        n, found = means(of_filter)[metric]
        assert (n, round(found, 6)) == (known["filters"][chosen], mean)
        assert len({record["run"] for record in of_filter}) == 1


def test_real_results_beside_tell_task_model_and_time(tmp_path: Path) -> None:
    records, _ = read(real(CHAT), "lm-eval")
    assert records[0]["run"] == "selfinstruct_local canned-llama-7b 2026-11-20 21:17:00 strict"
    assert [turn["role"] for turn in records[0]["messages"]] == ["user"]
    alone = shutil.copy(real(CHAT), tmp_path)
    records, _ = read(Path(alone), "lm-eval")
    assert records[0]["run"] == "selfinstruct_local strict"


def test_the_likeliest_of_real_choices_is_the_response() -> None:
    records, _ = read(real(CHOICES), "lm-eval")
    assert (records[0]["response"], records[0]["expected"]) == ("no", "yes")
    right = sum(record["response"] == record["expected"] for record in records)
    assert right == sum(record["scores"][0]["value"] for record in records)
    assert {x.name: x.scale for x in open_file(real(CHOICES)).declared()} == {
        "acc": "binary", "acc_norm": "binary"
    }  # fmt: skip


def test_lists_are_no_scores_and_repeats_are_kept(tmp_path: Path) -> None:
    file = lines(tmp_path, line(metrics=["exact_match", "f1"], f1=[1, 0], resps=[["4", "5"]],
                                filtered_resps=[["4", "5"]]))  # fmt: skip
    [record], _ = read(file, "lm-eval")
    assert [score["metric"] for score in record["scores"]] == ["exact_match"]
    assert record["response"] == "4"
    assert record["meta"]["metrics"] == {"f1": [1, 0]}
    assert record["meta"]["responses"] == [["4", "5"]]


def test_an_older_line_and_one_of_nulls_are_read(tmp_path: Path) -> None:
    old = line(arguments=[["2+2=", {"until": ["."]}]], acc=0.5)
    del old["filter"], old["metrics"], old["exact_match"]
    nulls = dict.fromkeys(line()) | {"doc_id": 1}
    records, bad = read(lines(tmp_path, old, nulls), "lm-eval")
    assert records[0]["input"] == "2+2="
    assert [(x["metric"], x["value"]) for x in records[0]["scores"]] == [("acc", 0.5)]
    assert not bad
    assert records[1]["id"] == "1"


def test_less_is_better_where_the_results_say_so(tmp_path: Path) -> None:
    file = lines(tmp_path, line(metrics=["loss"], loss=2.5))
    results = {"configs": {"sums": {}}, "higher_is_better": {"sums": {"loss": False}}}
    (tmp_path / "results_2026-01-02T03-04-05.678.json").write_text(json.dumps(results))
    [metric] = open_file(file).declared()
    assert (metric.name, metric.max, metric.higher_is_better) == ("loss", 2.5, False)


def test_the_proposed_rubric_is_called_after_what_was_evaluated() -> None:
    rubric = importing.inspect([real(CHOICES)]).rubric
    assert rubric is not None
    assert rubric.name == "cola_local"


def test_the_figures_alone_say_what_is_to_be_imported() -> None:
    file = real("generated/lm-eval-0.4.13/qdpv68r5/results_2026-11-20T21-16-40.220108.json")
    with pytest.raises(FormatError, match=r"no responses; import the samples_\*\.jsonl beside it"):
        importing.inspect([file])
