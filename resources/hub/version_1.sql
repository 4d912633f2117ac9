-- A hub of Reviewer, version 1: one project, shared by several people.
--
-- Every person is a role of the database. Who may read what is decided here and nowhere else:
-- a labeler reads the evaluations of their queues, and what judges and other people say of one only
-- after they have answered every metric of it. Entries are added, never changed or removed.
--
-- Run by a role that may create roles and schemas; that role is the first lead.

CREATE SCHEMA %schema%;
CREATE ROLE %members% NOLOGIN;
CREATE ROLE %leads% NOLOGIN;
GRANT %members% TO %leads%;
GRANT %leads% TO CURRENT_USER;
-- whoever leads may let others in
GRANT %members% TO %leads% WITH ADMIN OPTION;
SET LOCAL search_path TO %schema%, pg_temp;

-- opens: whether an evaluation opens to whoever has answered it whole; incarnation: another one
-- after every restore.
CREATE TABLE hub (
    version integer NOT NULL,
    project uuid NOT NULL,
    name text NOT NULL,
    incarnation uuid NOT NULL,
    members text NOT NULL,
    leads text NOT NULL,
    opens boolean NOT NULL DEFAULT true,
    made timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- account: the role that a person connects as; without one they only have entries.
CREATE TABLE people (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL DEFAULT 'labeler' CHECK (role IN ('labeler', 'lead')),
    account text UNIQUE,
    removed boolean NOT NULL DEFAULT false,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- Both look at who logged in: nothing that a session sets afterwards changes it.
CREATE FUNCTION me() RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ SELECT id FROM people WHERE account = session_user AND NOT removed $$;

CREATE FUNCTION is_lead() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ SELECT EXISTS (SELECT 1 FROM people
        WHERE account = session_user AND NOT removed AND role = 'lead') $$;

-- wanted: the metrics that make an answer whole.
CREATE TABLE runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    rubric text NOT NULL,
    wanted text[] NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);

-- seen: what a labeler may read of a record from the beginning; whole: the record, for leads.
CREATE TABLE evaluations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    run bigint NOT NULL REFERENCES runs,
    name text NOT NULL,
    seen text NOT NULL,
    whole text NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    UNIQUE (run, name)
);

-- path: as the record names it; content: the file, once.
CREATE TABLE contents (sha256 text PRIMARY KEY, content bytea NOT NULL);
CREATE TABLE attachments (
    evaluation bigint NOT NULL REFERENCES evaluations,
    path text NOT NULL,
    sha256 text NOT NULL REFERENCES contents,
    PRIMARY KEY (evaluation, path)
);

CREATE TABLE scores (
    evaluation bigint NOT NULL REFERENCES evaluations,
    id uuid NOT NULL,
    place integer NOT NULL,
    body text NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (evaluation, id)
);

-- Labels, decisions, comments and marks. The key begins with the person: whether somebody else has
-- an entry of a number is not to be found out by adding another one of that number.
-- place orders the entries of one transaction; telling: what a label says of judge and drawing.
CREATE TABLE entries (
    person uuid NOT NULL REFERENCES people,
    id uuid NOT NULL,
    evaluation bigint NOT NULL REFERENCES evaluations,
    sort text NOT NULL CHECK (sort IN ('label', 'mark')),
    kind text NOT NULL,
    metric text,
    turn integer,
    at_us bigint,
    place integer NOT NULL,
    body text NOT NULL CHECK (octet_length(body) <= 1000000),
    telling text,
    sender uuid NOT NULL DEFAULT me(),
    received timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (person, id)
);
CREATE INDEX entries_pulled ON entries (xid, place);
CREATE INDEX entries_of ON entries (evaluation, person, metric);

-- Which evaluations of a queue a labeler gets; how they were drawn is for leads.
CREATE TABLE queues (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    blind boolean NOT NULL,
    is_open boolean NOT NULL,
    plan text NOT NULL,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id()
);
CREATE TABLE items (
    queue uuid NOT NULL REFERENCES queues,
    person uuid NOT NULL REFERENCES people,
    place integer NOT NULL,
    evaluation bigint NOT NULL REFERENCES evaluations,
    kind text NOT NULL,
    chance double precision,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (queue, person, place)
);
CREATE INDEX items_of ON items (person, evaluation);

-- Rubrics and settings: a version is added beside the one before it, so who comes second is told.
CREATE TABLE documents (
    kind text NOT NULL,
    name text NOT NULL,
    version integer NOT NULL,
    body text NOT NULL,
    for_all boolean NOT NULL,
    person uuid NOT NULL DEFAULT me(),
    received timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (kind, name, version)
);

