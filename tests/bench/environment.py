"""The environment of processes that are measured."""

import os
from pathlib import Path


def installed(folder: Path) -> dict[str, str]:
    """Give an environment that keeps compiled modules, as an installed program does."""
    kept = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder / "compiled")}
