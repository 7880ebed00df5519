CREATE TABLE lead (
    id {uuid} NOT NULL PRIMARY KEY,
    reference {key} NOT NULL,
    submitted_at {timestamp} NOT NULL,
    -- JSON arrays as text, as `channels`, which both databases can search.
    interests text NOT NULL,
    signals text NOT NULL,
    name text NOT NULL,
    mobile text NOT NULL,
    -- What was submitted, once `mobile` is corrected.
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
    -- Number and name, by which a person is known as by `email_key`; empty without a valid number.
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
    -- The row of an erased lead holds nothing personal, and keeps every later copy of the lead out.
    erased_at {timestamp},
    -- Whether a delivery is pending, claimed or deferred, or none is known yet.
    open boolean NOT NULL,
    leased_until {timestamp},
    leases integer NOT NULL,
    -- Whether the visitor was asked for, or has, the brochure.
    brochure boolean NOT NULL
);

-- What came under the key of a lead that was stored, with other contents.
CREATE TABLE conflict (
    number {serial},
    lead_id {uuid} NOT NULL,
    recorded_at {timestamp} NOT NULL DEFAULT ({now}),
    source text NOT NULL,
    -- As of a lead: by these a person is found.
    email_key {key} NOT NULL,
    digits {key} NOT NULL,
    contents {json} NOT NULL
);

-- The person that an email address, or a number with a name, belongs to. A contact is no more than its keys and leads.
CREATE TABLE contact_key (
    value text NOT NULL PRIMARY KEY,
    contact_id {uuid} NOT NULL
);

-- Without a foreign key: a report may come before its lead.
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
    -- Whether somebody asked for it, instead of the routes.
    requested boolean NOT NULL DEFAULT FALSE,
    PRIMARY KEY (lead_id, recipient)
);

-- What no other row tells.
CREATE TABLE timeline (
    number {serial},
    lead_id {uuid} NOT NULL,
    at {timestamp} NOT NULL DEFAULT ({now}),
    recipient text NOT NULL,
    details {json} NOT NULL
);

-- Who took or erased personal data, and of how many leads. Holds none.
CREATE TABLE audit (
    number {serial},
    at {timestamp} NOT NULL DEFAULT ({now}),
    client text NOT NULL,
    action text NOT NULL,
    leads bigint NOT NULL,
    -- Of a call about one lead.
    lead_id {uuid}
);

-- Whom not to contact, by keyed hashes of mailboxes and phone numbers. Outlives the leads.
CREATE TABLE suppression (
    hash text NOT NULL PRIMARY KEY,
    since {timestamp} NOT NULL,
    reason text NOT NULL
);

-- What one process is to do, once.
CREATE TABLE task (
    name text NOT NULL PRIMARY KEY,
    holder text NOT NULL,
    until {timestamp} NOT NULL,
    done_at {timestamp}
);

-- Written to see whether the database can be.
CREATE TABLE write_check (
    number {serial},
    filler text NOT NULL
);

CREATE INDEX lead_reference ON lead (reference, id);
-- What is still to be delivered is little, however many leads there are.
CREATE INDEX lead_open ON lead (recorded_at, id) WHERE open;

-- Leads are looked up by one thing and shown by time, erased ones left out: an index has all of it, so that only what is
-- shown is read from the table.
CREATE INDEX lead_shown ON lead (submitted_at, id, searched, erased_at);
CREATE INDEX lead_email_key ON lead (email_key);
CREATE INDEX lead_mailbox ON lead (mailbox);
CREATE INDEX lead_digits ON lead (digits, number_key);
CREATE INDEX lead_contact ON lead (contact_id);
CREATE INDEX lead_state ON lead (state, submitted_at, id, erased_at);
-- Most leads have no owner when they come, and no signals: these cost them nothing.
CREATE INDEX lead_owner ON lead (owner_key, submitted_at, id, state, erased_at) WHERE owner_key <> '';
CREATE INDEX lead_spam ON lead (submitted_at, id, signals, searched, erased_at) WHERE signals <> '[]';
-- What is left to do, and when.
CREATE INDEX lead_unfinished ON lead (submitted_at, id, erased_at) WHERE state IN ('new', 'contacted', 'visit_booked');
CREATE INDEX lead_next_step ON lead (next_step_at, submitted_at, id, owner_key, erased_at) WHERE next_step_at IS NOT NULL;
-- Whom a brochure may be asked for.
CREATE INDEX lead_brochure ON lead (submitted_at, id)
    WHERE NOT brochure AND erased_at IS NULL AND interests LIKE '%"brochure"%';
-- What retention may have to erase, however much it has erased.
CREATE INDEX lead_kept ON lead (submitted_at, id) WHERE erased_at IS NULL;

CREATE INDEX conflict_lead ON conflict (lead_id);
CREATE INDEX conflict_email_key ON conflict (email_key);
CREATE INDEX conflict_digits ON conflict (digits);

-- Of a lead that is closed and of which perhaps nothing was delivered.
CREATE INDEX delivery_given_up ON delivery (lead_id) WHERE state IN ('failed', 'cancelled');
CREATE INDEX delivery_dead ON delivery (changed_at, lead_id, recipient) WHERE state = 'failed';
-- Limited per hour with the other emails to visitors; and those that wait.
CREATE INDEX delivery_brochure ON delivery (changed_at) WHERE recipient = 'brochure';
CREATE INDEX delivery_brochure_waiting ON delivery (until, lead_id)
    WHERE recipient = 'brochure' AND state IN ('pending', 'claimed', 'deferred');
-- Webhooks to be told of an erasure.
CREATE INDEX delivery_erased ON delivery (until, lead_id)
    WHERE recipient LIKE 'erased:%' AND state IN ('pending', 'claimed', 'deferred');
CREATE INDEX timeline_lead ON timeline (lead_id);
