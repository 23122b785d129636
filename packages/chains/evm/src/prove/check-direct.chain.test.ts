import { type BookedPaymentRow, checkBooks, claimKey, createFindings } from '@svc-pay/core';
import { directNonce } from '@svc-pay/protocol/direct-nonce';
import type { Address, Hex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPayout } from '../admin/set-payout.ts';
import { mockUsdcAbi } from '../generated/mock-usdc-abi.ts';
import { paymentProcessorAbi } from '../generated/payment-processor-abi.ts';
import { createJsonRpc, type JsonRpc } from '../rpc/json-rpc.ts';
import { BOOKED_INSTALLATION, type BooksInMemory, booksInMemory } from '../testing/memory-books.ts';
import { deployedWorld } from '../testing/plan-world.ts';
import type { DeployedWorld, HandSettled } from '../testing/settle-by-hand.ts';
import { settleDirectByHand } from '../testing/settle-direct-by-hand.ts';
import { type Anvil, startAnvil } from '../testing/start-anvil.ts';
import { CHAIN_CHECKS, checkChain, readChainBefore } from './check-chain.ts';

const WALLET: Address = `0x${'7a'.repeat(20)}`;
let anvil: Anvil;
let world: DeployedWorld;
let rpc: JsonRpc;
/** By a relayer of ours, and by a stranger. */
let ours: HandSettled;
let foreign: HandSettled;

beforeAll(async () => {
  anvil = await startAnvil();
  world = await deployedWorld(anvil);
  rpc = createJsonRpc({ urls: [anvil.rpcUrl], timeoutMs: 10_000 });
  ours = await settleDirectByHand(anvil, world, { wallet: WALLET, amountAtomic: 700n, sender: world.relayer });
  foreign = await settleDirectByHand(anvil, world, { wallet: WALLET, amountAtomic: 900n, sender: world.stranger });
});

afterAll(async () => {
  await anvil.stop();
});

/** Books in which a lane recorded the first payment, and the chain reader the second. */
function freshBooks(): BooksInMemory {
  const memory = booksInMemory([ours]);
  const [row] = booksInMemory([foreign]).rows as [BookedPaymentRow];
  memory.rows.push({
    ...row,
    entries: row.entries.filter(({ asset }) => asset !== 'native'),
    settlement: { ...row.settlement!, batch: null, foreignTransactionId: row.transactionId },
  });
  for (const address of [world.token, world.record.processor]) memory.cursors.set(address.toLowerCase(), 10_000n);
  return memory;
}

async function prove({ books }: BooksInMemory) {
  const { network, relayer } = ours.lane;
  const before = await readChainBefore(rpc, [relayer]);
  const own = createFindings(null, ['entries', 'statuses'], 20);
  const census = (await checkBooks(books, own)).get(network);
  const findings = createFindings(network, CHAIN_CHECKS, 20);
  const deployedAtBlock = BigInt(world.record.fromBlock);
  const chain = { rpc, network, processors: [world.record.processor], deployedAtBlock, before };
  await checkChain(books, chain, census, findings);
  const lines = [...own.lines(), ...findings.lines()];
  return {
    looked: Object.fromEntries(lines.map(({ check, looked }) => [check, looked])),
    words: lines.flatMap(({ check, differences }) =>
      differences.map(({ about, message }) => `${check} ${about.join()}: ${message}`),
    ),
    notes: lines.flatMap(({ notes }) => notes),
  };
}

test('direct payments of a lane and of a stranger are proven by the token’s own logs, gas included', async () => {
  expect(await prove(freshBooks())).toMatchObject({ looked: { direct: 2, gas: 1, events: 0 }, words: [], notes: [] });
});

