import { type GasSplit, LOSS_CAUSES } from '@svc-pay/core';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createGasCounters } from './gas-counters.ts';

const nobody = { accountId: null, paymentId: null, payer: null };
const lost = (cause: GasSplit['lost'][number]['cause'], amountAtomic: bigint, count = 1) => ({
  ...nobody,
  cause,
  count,
  amountAtomic,
});

async function samplesOf(registry: Registry): Promise<Readonly<Record<string, number>>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice(0, at), Number(line.slice(at))];
    }),
  );
}

test('gas is counted in coins of its network, what is lost of it by cause, and reverted transactions by themselves', async () => {
  const registry = new Registry();
  const { count } = createGasCounters([registry], ['eip155:8453', 'solana:main']);
  const [coin, sol] = [10n ** 18n, 10n ** 9n];
  count([
    {
      network: 'eip155:8453',
      costAtomic: 3n * coin,
      reverted: false,
      lost: [lost('expired', coin), lost('pull_refused', coin)],
    },
    { network: 'eip155:8453', costAtomic: 4n * coin, reverted: true, lost: [lost('reverted', 4n * coin, 7)] },
    { network: 'solana:main', costAtomic: sol / 2n, reverted: true, lost: [lost('insufficient_funds', sol / 2n)] },
  ]);
  const seen = Object.entries(await samplesOf(registry)).filter(([, value]) => value !== 0);
  expect(Object.fromEntries(seen)).toEqual({
    'gas_spent_coins_total{network="eip155:8453"}': 7,
    'gas_spent_coins_total{network="solana:main"}': 0.5,
    'gas_lost_coins_total{network="eip155:8453",cause="expired"}': 1,
    'gas_lost_coins_total{network="eip155:8453",cause="pull_refused"}': 1,
    'gas_lost_coins_total{network="eip155:8453",cause="reverted"}': 4,
    'gas_lost_coins_total{network="solana:main",cause="insufficient_funds"}': 0.5,
    'payments_unsettled_total{network="eip155:8453",cause="expired"}': 1,
    'payments_unsettled_total{network="eip155:8453",cause="pull_refused"}': 1,
    'payments_unsettled_total{network="eip155:8453",cause="reverted"}': 7,
    'payments_unsettled_total{network="solana:main",cause="insufficient_funds"}': 1,
    'transactions_reverted_total{network="eip155:8453"}': 1,
    'transactions_reverted_total{network="solana:main"}': 1,
  });
});

test('every series is there before anything is lost, so that a monitor sees the first loss', async () => {
  const registry = new Registry();
  createGasCounters([registry], ['eip155:1']);
  const names = Object.keys(await samplesOf(registry));
  expect(LOSS_CAUSES).toEqual(
    expect.arrayContaining(['expired', 'pull_refused', 'reverted', 'no_evidence', 'unknown']),
  );
  // A refund that moved its money burnt nothing.
  for (const cause of LOSS_CAUSES.filter((one) => one !== 'refund')) {
    for (const name of ['gas_lost_coins_total', 'payments_unsettled_total'])
      expect(names).toContain(`${name}{network="eip155:1",cause="${cause}"}`);
  }
});
