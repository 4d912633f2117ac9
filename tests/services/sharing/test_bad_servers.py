"""Servers with a full disk, copies that can only be read, and files and clocks of yesterday."""

import contextlib
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from reviewer.hub.address import HubError
from reviewer.services.labelling import entering
from reviewer.services.sharing import standing, taking_part
from reviewer.store import labels, reading
from tests.servers.postgres import Server
from tests.services.sharing.sharing_projects import Team, lead_project, make_team

SMALL = 24
"""MB of the disk that runs full."""


@contextmanager
def small_disk(folder: Path, owner: str | None) -> Iterator[Path]:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={SMALL}m", "tmpfs", str(folder)]
    if os.getuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        inside = folder / "space"
        inside.mkdir()
        if owner:
            shutil.chown(inside, owner)
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_said_and_nothing_is_lost(postgres: Server, tmp_path: Path) -> None:
    with small_disk(postgres.folder / "small", postgres.user) as disk:
        with postgres.superuser() as conn:
            conn.execute(f"CREATE TABLESPACE small LOCATION '{disk / 'space'}'".encode())
        try:
            team = make_team(postgres, tmp_path, "full", "TABLESPACE small")
            with postgres.superuser() as conn:
                # what was dropped frees its room with the next one, when the disk is to be full
                conn.execute("CHECKPOINT")
            _fill(team, disk)
        finally:
            with postgres.superuser() as conn:
                conn.execute('DROP DATABASE IF EXISTS "full" WITH (FORCE)')
                conn.execute("DROP TABLESPACE small")


def _run_full(file: Path) -> None:
    with contextlib.suppress(OSError), file.open("wb", buffering=0) as out:
        while True:
            out.write(bytes(1 << 14))


def _refused(team: Team) -> str:
    """Give why nothing is taken; a server without room may also end a connection first."""
    for _ in range(5):
        with pytest.raises(HubError) as told:
            team.sync("Ann")
        assert told.value.passing
        found = re.match("The disk of .* is full", str(told.value))
        if found or "broke" not in str(told.value):
            break
    return found.group() if found else str(told.value)


def _fill(team: Team, disk: Path) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        key = reading.find(session.project.conn, "c-0")
        assert key is not None
        for number in range(40):
            entering.comment(session, key, "safety", f"{number} {'long ' * 800}")
    filler = disk / "filler"
    _run_full(filler)
    assert _refused(team) == "The disk of full on 127.0.0.1 is full"
    with team.session("Ann") as session:
        assert "40 entries wait" in standing.standing(session.project).sentence
    filler.unlink()
    assert team.sync("Ann").sent == 40
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")


@contextmanager
def standby(main: Server) -> Iterator[Server]:
    """A real copy that follows a server."""
    folder = main.folder / "copy"
    folder.mkdir()
    if main.user:
        shutil.chown(folder, main.user)
    main.run(
        "pg_basebackup", "-D", str(folder / "data"), "-R", "-X", "stream", "-c", "fast", "-d",
        f"postgresql://root:of%20the%20server@127.0.0.1:{main.port}/postgres",
    )  # fmt: skip
    found = main.beside(folder)
    found.start()
    try:
        yield found
    finally:
        found.control("-m", "immediate", "stop")


def test_a_copy_that_can_only_be_read_is_said(postgres: Server, tmp_path: Path) -> None:
    team = make_team(postgres, tmp_path, "followed")
    team.join("Ann")
    team.label("Ann", "c-0", 2)
    with standby(postgres) as copy:
        there = team.address
        team.address = there._replace(port=copy.port)
        for name in ("Ann", "Lead"):
            with pytest.raises(HubError, match="a copy that can only be read; use the address"):
                team.sync(name)
        team.address = there
    assert team.sync("Ann").sent == 4
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")


def test_of_two_leads_who_share_under_one_name_the_second_is_told(
    postgres: Server, tmp_path: Path
) -> None:
    """One after the other, and both at once."""
    team = make_team(postgres, tmp_path, "one_name")
    (tmp_path / "other").mkdir()
    team.files["Other"] = lead_project(tmp_path / "other")
    team.words["Other"] = team.words["Lead"]
    with team.session("Lead") as session, team.hub() as hub:
        taking_part.leave(session)
        with pytest.raises(HubError, match="already: join it, or choose another name"):
            taking_part.share(session, hub)
    told: list[str] = []
    team.address = team.address._replace(schema="at once")
    start = threading.Barrier(2)

    def share(name: str) -> None:
        with team.session(name) as session, team.hub(name) as hub:
            session.set_labeler("Lead")
            start.wait(20)
            try:
                taking_part.share(session, hub)
            except HubError as error:
                told.append(str(error))

    both = [threading.Thread(target=share, args=(x,)) for x in ("Lead", "Other")]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(told) == 1
    assert "one_name on 127.0.0.1 has a project at once already: join it" in told[0]


def test_a_leads_project_of_yesterdays_backup_gets_back_what_it_had(
    postgres: Server, tmp_path: Path
) -> None:
    team = make_team(postgres, tmp_path, "backup")
    team.join("Ann")
    team.label("Lead", "c-5", 2)
    team.sync("Lead")
    backup = team.files["Lead"].read_bytes()
    team.label("Ann", "c-0", 2)
    team.sync("Ann")
    team.label("Lead", "c-5", 3)
    team.sync("Lead")
    everything, current = team.entries("Lead"), team.current("Lead")
    team.files["Lead"].write_bytes(backup)
    team.label("Lead", "c-4", 1, "safety")
    assert team.sync("Lead").pulled.conflicts == []
    assert everything < team.entries("Lead") == team.on_hub()
    assert [x for x in team.current("Lead") if x[1] != "c-4"] == [
        x for x in current if x[1] != "c-4"
    ]


def test_answers_of_a_clock_in_1970_are_kept_in_their_order(
    postgres: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    team = make_team(postgres, tmp_path, "clock")
    team.join("Ann")
    with monkeypatch.context() as then:
        then.setattr(labels, "now_text", lambda: "1970-01-01T00:00:01.000Z")
        for value in (1, 4, 2):
            team.label("Ann", "c-0", value, "safety")
    team.sync("Ann", "Lead")
    # what is answered with the clock put right stands before all of them
    mine = [x for x in team.current("Lead") if x[3] == "Ann"]
    assert [x[6] for x in mine] == [2.0]
    team.label("Ann", "c-0", 5, "safety")
    team.sync("Ann", "Lead")
    assert [x[6] for x in team.current("Lead") if x[3] == "Ann"] == [5.0]
    assert team.on_hub() == team.entries("Lead")
