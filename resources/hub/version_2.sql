-- Version 2 of a hub: what becomes of queues and evaluations after they were sent (exclusions,
-- tags, other texts, what is forgotten), who is at work just now, and what leads are told of how
-- people work.
--
-- Run after the statements of version 1, or on a hub that has them, by the role that made it.

SET LOCAL search_path TO %schema%, pg_temp;

-- A change says which version it was made of: of two leads at once, the second is told.
ALTER TABLE queues ADD version integer NOT NULL DEFAULT 1;
GRANT SELECT (version), UPDATE (version) ON queues TO %leads%;

-- That an evaluation counts in no figure, or has a tag, or does so no more; body: why, by whom.
CREATE TABLE facts (
    evaluation bigint NOT NULL REFERENCES evaluations,
    kind text NOT NULL CHECK (kind IN ('excluded', 'tag')),
    name text NOT NULL,
    version integer NOT NULL,
    present boolean NOT NULL,
    body text NOT NULL,
    person uuid NOT NULL DEFAULT me(),
    received timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (evaluation, kind, name, version)
);
CREATE INDEX facts_pulled ON facts (xid);

-- What stands in the place of an evaluation's first text. An entry says beside which of them it
-- was given, 0 for one that is not here.
CREATE TABLE texts (
    evaluation bigint NOT NULL REFERENCES evaluations,
    version integer NOT NULL CHECK (version > 1),
    mark text NOT NULL,
    seen text NOT NULL,
    whole text NOT NULL,
    person uuid NOT NULL DEFAULT me(),
    received timestamptz NOT NULL DEFAULT clock_timestamp(),
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    PRIMARY KEY (evaluation, version)
);
CREATE INDEX texts_pulled ON texts (xid);
ALTER TABLE entries ADD text integer NOT NULL DEFAULT 1;

-- Of what is forgotten the number stays, so that every file hears of it.
ALTER TABLE evaluations ADD forgotten boolean NOT NULL DEFAULT false;
ALTER TABLE people ADD forgotten boolean NOT NULL DEFAULT false;

