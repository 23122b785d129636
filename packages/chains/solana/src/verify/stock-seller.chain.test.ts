// A stock client that signs for a seller's own requirements: it knows nothing of us but the fee payer.
import { type Caller, type ForeignMemo, type StoredAcceptance, systemClock, TOKENS } from '@svc-pay/core';
import { atomicAmount, parseRate } from '@svc-pay/money';
import type { Id } from '@svc-pay/protocol/ids';
import { ExactSvmScheme as StockClient } from '@x402/svm/exact/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalSolana, startLocalSolana } from '../local/start-local-chain.ts';
import { openNode } from '../rpc/solana-node.ts';
import { type Actors, drawActors } from '../testing/actors.ts';
import { createSolanaPayments } from './solana-payments.ts';

const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
const caller = { accountId: 'acct_1' } as Caller;
const token = TOKENS.find(({ shortcode }) => shortcode === 'soldevnet_usdc')!;
let chain: LocalSolana;
let actors: Actors;
let acceptance: StoredAcceptance;
let feeBps = 0;
let transactions: NonNullable<ReturnType<typeof createSolanaPayments>['transactions']>;

beforeAll(async () => {
  chain = await startLocalSolana({ slotTimeMs: 100 });
  actors = await drawActors();
  const { payer, merchant, platform, relayer } = actors;
  await chain.fundToken(payer.address, 10_000_000n);
  await Promise.all([merchant, actors.stranger.address].map((owner) => chain.fundToken(owner, 0n)));
  const genesisHash = await openNode(chain.rpcUrl).genesisHash();
  const family = createSolanaPayments({
    stores: {
      storePrepared: async (_caller, _intentId, prepared) => prepared,
      findPrepared: async () => [],
      loadStoredPayout: async () => ({ merchant, feeRecipient: platform, feeBps, splits: [] }),
      chooseRelayer: async () => relayer.address,
      isSettlingRelayer: async (_caller, _network, asked) => asked === relayer.address,
    },
    clusters: new Map([[token.network, { rpcUrls: [chain.rpcUrl], feeAccount: platform, genesisHash }]]),
    timeoutMs: 5_000,
    clock: systemClock,
    installation: async () => 'here',
    onProblem: (_network, problem) => {
      throw problem;
    },
  });
  if (family.transactions === undefined) throw new Error('no transactions are taken');
  ({ transactions } = family);
  const rate = parseRate({ token: token.unit, usdPerToken: '1', source: 'fixed', observedAtMs: Date.now() });
  if (!rate.ok) throw new Error(rate.code);
  acceptance = {
    position: 0,
    scheme: 'exact',
    network: token.network,
    token,
    payTo: merchant,
    amount: atomicAmount(1_000n),
    payoutId: 1n,
    maxTimeoutSeconds: 60,
    confirmations: 1,
    rate: rate.rate,
    minimumUsdMicros: null,
    priceEndsAtMs: null,
  };
});
afterAll(() => chain.stop());

type Requirements = Parameters<StockClient['createPaymentPayload']>[1];

async function sign(change: Partial<Requirements> = {}): Promise<string> {
  const client = new StockClient(actors.payer, { rpcUrl: chain.rpcUrl });
  const { payload } = await client.createPaymentPayload(2, {
    scheme: 'exact',
    network: DEVNET,
    asset: token.address,
    amount: '1000',
    payTo: actors.merchant,
    maxTimeoutSeconds: 60,
    extra: { feePayer: await transactions.feePayer(caller, token.network) },
    ...change,
  });
  return (payload as { readonly transaction: string }).transaction;
}

const verify = (transaction: string, memo?: ForeignMemo) =>
  transactions.verify({
    caller,
    intentId: 'pi_1' as Id<'paymentIntent'>,
    acceptances: [acceptance],
    transaction,
    ...(memo && { memo }),
  });
const withMemo = (memo: string) => ({ extra: { feePayer: actors.relayer.address, memo } });

test('what a stock client signs for a seller is taken, with the memo that it drew', async () => {
  const verdict = await verify(await sign(), { required: null });
  expect(verdict).toMatchObject({
    ok: true,
    signed: {
      kind: 'solana_transaction',
      balance: 10_000_000n,
      authorization: { from: actors.payer.address, to: actors.merchant, value: '1000' },
      transfer: { relayer: actors.relayer.address, memo: expect.stringMatching(/^[0-9a-f]{32}$/) },
    },
  });
});

test('a memo that the seller requires is the one that is signed', async () => {
  const signed = await sign(withMemo('order 7'));
  expect(await verify(signed, { required: 'order 7' })).toMatchObject({ signed: { transfer: { memo: 'order 7' } } });
  expect(await verify(signed, { required: 'order 8' })).toMatchObject({ ok: false, detail: 'memo' });
});

test('what was signed for an intent of ours pays no seller, and what was signed for a seller pays no intent', async () => {
  const forIntent = await sign(withMemo('svc:pi_1'));
  expect(await verify(forIntent)).toMatchObject({ ok: true });
  expect(await verify(forIntent, { required: null })).toMatchObject({ ok: false, detail: 'memo' });
  expect(await verify(await sign())).toMatchObject({ ok: false, detail: 'memo' });
});

test.each<[string, () => Partial<Requirements>, string]>([
  ['less than the price', () => ({ amount: '999' }), 'amount_mismatch'],
  ['another recipient', () => ({ payTo: actors.stranger.address }), 'recipient_mismatch'],
  ['another fee payer', () => ({ extra: { feePayer: actors.stranger.address } }), 'transaction_altered'],
  [
    'a blockhash that no block has',
    () => ({ extra: { feePayer: actors.relayer.address, recentBlockhash: actors.stranger.address } }),
    'authorization_expired',
  ],
])('%s is refused', async (_name, change, code) => {
  expect(await verify(await sign(change()), { required: null })).toMatchObject({ ok: false, code });
});

test('a seller is paid whole only through a payout without fee and splits', () => {
  const whole = { merchant: actors.merchant, feeBps: 0, splits: [] };
  expect(transactions.soleRecipient(whole)).toBe(actors.merchant);
  expect(transactions.soleRecipient({ ...whole, feeBps: 1 })).toBeUndefined();
});

test('an intent is offered to stock clients with fee payer and memo, unless others get a share of it', async () => {
  const context = { caller, intentId: 'pi_1' as Id<'paymentIntent'> };
  const transfer = { feePayer: actors.relayer.address, memo: 'svc:pi_1' };
  expect(await transactions.stockTransfer(context, acceptance)).toEqual(transfer);
  feeBps = 1;
  expect(await transactions.stockTransfer(context, acceptance)).toBeUndefined();
  feeBps = 0;
});
