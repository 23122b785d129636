import {
  type HeldItem,
  isoTime,
  type LaneItem,
  leavesBatch,
  type OpenSettlement,
  SETTLEMENT_STATUS,
  SETTLEMENT_TRANSITIONS,
  transition,
} from '@svc-pay/core';
import type pg from 'pg';

/** Key of a settlement, as part of a `LaneItem`. */
export type SettlementKey = Pick<LaneItem, 'accountId' | 'mode' | 'paymentId'>;

const MOVE = {
  name: 'move-settlements',
  text: `
    update svc.settlements s
    set status = $5, updated_at = $6, relayer = case when $7::boolean then null else s.relayer end,
      batch_id = case when $7::boolean then null else s.batch_id end
    from unnest($1::text[], $2::text[], $3::text[]) as item (account_id, mode, payment_id)
    where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id
      and s.status = any ($4)
    returning s.payment_id`,
};

export type SettlementMove = {
  readonly from: readonly OpenSettlement[];
  readonly to: Extract<OpenSettlement, 'queued' | 'held'>;
};

/** Returns the items that moved; one whose status is no longer in `from` is left unchanged. Throws for a move that the table does not have. */
export async function moveSettlements<Item extends SettlementKey>(
  client: pg.ClientBase | pg.Pool,
  items: readonly Item[],
  { from, to }: SettlementMove,
  nowMs: number,
): Promise<readonly Item[]> {
  if (items.length === 0) return [];
  for (const status of from) transition(SETTLEMENT_TRANSITIONS, status, to, 'ordinary', 'settlements');
  const { rows } = await client.query<{ payment_id: string }>({
    ...MOVE,
    values: [...settlementKeys(items), from, to, isoTime(nowMs), leavesBatch(to)],
  });
  const moved = new Set(rows.map(({ payment_id }) => payment_id));
  return items.filter(({ paymentId }) => moved.has(paymentId));
}

const HOLD = {
  name: 'hold-settlements',
  text: `
    update svc.settlements s set status = $6, updated_at = $7, refusal = item.refusal
    from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as item (account_id, mode, payment_id, refusal)
    where s.account_id = item.account_id and s.mode = item.mode and s.payment_id = item.payment_id and s.status = $5`,
};

/** Settlements whose status is no longer `from` are left unchanged. */
export async function holdSettlements(
  client: pg.ClientBase,
  held: readonly HeldItem[],
  from: OpenSettlement,
  nowMs: number,
): Promise<void> {
  if (held.length === 0) return;
  transition(SETTLEMENT_TRANSITIONS, from, SETTLEMENT_STATUS.held, 'ordinary', 'settlements');
  const keys = settlementKeys(held.map(({ item }) => item));
  const refusals = held.map(({ refusal }) => refusal);
  await client.query({ ...HOLD, values: [...keys, refusals, from, SETTLEMENT_STATUS.held, isoTime(nowMs)] });
}

/** The keys as three arrays, for statements that unnest them. */
export function settlementKeys(items: readonly SettlementKey[]): [string[], string[], string[]] {
  return [
    items.map(({ accountId }) => accountId),
    items.map(({ mode }) => mode),
    items.map(({ paymentId }) => paymentId),
  ];
}