CREATE FUNCTION forget_record(run_name text, evaluation_name text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ DECLARE which bigint; BEGIN
        IF NOT is_lead() THEN
            RAISE insufficient_privilege;
        END IF;
        -- who is just sending something of it ends first, and nobody begins meanwhile
        LOCK TABLE entries, scores, texts, facts, attachments IN SHARE ROW EXCLUSIVE MODE;
        UPDATE evaluations e SET seen = '', whole = '', forgotten = true,
            xid = pg_current_xact_id()
        FROM runs r WHERE r.id = e.run AND r.name = run_name AND e.name = evaluation_name
            AND NOT e.forgotten RETURNING e.id INTO which;
        IF which IS NULL THEN
            RETURN false;
        END IF;
        UPDATE entries SET body = '{}', telling = NULL WHERE evaluation = which;
        UPDATE scores SET body = '{}' WHERE evaluation = which;
        UPDATE texts SET mark = '', seen = '', whole = '' WHERE evaluation = which;
        UPDATE facts SET body = '' WHERE evaluation = which;
        DELETE FROM attachments WHERE evaluation = which;
        DELETE FROM contents WHERE sha256 NOT IN (SELECT sha256 FROM attachments);
        RETURN true;
    END $$;

-- A person's words: an entry without its comment and note, whatever else it says.
CREATE FUNCTION wordless(body text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        RETURN coalesce((SELECT json_object_agg(key, value)::text FROM json_each(body::json)
            WHERE key NOT IN ('comment', 'note')), '{}');
    EXCEPTION WHEN data_exception THEN
        RETURN '{}';
    END $$;

CREATE FUNCTION forget_person(who uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        IF NOT is_lead() OR who = me() THEN
            RAISE insufficient_privilege;
        END IF;
        LOCK TABLE entries IN SHARE ROW EXCLUSIVE MODE;
        UPDATE people SET name = 'forgotten ' || left(id::text, 8), account = NULL,
            removed = true, forgotten = true, xid = pg_current_xact_id()
        WHERE id = who AND NOT forgotten;
        UPDATE entries SET body = wordless(body) WHERE person = who;
        RETURN true;
    END $$;

-- Nothing comes to what is forgotten.
CREATE FUNCTION all_forgotten() RETURNS SETOF bigint
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = %schema%, pg_temp
    AS $$ SELECT id FROM evaluations WHERE forgotten
        AND (is_lead() OR id IN (SELECT my_evaluations())) $$;
CREATE INDEX evaluations_forgotten ON evaluations (id) WHERE forgotten;

CREATE POLICY stays_forgotten ON entries AS RESTRICTIVE FOR INSERT
    WITH CHECK (evaluation NOT IN (SELECT all_forgotten()));
CREATE POLICY stays_forgotten ON scores AS RESTRICTIVE FOR INSERT
    WITH CHECK (evaluation NOT IN (SELECT all_forgotten()));
CREATE POLICY stays_forgotten ON attachments AS RESTRICTIVE FOR INSERT
    WITH CHECK (evaluation NOT IN (SELECT all_forgotten()));
CREATE POLICY stays_forgotten ON facts AS RESTRICTIVE FOR INSERT
    WITH CHECK (evaluation NOT IN (SELECT all_forgotten()));
CREATE POLICY stays_forgotten ON texts AS RESTRICTIVE FOR INSERT
    WITH CHECK (evaluation NOT IN (SELECT all_forgotten()));

-- A path may name another file after the text was replaced.
CREATE POLICY leads ON attachments FOR UPDATE USING ((SELECT is_lead()));
GRANT UPDATE (sha256) ON attachments TO %leads%;

ALTER TABLE facts ENABLE ROW LEVEL SECURITY;
ALTER TABLE texts ENABLE ROW LEVEL SECURITY;

CREATE POLICY reads ON facts FOR SELECT USING ((SELECT is_lead()));
CREATE POLICY adds ON facts FOR INSERT WITH CHECK ((SELECT is_lead()));
CREATE POLICY reads ON texts FOR SELECT
    USING ((SELECT is_lead()) OR evaluation IN (SELECT my_evaluations()));
CREATE POLICY adds ON texts FOR INSERT WITH CHECK ((SELECT is_lead()));

GRANT SELECT, INSERT (evaluation, kind, name, version, present, body) ON facts TO %leads%;
GRANT SELECT (evaluation, version, mark, seen, xid) ON texts TO %members%;
GRANT SELECT (whole, person, received), INSERT (evaluation, version, mark, seen, whole)
    ON texts TO %leads%;
GRANT SELECT (text), INSERT (text) ON entries TO %members%;
GRANT SELECT (forgotten) ON evaluations, people TO %members%;

CREATE TRIGGER facts_wake AFTER INSERT ON facts FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER texts_wake AFTER INSERT ON texts FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER evaluations_wake AFTER UPDATE ON evaluations
    FOR EACH STATEMENT EXECUTE FUNCTION wake();
CREATE TRIGGER people_wake AFTER UPDATE ON people FOR EACH STATEMENT EXECUTE FUNCTION wake();

REVOKE ALL ON FUNCTION forget_record(text, text), wordless(text), forget_person(uuid),
    all_forgotten() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION all_forgotten() TO %members%;
GRANT EXECUTE ON FUNCTION forget_record(text, text), forget_person(uuid) TO %leads%;

-- Restored rows of this version, too, are of one transaction.
CREATE OR REPLACE FUNCTION restamp() RETURNS void
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
        UPDATE facts SET xid = now;
        UPDATE texts SET xid = now;
        UPDATE hub SET incarnation = gen_random_uuid();
    END $$;

-- Who is at work just now. Nobody reads since when: that would tell how fast somebody works.
CREATE TABLE presence (
    person uuid PRIMARY KEY REFERENCES people,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE FUNCTION attend(stays boolean) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        IF me() IS NULL THEN
            RAISE insufficient_privilege;
        ELSIF stays THEN
            INSERT INTO presence VALUES (me())
            ON CONFLICT (person) DO UPDATE SET at = clock_timestamp();
        ELSE
            DELETE FROM presence WHERE person = me();
        END IF;
        RETURN QUERY SELECT p.person FROM presence p JOIN people o ON o.id = p.person
            WHERE NOT o.removed AND p.at > clock_timestamp() - interval '90 seconds'
            ORDER BY p.person;
    END $$;

ALTER TABLE presence ENABLE ROW LEVEL SECURITY;
REVOKE ALL ON FUNCTION attend(boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION attend(boolean) TO %members%;

-- Two answers of one person, given on two computers, neither in sight of the other; and who lets
-- leads see how long their answers take.
CREATE TABLE conflicts (
    person uuid NOT NULL REFERENCES people,
    evaluation bigint NOT NULL REFERENCES evaluations,
    metric text NOT NULL CHECK (octet_length(metric) <= 1000),
    here uuid NOT NULL,
    there uuid NOT NULL,
    PRIMARY KEY (person, here, there)
);
ALTER TABLE conflicts ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON conflicts FOR SELECT USING ((SELECT is_lead()));
CREATE POLICY adds ON conflicts FOR INSERT WITH CHECK (person = (SELECT me())
    AND ((SELECT is_lead()) OR evaluation IN (SELECT my_evaluations())));
GRANT INSERT (person, evaluation, metric, here, there) ON conflicts TO %members%;
GRANT SELECT ON conflicts TO %leads%;

ALTER TABLE people ADD COLUMN paced boolean NOT NULL DEFAULT false;
GRANT SELECT (paced) ON people TO %leads%;
CREATE FUNCTION show_pace(shown boolean) RETURNS void
    LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ UPDATE people SET paced = shown WHERE id = me() AND paced <> shown $$;
REVOKE ALL ON FUNCTION show_pace(boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION show_pace(boolean) TO %members%;

-- The planner's guesses are shown to everybody: without statistics they tell of nobody's rows.
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = '%schema%'::regnamespace AND c.relkind = 'r'
          AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', one.relname, one.attname);
    END LOOP;
END $$;
