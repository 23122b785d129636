// What was paid in parts of an intent.
import type pg from 'pg';
import type { OwnedIntent } from './lock-for-apply.ts';

/**
 * What is paid for each acceptance of the intent, by its position. What was or is being refunded does not count. The caller
 * holds the lock of the intent, so that no part is added meanwhile; no refund of a part begins before its transaction ends.
 * Undefined when another process is writing a refund of a part.
 */
export async function lockEarlierParts(
  client: pg.ClientBase,
  { accountId, mode, intentId }: OwnedIntent,
): Promise<ReadonlyMap<number, bigint> | undefined> {
  const { rows } = await client.query<{ position: number | null; counted: string }>({
    name: 'lock-earlier-parts',
    text: 'select acceptance as position, counted from svc.lock_parts($1, $2, $3)',
    values: [accountId, mode, intentId],
  });
  const parts = new Map<number, bigint>();
  for (const { position, counted } of rows) {
    if (position === null) return undefined;
    parts.set(position, BigInt(counted));
  }
  return parts;
}
