import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';
import type { MinedBatch } from '../lane/lane-chain.ts';
import type { HeldPayment, HeldVerdict } from './authorization-chain.ts';
import type { ClaimedPayment, HeldMoney, StrandedStore } from './stranded-store.ts';
import { createHeldWatch } from './watch-held.ts';

const NETWORK = evmNetwork(84_532);
const heldOf = (number: number) =>
  ({
    intentId: `pi_${number}`,
    settlement: 'held',
    item: { paymentId: `pay_${number}`, number: BigInt(number) },
  }) as unknown as ClaimedPayment;

type World = {
  readonly payments?: readonly ClaimedPayment[];
  readonly money?: readonly HeldMoney[];
  readonly judge?: (payment: HeldPayment) => HeldVerdict;
  readonly change?: Partial<StrandedStore>;
};

async function run({ payments = [], money = [], judge, change }: World) {
  const asked: string[][] = [];
  const done: string[] = [];
  const lines: string[] = [];
  const failures: string[] = [];
  const stranded = {
    loadHeldMoney: async (_network, after, limit) => money.filter(({ number }) => number > after).slice(0, limit),
    decideHeldMoney: async (_network, { intentId }) => ({ intentId, paymentId: 'pay', action: 'settle' }),
    loadHeldPayments: async (_network, after, limit) =>
      payments.filter(({ item }) => item.number > after).slice(0, limit),
    loadSignedTransactions: async () => new Map([['pay_1', ['0x1', '0x2']]]),
    loadHeldTransactions: async () => new Map([['pay_1', '0x2']]),
    completeHeld: async (_network, { item }) =>
      done.push(`completed ${item.paymentId}`) > 0 ? 'completed' : 'in_flight',
    failHeld: async ({ item }, code) => void done.push(`failed ${item.paymentId} ${code}`),
    queueHeld: async (some) => void done.push(...some.map(({ item }) => `queued ${item.paymentId}`)),
    ...change,
  } satisfies Partial<StrandedStore> as unknown as StrandedStore;
  const watch = createHeldWatch(
    {
      network: NETWORK,
      gasCoin: undefined,
      limits: {
        held: { everyMs: 1, pageSize: 3, maxPages: 5 },
        authorizations: { everyMs: 1, pageSize: 1, expiredPages: 1, validPages: 1, tracedAtOnce: 1 },
      },
      readHeld: async () => ({
        judge: async (some) => {
          asked.push(some.map(({ item }) => item.paymentId));
          return some.map((payment) => judge?.(payment) ?? { verdict: 'undecided' });
        },
      }),
      readAuthorizations: () => Promise.reject(new Error('not asked')),
    },
    {
      stranded,
      clock: { nowMs: () => 0 },
      log: (event) => lines.push(event),
      countFailure: (_network, watcher) => failures.push(watcher),
    },
  );
  await watch.run();
  return { asked, done, lines, failures };
}

test('held payments are judged by pages, each with its transactions', async () => {
  const seen: HeldPayment[] = [];
  const { asked, done } = await run({
    payments: [1, 2, 3, 4].map(heldOf),
    judge: (payment) => {
      seen.push(payment);
      return { verdict: 'undecided' };
    },
  });
  expect(asked).toEqual([['pay_1', 'pay_2', 'pay_3'], ['pay_4']]);
  expect(seen.slice(0, 2)).toMatchObject([
    { signedTransactionIds: ['0x1', '0x2'], recordedTransactionId: '0x2' },
    { signedTransactionIds: [], recordedTransactionId: undefined },
  ]);
  expect(done).toEqual([]);
});

test('each held payment gets what its verdict means', async () => {
  const mined = { transactionId: '0x1' } as MinedBatch;
  const verdicts: Readonly<Record<string, HeldVerdict>> = {
    pay_1: { verdict: 'taken', outcome: { outcome: 'settled', mined } },
    pay_2: { verdict: 'taken', outcome: { outcome: 'burned', transactionId: '0x3' } },
    pay_3: { verdict: 'free' },
    pay_4: { verdict: 'untraceable' },
  };
  const { done, lines } = await run({
    payments: [1, 2, 3, 4].map(heldOf),
    judge: ({ item }) => verdicts[item.paymentId] ?? { verdict: 'undecided' },
  });
  expect(done).toEqual(['completed pay_1', 'failed pay_2 authorization_already_used', 'queued pay_3']);
  expect(lines).toEqual(['held_payment_completed', 'authorization_burned', 'held_payment_without_transaction']);
});

test.each<[string, World]>([
  [
    'cannot be judged',
    {
      judge: ({ item }) => {
        if (item.paymentId === 'pay_2') throw new Error('unreadable');
        return { verdict: 'free' };
      },
    },
  ],
  [
    'cannot be written',
    {
      judge: ({ item }): HeldVerdict =>
        item.paymentId === 'pay_2'
          ? { verdict: 'taken', outcome: { outcome: 'preempted', transactionId: '0x1' } }
          : { verdict: 'free' },
      change: { failHeld: () => Promise.reject(new Error('refused')) },
    },
  ],
])('a held payment that %s holds up no other', async (_, world) => {
  const { done, failures } = await run({ payments: [1, 2, 3].map(heldOf), ...world });
  expect(done.toSorted()).toEqual(['queued pay_1', 'queued pay_3']);
  expect(failures).toEqual(['held']);
});

test('stranded money that cannot be decided holds up none behind it, whatever page it is on', async () => {
  const money = [1, 2, 3, 4, 5].map(
    (number) => ({ number: BigInt(number), intentId: `pi_${number}` }) as unknown as HeldMoney,
  );
  const decideHeldMoney: StrandedStore['decideHeldMoney'] = async (_network, { intentId }) => {
    if (intentId === 'pi_1') throw new Error('its intent is gone');
    return intentId === 'pi_5' ? { intentId, paymentId: 'pay_5', action: 'return' } : undefined;
  };
  const { lines, failures } = await run({ money, change: { decideHeldMoney } });
  expect(lines).toEqual(['row_skipped', 'stranded_upto_decided']);
  expect(failures).toEqual(['held']);
});