-- Who has answered an evaluation whole, and who has asked to see it before.
CREATE TABLE complete (
    evaluation bigint NOT NULL REFERENCES evaluations,
    person uuid NOT NULL REFERENCES people,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (person, evaluation)
);
CREATE TABLE exposures (
    evaluation bigint NOT NULL REFERENCES evaluations,
    person uuid NOT NULL REFERENCES people,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (person, evaluation)
);

-- Called once a query, as sets: called for each row they would be twenty times slower.
CREATE FUNCTION my_evaluations() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 2000 SET search_path = %schema%, pg_temp
    AS $$ SELECT evaluation FROM items WHERE person = me() AND kind <> 'repeat' $$;

CREATE FUNCTION my_runs() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = %schema%, pg_temp
    AS $$ SELECT DISTINCT run FROM evaluations WHERE id IN (SELECT my_evaluations()) $$;

CREATE FUNCTION my_queues() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = %schema%, pg_temp
    AS $$ SELECT DISTINCT queue FROM items WHERE person = me() AND kind <> 'repeat' $$;

CREATE FUNCTION my_complete() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 2000 SET search_path = %schema%, pg_temp
    AS $$ SELECT evaluation FROM complete
        WHERE person = me() AND (SELECT opens FROM hub)
          AND evaluation IN (SELECT my_evaluations()) $$;

-- What judges said is open, too, where it was asked for, and in queues in which all is in sight.
CREATE FUNCTION my_sight() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 2000 SET search_path = %schema%, pg_temp
    AS $$ SELECT my_complete()
        UNION SELECT evaluation FROM exposures WHERE person = me()
          AND evaluation IN (SELECT my_evaluations())
        UNION SELECT evaluation FROM items WHERE person = me() AND kind <> 'repeat'
          AND queue IN (SELECT id FROM queues WHERE NOT blind)
          AND evaluation NOT IN (SELECT i.evaluation FROM items i JOIN queues q ON q.id = i.queue
            WHERE i.person = me() AND q.blind) $$;

-- Keep that an evaluation is shown before it is answered, and only then show it.
CREATE FUNCTION reveal(run_name text, evaluation_name text) RETURNS boolean
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ WITH asked AS (
            INSERT INTO exposures (evaluation, person)
            SELECT e.id, me() FROM evaluations e JOIN runs r ON r.id = e.run
            WHERE r.name = run_name AND e.name = evaluation_name
              AND e.id IN (SELECT my_evaluations()) AND (SELECT opens FROM hub)
            ON CONFLICT (person, evaluation) DO UPDATE SET at = exposures.at RETURNING 1)
        SELECT EXISTS (SELECT 1 FROM asked) $$;

CREATE FUNCTION answers_whole(which bigint, who uuid) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ SELECT cardinality(r.wanted) > 0 AND NOT EXISTS (
            SELECT 1 FROM unnest(r.wanted) AS w(metric)
            WHERE coalesce((
                SELECT n.kind FROM entries n
                WHERE n.evaluation = which AND n.person = who AND n.metric = w.metric
                  AND n.sort = 'label' AND n.turn IS NULL
                  AND n.kind IN ('label', 'not_applicable', 'withdrawn')
                ORDER BY n.at_us DESC NULLS LAST, n.xid DESC, n.place DESC LIMIT 1),
                'withdrawn') = 'withdrawn')
        FROM evaluations e JOIN runs r ON r.id = e.run WHERE e.id = which $$;

-- Two computers of one person wait for each other, so that one of them sees the answer as whole.
CREATE FUNCTION keep_complete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended(who::text, 0))
        FROM (SELECT DISTINCT person AS who FROM fresh ORDER BY 1) AS them;
        INSERT INTO complete (evaluation, person)
        SELECT evaluation, person
        FROM (SELECT DISTINCT evaluation, person FROM fresh
              WHERE sort = 'label' AND kind IN ('label', 'not_applicable')) AS answered
        WHERE answers_whole(evaluation, person) ON CONFLICT DO NOTHING;
        PERFORM pg_notify('%channel%', '');
        RETURN NULL;
    END $$;
CREATE TRIGGER entries_complete AFTER INSERT ON entries
    REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION keep_complete();

