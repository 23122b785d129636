// Follows intents on the Internet Computer: what the API says of their payments, and what the merchant's server hears.
import { expect, vi } from 'vitest';
import { PRICE } from './follow-payment.ts';
import { type IcpWorld, newPayer, notify, type Offer, transfer } from './icp-world.ts';
import { waitFor } from './many-payments.ts';
import { askAs } from './mismatch-cases.ts';
import { openEndpoint } from './webhook-receiver.ts';

export const UNPAID = 'requires_payment: ';
export const PAID = `completed: completed ${PRICE} (0)`;

export const MADE = 'payment_intent.created';
export const COMPLETED = ['payment.created', 'payment.completed'];
export const MISMATCHED = ['payment.created', 'payment.updated'];

type Payment = Readonly<Record<'id' | 'status' | 'paidAmount' | 'refundDueAmount', string>>;

export type PaidOffer = Readonly<Record<'id' | 'blockIndex', string>> & {
  readonly index: bigint;
  readonly payer: Awaited<ReturnType<typeof newPayer>>;
};

export type IcpFollower = Awaited<ReturnType<typeof followIcp>>;

export async function followIcp(world: IcpWorld) {
  const endpoint = await openEndpoint(world, {
    eventTypes: [
      'payment_intent.created',
      'payment_intent.canceled',
      'payment.created',
      'payment.updated',
      'payment.completed',
      'payment.refunded',
    ],
  });

  async function paymentsOf(id: string): Promise<readonly Payment[]> {
    const { body } = await askAs(world, world.shop, 'GET', `/sdk/payments?intentId=${id}`);
    return (body as { data: Payment[] }).data.toReversed();
  }

  /** `<intent>: <status of each payment> <paid> (<due back>)`. */
  async function seen(id: string): Promise<string> {
    const { pool } = world.database;
    const { rows } = await pool.query<{ status: string }>('select status from svc.intents where id = $1', [id]);
    const payments = (await paymentsOf(id)).map(
      ({ status, paidAmount, refundDueAmount }) => `${status} ${paidAmount} (${refundDueAmount ?? 0})`,
    );
    return `${rows[0]?.status}: ${payments.join(', ')}`;
  }

  const becomes = (id: string, expected: string) =>
    vi.waitFor(async () => expect(await seen(id)).toBe(expected), { timeout: 30_000, interval: 100 });

  /** The merchant's server has heard these, in this order, each soundly signed and as the interface writes it. */
  async function heard(id: string, types: readonly string[]) {
    await waitFor(async () => endpoint.of(id).length >= types.length, 20, `heard: ${types.join(', ')}`);
    const all = endpoint.of(id);
    expect(all.map(({ event }) => event.type)).toEqual(types);
    expect(all.flatMap(({ problems }) => problems)).toEqual([]);
    return all.map(({ event }) => event.data.object);
  }

  async function pay({ id, option }: Offer, amount = PRICE): Promise<PaidOffer> {
    const payer = await newPayer(world);
    const index = await transfer(world, payer, option, amount);
    return { id, payer, index, blockIndex: index.toString() };
  }

  /** Runs of the reader, from now on, that got no certified answer. */
  async function readsInVain(runs: number): Promise<void> {
    const count = () =>
      world.settlement
        .output()
        .split('\n')
        .filter((line) => line.includes('row_skipped_chain_unreachable') && line.includes('token-ledgers')).length;
    const before = count();
    await waitFor(async () => count() >= before + runs, 30, 'read in vain');
  }

  async function countsNothing({ id, blockIndex }: PaidOffer): Promise<void> {
    await readsInVain(1);
    expect(await notify(world, id, { ledgerBlockIndex: blockIndex })).toMatchObject({
      status: 'requires_payment',
      paymentId: null,
      refusal: null,
    });
    expect(await seen(id)).toBe(UNPAID);
  }

  async function countsOnce({ id }: PaidOffer): Promise<void> {
    await becomes(id, PAID);
    await heard(id, [MADE, ...COMPLETED]);
  }

  return { paymentsOf, seen, becomes, heard, pay, countsNothing, countsOnce };
}
