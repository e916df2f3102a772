-- Many keys were refused in 10 minutes: somebody is guessing, or a program uses a key that has ended.
-- run: every 5 minutes
-- fires: on each row
-- do: look at the attempts without a valid key on the dashboard's overview; they have hints of the keys, and reasons
SELECT
  blob6 AS error_code,
  SUM(_sample_interval) AS refused
FROM crossdock_production
WHERE timestamp > NOW() - INTERVAL '10' MINUTE
  AND blob1 = 'request' AND (blob6 = 'KEY_INVALID' OR blob6 = 'KEY_EXPIRED')
GROUP BY error_code
HAVING refused > 500
