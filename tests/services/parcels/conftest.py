"""A lead's project with a queue for Ann."""

import json
from pathlib import Path

import pytest

from reviewer.domain.errors import Silent
from reviewer.services.project.session import Session
from reviewer.services.queues import making, profiles
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from tests.services.parcels.sending import records


@pytest.fixture
def lead(tmp_path: Path) -> Path:
    file = tmp_path / "one.jsonl"
    file.write_text("\n".join(json.dumps(x) for x in records()))
    path = tmp_path / "lead.review"
    importing.run(path, ImportRequest(files=(file,), rubric="guest-response"), Silent())
    session = Session.open(path, "Lead")
    profiles.change(session, "Lead", role="lead")
    profiles.add(session, "Ann")
    keys = tuple(k for (k,) in session.project.conn.execute("SELECT id FROM evaluations"))
    making.create(
        session,
        QueuePlan(name="First", sampling=Sampling.CHOSEN, keys=keys[:4], labelers=("Ann",)),
    )
    session.close()
    return path
