/**
 * In SQL, behind an insert into `svc.deliveries`: one that is there already is due again, with all its retries and its
 * attempts counted on. One that is under way stays as it is: it is being sent at this moment.
 */
export const queueAgain = (nextAt: string, also = 'true'): string => `
  on conflict (account_id, mode, event_id, endpoint_id) do update
  set status = 'pending', next_at = ${nextAt}, finished_at = null, reason = null,
    uncharged_count = deliveries.attempt_count
  where deliveries.lease_until is null and ${also}`;
