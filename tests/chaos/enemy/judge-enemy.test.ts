import { expect, test } from 'vitest';
import type { RelayerTransaction } from '../burner/relayer-transactions.ts';
import type { CrowdKind, CrowdPayment } from './honest-crowd.ts';
import { type EnemyEvidence, judgeEnemy, type TimedRecord } from './judge-enemy.ts';
import type { AttackerRecord } from './onslaught.ts';

const honest = (name: string, latencyMs: number, kind: CrowdKind = 'key'): CrowdPayment => ({
  kind,
  intentId: name,
  nonce: `nonce ${name}`,
  answer: { status: 'succeeded' },
  latencyMs,
  dueMs: 0,
});
const refused = (name: string, kind: CrowdKind, code: string): CrowdPayment => ({
  ...honest(name, 30_000, kind),
  intentId: undefined,
  nonce: undefined,
  answer: { status: 'refused', code, retryable: true },
});
const recorded = (name: string, status: string, failure: string | null = null): TimedRecord => ({
  intent: name,
  code: `code ${name}`,
  nonce: `nonce ${name}`,
  status,
  failure,
  account: 'acct',
  completedAtMs: status === 'completed' ? 5_000 : null,
});
const sent = (blockNumber: number, gasUsed: bigint, settled: readonly string[]): RelayerTransaction => ({
  hash: `${blockNumber}`,
  blockNumber,
  succeeded: settled.length > 0,
  gasUsed,
  feeWei: gasUsed,
  settledCodes: settled.map((name) => `code ${name}`),
  nonces: [],
});
const told = (status: string) => ({ http: 200, text: JSON.stringify({ status }), retryAfterMs: 0 });
const attacker = (change: Partial<AttackerRecord> = {}): AttackerRecord => ({
  name: 'burners',
  finding: 'A1',
  addresses: 3,
  sent: 600,
  strikes: 300,
  skipped: 0,
  answers: { offered: 300, invalid_signature: 298, failed: 1, succeeded: 1 },
  broken: 0,
  attempts: [
    { intentId: 'x', nonce: 'nonce x', answer: told('failed') },
    { intentId: 'y', nonce: 'nonce y', answer: told('succeeded') },
    { intentId: 'z', nonce: 'nonce z', answer: undefined },
  ],
  problems: [],
  ...change,
});

const clean: EnemyEvidence = {
  warmUp: [honest('w', 9_000, 'wallet')],
  quiet: [honest('a', 1_000), honest('f', 7_000, 'fresh')],
  attacked: [honest('b', 1_500), honest('c', 1_900, 'wallet'), refused('g', 'fresh', 'x402_temporarily_unavailable')],
  hostile: [attacker()],
  recorded: [
    ...['w', 'a', 'f', 'b', 'c', 'y'].map((name) => recorded(name, 'completed')),
    recorded('x', 'failed', 'token_refused'),
  ],
  transactions: [
    sent(4, 900_000n, []),
    sent(5, 300_000n, ['w', 'a', 'f']),
    sent(11, 1_000_000n, ['b', 'c']),
    sent(12, 10_000n, []),
    sent(12, 120_000n, ['y']),
  ],
  rehearsalBlock: 1,
  quietBlock: 1,
  rehearsedRequests: 0,
  attackBlock: 10,
  attackSeconds: 2,
  hostileAsked: 300,
  bookedLossWei: 22_600n,
  toldAccounts: new Set(['acct_t']),
  arrivals: [
    { receiver: 'fast', intentId: 'b', atMs: 5_200 },
    { receiver: 'flooded', intentId: 'c', atMs: 5_900 },
    { receiver: 'fast', intentId: 'a', atMs: 99_000 },
  ],
};

test('the figures are of the attack alone: fresh contract wallets apart, gas of hostile payments in neither sum', () => {
  expect(judgeEnemy(clean)).toMatchObject({
    violations: [],
    bars_missed: [],
    honest_sent: 2,
    honest_success: 1,
    p99_quiet_ms: 1_000,
    p99_attack_ms: 1_900,
    p99_ratio: 1.9,
    wallets_sent: 1,
    wallets_success: 1,
    fresh_sent: 1,
    fresh_success: 0,
    fresh_ended: { x402_temporarily_unavailable: 1 },
    gas_lost: '10000',
    gas_honest: '1000000',
    gas_lost_share: 0.01,
    gas_booked_share: 0.0204,
    hostile_share: 1,
    hostile_sent: 600,
    hostile_per_s: 300,
    told_p99_ms: 200,
    told_flooded_p99_ms: 900,
    attackers: {
      burners: { sent: 600, taken: 2, ended: { completed: 1, token_refused: 1 }, answers: { offered: 300 } },
    },
  });
});

