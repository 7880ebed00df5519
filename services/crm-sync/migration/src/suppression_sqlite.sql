-- SQLite cannot change a primary key or a default, so the tables are copied. suppression_postgres.sql describes the columns.
ALTER TABLE suppression RENAME TO suppression_before;
CREATE TABLE suppression (
    hash text NOT NULL,
    since timestamp_with_timezone_text NOT NULL,
    reason text NOT NULL DEFAULT 'do_not_contact',
    mailbox_hash text NOT NULL DEFAULT '',
    withdrawn_at timestamp_with_timezone_text,
    shared boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (hash, mailbox_hash)
);
INSERT INTO suppression (hash, since, reason, withdrawn_at)
    SELECT hash, since, reason, CASE reason WHEN 'withdrawal' THEN since END FROM suppression_before;
DROP TABLE suppression_before;

ALTER TABLE conflict RENAME TO conflict_before;
DROP INDEX conflict_lead;
DROP INDEX conflict_email_key;
DROP INDEX conflict_digits;
CREATE TABLE conflict (
    number integer PRIMARY KEY AUTOINCREMENT,
    lead_id uuid_text NOT NULL,
    recorded_at timestamp_with_timezone_text NOT NULL DEFAULT ({now}),
    source text NOT NULL,
    email_key text NOT NULL DEFAULT '',
    digits text NOT NULL,
    contents json_text NOT NULL,
    mailbox text NOT NULL DEFAULT ''
);
INSERT INTO conflict (number, lead_id, recorded_at, source, email_key, digits, contents)
    SELECT number, lead_id, recorded_at, source, email_key, digits, contents FROM conflict_before;
DROP TABLE conflict_before;
CREATE INDEX conflict_lead ON conflict (lead_id);
CREATE INDEX conflict_email_key ON conflict (email_key);
CREATE INDEX conflict_digits ON conflict (digits);
