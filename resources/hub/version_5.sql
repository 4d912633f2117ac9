-- Version 5 of a hub: queues are deleted for all, and whether an evaluation is answered whole is
-- asked once for all that came of it.
--
-- Run after the statements of version 4, or on a hub that has them, by the role that made it.

SET LOCAL search_path TO %schema%, pg_temp;

-- Places of a queue that was deleted stay, so that what was answered off line meanwhile may come.
ALTER TABLE queues ADD deleted boolean NOT NULL DEFAULT false;
ALTER TABLE queues ALTER deleted SET STATISTICS 0;
GRANT UPDATE (deleted) ON queues TO %leads%;
CREATE OR REPLACE VIEW %seen%.queues WITH (security_barrier) AS SELECT * FROM (
    SELECT t.id, t.name, t.blind, t.is_open, t.xid, t.deleted
    FROM queues AS t JOIN (SELECT DISTINCT my_queues() AS id) AS mine USING (id)) AS seen OFFSET 0;

-- A condition is asked before what is there twice is taken away, unless what it is asked of stands
-- apart: of a thousand answers to one evaluation it was asked a thousand times, each time of all.
CREATE OR REPLACE FUNCTION keep_complete() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended(who::text, 0))
        FROM (SELECT DISTINCT person AS who FROM fresh ORDER BY 1) AS them;
        WITH answered AS MATERIALIZED (
            SELECT DISTINCT evaluation, person FROM fresh
            WHERE sort = 'label' AND kind IN ('label', 'not_applicable'))
        INSERT INTO complete (evaluation, person)
        SELECT evaluation, person FROM answered
        WHERE answers_whole(evaluation, person) ON CONFLICT DO NOTHING;
        UPDATE items i SET place = -1 - i.place, xid = pg_current_xact_id()
        FROM (SELECT DISTINCT evaluation, person FROM fresh WHERE sort = 'label') AS given
        WHERE i.person = given.person AND i.evaluation = given.evaluation AND i.place < 0;
        PERFORM pg_notify('%channel%', '');
        RETURN NULL;
    END $$;

CREATE OR REPLACE FUNCTION keep_wanted() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = %schema%, pg_temp
    AS $$ BEGIN
        WITH answered AS MATERIALIZED (
            SELECT DISTINCT n.evaluation, n.person
            FROM entries n JOIN evaluations e ON e.id = n.evaluation
            WHERE e.run = NEW.id AND n.sort = 'label')
        INSERT INTO complete (evaluation, person)
        SELECT evaluation, person FROM answered
        WHERE answers_whole(evaluation, person) ON CONFLICT DO NOTHING;
        RETURN NULL;
    END $$;
