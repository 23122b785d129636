// What stands in the books and on the chain, read raw.
import type { SettlementWorld } from '../settlement/world.ts';

/** Digests of everything that says how payments stand; lanes and the epoch of codes are no part of it. */
export async function digestOfBooks({ postgres }: SettlementWorld): Promise<Readonly<Record<string, string>>> {
  const tables =
    'intents intent_codes claims authorizations payments settlements batches batch_transactions ledger_entries events deliveries';
  const digests: Record<string, string> = {};
  for (const table of tables.split(' ')) {
    const { rows } = await postgres.pool.query<{ digest: string }>(
      `select md5(coalesce(string_agg(row::text, '|' order by row::text), '')) as digest from svc.${table} row`,
    );
    digests[table] = rows[0]?.digest ?? '';
  }
  return digests;
}

/** By address: what the books say that it got or gave, against the token's own balance and what it had at first. */
export async function balanceDifferences(
  { postgres, chain }: SettlementWorld,
  hadAtomic: ReadonlyMap<string, bigint>,
): Promise<readonly string[]> {
  const { rows } = await postgres.pool.query<{ party: string; amount: string }>(
    `select party, sum(amount)::text as amount from svc.ledger_entries
     where asset <> 'native' and account_name <> 'escrow' group by party`,
  );
  const found = await Promise.all(
    rows.map(async ({ party, amount }) => {
      const expected = (hadAtomic.get(party) ?? 0n) + BigInt(amount);
      const held = await chain.balanceOf(chain.tokens.usdc, party as `0x${string}`);
      return held === expected ? [] : [`${party} holds ${held}, by the books ${expected}`];
    }),
  );
  return found.flat();
}

export type PaidIntent = {
  readonly intent: string;
  readonly status: string;
  readonly paymentStatus: string | null;
  readonly transactionId: string | null;
  readonly splitId: string | null;
  readonly paidAmount: string | null;
  readonly completedEvents: number;
};

export async function readIntents({ postgres }: SettlementWorld): Promise<ReadonlyMap<string, PaidIntent>> {
  const { rows } = await postgres.pool.query<PaidIntent>(
    `select i.id as intent, i.status, p.status as "paymentStatus", p.transaction_id as "transactionId",
       p.transaction_split_id as "splitId", p.paid_amount::text as "paidAmount", (
         select count(*)::integer from svc.events e
         where e.account_id = i.account_id and e.mode = i.mode and e.intent_id = i.id and e.type = 'payment.completed'
       ) as "completedEvents"
     from svc.intents i
     left join svc.payments p on p.account_id = i.account_id and p.mode = i.mode and p.id = i.payment_id`,
  );
  return new Map(rows.map((row) => [row.intent, row]));
}

/** By the name of a column of `svc.installation` and the sequence behind it. */
export async function codeEpoch({ postgres }: SettlementWorld): Promise<number> {
  const { rows } = await postgres.pool.query<{ epoch: number }>(
    'select intent_code_prefix as epoch from svc.installation',
  );
  return rows[0]?.epoch ?? -1;
}

/** A batch is signed and has no result yet. */
export async function isSending({ postgres }: Pick<SettlementWorld, 'postgres'>): Promise<boolean> {
  const { rowCount } = await postgres.pool.query(`select from svc.batches where status in ('signed', 'broadcast')`);
  return (rowCount ?? 0) > 0;
}

/** Networks whose restore is under way or has left something open. */
export async function openRestores({ postgres }: Pick<SettlementWorld, 'postgres'>): Promise<readonly string[]> {
  const { rows } = await postgres.pool.query<{ network: string }>('select network from svc.open_restores');
  return rows.map(({ network }) => network);
}

/** Events that were to be delivered and were not, and arrivals of one event at one endpoint beyond the first. */
export async function deliveryProblems(
  { postgres }: SettlementWorld,
  arrivals: readonly { readonly event: string; readonly endpoint: string }[],
): Promise<{ readonly pending: number; readonly missing: number; readonly repeated: number }> {
  const { rows } = await postgres.pool.query<{ key: string; status: string }>(
    `select event_id || ' ' || endpoint_id as key, status from svc.deliveries`,
  );
  const counts = new Map<string, number>();
  for (const { event, endpoint } of arrivals) {
    const key = `${event} ${endpoint}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return {
    pending: rows.filter(({ status }) => status !== 'succeeded').length,
    missing: rows.filter(({ key }) => !counts.has(key)).length,
    repeated: [...counts.values()].filter((count) => count > 1).length,
  };
}
