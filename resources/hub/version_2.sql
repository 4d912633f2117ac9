-- Version 2 of a hub: of two leads who change one queue at once, the second is told.
--
-- Run after the statements of version 1, or on a hub that has them, by the role that made it.

SET LOCAL search_path TO %schema%, pg_temp;

-- A change says which version it was made of.
ALTER TABLE queues ADD version integer NOT NULL DEFAULT 1;

GRANT SELECT (version), UPDATE (version) ON queues TO %leads%;

-- The planner's guesses are shown to everybody: without statistics they tell of nobody's rows.
DO $$ DECLARE one record; BEGIN
    FOR one IN SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
        WHERE c.relnamespace = '%schema%'::regnamespace AND c.relkind = 'r'
          AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
    LOOP
        EXECUTE format('ALTER TABLE %I ALTER COLUMN %I SET STATISTICS 0', one.relname, one.attname);
    END LOOP;
END $$;
