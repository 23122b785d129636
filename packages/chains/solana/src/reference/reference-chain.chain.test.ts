// Payments that a wallet sends by itself, found by their reference on a chain.
import {
  AccountRole,
  address,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
  type KeyPairSigner,
} from '@solana/kit';
import { type Caller, measurePayment, payerOfMovement, TOKENS, type TransferStores } from '@svc-pay/core';
import { atomicAmount, basisPoints } from '@svc-pay/money';
import type { NetworkId } from '@svc-pay/protocol';
import type { Id } from '@svc-pay/protocol/ids';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { DEVNET_USDC } from '../local/local-mint.ts';
import type { NodeProxy } from '../local/start-node-proxy.ts';
import { openNode, type SolanaNode } from '../rpc/solana-node.ts';
import { type Actors, drawActors, signAsWallet } from '../testing/actors.ts';
import { alter } from '../testing/alter.ts';
import { type LiteChain, startLiteChain } from '../testing/lite/start-lite-chain.ts';
import type { Cluster } from '../transfer/open-clusters.ts';
import { createReferenceChain } from './reference-chain.ts';
import { referenceOf } from './reference-key.ts';
import { requestTransfer } from './request-transfer.ts';

const network = 'solana:devnet' as NetworkId;
const AMOUNT = 1_000_000n;
const token = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc')!;

let chain: LiteChain;
let node: SolanaNode;
let actors: Actors;
let intentId: string;
let opened: string[];
beforeAll(async () => {
  chain = await startLiteChain();
  node = openNode(chain.rpcUrl);
});
afterAll(() => chain.stop());
beforeEach(async () => {
  actors = await drawActors();
  intentId = `pi_${actors.merchant}`;
  opened = [];
  chain.fundSol(actors.payer.address, 1_000_000_000n);
  await chain.fundToken(actors.payer.address, 10n * AMOUNT);
  await Promise.all([actors.merchant, actors.platform].map((owner) => chain.fundToken(owner, 0n)));
});

const reference = () => referenceOf('here', intentId);

async function request(payer: string = actors.payer.address, feeRecipient?: string) {
  const stores = {
    loadStoredPayout: async (_: Caller, wanted: { readonly feeRecipient: string }) => ({
      merchant: actors.merchant,
      feeRecipient: wanted.feeRecipient,
      feeBps: 100,
      splits: [],
    }),
  } as unknown as TransferStores;
  const cluster: Cluster = {
    network,
    feeAccount: actors.platform,
    program: undefined,
    nodes: [node],
    mintOf: async () => ({ tokenProgram: actors.terms('').tokenProgram, decimals: 6 }),
  };
  return requestTransfer(
    stores,
    cluster,
    {
      caller: {} as Caller,
      intentId: intentId as Id<'paymentIntent'>,
      acceptance: {
        position: 0,
        network,
        token,
        payTo: actors.merchant,
        amount: atomicAmount(AMOUNT),
        payoutId: 1n,
      },
      payer,
      open: async (key, fee) => {
        opened.push(key);
        return feeRecipient ?? fee;
      },
    },
    reference(),
  );
}

async function requested() {
  const made = await request();
  if (!made.ok) throw new Error(made.code);
  return made.wire;
}

async function send(wire: Uint8Array, signer: KeyPairSigner = actors.payer) {
  const sent = await node.send(Buffer.from(await signAsWallet(wire, signer), 'base64'));
  expect(sent).toEqual({ outcome: 'known' });
}

/** The transaction of another wallet program: other transfers, with the reference wherever it likes. */
async function altered(change: (instructions: readonly Instruction[]) => readonly Instruction[], legs?: bigint[]) {
  const [merchant = 990_000n, platform = 10_000n] = legs ?? [];
  const terms = {
    ...actors.terms(intentId, [
      { owner: actors.merchant, amountAtomic: merchant },
      { owner: actors.platform, amountAtomic: platform },
    ]),
    relayer: actors.payer.address,
  };
  const lifetime = await node.latestLifetime();
  return alter(
    { terms, lifetime, messageHash: '', wire: new Uint8Array() },
    { feePayer: actors.payer.address, change },
  );
}

const withReference = (instructions: readonly Instruction[]) =>
  instructions.map((instruction, index) =>
    index === 0
      ? {
          ...instruction,
          accounts: [...(instruction.accounts ?? []), { address: address(reference()), role: AccountRole.READONLY }],
        }
      : instruction,
  );

const look = (nodes: readonly SolanaNode[] = [node]) => createReferenceChain(nodes, network, async () => 'here').look();

const PAGES = 10;

