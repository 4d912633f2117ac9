"""Carry labels over to a run whose texts are byte for byte those that were labelled before.

A label belongs to its evaluation of its run. Where response, input, context and conversation of
the same case are identical in another run, its labels may be copied, never silently. A copy names
where it came from; how it was chosen is not known for the new run, so it enters no corrected mean.
"""

import json
import tempfile
from pathlib import Path

from reviewer.domain.errors import Progress, ProjectError
from reviewer.services.transfer import importing
from reviewer.services.transfer.carry_offers import key_of_run
from reviewer.services.transfer.importing import ImportReport, ImportRequest
from reviewer.store import carrying as stored
from reviewer.store.project import Project


def carry(
    project: Project, *, run: str, source: str, labeler: str | None, progress: Progress
) -> ImportReport:
    """Copy the labels that fit, as one import that can be taken back.

    Raises:
        ProjectError: There is no such run, or nothing fits.
    """
    fitting = stored.read(project, key_of_run(project, run), key_of_run(project, source))
    if not fitting:
        raise ProjectError(f"No label of {source} fits a text of {run}.")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "carried over.jsonl"
        file.write_text("".join(_line(one, run, source) for one in fitting), encoding="utf-8")
        request = ImportRequest(files=(file,), format="native", labeler=labeler)
        return importing.run(project, request, progress)


def _line(one: stored.Carried, run: str, source: str) -> str:
    fields = {name: value for name, value in one.fields.items() if value is not None}
    if one.fields["value"] is None:
        fields["value"] = None
    row = {"run": run, "id": one.id, **fields}
    row |= {"selection_reason": "imported", "carried_from": f"{source}/{one.source}"}
    return json.dumps(row, ensure_ascii=False) + "\n"
