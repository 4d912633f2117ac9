"""Call one function of an installed package, as often as it is asked to.

`python -m reviewer.worker.function KIND NAME SECONDS MEMORY LINE`. LINE is the number of an open
socket. A line with what is handed in comes there, and one with what the function gave back goes
there.
"""

import asyncio
import inspect
import json
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, get_args

from reviewer.confined.process import SPARE_SECONDS, own_memory
from reviewer.services.computer import plugins
from reviewer.services.computer.plugins import Kind

DONE, WRONG = 0, 2


def main(arguments: list[str]) -> int:
    """Serve calls until nobody asks any more, and give the exit code."""
    kind = next((x for x in get_args(Kind) if x == arguments[0]), None)
    found = None if kind is None else plugins.find(kind, arguments[1])
    if found is None:
        return WRONG
    function = getattr(found.thing, "run", found.thing)
    # whoever asks may be gone before it can end this process
    limit = int(float(arguments[2])) + SPARE_SECONDS
    with (
        socket.socket(fileno=int(arguments[4])) as line,
        line.makefile("rw", encoding="utf-8", newline="\n") as lines,
        asyncio.Runner() as runner,
    ):
        own_memory(int(arguments[3]), address_space=False)
        _write(lines, {"ready": True})
        for call in lines:
            values, named = json.loads(call)
            signal.alarm(limit)
            reply = _called(lambda: function(*values, **named), runner)  # noqa: B023 - called now
            signal.alarm(0)
            _write(lines, reply)
    return DONE


def _write(lines: Any, reply: dict[str, Any]) -> None:  # noqa: ANN401  # a text file over a socket
    lines.write(json.dumps(reply) + "\n")
    lines.flush()


def _called(call: Callable[[], Any], runner: asyncio.Runner) -> dict[str, Any]:
    try:
        said = call()
        if inspect.isawaitable(said):
            said = runner.run(_awaited(said))
        if isinstance(said, tuple) and len(said) == 2:
            return {"pair": json.loads(json.dumps(said, default=str))}
        if isinstance(said, Mapping):
            return {"value": json.loads(json.dumps(dict(said), default=str))}
        if said is None or isinstance(said, str | bool | int | float):
            return {"value": said}
        return {"error": f"gave {type(said).__name__}, which is no answer."}
    except MemoryError:
        return {"greedy": True}
    # whatever a stranger's function does; SystemExit would look like a crash
    except (Exception, SystemExit) as error:  # noqa: BLE001
        why = " ".join(str(error).split()) or "no reason given"
        return {"error": f"failed: {type(error).__name__}: {why}"}


async def _awaited(said: Any) -> Any:  # noqa: ANN401  # of a stranger's function
    return await said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
