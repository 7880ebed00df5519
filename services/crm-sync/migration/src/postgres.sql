-- Is not compressed, as it must take up space.
ALTER TABLE write_check ALTER filler SET STORAGE EXTERNAL;

-- What a search looks into is found by three letters in a row, and by each that is not ASCII, as Chinese names have two or
-- three in all. SQLite, for few leads, reads them all. The extension is trusted: whoever owns the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE FUNCTION characters(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN string_to_array(regexp_replace($1, '[\u0001-\u007f]+', '', 'g'), NULL);
CREATE INDEX lead_searched ON lead USING gin (searched gin_trgm_ops, characters(searched));
