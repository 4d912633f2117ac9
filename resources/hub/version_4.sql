-- Version 4 of a hub: queues of which whoever is free gets the next evaluation.
--
-- Run after the statements of version 3, or on a hub that has them, by the role that made it.

SET LOCAL search_path TO %schema%, pg_temp;

-- What is given out, in order, and how many people answer each; done: so many have.
CREATE TABLE pools (
    queue uuid NOT NULL REFERENCES queues,
    place integer NOT NULL,
    evaluation bigint NOT NULL REFERENCES evaluations,
    kind text NOT NULL,
    chance double precision,
    people integer NOT NULL,
    done boolean NOT NULL DEFAULT false,
    PRIMARY KEY (queue, evaluation)
);
CREATE INDEX pools_open ON pools (queue, place) WHERE NOT done;
CREATE INDEX complete_of ON complete (evaluation);

-- takers: who may take; until: how long a place that somebody took is kept for them alone. One
-- that others took since has a number below 0, and the right to answer it stays.
ALTER TABLE queues ADD takers uuid[] NOT NULL DEFAULT '{}';
ALTER TABLE items ADD until timestamptz;
CREATE INDEX items_held ON items (queue, evaluation) WHERE until IS NOT NULL;

ALTER TABLE pools ENABLE ROW LEVEL SECURITY;
CREATE POLICY reads ON pools FOR SELECT USING ((SELECT is_lead()));
CREATE POLICY adds ON pools FOR INSERT WITH CHECK ((SELECT is_lead()));
GRANT SELECT, INSERT (queue, place, evaluation, kind, chance, people) ON pools TO %leads%;
GRANT UPDATE (takers) ON queues TO %leads%;

-- How many of those who may take have answered an evaluation, or hold it.
CREATE FUNCTION taken(which uuid, takers uuid[], what bigint) RETURNS bigint
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ SELECT count(*) FROM (
            SELECT person FROM complete WHERE evaluation = what AND person = ANY (takers)
            UNION SELECT person FROM items WHERE queue = which AND evaluation = what
              AND place >= 0 AND until > clock_timestamp()) AS them
        WHERE person <> me() $$;

-- Whether somebody has still to answer an evaluation, if it is theirs. As a function of its own it
-- is looked up, where a condition on many would be worked out from nothing known of the tables.
CREATE FUNCTION may_answer(what bigint, who uuid) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        RETURN NOT EXISTS (SELECT 1 FROM complete WHERE person = who AND evaluation = what)
            AND EXISTS (SELECT 1 FROM evaluations WHERE id = what AND NOT forgotten)
            AND NOT coalesce((SELECT present FROM facts
                WHERE evaluation = what AND kind = 'excluded'
                ORDER BY version DESC LIMIT 1), false);
    END $$;

