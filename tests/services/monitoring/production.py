"""Records as production writes them, and projects that watch for them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from reviewer.domain.errors import Silent
from reviewer.domain.evaluation import now_text
from reviewer.domain.monitoring import Monitor
from reviewer.services.monitoring import looking
from reviewer.services.monitoring.looking import Looked, Watch
from reviewer.services.project.session import Session
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store.project import Project

METRICS = (
    "factual_accuracy",
    "completeness",
    "citation_accuracy",
    "source_quality",
    "tool_efficiency",
)


def record(name: str, value: float | None = 1.0, **more: Any) -> dict[str, Any]:
    scores = [{"metric": x, "value": value, "scorer": "judge"} for x in METRICS]
    return {
        "id": name,
        "input": f"Question {name}?",
        "response": f"Answer {name}. " * 40,
        **({} if value is None else {"scores": scores}),
        **more,
    }


def write(file: Path, records: Iterable[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(x) + "\n" for x in records))
    return file


def empty(path: Path) -> Path:
    Project.create(path).close()
    return path


def imported(path: Path, file: Path, rubric: str = "agent-rubric") -> Path:
    importing.run(path, ImportRequest(files=(file,), rubric=rubric), Silent())
    return path


def opened(path: Path) -> Session:
    session = Session.open(path)
    session.blind = False
    return session


def keep(path: Path, **settings: Any) -> Monitor:
    session = opened(path)
    monitor = looking.keep(session, Monitor(**{"rate": 1.0, **settings}))
    session.close()
    return monitor


def look(path: Path, watch: Watch | None = None, rubric: str = "agent-rubric") -> Looked:
    """One look of a fresh process, unless a watch is handed in; files are whole at once."""
    session = opened(path)
    try:
        if watch is None:
            watch = Watch.of(looking.settings_of(session, rubric))
            looking.settle(session, watch, wait=lambda _: None)
        return watch.look(session, rubric, Silent())
    finally:
        session.close()


def watched_by(path: Path, owner: str) -> None:
    """Let another process be the one that watches, as of now."""
    session = opened(path)
    with session.project.write() as conn:
        conn.execute("UPDATE monitors SET watcher = ?, watcher_at = ?", (owner, now_text()))
    session.close()


def count(path: Path, sql: str) -> int:
    session = opened(path)
    found = session.project.conn.execute(sql).fetchone()[0]
    session.close()
    return int(found)
