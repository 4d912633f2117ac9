"""Which process is at work on something in a project, and whether it still runs."""

import os
import socket
from datetime import UTC, datetime

from reviewer.domain.evaluation import parse_time


def owner_name() -> str:
    """Name this process, as an import's row keeps it."""
    return f"{os.getpid()}@{socket.gethostname()}"


def alive(owner: str, started: str) -> bool:
    """Tell whether the process that an owner names still runs since then, this one left out."""
    number, _, host = owner.partition("@")
    if host != socket.gethostname():
        age = datetime.now(UTC) - parse_time(started)
        return age.total_seconds() < 3600
    if not number.isdigit() or int(number) == os.getpid():
        return False
    import psutil

    try:
        born = psutil.Process(int(number)).create_time()
    except psutil.Error:
        return False
    # a number used again belongs to a younger process
    return born <= parse_time(started).timestamp() + 1
