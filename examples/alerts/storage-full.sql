-- A tenant's database is full, or the account is: writes are refused.
-- run: every 5 minutes
-- fires: on each row
-- do: make room for the tenant: docs/operations.md, "A full database"
SELECT
  blob2 AS tenant,
  SUM(_sample_interval) AS refused
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '10' MINUTE AND blob1 = 'request' AND blob10 = 'STORAGE_FULL'
GROUP BY tenant
