// The memory store of token ledgers as its contract suite sees it.
import { atomicAmount } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import { type Id, newId } from '@svc-pay/protocol/ids';
import { DOLLAR_ATOMIC, type IcrcHarness, type LedgerIntent } from './icrc-harness.ts';
import { createMemoryHarness } from './memory-harness.ts';
import { sampleAccount, seedLedgerIntent } from './memory-icrc-seed.ts';
import { createMemoryIcrcStore, expireLedgerIntents } from './memory-icrc-store.ts';
import { sampleIntent } from './samples.ts';

const NETWORK = 'icp:local' as NetworkId;
const LEDGER = 'bkyz2-fmaaa-aaaaa-qaaaq-cai';
const DAY_MS = 86_400_000;

export type MemoryIcrcHarness = IcrcHarness & {
  /** Offers an intent with the ids of one that another store has. */
  readonly copy: (intent: LedgerIntent, terms: Parameters<IcrcHarness['offer']>[0]) => void;
};

/** With `givenNowMs` another clock is the store's. */
export function createMemoryIcrcHarness(givenNowMs?: () => number): MemoryIcrcHarness {
  const { tables, nowMs, pass, read } = createMemoryHarness(givenNowMs);
  const accountId: Id<'account'> = newId('account', nowMs());
  const beganAtMs = nowMs() - DAY_MS;
  const [merchant, rival] = [sampleAccount(7), sampleAccount(6)];
  const payout = { accountId, mode: 'test', network: NETWORK, payoutId: 1n, merchant, createdAtMs: beganAtMs } as const;
  tables.icrcPayouts.push(payout, { ...payout, accountId: newId('account', nowMs()), payoutId: 2n, merchant: rival });
  const copy: MemoryIcrcHarness['copy'] = ({ intentId, intentCode }, { expectedSender, expiresInMs } = {}) => {
    const times = { createdAtMs: nowMs(), expiresAtMs: nowMs() + (expiresInMs ?? DAY_MS) };
    const named = { id: intentId, accountId, intentCode: Number(intentCode), expectedSender: expectedSender ?? null };
    seedLedgerIntent(tables, sampleIntent({ ...named, ...times, amount: atomicAmount(DOLLAR_ATOMIC) }), payout);
  };
  return {
    network: NETWORK,
    ledger: LEDGER,
    merchant,
    rival,
    beganAtMs,
    icrc: createMemoryIcrcStore(tables, async (_name, action) => action()),
    owner: { accountId, mode: 'test' },
    nowMs,
    copy,
    offer: async (terms) => {
      pass(1);
      const intent = { intentId: newId('paymentIntent', nowMs()), intentCode: BigInt(1_000 + tables.intents.size) };
      copy(intent, terms);
      return intent;
    },
    expire: async (atMs) => expireLedgerIntents(tables, atMs),
    read,
    statusOf: async (intentId) => tables.intents.get(intentId)?.intent.status,
    proofs: async () =>
      [...tables.proofs.values()].map(({ transactionId, logIndex, paymentId, reason }) => ({
        transaction: transactionId,
        logIndex,
        payment: paymentId,
        reason,
      })),
  };
}
