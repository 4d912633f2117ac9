"""A labeler with a password and `psql` learns and changes nothing that the program would not."""

from collections.abc import Iterator

import psycopg
import pytest
from psycopg import errors

from reviewer.hub import making, presence, writing
from reviewer.hub.address import HubError
from reviewer.hub.connecting import quoted, seen_of
from tests.hub.worlds import METRICS, RUN, SECRET, World, entry, make_world, number
from tests.servers.postgres import HOST, Server

Conn = psycopg.Connection[tuple[object, ...]]
DENIED = errors.InsufficientPrivilege
SEEN = seen_of("chats")
VIEWS = f"{quoted(SEEN)}, chats"
"""Where names mean what she may read; without the first they mean the tables."""
HERS = '{"value": 5, "comment": "' + SECRET + '"}'
JUDGES = '{"reasoning": "' + SECRET + '"}'
BERTA = f"'{number('Berta')}'"
ANNA = f"'{number('Anna')}'"


@pytest.fixture(scope="module")
def world(postgres: Server) -> World:
    found = make_world(postgres, "hostile")
    with postgres.superuser("hostile") as conn:
        conn.execute("ANALYZE")
    return found


@pytest.fixture
def anna(world: World) -> Iterator[Conn]:
    with psycopg.connect(
        host=HOST, port=world.server.port, dbname="hostile", user="anna_hostile",
        password=world.passwords["anna_hostile"],
    ) as conn:  # fmt: skip
        conn.execute(f"SET search_path TO {VIEWS}".encode())
        conn.commit()
        yield conn
        conn.rollback()


def everything(conn: Conn, query: str) -> str:
    return repr(conn.execute(query.encode()).fetchall())


# what may be asked, and shows nothing of others
EMPTY = {
    "labels of others": f"SELECT person, body FROM entries WHERE person <> {ANNA}",
    "labels through a table expression": "WITH x AS MATERIALIZED (SELECT body FROM entries "
    f"WHERE person <> {ANNA}) SELECT * FROM x",
    "labels through a join": "SELECT n.body FROM people p JOIN entries n ON n.person = p.id "
    f"WHERE p.id <> {ANNA}",
    "scores": "SELECT body FROM scores",
    "scores through a cursor": "SELECT evaluation FROM scores WHERE body LIKE '%splendid%'",
    "evaluations of others": "SELECT seen FROM evaluations WHERE name IN ('c-4', 'c-5')",
    "who has completed what": f"SELECT * FROM complete WHERE person <> {ANNA}",
    "who was shown what": "SELECT * FROM exposures",
    "queues of others": f"SELECT name FROM queues WHERE id <> '{number('queue of', 'Anna')}'",
    "places of others": f"SELECT evaluation FROM items WHERE person <> {ANNA}",
    "which versions count": "SELECT body FROM documents WHERE kind = 'record'",
    "runs of others": "SELECT name FROM runs WHERE name <> 'one'",
    "tags before the answers": "SELECT * FROM facts WHERE kind = 'tag'",
    "exclusions of others": "SELECT present FROM facts WHERE evaluation NOT IN (SELECT id FROM "
    "evaluations)",
    "texts of others": "SELECT seen FROM texts WHERE seen LIKE '%c-5%'",
    "statistics of columns": "SELECT most_common_vals FROM pg_stats WHERE schemaname = 'chats'",
    "statistics of several columns": "SELECT * FROM pg_stats_ext WHERE schemaname = 'chats'",
    "cursors of others": "SELECT * FROM pg_cursors",
    "plans of others": "SELECT * FROM pg_prepared_statements",
    "large objects": "SELECT * FROM pg_largeobject_metadata",
}


@pytest.mark.parametrize("what", EMPTY)
def test_others_are_not_there(anna: Conn, what: str) -> None:
    assert everything(anna, EMPTY[what]) == "[]"


