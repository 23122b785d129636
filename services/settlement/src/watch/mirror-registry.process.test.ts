// The rows of payouts follow the registry by its logs: what is asked of nodes, and how soon a change is noticed.
import { createRegistryMirror, DEFAULT_TIP_BOUNDS, type JsonRpc, type OpenNetwork, type RpcCall } from '@svc-pay/evm';
import { createPayoutRegistryStore } from '@svc-pay/postgres/settlement-service';
import { createTestDatabase, PROCESSOR, seedMerchant } from '@svc-pay/postgres/testing';
import { evmNetwork } from '@svc-pay/protocol';
import { expect, test } from 'vitest';

const NETWORK = evmNetwork(84_532);
const HOUR_MS = 3_600_000;
const EVERY_MS = 15_000;
const word = (value: bigint) => value.toString(16).padStart(64, '0');
/** Same terms as `seedMerchant` stores: merchant, fee, number of splits, end; then no splits. */
const entryOf = (offAt: bigint) =>
  `0x${[BigInt(`0x${'66'.repeat(20)}`), 100n, 0n, offAt, 160n, 0n].map(word).join('')}`;

/** A registry as one node tells of it. */
function createNode() {
  const state = { head: 10_000n, refusesLogs: false, hidesLogs: false, isBehind: false, asked: [] as string[] };
  const retired = new Map<bigint, bigint>();
  const logsIn = (from: bigint, to: bigint) =>
    [...retired]
      .filter(([, block]) => block >= from && block <= to)
      .map(([id]) => ({ topics: ['0x0', `0x${word(id)}`] }));
  const answer = ({ method, params }: RpcCall): unknown => {
    if (method === 'eth_getBlockByNumber') return { number: `0x${state.head.toString(16)}`, timestamp: '0x1' };
    const [given] = params as [{ data: string; fromBlock: string; toBlock: string }];
    if (method === 'eth_getLogs') return state.hidesLogs ? [] : logsIn(BigInt(given.fromBlock), BigInt(given.toBlock));
    const isRetired = retired.has(BigInt(`0x${given.data.slice(-64)}`)) && !state.isBehind;
    return entryOf(isRetired ? 5n : 0n);
  };
  const rpc: JsonRpc = async (calls) => {
    state.asked.push(...calls.map(({ method }) => method));
    return calls.map((call) =>
      call.method === 'eth_getLogs' && state.refusesLogs
        ? { ok: false, code: -32_601, message: 'not here', data: null }
        : { ok: true, result: answer(call) },
    );
  };
  return {
    state,
    rpc,
    retire: (id: bigint) => retired.set(id, (state.head += 3n)),
    /** As after a reorg: the log is in a block that was another one before. */
    retireIn: (id: bigint, block: bigint) => retired.set(id, block),
  };
}

async function createWorld({ nodes: count = 1, payouts = 0 } = {}) {
  const { pool } = await createTestDatabase();
  await seedMerchant(pool, { tokens: ['basesepolia_usdc'] });
  const { rows } = await pool.query<{ first: string; processor: string }>(
    'select max(payout_id) as first, max(processor) as processor from svc.payouts where network = $1',
    [NETWORK],
  );
  const first = BigInt(rows[0]?.first ?? 0);
  await pool.query(
    `insert into svc.payouts (account_id, mode, network, payout_id, processor, merchant, fee_bps, splits, status, created_at)
     select account_id, mode, network, payout_id + n, processor, merchant, fee_bps, splits, 'active', created_at
     from svc.payouts, generate_series(1, $3::integer) n where network = $1 and payout_id = $2`,
    [NETWORK, first.toString(), payouts],
  );
  const nodes = Array.from({ length: count }, createNode);
  const [one, ...others] = nodes.map(({ rpc }) => rpc);
  if (one === undefined) throw new Error('no node');
  const open: OpenNetwork = {
    network: NETWORK,
    mode: 'test',
    processor: PROCESSOR,
    processorVersion: '1.3.0',
    rpc: one,
    endpoints: [one, ...others],
    voters: async () => [one, ...others],
    feeBounds: { ...DEFAULT_TIP_BOUNDS, maxFeeWei: 1_000_000_000_000n },
    gasCoin: undefined,
  };
  let nowMs = Date.now();
  const failures: string[] = [];
  const deps = {
    payouts: createPayoutRegistryStore(pool, 'service:settlement'),
    clock: { nowMs: () => nowMs },
    log: () => {},
    countFailure: (_network: string, watcher: string) => void failures.push(watcher),
  };
  let mirror = createRegistryMirror(open, deps);
  return {
    pool,
    nodes,
    first,
    failures,
    restart: () => {
      mirror = createRegistryMirror(open, deps);
    },
    /** Runs once in its time, and returns how often each method was asked of the first node. */
    run: async (afterMs = EVERY_MS): Promise<Readonly<Record<string, number>>> => {
      nowMs += afterMs;
      for (const { state } of nodes) state.asked = [];
      await mirror.run();
      const asked: Record<string, number> = {};
      for (const method of nodes[0]?.state.asked ?? []) asked[method] = (asked[method] ?? 0) + 1;
      return asked;
    },
    statusOf: async (id: bigint) => {
      const found = await pool.query<{ status: string }>(
        'select status from svc.payouts where network = $1 and payout_id = $2',
        [NETWORK, id.toString()],
      );
      return found.rows[0]?.status;
    },
  };
}

