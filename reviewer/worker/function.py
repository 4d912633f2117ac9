"""Call one function of an installed package, as often as it is asked to.

`python -m reviewer.worker.function KIND NAME SECONDS MEMORY LINE`. LINE is the number of an open
socket. What the package tells of the function goes there first. Then a line with what is handed in
comes there, and one with what the function gave back goes there; a reader answers with many.
"""

import inspect
import json
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Any, get_args

from reviewer.confined.process import SPARE_SECONDS, START_SECONDS, own_memory
from reviewer.services.computer import plugins
from reviewer.services.computer.plugins import Kind, PackageError
from reviewer.worker import reading

DONE, WRONG = 0, 2
Call = Callable[[], Any]


def main(arguments: list[str]) -> int:
    """Serve calls until nobody asks any more, and give the exit code."""
    kind = next((x for x in get_args(Kind) if x == arguments[0]), None)
    if kind is None:
        return WRONG
    # whoever asks may be gone before it can end this process
    limit = int(float(arguments[2])) + SPARE_SECONDS
    with socket.socket(fileno=int(arguments[4])) as line:
        own_memory(int(arguments[3]), address_space=False)
        signal.alarm(int(START_SECONDS) + SPARE_SECONDS)
        try:
            thing = _loaded(kind, arguments[1])
        except PackageError as error:
            line.sendall(json.dumps({"problem": str(error)}).encode() + b"\n")
            return WRONG
        told = plugins.about(thing)
        signal.alarm(0)
        line.sendall(json.dumps(told).encode() + b"\n")
        if kind == "reader":
            reading.serve(thing, line, limit)
        else:
            _serve(plugins.function_of(thing), line, limit)
    return DONE


def _loaded(kind: Kind, name: str) -> Any:  # noqa: ANN401  # of a stranger
    found = plugins.find(kind, name)
    if found is None:
        raise PackageError(f"No installed package brings the {kind} {name!r} any more.")
    return plugins.load(kind, found)


def _serve(function: Callable[..., Any], line: socket.socket, limit: int) -> None:
    # readers start quicker without
    import asyncio

    with (
        line.makefile("rw", encoding="utf-8", newline="\n") as lines,
        asyncio.Runner() as runner,
    ):
        for call in lines:
            values, named = json.loads(call)
            signal.alarm(limit)
            reply = _called(
                lambda: function(*values, **named),  # noqa: B023 - called now
                lambda said: runner.run(_awaited(said)),
            )
            signal.alarm(0)
            lines.write(json.dumps(reply) + "\n")
            lines.flush()


def _called(call: Call, awaiting: Callable[[Any], Any]) -> dict[str, Any]:
    try:
        said = call()
        if inspect.isawaitable(said):
            said = awaiting(said)
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
        return {"error": f"failed: {plugins.why(error)}"}


async def _awaited(said: Any) -> Any:  # noqa: ANN401  # of a stranger's function
    return await said


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
