"""Several files of one project come to hold the same, and no more than each may."""

import json
from dataclasses import replace
from datetime import datetime, tzinfo

import pytest

from reviewer.domain.errors import Silent
from reviewer.hub.address import HubError
from reviewer.hub.connecting import quoted, seen_of
from reviewer.hub.writing import Document, put_document
from reviewer.services.computer import versions
from reviewer.services.labelling import entering
from reviewer.services.project import guidelines, record, rubrics
from reviewer.services.queues import making, profiles, working
from reviewer.services.queues.plans import QueuePlan, Sampling
from reviewer.services.sharing import pulling, standing, syncing, taking_part
from reviewer.services.transfer import importing
from reviewer.services.transfer.importing import ImportRequest
from reviewer.store import reading
from tests.journeys.shell import lines
from tests.services.parcels.sending import METRICS, SECRET, records
from tests.services.sharing.sharing_projects import Team

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(24)


def test_a_labeler_gets_their_evaluations_and_nothing_that_tells(team: Team) -> None:
    got = team.join("Ann")
    assert got.pulled.evaluations == 4
    assert [x for (x,) in team.asked("Ann", "SELECT ext_id FROM evaluations")] == [
        "c-0", "c-1", "c-2", "c-3",
    ]  # fmt: skip
    assert team.asked("Ann", "SELECT count(*) FROM scores") == [(0,)]
    assert team.asked("Ann", "SELECT count(*) FROM labels") == [(0,)]
    assert SECRET.encode() not in team.files["Ann"].read_bytes()
    assert team.asked("Ann", "SELECT name, blind FROM queues") == [("For Ann", 1)]
    assert team.asked("Ann", "SELECT DISTINCT tag FROM tags") == [("pool",)]
    with team.session("Ann") as session:
        assert (session.labeler.name, session.labeler.role) == ("Ann", "labeler")


