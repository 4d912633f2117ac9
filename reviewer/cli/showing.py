"""Show the window; nothing else is loaded on the way to it."""

import gc
from pathlib import Path

from reviewer.cli import display


def show(project: Path | None, open_id: str | None = None) -> int:
    """Show the window until it is closed and give the exit code.

    Raises:
        ReviewerError: There is no display.
    """
    display.require()
    # nothing of a start is garbage: searching for it would take a tenth of the start
    gc.disable()
    from reviewer.gui import app

    return app.run(project, open_id=open_id)
