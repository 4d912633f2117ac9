"""The program as a bundle starts it: its own processes do what they are for, and end."""

import io
import subprocess
import sys
from pathlib import Path

from reviewer.services.transfer import file_plans
from reviewer.services.transfer.file_reading import HEADER, Asked, question


def test_a_process_that_reads_ends_without_opening_a_window(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    file.write_text('{"id": "one", "input": "Hi?", "response": "Yes."}\n' * 3)
    opened = file_plans.open_file(file)
    asked = Asked(opened.file, opened.sniffed, opened.mapping)
    done = subprocess.run(
        [sys.executable, "-m", "reviewer", "--reading"],
        input=question(asked),
        capture_output=True,
        timeout=60,
        check=True,
    )
    answer, rows = io.BytesIO(done.stdout), 0
    while head := answer.read(HEADER.size):
        size, some = HEADER.unpack(head)
        answer.read(size)
        rows += some
    assert rows == 3
