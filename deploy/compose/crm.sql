-- Creates the CRM's database. crm owns and migrates it. crm_sync reads and writes rows, with rights that `crm-sync migrate`
-- grants. This script runs when the data directory is created, and again to change the passwords.
\set crm `cat /run/secrets/crm`
\set crm_sync `cat /run/secrets/crm-sync`

SELECT format('CREATE ROLE %I LOGIN', role) FROM unnest(ARRAY['crm', 'crm_sync']) role
    WHERE role NOT IN (SELECT rolname FROM pg_roles) \gexec
ALTER ROLE crm PASSWORD :'crm';
ALTER ROLE crm_sync PASSWORD :'crm_sync';
SELECT 'CREATE DATABASE crm OWNER crm' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'crm') \gexec

-- The superuser can log in only through the socket in the container.
ALTER ROLE postgres PASSWORD NULL;
