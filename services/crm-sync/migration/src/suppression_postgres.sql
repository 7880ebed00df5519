ALTER TABLE suppression
    -- The mailbox whose leads set the suppression. Contact is allowed again for one mailbox at a time. Empty in rows of the
    -- previous version.
    ADD COLUMN mailbox_hash text NOT NULL DEFAULT '',
    -- When the visitor withdrew consent. Null if only sales set the suppression.
    ADD COLUMN withdrawn_at timestamp with time zone,
    -- Whether leads of other mailboxes had the number. Then new leads with the number are not marked.
    ADD COLUMN shared boolean NOT NULL DEFAULT FALSE,
    -- Only the previous version reads it.
    ALTER COLUMN reason SET DEFAULT 'do_not_contact',
    DROP CONSTRAINT suppression_pkey,
    ADD PRIMARY KEY (hash, mailbox_hash);
UPDATE suppression SET withdrawn_at = since WHERE reason = 'withdrawal';

ALTER TABLE conflict
    -- Finds a person, like the columns of `lead`. Empty until crm-sync completes a row of the previous version.
    ADD COLUMN mailbox text COLLATE "C" NOT NULL DEFAULT '',
    -- Only the previous version reads it.
    ALTER COLUMN email_key SET DEFAULT '';
