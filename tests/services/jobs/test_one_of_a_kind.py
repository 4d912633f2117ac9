"""One is told as one: "1 call", "1 row", not "1 calls"."""

from pathlib import Path

from reviewer.domain.errors import Silent
from reviewer.services.jobs.control import note
from reviewer.services.transfer import importing
from reviewer.store.jobs import Counts
from tests.building import RUBRIC


def test_a_job_tells_one_call_as_one() -> None:
    assert note(Counts(calls=1)) == "1 call"
    assert note(Counts(calls=1200, cached=2)) == "1,200 calls · 2 from the cache"


def test_an_import_tells_one_row_as_one(tmp_path: Path) -> None:
    class Listening(Silent):
        said: list[str] = []  # noqa: RUF012 - one import listens

        def advance(self, done: int, total: int | None, note: str = "") -> None:
            del done, total
            self.said.append(note)

    file = tmp_path / "one.jsonl"
    file.write_text('{"id": "a", "input": "q"}\n')
    progress = Listening()
    importing.run(
        tmp_path / "one.review", importing.ImportRequest((file,), rubric=RUBRIC), progress
    )
    assert "1 row" in progress.said
    assert not any("1 rows" in x for x in progress.said)
