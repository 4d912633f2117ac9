import json
import math

import pytest

from reviewer.cli import console


def test_every_document_begins_with_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    console.write({"rows": 2, "file": "Füße.csv"})
    written = capsys.readouterr().out
    assert json.loads(written) == {"schema": 1, "rows": 2, "file": "Füße.csv"}
    assert written.startswith('{\n  "schema": 1')
    assert "Füße" in written


def test_a_name_that_is_no_text_is_still_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    console.write({"file": "bad\udcff.jsonl"})
    assert json.loads(capsys.readouterr().out)["file"] == "bad\udcff.jsonl"


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_nothing_undefined_is_written(number: float, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="JSON"):
        console.write({"mean": number})
    assert capsys.readouterr().out == ""
