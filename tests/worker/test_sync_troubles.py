"""What goes wrong while a project is kept in step: each a sentence, and nothing lost."""

import itertools
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from reviewer.hub import lines
from reviewer.services.sharing import holding, keeping, standing, taking_part
from reviewer.services.sharing.states import SyncState
from tests.servers.pooler import pooler
from tests.servers.postgres import Server, server
from tests.servers.proxy import proxy
from tests.servers.synced import WAIT_S, Kept, kept
from tests.services.sharing.sharing_projects import Team, make_team

_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def mortal() -> Iterator[Server]:
    """A server that may be killed: the other tests' one lives on."""
    with server() as found:
        yield found


@pytest.fixture
def team(mortal: Server, tmp_path: Path) -> Team:
    made = make_team(mortal, tmp_path, f"kept_{next(_NUMBERS)}")
    made.join("Ann")
    return made


def kept_of(team: Team, name: str) -> AbstractContextManager[Kept]:
    return kept(team.files[name], team.words[name][1])


def through(team: Team, name: str, port: int) -> None:
    """Let a file's line go over another port."""
    with team.session(name) as session:
        text = session.project.setting("hub").replace(f":{team.server.port}/", f":{port}/")
        session.project.set_setting("hub", text)


def all_sent(state: dict[str, object]) -> bool:
    return state["doing"] == "in step" and state["waiting"] == 0


def waits(count: int) -> Callable[[dict[str, object]], bool]:
    return lambda x: x["waiting"] == count


@contextmanager
def changed(team: Team, statement: str, back: str) -> Iterator[None]:
    """Change something of the server for whoever connects from now on."""
    with team.server.superuser(team.address.database) as conn:
        conn.execute(statement.encode())
        conn.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s "
            "AND pid <> pg_backend_pid()",
            (team.address.database,),
        )
        yield
        conn.execute(back.encode())


def test_a_wrong_password_waits_for_the_right_one(team: Team, tmp_path: Path) -> None:
    word = team.words["Ann"][1]
    with kept(team.files["Ann"], "guessed") as ann:
        state = ann.wait_for("password")
        assert "is wrong" in state["reason"]
        assert state["user"] == team.words["Ann"][0]
        ann.say(password="guessed again", keep=False)
        ann.wait_for(lambda x: x is not state and x["doing"] == "password")
        ann.say(password=word, keep=False)
        ann.wait_for(all_sent)
        place = Path(f"/proc/{ann.process.pid}")
        for name in ("cmdline", "environ"):
            assert word.encode() not in (place / name).read_bytes()
        ann.end()
        told = str(ann.states)
    assert word not in told
    assert "guessed" not in told
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or word.encode() not in file.read_bytes()


def test_a_server_that_dies_and_comes_back(team: Team) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        team.server.kill()
        state = ann.wait_for(lambda x: "Nobody answers" in x["reason"])
        assert state["doing"] == "no line"
        assert state["again_at"] > time.time() - 5
        team.label("Ann", "c-0", 2)
        ann.wait_for(waits(4))
        ann.forget()
        team.server.start()
        ann.wait_for(all_sent)
        assert team.entries("Ann") <= team.on_hub()


class Here:
    """Orders of a test, for the same work within its own process."""

    ended = False

    def wait(self, seconds: float, line: int | None = None) -> bool:
        select.select([] if line is None else [line], [], [], seconds)
        return False

    def password(self, user: str) -> None:
        raise AssertionError(user)


