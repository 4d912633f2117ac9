-- Version 3 of a hub: labelers read views of what is theirs, and none of the tables behind them.
--
-- A policy of a table hides rows, but not that it does: the plan of a query tells how many rows a
-- policy removed, and whether it was asked at all, so that one could learn by conditions what
-- hidden rows say. Through OFFSET no condition gets: what is hidden is not even looked for by it.
--
-- Run after the statements of version 2, or on a hub that has them, by the role that made it.

CREATE SCHEMA %seen%;
GRANT USAGE ON SCHEMA %seen% TO %members%;
SET LOCAL search_path TO %schema%, pg_temp;

-- Of these rows of the same person are hidden, too, so that nothing tells how many there are.
CREATE FUNCTION my_items() RETURNS TABLE (
        queue uuid, person uuid, place integer, evaluation bigint, xid xid8)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 2000 SET search_path = %schema%, pg_temp
    AS $$ SELECT queue, person, place, evaluation, xid FROM items
        WHERE person = me() AND kind <> 'repeat' $$;
CREATE FUNCTION my_documents() RETURNS TABLE (
        kind text, name text, version integer, body text, xid xid8)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 10 SET search_path = %schema%, pg_temp
    AS $$ SELECT kind, name, version, body, xid FROM documents
        WHERE for_all AND me() IS NOT NULL $$;

-- That an evaluation counts no more, labelers may know, and leads alone why; a tag may tell what
-- the judge found, so it comes with what judges say, and that an answer is known never.
CREATE FUNCTION my_facts() RETURNS TABLE (
        evaluation bigint, kind text, name text, version integer, present boolean, xid xid8)
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 100 SET search_path = %schema%, pg_temp
    AS $$ SELECT evaluation, kind, name, version, present, xid FROM facts
        WHERE (kind = 'excluded' AND evaluation IN (SELECT my_evaluations()))
          OR (kind = 'tag' AND name <> 'gold' AND evaluation IN (SELECT my_sight())) $$;

CREATE VIEW %seen%.facts WITH (security_barrier) AS SELECT * FROM my_facts() OFFSET 0;
CREATE VIEW %seen%.items WITH (security_barrier) AS SELECT * FROM my_items() OFFSET 0;
CREATE VIEW %seen%.documents WITH (security_barrier) AS SELECT * FROM my_documents() OFFSET 0;
REVOKE SELECT ON items, documents FROM %members%;
GRANT SELECT ON items, documents TO %leads%;

-- Of the others a labeler reads the columns that they were given, of the rows that are theirs.
DO $$ DECLARE one record; columns text; BEGIN
    FOR one IN SELECT * FROM (VALUES
        ('runs', 'JOIN (SELECT DISTINCT my_runs() AS id) AS mine USING (id)', NULL),
        ('evaluations', 'JOIN (SELECT DISTINCT my_evaluations() AS id) AS mine USING (id)', NULL),
        ('attachments', 'JOIN (SELECT DISTINCT my_evaluations() AS evaluation) AS mine
            USING (evaluation)', NULL),
        ('contents', 'JOIN (SELECT DISTINCT a.sha256 FROM attachments AS a JOIN (
            SELECT DISTINCT my_evaluations() AS evaluation) AS mine USING (evaluation)) AS files
            USING (sha256)', NULL),
        ('scores', 'JOIN (SELECT DISTINCT my_sight() AS evaluation) AS mine USING (evaluation)',
            NULL),
        ('entries', 'WHERE t.person = (SELECT me())',
            'JOIN (SELECT DISTINCT my_complete() AS evaluation) AS mine USING (evaluation)
            WHERE t.person <> (SELECT me())'),
        ('texts', 'JOIN (SELECT DISTINCT my_evaluations() AS evaluation) AS mine
            USING (evaluation)', NULL),
        ('queues', 'JOIN (SELECT DISTINCT my_queues() AS id) AS mine USING (id)', NULL),
        ('complete', 'WHERE t.person = (SELECT me())', NULL),
        ('exposures', 'WHERE t.person = (SELECT me())', NULL)
    ) AS tables(name, mine, opened)
    LOOP
        SELECT string_agg(format('t.%I', attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_attribute WHERE attrelid = one.name::regclass AND attnum > 0 AND NOT attisdropped
          AND has_column_privilege('%members%'::regrole, attrelid, attnum, 'SELECT');
        EXECUTE format('CREATE VIEW %s.%I WITH (security_barrier) AS SELECT * FROM (', '%seen%',
                one.name)
            || format('SELECT %s FROM %I AS t %s', columns, one.name, one.mine)
            || coalesce(CASE WHEN one.opened IS NOT NULL THEN
                format(' UNION ALL SELECT %s FROM %I AS t %s', columns, one.name, one.opened) END, '')
            || ') AS seen OFFSET 0';
        EXECUTE format('REVOKE SELECT ON %I FROM %s', one.name, '%members%');
        EXECUTE format('GRANT SELECT ON %I TO %s', one.name, '%leads%');
    END LOOP;
END $$;
GRANT SELECT ON ALL TABLES IN SCHEMA %seen% TO %members%;

REVOKE ALL ON FUNCTION my_items(), my_documents(), my_facts() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION my_items(), my_documents(), my_facts() TO %members%;