test('a payment that is held for the merchant is listed with the command that ends it', async () => {
  const memory = freshBooks();
  memory.held.push('pay_held');
  expect((await prove(memory)).notes).toEqual([expect.stringMatching(/payments resolve`: pay_held$/)]);
});

const change = (memory: BooksInMemory, at: number, changes: Partial<BookedPaymentRow>): BooksInMemory => {
  memory.rows[at] = { ...memory.rows[at]!, ...changes };
  return memory;
};

test.each<[string, (memory: BooksInMemory) => BooksInMemory, RegExp]>([
  [
    'a payment that names another transaction’s log',
    (memory) => change(memory, 1, { splitId: memory.rows[0]!.splitId, transactionId: memory.rows[0]!.transactionId }),
    /direct pay_\w+,.*payer is 0x\w+ on chain/,
  ],
  [
    'a payment whose log is the use and not the transfer',
    (memory) => {
      const [id, log] = memory.rows[0]!.splitId!.split(':') as [string, string];
      return change(memory, 0, { splitId: `${id}:${Number(log) - 1}` });
    },
    /is not a transfer right after the use/,
  ],
  ['another nonce', (memory) => change(memory, 0, { nonce: `0x${'ab'.repeat(32)}` }), /authorization is 0x/],
  ['another amount', (memory) => change(memory, 0, { paidAtomic: 701n }), /amount is 700 on chain, 701/],
  [
    'another wallet',
    (memory) => change(memory, 1, { terms: { merchant: `0x${'ef'.repeat(20)}`, feeBps: 0, splits: [] } }),
    /wallet is 0x7a/,
  ],
  [
    'a transaction that the chain does not have',
    (memory) => change(memory, 1, { transactionId: `0x${'99'.repeat(32)}` }),
    /the chain does not have its transaction/,
  ],
  [
    'a settlement that names another foreign transaction',
    (memory) => change(memory, 1, { settlement: { ...memory.rows[1]!.settlement!, foreignTransactionId: '0xother' } }),
    /its settlement the foreign one 0xother/,
  ],
  ['a log that proves another payment', (memory) => change(memory, 1, { provenPaymentId: 'pay_x' }), /proves payment/],
  ['a payment without a log proof', (memory) => change(memory, 1, { provenPaymentId: null }), /no log proof/],
])('%s is found and named', async (_, spoil, words) => {
  expect((await prove(spoil(freshBooks()))).words).toContainEqual(expect.stringMatching(words));
});

test('a used authorization whose payment is called failed is found, unless it paid for something else', async () => {
  const memory = freshBooks();
  const [failed] = memory.rows.splice(1, 1) as [BookedPaymentRow];
  const { network, asset, payer, nonce } = failed;
  const key = claimKey({ network: ours.lane.network, asset, payer: payer!, uniquePart: nonce! });
  const claimed = {
    claimKey: Buffer.from(key).toString('hex'),
    recipient: WALLET,
    amountAtomic: 900n,
    bound: false,
    unusedAtBlock: foreign.blockNumber - 1n,
  };
  const called = (status: 'failed' | 'pending') => ({ id: failed.paymentId, status });
  expect(network).toBe(ours.lane.network);
  memory.authorizations.push({ ...claimed, payment: called('failed') });
  expect((await prove(memory)).words).toEqual([
    expect.stringMatching(/^direct pay_\w+,0x\w+:\d+: its authorization was used, the books call it failed/),
  ]);
  memory.authorizations[0] = { ...claimed, payment: called('pending') };
  expect(await prove(memory)).toMatchObject({
    words: [],
    notes: [expect.stringContaining('wait for the chain reader')],
  });
  for (const change of [{ unusedAtBlock: foreign.blockNumber }, { amountAtomic: 901n }, { recipient: '0xother' }]) {
    memory.authorizations[0] = { ...claimed, ...change, payment: called('failed') };
    expect((await prove(memory)).words, Object.keys(change)[0]).toEqual([]);
  }
  memory.authorizations[0] = { ...claimed, payment: null };
  expect((await prove(memory)).words).toEqual([expect.stringContaining('the books call it refused')]);
  memory.cursors.clear();
  expect((await prove(memory)).words).toEqual([]);
});

test('a bound nonce of ours that no payment has is found; any other income of the wallet is not ours', async () => {
  const memory = freshBooks();
  const terms = {
    installation: BOOKED_INSTALLATION,
    mode: 'test' as const,
    chainId: world.record.chainId,
    token: world.token,
    wallet: WALLET,
    amount: '33',
    intentCode: '4711',
    attempt: 0,
  };
  const wish = { wallet: WALLET, amountAtomic: 33n, sender: world.stranger };
  await settleDirectByHand(anvil, world, wish);
  await settleDirectByHand(anvil, world, { ...wish, nonce: directNonce({ ...terms, amount: '34' }) });
  expect((await prove(memory)).words).toEqual([]);
  await settleDirectByHand(anvil, world, { ...wish, nonce: directNonce(terms) });
  expect((await prove(memory)).words).toEqual([
    expect.stringMatching(/^direct intent code 4711,0x\w+:\d+: an authorization bound to it was used/),
  ]);
});

test('a payment that a payer called for is a payment or an unattributed receipt, and the latter are listed', async () => {
  const terms = { payoutId: 1n, merchant: `0x${'6e'.repeat(20)}`, feeBps: 0, splits: [] } as const;
  await setPayout(world.registrar, world.record.processor, terms);
  const { stranger, deployer, token, record } = world;
  const done = (hash: Hex) => deployer.waitForTransactionReceipt({ hash });
  const mock = { abi: mockUsdcAbi, address: token } as const;
  await done(await deployer.writeContract({ ...mock, functionName: 'mint', args: [stranger.account.address, 5n] }));
  await done(await stranger.writeContract({ ...mock, functionName: 'approve', args: [record.processor, 5n] }));
  const processor = { abi: paymentProcessorAbi, address: record.processor } as const;
  const paid = await done(
    await stranger.writeContract({
      ...processor,
      functionName: 'pay',
      args: [token, 77n, terms.payoutId, 5n],
      gas: 1_000_000n,
    }),
  );
  const memory = freshBooks();
  const unbound = (words: readonly string[]) => words.filter((text) => text.startsWith('receipts'));
  expect(unbound((await prove(memory)).words)).toEqual([
    expect.stringMatching(/^receipts intent code 77,0x\w+:\d+: the books do not have this payment/),
  ]);
  const logIndex = paid.logs.findIndex(({ address }) => address === record.processor.toLowerCase());
  const log = { transactionId: paid.transactionHash, logIndex: paid.logs[logIndex]!.logIndex };
  memory.otherLogs.push({ ...log, use: 'unattributed', reason: 'no_such_intent' });
  const { words, notes, looked } = await prove(memory);
  expect(unbound(words)).toEqual([]);
  expect(looked['receipts']).toBe(1);
  expect(notes).toContain(`1 receipts pay no intent: ${log.transactionId}:${log.logIndex} (no_such_intent)`);
});
