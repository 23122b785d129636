import { expect, test } from 'vitest';
import type { HostilePayment } from './burner-attack.ts';
import type { HonestPayment } from './honest-payers.ts';
import { type BurnerEvidence, judgeBurner } from './judge-burner.ts';
import type { RecordedPayment } from './judge-payments.ts';
import type { RelayerTransaction } from './relayer-transactions.ts';

const honest = (name: string, latencyMs: number, status: 'succeeded' | 'unknown' = 'succeeded'): HonestPayment => ({
  intentId: name,
  nonce: `nonce ${name}`,
  answer: { status },
  latencyMs,
});
const hostile = (name: string, answer: HostilePayment['answer']): HostilePayment => ({
  wallet: { address: '0x01', kind: 'gas price' },
  intentId: name,
  nonce: `nonce ${name}`,
  answer,
});
const recorded = (name: string, status: string, failure: string | null = null): RecordedPayment => ({
  intent: name,
  code: `code ${name}`,
  nonce: `nonce ${name}`,
  status,
  failure,
});
const sent = (blockNumber: number, gasUsed: bigint, names: readonly string[], settled = names): RelayerTransaction => ({
  hash: `${blockNumber}`,
  blockNumber,
  succeeded: settled.length > 0,
  gasUsed,
  feeWei: gasUsed * 1_000_000_000n,
  settledCodes: settled.map((name) => `code ${name}`),
  nonces: names.map((name) => `nonce ${name}`),
});

const clean: BurnerEvidence = {
  warmUp: [],
  quiet: [honest('a', 1_000)],
  attacked: [honest('b', 2_000), honest('c', 3_000)],
  hostile: [
    hostile('x', { status: 'failed', code: 'token_refused', retryable: false }),
    hostile('y', { status: 'failed', code: 'invalid_signature', retryable: false }),
    hostile('z', { status: 'succeeded' }),
  ],
  recorded: [
    ...['a', 'b', 'c', 'z'].map((name) => recorded(name, 'completed')),
    recorded('x', 'failed', 'token_refused'),
  ],
  transactions: [
    sent(5, 70_000n, ['a']),
    sent(10, 1_300_000n, ['x'], []),
    sent(11, 1_300_000n, ['x'], []),
    sent(11, 100_000n, ['b', 'c']),
    sent(12, 120_000n, ['z']),
  ],
  attackBlock: 10,
};

test('gas that settled nothing is set beside the gas of honest payments of the attack alone', () => {
  expect(judgeBurner(clean)).toMatchObject({
    violations: [],
    hostile_sent: 3,
    hostile_taken: 2,
    hostile_refused: { invalid_signature: 1 },
    hostile_ended: { token_refused: 1, completed: 1 },
    hostile_paid: 1,
    reverted: 2,
    hostile_transactions_max: 2,
    gas_lost: '2600000',
    eth_lost: '0.0026',
    gas_honest: '100000',
    gas_lost_share: 26,
    honest_success: 1,
    p50_ratio: 3,
  });
});

test.each<[what: string, change: Partial<BurnerEvidence>, found: string]>([
  ['a payment settled twice', { transactions: [...clean.transactions, sent(13, 1n, ['b'])] }, 'settled 2 times'],
  [
    'an honest payment that failed',
    {
      attacked: [honest('b', 2_000), honest('c', 3_000), honest('d', 9_000, 'unknown')],
      recorded: [...clean.recorded, recorded('d', 'failed', 'authorization_expired')],
    },
    'taken and never settled: authorization_expired',
  ],
  [
    'a hostile payment told of falsely',
    { hostile: [hostile('x', { status: 'succeeded' })] },
    'answered as succeeded, not on the chain',
  ],
  [
    'a hostile payment that settled and was told of as failed',
    { hostile: [hostile('z', { status: 'failed', code: 'token_refused', retryable: false })] },
    'answered as failed, on the chain',
  ],
  [
    'a settlement that is in no record',
    { transactions: [...clean.transactions, sent(13, 1n, ['nobody'])] },
    'intent code nobody is settled on the chain and in no record',
  ],
  [
    'a completed payment that the chain does not have',
    { recorded: [...clean.recorded.slice(0, 4), recorded('x', 'completed')] },
    'recorded as completed, not on the chain',
  ],
  [
    'a settled payment that is recorded as failed',
    { recorded: [recorded('b', 'failed', 'token_refused'), ...clean.recorded.filter(({ intent }) => intent !== 'b')] },
    'on the chain, recorded failed',
  ],
])('%s is a violation', (_, change, found) => {
  expect(judgeBurner({ ...clean, ...change }).violations.map(({ text }) => text)).toEqual([found]);
});
