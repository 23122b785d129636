import { type BookedEntry, type BookedPaymentRow, checkBooks, createFindings } from '@svc-pay/core';
import { encodeFunctionData } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPayout } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { type BooksInMemory, booksInMemory } from '../testing/memory-books.ts';
import { deployedWorld } from '../testing/plan-world.ts';
import { type DeployedWorld, type HandSettled, settleByHand } from '../testing/settle-by-hand.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { CHAIN_CHECKS, checkChain, readChainBefore } from './check-chain.ts';

let anvil: Anvil;
let world: DeployedWorld;
let rpc: JsonRpc;
let settled: HandSettled[];
const terms = {
  payoutId: 1n,
  merchant: `0x${'6e'.repeat(20)}`,
  feeBps: 250,
  splits: [{ to: `0x${'5b'.repeat(20)}`, bps: 1_000 }],
} as const;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployedWorld(anvil);
  rpc = createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  await setPayout(world.registrar, world.record.processor, terms);
  const wishes = [
    { capAtomic: 1_000_000n, settledAtomic: 777_777n },
    { capAtomic: 500_001n, settledAtomic: 500_001n },
  ];
  settled = [await settleByHand(anvil, world, terms, wishes)];
  await blacklist(terms.splits[0].to, true);
  settled.push(await settleByHand(anvil, world, terms, wishes));
  await blacklist(terms.splits[0].to, false);
  settled.push(await settleByHand(anvil, world, terms, [{ capAtomic: 30n, settledAtomic: 1n }]));
});

afterAll(async () => {
  await anvil.stop();
});

const token = (data: `0x${string}`) => world.deployer.sendTransaction({ to: world.token, data });
const done = (hash: `0x${string}`) => world.deployer.waitForTransactionReceipt({ hash });

async function blacklist(account: `0x${string}`, on: boolean): Promise<void> {
  await done(
    await token(encodeFunctionData({ abi: mockUsdcAbi, functionName: 'setBlacklisted', args: [account, on] })),
  );
}

async function prove({ books }: BooksInMemory, ask = rpc) {
  const before = await readChainBefore(ask, [settled[0]!.lane.relayer]);
  const own = createFindings(null, ['entries', 'statuses'], 20);
  const { network } = settled[0]!.lane;
  const census = (await checkBooks(books, own)).get(network);
  const findings = createFindings(network, CHAIN_CHECKS, 20);
  const deployedAtBlock = BigInt(world.record.fromBlock);
  await checkChain(
    books,
    { rpc: ask, network, processors: [world.record.processor], deployedAtBlock, before },
    census,
    findings,
  );
  const lines = findings.lines();
  return {
    looked: Object.fromEntries(lines.map(({ check, looked }) => [check, looked])),
    words: lines.flatMap(({ check, differences }) =>
      differences.map(({ about, message }) => `${check} ${about.join()}: ${message}`),
    ),
    notes: lines.flatMap(({ notes }) => notes),
  };
}

function spoil(spoiled: BooksInMemory, change: (row: BookedPaymentRow) => Partial<BookedPaymentRow>): BooksInMemory {
  spoiled.rows[0] = { ...spoiled.rows[0]!, ...change(spoiled.rows[0]!) };
  return spoiled;
}

const entriesWhere = (
  row: BookedPaymentRow,
  wanted: (entry: BookedEntry) => boolean,
  change: Partial<BookedEntry>,
) => ({
  entries: row.entries.map((entry) => (wanted(entry) ? { ...entry, ...change } : entry)),
});

test('books of real batches agree with their chain in every check, escrow included', async () => {
  expect(await prove(booksInMemory(settled))).toEqual({
    looked: { events: 5, transfers: 3, gas: 3, balances: 1, nonces: 3, direct: 0, receipts: 0 },
    words: [],
    notes: [],
  });
});

test('they agree as well when the node answers one block at a time', async () => {
  let asked = 0;
  const stingy: JsonRpc = async (calls) => {
    const [filter] = (calls[0]?.params ?? []) as { fromBlock?: string; toBlock?: string }[];
    const isLogs = calls[0]?.method === 'eth_getLogs';
    if (isLogs && filter?.fromBlock !== filter?.toBlock)
      return calls.map(() => ({ ok: false, code: -32_005, message: 'too many results', data: null }));
    if (isLogs) asked += 1;
    return rpc(calls);
  };
  expect((await prove(booksInMemory(settled), stingy)).words).toEqual([]);
  expect(asked).toBeGreaterThan(3);
});

test.each<[string, (fresh: BooksInMemory) => BooksInMemory, RegExp]>([
  [
    'an event without its payment',
    (fresh) => {
      fresh.rows.shift();
      return fresh;
    },
    /events intent code \d+,0x\w+:\d+: no payment of ours/,
  ],
  [
    'an event whose payment is called failed',
    (fresh) => spoil(fresh, () => ({ status: 'failed', entries: [] })),
    /the books call it failed/,
  ],
  [
    'a payment that stays pending in a batch that is recorded',
    (fresh) => spoil(fresh, () => ({ status: 'pending', entries: [] })),
    /recorded as mined, and it is still pending/,
  ],
  [
    'a payment without an event',
    (fresh) => {
      const [first] = fresh.rows;
      fresh.rows.push({ ...first!, paymentId: 'pay_invented', intent: { ...first!.intent!, code: 999_999n } });
      return fresh;
    },
    /events pay_invented,.*the chain has no event of it/,
  ],
  [
    'a payment of another transaction',
    (fresh) => spoil(fresh, () => ({ splitId: `${fresh.rows.at(-1)!.splitId}` })),
    /log is 0x\w+:\d+ on chain/,
  ],
  ['another payer', (fresh) => spoil(fresh, () => ({ payer: `0x${'ef'.repeat(20)}` })), /payer is 0x/],
  ['another amount', (fresh) => spoil(fresh, () => ({ paidAtomic: 777_776n })), /settled amount is 777777 on chain/],
  ['another fee', (fresh) => spoil(fresh, () => ({ feeAtomic: 1n })), /fee is 19444 on chain, 1 in the books/],
  [
    'another cap',
    (fresh) => spoil(fresh, (row) => ({ settlement: { ...row.settlement!, capAtomic: 1_000_001n } })),
    /cap is 1000000 on chain/,
  ],
  [
    'another payout',
    (fresh) => spoil(fresh, (row) => ({ settlement: { ...row.settlement!, payoutId: 9n } })),
    /payout is 1 on chain, 9 in the books/,
  ],
  [
    'money that the token sent to somebody else',
    (fresh) =>
      spoil(fresh, (row) => entriesWhere(row, ({ accountName }) => accountName === 'merchant', { party: '0xeve' })),
    /transfers 0x6e\w+,.*sent to it on chain/,
  ],
  [
    'escrow that is called delivered',
    (fresh) => {
      const row = fresh.rows[2]!;
      fresh.rows[2] = {
        ...row,
        ...entriesWhere(row, ({ accountName }) => accountName === 'escrow', { accountName: 'split' }),
      };
      return fresh;
    },
    /balances 0x\w+: the processor owes/,
  ],
  [
    'a transfer that is not at its log',
    (fresh) => spoil(fresh, (row) => entriesWhere(row, ({ accountName }) => accountName === 'payer', { logIndex: 0 })),
    /log 0 is not the token's transfer/,
  ],
  [
    'a cap that the token did not move',
    (fresh) =>
      spoil(fresh, (row) =>
        entriesWhere(row, ({ accountName }) => accountName === 'payer', { amountAtomic: -1_000_001n }),
      ),
    /is not the token's transfer of 1000001/,
  ],
  [
    'a nonce that the chain has not reached',
    (fresh) => {
      fresh.batches.push({ ...fresh.batches.at(-1)!, nonce: 3n });
      return fresh;
    },
    /nonces 0x\w+: nonce 3 is recorded as mined, the chain counts 3 transactions/,
  ],
  [
    'network cost that is missing',
    (fresh) => spoil(fresh, (row) => ({ entries: row.entries.filter(({ asset }) => asset !== 'native') })),
    /gas network,.*its receipt says/,
  ],
  [
    'a batch that the chain does not have',
    (fresh) => {
      fresh.batches[0] = { ...fresh.batches[0]!, transactionId: `0x${'99'.repeat(32)}` };
      return fresh;
    },
    /the chain does not have it/,
  ],
  [
    'a nonce without a batch',
    (fresh) => {
      fresh.batches.splice(1, 1);
      return fresh;
    },
    /nonces 0x\w+: 1 nonces have no batch: 1/,
  ],
  [
    'a transaction of the key that nobody recorded',
    (fresh) => {
      fresh.batches.pop();
      return fresh;
    },
    /1 of its transactions are in no batch, from nonce 2 on/,
  ],
])('%s is found and named', async (_, change, words) => {
  const { words: found } = await prove(change(booksInMemory(settled)));
  expect(found).toContainEqual(expect.stringMatching(words));
});

test('a payment that is settled and not yet recorded is no error', async () => {
  const fresh = booksInMemory(settled);
  fresh.batches.pop();
  fresh.rows[4] = { ...fresh.rows[4]!, status: 'pending', entries: [] };
  const { words, notes } = await prove(fresh);
  expect(words.filter((text) => !text.startsWith('nonces'))).toEqual([]);
  expect(notes).toContainEqual(expect.stringContaining('1 settlements on chain belong to payments still under way'));
});

test('escrow that its owner took is no longer owed', async () => {
  const { record, token: asset, stranger } = world;
  const withdrawal = { abi: paymentProcessorAbi, address: record.processor, functionName: 'withdraw' } as const;
  await done(await stranger.writeContract({ ...withdrawal, args: [asset, terms.splits[0].to] }));
  expect(await prove(booksInMemory(settled))).toMatchObject({ words: [], notes: [] });
});

test('a token that somebody sent to the processor is told and is no error; a balance that no log explains is one', async () => {
  const { processor } = world.record;
  await done(await token(encodeFunctionData({ abi: mockUsdcAbi, functionName: 'mint', args: [processor, 5n] })));
  const { words, notes } = await prove(booksInMemory(settled));
  expect(words).toEqual([]);
  expect(notes).toEqual([expect.stringContaining('5 of token')]);
  const lying: JsonRpc = async (calls) => {
    const answers = await rpc(calls);
    return answers.map((answer, index) => {
      const isTransfers = calls[index]?.method === 'eth_getLogs' && JSON.stringify(calls[index]).includes('null');
      return isTransfers ? { ok: true, result: [] } : answer;
    });
  };
  expect((await prove(booksInMemory(settled), lying)).words).toEqual([
    expect.stringMatching(/balances 0x\w+: the processor holds 5, its transfers add up to -/),
  ]);
});

test('gas of payments that were not settled is held to the receipt, beside settled ones and without', async () => {
  const wish = { capAtomic: 500n, settledAtomic: 500n };
  const failing = { ...wish, unfunded: true } as const;
  settled.push(await settleByHand(anvil, world, terms, [wish, failing, failing]));
  settled.push(await settleByHand(anvil, world, terms, [failing]));
  const { looked, words } = await prove(booksInMemory(settled));
  expect(words).toEqual([]);
  expect(looked['gas']).toBe(5);
  for (const index of [3, 4]) {
    const fresh = booksInMemory(settled);
    const batch = fresh.batches[index]!;
    expect(batch.lostAtomic > 0n).toBe(true);
    fresh.batches[index] = { ...batch, lostAtomic: batch.lostAtomic - 1n };
    const { words: found } = await prove(fresh);
    expect(found).toEqual([expect.stringMatching(new RegExp(`^gas network,${batch.id},.*its receipt says`))]);
  }
  const earlier = booksInMemory(settled);
  earlier.batches[4] = { ...earlier.batches[4]!, gasBooked: false, lostAtomic: 0n };
  expect(await prove(earlier)).toMatchObject({
    words: [],
    notes: expect.arrayContaining([
      expect.stringContaining('1 transactions settled no payment, and an earlier version'),
    ]),
  });
});
