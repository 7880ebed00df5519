-- Not compressed, because the health check must occupy space on the disk.
ALTER TABLE write_check ALTER filler SET STORAGE EXTERNAL;

-- For searches of three or more letters. The extension is trusted, so the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX lead_searched ON lead USING gin (searched gin_trgm_ops);
