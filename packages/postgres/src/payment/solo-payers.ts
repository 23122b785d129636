// Payers whose payments go through the solo queue. Core decides who they are and how long they wait.
import { isoTime, SETTLEMENT_STATUS, soloTerms } from '@svc-pay/core';
import type pg from 'pg';
import { NOT_MERGED, withoutIndex } from '../database/planner.ts';
import { sqlIs } from '../database/status-sql.ts';

const IS_QUEUED = sqlIs(SETTLEMENT_STATUS.queued);

/**
 * SQL for `solo_payer` of a new settlement, from columns of the surrounding statement: `isSolo` of core, in SQL because a
 * claim is one statement. Solana has no solo queue: every payment has a transaction of its own and is bound to its
 * relayer.
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

// A payer that is new gets terms that are over, so that the row is locked and its strikes begin anew. Rows are locked in
// the order of the payers: two lanes may mark the same ones.
const LOCK = {
  name: 'lock-solo-payers',
  text: `
    with over as (
      delete from svc.solo_payers where network = $1 and until <= $3 and payer <> all ($2)
    )
    insert into svc.solo_payers as known (network, payer, strikes, next_at, until)
    select $1, payer, 1, $3, $3 from unnest($2::text[]) payer order by payer
    on conflict (network, payer) do update set strikes = known.strikes
    returning payer, strikes, until`,
};

// Queued payments of the payers move to the solo queue.
const MARK = {
  name: 'mark-solo-payers',
  text: `
    with marked as (
      update svc.solo_payers known set strikes = terms.strikes, next_at = terms.next_at, until = terms.until
      from unnest($2::text[], $3::integer[], $4::timestamptz[], $5::timestamptz[])
        as terms (payer, strikes, next_at, until)
      where known.network = $1 and known.payer = terms.payer
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
      and ${withoutIndex('s.status')} ${IS_QUEUED}`,
};

export async function markSoloPayers(
  client: pg.ClientBase,
  network: string,
  burners: readonly string[],
  nowMs: number,
): Promise<void> {
  const payers = [...new Set(burners)];
  if (payers.length === 0) return;
  const locked = await client.query<{ payer: string; strikes: number; until: Date }>({
    ...LOCK,
    values: [network, payers, isoTime(nowMs)],
  });
  const marked = locked.rows.map(({ payer, strikes, until }) => ({
    payer,
    ...soloTerms({ strikes, untilMs: until.getTime() }, nowMs),
  }));
  await client.query({
    ...MARK,
    values: [
      network,
      marked.map(({ payer }) => payer),
      marked.map(({ strikes }) => strikes),
      marked.map(({ nextAtMs }) => isoTime(nextAtMs)),
      marked.map(({ untilMs }) => isoTime(untilMs)),
    ],
  });
}
