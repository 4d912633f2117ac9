"""A shared project by commands alone: two people, two files, one database."""

import itertools
import re
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.services.project.session import Session
from reviewer.services.queues import making
from reviewer.services.queues.plans import QueuePlan
from tests.journeys.shell import Shell
from tests.servers.postgres import HOST, OWNER, OWNERS_PASSWORD, Server
from tests.services.sharing.sharing_projects import lead_project

_NUMBERS = itertools.count(1)
_VARIABLE = "PGPASSWORD"


@pytest.fixture
def shell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Shell:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(_VARIABLE, OWNERS_PASSWORD)
    return Shell(tmp_path, capsys)


@pytest.fixture
def place(postgres: Server) -> str:
    database = postgres.make_database(f"shell_{next(_NUMBERS)}")
    return f"postgresql://{OWNER}@{HOST}:{postgres.port}/{database}"


def test_from_sharing_to_leaving(
    shell: Shell, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead = lead_project(shell.folder)
    assert shell.run("hub", lead, "share", place, "--schema", "chats") == 0, shell.err
    assert f"Shared at {place}/chats." in shell.err
    role = "ann_of_shell"
    made = shell.document("hub", lead, "invite", "Ann", "--account", role)
    assert made["line"] == f"reviewer join {place.replace(OWNER + '@', role + '@')}/chats"
    monkeypatch.setenv(_VARIABLE, made["password"])
    got = shell.document(*made["line"].split()[1:], "mine.review")
    assert got["evaluations"] == 4
    assert shell.run("join", *made["line"].split()[2:], "mine.review") == 2
    assert "is shared already" in shell.err
    assert shell.run("hub", "mine.review") == 0
    assert "Shared as a labeler" in shell.out
    assert shell.run("hub", "mine.review", "invite", "Carl", "--account", "carl") == 2
    assert "Only a lead of chats can invite people." in shell.err
    assert shell.document("hub", "mine.review", "sync")["sent"] == 0
    monkeypatch.setenv(_VARIABLE, OWNERS_PASSWORD)
    people = shell.document("hub", lead, "people")["people"]
    assert {x["name"]: x["account"] for x in people if x["account"]} == {
        "Ann": role, "Lead": OWNER,
    }  # fmt: skip
    assert shell.run("hub", lead, "people", "--remove", "Ann") == 0
    assert "taken out" in shell.out
    monkeypatch.setenv(_VARIABLE, made["password"])
    assert shell.run("hub", "mine.review", "sync") == 2
    assert f"{role} is not among the people of chats" in shell.err
    assert shell.run("hub", "mine.review", "leave") == 0
    assert shell.run("hub", "mine.review") == 2
    assert "is not shared" in shell.err
    for file in shell.folder.iterdir():
        for word in (OWNERS_PASSWORD, made["password"]):
            assert word.encode() not in file.read_bytes()


def test_what_share_would_run_is_printed_and_not_run(shell: Shell, place: str) -> None:
    lead = lead_project(shell.folder)
    assert shell.run("hub", lead, "share", place, "--schema", "a b", "--print-sql") == 0
    assert 'CREATE SCHEMA "a b";' in shell.out
    assert not re.search(r"%[a-z]+%", shell.out)
    assert shell.run("hub", lead) == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("share",), "needs an ADDRESS"),
        (("invite",), "needs a NAME"),
        (("invite", "Ann"), "is not shared"),
        (("sync",), "is not shared"),
        (("share", "mysql://host/team"), "is no address of a hub"),
        (("share", "postgresql://anna:geheim@host/team"), "holds a password"),
        (("share", "postgresql://db.example.com/team?sslmode=disable"), "only verify-full"),
        (("share", "postgresql://127.0.0.1:1/team"), "Nobody answers"),
    ],
)
def test_wrong_words_are_sentences(shell: Shell, words: tuple[str, ...], sentence: str) -> None:
    lead = lead_project(shell.folder)
    assert shell.run("hub", lead, *words) == 2
    assert sentence in shell.err
    assert "geheim" not in shell.err
    assert "Traceback" not in shell.err


def test_a_line_without_its_end_is_said(shell: Shell) -> None:
    assert shell.run("join", "postgresql://anna@host/team") == 2
    assert "names no project" in shell.err


def test_a_queue_that_is_given_out_is_taken_by_sync_and_told_by_status(
    shell: Shell, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lead = lead_project(shell.folder)
    assert shell.run("hub", lead, "share", place, "--schema", "chats") == 0, shell.err
    with closing(Session.open(lead, "Lead")) as session:
        making.create(session, QueuePlan(name="Pool", assignment="free", labelers=("Ann",)))
    made = shell.document("hub", lead, "invite", "Ann", "--account", "ann_who_takes")
    shell.document("hub", lead, "sync")
    monkeypatch.setenv(_VARIABLE, made["password"])
    got = shell.document(*made["line"].split()[1:], "mine.review")
    assert (got["evaluations"], got["claimed"]) == (6, True)
    told = shell.document("hub", "mine.review")
    assert (told["nothing_free"], told["given_out"]) == (["Pool"], [])
    assert shell.run("hub", "mine.review") == 0
    assert "Nothing more is free in Pool just now." in shell.out
    monkeypatch.setenv(_VARIABLE, OWNERS_PASSWORD)
    assert shell.document("hub", lead)["given_out"] == [
        {"queue": "Pool", "evaluations": 6, "answered": 0, "free": 6}
    ]
    shell.document("hub", lead, "sync")
    assert shell.run("hub", lead, "status") == 0
    assert "Pool: 0 of 6 answered by enough people, 0 answers still free." in shell.out
