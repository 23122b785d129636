/**
 * SQL to follow an insert into `svc.deliveries`: an existing delivery becomes due again with all its retries, and its
 * attempts are counted on. A leased delivery is left unchanged: it is being sent now. One that is pending and goes first
 * still does.
 */
export const queueAgain = (nextAt: string, also = 'true'): string => `
  on conflict (account_id, mode, event_id, endpoint_id) do update
  set status = 'pending', next_at = ${nextAt}, finished_at = null, reason = null,
    uncharged_count = deliveries.attempt_count,
    goes_first = excluded.goes_first or (deliveries.goes_first and deliveries.status = 'pending')
  where deliveries.lease_until is null and ${also}`;