test('a fresh contract wallet that meets a spent budget is reported, and is no violation', () => {
  const met: CrowdPayment = {
    ...honest('h', 9_000, 'fresh'),
    answer: { status: 'failed', code: 'gas_budget_spent', retryable: true },
  };
  const judged = judgeEnemy({
    ...clean,
    attacked: [...clean.attacked, met],
    recorded: [...clean.recorded, recorded('h', 'failed', 'gas_budget_spent')],
  });
  expect(judged).toMatchObject({ violations: [], fresh_ended: { gas_budget_spent: 1 } });
});

const many = (count: number) => Array.from({ length: count }, (_, index) => honest(`m${index}`, 1_000));
const manyRecords = (count: number) => many(count).map(({ intentId }) => recorded(intentId ?? '', 'completed'));
const manySettled = (count: number) =>
  sent(
    11,
    1n,
    many(count).map(({ intentId }) => intentId ?? ''),
  );

test.each<[bar: string, change: Partial<EnemyEvidence>]>([
  [
    'honest_success',
    {
      attacked: [...many(198), refused('r', 'key', 'rate_limited')],
      recorded: [...clean.recorded, ...manyRecords(198)],
      transactions: [...clean.transactions, manySettled(198)],
    },
  ],
  ['p99_ratio', { quiet: [honest('a', 900)] }],
  ['gas_lost_share', { transactions: [...clean.transactions, sent(13, 10_200n, [])] }],
  ['hostile_share', { hostileAsked: 320 }],
])('%s beyond its bar is a bar missed', (bar, change) => {
  expect(judgeEnemy({ ...clean, ...change })).toMatchObject({ violations: [], bars_missed: [bar] });
});

test.each<[what: string, change: Partial<EnemyEvidence>, found: string]>([
  [
    'an honest payment settled twice',
    { transactions: [...clean.transactions, sent(13, 1n, ['b'])] },
    'settled 2 times',
  ],
  [
    'an honest payment that was taken and failed',
    {
      attacked: [...clean.attacked, { ...honest('d', 9_000), answer: { status: 'unknown' } }],
      recorded: [...clean.recorded, recorded('d', 'failed', 'authorization_expired')],
    },
    'taken and never settled: authorization_expired',
  ],
  [
    'a fresh contract wallet that was taken and failed',
    {
      attacked: [...clean.attacked, { ...honest('h', 9_000, 'fresh'), answer: { status: 'unknown' } }],
      recorded: [...clean.recorded, recorded('h', 'failed', 'token_refused')],
    },
    'taken and never settled: token_refused',
  ],
  [
    'a contract wallet that paid before and met a spent budget',
    {
      attacked: [...clean.attacked, { ...honest('h', 9_000, 'wallet'), answer: { status: 'unknown' } }],
      recorded: [...clean.recorded, recorded('h', 'failed', 'gas_budget_spent')],
      quiet: [honest('a', 5_000)],
    },
    'taken and never settled: gas_budget_spent',
  ],
  [
    'an attacker told that it paid',
    { hostile: [attacker({ attempts: [{ intentId: 'x', nonce: 'nonce x', answer: told('succeeded') }] })] },
    'answered as succeeded, not on the chain',
  ],
  [
    'an attacker told that it failed',
    { hostile: [attacker({ attempts: [{ intentId: 'y', nonce: 'nonce y', answer: told('failed') }] })] },
    'answered as failed, on the chain',
  ],
  [
    'a merchant who was not told',
    { recorded: clean.recorded.map((row) => (row.intent === 'w' ? { ...row, account: 'acct_t' } : row)) },
    'completed, and its merchant was not told',
  ],
  [
    'a merchant who was told of a payment that failed',
    { arrivals: [...clean.arrivals, { receiver: 'fast', intentId: 'x', atMs: 5_000 }] },
    'its merchant was told that it completed',
  ],
  ['an internal error', { hostile: [attacker({ broken: 2 })] }, 'burners: 2 answers were internal errors'],
  [
    'an attacker that does not work',
    { hostile: [attacker({ problems: ['no such route'] })] },
    'burners: 1 strikes failed: no such route',
  ],
])('%s is a violation', (_, change, found) => {
  expect(judgeEnemy({ ...clean, ...change }).violations.map(({ text }) => text)).toEqual([found]);
});
