-- {leads} leads of as many people, some Chinese; indexes are made after the rows.
DO $$
DECLARE
    names text[];
    definitions text[];
    part text;
BEGIN
    SELECT array_agg(indexname), array_agg(indexdef) INTO names, definitions
    FROM pg_indexes WHERE tablename = 'lead' AND indexname <> 'lead_pkey';
    FOREACH part IN ARRAY names LOOP EXECUTE 'DROP INDEX ' || part; END LOOP;
    INSERT INTO lead (id, reference, submitted_at, recorded_at, interests, signals, name, mobile, email, questions, language,
        privacy_policy_version, purpose, landing_path, referrer_host, utm_source, utm_medium, utm_campaign, utm_term,
        utm_content, email_key, digits, searched, source, state, owner, owner_key, changed_by,
        closing_reason, contact_id, open)
    SELECT id, reference, at, at, '["showflat"]', '[]', name, '+' || digits, email, '', 'en', '2026-11-01', 'enquiry', '/', '',
        '', '', '', '', '', email, digits,
        E'\n' || lower(name) || E'\n' || email || E'\t' || lower(substr(reference, 4)) || ' ' || digits, 'broker',
        CASE WHEN number % 10 = 0 THEN 'new' ELSE 'closed' END, '', '', '', '', id, false
    FROM (
        SELECT number, hash::uuid AS id, 'ZG-' || upper(substr(hash, 1, 4)) || '-' || upper(substr(hash, 5, 2)) AS reference,
            now() - interval '1 year' + number * interval '1 second' AS at,
            CASE WHEN number % 5 < 2 THEN substr('陈林黄李王张刘吴蔡杨', 1 + number % 10, 1)
                || substr('伟芳娜敏静丽强磊军洋美', 1 + number % 11, 1) || substr('大文秀英建国志明玲', 1 + number % 9, 1)
            ELSE 'Visitor ' || substr(hash, 7, 5) END AS name,
            'visitor.' || number || '@mail.example' AS email, (6580000000 + number)::text AS digits
        FROM (SELECT number, md5(number::text) AS hash FROM generate_series(1, {leads}) AS number) AS numbers
    ) AS leads;
    PERFORM set_config('maintenance_work_mem', '1GB', true);
    FOREACH part IN ARRAY definitions LOOP EXECUTE part; END LOOP;
END $$;
