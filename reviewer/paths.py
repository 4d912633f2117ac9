"""The folders of this program: a person's data, settings and logs, and what ships with it."""

from pathlib import Path

from platformdirs import PlatformDirs

_DIRS = PlatformDirs("reviewer", appauthor=False)


def data_folder() -> Path:
    """Return the folder of projects and what belongs to them, made if absent.

    Raises:
        OSError: where the folder can be neither found nor made.
    """
    return _made(_DIRS.user_data_path)


def config_folder() -> Path:
    """Return the folder of settings; who writes there makes it, for reading it may be absent."""
    return _DIRS.user_config_path


def log_folder() -> Path:
    """Return the folder of log files, made if absent.

    Raises:
        OSError: where the folder can be neither found nor made.
    """
    return _made(_DIRS.user_log_path)


def resources() -> Path:
    """Return the folder of rubrics, examples, fonts and everything else that ships.

    An installed wheel carries it inside the package, a checkout beside it.
    """
    package = Path(__file__).resolve().parent
    installed = package / "_resources"
    return installed if installed.is_dir() else package.parent / "resources"


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder
