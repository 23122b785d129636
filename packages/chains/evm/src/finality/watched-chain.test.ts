import {
  type AgeingBatch,
  type BatchBlock,
  createFinalityWatch,
  type FinalityStore,
  type LaneItem,
  type RecordedBatch,
} from '@svc-pay/core';
import { evmNetwork } from '@svc-pay/protocol';
import { describe, expect, test } from 'vitest';
import { createEndpointPool } from '../rpc/endpoint-pool.ts';
import type { RpcAnswer } from '../rpc/json-rpc.ts';
import { createEvmWatchedChain } from './watched-chain.ts';

const NETWORK = evmNetwork(84_532);
const [CHAIN, FORK] = [`0x${'c1'.repeat(32)}`, `0x${'f0'.repeat(32)}`];
const HEIGHT = 108n;
const TX = `0x${'ab'.repeat(32)}`;
const PROCESSOR = `0x${'99'.repeat(20)}`;

const FEE_RECIPIENT = `0x${'fe'.repeat(20)}`;
/** Length of call data without arguments; the other calls have some. */
const FEE_RECIPIENT_CALL = 10;

const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
const hex = (value: bigint) => `0x${value.toString(16)}`;
const receiptIn = (blockHash: string, blockNumber = HEIGHT, rest: object = {}) => ({
  transactionHash: TX,
  from: '0x5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e',
  blockHash,
  blockNumber: hex(blockNumber),
  status: '0x0',
  gasUsed: '0x1',
  effectiveGasPrice: '0x1',
  logs: [],
  ...rest,
});

type Node = {
  readonly finalized: bigint;
  readonly head?: bigint;
  /** Hash of the block at HEIGHT; null where the node has no block. */
  readonly hash: string | null;
  readonly receipt: unknown;
  /** The node no longer has the state of the block at HEIGHT. */
  readonly pruned?: true;
  /** State at the latest block; at HEIGHT nothing was used and nothing settled. */
  readonly latest?: { readonly used?: bigint; readonly feeRecipient?: string };
};

const sound: Node = { finalized: 100n, hash: CHAIN, receipt: receiptIn(CHAIN) };
const forked: Node = { finalized: 100n, hash: FORK, receipt: null };
const behind: Node = { finalized: 90n, hash: null, receipt: null };

/** The endpoints of a network, in order of preference. */
function poolOf(nodes: readonly Node[]) {
  const [first, ...others] = nodes.map((_, index) => `http://node-${index}`);
  return createEndpointPool({
    urls: [first ?? '', ...others],
    timeoutMs: 1_000,
    chainId: 84_532,
    post: async (url, calls) => {
      const node = nodes[Number(url.slice('http://node-'.length))];
      if (node === undefined) throw new Error('no such node');
      return calls.map(({ method, params }) => {
        if (method === 'eth_call' && node.latest !== undefined) return calledOn(node, params);
        return { ok: true, result: answerOf(node, method, params) } as const;
      });
    },
  });
}

function answerOf({ finalized, head = 110n, hash, receipt }: Node, method: string, params: readonly unknown[]) {
  if (method === 'eth_chainId') return '0x14a34';
  if (method === 'eth_blockNumber') return hex(head);
  if (method === 'eth_getTransactionReceipt') return params[0] === TX ? receipt : null;
  if (method === 'eth_call') return `0x${'00'.repeat(12)}${'fe'.repeat(20)}`;
  if (params[0] === 'latest') return { number: hex(head), timestamp: '0x6af9fd80' };
  if (params[0] === 'finalized') return { number: hex(finalized), timestamp: '0x6af9fd80' };
  return hash === null ? null : { number: hex(HEIGHT), timestamp: '0x6af9fd80', hash };
}

/** Answers calls for the fee recipient, the settled state of the intent and the used state of the authorization. */
function calledOn({ pruned, latest = {} }: Node, [call, block]: readonly unknown[]): RpcAnswer {
  if (pruned && block !== 'latest') return { ok: false, code: -32_000, message: 'missing trie node', data: undefined };
  const { to, data } = call as { to: string; data: string };
  const now = block === 'latest' ? latest : {};
  if (data.length === FEE_RECIPIENT_CALL) return { ok: true, result: word(BigInt(now.feeRecipient ?? FEE_RECIPIENT)) };
  return { ok: true, result: word(to === item.asset ? (now.used ?? 0n) : 0n) };
}

type Actions = {
  readonly taken: string[];
  readonly moved: string[];
  readonly final: string[];
  readonly lines: string[];
};

const item: LaneItem = {
  accountId: 'acct_1' as LaneItem['accountId'],
  mode: 'test',
  paymentId: 'pay_1' as LaneItem['paymentId'],
  intentId: 'pi_1' as LaneItem['intentId'],
  intentCode: 7n,
  number: 1n,
  asset: `0x${'70'.repeat(20)}`,
  processor: PROCESSOR,
  kind: 'transfer_with_authorization',
  byContract: false,
  payer: `0x${'a1'.repeat(20)}`,
  capAtomic: 5n,
  settledAtomic: 5n,
  validAfterSeconds: 0n,
  validBeforeSeconds: 9n,
  nonce: `0x${'01'.repeat(32)}`,
  signature: `0x${'1b'.repeat(65)}`,
  payout: { id: 1n, merchant: `0x${'aa'.repeat(20)}`, feeBps: 0, splits: [] },
  confirmations: 1,
};
const recorded = (id: string): RecordedBatch => ({
  id,
  network: NETWORK,
  relayer: '0x1',
  nonce: 1n,
  status: 'broadcast',
  sentAtMs: 0,
  transactionId: TX,
  transactions: [{ transactionId: TX, raw: new Uint8Array() }],
  items: [item],
  settledIds: new Set(),
});

type Rows = { readonly young?: readonly BatchBlock[]; readonly ageing?: readonly AgeingBatch[] };

async function run(
  nodes: readonly Node[],
  rows: Rows,
  change: Partial<FinalityStore> = {},
  runs = 1,
): Promise<Actions> {
  const actions: Actions = { taken: [], moved: [], final: [], lines: [] };
  const { young = [], ageing = [] } = rows;
  const finality: FinalityStore = {
    loadAgeingBatches: async (_network, finalizedNumber, limit, after) => {
      const open = ageing.filter(
        ({ id, blockNumber }) => blockNumber <= finalizedNumber && !actions.final.includes(id),
      );
      return open.filter(({ id }) => after === undefined || id > after).slice(0, limit);
    },
    loadBatchBlocks: async () => young,
    loadRecordedBatch: async (id) => recorded(id),
    moveBatch: async ({ id }) => actions.moved.push(id) > 0,
    reverseBatch: async (id) => actions.taken.push(id) > 0,
    recordSettledFinal: async (ids) => {
      actions.final.push(...ids);
      return ids;
    },
    recordFinal: async ({ id }) => void actions.final.push(id),
    ...change,
  };
  const pool = poolOf(nodes);
  const chain = createEvmWatchedChain(
    { network: NETWORK, voters: pool.healthyEndpoints, gasCoin: undefined },
    { readFitness: () => Promise.reject(new Error('nobody asks')), extraJobs: [] },
  );
  const watch = createFinalityWatch(chain, {
    finality,
    clock: { nowMs: () => 0 },
    log: (event) => actions.lines.push(event),
    metrics: { batchMoved: () => {}, batchReversed: () => {} },
  });
  for (let turn = 0; turn < runs; turn += 1) await watch.run();
  return actions;
}

const batchBlock = { id: 'bat', blockNumber: HEIGHT, blockHash: CHAIN };
const ageingBatch = (id = 'bat', openItems: readonly LaneItem[] = []): AgeingBatch => ({
  ...batchBlock,
  id,
  transactionId: TX,
  openItems,
});

describe('a completed payment is not taken back', () => {
  test.each<[string, readonly Node[]]>([
    ['while two nodes contradict each other, the sound one first', [sound, forked]],
    ['while two nodes contradict each other, the forked one first', [forked, sound]],
    ['while one of two nodes has no block at that height', [forked, behind]],
    ['when one of three nodes is on a fork', [forked, sound, sound]],
    ['when a node shows another block and the receipt of the recorded one', [{ ...forked, receipt: receiptIn(CHAIN) }]],
    [
      'when two nodes have lost the receipt and still have its block',
      [
        { ...sound, receipt: null },
        { ...sound, receipt: null },
      ],
    ],
  ])('%s', async (_, nodes) => {
    const { taken, moved } = await run(nodes, { young: [batchBlock] });
    expect({ taken, moved }).toEqual({ taken: [], moved: [] });
  });

  test('and the contradiction is logged', async () => {
    const { lines } = await run([sound, forked], { young: [batchBlock] });
    expect(lines).toEqual(['rpc_endpoints_contradict_batches']);
  });
});

describe('a batch whose block is gone', () => {
  test('is taken back by the word of two nodes, of two among three, or of the only one', async () => {
    expect((await run([forked, forked], { young: [batchBlock] })).taken).toEqual(['bat']);
    expect((await run([forked, sound, forked], { young: [batchBlock] })).taken).toEqual(['bat']);
    expect((await run([forked], { young: [batchBlock] })).taken).toEqual(['bat']);
  });

  test('is recorded where two nodes have it, and waits while they have it in two places', async () => {
    const there = { ...forked, receipt: receiptIn(FORK) };
    expect((await run([there, there], { young: [batchBlock] })).moved).toEqual(['bat']);
    const elsewhere = { ...forked, receipt: receiptIn(FORK, HEIGHT + 1n) };
    expect(await run([there, elsewhere], { young: [batchBlock] })).toMatchObject({ moved: [], taken: [] });
  });
});

describe('a block is final', () => {
  const final = { ...sound, finalized: 110n };
  const called = async (nodes: readonly Node[], open: readonly LaneItem[] = []) =>
    (await run(nodes, { ageing: [ageingBatch('bat', open)] })).final;

  test('by the word of two nodes that have it, or of the only one', async () => {
    expect(await called([final])).toEqual(['bat']);
    expect(await called([final, final])).toEqual(['bat']);
    expect(await called([final, { ...forked, finalized: 110n }, final])).toEqual(['bat']);
  });

  test('never because one node has it and another one, on a fork, is further on', async () => {
    const onTheFork: Node = { finalized: 110n, hash: FORK, receipt: null };
    const still: Node = { finalized: 103n, hash: CHAIN, receipt: receiptIn(CHAIN) };
    expect(await called([onTheFork, still])).toEqual([]);
    expect(await called([still, onTheFork])).toEqual([]);
    expect(await called([onTheFork, still, still])).toEqual([]);
    expect(await called([onTheFork])).toEqual([]);
  });

  test('never by the word of one node that another one contradicts', async () => {
    const fork = { ...forked, finalized: 110n };
    expect(await called([final, fork])).toEqual([]);
    expect(await called([fork, final])).toEqual([]);
  });

  test('and its open items end only by receipts that two nodes show alike', async () => {
    expect(await called([final, final], [item])).toEqual(['bat']);
    expect(await called([final, { ...final, receipt: null }], [item])).toEqual([]);
    expect(await called([final, { ...final, receipt: receiptIn(CHAIN, HEIGHT, { gasUsed: '0x2' }) }], [item])).toEqual(
      [],
    );
  });
});

describe('a reverted transaction of one payment is final, although an archive node and a pruned node', () => {
  const archive: Node = { ...sound, finalized: 110n, latest: {} };
  const outcomesBy = async (nodes: readonly Node[]) => {
    const recordedAs: unknown[] = [];
    const rows = { ageing: [ageingBatch('bat', [item])] };
    const { lines } = await run(nodes, rows, { recordFinal: async (_, outcomes) => void recordedAs.push(outcomes) });
    expect(lines).toEqual([]);
    return recordedAs;
  };

  test('explain it differently: it is held where one of them calls its authorization used', async () => {
    const pruned: Node = { ...archive, pruned: true, latest: { used: 1n } };
    expect(await outcomesBy([archive, archive])).toEqual([['reverted_alone']]);
    expect(await outcomesBy([archive, pruned])).toEqual([['authorization_used']]);
    expect(await outcomesBy([pruned, archive])).toEqual([['authorization_used']]);
  });

  test('name different recipients of fees, because they changed since', async () => {
    const pruned: Node = { ...archive, pruned: true, latest: { feeRecipient: `0x${'fd'.repeat(20)}` } };
    expect(await outcomesBy([archive, pruned])).toEqual([['reverted_alone']]);
  });
});

test('a batch that fails every time holds up none behind it, however many there are', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `bat_${String(index).padStart(3, '0')}`);
  const bad = new Set(ids.slice(0, 60));
  const actions: string[] = [];
  const { lines } = await run(
    [{ ...sound, finalized: 110n }],
    { ageing: ids.map((id) => ageingBatch(id)), young: [batchBlock] },
    {
      recordSettledFinal: async () => [],
      recordFinal: async ({ id }) => {
        if (bad.has(id)) throw new Error(`${id} is settled, its row says it is not`);
        actions.push(id);
      },
    },
  );
  expect(actions).toEqual(ids.filter((id) => !bad.has(id)));
  expect(lines).toHaveLength(60);
});
