// The reference X402 client and facilitator as second opinions: on a payment to one recipient, the only kind they
// support, they and our code must judge a transaction alike.
import { createKeyPairSignerFromPrivateKeyBytes, type KeyPairSigner } from '@solana/kit';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme as StockClient } from '@x402/svm/exact/client';
import { ExactSvmScheme as StockFacilitator } from '@x402/svm/exact/facilitator';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LocalSolana, startLocalSolana } from '../local/start-local-chain.ts';
import { acceptanceExtra } from '../prepare/acceptance-extra.ts';
import { prepareOnChain } from '../prepare/prepare-on-chain.ts';
import { openNode } from '../rpc/solana-node.ts';
import { createLocalRelayer, type RelayerSigner } from '../signer/relayer-signer.ts';
import { type Actors, drawActors, signAsWallet } from '../testing/actors.ts';
import { type Alteration, alter } from '../testing/alter.ts';
import { agreedOn } from '../testing/pay.ts';
import type { PreparedTransfer, TransferTerms } from '../transfer/transfer-terms.ts';
import { verifySigned } from './verify-signed.ts';

const DEVNET = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1';
let chain: LocalSolana;
let actors: Actors;
let relayer: RelayerSigner;
let relayerKey: KeyPairSigner;
let prepared: PreparedTransfer;

beforeAll(async () => {
  chain = await startLocalSolana({ slotTimeMs: 100 });
  actors = await drawActors();
  const secret = crypto.getRandomValues(new Uint8Array(32));
  relayer = await createLocalRelayer(secret);
  relayerKey = await createKeyPairSignerFromPrivateKeyBytes(secret);
  await chain.fundSol(relayer.address, 1_000_000_000n);
  await chain.fundToken(actors.payer.address, 10_000_000n);
  await Promise.all([actors.merchant, actors.stranger.address].map((owner) => chain.fundToken(owner, 0n)));
  prepared = await prepare('pi_1');
});
afterAll(() => chain.stop());

async function prepare(intentId: string): Promise<PreparedTransfer> {
  const terms = {
    ...actors.terms(intentId, [{ owner: actors.merchant, amountAtomic: 1_000n }]),
    relayer: relayer.address,
  };
  const made = await prepareOnChain([openNode(chain.rpcUrl)], terms);
  if (!made.ok) throw new Error(made.code);
  return made.prepared;
}

const requirementsOf = (of: PreparedTransfer) =>
  ({
    scheme: 'exact',
    network: DEVNET,
    asset: of.terms.mint,
    amount: '1000',
    payTo: actors.merchant,
    maxTimeoutSeconds: 60,
    extra: { ...acceptanceExtra(of, actors.merchant) },
  }) as const;

async function stockView(transaction: string): Promise<boolean> {
  const stock = new StockFacilitator(toFacilitatorSvmSigner(relayerKey, { defaultRpcUrl: chain.rpcUrl }));
  const accepted = requirementsOf(prepared);
  const { isValid } = await stock.verify({ x402Version: 2, accepted, payload: { transaction } }, accepted);
  return isValid;
}

test('a stock client, given our acceptance, signs a payment that we accept', async () => {
  const client = new StockClient(actors.payer, { rpcUrl: chain.rpcUrl });
  const { payload } = await client.createPaymentPayload(2, requirementsOf(prepared));
  const { transaction } = payload as { readonly transaction: string };
  expect(await verifySigned(transaction, agreedOn(prepared))).toMatchObject({ ok: true, untouched: false });
  expect(await stockView(transaction)).toBe(true);
});

test('a stock facilitator accepts what we prepared', async () => {
  const signed = await signAsWallet(prepared.wire, actors.payer);
  expect(await verifySigned(signed, agreedOn(prepared))).toMatchObject({ ok: true, untouched: true });
  expect(await stockView(signed)).toBe(true);
});

describe('both refuse', () => {
  const terms = (change: Partial<TransferTerms>) => ({ terms: { ...prepared.terms, ...change } });
  const cases: readonly (readonly [string, () => Alteration])[] = [
    ['a lower amount', () => terms({ legs: [{ owner: actors.merchant, amountAtomic: 999n }] })],
    ['another destination', () => terms({ legs: [{ owner: actors.stranger.address, amountAtomic: 1_000n }] })],
    ['another memo', () => terms({ intentId: 'pi_2' })],
    ['a memo twice', () => ({ change: (instructions) => [...instructions, ...instructions.slice(-1)] })],
    ['no compute budget', () => ({ budget: [] })],
    ['a price that drains the relayer', () => ({ budget: { units: 200_000, microLamportsPerUnit: 5_000_000_001n } })],
  ];
  test.each(cases)('%s', async (_name, alteration) => {
    const signed = await signAsWallet(await alter(prepared, alteration()), actors.payer);
    expect(await verifySigned(signed, agreedOn(prepared))).toMatchObject({ ok: false });
    expect(await stockView(signed)).toBe(false);
  });

  test('a forged signature', async () => {
    const signed = Buffer.from(await signAsWallet(prepared.wire, actors.payer), 'base64');
    signed[70] = (signed[70] ?? 0) ^ 1;
    const forged = signed.toString('base64');
    expect(await verifySigned(forged, agreedOn(prepared))).toMatchObject({ ok: false });
    expect(await stockView(forged)).toBe(false);
  });
});
