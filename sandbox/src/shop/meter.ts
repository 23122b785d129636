// Metered item: serves lines while the cap pays for them, then charges the lines read.
import type { SvcPay } from '@svc-pay/server';
import { type Item, itemOf } from './items.ts';
import type { Orders } from './orders.ts';
import { VERSES } from './verses.ts';

type Refused = { readonly ok: false; readonly status: number; readonly error: string };
export type Served = { readonly ok: true; readonly line: string; readonly units: number } | Refused;
export type Charged = { readonly ok: true } | Refused;

const refused = (status: number, error: string): Refused => ({ ok: false, status, error });

export async function serveLine(orders: Orders, id: string): Promise<Served> {
  const order = await orders.find(id);
  const sale = order && meteredSaleOf(order.item);
  if (order === undefined || sale === undefined) return refused(404, 'no such order');
  if (order.status === 'open') return refused(402, 'sign the limit first');
  if (order.status !== 'authorized') return refused(409, `the order is ${order.status}`);
  const units = await orders.use(id, mostUnits(sale));
  const line = units === undefined ? undefined : VERSES[units - 1];
  if (units === undefined || line === undefined) return refused(402, 'the limit is used up');
  return { ok: true, line, units };
}

/** Safe to repeat: closing the tab fixes the amount, and the service charges it once. */
export async function closeTab(orders: Orders, svc: SvcPay, id: string): Promise<Charged> {
  const order = await orders.close(id);
  const sale = order && meteredSaleOf(order.item);
  if (order === undefined || order.intentId === null || sale === undefined || order.status === 'open')
    return refused(404, 'no such tab');
  if (order.status === 'paid' || order.status === 'canceled') return { ok: true };
  const { intentId: paymentIntentId, units } = order;
  if (units === 0) {
    const released = await svc.upto.release({ paymentIntentId });
    if (!released.ok) return refused(503, released.code);
    await orders.cancel(id);
    return { ok: true };
  }
  const settledAmount = String(BigInt(units) * sale.unitAtomic);
  const settled = await svc.upto.settle({ paymentIntentId, settledAmount });
  if (!settled.ok) return refused(503, settled.code);
  // The result comes by webhook. A refusal does not, because no payment was begun.
  if (settled.settlement.status === 'failed') await orders.fail(id, settled.settlement.error ?? 'the payment failed');
  return { ok: true };
}

export function linesOf(units: number): readonly string[] {
  return VERSES.slice(0, units);
}

type MeteredSale = Extract<Item['sale'], { kind: 'upto' }>;

function meteredSaleOf(itemId: string): MeteredSale | undefined {
  const sale = itemOf(itemId)?.sale;
  return sale?.kind === 'upto' ? sale : undefined;
}

const mostUnits = ({ capAtomic, unitAtomic }: MeteredSale): bigint => capAtomic / unitAtomic;
