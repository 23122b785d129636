// Payers who pay on Solana with their own wallet and their own gas, on the whole service. Each pays by the link that a wallet
// app scans, or by a transaction of their own that names the reference of the intent.
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createTransactionMessage,
  getTransactionEncoder,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { openNode, readTokenBalance } from '@svc-pay/solana';
import { DEVNET_USDC } from '@svc-pay/solana/local';
import { signAsWallet } from '@svc-pay/solana/testing';
import { afterAll, expect, test, vi } from 'vitest';
import { askForTransaction, followSolanaPay, sendSigned } from '../solana/follow-solana-pay.ts';
import { ledgerCheck } from './ledger-check.ts';
import { linkOf, payByReference, referenceIn } from './solana-pay-calls.ts';
import { newIntent, PRICE, newPayer as payerWithoutSol, relay, signFor, startSolanaWorld } from './solana-world.ts';

const world = await startSolanaWorld();
const { pool } = world.database;
const { rpcUrl } = world.solana;
const node = openNode(rpcUrl);
const [merchant = '', ...others] = world.recipients;

afterAll(async () => {
  const { output, exitCode } = await ledgerCheck(world);
  await world.stop();
  expect({ output, exitCode }).toEqual({ output: expect.any(String), exitCode: 0 });
}, 60_000);

async function newPayer(): Promise<KeyPairSigner> {
  const payer = await payerWithoutSol(world);
  await world.solana.fundSol(payer.address, 100_000_000n);
  return payer;
}

/** An intent whose link a wallet has opened, so that its reference is read. */
async function opened(body: object = {}): Promise<{ readonly id: string; readonly link: string }> {
  const { id } = await newIntent(world, { ...body });
  const link = await linkOf(world, id);
  return { id, link };
}

/** Shares of the payout: merchant, two splits, platform. */
const sharesOf = (amount: bigint): readonly bigint[] => {
  const [tenth, small, fee] = [(amount * 1_000n) / 10_000n, (amount * 33n) / 10_000n, (amount * 100n) / 10_000n];
  return [amount - tenth - small - fee, tenth, small, fee];
};

function payBy(payer: KeyPairSigner, shares: readonly bigint[], intentId: string): Promise<string> {
  const legs = [merchant, ...others].map((owner, index) => ({ owner, amountAtomic: shares[index] ?? 0n }));
  return payByReference(world, payer, legs, { intentId });
}

/** SOL for the merchant, with the reference of the intent. */
async function paySol(payer: KeyPairSigner, intentId: string): Promise<string> {
  const reference = await referenceIn(world, intentId);
  const transfer = getTransferSolInstruction({ source: payer, destination: address(merchant), amount: 2_000_000n });
  const named = [...transfer.accounts, { address: reference, role: AccountRole.READONLY }];
  const { blockhash, lastValidBlockHeight } = await node.latestLifetime();
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paidFor) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: blockhash as Blockhash, lastValidBlockHeight }, paidFor),
    (living) => appendTransactionMessageInstruction({ ...transfer, accounts: named }, living),
  );
  const signed = await signTransactionMessageWithSigners(message);
  return sendSigned(rpcUrl, Uint8Array.from(getTransactionEncoder().encode(signed)));
}

type Seen = { readonly intent: string; readonly payments: readonly (readonly [status: string, paid: string])[] };
async function seen(id: string): Promise<Seen> {
  const { rows } = await pool.query<{ status: string }>('select status from svc.intents where id = $1', [id]);
  const payments = await pool.query<{ status: string; paid: string }>(
    'select status, paid_amount::text as paid from svc.payments where intent_id = $1 order by created_at, id',
    [id],
  );
  return { intent: rows[0]?.status ?? '', payments: payments.rows.map(({ status, paid }) => [status, paid]) };
}
const becomes = (id: string, expected: Seen) =>
  vi.waitFor(async () => expect(await seen(id)).toEqual(expected), { timeout: 60_000, interval: 250 });
const paid = (amount = PRICE): readonly [string, string] => ['completed', amount.toString()];
const eventsOf = async (id: string) =>
  (
    await pool.query<{ type: string }>('select type from svc.events where intent_id = $1 order by sequence', [id])
  ).rows.map(({ type }) => type);
const usdcOf = (owner: string) => readTokenBalance([node], owner, DEVNET_USDC);

test.concurrent('a wallet that follows the link pays the intent, to the unit, and the payer is told apart', async () => {
  const payer = await newPayer();
  const { id, link } = await opened();
  const followed = await followSolanaPay(link, payer, rpcUrl);
  expect(followed).toMatchObject({ message: expect.stringMatching(/^1\.50 USDC to /) });
  await becomes(id, { intent: 'completed', payments: [paid()] });
  expect(await usdcOf(payer.address)).toBe(PRICE * 9n);
  const { rows } = await pool.query('select payer, transaction_id from svc.payments where intent_id = $1', [id]);
  expect(rows).toEqual([{ payer: payer.address, transaction_id: followed.transactionId }]);
  expect(await eventsOf(id)).toEqual(['payment_intent.created', 'payment.created', 'payment.completed']);
  const again = await askForTransaction(link, payer.address);
  expect(again).toMatchObject({ ok: false, message: expect.stringMatching(/do not pay again/) });
});

