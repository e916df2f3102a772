-- Finds what has become of a request that an administrator has sent again. Requests of partners write no row here.
CREATE INDEX audit_log_replay ON audit_log (replay_of) WHERE replay_of IS NOT NULL;
