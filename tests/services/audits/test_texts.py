"""Lengths and languages of responses: read once, anew where the text changed."""

from pathlib import Path

import numpy as np
import pytest

from reviewer.domain.errors import CancelledError
from reviewer.services.audits.segment_values import NO_TEXT, TextFacts
from reviewer.store.project import Project
from tests.building import build_project, record

GERMAN = "Die Lieferung dauert drei Tage und ist nicht teuer."
ENGLISH = "The delivery takes three days and is not expensive."


def _project(path: Path) -> Path:
    records = [
        record(1, response=GERMAN),
        record(2, response=ENGLISH),
        record(3, response="4711"),
        record(4, response=""),
        record(5, response=None),
    ]
    return build_project(path / "texts.review", evaluations=records)


def test_lengths_and_languages_come_in_the_order_of_the_keys(tmp_path: Path) -> None:
    with Project.open(_project(tmp_path)) as project:
        found = TextFacts().read(project, np.array([1, 2, 3, 4, 5]))
    assert found.lengths.tolist() == [len(GERMAN), len(ENGLISH), 4, 0, NO_TEXT]
    assert found.languages == ("de", "en", "unknown", "unknown", "unknown")


def test_a_part_of_the_evaluations_and_gone_ones_have_an_answer(tmp_path: Path) -> None:
    with Project.open(_project(tmp_path)) as project:
        found = TextFacts().read(project, np.array([2, 5, 77]))
        nothing = TextFacts().read(project, np.zeros(0, dtype=np.int64))
    assert found.lengths.tolist() == [len(ENGLISH), NO_TEXT, NO_TEXT]
    assert found.languages == ("en", "unknown", "unknown")
    assert nothing.languages == ()


def test_a_text_is_looked_at_again_only_after_a_new_revision(tmp_path: Path) -> None:
    facts, keys = TextFacts(), np.array([1, 2])
    with Project.open(_project(tmp_path)) as project:
        facts.read(project, keys)
        with project.write() as conn:
            conn.execute("UPDATE evaluations SET response = ? WHERE id = 1", (ENGLISH,))
        assert facts.read(project, keys).languages == ("de", "en")
        with project.write() as conn:
            conn.execute("UPDATE evaluations SET revision = 2 WHERE id = 1")
        assert facts.read(project, keys).languages == ("en", "en")


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    def stop() -> None:
        raise CancelledError("Nobody waits.")

    facts = TextFacts()
    with Project.open(_project(tmp_path)) as project, pytest.raises(CancelledError):
        facts.read(project, np.array([1, 2]), stop)