test.concurrent('less is a part, and the rest of it completes the intent', async () => {
  const payer = await newPayer();
  const { id, link } = await opened();
  await askForTransaction(link, payer.address);
  await payBy(payer, sharesOf(600_000n), id);
  await becomes(id, { intent: 'mismatched', payments: [['mismatched', '600000']] });
  await payBy(payer, sharesOf(900_000n), id);
  await becomes(id, { intent: 'completed', payments: [['mismatched', '600000'], paid(900_000n)] });
  expect((await eventsOf(id)).filter((type) => type === 'payment.completed')).toHaveLength(1);
});

test.concurrent('an intent that is paid twice keeps the second payment beside it', async () => {
  const payers = [await newPayer(), await newPayer()];
  const { id, link } = await opened();
  await Promise.all(payers.map((payer) => followSolanaPay(link, payer, rpcUrl)));
  await becomes(id, { intent: 'completed', payments: [paid(), ['mismatched', PRICE.toString()]] });
});

test.concurrent('money that comes too late is kept and told, and the intent stays ended', async () => {
  const payer = await newPayer();
  const { id, link } = await opened();
  const asked = await askForTransaction(link, payer.address);
  if (!asked.ok) throw new Error(asked.message);
  await pool.query(`update svc.intents set expires_at = now() - interval '1 minute' where id = $1`, [id]);
  await becomes(id, { intent: 'canceled', payments: [] });
  await sendSigned(rpcUrl, Buffer.from(await signAsWallet(asked.wire, payer), 'base64'));
  await becomes(id, { intent: 'canceled', payments: [['mismatched', PRICE.toString()]] });
  expect(await eventsOf(id)).toContain('payment.created');
});

test.concurrent('money of another sender is kept beside the intent, whose own sender can still pay', async () => {
  const [payer, expected] = [await newPayer(), await newPayer()];
  const { id, link } = await opened({ expectedSenderPrincipal: expected.address });
  expect(await askForTransaction(link, payer.address)).toMatchObject({ ok: false });
  await askForTransaction(link, expected.address);
  await payBy(payer, sharesOf(PRICE), id);
  await becomes(id, { intent: 'requires_payment', payments: [['mismatched', PRICE.toString()]] });
  await followSolanaPay(link, expected, rpcUrl);
  await becomes(id, { intent: 'completed', payments: [['mismatched', PRICE.toString()], paid()] });
});

test.concurrent('another token, or money for others than the intent’s recipients, pays nothing', async () => {
  const payer = await newPayer();
  const { id, link } = await opened();
  await askForTransaction(link, payer.address);
  await paySol(payer, id);
  await payBy(payer, [0n, 0n, 0n, 15_000n], id);
  await followSolanaPay(link, payer, rpcUrl);
  await becomes(id, { intent: 'completed', payments: [paid()] });
});

test.concurrent('a transaction with the reference of another intent pays what it paid, once', async () => {
  const payer = await newPayer();
  const [first, second] = [await opened(), await opened()];
  for (const { link } of [first, second]) await askForTransaction(link, payer.address);
  // The reference of the second intent, and the money of both.
  await payBy(payer, sharesOf(PRICE), second.id);
  await becomes(second.id, { intent: 'completed', payments: [paid()] });
  expect(await seen(first.id)).toEqual({ intent: 'requires_payment', payments: [] });
});

test.concurrent('a payment whose X402 transaction is settled already is a surplus', async () => {
  const payer = await newPayer();
  const { id, link } = await opened();
  const asked = await askForTransaction(link, payer.address);
  if (!asked.ok) throw new Error(asked.message);
  await relay(world, id, await signFor(world, id, payer));
  await sendSigned(rpcUrl, Buffer.from(await signAsWallet(asked.wire, payer), 'base64'));
  await becomes(id, { intent: 'completed', payments: [paid(), ['mismatched', PRICE.toString()]] });
});

test('settlement that dies while payments become final finds each of them once afterwards', async () => {
  const payers = await Promise.all([1, 2, 3].map(() => newPayer()));
  const intents = await Promise.all(payers.map(() => opened()));
  for (const [index, { link }] of intents.entries()) {
    await followSolanaPay(link, payers[index] as KeyPairSigner, rpcUrl);
    if (index === 1) await world.settlement.kill('SIGKILL');
  }
  await world.settlement.start();
  for (const { id } of intents) await becomes(id, { intent: 'completed', payments: [paid()] });
});