async function found(nodes: readonly SolanaNode[] = [node]) {
  const sight = await look(nodes);
  const { transactions } = await sight.list(reference(), null, PAGES);
  return Promise.all(transactions.map(({ transactionId }) => sight.read(transactionId)));
}

const LEGS = () => ({
  mint: DEVNET_USDC,
  shares: { merchant: actors.merchant, feeBps: basisPoints(100), splits: [] },
  feeRecipient: actors.platform,
});

async function foundPayment() {
  const [only] = await found();
  if (only?.kind !== 'moved') throw new Error(`${only?.kind}`);
  return {
    ...measurePayment(only.movement, LEGS(), AMOUNT),
    payer: payerOfMovement(only.movement, DEVNET_USDC),
  };
}

test('the transaction needs the payer’s signature alone, whose wallet pays its fee, and names the intent and its reference', async () => {
  const wire = await requested();
  const { signatures, messageBytes } = getTransactionDecoder().decode(wire);
  expect(signatures).toEqual({ [actors.payer.address]: null });
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  expect(message.version).toBe('legacy');
  expect(message.header.numSignerAccounts).toBe(1);
  const at = message.staticAccounts.indexOf(address(reference()));
  expect(at).toBeGreaterThanOrEqual(message.staticAccounts.length - message.header.numReadonlyNonSignerAccounts);
  expect(Buffer.from(wire).includes(`svc:${intentId}`)).toBe(true);
  expect(opened).toEqual([reference()]);
});

test('a payment is found by its reference when it is final, with every share and its payer', async () => {
  await send(await requested());
  expect(await found()).toEqual([]);
  chain.ledger.advance(40n);
  expect(await foundPayment()).toEqual({ paidAtomic: AMOUNT, surplusAtomic: 0n, payer: actors.payer.address });
  const sight = await look();
  const { transactions } = await sight.list(reference(), null, PAGES);
  const [only] = transactions;
  expect(await sight.list(reference(), only?.transactionId ?? '', PAGES)).toMatchObject({
    transactions: [],
    isWhole: true,
  });
});

test('a wallet that pays other amounts is found with what it paid', async () => {
  await send(await altered(withReference, [495_000n, 5_000n]));
  chain.ledger.advance(40n);
  expect(await foundPayment()).toMatchObject({ paidAtomic: 500_000n, surplusAtomic: 0n });
});

test('a wallet that leaves the platform’s fee out has paid next to nothing', async () => {
  await send(await altered((all) => withReference([...all.slice(0, 1), ...all.slice(2)])));
  chain.ledger.advance(40n);
  expect(await foundPayment()).toMatchObject({ paidAtomic: 99n });
});

test('a transaction that names the reference and moves nothing pays nothing', async () => {
  await send(
    await altered((all) =>
      all.slice(-1).map((memo) => ({
        ...memo,
        accounts: [{ address: actors.payer.address, role: AccountRole.READONLY_SIGNER }],
      })),
    ),
  );
  const naming = await altered((all) => withReference(all).slice(0, 1), [0n, 0n]);
  await send(naming);
  chain.ledger.advance(40n);
  expect(await foundPayment()).toMatchObject({ paidAtomic: 0n, surplusAtomic: 0n });
});

test('money for an account whose ownership was handed on pays nobody', async () => {
  const { getTokenDecoder, getTokenEncoder } = await import('@solana-program/token');
  const { tokenAccountOf } = await import('../transfer/token-account.ts');
  const wire = await requested();
  const at = await tokenAccountOf(actors.merchant, DEVNET_USDC, actors.terms('').tokenProgram);
  const account = chain.ledger.account(at);
  if (account === null) throw new Error('no account');
  const data = getTokenEncoder().encode({ ...getTokenDecoder().decode(account.data), owner: actors.stranger.address });
  chain.ledger.setAccount(at, { ...account, data: Uint8Array.from(data) });
  await send(wire);
  chain.ledger.advance(40n);
  expect((await foundPayment()).paidAtomic).toBe(0n);
});

test('a payer who would pay himself, or has no key or too little, gets no transaction and opens nothing', async () => {
  expect(await request(actors.merchant)).toEqual({ ok: false, code: 'sender_mismatch' });
  expect(await request('nobody')).toEqual({ ok: false, code: 'sender_mismatch' });
  expect(await request(actors.stranger.address)).toEqual({ ok: false, code: 'insufficient_funds' });
  expect(opened).toEqual([]);
});

test('a request keeps the fee recipient of the first one: transactions with it may be on their way', async () => {
  await chain.fundToken(actors.stranger.address, 0n);
  const made = await request(actors.payer.address, actors.stranger.address);
  if (!made.ok) throw new Error(made.code);
  await send(made.wire);
  expect([await chain.balanceOf(actors.platform), await chain.balanceOf(actors.stranger.address)]).toEqual([
    0n,
    10_000n,
  ]);
});

