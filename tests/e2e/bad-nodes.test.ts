// Three endpoints; the preferred ones lie, are dead or are slow. Payments go on, and no status follows a lie.
import { afterAll, beforeEach, expect, test } from 'vitest';
import { ledgerCheck } from './ledger-check.ts';
import { paymentStatuses, prepareMany, richPayers, settleAll, waitFor } from './many-payments.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { startWorld } from './start-world.ts';

const proxies: RpcProxy[] = [];
const world = await startWorld({
  blockTimeSeconds: 0.3,
  api: { SVC_SETTLE_WAIT_MS: '0' },
  settlement: { SVC_SETTLEMENT_RPC_TIMEOUT_MS: '2000' },
  rpcUrls: async (chainUrl) => {
    for (const _ of [1, 2]) proxies.push(await startRpcProxy(chainUrl));
    return [...proxies.map(({ url }) => url), chainUrl];
  },
});
const [first, second] = proxies;
if (first === undefined || second === undefined) throw new Error('there are no proxies');

const PAYMENTS = 20;
let paid = 0;
const payAll = async () => {
  const calls = await prepareMany(world, await richPayers(world, PAYMENTS), PAYMENTS);
  await settleAll(world, calls);
  paid += PAYMENTS;
};
const allCompleted = () =>
  waitFor(async () => (await paymentStatuses(world))['completed'] === paid, 40, 'all completed');

beforeEach(() => {
  for (const proxy of proxies) proxy.behave({ kind: 'honest' });
});
afterAll(async () => {
  for (const proxy of proxies) proxy.behave({ kind: 'honest' });
  expect(await ledgerCheck(world)).toMatchObject({ exitCode: 0 });
  for (const proxy of proxies) proxy.close();
});

test('a liar that shows receipts of nothing completes nothing, and the truth of the two others does', async () => {
  const receipt = (id: unknown) => ({
    transactionHash: id,
    blockHash: `0x${'ab'.repeat(32)}`,
    blockNumber: '0x1',
    status: '0x0',
    gasUsed: '0x1',
    effectiveGasPrice: '0x1',
    logs: [],
  });
  first.behave({
    kind: 'liar',
    lie: ({ method, params }) => (method === 'eth_getTransactionReceipt' ? receipt(params[0]) : undefined),
  });
  await payAll();
  await allCompleted();
  expect(first.lies()).toBeGreaterThan(0);
  const { rows } = await world.database.pool.query(`select distinct block_hash from svc.batches`);
  expect(rows.map(({ block_hash }) => block_hash)).not.toContain(`0x${'ab'.repeat(32)}`);
});

test('a liar that says that everybody is poor fails nobody', async () => {
  const before = first.lies();
  first.behave({
    kind: 'liar',
    lie: ({ method, params }, truth) => {
      const { data = '' } = (params[0] ?? {}) as { data?: string };
      if (method !== 'eth_call' || data.length < 500 || typeof truth !== 'string') return undefined;
      // Layout: offset, length, then one code per payment. Code 9: the payer's balance is too low.
      const codes = '09'.repeat(Number.parseInt(truth.slice(66, 130), 16));
      return truth.slice(0, 130) + codes.padEnd(truth.length - 130, '0');
    },
  });
  await payAll();
  await allCompleted();
  expect(first.lies()).toBeGreaterThan(before);
  expect(await paymentStatuses(world)).toEqual({ completed: paid });
});

test('two endpoints hide what is mined: nothing is concluded; when they speak the payments complete', async () => {
  const hide = {
    kind: 'liar',
    lie: ({ method }: { method: string }) => (method === 'eth_getTransactionReceipt' ? null : undefined),
  } as const;
  first.behave(hide);
  second.behave(hide);
  await payAll();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect((await paymentStatuses(world))['failed']).toBeUndefined();
  expect((await paymentStatuses(world))['completed']).toBe(paid - PAYMENTS);
  for (const proxy of proxies) proxy.behave({ kind: 'honest' });
  await allCompleted();
});

test('dead', async () => {
  first.behave({ kind: 'dead' });
  await payAll();
  await allCompleted();
});

test('slow', async () => {
  // The first endpoint is still avoided because it was dead.
  second.behave({ kind: 'slow', delayMs: 5_000 });
  await payAll();
  await allCompleted();
});
