-- Leads by source, campaign, referring host and plan. Partial, because many leads have none of them.
CREATE INDEX lead_utm_source ON lead (coalesce(visit -> 'campaign' ->> 'source', ''), submitted_at, id, erased_at)
    WHERE coalesce(visit -> 'campaign' ->> 'source', '') <> '';
CREATE INDEX lead_utm_campaign ON lead (coalesce(visit -> 'campaign' ->> 'name', ''), submitted_at, id, erased_at)
    WHERE coalesce(visit -> 'campaign' ->> 'name', '') <> '';
CREATE INDEX lead_referrer_host ON lead (coalesce(visit ->> 'referrer_host', ''), submitted_at, id, erased_at)
    WHERE coalesce(visit ->> 'referrer_host', '') <> '';
CREATE INDEX lead_plan ON lead (plan, submitted_at, id, erased_at) WHERE plan <> '';
-- People who wait for a first contact.
CREATE INDEX lead_waiting ON lead (contact_id)
    WHERE state = 'new' AND erased_at IS NULL AND signals = '[]' AND do_not_contact_at IS NULL;
-- Leads for which a visit was booked.
CREATE INDEX timeline_visit_booked ON timeline (at, lead_id)
    WHERE details ->> 'event' = 'progressed' AND details ->> 'state' = 'visit_booked';
