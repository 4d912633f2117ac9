"""The program's version; it takes a while to find, so the first page does without."""

import importlib.metadata


def version() -> str:
    """Give the program's version."""
    try:
        return importlib.metadata.version("reviewer")
    except importlib.metadata.PackageNotFoundError:
        return "of a checkout that is not installed"
