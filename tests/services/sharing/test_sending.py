"""Sending costs what is sent, whatever else a file or the program has."""

import os
import subprocess
import sys
from collections.abc import Sequence

import pytest

from reviewer.domain.evaluation import Label
from reviewer.hub import writing
from reviewer.hub.connecting import Work, quoted
from reviewer.services.labelling import entering
from reviewer.services.project.session import Session
from reviewer.services.sharing import link as links
from reviewer.services.sharing import standing
from reviewer.services.sharing import states as wording
from reviewer.store import labels, reading, shares, states
from tests.building import undone
from tests.servers.postgres import OWNER
from tests.services.parcels.sending import METRICS
from tests.services.sharing.sharing_projects import Team

STEPS = 50


def answer(session: Session, count: int) -> None:
    """Answer one metric of the first evaluation again and again."""
    project = session.project
    (key,) = project.conn.execute("SELECT min(id) FROM evaluations").fetchone()
    with project.write() as conn:
        me, metric = session.my_key(), labels.metric_key(conn, "safety")
        for number in range(count):
            at = f"2026-11-24T10:{number // 60 % 60:02}:{number % 60:02}.{number // 3600:03}Z"
            label = Label(
                evaluation=key, metric="safety", labeler=session.labeler.name, value=3, at=at,
                blind=True, seq=project.next_seq(),
            )  # fmt: skip
            labels.append(conn, label, metric=metric, labeler=me, revision=1)
        states.refresh(conn, [key])


def steps_of_reading(session: Session, since: int) -> int:
    """Count what SQLite does to find what was made since, in steps of its machine."""
    done = [0]

    def count() -> int:
        done[0] += 1
        return 0

    session.project.conn.set_progress_handler(count, STEPS)
    shares.made_in(session.project, [(since, shares.LAST)], 500)
    session.project.conn.set_progress_handler(None, 0)
    return done[0]


def test_what_was_sent_is_not_read_again(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        asked = []
        for _ in range(2):
            answer(session, 1_500)
            asked.append(steps_of_reading(session, shares.newest(session.project.conn) - 10))
    assert asked[0] > 0
    assert asked[1] <= 1.2 * asked[0]


def test_answers_are_sent_without_what_reads_files_and_makes_figures(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-1", 3)
    script = (
        "import sys; from reviewer.cli.main import main;"
        f"code = main(['hub', {str(team.files['Ann'])!r}, 'sync']);"
        "heavy = {'numpy', 'reviewer.formats.registry', 'reviewer.domain.rubric_check'};"
        "sys.exit(code or ', '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60,
        env=os.environ | {"PGPASSWORD": team.words["Ann"][1]},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("4 entries sent")


def test_the_hub_asks_once_whether_all_is_answered(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        answer(session, 120)
    schema = quoted(team.address.schema)
    with team.server.superuser(team.address.database) as conn:
        conn.execute(f"CREATE SEQUENCE {schema}.asked".encode())
        conn.execute(f"ALTER SEQUENCE {schema}.asked OWNER TO {OWNER}".encode())
        conn.execute(
            f"CREATE OR REPLACE FUNCTION {schema}.answers_whole(which bigint, who uuid) "
            "RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER "
            f"AS $$ SELECT nextval('{schema}.asked') < 0 $$".encode()
        )
        assert team.sync("Ann").sent == 120
        row = conn.execute(f"SELECT last_value FROM {schema}.asked".encode()).fetchone()
    assert row == (1,)


def test_what_came_is_not_offered_again_beside_an_answer_of_ones_own(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.join("Ann")
    offered: list[int] = []
    put = writing.put_entries

    def count(work: Work, entries: Sequence[writing.Entry], *, as_lead: bool) -> int:
        offered.append(len(entries))
        return put(work, entries, as_lead=as_lead)

    monkeypatch.setattr(writing, "put_entries", count)
    for value in (3, 4):
        with team.session("Ann") as session:
            answer(session, 1_200)
        team.sync("Ann")
        offered.clear()
        team.label("Lead", "c-1", value)
        done = team.sync("Lead")
        assert done.pulled.labels == 1_200
        assert sum(offered) == done.sent > 0
    with team.session("Lead") as session:
        link = links.must(session.project)
        assert (link.came, shares.waiting(session.project.conn, link.unsent)) == ((), (0, 0))


def test_answers_that_wait_are_counted_as_people_count_them(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        key = reading.find(session.project.conn, "c-0")
        assert key is not None
        entering.toggle_flag(session, key)
        told = standing.standing(session.project).state
        assert (told.waiting, told.answers) == (1, 0)
        assert told.words == "Shared · 1 entry waits · nothing was sent yet"
        assert wording.parting(told, "a.review").startswith("1 entry of a.review still waits on")
        for value in (1, 2):
            for metric in METRICS:
                entering.commit(session, key, metric, value)
        undone(session)
        entering.not_applicable(session, key, METRICS[-1])
        told = standing.standing(session.project).state
        assert told.answers == 3 < told.waiting
        assert "3 answers wait · nothing" in told.words
        assert wording.parting(told, "a.review").startswith("3 answers of a.review still wait on")
        document = told.to_document()
        assert (document["answers_waiting"], document["entries_waiting"]) == (3, told.waiting)