const IDLE = { eth_getBlockByNumber: 1, eth_getLogs: 1 };

test('ten thousand payouts cost one query of logs while nothing changes, also in a process that starts again', async () => {
  const { run, restart, pool } = await createWorld({ payouts: 10_000 });
  expect((await run())['eth_call']).toBeGreaterThanOrEqual(10_000);
  for (let turn = 0; turn < 5; turn += 1) expect(await run()).toEqual(IDLE);
  restart();
  expect(await run()).toEqual(IDLE);
  const { rows } = await pool.query("select from svc.audit where action = 'payout.mirrored'");
  expect(rows).toEqual([]);
});

test('a payout that the registry retires is disabled by the next run, and no other is read', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ payouts: 500 });
  await run();
  nodes[0]?.retire(first + 7n);
  expect(await run()).toEqual({ ...IDLE, eth_call: 1 });
  expect(await statusOf(first + 7n)).toBe('disabled');
  expect(await statusOf(first + 8n)).toBe('active');
});

test('a change that two of three nodes hide from their logs is noticed as soon', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ nodes: 3, payouts: 3 });
  await run();
  for (const { retire, state } of nodes) {
    retire(first + 1n);
    state.hidesLogs = state !== nodes[2]?.state;
  }
  await run();
  expect(await statusOf(first + 1n)).toBe('disabled');
});

test('a change that every node hides is noticed within an hour, and a sweep asks for each payout once', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ payouts: 999 });
  await run();
  nodes[0]?.retire(first + 900n);
  for (const { state } of nodes) state.hidesLogs = true;
  expect(await run()).toEqual(IDLE);
  let calls = 0;
  for (let turn = 0; turn < 10; turn += 1) calls += (await run(turn === 0 ? HOUR_MS : EVERY_MS))['eth_call'] ?? 0;
  expect(calls).toBe(1_000);
  expect(await statusOf(first + 900n)).toBe('disabled');
});

test('a change on which nodes do not agree yet is read again until they do', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ nodes: 2, payouts: 3 });
  await run();
  for (const { retire } of nodes) retire(first + 2n);
  nodes[1]!.state.isBehind = true;
  // More blocks than are read again anyway: the position waits for what could not be read.
  for (let turn = 0; turn < 2; turn += 1) {
    await run();
    expect(await statusOf(first + 2n)).toBe('active');
    for (const { state } of nodes) state.head += 200n;
  }
  nodes[1]!.state.isBehind = false;
  await run();
  expect(await statusOf(first + 2n)).toBe('disabled');
});

test('a change that a reorg moves into a block that was read before is noticed by the next run', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ payouts: 3 });
  await run();
  const [node] = nodes;
  node!.retireIn(first + 1n, node!.state.head - 60n);
  expect(await run()).toEqual({ ...IDLE, eth_call: 1 });
  expect(await statusOf(first + 1n)).toBe('disabled');
  // The chain is shorter for a while, and grows again with the change in a block below the one that was read.
  node!.state.head -= 40n;
  await run();
  node!.retireIn(first + 2n, node!.state.head + 1n);
  node!.state.head += 300n;
  await run();
  expect(await statusOf(first + 2n)).toBe('disabled');
});

test('changes of many blocks without a run are all noticed by the next one', async () => {
  const { run, nodes, first, statusOf } = await createWorld({ payouts: 300 });
  await run();
  const [node] = nodes;
  for (const number of [1n, 150n, 299n]) {
    node!.retire(first + number);
    node!.state.head += 600n;
  }
  expect(await run()).toEqual({ ...IDLE, eth_call: 3 });
  for (const number of [1n, 150n, 299n]) expect(await statusOf(first + number)).toBe('disabled');
});

test('a payout whose registration is older than its row is active by the next run', async () => {
  const { run, pool, first, statusOf } = await createWorld({ payouts: 3 });
  await run();
  await pool.query("update svc.payouts set status = 'pending', compared = false where payout_id = $1", [
    (first + 3n).toString(),
  ]);
  expect(await run()).toEqual({ ...IDLE, eth_call: 1 });
  expect(await statusOf(first + 3n)).toBe('active');
  await run();
  expect(await run()).toEqual(IDLE);
});

test('where no node tells its logs, or too many blocks were missed, every payout is read', async () => {
  const { run, nodes, first, statusOf, failures } = await createWorld({ payouts: 30 });
  await run();
  const [node] = nodes;
  node!.retire(first + 5n);
  node!.state.refusesLogs = true;
  expect((await run())['eth_call']).toBeGreaterThanOrEqual(30);
  expect(failures).toEqual(['registry']);
  expect(await statusOf(first + 5n)).toBe('disabled');
  node!.state.refusesLogs = false;
  node!.retire(first + 6n);
  node!.state.head += 5_000n;
  expect((await run())['eth_call']).toBeGreaterThanOrEqual(29);
  expect(await statusOf(first + 6n)).toBe('disabled');
  expect(await run()).toEqual(IDLE);
});
