-- Values of name, mobile and email before their corrections, oldest first. Null if nothing was corrected. Replaces
-- `submitted_mobile`, which only the previous version reads.
ALTER TABLE lead ADD COLUMN earlier {json};
UPDATE lead SET earlier = {submitted_mobile} WHERE submitted_mobile IS NOT NULL;
-- Keyed hash of the mailbox, as in `suppression`. Erasure keeps it: the link of an erased lead can still withdraw consent.
-- Empty if the lead was erased before it was stored, and until crm-sync hashes a lead of the previous version.
ALTER TABLE lead ADD COLUMN mailbox_hash {key} NOT NULL DEFAULT '';
-- `mailbox_hash` of the submitted address, if the address was corrected. Erasure keeps it, because links in emails to that
-- address stand for its mailbox.
ALTER TABLE lead ADD COLUMN submitted_mailbox_hash {key};
-- When the visitor asked for erasure. Erasure clears it.
ALTER TABLE lead ADD COLUMN erasure_requested_at {timestamp};
UPDATE lead SET erasure_requested_at =
    (SELECT min(at) FROM timeline WHERE lead_id = id AND details ->> 'event' = 'erasure_requested')
    WHERE erased_at IS NULL;
-- When the name, number, address or `do_not_contact_at` last changed.
ALTER TABLE lead ADD COLUMN contact_changed_at {timestamp};

-- The leads that a call of a person read or changed. A page of a list or an export is a row, so a row has at most 500. Replaces
-- `lead_id`.
ALTER TABLE audit ADD COLUMN lead_ids {uuids} NOT NULL DEFAULT '{no_uuids}';
UPDATE audit SET lead_ids = {audited_lead} WHERE lead_id IS NOT NULL;

CREATE INDEX lead_mailbox_hash ON lead (mailbox_hash) WHERE erased_at IS NULL;
-- Partial, because few addresses are corrected.
CREATE INDEX lead_submitted_mailbox_hash ON lead (submitted_mailbox_hash)
    WHERE submitted_mailbox_hash IS NOT NULL AND erased_at IS NULL;
CREATE INDEX lead_erasure_requested ON lead (erasure_requested_at) WHERE erasure_requested_at IS NOT NULL;
CREATE INDEX suppression_mailbox_hash ON suppression (mailbox_hash);
CREATE INDEX conflict_mailbox ON conflict (mailbox);
-- Outstanding notices of erasures and updates to webhooks.
CREATE INDEX delivery_notice ON delivery (until, lead_id)
    WHERE (recipient LIKE 'erased:%' OR recipient LIKE 'updated:%') AND state IN ('pending', 'claimed', 'deferred');
DROP INDEX delivery_erased;
