-- The owner of the CRM's database and of nothing else. Run when the data directory is made, and again to change the
-- password.
\set password `cat /run/secrets/crm-sync`

SELECT 'CREATE ROLE crm_sync LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'crm_sync') \gexec
ALTER ROLE crm_sync PASSWORD :'password';
SELECT 'CREATE DATABASE crm OWNER crm_sync' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'crm') \gexec

-- The superuser comes in by the container's own socket only.
ALTER ROLE postgres PASSWORD NULL;
