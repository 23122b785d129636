import { setTimeout } from 'node:timers/promises';
import { type ExportedBooking, type ExportOrder, type ExportPage, type ExportStore, LEDGER_START } from '@svc-pay/core';
import { expect, test } from 'vitest';
import { readInPieces } from './read-in-pieces.ts';

const WATERMARK = 9_999n;
const READ_MS = 7;
const ASK = { accountId: 'acct_a', mode: 'test', kind: 'payments', cursor: undefined } as const;
const numberOf = (position: bigint) => Number(position);

/** A ledger of so many bookings, each at the position of its number, with one entry. */
function ledgerOf(count: number, refusal?: { readonly at: number; readonly reason: 'busy' | 'restarted' }) {
  const orders: ExportOrder[] = [];
  const readBookings = async (order: ExportOrder): Promise<ExportPage> => {
    orders.push(order);
    if (refusal?.at === orders.length) return { ok: false, reason: refusal.reason };
    const from = order.after === LEDGER_START ? 0 : numberOf(order.after.position);
    const most = Math.min(order.maxBookings, order.maxEntries);
    const numbers = Array.from({ length: Math.min(most, count - from) }, (_, index) => from + index + 1);
    const last = numbers.at(-1) ?? from;
    return {
      ok: true,
      bookings: numbers.map((number) => ({ id: `${number}`, entries: [{}] }) as unknown as ExportedBooking),
      watermark: order.watermark ?? WATERMARK,
      readTo: { position: BigInt(last), bookingId: '' },
      hasMore: last < count,
      readMs: READ_MS,
    };
  };
  return { orders, exports: { readBookings } as unknown as ExportStore };
}

const textOf = async (bookings: readonly ExportedBooking[]) => bookings.map(({ id }) => `${id},`).join('');
const noPause = async () => true;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index},`).join('');

test.each([1, 499, 500, 501, 999, 1_000, 1_200, 5_000])('pages of %d rows joined are the ledger', async (limit) => {
  const { exports, orders } = ledgerOf(1_200);
  let [text, cursor]: [string, Parameters<typeof readInPieces>[1]['cursor']] = ['', undefined];
  for (let pages = 0, hasMore = true; hasMore; pages += 1) {
    const page = await readInPieces({ exports, pause: noPause }, { ...ASK, cursor, limit }, textOf);
    if (!page.ok) throw new Error(page.reason);
    expect(page.text.split(',').length - 1).toBeLessThanOrEqual(limit);
    text += page.text;
    ({ next: cursor, hasMore } = page);
    expect(pages).toBeLessThan(1_201);
  }
  expect(text).toBe(numbers(1, 1_200));
  expect(Math.max(...orders.map(({ maxBookings }) => maxBookings))).toBeLessThanOrEqual(500);
});

test('later pieces keep the watermark of the first', async () => {
  const { exports, orders } = ledgerOf(1_200);
  await readInPieces({ exports, pause: noPause }, { ...ASK, limit: 1_000 }, textOf);
  expect(orders.map(({ watermark }) => watermark)).toEqual([undefined, WATERMARK]);
});

test.each(['busy', 'restarted'] as const)(
  'a first piece that is %s is the answer, a later one ends the page',
  async (reason) => {
    const first = await readInPieces(
      { exports: ledgerOf(9, { at: 1, reason }).exports, pause: noPause },
      { ...ASK, limit: 9 },
      textOf,
    );
    expect(first).toEqual({ ok: false, reason });
    const { exports } = ledgerOf(1_200, { at: 2, reason });
    const page = await readInPieces({ exports, pause: noPause }, { ...ASK, limit: 1_000 }, textOf);
    expect(page).toMatchObject({ ok: true, text: numbers(1, 500), hasMore: true, next: { after: { position: 500n } } });
  },
);

test('a page ends where its text is 2 MiB long', async () => {
  const { exports, orders } = ledgerOf(5_000);
  const long = async (bookings: readonly ExportedBooking[]) => 'x'.repeat(bookings.length * 2_100);
  const page = await readInPieces({ exports, pause: noPause }, { ...ASK, limit: 5_000 }, long);
  expect(page).toMatchObject({ ok: true, hasMore: true });
  expect(orders).toHaveLength(2);
});

test('the rest is as long as a piece was read, however long it waited for its turn', async () => {
  const { exports } = ledgerOf(1_200);
  const waitMs = 200;
  const readBookings: ExportStore['readBookings'] = async (order) => {
    await setTimeout(waitMs);
    return exports.readBookings(order);
  };
  const rests: number[] = [];
  const pause = async (milliseconds: number) => {
    rests.push(milliseconds);
    return true;
  };
  await readInPieces({ exports: { ...exports, readBookings }, pause }, { ...ASK, limit: 1_200 }, textOf);
  expect(rests).toHaveLength(1);
  for (const rest of rests) {
    expect(rest).toBeGreaterThanOrEqual(READ_MS);
    expect(rest).toBeLessThan(waitMs / 2);
  }
});
