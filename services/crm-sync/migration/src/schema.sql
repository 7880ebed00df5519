CREATE TABLE lead (
    id {uuid} NOT NULL PRIMARY KEY,
    reference {key} NOT NULL,
    submitted_at {timestamp} NOT NULL,
    -- A JSON array as text, like `signals` and `channels`: both databases can search text.
    interests text NOT NULL,
    signals text NOT NULL,
    name text NOT NULL,
    mobile text NOT NULL,
    -- The submitted number after a correction. `mobile` contains the corrected number.
    submitted_mobile text,
    email text NOT NULL,
    questions text NOT NULL,
    language text NOT NULL,
    privacy_policy_version text NOT NULL,
    channels text NOT NULL,
    visit {json},
    email_key {key} NOT NULL,
    mailbox {key} NOT NULL,
    digits {key} NOT NULL,
    -- Phone number and name. Identifies a person, like `email_key`; empty without a valid number.
    number_key {key} NOT NULL,
    searched text NOT NULL,
    recorded_at {timestamp} NOT NULL DEFAULT ({now}),
    source text NOT NULL,
    contact_id {uuid},
    conflicting_contact_id {uuid},
    state text NOT NULL,
    owner text NOT NULL,
    owner_key {key} NOT NULL,
    changed_at {timestamp},
    changed_by text NOT NULL,
    contacted_at {timestamp},
    next_step_at {timestamp},
    closing_reason text NOT NULL,
    do_not_contact_at {timestamp},
    -- An erased lead keeps its row, without personal data, which prevents a redelivered copy from being stored.
    erased_at {timestamp},
    -- Whether a delivery is pending, claimed or deferred, or the lead has no delivery yet.
    open boolean NOT NULL,
    leased_until {timestamp},
    leases integer NOT NULL,
    -- Whether the brochure was requested for, or sent to, the visitor.
    brochure boolean NOT NULL
);

-- Submissions with the id of a stored lead and other contents.
CREATE TABLE conflict (
    number {serial},
    lead_id {uuid} NOT NULL,
    recorded_at {timestamp} NOT NULL DEFAULT ({now}),
    source text NOT NULL,
    -- Find a person, like the columns of `lead`.
    email_key {key} NOT NULL,
    digits {key} NOT NULL,
    contents {json} NOT NULL
);

-- The person to whom an email address, or a phone number with a name, belongs. A contact consists of its keys and leads.
CREATE TABLE contact_key (
    value text NOT NULL PRIMARY KEY,
    contact_id {uuid} NOT NULL
);

-- No foreign key, because a report may arrive before its lead.
CREATE TABLE delivery (
    lead_id {uuid} NOT NULL,
    recipient text NOT NULL,
    state text NOT NULL,
    holder text NOT NULL,
    until {timestamp},
    attempts integer NOT NULL,
    reason_class text NOT NULL,
    reason_detail text NOT NULL,
    changed_at {timestamp} NOT NULL DEFAULT ({now}),
    mail_message_id text NOT NULL,
    server_reply text NOT NULL,
    delivered_at {timestamp},
    -- Whether a person requested the email. The routes name the other recipients.
    requested boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (lead_id, recipient)
);

-- Events that no other table contains.
CREATE TABLE timeline (
    number {serial},
    lead_id {uuid} NOT NULL,
    at {timestamp} NOT NULL DEFAULT ({now}),
    recipient text NOT NULL,
    details {json} NOT NULL
);

-- Clients that read, changed or erased leads, and the number of leads. Contains no personal data.
CREATE TABLE audit (
    number {serial},
    at {timestamp} NOT NULL DEFAULT ({now}),
    client text NOT NULL,
    action text NOT NULL,
    leads bigint NOT NULL,
    -- Only for a call about one lead.
    lead_id {uuid}
);

-- Keyed hashes of mailboxes and phone numbers that must not be contacted. Erasing leads keeps these rows.
CREATE TABLE suppression (
    hash text NOT NULL PRIMARY KEY,
    since {timestamp} NOT NULL,
    reason text NOT NULL
);

-- Jobs that one process does once.
CREATE TABLE task (
    name text NOT NULL PRIMARY KEY,
    holder text NOT NULL,
    until {timestamp} NOT NULL,
    done_at {timestamp}
);

-- A health check writes this table to test whether the database is writable.
CREATE TABLE write_check (
    number {serial},
    filler text NOT NULL
);

CREATE INDEX lead_reference ON lead (reference, id);
-- Partial, because few leads have outstanding deliveries.
CREATE INDEX lead_open ON lead (recorded_at, id) WHERE open;

-- Lists filter by one column, order by time and omit erased leads. Each index has all of these columns, so PostgreSQL
-- reads only the listed rows from the table.
CREATE INDEX lead_submitted_at ON lead (submitted_at, id, searched, erased_at);
CREATE INDEX lead_email_key ON lead (email_key);
CREATE INDEX lead_mailbox ON lead (mailbox);
CREATE INDEX lead_digits ON lead (digits, number_key);
CREATE INDEX lead_contact ON lead (contact_id);
CREATE INDEX lead_state ON lead (state, submitted_at, id, erased_at);
-- Partial, because most new leads have no owner and no signals, and then need no index entry.
CREATE INDEX lead_owner ON lead (owner_key, submitted_at, id, state, erased_at) WHERE owner_key <> '';
CREATE INDEX lead_spam ON lead (submitted_at, id, signals, searched, erased_at) WHERE signals <> '[]';
-- Unfinished work, and its time.
CREATE INDEX lead_unfinished ON lead (submitted_at, id, erased_at) WHERE state IN ('new', 'contacted', 'visit_booked');
CREATE INDEX lead_next_step ON lead (next_step_at, submitted_at, id, owner_key, erased_at) WHERE next_step_at IS NOT NULL;
-- Candidates for a brochure.
CREATE INDEX lead_brochure ON lead (submitted_at, id)
    WHERE NOT brochure AND erased_at IS NULL AND interests LIKE '%"brochure"%';
-- Candidates for retention. Partial, because erased leads accumulate.
CREATE INDEX lead_not_erased ON lead (submitted_at, id) WHERE erased_at IS NULL;

CREATE INDEX conflict_lead ON conflict (lead_id);
CREATE INDEX conflict_email_key ON conflict (email_key);
CREATE INDEX conflict_digits ON conflict (digits);

-- For leads without outstanding deliveries, whether anything was delivered.
CREATE INDEX delivery_failed_or_cancelled ON delivery (lead_id) WHERE state IN ('failed', 'cancelled');
CREATE INDEX delivery_failed ON delivery (changed_at, lead_id, recipient) WHERE state = 'failed';
-- Emails to visitors, for the hourly limit.
CREATE INDEX delivery_visitor ON delivery (changed_at) WHERE recipient = 'visitor';
-- Brochures count towards the hourly limit of emails to visitors, and wait for it.
CREATE INDEX delivery_brochure ON delivery (changed_at) WHERE recipient = 'brochure';
CREATE INDEX delivery_brochure_waiting ON delivery (until, lead_id)
    WHERE recipient = 'brochure' AND state IN ('pending', 'claimed', 'deferred');
-- Outstanding notices of erasures to webhooks.
CREATE INDEX delivery_erased ON delivery (until, lead_id)
    WHERE recipient LIKE 'erased:%' AND state IN ('pending', 'claimed', 'deferred');
CREATE INDEX timeline_lead ON timeline (lead_id);
