// Compares the payments of the database with what moved on the fake chain. Empty when they agree.
import type { LaneWorld } from './lane-world.ts';

type Row = {
  readonly id: string;
  readonly status: string;
  readonly booked: string;
  readonly types: readonly string[] | null;
  readonly sequence: readonly number[] | null;
  /** Of the intent. */
  readonly last: number;
};

export async function laneDifferences({ pool, chain }: LaneWorld, paymentIds: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const { rows } = await pool.query<Row>(
    `select p.id, p.status,
       (select coalesce(sum(amount) filter (where amount > 0 and asset <> 'native'), 0)
        from svc.ledger_entries e where e.payment_id = p.id) as booked,
       (select array_agg(e.type::text order by e.sequence) from svc.events e where e.payment_id = p.id) as types,
       (select array_agg(e.sequence order by e.sequence) from svc.events e where e.intent_id = p.intent_id) as sequence,
       i.event_sequence as last
     from svc.payments p
     join svc.intents i on i.account_id = p.account_id and i.mode = p.mode and i.id = p.intent_id
     where p.id = any ($1)`,
    [paymentIds],
  );
  for (const row of rows) {
    const { id, status, booked } = row;
    const types = row.types ?? [];
    const events = types.filter((type) => type === 'payment.completed').length;
    const moved = chain.settled.get(id) ?? 0;
    if (moved > 1) found.push(`${id} was taken ${moved} times`);
    if (moved === 1 && status !== 'completed') found.push(`${id} was taken and is ${status}`);
    if (moved === 0 && status === 'completed') found.push(`${id} is completed and was not taken`);
    const once = status === 'completed' ? 1 : 0;
    if (events !== once) found.push(`${id} is ${status} and was told completed ${events} times`);
    const created = types.filter((type) => type === 'payment.created').length;
    if (status !== 'pending' && (created !== 1 || types[0] !== 'payment.created'))
      found.push(`${id} is ${status} and told ${types.join(', ')}`);
    const counted = (row.sequence ?? []).map((_, index, { length }) => row.last - length + 1 + index);
    if (counted.join() !== (row.sequence ?? []).join()) found.push(`${id} has the events ${row.sequence?.join()}`);
    if (booked !== String(once * 1_500_000)) found.push(`${id} is ${status} and has ${booked} in the books`);
  }
  if (rows.length !== paymentIds.length) found.push(`${paymentIds.length - rows.length} payments are lost`);
  const batches = await pool.query<{ nonce: string; epoch: string }>(
    "select nonce, epoch from svc.batches where status <> 'dropped' order by nonce, epoch",
  );
  for (const [index, { nonce, epoch }] of batches.rows.entries()) {
    const before = batches.rows[index - 1];
    if (before === undefined) continue;
    if (BigInt(nonce) !== BigInt(before.nonce) + 1n) found.push(`nonce ${nonce} follows ${before.nonce}`);
    if (BigInt(epoch) < BigInt(before.epoch)) found.push(`nonce ${nonce} was signed by a holder that was replaced`);
  }
  return found;
}
