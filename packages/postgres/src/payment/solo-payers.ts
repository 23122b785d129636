// Payers whose payments go through the solo queue for a day: a transfer of theirs used up its gas on chain, or a single
// transaction of theirs reverted although its simulation passed.
import { isoTime, type LaneItem, type MinedItem, SETTLEMENT_STATUS } from '@svc-pay/core';
import type pg from 'pg';
import { NOT_MERGED } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';

const IS_QUEUED = sqlIs(SETTLEMENT_STATUS.queued);

/**
 * SQL for `solo_payer` of a new settlement, from columns of the surrounding statement. Solana has no solo queue: every
 * payment has a transaction of its own and is bound to its relayer.
 */
export function soloPayer(of: {
  readonly network: string;
  readonly payer: string;
  readonly byContract: string;
  readonly now: string;
}): string {
  // A scalar query, not `exists`: docs/internals/planner-rules.md, rule 6.
  return `
    case when ${of.byContract} then ${of.payer} else (
      select solo.payer from svc.solo_payers solo
      where solo.network = ${of.network} and solo.payer = ${of.payer} and solo.until > ${of.now} limit 1
    ) end`;
}

/** False for a payer whose authorization somebody else submitted first: that burns no gas. */
export function burnsGas(item: LaneItem, { outcome }: MinedItem): boolean {
  return item.transfer === undefined && (outcome === 'pull_refused' || outcome === 'reverted_alone');
}

// The wait between two payments of a payer doubles from two minutes
// to an hour. Queued payments of the payer move to the solo queue.
const MARK = {
  name: 'mark-solo-payers',
  text: `
    with over as (
      delete from svc.solo_payers where network = $1 and until <= $3 and payer <> all ($2)
    ),
    marked as (
      insert into svc.solo_payers as known (network, payer, strikes, next_at, until)
      select distinct $1, payer, 1, $3::timestamptz + interval '2 minutes', $3::timestamptz + interval '1 day'
      from unnest($2::text[]) payer
      on conflict (network, payer) do update
      set strikes = case when known.until <= $3 then 1 else least(known.strikes + 1, 6) end,
        next_at = $3::timestamptz + interval '1 minute'
          * least(power(2, case when known.until <= $3 then 1 else known.strikes + 1 end), 60),
        until = excluded.until
    )
    update svc.settlements s set solo_payer = found.payer
    from (
      select waiting.account_id, waiting.mode, waiting.payment_id, a.payer from svc.settlements waiting
      cross join lateral (
        select payer from svc.authorizations a
        where a.account_id = waiting.account_id and a.mode = waiting.mode and a.intent_id = waiting.intent_id
          and a.claim_key = waiting.claim_key
        ${NOT_MERGED}
      ) a
      where waiting.network = $1 and waiting.status ${IS_QUEUED} and waiting.solo_payer is null and a.payer = any ($2)
      -- A payment that a lane is just taking stays in the shared queue once more.
      order by waiting.account_id, waiting.mode, waiting.payment_id for update of waiting skip locked
    ) found
    where s.account_id = found.account_id and s.mode = found.mode and s.payment_id = found.payment_id
      and s.status ${IS_QUEUED}`,
};

export async function markSoloPayers(
  client: pg.ClientBase,
  network: string,
  payers: readonly string[],
  nowMs: number,
): Promise<void> {
  if (payers.length === 0) return;
  await client.query({ ...MARK, values: [network, payers, isoTime(nowMs)] });
}