def test_a_line_that_falls_silent_without_an_end(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines.Line, "patience", 1.0)
    monkeypatch.setenv("PGPASSWORD", team.words["Ann"][1])
    orders, told = Here(), list[SyncState]()

    def tell(state: SyncState) -> None:
        told.append(state)
        if state.doing == "no line" and state.waiting == 4:
            line.silent = False
        elif state.doing == "in step" and not line.was_silent:
            line.silent = line.was_silent = True
            team.label("Ann", "c-0", 2)
        elif state.doing == "in step" and not state.waiting and not line.silent:
            orders.ended = True

    with proxy(team.server.port) as line:
        through(team, "Ann", line.port)
        assert keeping.keep(team.files["Ann"], orders, tell).waiting == 0
    reasons = {x.reason for x in told if x.doing == "no line"}
    assert any("does not answer" in x for x in reasons), reasons
    assert team.entries("Ann") <= team.on_hub()


def test_a_copy_that_can_only_be_read_is_waited_out(team: Team) -> None:
    place = f"DATABASE {team.address.database} SET default_transaction_read_only"
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        with changed(team, f"ALTER {place} = on", f"ALTER {place} = off"):
            state = ann.wait_for("held up")
            assert "is a copy that can only be read" in state["reason"]
            team.label("Ann", "c-0", 2)
            ann.wait_for(waits(4))
            ann.forget()
        ann.wait_for(all_sent)
    assert team.entries("Ann") <= team.on_hub()


@pytest.fixture
def narrow(team: Team) -> Iterator[Path]:
    """A disk of eight megabytes, on which the server keeps what people answer."""
    place = team.server.folder / "narrow"
    place.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(words, check=False).returncode:
        pytest.skip("needs the right to mount a small disk")
    try:
        if team.server.user:
            shutil.chown(place, team.server.user)
        with team.server.superuser(team.address.database) as conn:
            conn.execute(f"CREATE TABLESPACE narrow LOCATION '{place}'".encode())
            conn.execute("ALTER TABLE chats.entries SET TABLESPACE narrow")
        yield place
        with team.server.superuser(team.address.database) as conn:
            conn.execute("ALTER TABLE chats.entries SET TABLESPACE pg_default")
            conn.execute("CHECKPOINT")
            conn.execute("DROP TABLESPACE narrow")
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_at_the_server_is_waited_out(team: Team, narrow: Path) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        full(narrow)
        for value in (1, 2, 3, 4, 5) * 8:
            team.label("Ann", "c-0", value, "safety")
        state = ann.wait_for("held up")
        assert "The disk of" in state["reason"]
        assert state["waiting"] > 0
        ann.forget()
        (narrow / "filler").unlink()
        ann.wait_for(all_sent)
    assert team.entries("Ann") <= team.on_hub()


