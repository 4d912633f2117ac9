"""Files to import, what an import says, and what is in the project after it."""

import gzip
import json
from pathlib import Path
from typing import Any

from reviewer.domain.errors import Silent
from reviewer.services.transfer import exporting, importing
from reviewer.services.transfer.export_source import ExportRequest
from reviewer.services.transfer.import_report import ImportReport
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project


def write(path: Path, *records: Any) -> Path:
    """Write records as lines, texts as they are; a name that ends in .gz is compressed."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in records]
    content = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def load(project: Path | Project, *files: Path, **options: Any) -> ImportReport:
    return importing.run(project, ImportRequest(files, **options), Silent())


def rows(project: Path, query: str) -> list[Any]:
    with Project.open(project) as opened:
        return opened.conn.execute(query).fetchall()


def exported(project: Path) -> list[dict[str, Any]]:
    to = project.with_suffix(".out.jsonl")
    with Project.open(project) as opened:
        exporting.export(opened, to, ExportRequest(), Silent())
    return [json.loads(line) for line in to.read_text(encoding="utf-8").splitlines()]
