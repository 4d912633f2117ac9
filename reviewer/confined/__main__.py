"""Call one function of this program with limits, as often as it is asked to.

`python -m reviewer.confined FUNCTION SECONDS MEMORY LINE`. FUNCTION is pickled, which is its name,
LINE the number of an open socket. A line with the pickled arguments comes there from the program
itself, and one with what the function gave back goes there, as JSON.
"""

import base64
import contextlib
import json
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

from reviewer.confined.process import LARGEST, MEGABYTE, SPARE_SECONDS, own_memory


def main(arguments: list[str]) -> None:
    """Serve calls until nobody asks any more."""
    function = _unpacked(arguments[0])
    # whoever asks may be gone before it can end this process
    limit = int(float(arguments[1])) + SPARE_SECONDS
    with (
        socket.socket(fileno=int(arguments[3])) as line,
        line.makefile("rwb") as lines,
    ):
        own_memory(int(arguments[2]), address_space=True)
        lines.write(b"{}\n")
        lines.flush()
        # whoever asked is gone
        with contextlib.suppress(ConnectionError):
            for call in lines:
                signal.alarm(limit)
                lines.write(_answered(function, call) + b"\n")
                lines.flush()
                signal.alarm(0)


def _unpacked(text: str | bytes) -> Any:  # noqa: ANN401 - a function or its arguments
    return pickle.loads(base64.b64decode(text))  # noqa: S301 - from this program


def _answered(function: Callable[..., Any], call: bytes) -> bytes:
    try:
        answer = json.dumps({"value": function(*_unpacked(call))}).encode()
    except MemoryError:
        return b'{"greedy": true}'
    # whatever a stranger's template brings about
    except Exception as error:  # noqa: BLE001
        why = " ".join(str(error).split()) or "no reason given"
        return json.dumps({"failed": f"failed: {type(error).__name__}: {why[:300]}"}).encode()
    if len(answer) >= LARGEST:
        return json.dumps({"failed": f"gives more than {LARGEST // MEGABYTE} MB"}).encode()
    return answer


if __name__ == "__main__":
    main(sys.argv[1:])
