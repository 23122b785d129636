// Compares the payments of the database with what moved on the fake chain. Empty when they agree.
import type { LaneWorld } from './lane-world.ts';

export async function laneDifferences({ pool, chain }: LaneWorld, paymentIds: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const { rows } = await pool.query<{ id: string; status: string; booked: string; events: number }>(
    `select p.id, p.status,
       (select coalesce(sum(amount) filter (where amount > 0 and asset <> 'native'), 0)
        from svc.ledger_entries e where e.payment_id = p.id) as booked,
       (select count(*)::integer from svc.events e where e.payment_id = p.id and e.type = 'payment.completed') as events
     from svc.payments p where p.id = any ($1)`,
    [paymentIds],
  );
  for (const { id, status, booked, events } of rows) {
    const moved = chain.settled.get(id) ?? 0;
    if (moved > 1) found.push(`${id} was taken ${moved} times`);
    if (moved === 1 && status !== 'completed') found.push(`${id} was taken and is ${status}`);
    if (moved === 0 && status === 'completed') found.push(`${id} is completed and was not taken`);
    const once = status === 'completed' ? 1 : 0;
    if (events !== once) found.push(`${id} is ${status} and was told completed ${events} times`);
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
