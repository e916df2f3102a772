-- Deliveries of a tenant have waited for more than a day. After 30 days they end without having been applied.
-- run: every hour
-- fires: on each row
-- do: tell the warehouse; GET /api/settings/v1/deliveries/ says what each of them needs
SELECT
  blob2 AS tenant,
  MIN(double15) / 86400000 AS days,
  MIN(double14) AS records
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '90' MINUTE AND blob1 = 'deliveries'
GROUP BY tenant
HAVING days > 1