-- A rubric that asks for less makes answers whole.
CREATE FUNCTION keep_wanted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        INSERT INTO complete (evaluation, person)
        SELECT DISTINCT n.evaluation, n.person
        FROM entries n JOIN evaluations e ON e.id = n.evaluation
        WHERE e.run = NEW.id AND n.sort = 'label' AND answers_whole(n.evaluation, n.person)
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END $$;
CREATE TRIGGER runs_wanted AFTER UPDATE OF wanted ON runs
    FOR EACH ROW EXECUTE FUNCTION keep_wanted();

-- After a restore, perhaps on another server, where numbers of transactions begin anew: all rows
-- are of this one, in the order in which they came, and everybody compares what they have.
CREATE FUNCTION restamp() RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ DECLARE now xid8 := pg_current_xact_id(); BEGIN
        IF NOT is_lead() THEN
            RAISE insufficient_privilege;
        END IF;
        UPDATE entries n SET xid = now, place = o.place
        FROM (SELECT person, id, row_number() OVER (ORDER BY xid, place, person, id) AS place
              FROM entries) AS o
        WHERE n.person = o.person AND n.id = o.id;
        UPDATE people SET xid = now;
        UPDATE runs SET xid = now;
        UPDATE evaluations SET xid = now;
        UPDATE scores SET xid = now;
        UPDATE queues SET xid = now;
        UPDATE items SET xid = now;
        UPDATE documents SET xid = now;
        UPDATE complete SET xid = now;
        UPDATE exposures SET xid = now;
        UPDATE hub SET incarnation = gen_random_uuid();
    END $$;

-- Nothing of what people say is told by a wake-up: it is empty.
CREATE FUNCTION wake() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN PERFORM pg_notify('%channel%', ''); RETURN NULL; END $$;
CREATE TRIGGER items_wake AFTER INSERT ON items FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER documents_wake AFTER INSERT ON documents FOR EACH STATEMENT EXECUTE FUNCTION wake();

ALTER TABLE hub ENABLE ROW LEVEL SECURITY;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE evaluations ENABLE ROW LEVEL SECURITY;
ALTER TABLE contents ENABLE ROW LEVEL SECURITY;
ALTER TABLE attachments ENABLE ROW LEVEL SECURITY;
ALTER TABLE scores ENABLE ROW LEVEL SECURITY;
ALTER TABLE entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE queues ENABLE ROW LEVEL SECURITY;
ALTER TABLE items ENABLE ROW LEVEL SECURITY;
ALTER TABLE documents ENABLE ROW LEVEL SECURITY;
ALTER TABLE complete ENABLE ROW LEVEL SECURITY;
ALTER TABLE exposures ENABLE ROW LEVEL SECURITY;

CREATE POLICY reads ON hub FOR SELECT USING ((SELECT me()) IS NOT NULL);
CREATE POLICY leads ON hub FOR UPDATE USING ((SELECT is_lead()));

CREATE POLICY reads ON people FOR SELECT USING ((SELECT me()) IS NOT NULL);
CREATE POLICY adds ON people FOR INSERT WITH CHECK ((SELECT is_lead()));
CREATE POLICY leads ON people FOR UPDATE USING ((SELECT is_lead()));

CREATE POLICY reads ON runs FOR SELECT
    USING ((SELECT is_lead()) OR id IN (SELECT my_runs()));
CREATE POLICY adds ON runs FOR INSERT WITH CHECK ((SELECT is_lead()));
CREATE POLICY leads ON runs FOR UPDATE USING ((SELECT is_lead()));

CREATE POLICY reads ON evaluations FOR SELECT
    USING ((SELECT is_lead()) OR id IN (SELECT my_evaluations()));
CREATE POLICY adds ON evaluations FOR INSERT WITH CHECK ((SELECT is_lead()));

CREATE POLICY reads ON attachments FOR SELECT
    USING ((SELECT is_lead()) OR evaluation IN (SELECT my_evaluations()));
CREATE POLICY adds ON attachments FOR INSERT WITH CHECK ((SELECT is_lead()));
CREATE POLICY reads ON contents FOR SELECT
    USING ((SELECT is_lead()) OR sha256 IN (SELECT sha256 FROM attachments));
CREATE POLICY adds ON contents FOR INSERT WITH CHECK ((SELECT is_lead()));

CREATE POLICY reads ON scores FOR SELECT
    USING ((SELECT is_lead()) OR evaluation IN (SELECT my_sight()));
CREATE POLICY adds ON scores FOR INSERT WITH CHECK ((SELECT is_lead()));

CREATE POLICY reads ON entries FOR SELECT
    USING ((SELECT is_lead()) OR person = (SELECT me()) OR evaluation IN (SELECT my_complete()));
