"""Read exports with the libraries that they are for, and write files with them.

Run by their own environment's Python.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Any

warnings.filterwarnings("ignore")


def inspect_log(path: str) -> Any:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries

    log = read_eval_log(path)
    samples = log.samples or []
    return {
        "status": log.status,
        "summaries": len(read_eval_log_sample_summaries(path)),
        "scores": {
            str(sample.id): {
                name: [score.value, [x.provenance and x.provenance.author for x in score.history]]
                for name, score in (sample.scores or {}).items()
            }
            for sample in samples
        },
    }


def data_set(path: str) -> Any:
    from datasets import load_dataset

    found = load_dataset(path)
    return {name: {"rows": len(x), "columns": x.column_names} for name, x in found.items()}


def data_files(path: str) -> Any:
    from datasets import load_dataset

    kind = "parquet" if path.endswith(".parquet") else "json"
    kind = "csv" if path.endswith(".csv") else kind
    found = load_dataset(kind, data_files=path)["train"]
    return {"rows": len(found), "columns": found.column_names}


def label_studio(path: str) -> Any:
    from label_studio_sdk.label_interface import LabelInterface

    interface = LabelInterface(Path(f"{path}.interface.xml").read_text(encoding="utf-8"))
    tasks = json.loads(Path(path).read_text(encoding="utf-8"))
    entries = [(interface.validate_annotation, y) for x in tasks for y in x["annotations"]]
    entries += [(interface.validate_prediction, y) for x in tasks for y in x["predictions"]]
    return {"tasks": len(tasks), "entries": len(entries),
            "fitting": sum(bool(check(entry)) for check, entry in entries)}  # fmt: skip


def argilla(path: str) -> Any:
    from argilla import Record

    found = [Record.from_dict(x) for x in json.loads(Path(path).read_text(encoding="utf-8"))]
    return {"records": len(found), "responses": sum(len(list(x.responses)) for x in found),
            "suggestions": sum(len(list(x.suggestions)) for x in found)}  # fmt: skip


def write_log(path: str) -> Any:
    from inspect_ai.event import ModelEvent
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalSample,
        EvalSpec,
        ProvenanceData,
        edit_score,
        write_eval_log,
    )
    from inspect_ai.model import (
        ChatMessageAssistant,
        ChatMessageUser,
        GenerateConfig,
        ModelOutput,
        ModelUsage,
    )
    from inspect_ai.scorer import Score, ScoreEdit

    samples = []
    for number in range(5):
        output = ModelOutput.from_content("m/one", f"Answer {number}.")
        asked = ChatMessageUser(content=f"Question {number}?")
        event = ModelEvent(model="m/one", input=[asked], tools=[], tool_choice="auto",
                           config=GenerateConfig(), output=output)  # fmt: skip
        samples.append(
            EvalSample(
                id=number,
                epoch=1,
                input=f"Question {number}?",
                target="two",
                messages=[asked, ChatMessageAssistant(content=output.completion)],
                output=output,
                scores={
                    "match": Score(value="CI"[number % 2], explanation="Said so."),
                    "style": Score(value={"tone": 0.5, "length": number}),
                },
                events=[event],
                model_usage={"m/one": ModelUsage(input_tokens=9, output_tokens=number)},
            )
        )
    spec = EvalSpec(created="2026-01-02T03:04:05+00:00", task="buses", model="m/one",
                    dataset=EvalDataset(name="buses"), config=EvalConfig())  # fmt: skip
    log = EvalLog(status="success", eval=spec, samples=samples)
    by = ProvenanceData(author="ann", reason="it is right")
    edit = ScoreEdit(value="C", provenance=by)
    edit_score(log, sample_id=1, score_name="match", edit=edit, recompute_metrics=False)
    write_eval_log(log, path)
    return len(samples)


def write_data_set(path: str) -> Any:
    from datasets import Dataset

    rows = [
        {"id": f"q{n}", "question": f"Where does bus {n} stop?", "answer": "At the old harbour.",
         "judge_tone": n % 5 + 1, "human_tone": 5 - n % 5}
        for n in range(20)
    ]  # fmt: skip
    made = Dataset.from_list(rows)
    if path.endswith(".parquet"):
        return bool(made.to_parquet(path))
    return bool(made.to_csv(path) if path.endswith(".csv") else made.to_json(path))


def convert_tasks(path: str) -> Any:
    from label_studio_sdk.converter import Converter

    whole = Path(path)
    to = Converter(f"{path}.interface.xml", str(whole.parent), download_resources=False)
    rows = whole.parent / "rows"
    to.convert_to_csv(path, str(rows), is_dir=False, sep=",")
    to.convert_to_json_min(path, str(rows), is_dir=False)
    return sorted(str(file) for file in rows.iterdir())


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[1]](sys.argv[2])))
