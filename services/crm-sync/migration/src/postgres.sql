-- Is not compressed, as it must take up space.
ALTER TABLE write_check ALTER filler SET STORAGE EXTERNAL;

-- A search of three letters or more. The extension is trusted: whoever owns the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX lead_searched ON lead USING gin (searched gin_trgm_ops);
