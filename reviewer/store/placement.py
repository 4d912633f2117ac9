"""Where a project file lies: whether it can be written, and whether the place is safe for it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

MOUNTS = Path("/proc/self/mounts")
_ESCAPED = re.compile(r"\\([0-7]{3})")
NETWORK = frozenset(
    {
        "nfs",
        "nfs4",
        "cifs",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
        "sshfs",
        "fuse.sshfs",
        "afpfs",
        "9p",
        "webdav",
        "davfs",
        "fuse.davfs2",
        "ncpfs",
        "afs",
        "glusterfs",
        "ceph",
    }
)
SYNCED = (
    "dropbox",
    "onedrive",
    "google drive",
    "googledrive",
    "icloud drive",
    "mobile documents",
    "nextcloud",
    "owncloud",
    "syncthing",
    "pcloud",
    "mega",
    "box sync",
)


def writable(path: Path) -> bool:
    """Tell whether the file and its folder can be written, as SQLite's journal needs both."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def warning(path: Path) -> str | None:
    """Say what is unsafe about the file's place, None where nothing is.

    SQLite's write-ahead log does not work on network shares, and a synchronised folder copies
    its files apart from one another.
    """
    folder = path.absolute().parent
    if _file_system(folder) in NETWORK:
        return (
            f"{path.name} lies on a network share: it works, but more slowly, and only one person "
            "at a time should open it."
        )
    named = next((part for part in folder.parts if part.lower().startswith(SYNCED)), None)
    if named:
        return (
            f"{path.name} lies in the synchronised folder {named}: it works, but open it on one "
            "computer at a time and let the folder finish before opening it on another."
        )
    return None


def _file_system(folder: Path) -> str:
    best, kind = "", ""
    for mount, found in _mounts():
        if len(mount) >= len(best) and folder.is_relative_to(mount):
            best, kind = mount, found.lower()
    return kind


def _mounts() -> Iterator[tuple[str, str]]:
    """Give every mounted folder with the kind of its file system."""
    try:
        lines = MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        # no Linux: the library knows, but takes a while to load
        import psutil

        for disk in psutil.disk_partitions(all=True):
            yield disk.mountpoint, disk.fstype
        return
    for line in lines:
        words = line.split(" ")
        if len(words) > 2:
            yield _ESCAPED.sub(lambda sign: chr(int(sign[1], 8)), words[1]), words[2]
