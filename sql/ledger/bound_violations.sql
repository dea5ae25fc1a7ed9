-- Part of awa.check(), which sees queue and ledger at one moment: a hold that is bound to an attempt or a job does not outlive it.

CREATE VIEW awa_ledger.bound_violations AS
SELECT 'bound_hold_goes_on' AS invariant, format('hold %s', h.reservation) AS object,
       format('it is bound to the attempt of job %s with run lease %s, which is over', h.job_id, h.run_lease) AS detail
FROM awa_ledger.open_holds h
WHERE h.run_lease IS NOT NULL
  AND NOT EXISTS (SELECT FROM awa.open_receipts r WHERE r.job_id = h.job_id AND r.run_lease = h.run_lease)
  AND NOT EXISTS (SELECT FROM awa.leases l WHERE l.job_id = h.job_id AND l.run_lease = h.run_lease)
UNION ALL
SELECT 'bound_hold_goes_on', format('hold %s', h.reservation), format('it is bound to job %s, which is over', h.job_id)
FROM awa_ledger.open_holds h
WHERE h.job_id IS NOT NULL AND h.run_lease IS NULL
  AND NOT EXISTS (SELECT FROM awa.jobs j
                  WHERE j.job_id = h.job_id AND j.state NOT IN ('completed', 'failed', 'cancelled', 'dead_letter'));
COMMENT ON VIEW awa_ledger.bound_violations IS 'internal, part of awa.check(): holds that outlive what they are bound to';
COMMENT ON COLUMN awa_ledger.bound_violations.invariant IS 'name of the invariant that does not hold';
COMMENT ON COLUMN awa_ledger.bound_violations.object IS 'what it does not hold for';
COMMENT ON COLUMN awa_ledger.bound_violations.detail IS 'how';
