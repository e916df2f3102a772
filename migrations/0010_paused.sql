-- What is paused, the soonest end first: a pause without an end comes last. Pauses that are over stay in the column, and are
-- before the present moment here. A row is written when a pause begins and when somebody ends it, and by nothing else.

CREATE INDEX partners_paused ON partners (coalesce(json_extract(pause, '$.until'), '~')) WHERE pause IS NOT NULL;
CREATE INDEX api_keys_paused ON api_keys (coalesce(json_extract(pause, '$.until'), '~')) WHERE pause IS NOT NULL;