@pytest.mark.parametrize("what", EMPTY)
def test_nothing_is_read_behind_the_views(anna: Conn, what: str) -> None:
    anna.execute("SET search_path TO chats")
    if " pg_" in EMPTY[what]:
        assert everything(anna, EMPTY[what]) == "[]"
    else:
        with pytest.raises(DENIED):
            anna.execute(EMPTY[what].encode())


# what is refused as a whole
REFUSED = {
    "change an entry": "UPDATE entries SET body = 'x'",
    "change an own entry": f"UPDATE entries SET body = 'x' WHERE person = {ANNA}",
    "remove an entry": "DELETE FROM entries",
    "empty the table": "TRUNCATE entries",
    "remove a score": "DELETE FROM scores",
    "write for somebody else": "INSERT INTO entries(person, id, evaluation, sort, kind, place, "
    f"body) SELECT {BERTA}, gen_random_uuid(), id, 'label', 'label', 0, '1' FROM evaluations",
    "decide": "INSERT INTO entries(person, id, evaluation, sort, kind, place, body) "
    f"SELECT {ANNA}, gen_random_uuid(), id, 'label', 'adjudication', 0, '1' FROM evaluations",
    "say when it was received": "INSERT INTO entries(person, id, evaluation, sort, kind, place, "
    f"body, received) SELECT {ANNA}, gen_random_uuid(), id, 'label', 'label', 0, '1', now() "
    "FROM evaluations",
    "say in which transaction": "INSERT INTO entries(person, id, evaluation, sort, kind, place, "
    f"body, xid) SELECT {ANNA}, gen_random_uuid(), id, 'label', 'label', 0, '1', '3' "
    "FROM evaluations",
    "say who sent it": "INSERT INTO entries(person, id, evaluation, sort, kind, place, body, "
    f"sender) SELECT {ANNA}, gen_random_uuid(), id, 'label', 'label', 0, '1', {BERTA} "
    "FROM evaluations",
    "replace by conflict": "INSERT INTO entries(person, id, evaluation, sort, kind, place, body) "
    f"SELECT {ANNA}, gen_random_uuid(), id, 'label', 'label', 0, '1' FROM evaluations "
    "ON CONFLICT (person, id) DO UPDATE SET body = 'x'",
    "complete without answers": "INSERT INTO complete(evaluation, person) SELECT id, "
    f"{ANNA} FROM evaluations",
    "since when somebody is here": "SELECT at FROM presence",
    "be here as somebody else": f"INSERT INTO presence(person) VALUES ({BERTA})",
    "be shown without asking": "INSERT INTO exposures(evaluation, person) SELECT id, "
    f"{ANNA} FROM evaluations",
    "take more to do": "INSERT INTO items(queue, person, place, evaluation, kind) "
    f"SELECT queue, {ANNA}, 9, 6, 'label' FROM items",
    "change the rubric": "INSERT INTO documents(kind, name, version, body, for_all) "
    "VALUES ('rubric', 'guest', 2, '', true)",
    "exclude": "INSERT INTO chats.facts(evaluation, kind, name, version, present, body) "
    "SELECT id, 'excluded', '', 2, false, '' FROM evaluations",
    "why it counts no more": "SELECT body FROM facts",
    "who excluded it": "SELECT person FROM chats.facts",
    "another text": "INSERT INTO chats.texts(evaluation, version, mark, seen, whole) "
    "SELECT id, 3, '', '', '' FROM evaluations",
    "the whole of another text": "SELECT whole FROM texts",
    "forget a record": "SELECT forget_record('one', 'c-0')",
    "forget a person": f"SELECT forget_person({BERTA})",
    "remember what was forgotten": "UPDATE evaluations SET forgotten = false",
    "ask for less": "UPDATE runs SET wanted = '{}'",
    "say that it was restored": "SELECT restamp()",
    "open the hub": "UPDATE hub SET opens = true",
    "how an evaluation was drawn": "SELECT kind, chance FROM items",
    "what a label says of the judge": "SELECT telling FROM entries",
    "who has been taken out": "SELECT removed FROM people",
    "who comes in as which role": "SELECT account FROM people",
    "who sent an entry": "SELECT sender FROM entries",
    "the whole record": "SELECT whole FROM evaluations",
    "the plan of a queue": "SELECT plan FROM queues",
    "all columns": "TABLE chats.entries",
    "where rows lie on the disk": "SELECT ctid FROM entries",
    "which rows are newer": "SELECT xmin FROM scores",
    "be the owner": "SET ROLE owner",
    "be another labeler": "SET ROLE berta_hostile",
    "be somebody from the beginning": "SET SESSION AUTHORIZATION berta_hostile",
    "look behind the policies": "SET row_security = off; SELECT body FROM chats.entries",
    "switch the policies off": "ALTER TABLE entries DISABLE ROW LEVEL SECURITY",
    "another policy": "CREATE POLICY mine ON entries FOR SELECT USING (true)",
    "another trigger": "CREATE TRIGGER mine BEFORE INSERT ON entries FOR EACH ROW EXECUTE "
    "FUNCTION suppress_redundant_updates_trigger()",
    "another function in the hub": "CREATE FUNCTION me(integer) RETURNS integer LANGUAGE sql AS "
    "'SELECT 1'",
    "work out who has answered": f"SELECT answers_whole(1, {BERTA})",
    "copy into the table": "COPY entries FROM STDIN",
    "statistics behind the view": "SELECT * FROM pg_statistic",
    "passwords": "SELECT * FROM pg_authid",
    "a file of the server": "SELECT pg_read_file('postgresql.conf')",
    "copy a file": "COPY entries TO '/tmp/never'",
    "invite oneself": "GRANT owner TO anna_hostile",
    "lead by changing oneself": f"UPDATE people SET role = 'lead' WHERE id = {ANNA}",
    "lock others out": "LOCK TABLE entries IN ACCESS EXCLUSIVE MODE",
    "merge": "MERGE INTO entries USING people p ON person = p.id WHEN MATCHED THEN DELETE",
}


