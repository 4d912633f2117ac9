"""Read exports with the libraries that they are for; run by their own environment's Python."""

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


if __name__ == "__main__":
    sys.stdout.write("\n" + json.dumps(globals()[sys.argv[1]](sys.argv[2])))
