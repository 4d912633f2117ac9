"""Audit packets as whoever gets one has them: a zip, a folder, and a bare Python."""

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from reviewer.domain.errors import Silent
from reviewer.services.figures.statistics import StatsRequest
from reviewer.services.project.session import Session
from reviewer.services.reporting import packet
from reviewer.services.reporting.packet import AuditPacket


def packed(project: Path, to: Path, **request: Any) -> AuditPacket:
    """Write the packet of a project as its lead."""
    with closing(Session.open(project, "lea")) as session:
        return packet.make(session, to, StatsRequest(**request), Silent())


def held(*words: str | Path, cwd: Path) -> tuple[int, str]:
    """Run the script of a packet in a Python without libraries, variables or settings."""
    # -I -S: nothing of this environment is in reach
    ended = subprocess.run(
        [sys.executable, "-I", "-S", *map(str, words)],
        cwd=cwd,
        env={},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return ended.returncode, (ended.stdout + ended.stderr).decode()


def unpacked(file: Path, folder: Path) -> Path:
    """Unpack a packet."""
    folder.mkdir()
    with zipfile.ZipFile(file) as files:
        files.extractall(folder)
    return folder


def checked(file: Path, folder: Path) -> tuple[int, str]:
    """Unpack a packet and run its script there."""
    place = unpacked(file, folder)
    return held("recompute.py", cwd=place)


def contents(file: Path) -> dict[str, bytes]:
    """Read every file of a packet."""
    with zipfile.ZipFile(file) as files:
        return {name: files.read(name) for name in files.namelist()}


def rewritten(file: Path, changed: Mapping[str, bytes], *, honest: bool = True) -> Path:
    """Put other files into a packet; where it is honest the manifest names them."""
    files = {**contents(file), **changed}
    if honest:
        manifest = json.loads(files["manifest.json"])
        for entry in manifest["files"]:
            content = files[entry["name"]]
            entry["bytes"], entry["sha256"] = len(content), hashlib.sha256(content).hexdigest()
        files["manifest.json"] = json.dumps(manifest).encode()
    made = file.with_name("rewritten.zip")
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made


def lines(content: bytes) -> list[dict[str, Any]]:
    """Read JSON Lines."""
    return [json.loads(line) for line in content.splitlines()]
