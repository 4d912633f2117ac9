"""Begin a project with nothing in it, and take it away again where it came to nothing."""

from pathlib import Path

from reviewer.store.project import Project


def begin(path: Path) -> bool:
    """Make an empty project where there is no file; tells whether it did.

    Raises:
        ProjectError: The folder is not there or cannot be written.
    """
    if path.exists():
        return False
    Project.create(path).close()
    return True


def drop(path: Path) -> None:
    """Remove a project that was begun and came to nothing."""
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