-- Give whoever asks what is free, up to so many that they hold unanswered, and no more before
-- half of those are answered. What they hold stays theirs for 20 minutes, and longer while they
-- work; after that others may have it, too, and once enough have, it leaves their places unless
-- they began to answer it. Places are numbered for each person, so that no number tells what
-- others took.
--
-- Gives the queues in which they take part, whether nothing more was free, and whether their
-- places are others now.
CREATE FUNCTION claim(most integer)
    RETURNS TABLE (name text, is_empty boolean, is_changed boolean)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp SET lock_timeout = '2s'
    AS $$
    #variable_conflict use_column
    DECLARE
        who uuid := me();
        limited integer := greatest(least(most, 50), 0);
        lease interval := '20 minutes';
        one record; free record; mine bigint[]; wanted integer; number integer;
    BEGIN
        -- what others took since an earlier moment would look free
        IF who IS NULL OR current_setting('transaction_isolation') <> 'read committed' THEN
            RAISE insufficient_privilege;
        END IF;
        FOR one IN SELECT q.id, q.name, q.takers FROM queues q
            WHERE who = ANY (q.takers) AND q.is_open ORDER BY q.id
        LOOP
            BEGIN
                -- two computers of one person, and answers that are just coming from another
                PERFORM pg_advisory_xact_lock(hashtextextended(who::text, 0));
                PERFORM 1 FROM queues q WHERE q.id = one.id FOR NO KEY UPDATE;
            EXCEPTION WHEN lock_not_available THEN
                CONTINUE;
            END;
            is_changed := false;
            mine := ARRAY(SELECT i.evaluation FROM items i
                WHERE i.queue = one.id AND i.person = who AND i.place >= 0
                  AND may_answer(i.evaluation, who));
            FOR free IN SELECT i.evaluation FROM items i JOIN pools p USING (queue, evaluation)
                WHERE i.queue = one.id AND i.person = who AND i.evaluation = ANY (mine)
                  AND coalesce(i.until, '-infinity') < clock_timestamp()
                  AND NOT EXISTS (SELECT 1 FROM entries n WHERE n.evaluation = i.evaluation
                    AND n.person = who AND n.sort = 'label')
                  AND taken(one.id, one.takers, i.evaluation) >= p.people
            LOOP
                UPDATE items SET place = -1 - place, xid = pg_current_xact_id()
                WHERE queue = one.id AND person = who AND evaluation = free.evaluation;
                mine := array_remove(mine, free.evaluation);
                is_changed := true;
            END LOOP;
            IF EXISTS (SELECT 1 FROM complete c WHERE c.person = who
                    AND c.at > clock_timestamp() - lease)
                OR EXISTS (SELECT 1 FROM entries n WHERE n.person = who
                    AND n.evaluation = ANY (mine) AND n.received > clock_timestamp() - lease)
            THEN
                UPDATE items SET until = clock_timestamp() + lease
                WHERE queue = one.id AND person = who AND evaluation = ANY (mine)
                  AND coalesce(until, '-infinity') < clock_timestamp() + lease * 0.75;
            END IF;
            wanted := CASE WHEN 2 * cardinality(mine) > limited THEN 0
                ELSE limited - cardinality(mine) END;
            number := coalesce((SELECT max(greatest(i.place, -1 - i.place)) + 1 FROM items i
                WHERE i.queue = one.id AND i.person = who), 0);
            FOR free IN SELECT p.*, (SELECT i.place FROM items i WHERE i.person = who
                    AND i.evaluation = p.evaluation AND i.queue = one.id
                    ORDER BY i.place DESC LIMIT 1) AS before
                FROM pools p WHERE wanted > 0 AND p.queue = one.id AND NOT p.done
                ORDER BY p.place
            LOOP
                IF free.before >= 0 OR NOT may_answer(free.evaluation, who) THEN
                    CONTINUE;
                ELSIF taken(one.id, one.takers, free.evaluation) >= free.people THEN
                    -- it need not be looked at again where so many have answered it
                    UPDATE pools SET done = true
                    WHERE queue = one.id AND evaluation = free.evaluation AND people <= (
                        SELECT count(*) FROM complete c
                        WHERE c.evaluation = free.evaluation AND c.person = ANY (one.takers));
                    CONTINUE;
                ELSIF free.before IS NULL THEN
                    INSERT INTO items (queue, person, place, evaluation, kind, chance, until)
                    VALUES (one.id, who, number, free.evaluation, free.kind, free.chance,
                        clock_timestamp() + lease);
                    number := number + 1;
                ELSE
                    UPDATE items SET place = -1 - place, xid = pg_current_xact_id(),
                        until = clock_timestamp() + lease
                    WHERE queue = one.id AND person = who AND evaluation = free.evaluation;
                END IF;
                is_changed := true;
                wanted := wanted - 1;
                EXIT WHEN wanted = 0;
            END LOOP;
            is_empty := wanted > 0;
            name := one.name;
            RETURN NEXT;
        END LOOP;
    END $$;

-- An answer brings back what others took meanwhile.
CREATE OR REPLACE FUNCTION keep_complete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended(who::text, 0))
        FROM (SELECT DISTINCT person AS who FROM fresh ORDER BY 1) AS them;
        INSERT INTO complete (evaluation, person)
        SELECT evaluation, person
        FROM (SELECT DISTINCT evaluation, person FROM fresh
              WHERE sort = 'label' AND kind IN ('label', 'not_applicable')) AS answered
        WHERE answers_whole(evaluation, person) ON CONFLICT DO NOTHING;
        UPDATE items i SET place = -1 - i.place, xid = pg_current_xact_id()
        FROM (SELECT DISTINCT evaluation, person FROM fresh WHERE sort = 'label') AS given
        WHERE i.person = given.person AND i.evaluation = given.evaluation AND i.place < 0;
        PERFORM pg_notify('%channel%', '');
        RETURN NULL;
    END $$;

REVOKE ALL ON FUNCTION taken(uuid, uuid[], bigint), may_answer(bigint, uuid), claim(integer)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim(integer) TO %members%;

-- The planner's guesses are shown to everybody: without statistics they tell of nobody's rows.
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = '%schema%'::regnamespace AND c.relkind = 'r'
          AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', one.relname, one.attname);
    END LOOP;
END $$;