def test_answers_come_to_the_lead_with_who_gave_them_and_unseen(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-1", 3)
    assert team.sync("Ann").sent == 4  # three labels, and that all was seen then
    assert team.sync("Lead").pulled.labels == 3
    mine = [x for x in team.current("Lead") if x[3] == "Ann"]
    assert mine == [("one", "c-1", m, "Ann", 0, "label", 3.0, 1) for m in sorted(METRICS)]


def test_what_judge_and_others_say_comes_when_all_is_answered_and_not_before(team: Team) -> None:
    team.join("Ann")
    team.join("Ben")
    team.label("Ben", "c-2", 2)
    team.label("Ben", "c-3", 2)
    team.sync("Ben")
    team.label("Ann", "c-2", 3, *METRICS[:2])
    team.sync("Ann", "Ann")
    seen = "SELECT (SELECT count(*) FROM scores), (SELECT count(*) FROM labels WHERE labeler <> ?)"
    others = seen.replace("?", "(SELECT id FROM labelers WHERE name = 'Ann')")
    assert team.asked("Ann", others) == [(0, 0)]
    team.label("Ann", "c-2", 3, METRICS[2])
    team.sync("Ann", "Ann")
    # the judge's three; Ben's three, and one of somebody else and a decision that were there
    assert team.asked("Ann", others) == [(3, 5)]
    assert team.asked("Ann", "SELECT DISTINCT evaluation FROM scores") == team.asked(
        "Ann", "SELECT id FROM evaluations WHERE ext_id = 'c-2'"
    )


def test_a_second_time_changes_nothing(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 4)
    team.sync("Ann", "Lead", "Ann")
    there, before = team.on_hub(), team.entries("Lead")
    for name in ("Ann", "Lead", "Ann", "Lead"):
        again = team.sync(name)
        assert (again.sent, again.pulled.labels, again.pulled.marks, again.told) == (0, 0, 0, [])
    assert (team.on_hub(), team.entries("Lead")) == (there, before)


def test_two_leads_come_to_the_same(team: Team) -> None:
    team.invite("Second", "lead")
    team.join("Second")
    team.join("Ann")
    team.label("Ann", "c-1", 3)
    team.label("Lead", "c-1", 2)
    team.label("Second", "c-5", 1)
    team.sync("Ann", "Second", "Lead", "Second", "Ann")
    assert team.entries("Lead") == team.entries("Second") == team.on_hub()
    assert team.current("Lead") == team.current("Second")
    runs = "SELECT name, (SELECT count(*) FROM scores) FROM runs"
    assert team.asked("Lead", runs) == team.asked("Second", runs)


def test_one_person_on_two_computers(team: Team) -> None:
    team.join("Ann")
    team.join("Ann", "laptop")
    team.label("Ann", "c-0", 2, "safety")
    team.label("laptop", "c-0", 4, "safety")
    team.sync("Ann")
    found = team.sync("laptop")
    (differ,) = found.pulled.conflicts
    assert (differ.id, differ.metric, differ.here, differ.there) == ("c-0", "safety", 4.0, 2.0)
    team.sync("Ann")
    assert team.entries("Ann") == team.entries("laptop")
    assert team.current("Ann") == team.current("laptop")
    assert team.current("Ann")[0][6] == 4.0
    # known to both by now, it is no conflict any more
    team.label("Ann", "c-0", 1, "safety")
    team.sync("Ann")
    assert team.sync("laptop").pulled.conflicts == []


def test_a_project_of_yesterdays_backup_gets_back_what_it_had(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 2)
    team.sync("Ann")
    backup = team.files["Ann"].read_bytes()
    team.label("Ann", "c-1", 3)
    team.sync("Ann")
    everything = team.entries("Ann")
    mine = [x for x in team.current("Ann") if x[3] == "Ann"]
    team.files["Ann"].write_bytes(backup)
    assert team.sync("Ann").pulled.conflicts == []
    assert everything <= team.entries("Ann")
    assert [x for x in team.current("Ann") if x[3] == "Ann"] == mine


def test_a_lost_file_is_joined_again(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 2)
    team.label("Ann", "c-1", 3, "safety")
    team.sync("Ann")
    mine = [x for x in team.current("Ann") if x[3] == "Ann"]
    team.files["Ann"].unlink()
    team.join("Ann")
    assert [x for x in team.current("Ann") if x[3] == "Ann"] == mine


def test_what_a_restored_hub_lacks_is_sent_again(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 2)
    team.sync("Ann", "Lead")
    with team.server.superuser(team.address.database) as conn:
        conn.execute("DELETE FROM chats.entries WHERE kind = 'label'")
    with team.hub() as hub:
        taking_part.restored(hub)
    assert any("older backup" in x for x in team.sync("Ann").told)
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")


def test_a_person_who_is_renamed_stays_who_they_are(team: Team) -> None:
    team.join("Ann")
    with team.session("Lead") as session:
        profiles.change(session, "Ann", new_name="Anna")
    team.label("Ann", "c-0", 2, "safety")
    team.sync("Ann", "Lead")
    assert ("one", "c-0", "safety", "Anna", 0, "label", 2.0, 1) in team.current("Lead")


def test_a_new_version_of_the_rubric_and_the_guidelines_come(team: Team) -> None:
    team.join("Ann")
    with team.session("Lead") as session:
        guidelines.write(session, "Be kind.")
        rubric = session.current_rubric()
        rubrics.save_version(session.project, replace(rubric, description="Another one."))
    team.sync("Lead")
    told = team.sync("Ann").told
    assert "The setting guidelines has a new version." in told
    with team.session("Ann") as session:
        assert guidelines.guidelines(session) == "Be kind."
        assert session.current_rubric().description == "Another one."


def test_of_two_leads_who_change_the_same_the_second_is_told(team: Team) -> None:
    team.invite("Second", "lead")
    team.join("Second")
    for name in ("Lead", "Second"):
        with team.session(name) as session:
            guidelines.write(session, f"By {name}.")
    team.sync("Lead")
    assert any(
        "changed by another lead" in x and "By Second." in x for x in team.sync("Second").told
    )
    with team.session("Second") as session:
        assert guidelines.guidelines(session) == "By Lead."


def test_a_run_that_is_imported_later_comes_with_its_queue(team: Team) -> None:
    team.join("Ann")
    file = team.folder / "two.jsonl"
    file.write_text(lines(*(x | {"run": "two"} for x in records()[:3])))
    importing.run(team.files["Lead"], ImportRequest(files=(file,)), Silent())
    with team.session("Lead") as session:
        query = "SELECT e.id FROM evaluations e JOIN runs r ON r.id = e.run WHERE r.name = 'two'"
        keys = tuple(k for (k,) in session.project.conn.execute(query))
        plan = QueuePlan(name="More", sampling=Sampling.CHOSEN, keys=keys, labelers=("Ann",))
        making.create(session, plan)
    team.sync("Lead")
    assert team.sync("Ann").pulled.evaluations == 3
    assert ("More",) in team.asked("Ann", "SELECT name FROM queues")


def test_what_cannot_be_used_is_told_and_the_rest_is_taken(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 2, "safety")
    team.sync("Ann")
    user, password = team.words["Ann"]
    with team.server.connect(team.address.database, user, password) as conn:
        conn.execute(f"SET search_path TO {quoted(seen_of('chats'))}, chats".encode())
        for kind, body in (
            ("verdict of tomorrow", json.dumps({"value": 3})),
            ("label", json.dumps({"value": 99})),
            ("label", "no JSON"),
        ):
            conn.execute(
                "INSERT INTO chats.entries(person, id, evaluation, sort, kind, metric, place, "
                "body) SELECT me(), gen_random_uuid(), id, 'label', %s, 'safety', -3, %s "
                "FROM evaluations WHERE name = 'c-1'",
                (kind, body),
            )
    found = team.sync("Lead")
    assert found.pulled.labels == 1
    assert len(found.pulled.refused) == 3, found.pulled.refused
    assert any("99" in x and "c-1" in x for x in found.pulled.refused)
    # a newer program, which may know more, looks at it once again
    assert team.sync("Lead").pulled.refused == []
    monkeypatch.setattr(versions, "version", lambda: "of tomorrow")
    assert len(team.sync("Lead").pulled.refused) == 3
    assert team.sync("Lead").pulled.refused == []


def test_a_rubric_that_only_a_newer_program_can_use_stops_nothing_else(team: Team) -> None:
    team.join("Ann")
    with team.hub() as hub, hub.writing() as work:
        assert put_document(work, Document("rubric", "guest-response", 2, '{"name": 3}', True))
    team.label("Ann", "c-1", 3)
    found = team.sync("Ann")
    assert any("The version before stays in force here." in x for x in found.told)
    assert found.sent == 4
    assert team.sync("Lead").pulled.labels == 3


def test_how_a_file_stands_is_known_without_the_hub(team: Team) -> None:
    team.join("Ann")
    team.label("Ann", "c-0", 2, "safety")
    with team.session("Ann") as session:
        assert "1 answer waits" in standing.standing(session.project).sentence
    team.sync("Ann")
    with team.session("Ann") as session:
        assert "All sent" in standing.standing(session.project).sentence


def test_what_a_long_transaction_holds_back_comes_when_it_ends(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pulling, "HELD_S", 0)
    team.join("Ann")
    team.label("Ann", "c-0", 2, "safety")
    with team.server.connect(team.address.database) as conn, conn.transaction():
        conn.execute("SELECT pg_current_xact_id()")
        team.sync("Ann")
        held = team.sync("Lead")
        assert held.pulled.labels == 0
        assert any("holds 1 entry back" in x for x in held.told)
    assert team.sync("Lead").pulled.labels == 1


def test_a_clock_that_is_wrong_is_said(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    class Early(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Early":
            return cls(1970, 1, 1, tzinfo=tz)

    monkeypatch.setattr(syncing, "datetime", Early)
    (told,) = team.sync("Lead").told
    assert "behind the hub's" in told


def test_another_project_of_the_same_name_is_refused(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        session.project.set_setting("project_id", "0b0e6d3c-0000-7000-8000-000000000000")
    with pytest.raises(HubError, match=r"is another one than Ann\.review"):
        team.sync("Ann")


def test_leads_count_the_same_scores(team: Team) -> None:
    query = (
        "SELECT m.name, s.scorer, l.kind, p.name FROM records r JOIN metrics m ON m.id = r.metric "
        "JOIN score_sets s ON s.id = r.score_set JOIN record_log l ON l.id = r.entry "
        "LEFT JOIN labelers p ON p.id = l.labeler ORDER BY 1"
    )
    team.invite("Second", "lead")
    team.join("Second")
    other = [{"metric": "safety", "value": 1, "scorer": "another"}]
    file = team.folder / "again.jsonl"
    file.write_text(lines(*(x | {"scores": other} for x in records())))
    importing.run(team.files["Lead"], ImportRequest(files=(file,)), Silent())
    with team.session("Lead") as session:
        record.name(session, "another", metrics=("safety",))
    assert team.sync("Lead").told == []
    assert team.sync("Second").pulled.scores == 6
    assert team.asked("Lead", query) == team.asked("Second", query)
    assert ("safety", "another", "named", "Lead") in team.asked("Second", query)
    for name in ("Lead", "Second", "Lead"):
        assert team.sync(name).told == []
    with team.hub() as hub, hub.reading() as work:
        kept = work.rows("SELECT version FROM documents WHERE kind = 'record' ORDER BY 1")
    assert kept == [(1,), (2,)]


def test_a_reveal_is_asked_of_the_hub_and_answered_there(team: Team) -> None:
    team.join("Ann")
    with team.session("Ann") as session:
        key = reading.find(session.project.conn, "c-1")
        assert key is not None
        entering.reveal(session, key)
    assert team.asked("Ann", "SELECT count(*) FROM scores") == [(0,)]
    team.sync("Ann", "Ann")
    assert team.asked("Ann", "SELECT count(*), count(DISTINCT evaluation) FROM scores") == [(3, 1)]
    assert team.asked("Ann", "SELECT count(*) FROM labels") == [(0,)]
    with team.hub() as hub, hub.reading() as work:
        assert work.rows("SELECT p.name FROM exposures x JOIN people p ON p.id = x.person") == [
            ("Ann",)
        ]


def test_a_queue_that_is_closed_is_closed_for_all(team: Team) -> None:
    team.join("Ann")
    team.invite("Second", "lead")
    team.join("Second")
    with team.session("Lead") as session:
        queue = working.find(session, "For Ann")
        working.close(session, queue)
        working.rename(session, queue, "Done by Ann")
    # who joined before does not open it again by what their file says
    team.sync("Lead", "Second", "Lead", "Ann")
    for name in ("Lead", "Second", "Ann"):
        query = "SELECT name, state FROM queues WHERE name LIKE '%Ann'"
        assert team.asked(name, query) == [("Done by Ann", "closed")], name


def test_of_two_leads_who_change_a_queue_the_second_is_told(team: Team) -> None:
    team.invite("Second", "lead")
    team.join("Second")
    for name in ("Lead", "Second"):
        with team.session(name) as session:
            working.rename(session, working.find(session, "For Ann"), f"By {name}")
    team.sync("Lead")
    told = team.sync("Second").told
    assert any("changed by another lead" in x and "'By Second'" in x for x in told)
    for name in ("Second", "Lead"):
        assert team.sync(name).told == []
        assert team.asked(name, "SELECT name FROM queues ORDER BY name") == [
            ("By Lead",), ("For Ben",),
        ]  # fmt: skip
    # what was taken is what the next change is made of
    with team.session("Second") as session:
        working.close(session, working.find(session, "By Lead"))
    assert team.sync("Second", "Lead").told == []
    assert team.asked("Lead", "SELECT state FROM queues ORDER BY name") == [("closed",), ("open",)]


def test_labels_of_a_text_that_was_replaced_here_are_stale(team: Team) -> None:
    team.join("Ann")
    file = team.folder / "again.jsonl"
    file.write_text(lines(records("Another answer")[1]))
    request = ImportRequest(files=(file,), on_conflict="version")
    importing.run(team.files["Lead"], request, Silent())
    team.label("Ann", "c-1", 3, "safety")
    team.label("Ann", "c-2", 3, "safety")
    team.sync("Ann")
    done = team.sync("Lead")
    assert list(done.pulled.others) == ["one/c-1"]
    query = (
        "SELECT e.ext_id, l.revision FROM labels l JOIN evaluations e ON e.id = l.evaluation "
        "JOIN labelers p ON p.id = l.labeler WHERE p.name = 'Ann' ORDER BY 1"
    )
    assert team.asked("Lead", query) == [("c-1", 0), ("c-2", 1)]


def test_pictures_come_along_once(team: Team) -> None:
    picture = {"type": "image", "path": "pool.png"}
    (team.folder / "pool.png").write_bytes(PICTURE)
    file = team.folder / "pictures.jsonl"
    shown = [{"role": "user", "content": [picture]}, {"role": "assistant", "content": "Nice."}]
    rows = [{"id": f"p-{n}", "run": "pictures", "messages": shown} for n in range(2)]
    file.write_text(lines(*rows))
    importing.run(team.files["Lead"], ImportRequest(files=(file,)), Silent())
    with team.session("Lead") as session:
        query = "SELECT id FROM evaluations WHERE ext_id LIKE 'p-%'"
        keys = tuple(k for (k,) in session.project.conn.execute(query))
        plan = QueuePlan(name="Seen", sampling=Sampling.CHOSEN, keys=keys, labelers=("Ann",))
        making.create(session, plan)
    team.sync("Lead")
    team.join("Ann")
    assert team.asked("Ann", "SELECT count(*), max(content) FROM attachments") == [(1, PICTURE)]
    assert team.asked("Ann", "SELECT count(*) FROM attachment_uses") == [(2,)]
    with team.hub() as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM contents") == 1


def test_who_leads_in_the_file_alone_goes_on_leading_there(team: Team) -> None:
    with team.session("Lead") as session:
        profiles.add(session, "Deputy")
        profiles.change(session, "Deputy", role="lead")
    team.sync("Lead", "Lead")
    leads = team.asked("Lead", "SELECT name FROM labelers WHERE role = 'lead' ORDER BY 1")
    assert leads == [("Deputy",), ("Lead",)]
    # without a role of the database nobody comes in as them
    with team.hub() as hub:
        assert [x.account for x in taking_part.people(hub) if x.name == "Deputy"] == [None]


def test_what_one_answered_before_comes_with_a_later_queue(team: Team) -> None:
    with team.session("Lead") as session:
        session.set_labeler("Ann")
        key = reading.find(session.project.conn, "c-5")
        assert key is not None
        entering.commit(session, key, "safety", 2)
    team.sync("Lead")
    team.join("Ann")
    assert team.current("Ann") == []
    with team.session("Lead") as session:
        plan = QueuePlan(name="Late", sampling=Sampling.CHOSEN, keys=(key,), labelers=("Ann",))
        making.create(session, plan)
    team.sync("Lead", "Ann")
    assert team.current("Ann", "1") == [("one", "c-5", "safety", "Ann", 0, "label", 2.0, 1)]


def test_a_hub_that_moved_to_another_server_is_read_from_its_beginning(team: Team) -> None:
    team.join("Ann")
    for value in (2, 4, 3):
        team.label("Ann", "c-0", value, "safety")
        team.sync("Ann")
    with team.server.superuser(team.address.database) as conn:
        for table in ("entries", "evaluations", "scores", "queues", "items", "documents"):
            # there the numbers of transactions were higher
            query = f"UPDATE chats.{table} SET xid = (xid::text::bigint + 10000000)::text::xid8"
            conn.execute(query.encode())
    assert team.sync("Lead").pulled.labels == 0
    with team.hub("Ann") as hub, pytest.raises(HubError, match="Only a lead"):
        taking_part.restored(hub)
    with team.hub() as hub:
        taking_part.restored(hub)
    team.sync("Lead")
    assert team.on_hub() == team.entries("Lead")
    team.invite("Second", "lead")
    team.join("Second")
    assert team.entries("Second") == team.on_hub()
    order = "SELECT value FROM labels WHERE labeler = (SELECT id FROM labelers WHERE name = 'Ann')"
    assert team.asked("Second", order) == [(2,), (4,), (3,)]
    assert team.current("Second") == team.current("Lead")


def test_what_has_no_place_on_the_hub_is_counted_and_kept(team: Team) -> None:
    team.join("Ann")
    file = team.folder / "own.jsonl"
    file.write_text(lines(records()[0] | {"run": "of her own", "labels": [], "marks": []}))
    importing.run(team.files["Ann"], ImportRequest(files=(file,)), Silent())
    with team.session("Ann") as session:
        key = reading.find(session.project.conn, "c-0", "of her own")
        assert key is not None
        entering.commit(session, key, "safety", 4)
    team.label("Ann", "c-1", 3, "safety")
    done = team.sync("Ann")
    assert (done.sent, done.left) == (1, 1)
    assert "1 without a place on the hub" in done.sentence
    with team.session("Ann") as session:
        told = standing.standing(session.project).sentence
    assert "1 earlier entry had no place there." in told
    assert ("of her own", "c-0", "safety", "Ann", 0, "label", 4.0, 1) in team.current("Ann", "1")
    # once a lead has that run as well and gives it to her, it is sent
    importing.run(team.files["Lead"], ImportRequest(files=(file,)), Silent())
    with team.session("Lead") as session:
        there = reading.find(session.project.conn, "c-0", "of her own")
        assert there is not None
        plan = QueuePlan(name="Hers", sampling=Sampling.CHOSEN, keys=(there,), labelers=("Ann",))
        making.create(session, plan)
    team.sync("Lead")
    done = team.sync("Ann")
    assert (done.sent, done.left) == (1, 0)