NO_VIEW_DOES_THAT = (
    errors.ObjectNotInPrerequisiteState, errors.UndefinedColumn, errors.WrongObjectType,
)  # fmt: skip


@pytest.mark.parametrize("path", ["chats", VIEWS], ids=["tables", "views"])
@pytest.mark.parametrize("what", REFUSED)
def test_what_only_others_may_is_refused(anna: Conn, what: str, path: str) -> None:
    anna.execute(f"SET search_path TO {path}".encode())
    kinds = (DENIED, errors.FeatureNotSupported, errors.UndefinedObject)
    with pytest.raises(kinds if path == "chats" else kinds + NO_VIEW_DOES_THAT) as refused:
        anna.execute(REFUSED[what].encode())
    assert SECRET not in str(refused.value)
    anna.rollback()


def test_her_own_are_there_but_not_what_they_tell(anna: Conn) -> None:
    rows = anna.execute("SELECT metric, body FROM entries").fetchall()
    assert [metric for metric, _ in rows] == ["safety"]
    assert anna.execute("SELECT count(*) FROM evaluations").fetchone() == (4,)


def test_of_what_leads_did_she_reads_that_it_counts_no_more_and_the_newest_text(
    anna: Conn,
) -> None:
    assert anna.execute("SELECT kind, name, present FROM facts").fetchall() == [
        ("excluded", "", True)
    ]
    assert everything(anna, "SELECT all_forgotten()") == "[]"
    assert anna.execute("SELECT seen FROM texts").fetchall() == [('{"id": "c-0, anew"}',)]


def test_a_copy_holds_no_more_than_she_may_read(anna: Conn) -> None:
    with anna.cursor().copy("COPY (SELECT body FROM scores) TO STDOUT") as rows:
        assert b"".join(rows) == b""
    with anna.cursor().copy("COPY (SELECT person, body FROM entries) TO STDOUT") as rows:
        assert str(number("Berta")).encode() not in b"".join(rows)


