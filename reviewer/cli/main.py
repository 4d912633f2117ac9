"""Find the command, run it, and turn every error into a sentence and an exit code.

Exit codes: 0 done; 1 a check did not hold; 2 wrong use or bad input; 130 stopped by Ctrl-C.
"""

import gc
import logging
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from reviewer.cli import showing
from reviewer.cli.console import say
from reviewer.cli.table import COMMANDS, DONE, STOPPED, WRONG
from reviewer.domain.errors import CancelledError, ReviewerError
from reviewer.services.computer import logs, secrets

_LOG = logging.getLogger(__name__)
SUFFIX = ".review"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and give its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    with logs.kept(), secrets.kept_apart():
        started = time.monotonic()
        code = _guarded(arguments)
        name = arguments[0] if arguments and arguments[0] in COMMANDS else "window"
        _LOG.info("%s ended with %d after %.1f s", name, code, time.monotonic() - started)
    if argv is None and name != "window":
        # the interpreter would search all that is loaded for garbage several times before it ends
        gc.freeze()
    return code


def _guarded(arguments: list[str]) -> int:
    try:
        code = _run(arguments)
        sys.stdout.flush()
    except (ReviewerError, KeyboardInterrupt, OSError) as error:
        match error:
            case KeyboardInterrupt():
                say("Stopped. What was saved before is whole; nothing half is left.")
                return STOPPED
            case CancelledError():
                say(str(error))
                return STOPPED
            case BrokenPipeError():
                # whoever read the output has seen enough; the null device takes the rest at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                return DONE
            case OSError():
                _LOG.error("system error", exc_info=error)
                where = f" ({error.filename})" if error.filename else ""
                say(f"The system refused: {error.strerror or error}{where}.")
            case _:
                say(str(error))
        return WRONG
    except Exception as error:
        if os.environ.get("REVIEWER_DEBUG") == "1":
            raise
        _LOG.exception("unexpected error")
        say(logs.explain(error, _named(arguments)))
        return WRONG
    return code


def _named(arguments: Sequence[str]) -> Path | None:
    """Give the first project that the words name."""
    paths = [Path(word) for word in arguments if not word.startswith("-")]
    return next((path for path in paths if path.suffix == SUFFIX), None)


def _run(arguments: list[str]) -> int:
    project = _project(arguments)
    if project is not None or not arguments:
        # the usual start needs no command line to be taken apart
        return showing.show(project)
    from reviewer.cli import program

    return program.run(arguments)


def _project(arguments: Sequence[str]) -> Path | None:
    """Give the project file, where the words name one and say nothing else."""
    if len(arguments) != 1 or arguments[0] in COMMANDS or arguments[0].startswith("-"):
        return None
    path = Path(arguments[0])
    return path if path.is_file() else None