def full(place: Path) -> None:
    """Leave no byte of a disk free."""
    with (place / "filler").open("ab", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


@pytest.mark.parametrize(("mode", "polls"), [("transaction", True), ("session", False)])
def test_a_pooler_that_keeps_wake_ups_back_is_said_and_asked(
    team: Team, mode: str, polls: bool
) -> None:
    words = dict(team.words.values())
    with ExitStack() as stack:
        port = stack.enter_context(pooler(team.server, words, mode))
        for name in ("Lead", "Ann"):
            through(team, name, port)
        lead = stack.enter_context(kept_of(team, "Lead"))
        ann = stack.enter_context(kept_of(team, "Ann"))
        for one in (lead, ann):
            state = one.wait_for(all_sent)
            assert state["polls"] is polls
        team.label("Ann", "c-0", 2)
        lead.wait_for(lambda x: x["came"] >= 4)
    assert team.on_hub() == team.entries("Lead")


def test_of_two_processes_one_keeps_it_in_step_and_the_other_goes_on_after_it(team: Team) -> None:
    with kept_of(team, "Ann") as first, kept_of(team, "Ann") as second:
        first.wait_for(all_sent)
        second.wait_for(lambda x: x["doing"] in ("in step", "elsewhere"))
        one, other = (first, second) if first.last["doing"] == "in step" else (second, first)
        found = holding.told(team.files["Ann"])
        assert found is not None
        one.process.kill()
        team.label("Ann", "c-0", 2)
        until = time.monotonic() + WAIT_S
        while not team.entries("Ann") <= team.on_hub():
            assert time.monotonic() < until
            time.sleep(0.1)
        assert other.process.poll() is None
    assert holding.told(team.files["Ann"]) is None


def test_a_file_that_is_renamed_is_said(team: Team) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        team.files["Ann"] = team.files["Ann"].rename(team.folder / "Hers.review")
        assert "was renamed to Hers.review" in ann.wait_for("refused")["reason"]
        assert ann.process.wait(30) == 2
    team.label("Ann", "c-0", 2)
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
    assert team.entries("Ann") <= team.on_hub()


def test_who_is_taken_out_hears_it_and_keeps_everything(team: Team) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        with team.hub() as hub:
            taking_part.remove(hub, "Ann")
        team.label("Ann", "c-0", 2)
        state = ann.wait_for("refused")
        assert "is not among the people of chats, or was taken out" in state["reason"]
        assert state["waiting"] == 4
        assert ann.process.wait(30) == 2


def test_a_hub_of_a_newer_program_is_said(team: Team) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        with team.hub() as hub, hub.writing() as work:
            work.do("UPDATE hub SET version = 99")
        team.label("Ann", "c-0", 2)
        assert "by a newer version of Reviewer" in ann.wait_for("refused")["reason"]


def test_a_project_that_is_not_shared_any_more_ends_it_and_stays_so(team: Team) -> None:
    with kept_of(team, "Ann") as ann:
        ann.wait_for(all_sent)
        with team.session("Ann") as session:
            taking_part.leave(session)
        team.label("Ann", "c-0", 2)
        assert "is not shared" in ann.wait_for("refused")["reason"]
        assert team.asked("Ann", "SELECT value FROM settings WHERE name = 'hub'") == [("",)]


def test_an_entry_of_a_newer_program_is_said_and_looked_at_again_by_one(team: Team) -> None:
    with team.server.superuser(team.address.database) as conn:
        conn.execute(
            "INSERT INTO chats.entries(person, id, evaluation, sort, kind, place, body, sender) "
            "SELECT p.id, %s, e.id, 'mark', 'hologram', 1, '{}', p.id FROM chats.people p, "
            "chats.evaluations e WHERE p.name = 'Ann' AND e.name = 'c-0'",
            (uuid4(),),
        )
    team.label("Ann", "c-1", 3)
    team.sync("Ann")
    with kept_of(team, "Lead") as lead:
        state = lead.wait_for(lambda x: bool(x["told"]))
        assert "hologram" in " ".join(state["told"])
        lead.wait_for(lambda x: x["came"] >= 4)
        lead.end()
    assert "1 entry of the hub had no place here" in told_of(team, "Lead")
    with team.session("Lead") as session:
        text = session.project.setting("hub")
        assert '"refused":1' in text
        older = text.replace('"program":"', '"program":"older ')
        session.project.set_setting("hub", older)
    assert len(team.sync("Lead").pulled.refused) == 1
    assert "1 entry of the hub had no place here" in told_of(team, "Lead")
    assert team.sync("Lead").pulled.refused == []


def told_of(team: Team, name: str) -> str:
    with team.session(name) as session:
        return standing.standing(session.project).sentence


def test_many_answers_are_sent_though_process_and_server_are_killed(team: Team) -> None:
    for value in (1, 2, 3, 4, 5) * 6:
        team.label("Ann", "c-0", value)
    rounds = 0
    team.server.kill()
    team.server.start()
    while rounds < 3:
        with kept_of(team, "Ann") as ann:
            ann.wait_for("connecting")
            time.sleep(0.3 * rounds)
            team.server.kill()
            ann.process.kill()
        team.server.start()
        rounds += 1
    with kept_of(team, "Ann") as ann, kept_of(team, "Lead") as lead:
        ann.wait_for(all_sent)
        lead.wait_for(lambda x: x["came"] >= 90, seconds=60)
    assert team.on_hub() == team.entries("Lead") >= team.entries("Ann")
