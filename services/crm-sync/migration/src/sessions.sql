-- Sessions of people in browsers. Deleted 30 days after `until`.
CREATE TABLE desk_session (
    -- Id of the person.
    person {key} NOT NULL,
    id {key} NOT NULL,
    until {timestamp} NOT NULL,
    -- When the person logged out.
    ended_at {timestamp},
    PRIMARY KEY (person, id)
);

-- Magic links that logged in a browser. Deleted 30 days after `until`.
CREATE TABLE used_link (
    -- Id of the email that contains the link.
    email {key} NOT NULL PRIMARY KEY,
    browser text NOT NULL,
    used_at {timestamp} NOT NULL,
    -- After the end of the link's lifetime.
    until {timestamp} NOT NULL
);

INSERT INTO desk_session (person, id, until, ended_at)
    SELECT substr(name, 14, 36), substr(name, 51), until, done_at FROM task
    WHERE name LIKE 'desk-session/%/%';
-- The time of the use is unknown, so no browser may repeat it.
INSERT INTO used_link (email, browser, used_at, until)
    SELECT substr(name, 11), holder, '1970-01-01T00:00:00+00:00', until FROM task
    WHERE name LIKE 'desk-link/%';