def test_her_own_functions_are_not_called_for_rows_of_others(anna: Conn) -> None:
    seen: list[str] = []
    anna.add_notice_handler(lambda told: seen.append(str(told.message_primary)))
    anna.execute(
        "CREATE FUNCTION pg_temp.tells(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS "
        "$$ BEGIN RAISE NOTICE '%', $1; RETURN true; END $$"
    )
    anna.execute("SELECT body FROM entries WHERE pg_temp.tells(body)")
    anna.execute("SELECT body FROM scores WHERE pg_temp.tells(body)")
    assert len(seen) == 1
    assert "5" not in seen[0]


def test_an_error_of_a_condition_tells_nothing_of_others(anna: Conn) -> None:
    # a division by nothing would tell that there is a row
    query = "SELECT 1 FROM entries WHERE 1 / (CASE WHEN body LIKE '%5%' THEN 0 ELSE 1 END) = 1"
    assert everything(anna, query) == "[(1,)]"


def test_a_number_that_somebody_else_has_is_as_free_as_any(anna: Conn) -> None:
    taken = entry("Berta", "c-0", METRICS[0], value=5).id
    for one in (taken, number("nobody's")):
        done = anna.execute(
            "INSERT INTO chats.entries(person, id, evaluation, sort, kind, metric, place, body) "
            f"SELECT {ANNA}, '{one}', id, 'label', 'comment', 'safety', 0, '{{}}' "
            "FROM evaluations WHERE name = 'c-0' ON CONFLICT DO NOTHING".encode()
        )
        assert done.rowcount == 1
    anna.rollback()


def test_an_evaluation_that_is_not_hers_is_as_unknown_as_none(anna: Conn) -> None:
    told = []
    for key in (6, 999_999):
        with pytest.raises(DENIED) as refused:
            anna.execute(
                "INSERT INTO chats.entries(person, id, evaluation, sort, kind, place, body) "
                f"VALUES ({ANNA}, gen_random_uuid(), {key}, 'label', 'label', 0, '1')".encode()
            )
        told.append(str(refused.value))
        anna.rollback()
    assert told[0] == told[1]


# a condition that is true of what is hidden, and the same of nothing
GUESSES = {
    "who answered": ("entries", f"person = {BERTA}", f"person = '{number('nobody')}'"),
    "what others say": ("entries", f"body = '{HERS}'", "body = 'no such text'"),
    "what others say, by halves": ("entries", f"body >= '{HERS}'", "body >= '~'"),
    "who answered which": ("entries", f"person = {BERTA} AND evaluation = 1",
                           f"person = {BERTA} AND evaluation = 999"),
    "on which metric": ("entries", "evaluation = 1 AND metric = 'accuracy'",
                        "evaluation = 1 AND metric = 'none'"),
    "when others sent": ("entries", f"person <> {ANNA} AND received > '2000-01-01'",
                         f"person <> {ANNA} AND received > '2999-01-01'"),
    "what judges say": ("scores", f"body = '{JUDGES}'", "body = 'no such text'"),
    "what judges say, by halves": ("scores", f"body >= '{JUDGES}'", "body >= '~'"),
    "how much judges say": ("scores", "evaluation = 1", "evaluation = 999"),
    "who has completed what": ("complete", f"person = {BERTA}", f"person = '{number('nobody')}'"),
    "who was shown what": ("exposures", f"person = {BERTA}", f"person = '{number('nobody')}'"),
    "who is to do what": ("items", f"person = {BERTA} AND evaluation = 5",
                          f"person = {BERTA} AND evaluation = 999"),
    "which evaluations there are": ("evaluations", "name = 'c-5'", "name = 'c-99'"),
    "what they say": ("evaluations", """seen = '{"id": "c-5"}'""", "seen = 'no such text'"),
    "which queues there are": ("queues", "name = 'For Berta'", "name = 'For nobody'"),
    "which versions count": ("documents", "kind = 'record'", "kind = 'nothing'"),
}  # fmt: skip


def plan_of(conn: Conn, query: str) -> list[str]:
    rows = conn.execute(f"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) {query}".encode()).fetchall()
    return [str(line) for (line,) in rows]