const lieAbout = (liar: NodeProxy, method: string, lie: (truth: unknown) => unknown) => {
  liar.faults.lie = (call, truth) => (call.method === method ? lie(truth) : undefined);
};

test('a node that hides the payment is outdone by the others, one that makes up a payment is outvoted', async () => {
  const [liar, honest] = await Promise.all([chain.openNode(), chain.openNode()]);
  const nodes = [liar, honest].map(({ rpcUrl }) => openNode(rpcUrl)).concat(node);
  await send(await requested());
  chain.ledger.advance(40n);
  lieAbout(liar, 'getSignaturesForAddress', () => []);
  expect(await found(nodes)).toMatchObject([{ kind: 'moved' }]);
  const invented = '5'.repeat(88);
  lieAbout(liar, 'getSignaturesForAddress', (truth) => [
    { signature: invented, slot: 1n, err: null },
    ...(truth as readonly unknown[]),
  ]);
  expect(await found(nodes)).toMatchObject([{ kind: 'moved' }, { kind: 'absent' }]);
});

test('no single node decides in which order transactions are read', async () => {
  const [liar, honest] = await Promise.all([chain.openNode(), chain.openNode()]);
  const sent = [await requested(), await altered(withReference, [1n, 1n])];
  for (const wire of sent) {
    await send(wire);
    chain.ledger.advance(1n);
  }
  chain.ledger.advance(40n);
  const listAt = async (nodes: readonly SolanaNode[]) =>
    (await (await look(nodes)).list(reference(), null, PAGES)).transactions;
  const truth = await listAt([node]);
  expect(truth).toHaveLength(2);
  lieAbout(liar, 'getSignaturesForAddress', (told) =>
    (told as readonly { slot: bigint }[]).map((one, index) => ({ ...one, slot: BigInt(index + 1) })),
  );
  const nodes = [liar, honest].map(({ rpcUrl }) => openNode(rpcUrl));
  expect(await listAt([...nodes, node])).toEqual(truth);
  expect((await listAt(nodes)).map(({ isAgreed }) => isAgreed)).toEqual([false, false]);
});

test('more transactions than the pages show are told as a flood, and more pages show them', async () => {
  const first = await look();
  for (let index = 0; index < 3; index += 1) await send(await altered(withReference, [1n, BigInt(index)]));
  chain.ledger.advance(40n);
  const sight = await look();
  expect(await first.list(reference(), null, 1)).toMatchObject({ transactions: [] });
  expect(await sight.list(reference(), null, 1)).toMatchObject({ isWhole: false, isFlooded: true });
  expect(await sight.list(reference(), null, 2)).toMatchObject({ isWhole: true, isFlooded: false });
});

test('of two nodes that contradict each other about the money neither is believed', async () => {
  const liar = await chain.openNode();
  await send(await requested());
  chain.ledger.advance(40n);
  lieAbout(liar, 'getTransaction', (truth) => ({
    ...(truth as object),
    meta: { ...(truth as { meta: object }).meta, postTokenBalances: [] },
  }));
  expect(await found([openNode(liar.rpcUrl), node])).toEqual([{ kind: 'unknown' }]);
  expect(await found([openNode(liar.rpcUrl), node, openNode(chain.rpcUrl)])).toMatchObject([{ kind: 'moved' }]);
});

test('no single node decides when a payment was made', async () => {
  const liar = await chain.openNode();
  await send(await requested());
  chain.ledger.advance(40n);
  lieAbout(liar, 'getTransaction', (truth) => ({ ...(truth as object), blockTime: 1n }));
  expect(await found([openNode(liar.rpcUrl), node])).toEqual([{ kind: 'unknown' }]);
  const [told] = await found([openNode(liar.rpcUrl), node, openNode(chain.rpcUrl)]);
  expect(told?.kind === 'moved' && told.movement.blockTimeSeconds).not.toBe(1n);
});

test('a node that lags behind does not hide what the others have', async () => {
  const laggard = await chain.openNode();
  await send(await requested());
  chain.ledger.advance(40n);
  lieAbout(laggard, 'getSlot', () => 1n);
  const nodes = [openNode(laggard.rpcUrl), node, openNode(chain.rpcUrl)];
  laggard.faults.lie = ({ method }) =>
    method === 'getSlot'
      ? 1n
      : method === 'getSignaturesForAddress'
        ? []
        : method === 'getTransaction'
          ? null
          : undefined;
  expect(await found(nodes)).toMatchObject([{ kind: 'moved' }]);
});
