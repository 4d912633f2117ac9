"""Sentences are as short as people read, whatever a file names."""

import json
from pathlib import Path

import pytest

from reviewer.cli.main import main
from reviewer.domain.errors import LONGEST, ReviewerError, readable
from tests.building import record


def test_the_middle_of_a_long_line_is_left_out() -> None:
    said = str(ReviewerError("The name " + "x" * 5_000 + " is no metric.\nWhat can be done."))
    first, second = said.split("\n")
    assert len(first) == LONGEST
    assert first.startswith("The name xxx")
    assert first.endswith("xxx is no metric.")
    assert second == "What can be done."
    assert readable("short\n") == "short\n"


@pytest.mark.parametrize(
    "fields",
    [
        {"scores": [{"metric": "x" * 5_000, "value": 1}]},
        {"scores": [{"metric": "relevance", "value": "x" * 5_000}]},
        {"labels": [{"metric": "relevance", "labeler": "x" * 5_000, "value": "x" * 5_000}]},
        {"rubric": "x" * 5_000, "x" * 5_000: 1},
        {"messages": [{"role": "x" * 5_000, "content": 1}]},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_no_message_of_an_import_is_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: dict[str, object]
) -> None:
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps(record(1) | fields) + "\n")
    main(["import", str(tmp_path / "p.review"), str(file), "--rubric", "guest-response"])
    told = capsys.readouterr()
    assert max(map(len, (told.out + told.err).split("\n"))) <= LONGEST