@pytest.mark.parametrize("order", ["as it comes", "by indexes"])
@pytest.mark.parametrize("what", GUESSES)
def test_how_a_query_goes_tells_nothing_of_what_is_hidden(
    anna: Conn, what: str, order: str
) -> None:
    """What was looked at, and how many rows were removed, is the same whatever is hidden."""
    if order == "by indexes":
        anna.execute("SET enable_seqscan = off; SET enable_hashjoin = off; SET jit = off")
    table, theirs, nobodys = GUESSES[what]
    for condition in (theirs, nobodys):
        # the first to meet what earlier transactions left cleans it up
        plan_of(anna, f"SELECT 1 FROM {table} WHERE {condition}")
    told = [
        [
            line
            for line in plan_of(anna, f"SELECT 1 FROM {table} WHERE {condition}")
            if "Filter: (" not in line
        ]
        for condition in (theirs, nobodys)
    ]
    assert told[0] == told[1]
    anna.execute("SET search_path TO chats")
    with pytest.raises(DENIED):
        anna.execute(f"EXPLAIN ANALYZE SELECT 1 FROM {table} WHERE {theirs}".encode())


def test_what_a_transaction_looked_at_is_the_same_whatever_is_hidden(anna: Conn) -> None:
    query = (
        "SELECT relname, seq_tup_read, idx_tup_fetch FROM pg_stat_xact_user_tables "
        "WHERE schemaname = 'chats' ORDER BY relname"
    )

    def counted() -> dict[object, int]:
        rows = anna.execute(query).fetchall()
        return {name: int(f"{read or 0}") + int(f"{fetched or 0}") for name, read, fetched in rows}

    told = []
    for evaluation in (1, 999):
        before = counted()
        anna.execute(f"SELECT body FROM entries WHERE evaluation = {evaluation} "
                     f"AND person = {BERTA}".encode())  # fmt: skip
        told.append({name: count - before[name] for name, count in counted().items()})
    assert told[0] == told[1]
    assert any(told[0].values())


def test_a_plan_from_before_is_of_no_use_after(postgres: Server) -> None:
    world = make_world(postgres, "planned")
    word = world.passwords["berta_planned"]
    with postgres.connect("planned", "berta_planned", word) as berta:
        berta.execute(f"SET search_path TO {VIEWS}".encode())
        berta.execute("PREPARE mine AS SELECT body FROM scores")
        assert len(berta.execute("EXECUTE mine").fetchall()) == 12
        with world.hub() as hub:
            making.remove(hub, "Berta")
        with pytest.raises(DENIED):
            berta.execute("EXECUTE mine")


def test_a_wake_up_says_nothing(world: World, anna: Conn) -> None:
    anna.autocommit = False
    anna.rollback()
    anna.autocommit = True
    channel = anna.execute("SELECT prosrc FROM pg_proc WHERE proname = 'wake'").fetchone()
    assert channel is not None
    anna.execute(f"LISTEN {str(channel[0]).split(chr(39))[1]}".encode())
    with world.hub("berta_hostile") as hub, hub.writing() as work:
        given = [entry("Berta", "c-1", METRICS[0], value=4, nth=9)]
        writing.put_entries(work, given, as_lead=False)
    told = [x.payload for x in anna.notifies(timeout=5, stop_after=1)]
    assert told == [""]
    anna.autocommit = False


def test_other_peoples_statements_are_not_shown(world: World, anna: Conn) -> None:
    with world.hub("berta_hostile") as hub, hub.reading() as work:
        work.one("SELECT 'what Berta asks'")
        query = "SELECT query FROM pg_stat_activity WHERE usename = 'berta_hostile'"
        assert "Berta" not in everything(anna, query)


