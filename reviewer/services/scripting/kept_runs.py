"""Runs of a script, kept in a project so that people can label them."""

import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from reviewer.domain.evaluation import Evaluation, Score
from reviewer.domain.progress import Silent
from reviewer.domain.rubric import Rubric
from reviewer.domain.values import now_text
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest

Kept = dict[str, Any]
"""A case with its answer and scores, in the keys of the native format."""


def kept(
    test: Mapping[str, Any],
    said: Mapping[str, Any],
    evaluation: Evaluation,
    scores: Iterable[Score],
) -> Kept:
    """Give the record of an answered and scored test."""
    record: Kept = {"id": evaluation.id, **test, **said, "evaluated_at": now_text()}
    record["scores"] = [_score(score) for score in scores]
    return record


def _score(score: Score) -> dict[str, Any]:
    fields = {
        "metric": score.metric,
        "value": score.value,
        "reasoning": score.reasoning,
        "error": score.error,
        "scorer": score.scorer,
        "scorer_version": score.scorer_version,
        "model": score.model,
        "raw": score.raw,
        "trace": score.trace,
    }
    return {key: value for key, value in fields.items() if value is not None or key == "value"}


def keep(project: Path, name: str, rubric: Rubric, records: Sequence[Kept]) -> str:
    """Keep records as a new run of a project, made where it is not there, and give its name.

    Raises:
        ReviewerError: The project cannot be opened or written, or a record is no case.
    """
    run = _free(name, _runs(project))
    with tempfile.TemporaryDirectory(prefix="reviewer-") as folder:
        file = Path(folder) / "run.jsonl"
        named = ({**record, "id": _identity(record, x)} for x, record in enumerate(records, 1))
        text = "".join(json.dumps({**x, "run": run}, allow_nan=False) + "\n" for x in named)
        file.write_text(text, encoding="utf-8")
        importing.run(project, ImportRequest(files=(file,), rubric=rubric, strict=True), Silent())
    return run


def _identity(record: Kept, number: int) -> str:
    return f"{number}" if record["id"] == "case" else str(record["id"])


def _runs(project: Path) -> tuple[str, ...]:
    if not project.exists():
        return ()
    session = Session.open(project)
    try:
        return session.run_names()
    finally:
        session.close()


def _free(name: str, taken: Sequence[str]) -> str:
    numbered = (f"{name} {number}" for number in range(1, len(taken) + 2))
    return next(x for x in numbered if x not in taken)
