DROP SCHEMA public CASCADE;
CREATE SCHEMA public;
CREATE TABLE lead (
    id uuid PRIMARY KEY,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    submitted_at timestamptz NOT NULL,
    interests jsonb NOT NULL,
    name text NOT NULL,
    mobile text NOT NULL,
    email text NOT NULL,
    questions text NOT NULL,
    language text NOT NULL,
    privacy_policy_version text NOT NULL
);
CREATE INDEX lead_email ON lead (email);