def test_one_of_two_answers_opens_nothing_and_both_open_that_one_alone(world: World) -> None:
    def seen() -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        with world.hub("anna_hostile") as hub, hub.reading() as work:
            scores = work.rows("SELECT DISTINCT evaluation FROM scores")
            people = work.rows("SELECT DISTINCT evaluation FROM entries WHERE person <> me()")
        return scores, people

    def give(*entries: writing.Entry) -> None:
        with world.hub("anna_hostile") as hub, hub.writing() as work:
            writing.put_entries(work, entries, as_lead=False)

    first, second = METRICS
    give(entry("Anna", "c-1", first))
    assert seen() == ([], [])
    # what is taken back is no answer, and a comment is none
    give(
        entry("Anna", "c-1", first, kind="withdrawn", nth=1),
        entry("Anna", "c-1", second),
        entry("Anna", "c-1", first, kind="comment", nth=2),
    )
    assert seen() == ([], [])
    give(entry("Anna", "c-1", first, kind="not_applicable", nth=3))
    with world.hub() as hub, hub.reading() as work:
        key = work.one("SELECT id FROM evaluations WHERE name = 'c-1'")
    assert seen() == ([(key,)], [(key,)])


def test_a_reveal_is_kept_before_it_is_answered(world: World) -> None:
    with world.hub("anna_hostile") as hub:
        with hub.writing() as work:
            assert work.one("SELECT reveal(%s, %s)", RUN, "c-2") is True
            assert work.one("SELECT reveal(%s, %s)", RUN, "c-2") is True
            assert work.one("SELECT reveal(%s, %s)", RUN, "c-5") is False
        with hub.reading() as work:
            assert work.one("SELECT count(*) FROM exposures") == 1
            # what judges said, and not what people did
            revealed = "evaluation = (SELECT id FROM evaluations WHERE name = 'c-2')"
            assert work.one(f"SELECT count(*) FROM scores WHERE {revealed}") == len(METRICS)
            assert work.one(f"SELECT count(*) FROM entries WHERE {revealed}") == 0


def test_who_was_taken_out_sees_and_sends_nothing_more(postgres: Server) -> None:
    world = make_world(postgres, "removed")
    with world.hub("anna_removed") as anna:
        with world.hub() as hub:
            making.remove(hub, "Anna")
        with pytest.raises(HubError, match="anna_removed is not among"), anna.reading() as work:
            work.one("SELECT count(*) FROM entries")
        given = [entry("Anna", "c-1", METRICS[0])]
        with pytest.raises(HubError), anna.writing() as work:
            writing.put_entries(work, given, as_lead=False)
    with world.hub() as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM entries WHERE person = %s", number("Anna")) == 1


def test_nothing_opens_where_the_project_never_shows(postgres: Server) -> None:
    world = make_world(postgres, "closed")
    with world.hub() as hub, hub.writing() as work:
        work.do("UPDATE hub SET opens = false")
    with world.hub("berta_closed") as hub, hub.reading() as work:
        assert work.one("SELECT count(*) FROM complete") == 6
        assert work.one("SELECT count(*) FROM scores") == 0
        assert work.one("SELECT count(*) FROM entries WHERE person <> me()") == 0


def test_who_is_here_is_known_and_nothing_of_what_they_do(world: World, anna: Conn) -> None:
    with world.hub("berta_hostile") as hub, hub.writing() as work:
        presence.attend(work)
    here = anna.execute("SELECT attend(true)").fetchall()
    assert sorted(here) == sorted([(number("Anna"),), (number("Berta"),)])
    with world.hub("berta_hostile") as hub, hub.writing() as work:
        presence.attend(work, stays=False)
    assert anna.execute("SELECT attend(true)").fetchall() == [(number("Anna"),)]
    anna.rollback()


def test_who_was_here_a_while_ago_is_not_any_more(world: World) -> None:
    with world.hub("berta_hostile") as hub, hub.writing() as work:
        assert presence.attend(work) == [number("Berta")]
    with world.server.superuser("hostile") as conn:
        conn.execute("UPDATE chats.presence SET at = at - interval '91 seconds'")
    with world.hub("anna_hostile") as hub, hub.writing() as work:
        assert presence.attend(work) == [number("Anna")]
        presence.attend(work, stays=False)
