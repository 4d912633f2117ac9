"""Work on one job and tell it on standard output, one JSON object a line.

`python -m reviewer.worker PROJECT JOB`. Lines are `{"done", "total", "note", "failed", "cached",
"cost_usd"}` while it runs and `{"state", "sentence"}` at the end. It pauses or ends when the job's
row in the project says so.
"""

import json
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

from reviewer.domain.errors import ReviewerError
from reviewer.services.computer import logs, secrets
from reviewer.services.jobs import running
from reviewer.services.jobs.control import Control

_LOG: Final = logging.getLogger(__name__)
DONE, WRONG = 0, 2
BEHIND: Final = 10
"""How far the process stands back, so that people who label meanwhile do not wait for it."""


class Speaker:
    """Tell the progress on standard output."""

    cancelled = False

    def __init__(self) -> None:
        """Make it; nothing is said yet."""
        self._took: Mapping[str, float] = {}

    def hear(self, took: Mapping[str, float]) -> None:
        """Take what the job took so far."""
        self._took = took

    def advance(self, done: int, total: int | None, note: str = "") -> None:
        """Write a line of progress."""
        _write({"done": done, "total": total, "note": note, **self._took})


def main(arguments: list[str]) -> int:
    """Work on the job that the words name and give the exit code."""
    if len(arguments) != 2 or not arguments[1].isdigit():
        _write({"state": "failed", "sentence": "The worker needs a project and a job's number."})
        return WRONG
    if hasattr(os, "nice"):
        os.nice(BEHIND)
    with logs.kept(), secrets.kept_apart():
        speaker = Speaker()
        control = Control(heard=speaker.hear)
        try:
            job = running.run(Path(arguments[0]), int(arguments[1]), speaker, control)
        except ReviewerError as error:
            _write({"state": "failed", "sentence": str(error)})
            return WRONG
        except Exception:
            _LOG.exception("unexpected error in a job")
            raise
    _write({"state": job.state, "sentence": job.sentence})
    return DONE


def _write(line: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _leave(code: int) -> NoReturn:
    """End at once; taking down the providers' libraries takes the better part of a second."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _leave(main(sys.argv[1:]))