-- A labeler writes in their own name; a lead brings in what others gave in files.
CREATE POLICY adds ON entries FOR INSERT
    WITH CHECK ((SELECT is_lead()) OR (person = (SELECT me()) AND kind <> 'adjudication'
        AND evaluation IN (SELECT my_evaluations())));

CREATE POLICY reads ON queues FOR SELECT
    USING ((SELECT is_lead()) OR id IN (SELECT my_queues()));
CREATE POLICY adds ON queues FOR INSERT WITH CHECK ((SELECT is_lead()));
CREATE POLICY leads ON queues FOR UPDATE USING ((SELECT is_lead()));
CREATE POLICY reads ON items FOR SELECT
    USING ((SELECT is_lead()) OR (person = (SELECT me()) AND kind <> 'repeat'));
CREATE POLICY adds ON items FOR INSERT WITH CHECK ((SELECT is_lead()));

CREATE POLICY reads ON documents FOR SELECT
    USING ((SELECT is_lead()) OR (for_all AND (SELECT me()) IS NOT NULL));
CREATE POLICY adds ON documents FOR INSERT WITH CHECK ((SELECT is_lead()));

CREATE POLICY reads ON complete FOR SELECT USING ((SELECT is_lead()) OR person = (SELECT me()));
CREATE POLICY reads ON exposures FOR SELECT USING ((SELECT is_lead()) OR person = (SELECT me()));

-- By column: without a right to the whole table not even a row's place on the disk is told.
GRANT USAGE ON SCHEMA %schema% TO %members%;
GRANT SELECT (version, project, name, incarnation, members, leads, opens) ON hub TO %members%;
GRANT SELECT (id, name, role, xid) ON people TO %members%;
GRANT SELECT (id, name, rubric, wanted, xid) ON runs TO %members%;
GRANT SELECT (id, run, name, seen, xid) ON evaluations TO %members%;
GRANT SELECT (evaluation, path, sha256) ON attachments TO %members%;
GRANT SELECT (sha256, content) ON contents TO %members%;
GRANT SELECT (evaluation, id, place, body, xid) ON scores TO %members%;
GRANT SELECT (person, id, evaluation, sort, kind, metric, turn, at_us, place, body, received, xid)
    ON entries TO %members%;
GRANT INSERT (person, id, evaluation, sort, kind, metric, turn, at_us, place, body)
    ON entries TO %members%;
GRANT SELECT (id, name, blind, is_open, xid) ON queues TO %members%;
GRANT SELECT (queue, person, place, evaluation, xid) ON items TO %members%;
GRANT SELECT (kind, name, version, body, xid) ON documents TO %members%;
GRANT SELECT (evaluation, person, at, xid) ON complete, exposures TO %members%;

GRANT UPDATE (opens, version) ON hub TO %leads%;
GRANT SELECT (account, removed), INSERT (id, name, role, account) ON people TO %leads%;
GRANT UPDATE (name, role, account, removed, xid) ON people TO %leads%;
GRANT INSERT (name, rubric, wanted), UPDATE (rubric, wanted, xid) ON runs TO %leads%;
GRANT SELECT (whole), INSERT (run, name, seen, whole) ON evaluations TO %leads%;
GRANT INSERT (evaluation, path, sha256) ON attachments TO %leads%;
GRANT INSERT (sha256, content) ON contents TO %leads%;
GRANT INSERT (evaluation, id, place, body) ON scores TO %leads%;
GRANT SELECT (telling, sender), INSERT (telling) ON entries TO %leads%;
GRANT SELECT (plan), INSERT (id, name, blind, is_open, plan),
    UPDATE (name, blind, is_open, plan, xid) ON queues TO %leads%;
GRANT SELECT (kind, chance), INSERT (queue, person, place, evaluation, kind, chance)
    ON items TO %leads%;
GRANT SELECT (for_all, person, received), INSERT (kind, name, version, body, for_all)
    ON documents TO %leads%;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA %schema% FROM PUBLIC;
GRANT EXECUTE ON FUNCTION me(), is_lead(), my_evaluations(), my_runs(), my_queues(), my_complete(),
    my_sight(), reveal(text, text) TO %members%;
GRANT EXECUTE ON FUNCTION restamp() TO %leads%;

-- The planner's guesses are shown to everybody: without statistics they tell of nobody's rows.
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = '%schema%'::regnamespace AND c.relkind = 'r'
          AND a.attnum > 0 AND NOT a.attisdropped
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', one.relname, one.attname);
    END LOOP;
END $$;
